"""What a load did: every document and every triplet counted in exactly one state."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pydantic import ConfigDict, Field

from kgservice.core.journal import Journal
from kgservice.core.records import Problem, Record, StatedDocument, Totals
from kgservice.extraction.phrasebook import MAPPED
from kgservice.llm.ledger import Spending

NAMED = 100  # documents that did not get in, by name in a report
MAIN = 3  # reasons that a report names with an example


class Ready(NamedTuple):
    """A document to write, what of it did not become a triplet, and what is noted of its text as a whole."""

    stated: StatedDocument
    problems: list[Problem]
    notes: list[Problem]
    words: int
    relations: Counter[str] = Counter()  # noqa: RUF012 - nobody changes it


class Counted(Record):
    """How many there were, each of which ended in one of the other counts."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    given: int = Field(alias="in")


class DocumentCounts(Counted):
    """Where the documents went: in = stored + unchanged + all rejected + all failed."""

    stored: int
    unchanged: int
    rejected: dict[str, int]
    failed: dict[str, int]


class TripletCounts(Counted):
    """Where the triplets of the stored documents went: in = kept + all rejected."""

    kept: int
    rejected: dict[str, int]


class WindowCounts(Counted):
    """Where the windows went, the parts of documents that a model reads at a time: in = read + all failed."""

    read: int
    failed: dict[str, int]


class LinkCounts(Counted):
    """Where the names went, each counted once a chunk: in = linked + all unlinked."""

    linked: int
    unlinked: dict[str, int]


class RelationCounts(Counted):
    """What became of the relations of statements that a schema was followed for: in = mapped + all open.

    `violations` counts by reason the corpus's groups that have several ends where the schema says one for ever.
    """

    mapped: int
    open: dict[str, int]
    violations: dict[str, int] = Field(default_factory=dict)


class Reason(Record):
    """Why statements were not taken for facts: how many, and the first of them with its document."""

    reason: str
    count: int
    source: str
    example: str


class Account(Record):
    """How much of the stored documents became facts; `empty` documents gave none.

    `notes` counts texts with something odd: another language than English, words without spaces between them.
    """

    words: int
    per_100_words: float
    empty: int
    reasons: tuple[Reason, ...]
    notes: dict[str, int]


class FolderCounts(Counted):
    """The corpus's documents below the loaded folders: in = on_disk + the number of gone.

    `gone` names the documents whose file is not there any more.
    """

    on_disk: int
    gone: tuple[str, ...]


class Leftovers(Record):
    """What a load of files leaves in the corpus as it is; `folders` is None if no folder was loaded.

    `same_text` counts documents of the load whose text another document has. Of several in one load the first is not
    counted. `same_text_example` has the names of one of them and of a document with its text, or is empty.
    """

    folders: FolderCounts | None
    same_text: int
    same_text_example: tuple[str, ...]


class LoadReport(Record):
    """What a load did; chunks are those of the stored documents, facts and entities the corpus's totals after it.

    `windows` and `llm`, what was spent, only where a language model read the documents; `leftovers` only of
    files; `left_out` names the first 100 documents that did not get in, those that failed before the others.
    """

    documents: DocumentCounts
    chunks: int
    triplets: TripletCounts
    facts: int
    entities: int
    seconds: float
    reading: Account | None = None
    windows: WindowCounts | None = None
    llm: Spending | None = None
    links: LinkCounts | None = None
    relations: RelationCounts | None = None
    leftovers: Leftovers | None = Field(None, exclude_if=lambda found: found is None)
    left_out: tuple[Problem, ...] = Field((), exclude_if=lambda found: not found)

    def failed(self) -> bool:
        """Return whether a document or a window of one could not be read."""
        return bool(self.documents.failed or (self.windows and self.windows.failed))


