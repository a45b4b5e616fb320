"""Results that name passages by place or by text, brought to the public ids by which a release is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from kgservice.core.records import Question, Record
from kgservice.gold.coverage import places_found
from kgservice.gold.found_passage import FoundPassage
from kgservice.gold.gold_places import Documents, Piece, Place
from kgservice.gold.question_gold import place_of
from kgservice.metrics.result_scores import Result
from kgservice.releases.release_files import ReleaseFile, TextRow

PLACES, GOLD = "public_places.jsonl", "gold.jsonl"
TIMES = 3  # as long as the longest text of the release a submitted passage may be
NO_TEXT = 2**53 - 1  # down from here: ids that no text has, for passages without evidence


def place_files(
    questions: Mapping[int, Question], public: Mapping[str, int], texts: Sequence[TextRow], folder: str = "private/"
) -> Iterator[ReleaseFile]:
    """Yield where the texts stand in their documents, public, and where the evidence of each question does."""
    pieces = {text.chunk: (text.source, Piece(str(public[text.chunk]), text.start, text.text)) for text in texts}
    rows = (
        {
            "public_id": public[text.chunk],
            "document": text.source,
            "start": text.start,
            "end": text.start + len(text.text),
        }
        for text in texts
    )
    yield ReleaseFile(PLACES, map(_line, rows))
    gold = ({"public_id": number, "facts": _gold(one, pieces)} for number, one in questions.items())
    yield ReleaseFile(f"{folder}{GOLD}", map(_line, gold), private=bool(folder))


class ReleaseEvidence(Record):
    """Where the texts of a release stand in their documents, and the facts of its questions, each with its places."""

    pieces: dict[str, tuple[Piece, ...]]
    titles: dict[str, str]
    facts: dict[int, tuple[tuple[Place, ...], ...]]

    def documents(self) -> Documents:
        """Return the texts of the release as documents."""
        return Documents(self.pieces, {source: source for source in self.pieces}, self.titles)

    def by_public_ids(self, results: Mapping[int, Result]) -> dict[int, Result]:
        """Return results by public ids alone: a passage becomes the gold text of which it completes half a sentence.

        Any other passage keeps its rank, as an id that no text has.
        """
        documents = self.documents()
        return {key: _with_ids(result, self.facts.get(key, ()), documents) for key, result in results.items()}


def evidence(file: Callable[[str], bytes], part: str = "", private: str = "private/") -> ReleaseEvidence:
    """Read the evidence of a release, or of its sandbox (`part`), from its files (NotFound: it was made before)."""
    places, texts, gold = (
        [json.loads(row) for row in file(name).splitlines()]
        for name in (f"{part}{PLACES}", f"{part}public_texts.jsonl", f"{part}{private}{GOLD}")
    )
    said = {row["public_id"]: row for row in texts}
    pieces: dict[str, list[Piece]] = {}
    for row in places:
        piece = Piece(str(row["public_id"]), row["start"], said[row["public_id"]]["text"])
        pieces.setdefault(row["document"], []).append(piece)
    wanted = {row["public_id"]: tuple(tuple(Place(**one) for one in fact) for fact in row["facts"]) for row in gold}
    titles = {row["document"]: said[row["public_id"]]["title"] for row in places}
    parts = {source: tuple(found) for source, found in pieces.items()}
    return ReleaseEvidence(pieces=parts, titles=titles, facts=wanted)


class SubmittedPassages:
    """The check of submitted passages against a release: the content of PLACES, and the public ids of its texts."""

    def __init__(self, places: bytes, texts: set[int]) -> None:
        rows = [json.loads(row) for row in places.splitlines()]
        self._texts = texts
        self._ends: dict[str, int] = {}
        for row in rows:
            self._ends[row["document"]] = max(row["end"], self._ends.get(row["document"], 0))
        self._documents = Documents({}, {name: name for name in self._ends})
        self._longest = TIMES * max((row["end"] - row["start"] for row in rows), default=0)

    def fault(self, passages: Iterable[FoundPassage]) -> str:
        """Return why a passage is not accepted, "" if all are.

        It names a text or a document that the release does not have, or is too long.
        """
        for one in passages:
            if one.id and not (one.id.isdecimal() and int(one.id) in self._texts):
                return f"{one.id!r} is no text of this release"
            source = self._documents.source(one.document) if one.document else None
            if one.document and not one.text and source is None:
                return f"{one.document!r} is no document of this release: {PLACES} names them"
            if (length := self._length(one, source)) > self._longest:
                return (
                    f"a passage of {length:,} characters is too long: {self._longest:,} at most, "
                    f"{TIMES} times the longest text of this release"
                )
        return ""

    def _length(self, one: FoundPassage, source: str | None) -> int:
        """Return the characters of a passage, without what lies beyond the end of its document."""
        if one.text.strip():
            return len(" ".join(one.text.split()))
        if source is None or one.start is None or one.end is None:
            return 0
        return min(one.end, self._ends[source]) - one.start


def _with_ids(result: Result, facts: Sequence[Sequence[Place]], documents: Documents) -> Result:
    if not result.passages:
        return result
    passages = [*(FoundPassage(id=str(number)) for number in result.found_ids), *result.passages]
    first = dict[int, int]()
    gold = [place for fact in facts for place in fact]
    for place, rank in places_found(gold, passages, documents).items():
        first.setdefault(rank, int(place.id))
    ids = tuple(first.get(rank, NO_TEXT - rank) for rank in range(1, len(passages) + 1))
    return Result(found_ids=ids[:100], model_answer=result.model_answer)


def _gold(one: Question, pieces: Mapping[str, tuple[str, Piece]]) -> list[list[dict[str, Any]]]:
    return [
        [
            place_of(*pieces[source.chunk], source.sentence).model_dump()
            for source in fact.statements if source.chunk in pieces
        ]
        for fact in one.facts
    ]  # fmt: skip


def _line(row: object) -> str:
    return json.dumps(row, ensure_ascii=False)
