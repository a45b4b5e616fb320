"""The verdicts that a system is compared with, in a file for a repository: equal runs write equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.gate.verdict import CaseVerdict

FILE = Path("kgservice-gate.jsonl")


class BaselineHead(Record):
    """What the verdicts are of; the first line of the file."""

    kgservice_gate: int = 1
    corpus: str
    release: str = ""
    seed: int


class Baseline(Record):
    """Verdicts of a run; no answer, sentence or other gold of the questions is in it."""

    head: BaselineHead
    verdicts: tuple[CaseVerdict, ...]

    def pairs(self, verdicts: Sequence[CaseVerdict]) -> list[tuple[CaseVerdict, CaseVerdict]]:
        """Return (before, now) of the questions that were asked before.

        A question is known by its id; by its words, as a new answer makes a new id; else it stands for one that is gone
        and told of the same: "Who leads X?" may be "What does Ada lead?" when X has a new head.
        """
        by_id, by_words = ({getattr(one, name): one for one in self.verdicts} for name in ("id", "question"))
        found = {now.id: was for now in verdicts if (was := by_id.get(now.id) or by_words.get(now.question))}
        still = {one.id for one in found.values()}
        gone = {one.about: one for one in reversed(self.verdicts) if one.about and one.id not in still}
        for now in verdicts:
            if now.id not in found and now.about in gone:
                found[now.id] = gone.pop(now.about)
        return [(found[now.id], now) for now in verdicts if now.id in found]

    def gave(self, measure: str) -> bool:
        """Say whether the system gave something to judge by a measure."""
        return any(measure in one.outcomes for one in self.verdicts)


def write(path: Path, head: BaselineHead, verdicts: Sequence[CaseVerdict]) -> None:
    """Write a baseline (BadRequest where it cannot be written)."""
    lines = [head.model_dump_json(), *(one.model_dump_json() for one in sorted(verdicts, key=lambda one: one.id))]
    try:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write the baseline {path}: {error.strerror}") from error


def _named(head: BaselineHead) -> str:
    return f"release {head.release}" if head.release else f"corpus {head.corpus!r}"


def read(path: Path, head: BaselineHead) -> Baseline:
    """Read the baseline of a corpus or release (BadRequest where there is none, or it is of something else)."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
        known = BaselineHead.model_validate_json(first)
        found = Baseline(head=known, verdicts=tuple(map(CaseVerdict.model_validate_json, lines)))
    except FileNotFoundError as error:
        raise BadRequest(
            f"there is no baseline {path} yet: run the gate with --save once, and keep the file"
        ) from error
    except (OSError, ValueError, ValidationError) as error:
        raise BadRequest(f"{path} is no baseline of the gate: {str(error).splitlines()[0]}") from error
    if (known.corpus, known.release) != (head.corpus, head.release):
        raise BadRequest(f"{path} is of {_named(known)}, not of {_named(head)}: name another file with --baseline")
    return found
