"""Evidence by place: passages of any cut and naming cover a sentence where, and only where, they hold half of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from kgservice.core.errors import BadRequest
from kgservice.gold.coverage import found, measures
from kgservice.gold.folded_text import RUN, FoldedText, folded
from kgservice.gold.found_passage import FoundPassage, passage_of
from kgservice.gold.gold_places import Documents, Gold, Piece, Place
from kgservice.text.sentences import sentences

TEXT = (
    "# Isvik\n\nIsvik lies on the northern coast of Varnia. Its mayor is Ada Lind, who was elected in 2029 by a wide "
    "margin of votes.\n\nThe harbour of Isvik was enlarged in the spring of 2031, at a cost of 12 million marks.\n\n"
    "| Year | Ships |\n|---|---|\n| 2030 | 1,204 |\n| 2031 | 1,377 |\n"
)
OTHER = "Lun is a town in the hills. Its mayor is Bo Ek, who was elected in 2027 by a very narrow margin of votes."
SENTENCE = "Its mayor is Ada Lind, who was elected in 2029 by a wide margin of votes."
NAMES = {name: name for name in ("reports/isvik.md", "reports/lun.md", "old/isvik.md")}


def place(sentence: str = SENTENCE, document: str = "reports/isvik.md", text: str = TEXT) -> Place:
    at = text.index(sentence)
    return Place(document=document, start=at, end=at + len(sentence), sentence=sentence, id=f"id {at}")


@pytest.fixture
def documents() -> Documents:
    half = TEXT.index("The harbour")
    pieces = {
        "reports/isvik.md": [Piece("c1", 0, TEXT[:half].rstrip()), Piece("c2", half, TEXT[half:])],
        "reports/lun.md": [Piece("c3", 0, OTHER)],
    }
    return Documents(
        pieces, NAMES, {"reports/isvik.md": "The Town of Isvik in Pictures: a Complete Guide with Many Maps"}
    )


def rank(documents: Documents, *passages: Any, sentence: str = SENTENCE) -> int | None:
    gold = Gold(facts=((place(sentence),),))
    return found(gold, [passage_of(one) for one in passages], documents).ranks[0]


@pytest.mark.parametrize(
    "passage",
    [
        {"id": "c1"},
        {"document": "reports/isvik.md", "start": 60, "end": 140},
        {"document": "reports\\isvik.md", "start": 0, "end": 500},
        {"document": "/home/me/reports/isvik.md", "text": SENTENCE},
        SENTENCE,
        SENTENCE.upper().replace(" ", "\n"),
        "Isvik\n\n" + SENTENCE,
        "The Town of Isvik in Pictures: a Complete Guide with Many Maps\n\n" + SENTENCE,
        "**Its mayor** is [Ada Lind](http://x), who was elected in 2029 by a wide mar-\ngin of votes.",
        {"text": TEXT, "score": 0.5, "metadata": {"page": 1}},
        SENTENCE[: len(SENTENCE) * 2 // 3],
    ],
)
def test_what_holds_the_sentence_is_found(documents: Documents, passage: Any) -> None:
    assert rank(documents, "Nothing of the kind.", passage) == 2


@pytest.mark.parametrize(
    "passage",
    [
        {"id": "c2"},
        {"id": "c3"},
        {"id": "nowhere"},
        {"document": "reports/isvik.md", "start": 100, "end": 130},
        {"document": "reports/isvik.md", "start": 200, "end": 2**53 - 1},
        {"document": "reports/lun.md", "start": 0, "end": 500},
        {"document": "old/isvik.md", "text": SENTENCE},
        {"document": "isvik.md", "start": 0, "end": 500},
        OTHER,
        SENTENCE[: len(SENTENCE) // 3],
        "2029",
        "♠ ♣",
        OTHER + SENTENCE,
    ],
)
def test_what_does_not_hold_it_is_not(documents: Documents, passage: Any) -> None:
    assert rank(documents, passage) is None


def test_a_sentence_cut_in_two_is_found_by_both_parts(documents: Documents) -> None:
    cut = len(SENTENCE) * 2 // 5
    third = len(SENTENCE) // 3
    assert rank(documents, SENTENCE[:third], SENTENCE[2 * third :]) == 2
    assert rank(documents, {"id": "c2"}, SENTENCE[:cut], SENTENCE[cut:]) == 3


def test_a_row_of_a_table_needs_no_bars_and_another_table_is_no_evidence(documents: Documents) -> None:
    row = "| 2031 | 1,377 |"
    assert rank(documents, "12 million marks. Year Ships 2030 1,204 2031 1,377", sentence=row) == 1
    assert rank(documents, "The town of Lun counted these ships. | 2031 | 1,377 |", sentence=row) is None


def test_measures_count_facts(documents: Documents) -> None:
    first, second = (
        place(),
        place("The harbour of Isvik was enlarged in the spring of 2031, at a cost of 12 million marks."),
    )
    gold = Gold(facts=((first,), (second, first)))
    one = found(gold, [FoundPassage(id="c3"), FoundPassage(id="c2")], documents)
    assert (one.ranks, one.ids, one.all) == ((None, 2), ("", second.id), False)
    assert measures(one, [1, 5]) == {
        "recall@1": 0, "hit_rate@1": 0, "mrr@1": 0, "all@1": 0,
        "recall@5": 0.5, "hit_rate@5": 1, "mrr@5": 0.5, "all@5": 0,
    }  # fmt: skip
    assert found(gold, [FoundPassage(id="c1")], documents).all  # the second fact is stated there too


def test_the_same_text_gives_the_same_verdict_however_it_is_cut(documents: Documents) -> None:
    chars = [
        RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=size // 5).split_text(TEXT)
        for size in (40, 80, 200, 2000)
    ]
    cuts = [*chars, [TEXT[start:end] for start, end in sentences(TEXT)], TEXT.split("\n\n")]
    for sentence in (SENTENCE, "| 2031 | 1,377 |", "Isvik lies on the northern coast of Varnia."):
        assert [rank(documents, *cut, sentence=sentence) is not None for cut in cuts] == [True] * len(cuts)


@given(text=st.text(alphabet="abc ñß.\n", max_size=400), data=st.data())
def test_a_part_of_a_text_is_located_where_it_stands(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    part = text[start : data.draw(st.integers(start, len(text)))]
    spans = FoldedText(text).located(part)
    assert bool(spans) == bool(folded(part))
    whole = [folded(part) in folded(text[a:b]) for a, b in spans]  # a letter such as ß is two, and is never halved
    assert any(whole) == bool(spans)
    assert all(whole) or len(folded(part)) >= RUN


def test_a_document_of_one_sign_is_looked_through_in_a_moment() -> None:
    assert FoldedText("0" * 200_000).located("0 " * 20_000)


@pytest.mark.parametrize(
    "passage", [{}, {"document": "a.md"}, {"document": "a.md", "start": 5, "end": 5}, {"start": 1, "end": 2}, {"text": " "},
                {"document": "a.md", "start": -1, "end": 5}, None, True, 1.5, ["a"], ""],
)  # fmt: skip
def test_a_passage_that_names_nothing_is_refused(passage: Any) -> None:
    with pytest.raises(BadRequest, match="a passage is"):
        passage_of(passage)


def test_numbers_are_ids() -> None:
    assert passage_of(17) == passage_of({"id": 17}) == FoundPassage(id="17")
