"""The papers' layouts: no fact without its sentence, DRAGON's types, FRAMES' kinds of reasoning."""

import pytest

from kgservice.core.records import Fact, Question, Source
from kgservice.graph.contexts import Context
from kgservice.questions.export.frames_rows import frames_rows, reasoning
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


def framed(
    pattern: str, asked: str, answer: str, *, cell: str = "", period: str = "", documents: str = "de"
) -> Question:
    first, second = (
        Fact(
            key=document, subject="Acme", relation="r", object=answer, period=period,
            statements=(Source(chunk="c", document=document, sentence="s", cell=cell),),
        )
        for document in documents
    )  # fmt: skip
    return Question(
        id="q", corpus="c", pattern=pattern, asked=asked, question="Which?", answers=(answer,), facts=(first, second),
        chunk_ids=("c",), document_keys=("d", "e"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("item", "types"),
    [
        (framed("chain", "last", "Lun"), ()),
        (framed("chain", "last", "5 May 1994"), ("Temporal reasoning",)),
        (framed("star", "first", "Lun", period="2031"), ("Temporal reasoning",)),
        (framed("chain", "last", "Lun", cell="Lun"), ("Tabular reasoning",)),
        (framed("conditional_star", "pivot", "Lun"), ("Multiple constraints",)),
        (framed("comparison", "larger", "Lun"), ("Numerical reasoning",)),
        (framed("comparison", "earlier", "Lun"), ("Temporal reasoning",)),
        (framed("pluri_hop", "count", "3"), ("Numerical reasoning",)),
        (framed("pluri_hop", "list", "Lun"), ()),
    ],
)
def test_each_question_has_its_kinds_of_reasoning(item: Question, types: tuple[str, ...]) -> None:
    assert reasoning(item) == types


def test_a_date_is_asked_for_in_roman_numerals_too() -> None:
    sources = {"d": "a.md", "e": "b.md"}
    plain, roman = frames_rows([framed("chain", "last", "5 May 1994")], sources)
    assert plain["wiki_links"] == ["a.md", "b.md"]
    assert (roman["question"], roman["answer"]) == ("Which? Give the year in Roman numerals.", "MCMXCIV")
    assert roman["reasoning_types"] == ["Temporal reasoning", "Post processing"]
    assert len(list(frames_rows([framed("chain", "last", "Lun")], sources))) == 1
    assert not list(frames_rows([framed("chain", "last", "Lun", documents="dd")], sources))  # one article is enough
