"""Queries that a model writes in other grammar and with irrelevant details: what is kept, and why the rest is not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.evaluation.rare.model_queries import Written, fault, written
from kgservice.evaluation.rare.perturb import Perturber
from kgservice.llm.client import LLM
from kgservice.metrics.robustness import QueryKind
from tests.llm_server import KEY, LLMServer, filled, form
from tests.unit.test_perturb import Letters, question, words

__all__ = ["words"]  # a fixture
ASKED = question("Which person founded the company called Tolvane Motors in 2031?")
GRAMMAR = "Tolvane Motors, in 2031 the company called that: which person founded it?"
FAILS = "Which question does the model fail at?"
IRRELEVANT = "Which person founded the company called Tolvane Motors in 2031, when the harbour froze over?"


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("grammar", "By which person was the company called Tolvane Motors founded in 2031?", ""),
        ("grammar", "Can you please tell me which person founded the company called Tolvane Motors in 2031", ""),
        ("grammar", ASKED.question, "nothing changed"),
        ("grammar", "Which person founded the company called Tolvane in 2031?", "other names"),
        ("grammar", "Irena Kost founded in 2031 the company called Tolvane Motors, which person?", "other names"),
        ("grammar", "Which person created the company called Tolvane Motors in 2031?", "words lost"),
        ("grammar", "Which person founded the company called Tolvane Motors?", "words lost"),
        ("grammar", "Which rich person founded the company called Tolvane Motors in 2031?", "words added"),
        ("irrelevant", IRRELEVANT, ""),
        ("irrelevant", "The harbour froze over. Which person founded the company called Tolvane Motors in 2031?",
         "a sentence of its own"),
        ("irrelevant", "By which person was the company called Tolvane Motors founded in 2031?", "no detail, or a long one"),
        ("irrelevant", f"{ASKED.question[:-1]}, " + " ".join(f"w{n}x" for n in range(30)) + "?", "no detail, or a long one"),
        ("irrelevant", f"{ASKED.question[:-1]}, as Irena Kost built large engines?", "other names"),
    ],
)  # fmt: skip
def test_what_changes_the_question_is_dropped(kind: QueryKind, text: str, reason: str) -> None:
    assert fault(ASKED, kind, text) == reason


def replies(request: dict[str, Any]) -> Any:
    if set((form(request) or {}).get("properties", {})) != {"questions"}:
        return filled(request)  # how the endpoint is tried out
    told = request["messages"][1]["content"]
    if FAILS in told:
        return "no form"
    kept = IRRELEVANT if "irrelevant" in told else GRAMMAR
    return {"questions": [ASKED.question, f" {kept} ", kept, "Who?"]}


def test_the_models_queries_take_the_place_of_those_by_rules(
    tmp_path: Path, words: Any
) -> None:  # fmt: skip
    async def run(url: str) -> Mapping[str, Written]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            return await written(
                llm, [(ASKED, "news"), (ASKED.model_copy(update={"id": "f", "question": FAILS}), "news")]
            )

    with LLMServer(replies) as server:
        by_model = asyncio.run(run(server.url))
    assert by_model[ASKED.id] == {"grammar": [GRAMMAR], "irrelevant": [IRRELEVANT]}
    _, failed = Perturber(words, Letters()).variants(ASKED, "news", by_model["f"])
    assert [(one.state, one.reason) for one in failed if "writer" in one.reason] == [("failed", "writer: not JSON")] * 2
    made = {one.kind: one.text for one in Perturber(words, Letters()).variants(ASKED, "news", by_model[ASKED.id])[0]}
    assert (made["grammar"], made["irrelevant"]) == (GRAMMAR, IRRELEVANT)
    assert made["characters"] != ASKED.question, "typos are made by rules"
    _, lacking = Perturber(words, Letters()).variants(ASKED, "news", {"grammar": [], "irrelevant": []})
    assert {one.reason for one in lacking} >= {
        "query takes no perturbation: grammar", "query takes no perturbation: irrelevant"
    }  # fmt: skip