class LoadCounts:
    """Counts as a load goes on; becomes the LoadReport."""

    def __init__(self, journal: Journal) -> None:
        self.states: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.triplets: Counter[str] = Counter()
        self.rejected_triplets: Counter[str] = Counter()
        self.windows = 0
        self.failed_windows: Counter[str] = Counter()
        self.chunks = 0
        self.words = self.empty = 0
        self.notes: Counter[str] = Counter()
        self.relations: Counter[str] = Counter()
        self._examples: dict[str, Problem] = {}
        self._journal = journal
        self._started = time.monotonic()

    def add(self, other: LoadCounts) -> None:
        """Add the counts of other documents of the load; what their journal keeps is for the caller to write."""
        for name, counts in vars(other).items():
            if isinstance(counts, Counter):
                getattr(self, name).update(counts)
        self.windows += other.windows
        self.chunks += other.chunks
        self.words += other.words
        self.empty += other.empty
        self._examples = other._examples | self._examples

    def problem(self, problem: Problem) -> None:
        """Count a document that did not get in."""
        self.states["in"] += 1
        (self.rejected if problem.state == "rejected" else self.failed)[problem.reason] += 1
        self._journal.problem(problem)

    def stored(self, written: list[Ready]) -> None:
        """Count written documents, their chunks and their triplets."""
        for one in written:
            self.states.update(("in", "stored"))
            self.chunks += len(one.stated.chunks)
            kept = sum(len(item.statements) for item in one.stated.chunks)
            self.triplets.update({"in": kept + len(one.problems), "kept": kept})
            self.words += one.words
            self.empty += not kept
            self.relations.update(one.relations)
            for problem in one.problems:
                self.rejected_triplets[problem.reason] += 1
                if problem.detail:
                    self._examples.setdefault(problem.reason, problem)
                self._journal.problem(problem, item="triplet")
            for note in one.notes:
                self.notes[note.reason] += 1
                self._journal.problem(note, item="text")

    def read(self, windows: int, failed: Sequence[Problem]) -> None:
        """Count the windows in which a model read a document, and those that it failed at."""
        self.windows += windows
        for problem in failed:
            self.failed_windows[problem.reason] += 1
            self._journal.problem(problem, item="window")

    def report(
        self,
        totals: Totals,
        spending: Spending | None = None,
        links: Mapping[str, int] | None = None,
        violations: Mapping[str, int] = MappingProxyType({}),
    ) -> LoadReport:
        """Return the counts with the corpus's totals and violations, what a model cost and what became of names."""
        return LoadReport(
            documents=DocumentCounts(
                given=self.states["in"],
                stored=self.states["stored"],
                unchanged=self.states["unchanged"],
                rejected=dict(sorted(self.rejected.items())),
                failed=dict(sorted(self.failed.items())),
            ),
            chunks=self.chunks,
            triplets=TripletCounts(
                given=self.triplets["in"],
                kept=self.triplets["kept"],
                rejected=dict(sorted(self.rejected_triplets.items())),
            ),
            facts=totals.facts,
            entities=totals.entities,
            seconds=round(time.monotonic() - self._started, 2),
            reading=self._reading(),
            windows=self._windows() if spending else None,
            llm=spending,
            links=_links(links) if links is not None else None,
            relations=_relations(self.relations, violations) if self.relations else None,
        )

    def _reading(self) -> Account:
        main = sorted(self.rejected_triplets.items(), key=lambda item: (-item[1], item[0]))[:MAIN]
        first = {reason: self._examples.get(reason) for reason, _ in main}
        reasons = (
            Reason(reason=reason, count=count, source=one.source if one else "", example=one.detail if one else "")
            for (reason, count), one in zip(main, first.values(), strict=True)
        )
        rate = 100 * self.triplets["kept"] / self.words if self.words else 0.0
        notes = dict(sorted(self.notes.items()))
        figures = {"words": self.words, "per_100_words": round(rate, 2), "empty": self.empty}
        return Account(reasons=tuple(reasons), notes=notes, **figures)

    def _windows(self) -> WindowCounts:
        failed = dict(sorted(self.failed_windows.items()))
        return WindowCounts(given=self.windows, read=self.windows - sum(failed.values()), failed=failed)


def _relations(counts: Mapping[str, int], violations: Mapping[str, int]) -> RelationCounts:
    left = {reason: count for reason, count in sorted(counts.items()) if reason != MAPPED}
    return RelationCounts(
        given=sum(counts.values()), mapped=counts.get(MAPPED, 0), open=left, violations=dict(violations)
    )


def _links(counts: Mapping[str, int]) -> LinkCounts:
    unlinked = {state: count for state, count in sorted(counts.items()) if state != "linked"}
    return LinkCounts(given=sum(counts.values()), linked=counts.get("linked", 0), unlinked=unlinked)
