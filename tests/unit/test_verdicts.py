"""Verdicts on claims: what counts as one, what overlap, numbers and negation make of a document, what a model is told."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.answering.verdicts import CHECK, EXAM, Checked, OverlapVerdicts, PromptedVerdicts, verdict
from kgservice.llm.client import LLM
from kgservice.llm.prompts import prompt
from tests.llm_server import KEY, LLMServer, filled

CLAIM = "The port of Norrholt handled 12 million tonnes of cargo in 2030."


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("True", True), (" false.", False), ("**True**, since the yearbook says so", True), ("FALSE", False),
        ("Mostly true", None), ("True or false", None), ("Neither", None), ("", None), ("no such info", None),
        ("Truely", None), ("It is true", None),
    ],
)  # fmt: skip
def test_a_verdict_is_true_or_false_and_all_else_is_out_of_scope(answer: str, said: bool | None) -> None:
    assert verdict(answer) is said


@pytest.mark.parametrize(
    ("document", "answer"),
    [
        ("In 2030 the port of Norrholt handled 12 million tonnes of cargo.", "True"),
        ("The port of Norrholt handled 9 million tonnes of cargo in 2030.", "False"),
        ("The port of Norrholt never handled 12 million tonnes of cargo in 2030.", "False"),
        ("The port of Norrholt handled much cargo.", "True"),  # no number that speaks against it
        ("The dockers sing. The port of Norrholt handled 12 million tonnes of cargo in 2030.", "True"),
        ("The dockers of Norrholt sing on Sundays.", REFUSAL),
        ("", REFUSAL),
    ],
)
def test_overlap_numbers_and_negation(document: str, answer: str) -> None:
    asked = QuestionWithPassages(unit="1", question=CLAIM, contexts=(document,) if document else ())
    (found,) = asyncio.run(OverlapVerdicts().answers([asked]))
    assert found.answer == answer
    assert found.reasoning in document


@pytest.mark.parametrize("name", [CHECK, EXAM])
def test_prompts_give_two_examples_and_say_that_documents_may_be_wrong(name: str) -> None:
    asked = prompt(name, claim=CLAIM, documents=("One.", "Two."))
    assert "wrong" in asked.system
    examples = [Checked.model_validate_json(found) for found in re.findall(r"\{.*\}", asked.system)]
    assert {one.verdict for one in examples} == ({"True", "False"} if name == CHECK else {"True", "Neither"})
    assert re.findall(r'name="([^"]+)"', asked.user) == ["document 1", "document 2", "claim"]


def test_a_model_is_asked_with_and_without_documents(tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> Any:
        said = request["messages"][1]["content"]
        if CLAIM not in said:  # how the endpoint is tried out
            return filled(request)
        return {"reasoning": "r", "verdict": "False" if "document 1" in said else "Hard to say"}

    async def run(url: str) -> list[Generated]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            asked = [QuestionWithPassages(unit="1", question=CLAIM, contexts=contexts) for contexts in (("x",), ())]
            return await PromptedVerdicts(llm).answers(asked)

    with LLMServer(answer) as server:
        found = asyncio.run(run(server.url))
    assert found == [Generated(answer="False", reasoning="r"), Generated(answer="Hard to say", reasoning="r")]
