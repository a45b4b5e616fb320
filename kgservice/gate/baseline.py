"""The verdicts that a system is compared with, in a file for a repository: equal runs write equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from kgservice.errors import BadRequest
from kgservice.gate.verdicts import Verdict
from kgservice.model import Record

FILE = Path("kgservice-gate.jsonl")


class Head(Record):
    """What the verdicts are of; the first line of the file."""

    kgservice_gate: int = 1
    corpus: str
    release: str = ""
    seed: int


class Baseline(Record):
    """Verdicts of a run; no answer, sentence or other gold of the questions is in it."""

    head: Head
    verdicts: tuple[Verdict, ...]

    def of(self, key: str, question: str) -> Verdict | None:
        """Return the verdict of a question: by its id, else by its words, as a new answer makes a new id."""
        return self._by_id.get(key) or self._by_words.get(question)

    @cached_property
    def _by_id(self) -> dict[str, Verdict]:
        return {one.id: one for one in self.verdicts}

    @cached_property
    def _by_words(self) -> dict[str, Verdict]:
        return {one.question: one for one in self.verdicts}

    def gave(self, measure: str) -> bool:
        """Say whether the system gave something to judge by a measure."""
        return any(measure in one.outcomes for one in self.verdicts)


def write(path: Path, head: Head, verdicts: Sequence[Verdict]) -> None:
    """Write a baseline (BadRequest where it cannot be written)."""
    lines = [head.model_dump_json(), *(one.model_dump_json() for one in sorted(verdicts, key=lambda one: one.id))]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write the baseline {path}: {error.strerror}") from error


def read(path: Path, head: Head) -> Baseline:
    """Read the baseline of a corpus or release (BadRequest where there is none, or it is of something else)."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        known = Head.model_validate_json(first)
        found = Baseline(head=known, verdicts=tuple(map(Verdict.model_validate_json, lines)))
    except FileNotFoundError as error:
        raise BadRequest(
            f"there is no baseline {path} yet: run the gate with --save once, and keep the file"
        ) from error
    except (OSError, ValueError, ValidationError) as error:
        raise BadRequest(f"{path} is no baseline of the gate: {str(error).splitlines()[0]}") from error
    if (known.corpus, known.release) != (head.corpus, head.release):
        raise BadRequest(
            f"{path} is of {known.release or known.corpus!r}, not of {head.release or head.corpus!r}: "
            "name another file with --baseline"
        )
    return found
