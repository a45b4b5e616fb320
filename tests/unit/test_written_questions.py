"""Questions that a model writes over articles: every reason against one, and none against a sound one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.evaluation.frames.article_sets import Article, ArticleSet
from kgservice.evaluation.frames.questions import read_questions
from kgservice.evaluation.frames.written_questions import (
    ArticleQuestion,
    ArticleQuestions,
    estimate_questions,
    rejection_reason,
    write_article_questions,
)
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.llm.prompts import prompt
from tests.llm_server import KEY, LLMServer, filled, form

BRIDGE = "The Vellmar Bridge was drawn by Irena Kost and opened in 2009. It is 4.1 km long."
KOST = "Irena Kost was born in Lunford in 1961.\n\n| Bridge | Length |\n|---|---|\n| Vellmar Bridge | 4.1 km |"
SHOWN = (
    Article(source="bridge.txt", title="Vellmar Bridge", text=BRIDGE),
    Article(source="kost.txt", title="Irena Kost", text=KOST),
    Article(source="copy.txt", title="A copy", text=f"{BRIDGE} {KOST}"),
)
FIRST = {"article": 1, "sentence": "The Vellmar Bridge was drawn by Irena Kost and opened in 2009."}
SECOND = {"article": 2, "sentence": "Irena Kost was born in Lunford in 1961."}
SOUND: dict[str, Any] = {
    "reasoning": "She drew the bridge, and was born in Lunford.",
    "question": "In which town was the architect of the Vellmar Bridge born?",
    "answer": "Lunford",
    "types": ["Multiple constraints"],
    "evidence": [FIRST, SECOND],
}


def reason(shown: tuple[Article, ...] = SHOWN[:2], **changed: Any) -> str:
    return rejection_reason(ArticleQuestion.model_validate(SOUND | changed), shown)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"question": "As of 2024, in which town was the current owner's architect of the Vellmar Bridge born?"},
        {"question": "Which of the two comes with the latest of three openings?"},
        {"answer": "48 years", "types": ["numerical-reasoning", "Temporal Reasoning"]},
        {"evidence": [FIRST, {"article": 2, "sentence": "| Vellmar Bridge | 4.1 km |"}], "answer": "4.1 km"},
        {"evidence": [FIRST, {"article": 2, "sentence": "Irena  Kost was\nborn in Lunford in 1961."}]},
        {"answer": "No. 7, Lunford", "types": ["Post processing"]},
    ],
)
def test_a_sound_question_is_kept(changed: dict[str, Any]) -> None:
    assert reason(**changed) == ""


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"question": "Tell me about the Vellmar Bridge."}, "no question"),
        ({"question": "?"}, "no question"),
        ({"answer": "\u200b "}, "no answer, or a long one"),
        ({"answer": "Lunford " * 20}, "no answer, or a long one"),
        ({"answer": "Yes, in Lunford"}, "the answer is yes or no"),
        ({"answer": "no"}, "the answer is yes or no"),
        ({"question": "Was she born in Lunford or in Isvik?"}, "the question names its answer"),
        ({"types": []}, "no reasoning type of the five"),
        ({"types": ["Multiple constraints", "Magic"]}, "no reasoning type of the five"),
        ({"question": "In which town was she of article 2 born?"}, "the question points at its articles"),
        ({"question": "According to the text, in which town was she born?"}, "the question points at its articles"),
        ({"question": "Which town was home to the current owner?"}, "what may change has no date"),
        ({"evidence": [FIRST, SECOND | {"article": 3}]}, "evidence of an article that was not given"),
        ({"evidence": [FIRST, SECOND | {"article": 0}]}, "evidence of an article that was not given"),
        ({"evidence": [FIRST, {"article": 2, "sentence": "Lunford"}]}, "evidence that is no sentence"),
        ({"evidence": [FIRST, SECOND | {"article": 1}]}, "evidence that is not in its article"),
        ({"evidence": [FIRST, {"article": 2, "sentence": "She was born in Lunford."}]},
         "evidence that is not in its article"),
        ({"evidence": [FIRST]}, "evidence of fewer than two articles"),
        ({"evidence": []}, "evidence of fewer than two articles"),
        ({"answer": "Isvik"}, "the answer is not in its evidence"),
        ({"answer": "Isvik", "types": ["Tabular reasoning"]}, "the answer is not in its evidence"),
    ],
)  # fmt: skip
def test_a_fault_is_a_reason(changed: dict[str, Any], expected: str) -> None:
    assert reason(**changed) == expected


def test_a_question_that_one_article_answers_is_rejected() -> None:
    assert reason(SHOWN) == "one article has all the evidence"


def test_the_example_of_the_prompt_is_sound() -> None:
    system = prompt("write_questions", articles=SHOWN[:2], names=["Irena Kost"], number=2).system
    example = " ".join(system[system.index('{"questions"') : system.index("What stands between")].split())
    titled = [line.split(': "', 1)[1].rstrip('"') for line in system.splitlines() if line.startswith("Article ")]
    shown = [Article(source=text, title="", text=text) for text in titled]
    (one,) = ArticleQuestions.model_validate_json(example).questions
    assert rejection_reason(one, shown) == ""


def test_all_is_counted_written_and_read_back(tmp_path: Path) -> None:
    sets = [ArticleSet(SHOWN[:2], ("Irena Kost",)), ArticleSet(SHOWN[1::-1], ()), ArticleSet(SHOWN[1:], ())]
    replies = [SOUND, SOUND | {"answer": "Isvik"}, SOUND | {"question": "Who drew the bridge of 2009?"}]

    def said(request: dict[str, Any]) -> Any:
        asked = request["messages"][1]["content"]
        if "questions" not in (form(request) or {}).get("properties", {}):
            return filled(request)
        if asked.startswith('Article 1: "Irena Kost"\n') and "A copy" not in asked:  # the second set
            return {"questions": [SOUND | {"evidence": [FIRST | {"article": 2}, SECOND | {"article": 1}]}]}
        return "no JSON at all" if "A copy" in asked else {"questions": replies}

    with LLMServer(said) as server:

        def model(budget: Budget | None = None) -> LLM:
            files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
            return LLM(server.url, SecretStr(KEY), "test-model", **files, first_wait=0.01, budget=budget)

        foreseen = estimate_questions(model(), sets, 2)
        assert (foreseen.calls, sum(server.asked.values())) == (3, 0)
        file = tmp_path / "questions.jsonl"
        done = asyncio.run(write_article_questions(model(), sets, file, number=2, wanted=5))
        poor = model(Budget.read("10tokens"))
        stopped = asyncio.run(write_article_questions(poor, sets, tmp_path / "none.jsonl", number=1, wanted=3))
        before = file.read_bytes()
        asyncio.run(write_article_questions(model(Budget.read("10tokens")), sets[1:2], file, number=3, wanted=3))
        assert file.read_bytes() == before, "a model that gives no question takes none away"
        assert not list(tmp_path.glob(".*.part"))

    assert (done.wanted, done.sets, sum(done.failed.values())) == (5, 3, 1)
    assert (done.questions, done.written) == (4, 1)
    assert done.rejected == {
        "asked already": 1, "more questions than asked for": 1, "the answer is not in its evidence": 1,
    }  # fmt: skip
    assert (done.types, done.articles) == ({"Multiple constraints": 1}, {"2": 1})
    assert (stopped.questions, stopped.failed) == (0, {"budget reached": 3})

    (line,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert line["evidence"] == [
        {"article": "bridge.txt", "sentence": FIRST["sentence"]}, {"article": "kost.txt", "sentence": SECOND["sentence"]},
    ]  # fmt: skip
    (read,) = read_questions(file).units
    assert (read.text, read.answer, read.types) == (SOUND["question"], "Lunford", ("Multiple constraints",))
    assert read.links == ("bridge.txt", "kost.txt")
