"""The gold of questions as places in documents, and the documents' texts, in which found passages are looked up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kgservice.core.records import Record
from kgservice.gold.folded_text import FoldedText, Span
from kgservice.gold.found_passage import FoundPassage


class Place(Record):
    """Where a sentence stands: characters `start` to `end` of the document that its loader called `document`.

    `id` is our id of the chunk or text that holds it.
    """

    document: str
    start: int
    end: int
    sentence: str
    id: str = ""


class Gold(Record):
    """The evidence of a question: of each of its facts all places that state it."""

    facts: tuple[tuple[Place, ...], ...]


class Piece(NamedTuple):
    """A stored part of a document: our id of it, where it starts, what it says."""

    id: str
    start: int
    text: str


class Documents:
    """Texts of the documents that hold gold, by `source`; `names` leads from any name of a document to its source.

    `titles` are those of the documents, by source: many systems put them before each chunk.
    `names` has the documents without gold too, so that a passage of one of them is known to be of no use.
    """

    def __init__(
        self,
        pieces: Mapping[str, Sequence[Piece]],
        names: Mapping[str, str],
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self._pieces, self._names, self._titles = pieces, names, titles or {}
        self._folded: dict[str, FoldedText] = {}

    def spans(self, passage: FoundPassage, source: str) -> list[Span]:
        """Return what of a document a passage holds."""
        named = self.source(passage.document) if passage.document else None
        if named not in (None, source):
            return []
        if passage.text.strip():
            return self._text(source).located(passage.text, self._titles.get(source, ""))
        if passage.id:
            return [self._ids[passage.id][1]] if self._ids.get(passage.id, ("",))[0] == source else []
        if named == source and passage.start is not None and passage.end is not None:
            return [(passage.start, passage.end)]
        return []

    def source(self, name: str) -> str | None:
        """Return which document a name means, None where it means none or several.

        That is its source or key, else the one document whose path ends in the name, or the name in its path.
        """
        if name in self._names:
            return self._names[name]
        parts = name.replace("\\", "/").split("/")
        alike = [known for known in self._ends.get(parts[-1], ()) if _ends_alike(known.split("/"), parts)]
        return self._names[alike[0]] if len(alike) == 1 else None

    def sentence(self, source: str, span: Span) -> str:
        """Return what a document says at a place."""
        return self._whole(source)[span[0] : span[1]]

    def has(self, source: str) -> bool:
        """Say whether the text of a document is here."""
        return source in self._pieces

    def _text(self, source: str) -> FoldedText:
        if source not in self._folded:
            self._folded[source] = FoldedText(self._whole(source))
        return self._folded[source]

    def _whole(self, source: str) -> str:
        """Return the document's text; blanks where no piece holds it."""
        signs: list[str] = []
        for piece in sorted(self._pieces[source], key=lambda piece: piece.start):
            signs += " " * (piece.start - len(signs))
            signs[piece.start : piece.start + len(piece.text)] = piece.text
        return "".join(signs)

    @cached_property
    def _ids(self) -> dict[str, tuple[str, Span]]:
        return {
            piece.id: (source, (piece.start, piece.start + len(piece.text)))
            for source, pieces in self._pieces.items()
            for piece in pieces
        }

    @cached_property
    def _ends(self) -> dict[str, list[str]]:
        found = defaultdict[str, list[str]](list)
        for name in dict.fromkeys(self._names.values()):
            found[name.split("/")[-1]].append(name)
        return found


def _ends_alike(one: Sequence[str], two: Sequence[str]) -> bool:
    shared = min(len(one), len(two))
    return one[-shared:] == two[-shared:]
