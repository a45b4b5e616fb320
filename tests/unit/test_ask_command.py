"""What the command shows of a model's reply while it comes, and of a model's refusal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kgservice.answering import ask as answering
from kgservice.answering.callables import CallableGenerator
from kgservice.cli.ask import ReplyAsItComes
from kgservice.retrieval.hit import Hit


def test_a_reply_is_written_as_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    reply, told = json.dumps({"reasoning": 'It says "so".\nTwice.', "answer": "Ada"}), ReplyAsItComes()
    for length in range(1, len(reply) + 1):
        told(reply[:length])
    told.end()
    found = capsys.readouterr()
    assert (found.out, found.err) == ("", 'It says "so".\nTwice.\nAda\n\n')


def test_words_around_an_answer_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    told = ReplyAsItComes()
    for reply in ("Here", "Here is the answer:\n```json\n{", "[1, 2]"):
        told(reply)
    told.end()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("said", ["no such info", "No such info.", "The passages do not say who leads it.", " "])
def test_a_model_refuses_in_its_own_words(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    nothing: Any = None
    hit = Hit(chunk="c", document="d", title="Port", score=1.0, text="The port is large.", why={})
    monkeypatch.setattr(answering, "retrieve", lambda *_, **__: [hit])
    reader = CallableGenerator(lambda _question, _contexts: said)
    found = answering.ask(nothing, "demo", "Who leads the port?", reader, nothing)
    assert (found.answer, found.evidence) == ("", ())
