"""Batches bound what a load holds; admission lets each document through once."""

from __future__ import annotations

import gc
import unicodedata
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from typing import Literal

import pytest

from kgservice.core import keys
from kgservice.core.records import Document, Problem, StatedDocument, Term, Triplet, Version
from kgservice.graph.rows import Rows, rows_of
from kgservice.ingest.admission import BATCH_DOCUMENTS, BATCH_WEIGHT
from kgservice.ingest.composition import composed
from kgservice.ingest.garbage import SELDOM, collecting_seldom
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, content_hash_of, write_all


class Journal:
    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def problem(self, problem: Problem, *, item: str = "document") -> None:
        self.problems.append(problem)


class Memory:
    """A writer that remembers the sizes of its batches."""

    def __init__(self, known: dict[str, Version] | None = None) -> None:
        self.known = known or {}
        self.batches: list[list[str]] = []
        self.stated: list[StatedDocument] = []

    def versions(self, corpus: str, sources: Sequence[str]) -> dict[str, Version]:
        return self.known

    def prepare_rows(self, corpus: str, batch: Sequence[StatedDocument]) -> Rows:
        return rows_of(corpus, batch, {})

    def write(self, rows: Rows) -> None:
        self.batches.append([stated.document.source for stated in rows.batch])
        self.stated += rows.batch


def run(writer: Memory, documents: Sequence[Document | Problem]) -> LoadCounts:
    tally = LoadCounts(Journal())  # type: ignore[arg-type]
    write_all(writer, documents, "c", Recipe(extract="none"), tally, lambda *_: None)
    return tally


def text(source: str, size: int = 20) -> Document:
    return Document(source=source, text="word " * (size // 5))


def garcia(form: Literal["NFC", "NFD"]) -> Document:
    name, other = (unicodedata.normalize(form, said) for said in ("José García", "Müller"))
    fact = Triplet(
        subject=Term(label=name), relation="leads", object=Term(label=other), sentence=f"{name} leads {other}."
    )
    facts, metadata = (fact,), {"company": other, "year": 2031}
    return Document(source="d", title=name, text=fact.sentence, metadata=metadata, triplets=facts, stated=facts)


def test_letters_and_their_marks_are_one_and_what_is_so_already_keeps_its_hash() -> None:
    writers = [Memory(), Memory()]
    for writer, form in zip(writers, ("NFC", "NFD"), strict=True):
        assert run(writer, [garcia(form)]).triplets["kept"] == 2
    one, other = (writer.stated for writer in writers)
    assert one == other
    assert [mention.entity.label for mention in one[0].chunks[0].mentions] == ["José García", "Müller"]
    plain = garcia("NFC")
    assert composed(plain) is plain


@pytest.mark.parametrize("said", ["", 'a "b" \\ /\x00\x1f\x7f\b\f\n\r\t', "é \u2028 😀 \ue000", "\ud800"])
@pytest.mark.parametrize("value", [None, 1e16, 1e-5, 0.5, "2031"])
def test_the_content_hash_of_a_document_is_that_of_its_values(said: str, value: float | str | None) -> None:
    end = Term.model_construct(label=said, kind=None, value=value, unit=None, type=said)
    fact = Triplet(subject=Term(label="A"), relation="r", object=end, confidence=0.5, doubted="x", period=said)
    given: dict[str, tuple[Triplet, ...] | None]
    for given in ({"triplets": (fact,)}, {"stated": (fact,)}, {"triplets": None}, {"triplets": ()}):
        for metadata in ({}, {"a": 10**15, "b": True, "c": said}, {"d": 1e22}):
            one = Document(source="d", text=said, published=date(2031, 1, 1), metadata=metadata, **given)
            assert content_hash_of(one, said) == keys.digest(20, one.model_dump(mode="json"), said)


def test_batches_are_bounded_by_number_and_by_weight() -> None:
    writer = Memory()
    run(writer, [text(f"d{n}") for n in range(BATCH_DOCUMENTS + 1)])
    assert [len(batch) for batch in writer.batches] == [BATCH_DOCUMENTS, 1]
    writer = Memory()
    run(writer, [text("a", BATCH_WEIGHT // 2), text("b", BATCH_WEIGHT), text("c"), text("d")])
    assert writer.batches == [["a"], ["b"], ["c", "d"]]


def test_no_batch_is_written_for_what_is_unchanged_or_older() -> None:
    stored = Memory()
    run(stored, [text("a")])
    older = Document(source="a", text="x", published=date(2030, 1, 1))
    writer = Memory({"a": Version(content_hash="other", published=date(2031, 1, 1))})
    tally = run(writer, [older])
    assert tally.rejected == {"older version": 1}
    assert writer.batches == []
    halved = Memory({"a": Version(content_hash="", published=date(2031, 1, 1))})  # its removal was interrupted
    assert run(halved, [older]).rejected == {}
    assert halved.batches == [["a"]]


def test_a_document_that_cannot_be_read_is_its_own_failure(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from kgservice.ingest import pipeline

    def broken(document: Document, how: str) -> list[object]:
        if document.source == "bad":
            raise ValueError("odd")
        return []

    monkeypatch.setattr(pipeline, "chunks", broken)
    writer = Memory()
    tally = run(writer, [text("a"), text("bad"), text("b")])
    assert tally.failed == {"could not be read": 1}
    assert writer.batches == [["a", "b"]]


def test_garbage_is_looked_for_seldom_while_documents_are_read_and_as_before_afterwards() -> None:
    before, thresholds = gc.get_threshold(), list[tuple[int, int, int]]()

    class Looking(Memory):
        def prepare_rows(self, corpus: str, batch: Sequence[StatedDocument]) -> Rows:
            thresholds.append(gc.get_threshold())
            raise RuntimeError("as a database that is away")

    with pytest.raises(RuntimeError, match="away"):
        run(Looking(), [text("a")])
    assert thresholds[0][0] > before[0]
    assert gc.get_threshold() == before


def test_garbage_is_looked_for_as_before_after_the_last_of_two_loads() -> None:
    before, first, second = gc.get_threshold(), ExitStack(), ExitStack()
    first.enter_context(collecting_seldom())
    second.enter_context(collecting_seldom())
    first.close()
    assert gc.get_threshold()[0] == SELDOM
    second.close()
    assert gc.get_threshold() == before


def test_records_that_are_made_without_validation_are_those_that_validation_makes() -> None:
    ends = ("Ada", "4 March 2031", "12 million USD", "-0", "0", "Röntgen (2031)")
    terms = [Term(label=label) for label in ends] + [Term(label="Ada", type="person", unit="kg")]
    given = tuple(Triplet(subject=one, relation="open:near", object=other) for one in terms for other in terms)
    zeros = [Term(label="none", kind="number", value=value) for value in (0.0, -0.0)]
    about = [(Triplet(subject=Term(label="Ada"), relation="has", object=zero),) for zero in zeros]
    memory = Memory()
    run(memory, [Document(source=f"{at}", text="Ada.", triplets=own) for at, own in enumerate((given, *about))])
    for stated in memory.stated:
        assert StatedDocument.model_validate(stated.model_dump() | {"document": stated.document}) == stated
    found = [one.object.id for stated in memory.stated for item in stated.chunks for one in item.statements]
    assert {"local:0", "local:Ada|entity|None|kg"} <= set(found)
    assert found[-2:] == ["local:none|number|0.0|None", "local:none|number|-0.0|None"]
