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


def check_documents(passages: Iterable[FoundPassage], places: bytes, texts: set[int]) -> str:
    """Return what no passage may name: a text or a document that the release does not have; "" where all is well."""
    known = {row["document"]: row["document"] for row in map(json.loads, places.splitlines())}
    documents = Documents({}, known)
    for one in passages:
        if one.id and not (one.id.isdecimal() and int(one.id) in texts):
            return f"{one.id!r} is no text of this release"
        if one.document and not one.text and documents.source(one.document) is None:
            return f"{one.document!r} is no document of this release: {PLACES} names them"
    return ""


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
