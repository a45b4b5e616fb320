"""What the command shows of a model's reply while it comes."""

from __future__ import annotations

import json

import pytest

from kgservice.cli.ask import ReplyAsItComes


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
