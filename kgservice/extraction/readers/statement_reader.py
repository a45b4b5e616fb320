"""The statement reader: whether a statement outside of the schema is what its sentence says, by a small trained model.

It reads the sentence once for each such statement, told which words are its ends and which is its predicate
(training/statements.py). The weights are in `statements`; torch is not needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from kgservice.extraction.readers.sentence_encoder import Encoded, SentenceEncoder, encode, vocabulary
from kgservice.extraction.syntax.confidence import ASKED, BELIEF
from kgservice.extraction.syntax.fact_ends import PREDICATE, Met, StatementPlaces

FOLDER = Path(str(files("kgservice.extraction.readers") / "statements"))
OTHERS = 20  # names of the sentence that it is told of beside the statement's own
FARTHEST = 6.0  # log odds, on either side


class StatementReader:
    """Reads whether sentences say what was made of them; the weights are loaded when it is made."""

    def __init__(self, folder: Path) -> None:
        self._encoder = SentenceEncoder(folder)

    def log_odds(self, met: Met, places: StatementPlaces) -> float | None:
        """Return the log odds that a statement is usable, within FARTHEST; None where its ends are cut off."""
        seen = asked(met, places)
        if seen is None:
            return None
        encoded, pair = seen
        return min(max(float(self._encoder.scores(encoded, [pair])[0, 0]), -FARTHEST), FARTHEST)


def asked(met: Met, places: StatementPlaces) -> tuple[Encoded, tuple[int, int]] | None:
    """Return a sentence as the reader is given it, and the numbers of the statement's two ends there."""
    own = [(*places.subject, _kind(met, places.subject)), (*places.object, _kind(met, places.object))]
    if places.predicate is not None:
        own.append((*places.predicate, PREDICATE))
    ends = [(end.start - met.start, end.end - met.start, end.kind) for end in met.ends]
    others = [end for end in ends if all(end[1] <= start or end[0] >= stop for start, stop, _ in own)][:OTHERS]
    encoded = encode(vocabulary()[0], met.text, [*others, *own])
    first = len(others)
    if first not in encoded.ends or first + 1 not in encoded.ends:
        return None
    return encoded, (encoded.ends.index(first), encoded.ends.index(first + 1))


def _kind(met: Met, place: tuple[int, int]) -> str:
    """Return the kind of the end of a sentence at a place, "name" where there is none."""
    start, stop = place[0] + met.start, place[1] + met.start
    found = next((end for end in met.ends if end.start < stop and end.end > start), None)
    return found.kind if found is not None else "name"


def belief(reader: StatementReader, met: Sequence[Met], places: StatementPlaces) -> dict[str, float]:
    """Return what a statement's confidence is judged by: that the reader was asked, and the log odds that it gives."""
    at = next((one for one in met if one.start == places.start), None)
    odds = reader.log_odds(at, places) if at is not None else None
    return {} if odds is None else {ASKED: 1.0, BELIEF: odds}


@cache
def packaged() -> StatementReader:
    """The reader that comes with the package, loaded once a process."""
    return StatementReader(FOLDER)
