"""Spans by OpenTelemetry's GenAI conventions, in the SDK's in-memory exporter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel, SecretStr

from kgservice.core import tracing
from kgservice.core.errors import NotFound, SettingsError
from kgservice.core.records import Record
from kgservice.evaluation.shared.run_folder import Identity, Run, RunFolder, RunLine
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import Prompt
from kgservice.retrieval import retrieve
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import Silent, document
from tests.llm_server import KEY, LLMServer, filled


class MayorCount(BaseModel):
    value: int


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """What is traced by a provider of the test's own, as the global one can be set only once."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def said(exporter: InMemorySpanExporter) -> dict[str, dict[str, Any]]:
    return {span.name: dict(span.attributes or {}) for span in exporter.get_finished_spans()}


def test_a_load_a_search_and_vectors_are_spans(graph: Graph, corpus: str, spans: InMemorySpanExporter) -> None:
    embedder = Embedder()
    load(graph, [document("d1", [("Isvik", "in", "Varnia")])], corpus, Recipe(), embedder, Silent())
    retrieve(graph, corpus, "hybrid", "Where is Isvik?", 3, embedder)
    found = said(spans)
    names = {"kgservice load", "kgservice load documents", "kgservice load vectors", f"retrieval {corpus}"}
    assert names | {"embeddings all-MiniLM-L6-v2"} == set(found)
    assert found["kgservice load"]["kgservice.documents"] == 1
    assert found["embeddings all-MiniLM-L6-v2"]["gen_ai.embeddings.dimension.count"] == 384
    retrieval = found[f"retrieval {corpus}"]
    assert (retrieval["gen_ai.operation.name"], retrieval["gen_ai.data_source.id"]) == ("retrieval", corpus)
    assert (retrieval["gen_ai.retrieval.top_k"], retrieval["kgservice.hits"]) == (3, 1)
    by_id = {span.context.span_id: span.name for span in spans.get_finished_spans() if span.context}
    inner = {span.name: by_id.get(span.parent.span_id) for span in spans.get_finished_spans() if span.parent}
    assert inner["kgservice load vectors"] == "kgservice load"
    assert not [value for attributes in found.values() for value in attributes.values() if "Isvik" in str(value)]


def test_a_failure_is_named(graph: Graph, spans: InMemorySpanExporter) -> None:
    with pytest.raises(NotFound), tracing.operation("retrieval", "x"):
        retrieve(graph, "no such corpus", "bm25", "x", 3, Embedder())
    assert said(spans)["retrieval x"]["error.type"] == "NotFound"


def test_calls_of_a_model_are_spans(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    """Ask a model that answers and one that does not: each call is a span, without prompt and key."""
    prompt = Prompt(name="p", system="Count.", user="How many mayors has Isvik?")

    async def ask(server: LLMServer, sample: int) -> object:
        known = {"answers": tmp_path / "answers", "ledger": tmp_path / "calls", "first_wait": 0.01, "attempts": 2}
        async with LLM(server.url, SecretStr(KEY), "test-model", **known) as llm:  # type: ignore[arg-type]
            return [one async for one in gather(llm, [Ask(prompt, MayorCount, "count", "1", sample)])]

    with LLMServer(filled) as server:
        asyncio.run(ask(server, 0))
        told = [dict(one.attributes or {}) for one in spans.get_finished_spans()]
        assert len(told) == server.asked.total() > 0
        port = int(server.url.split(":")[2].split("/")[0])
    assert {one.name for one in spans.get_finished_spans()} == {"chat test-model"}
    assert {one.kind for one in spans.get_finished_spans()} == {trace.SpanKind.CLIENT}
    for one in told:
        assert (one["gen_ai.operation.name"], one["gen_ai.request.model"]) == ("chat", "test-model")
        assert (one["server.address"], one["server.port"]) == ("127.0.0.1", port)
        assert min(one["gen_ai.usage.input_tokens"], one["gen_ai.usage.output_tokens"]) > 0
    assert not any(word in str(told) for word in ("Isvik", "Count.", KEY))
    spans.clear()
    with LLMServer(filled, rates={"500": 1}) as server, pytest.raises(SettingsError, match="does not answer"):
        asyncio.run(ask(server, 1))
    assert {(one.attributes or {}).get("error.type") for one in spans.get_finished_spans()} == {"Unavailable"}


def test_evaluation_results_are_events(tmp_path: Path, spans: InMemorySpanExporter) -> None:
    class Scores(Record):
        measures: dict[str, float]

    texts = dict.fromkeys(
        ("kgservice", "evaluation", "corpus", "generator", "retriever", "embedding_model", "judge"), "x"
    )
    identity = Identity(**texts, k=5, seed=0, prompts={}, data="")
    folder = RunFolder(tmp_path, identity, RunLine)
    folder.finish(Run[Scores](identity=identity, summary=Scores(measures={"recall@5": 0.75})), "")
    (span,) = spans.get_finished_spans()
    assert [(one.name, dict(one.attributes or {})) for one in span.events] == [
        (
            "gen_ai.evaluation.result",
            {"gen_ai.evaluation.name": "measures.recall@5", "gen_ai.evaluation.score.value": 0.75},
        )
    ]


def test_without_opentelemetry_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(__import__("sys").modules, "opentelemetry.trace")
    assert tracing.tracing() is None
    with tracing.stage("load") as span:
        span.set_attribute("x", 1)
        span.add_event("x", {})
