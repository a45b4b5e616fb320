"""The statement reader: whether a statement is what its sentence says, by a small trained model.

It reads the sentence once for each statement of rules that the schema has no relation for, told which words are its
ends and which is its predicate (training/statements.py). The weights are in `statements`, those for reports in
`report_statements`; torch is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from kgservice.extraction.readers.sentence_encoder import Encoded, SentenceEncoder, encode, vocabulary
from kgservice.extraction.syntax.confidence import BELIEF, REPORT_BELIEF
from kgservice.extraction.syntax.fact_ends import PREDICATE, Met, StatementPlaces

FOLDER = Path(str(files("kgservice.extraction.readers") / "statements"))
OF_REPORTS = FOLDER.with_name("report_statements")
OTHERS = 20  # names of the sentence that it is told of beside the statement's own
FARTHEST = 6.0  # log odds, on either side


class StatementReader:
    """Reads whether sentences say what was made of them; the weights are loaded when it is made."""

    def __init__(self, folder: Path) -> None:
        self._encoder = SentenceEncoder(folder)

    def log_odds(self, given: Asked) -> float:
        """Return the log odds that a statement is usable, within FARTHEST."""
        return min(max(float(self._encoder.scores(given.encoded, [given.pair])[0, 0]), -FARTHEST), FARTHEST)


class Asked(NamedTuple):
    """A sentence as numbers, and which two of its ends a statement joins."""

    encoded: Encoded
    pair: tuple[int, int]


def reader_input(met: Sequence[Met], places: StatementPlaces) -> Asked | None:
    """Return what the reader is given of a rule's statement.

    None where the sentence is not among those met, or is too long and an end is cut off.
    """
    sentence = next((one for one in met if one.start == places.start), None)
    if sentence is None:
        return None
    own = [(*places.subject, _kind(sentence, places.subject)), (*places.object, _kind(sentence, places.object))]
    if places.predicate is not None:
        own.append((*places.predicate, PREDICATE))
    ends = [(end.start - sentence.start, end.end - sentence.start, end.kind) for end in sentence.ends]
    others = [end for end in ends if all(end[1] <= start or end[0] >= stop for start, stop, _ in own)]
    first = len(others[:OTHERS])
    encoded = encode(vocabulary()[0], sentence.text, [*others[:OTHERS], *own])
    if first not in encoded.ends or first + 1 not in encoded.ends:
        return None
    return Asked(encoded, (encoded.ends.index(first), encoded.ends.index(first + 1)))


def _kind(met: Met, place: tuple[int, int]) -> str:
    """Return the kind of the end of a sentence at a place, "name" where there is none."""
    start, stop = place[0] + met.start, place[1] + met.start
    found = next((end for end in met.ends if end.start < stop and end.end > start), None)
    return found.kind if found is not None else "name"


def belief(given: Asked | None, *, report: bool = False) -> dict[str, float]:
    """Return the log odds that the packaged reader gives a rule's statement, as a feature; {} if it cannot be asked.

    `report` is whether its text is a company's report, for which another reader is packaged.
    """
    if given is None:
        return {}
    return {belief_of(report=report): packaged(report=report).log_odds(given)}


def belief_of(*, report: bool) -> str:
    """Return the name of the feature that has a statement reader's log odds."""
    return REPORT_BELIEF if report else BELIEF


@cache
def packaged(*, report: bool = False) -> StatementReader:
    """Return the reader that comes with the package, of a company's report or of other texts, loaded once a process."""
    return StatementReader(OF_REPORTS if report else FOLDER)
