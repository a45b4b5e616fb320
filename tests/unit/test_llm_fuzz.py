"""Whatever an endpoint sends, a load goes on: from the bytes of a reply to what would be written to the graph.

`KGS_FUZZ=N` tries N replies of each kind instead of some dozens.
"""

from __future__ import annotations

import functools
import json
import os
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from kgservice.core.records import Document
from kgservice.extraction.grounding import LONGEST_END
from kgservice.graph.rows import Rows
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.llm.answers import Dialect
from kgservice.llm.client import LLM
from tests.conftest import examples
from tests.llm_server import KEY, LLMServer
from tests.unit.test_pipeline import Journal, Memory

FUZZ = settings(
    max_examples=int(os.environ.get("KGS_FUZZ", examples(30))),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
TEXT = "Ada leads Lun. She was born in Mar in 1990."
WHOLE: dict[str, Any] = {
    "chunk": 1, "sentence": "Ada leads Lun.", "subject": "Ada", "subject_type": "person", "relation": "leads",
    "object": "Lun", "object_type": "town",
}  # fmt: skip
ODD = st.sampled_from(
    ["", "\ud800", "\udc00\ud800", "\u202e", "\x00", "Ada", "x" * 10_000, "\u200b", "😀", "[" * 2_000]
)
LEAF = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=20), ODD,
    st.just(10**400), st.just("9" * 5_000),
)  # fmt: skip
VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD, inner, max_size=4), max_leaves=8
)


def changed(whole: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some fields replaced by anything, or missing."""
    fields = st.dictionaries(st.sampled_from(sorted(whole)), VALUE | st.just("missing"), max_size=3)
    return fields.map(lambda new: {name: value for name, value in (whole | new).items() if value != "missing"})


ANSWERS = st.lists(changed(WHOLE), max_size=4).map(lambda found: json.dumps({"triplets": found}))
SPLICED = st.tuples(ANSWERS, st.integers(0, 400), st.text(st.characters(), max_size=30) | ODD).map(
    lambda made: made[0][: made[1]] + made[2] + made[0][made[1] :]
)
CONTENTS = ANSWERS | SPLICED | st.text(st.characters(), max_size=200)


def completion(message: Any, usage: Any, finish: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


USAGE = st.one_of(st.none(), st.just({"prompt_tokens": 9, "completion_tokens": 9}), VALUE)
BODIES = st.one_of(
    st.builds(
        completion, CONTENTS.map(lambda text: {"role": "assistant", "content": text}), USAGE, st.just("stop") | VALUE
    ),
    st.builds(completion, VALUE, USAGE, VALUE),
    changed(completion({"role": "assistant", "content": "{}"}, None, "stop")),
    VALUE,
).map(lambda body: json.dumps(body).encode())


def edited(body: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    """The bytes after edits as a mutating fuzzer makes them, each at a place and over a length of its own."""
    for kind, start, length, piece in edits:
        at = start % (len(body) + 1)
        span = body[at : at + length]
        changes = {
            "drop": b"", "insert": piece + span, "replace": piece, "repeat": span * 50, "reverse": span[::-1],
            "flip": bytes(byte ^ 1 << start % 8 for byte in span), "move": span + body[: length % 20] + span,
        }  # fmt: skip
        body = body[:at] + changes[kind] + body[at + length :]
    return body


EDITS = st.lists(
    st.tuples(
        st.sampled_from(("drop", "insert", "replace", "repeat", "reverse", "flip", "move")),
        st.integers(0, 2_000),
        st.integers(1, 40),
        st.binary(max_size=6) | st.sampled_from((b'"', b"{", b"]", b"\\ud800", b"1e999", b"NaN", b"null", b"\\")),
    ),
    min_size=1,
    max_size=8,
)
BYTES = st.one_of(
    BODIES,
    st.builds(edited, BODIES, EDITS),
    st.binary(max_size=200),
    st.just(b"[" * 100_000),
    st.tuples(BODIES, st.integers(0, 300), st.binary(max_size=4)).map(
        lambda it: it[0][: it[1]] + it[2] + it[0][it[1] :]
    ),
)


@pytest.fixture(scope="module")
def server() -> Iterator[LLMServer]:
    with LLMServer() as opened, pytest.MonkeyPatch.context() as patch:
        # each load opens a client, and reading the certificates for it takes half of the time of one
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield opened


class Written(Memory):
    """A writer that remembers what would go to the database."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Rows] = []

    def write(self, rows: Rows) -> None:
        self.rows.append(rows)


def load(server: LLMServer, body: bytes) -> tuple[LoadCounts, list[Rows]]:
    server.raw = lambda _: body
    with tempfile.TemporaryDirectory() as folder:
        files = {"answers": Path(folder) / "answers.sqlite", "ledger": Path(folder) / "calls.jsonl"}
        llm = LLM(server.url, SecretStr(KEY), "m", attempts=2, first_wait=0.0, patience=1, **files)  # type: ignore[arg-type]
        llm._dialect = Dialect(mode="plain")
        tally, writer = LoadCounts(Journal()), Written()  # type: ignore[arg-type]
        recipe = Recipe(extract="llm", model="m")
        write_all(writer, [Document(source="d", text=TEXT)], "c", recipe, tally, lambda *_: None, llm)
        llm.ledger.path.read_text("utf-8")
    return tally, writer.rows


def check(tally: LoadCounts, written: list[Rows]) -> None:
    """The counts add up, and what would be written is text that a database holds."""
    windows = tally._windows()
    assert windows.given == 1 == windows.read + sum(windows.failed.values())
    assert tally.states["in"] == 1 == tally.states["stored"] + sum(tally.failed.values())
    assert tally.triplets["in"] == tally.triplets["kept"] + sum(tally.rejected_triplets.values())
    for rows in written:
        json.dumps([rows.documents, rows.chunks, list(rows.entities.values())], ensure_ascii=False).encode()
        json.dumps(list(rows.facts.values()), ensure_ascii=False, default=str).encode()
        labels = [row["properties"]["label"] for row in rows.entities.values()]
        assert all(label.isprintable() and 0 < len(label) <= LONGEST_END for label in labels)


HALF = {"role": "assistant", "content": "", "refusal": "\ud800"}


@FUZZ
@given(body=BYTES)
@example(json.dumps(completion({}, None, "\ud800")).encode())
@example(json.dumps(completion(HALF, None, "stop")).encode())
def test_any_reply_ends_in_one_state(server: LLMServer, body: bytes) -> None:
    check(*load(server, body))


@FUZZ
@given(content=CONTENTS)
def test_any_answer_ends_in_one_state(server: LLMServer, content: str) -> None:
    message = {"role": "assistant", "content": content}
    check(*load(server, json.dumps(completion(message, None, "stop")).encode()))
