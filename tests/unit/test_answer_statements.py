"""Statements of answers, worked out by hand from PluriHop's definitions (section 5.1) and its own example (appendix A.5)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.core.errors import LLMFailure
from kgservice.evaluation.plurihop import statement_judge
from kgservice.evaluation.plurihop.statement_judge import Marked, Pair
from kgservice.evaluation.plurihop.statements import Aligned, aligned, claims, document_scores, scores
from kgservice.evaluation.shared.measured_answers import AnswerPart
from kgservice.llm.client import LLM
from tests.llm_server import KEY, LLMServer, filled, form

LEAKS = "Which turbines in wind park W03 had leaks?"
SALES = "What are the sales of each company, going by all annual reports of 2030?"
REPAIRS = "How many repairs have occurred on wind turbine 123 in the past 5 years, and when?"


def held(found: Aligned) -> tuple[list[bool], list[bool]]:
    return [one.held for one in found.said], [one.held for one in found.expected]


def test_the_papers_own_example() -> None:
    found = aligned(
        "In the past 5 years, the repairs on wind turbine 123 have occurred 4 times: on 2020.05.01, 2021.05.02, "
        "2022.05.04, and 2023.05.04.",
        "There were 5 repairs conducted in the past 5 years: on 2020.05.01, 2021.05.02, 2022.05.03, 2023.05.04, and "
        "2024.05.05.",
        REPAIRS,
    )
    assert held(found)[0] == [False, True, True, False, True], "the verdicts of appendix A.5"
    assert held(found)[1] == [False, True, True, False, True, False]
    assert scores(found) == pytest.approx({"precision": 3 / 5, "recall": 3 / 6, "f1": 2 * 3 / (5 + 6)}), (
        "equations 2 to 4"
    )


def test_a_refusal_has_no_statement_and_no_precision() -> None:
    for said in ("no such info", "", "I don't know."):
        found = aligned(said, ["Acme: 5 million USD", "Borea: 6 million USD"], SALES)
        assert found.said == ()
        assert scores(found) == {"recall": 0.0, "f1": 0.0}


def test_pairs_hold_together_and_values_are_compared() -> None:
    reference = ["Acme Robotics: 684.2 million USD", "Borea: 6 million USD", "Cora: 1 USD"]
    right = "Cora: 1 USD\nAcme Robotics: $684.2 million; Borea: 6,000,000 USD"
    assert scores(aligned(right, reference, SALES)) == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    swapped = aligned("Acme Robotics: 6 million USD; Borea: $684.2 million", reference, SALES)
    assert scores(swapped) == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    prose = "In 2030 Acme Robotics had sales of 684.2 million USD, Borea of 6 million USD and Cora of 2 USD."
    assert held(aligned(prose, reference, SALES)) == ([True, True, False], [True, True, False])
    assert scores(aligned("Borea", reference, SALES)) == pytest.approx({"precision": 0.0, "recall": 0.0, "f1": 0.0})


def test_equation_4_knows_no_precision_without_recall() -> None:
    for said, expected in (((True, True), (False,)), ((False,), (True, False)), ((True, True, False), (True, False))):
        parts = [
            tuple(AnswerPart(text=str(at), held=held) for at, held in enumerate(side)) for side in (said, expected)
        ]
        found = scores(Aligned(said=parts[0], expected=parts[1]))
        precision, recall = found["precision"], found["recall"]
        assert precision * len(said) == pytest.approx(recall * len(expected)), "one number of common statements"
        f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
        assert found["f1"] == pytest.approx(f1)


@pytest.mark.parametrize(
    ("said", "question", "texts"),
    [
        ("Turbines W03T01, W03T04 and W03T07 had leaks.", LEAKS, ["Turbines W03T01", "W03T04", "W03T07 had leaks."]),
        ("- W03T01 [Document <1>]\n- W03T04 [Document <2>]\n- W03T01", LEAKS, ["W03T01", "W03T04"]),
        ("high: A Corp, B Corp; low: C Corp", "Which are high and low?", ["high: A Corp", "high: B Corp", "low: C Corp"]),
        ("There are 6 companies.", "How many companies are there?", ["There are 6 companies."]),
        ("It fell.", "Did it rise?", ["It fell."]),
        ("Here is what the annual reports of 2030 say. Acme sold 5 tonnes.", SALES, ["Acme sold 5 tonnes."]),
    ],
)  # fmt: skip
def test_answers_are_taken_apart(said: str, question: str, texts: list[str]) -> None:
    assert [" ".join(claim.text.split()) for claim in claims(said, question)] == texts


def test_a_member_of_the_wrong_group_is_wrong() -> None:
    question = "Put the companies into high shares and low shares."
    found = aligned("high shares: A Corp, B Corp", ["high shares: A Corp", "low shares: B Corp"], question)
    assert held(found) == ([True, False], [True, False])
    label = aligned("Acme: sales of Acme", ["Acme: 5 USD"], SALES)
    assert held(label) == ([False], [False]), "a value that says nothing of its own is not held"


def test_documents_by_hand() -> None:
    assert document_scores(("a", "b", "b", "x"), ("a", "b", "c", "d")) == pytest.approx(
        {"document precision": 2 / 3, "document recall": 2 / 4, "document f1": 2 * 2 / (3 + 4)}
    )
    assert document_scores((), ("a",)) == {"document recall": 0.0, "document f1": 0.0}


TEXTS = re.compile(r"<data (?:\w+) name=\"text\">\n(.*?)\n</data ", re.DOTALL)
ANSWERS = re.compile(r"<data (?:\w+) name=\"answer\">\n(.*?)\n</data ", re.DOTALL)
STATEMENTS = re.compile(r'^Statement \d+: (".*")$', re.MULTILINE)


def little_mind(request: Mapping[str, Any]) -> Any:
    """Split at semicolons, find letter for letter, mark by length; break down at a word."""
    user = request["messages"][1]["content"]
    fields = set((form(request) or {}).get("properties", {}))
    if fields == {"statements"}:
        return {"statements": [part.strip() for part in ANSWERS.findall(user)[0].split(";")]}
    if fields == {"implied"}:
        text, told = TEXTS.findall(user)[0], [json.loads(one) for one in STATEMENTS.findall(user)]
        return {"implied": [one in text for one in told][: len(told) - ("broken" in text)]}
    return {"remark": "so", "score": 100} if "score" in fields else filled(request)


def test_a_model_splits_and_compares_and_is_asked_no_more_than_needed(tmp_path: Path) -> None:
    pairs = [
        Pair("a", LEAKS, "T1; T4; T7", "T1; T7; T9", ()),
        Pair("b", LEAKS, "no such info", "T1; T7", ("T1", "T7")),
        Pair("c", LEAKS, "T1; broken", "T1", ("T1",)),
    ]

    async def run(url: str) -> tuple[list[Aligned | LLMFailure], list[Marked | LLMFailure]]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            return await statement_judge.aligned(llm, pairs), await statement_judge.marked(llm, pairs)

    with LLMServer(little_mind) as server:
        found, marks = asyncio.run(run(server.url))
        asked = [set((form(one) or {}).get("properties", {})) for one in server.requests]
    first, refused, broken = found
    assert isinstance(first, Aligned)
    assert scores(first) == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    assert refused == Aligned(said=(), expected=tuple(AnswerPart(text=one, held=False) for one in ("T1", "T7")))
    assert isinstance(broken, LLMFailure)
    assert broken.reason == "not as many verdicts as statements"
    assert [one.score for one in marks if isinstance(one, Marked)] == [100, 1, 100]
    assert asked.count({"statements"}) == 3, "given statements and refusals are not split"
