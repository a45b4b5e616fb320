"""A run of RARE-Met on disk: run.json (what was run, what came of it) and questions.jsonl (a question a line).

A question's line is written in one piece when all its answers are there, so a run that was stopped goes on after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from kgservice.errors import BadRequest
from kgservice.evaluation.passages import Passages
from kgservice.evaluation.perturb import Variant
from kgservice.evaluation.robustness import Cell, Scores, Share
from kgservice.llm.ledger import Spending
from kgservice.model import Problem, Record


class Tested(Record):
    """A question with everything that was asked about it; `knows` is the probe g(q, ∅), `lacking` what could not be."""

    id: str
    pattern: str
    domain: str
    question: str
    answer: str
    knows: bool
    probe: str
    queries: tuple[Variant, ...]
    passages: tuple[Passages, ...]
    cells: tuple[Cell, ...]
    lacking: tuple[Problem, ...]


class Identity(Record):
    """What makes a run this one: versions, settings, seed, hashes of the prompts and of what is asked."""

    kgservice: str
    evaluation: str
    corpus: str
    generator: str
    retriever: str
    k: int
    embedding_model: str
    judge: str
    seed: int
    limit: int | None = None
    prompts: dict[str, str]
    data: str


class Summary(Record):
    """What a run comes to; `by_cell` is keyed by query, then by passages; counts are by reason."""

    questions: int
    skipped: dict[str, int]
    answers: int
    known_by_heart: int
    scores: Scores
    by_pattern: dict[str, Scores]
    by_domain: dict[str, Scores]
    by_cell: dict[str, dict[str, Share]]
    outcomes: dict[str, dict[str, int]]
    similarity: dict[str, float]
    lacking: dict[str, int]
    failed: dict[str, int]


class Run(Record):
    """The content of run.json; no summary until the run has ended. `seconds` are those of the last sitting."""

    identity: Identity
    summary: Summary | None = None
    seconds: float = 0.0
    llm: Spending | None = None


class RunFolder:
    """A folder for one run; opening one that holds another run is refused (BadRequest)."""

    def __init__(self, path: Path, identity: Identity) -> None:
        self.path, self.identity = path, identity
        self._lines = path / "questions.jsonl"
        if (path / "run.json").exists() and (differ := _differences(saved_run(path).identity, identity)):
            raise BadRequest(f"{path} holds another run ({differ}): name another folder with --report")
        self._put("run.json", Run(identity=identity).model_dump_json(indent=1, exclude_none=True))

    def tested(self) -> list[Tested]:
        """Return the questions that were done, in the order of the file; a line cut short is taken off it."""
        if not self._lines.exists():
            return []
        text = self._lines.read_text(encoding="utf-8")
        whole, newline, cut = text.rpartition("\n")
        if cut:
            self._put("questions.jsonl", whole + newline)
        return list(_read(self._lines, whole))

    def write(self, tested: Sequence[Tested]) -> None:
        """Add questions."""
        with self._lines.open("a", encoding="utf-8") as file:
            file.write("".join(one.model_dump_json() + "\n" for one in tested))

    def finish(self, run: Run, page: str) -> None:
        """Write the report, as JSON and as a page."""
        self._put("run.json", run.model_dump_json(indent=1, exclude_none=True))
        self._put("index.html", page)

    def _put(self, name: str, text: str) -> None:
        """Replace a file at once, so that nobody sees half of it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            beside = self.path / f"{name}.new"
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.path / name)
        except OSError as error:
            raise BadRequest(f"cannot write {self.path / name}: {error}") from error


def saved_run(path: Path) -> Run:
    """Return the run in a folder (BadRequest where it holds none)."""
    try:
        return Run.model_validate_json((path / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise BadRequest(f"{path} holds no run that `evaluate rare --report` wrote: {reason}") from error


def _read(path: Path, text: str) -> Iterator[Tested]:
    for number, line in enumerate(text.splitlines(), 1):
        try:
            yield Tested.model_validate_json(line)
        except ValidationError as error:
            raise BadRequest(f"{path}, line {number} is no question of a run: name another folder") from error


def _differences(old: Identity, new: Identity) -> str:
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in Identity.model_fields)
    return "; ".join(f"{name} {was!r}, not {now!r}" for name, was, now in pairs if was != now)
