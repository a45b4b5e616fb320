"""What an evidenced answer costs an agent in tokens, and what spans cost in time, on the demo corpus.

    .venv/bin/python benchmarks/agents.py [--questions 40]

Tokens are those of the packaged MiniLM's tokenizer, of arguments and results together. `facts`: an agent calls the tool
`facts` once for each fact of the question, by the end that it knows. `ask`: it asks the question. `cypher`: it asks for
the schema (node and relationship properties, as Neo4j's own procedures give them), then runs a statement that is right
at once and returns the answer with the sentences, the documents' names and the passages. `listed` are the descriptions
of our tools, once a conversation; the other way is charged with none.

Spans: each query is retrieved with OpenTelemetry's SDK set up and without, in turns; the ratio of the medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from kgservice.core import keys
from kgservice.core.records import Question
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.managed_neo4j import server
from kgservice.questions import question_store
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retrieve
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.minilm import tokenizer
from tests.graph.agents import served
from tests.graph.documents import DEMO, Silent

CORPUS = "demo"
TOLD = {"name", "description", "input_schema"}  # of a tool: what clients hand on to models
SCHEMA = (
    "CALL db.schema.nodeTypeProperties() YIELD nodeType, propertyName, propertyTypes",
    "CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes",
)
EVIDENCE = (ROOT / "benchmarks" / "cypher" / "evidence_of_fact.cypher").read_text(encoding="utf-8").split("\n", 3)[3]


def main() -> None:
    """Load the demo, ask both ways, time spans; print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        running = server.start(home, Settings().cache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                load(graph, read("triplets", sorted(DEMO.glob("*.jsonl"))), CORPUS, Recipe(), Embedder(), Silent())
                generate(graph, CORPUS, Plan())
                asked = list(question_store.questions(graph, CORPUS, state="active"))
                some = [one for one in asked if one.pattern in ("single", "chain", "star", "inverted_star")]
                some = some[:: max(len(some) // given.questions, 1)][: given.questions]
                out = _tokens(graph, home, some) | {"spans": _spans(graph, some)}
        finally:
            server.stop(home)
        print(json.dumps(out))


def _tokens(graph: Graph, home: Path, some: list[Question]) -> dict[str, Any]:
    count = tokenizer()

    def size(*parts: object) -> int:
        texts = [part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts]
        return sum(len(count.encode(text, add_special_tokens=False).ids) for text in texts)

    with served(graph, home / "service") as service:
        tools = service.tools("curator").values()
        listed = {
            "to_a_model": size(*(tool.model_dump(mode="json", include=TOLD, exclude_none=True) for tool in tools)),
            "with_schemas_of_results": size(*(tool.model_dump(mode="json", exclude_none=True) for tool in tools)),
        }
        walks = [
            ("facts", {"corpus": CORPUS, _end(one, fact): getattr(fact, _end(one, fact)), "relation": fact.property})
            for one in some
            for fact in one.facts
        ]
        asks = [("ask", {"corpus": CORPUS, "question": one.question}) for one in some]
        told = service.call("curator", *walks, *asks)
        results = [result.structured_content for result in told]
    wrong = sum(bool(result.is_error) for result in told)
    walked = sum(size(given, result) for (_, given), result in zip(walks, results, strict=False))
    answered = sum(size(given, result) for (_, given), result in zip(asks, results[len(walks) :], strict=True))
    with graph._driver.session() as session:
        schema = size([[record.data() for record in session.run(statement)] for statement in SCHEMA])
        cypher, code = 0, keys.corpus_code(CORPUS)
        for one in some:
            for fact in one.facts:
                statement = EVIDENCE
                for name, value in (("subject", fact.subject), ("relation", fact.relation), ("code", code)):
                    statement = statement.replace(f"${name}", json.dumps(value, ensure_ascii=False))
                rows = [record.data() for record in session.run(statement)]
                assert rows, statement
                cypher += size(statement, rows)
    each = {"facts": walked, "ask": answered, "cypher": schema * len(some) + cypher, "cypher_schema_known": cypher}
    mean = {name: round(total / len(some)) for name, total in each.items()}
    return {
        "questions": len(some), "faults": wrong, "tokens": mean, "listed": listed, "schema": schema,
        "facts_over_cypher": round(walked / each["cypher"], 3), "ask_over_cypher": round(answered / each["cypher"], 3),
        "facts_over_cypher_schema_known": round(walked / cypher, 3),
    }  # fmt: skip


def _end(one: Question, fact: Any) -> str:
    """Return by which end an agent that walks to the answer knows a fact."""
    if one.asked in ("object", "subject"):
        return "subject" if one.asked == "object" else "object"
    return "object" if fact.subject in one.answers else "subject"


def _spans(graph: Graph, some: list[Question]) -> dict[str, Any]:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    embedder, module = Embedder(), sys.modules["opentelemetry.trace"]
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(12):
        for one in some:
            for on in (True, False) if turn % 2 else (False, True):
                sys.modules.pop("opentelemetry.trace", None)
                if on:
                    sys.modules["opentelemetry.trace"] = module
                start = time.perf_counter()
                retrieve(graph, CORPUS, "graph", one.question, 10, embedder)
                if turn > 1:
                    seconds[on].append(time.perf_counter() - start)
    provider.force_flush()
    medians = {on: statistics.median(found) for on, found in seconds.items()}
    return {
        "queries": len(seconds[True]), "spans": len(exporter.get_finished_spans()),
        "ms": {"off": round(1000 * medians[False], 2), "on": round(1000 * medians[True], 2)},
        "ratio": round(medians[True] / medians[False], 4),
    }  # fmt: skip


if __name__ == "__main__":
    main()
