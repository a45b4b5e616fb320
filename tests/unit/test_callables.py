"""Python functions as systems: what they say, and every way in which they do not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count

from kgservice.answering.callables import MOST, CallableGenerator, CallableSystem
from kgservice.answering.generator import QuestionWithPassages
from kgservice.core import keys

LATE, HANGS = threading.Event(), 20  # seconds


def reads(question: str, contexts: Sequence[str]) -> str:
    match question:
        case "hang":
            LATE.wait(HANGS)
        case "fail":
            raise KeyError(question)
        case "nothing":
            return None  # type: ignore[return-value]
        case "long":
            return "x" * 50_000_000
    return f"{question}: {len(contexts)}"


def test_a_function_of_question_and_passages() -> None:
    asked = [
        QuestionWithPassages(unit=one, question=one, contexts=("p", "q"))
        for one in ("a", "hang", "fail", "nothing", "long", "b")
    ]
    started = time.monotonic()
    found = asyncio.run(CallableGenerator(reads, timeout=0.2, concurrency=2).answers(asked))
    assert time.monotonic() - started < HANGS, "a call that hangs holds the run up"
    LATE.set()
    assert [one.answer for one in found] == ["a: 2", "", "", "", "", "b: 2"]
    assert [one.failure for one in found] == [
        "", "time-out", "exception (KeyError)", "no text returned", "answer too long", "",
    ]  # fmt: skip
    assert CallableGenerator(reads).name == "callable: reads"


def test_half_a_surrogate_pair_is_written_as_by_an_address() -> None:
    asked = [QuestionWithPassages(unit="q", question="q")]
    [read] = asyncio.run(CallableGenerator(lambda _question, _contexts: "a\ud800b\0").answers(asked))
    [found] = asyncio.run(CallableSystem(lambda _: ("a\ud800b", ["d\udc00"]), corpus="c").answers(asked))
    assert (read.answer, found.answer, found.chunks) == ("a?b\N{REPLACEMENT CHARACTER}", "a?b", ("d?",))
    assert read.model_dump_json()
    assert found.model_dump_json()


def test_a_function_that_finds_by_itself() -> None:
    said = {"both": ("Isvik", [3, 1]), "alone": "Isvik", "odd": ("Isvik", 3), "pair": (1, [2])}
    asked = [QuestionWithPassages(unit=one, question=one) for one in said]
    found = asyncio.run(CallableSystem(lambda question: said[question], corpus="c").answers(asked))  # type: ignore[arg-type, return-value]
    assert [(one.answer, one.chunks, one.failure) for one in found] == [
        ("Isvik", ("3", "1"), ""), ("Isvik", (), ""), ("", (), "what was found is no list"), ("", ("2",), "no text returned"),
    ]  # fmt: skip
    assert found[0].documents == (keys.document_key("c", "3"), keys.document_key("c", "1"))


def test_lazily_made_sources_are_the_functions_own() -> None:
    def fails() -> Iterator[str]:
        yield "1"
        raise KeyError

    said = {"fail": fails(), "many": count(), "few": iter("ab")}
    asked = [QuestionWithPassages(unit=one, question=one) for one in said]
    found = asyncio.run(CallableSystem(lambda question: ("Isvik", said[question])).answers(asked))  # type: ignore[arg-type, return-value]
    assert [(one.answer, len(one.chunks), one.failure) for one in found] == [
        ("", 0, "exception (KeyError)"), ("Isvik", MOST, ""), ("Isvik", 2, ""),
    ]  # fmt: skip
