"""RARE-Set's layout: no fact without its sentence."""

import pytest

from kgservice.core.records import Fact, Question, Source
from kgservice.graph.contexts import Context
from kgservice.questions.export.layouts import _rare, dragon_sets


def test_every_fact_keeps_a_sentence() -> None:
    told = {"Acme makes pumps.": ("c1",), "Acme is in Lun.": ("c1", "c2")}
    facts = tuple(
        Fact(key=sentence, subject="Acme", relation="r", object="o",
             statements=tuple(Source(chunk=chunk, document="d", sentence=sentence) for chunk in chunks))
        for sentence, chunks in told.items()
    )  # fmt: skip
    item = Question(
        id="q", corpus="c", pattern="star", asked="first", question="Which?", answers=("o",), facts=facts,
        chunk_ids=("c1", "c2"), document_keys=("d",),
    )  # fmt: skip
    known = {key: Context(chunk=key, title="", about=(), text="t", domain="") for key in item.chunk_ids}
    row = _rare(item, known)
    pairs = list(zip(row["source_sentence_chunk_ids"], row["source_sentences"], strict=True))
    assert pairs == [("c1", "Acme makes pumps."), ("c1", "Acme is in Lun."), ("c2", "Acme is in Lun.")]


@pytest.mark.parametrize(
    ("pattern", "asked", "kind"),
    [
        ("single", "object", "simple"), ("set_of_objects", "object", "set"), ("chain", "last", "multi-hop"),
        ("star", "pivot", "conditional"), ("comparison", "larger", "comparison"), ("pluri_hop", "count", "pluri-hop"),
    ],
)  # fmt: skip
def test_each_pattern_has_its_type(pattern: str, asked: str, kind: str) -> None:
    item = Question(
        id="q", corpus="c", pattern=pattern, asked=asked, question="Which?", answers=("o",), facts=(), chunk_ids=(),
        document_keys=(),
    )  # fmt: skip
    assert [row["type"] for row in dragon_sets({0: item}, {}, [])["private_qa"]] == [kind]
