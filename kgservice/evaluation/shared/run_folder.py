"""A run of an evaluation on disk: run.json (settings and summary) and questions.jsonl (a line a question).

A question's line is written in one piece with all its answers, so an interrupted run resumes after it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from importlib.metadata import distributions, version
from itertools import islice
from pathlib import Path
from platform import python_version
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict, Field, ValidationError, field_validator

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record, Scalar
from kgservice.core.tracing import Attribute, stage
from kgservice.evaluation.shared.sample import HasId
from kgservice.llm.budget import REACHED
from kgservice.llm.ledger import Spending

LINES = "questions.jsonl"
LIBRARIES = ("neo4j", "onnxruntime", "openai", "rouge-score", "scipy", "spacy")
EXTRAS = ("sentence-transformers",)  # if installed

Advance = Callable[[int], None]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that change figures."""
    extras = [name for name in EXTRAS if any(distributions(name=name))]
    return {"python": python_version(), **{name: version(name) for name in (*LIBRARIES, *extras)}}


class Identity(Record):
    """The identity of a run: versions, settings, seed, hashes of the prompts and of the questions.

    `options` are the settings of one evaluation alone, by name.
    """

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
    options: dict[str, Scalar] = Field(default_factory=dict)


Found = TypeVar("Found", bound=Record)


class Run(Record, Generic[Found]):
    """The content of run.json, with the evaluation's summary once it has ended.

    `seconds` is the time of the last session, `llm` the spending of all sessions.
    """

    identity: Identity
    versions: dict[str, str] = Field(default_factory=versions)
    seconds: float = 0.0
    llm: Spending | None = None
    summary: Found | None = None

    @property
    def ended(self) -> Found:
        """Return the summary. Raises ValueError if the run has not ended."""
        if self.summary is None:
            raise ValueError("a run has no summary before it has ended")
        return self.summary


class _Opened(Record):
    """The identity in a run.json. Other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    identity: Identity


class _Paid(_Opened):
    """The identity in a run.json, with the spending of its sessions."""

    llm: Spending | None = None

    @field_validator("llm", mode="before")
    @classmethod
    def _without_price(cls, llm: Any) -> Any:
        """Return the spending with a cost of None where run.json has none: the model has no price."""
        stages = llm.get("stages", {}) if isinstance(llm, dict) else {}
        return llm | {"stages": {name: {"usd": None} | one for name, one in stages.items()}} if stages else llm


class RunLine(Record):
    """The line of a question. Each evaluation has its own class."""

    id: str

    def failures(self) -> tuple[str, ...]:
        """Return why answers or verdicts failed, a reason each."""
        return ()


Written = TypeVar("Written", bound=RunLine)
Asked = TypeVar("Asked", bound=HasId)
Saved = TypeVar("Saved", bound=Record)


class RunFolder(Generic[Written]):
    """The folder of one run, with lines of the class `line`. Raises BadRequest if the folder holds another run.

    `retry_failed`: ask again every question of which something failed. One that the budget stopped is always asked
    again.
    """

    def __init__(self, path: Path, identity: Identity, line: type[Written], *, retry_failed: bool = False) -> None:
        self.path, self.identity, self._line, self._retry_failed = path, identity, line, retry_failed
        self._lines = path / LINES
        self._spent: Spending | None = None
        if (path / "run.json").exists():
            if differ := _differences(identity_of(path), identity):
                raise BadRequest(f"{path} holds another run ({differ}): name another folder with --report")
            self._spent = saved_run(path, _Paid).llm
        self._open()

    def done(self) -> list[Written]:
        """Return the finished questions in the order of the file. A truncated last line is removed from it."""
        if not self._lines.exists():
            return []
        text = self._lines.read_text(encoding="utf-8")
        whole, newline, cut = text.rpartition("\n")
        if cut:
            self._put(LINES, whole + newline)
        return list(_read(self._lines, whole, self._line))

    async def go_on(
        self,
        asked: Sequence[Asked],
        test: Callable[[list[Asked]], Awaitable[Sequence[Written]]],
        batch: int,
        advance: Advance = lambda _: None,
    ) -> None:
        """Test the items that the folder lacks in batches, and write each batch when it is done.

        Lines to ask again are removed first. At the end the lines are in the order of the items.
        """
        kept = self._without_failed()
        done = {line.id for line in kept}
        advance(sum(item.id in done for item in asked))
        left = iter([item for item in asked if item.id not in done])
        while batched := list(islice(left, batch)):
            self.write(await test(batched))
            advance(len(batched))
        self._put_in_order([item.id for item in asked])

    def write(self, lines: Sequence[Written]) -> None:
        """Append questions."""
        with self._lines.open("a", encoding="utf-8") as file:
            file.write(_rows(lines))

    def spent(self, session: Spending | None) -> Spending | None:
        """Write what this session has spent beside earlier ones, also of a run that has not ended. Return the sums."""
        self._spent = session.after(self._spent) if session else self._spent
        self._open()
        return self._spent

    def finish(self, run: Run[Any], page: str) -> None:
        """Write the report as JSON and as a page. Each number of the summary is an event of a span."""
        with stage("evaluate", {"kgservice.evaluation": run.identity.evaluation}) as span:
            for name, value in _numbers(run.summary.model_dump(mode="json") if run.summary else {}):
                score: dict[str, Attribute] = {
                    "gen_ai.evaluation.name": name,
                    "gen_ai.evaluation.score.value": float(value),
                }
                span.add_event("gen_ai.evaluation.result", score)
        self._put("run.json", run.model_dump_json(indent=1, exclude_none=True))
        self._put("index.html", page)

    def _open(self) -> None:
        opened = Run[Record](identity=self.identity, llm=self._spent)
        self._put("run.json", opened.model_dump_json(indent=1, exclude_none=True))

    def _without_failed(self) -> list[Written]:
        """Return the finished questions, after removing those to ask again from the file."""
        done = self.done()
        kept = [line for line in done if not self._asks_again(line)]
        if len(kept) < len(done):
            self._put(LINES, _rows(kept))
        return kept

    def _asks_again(self, line: Written) -> bool:
        reasons = line.failures()
        return bool(reasons) and (self._retry_failed or any(REACHED in reason for reason in reasons))

    def _put_in_order(self, ids: Sequence[str]) -> None:
        """Bring the lines of questions that were asked again to where they were."""
        places = {key: at for at, key in enumerate(ids)}
        done = self.done()
        ordered = sorted(done, key=lambda line: places.get(line.id, len(places)))
        if ordered != done:
            self._put(LINES, _rows(ordered))

    def _put(self, name: str, text: str) -> None:
        """Replace a file atomically."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            beside = self.path / f"{name}.new"
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.path / name)
        except OSError as error:
            raise BadRequest(f"cannot write {self.path / name}: {error}") from error


def identity_of(path: Path) -> Identity:
    """Return the identity of the run in a folder. Raises BadRequest if it holds none."""
    return saved_run(path, _Opened).identity


def saved_run(path: Path, kind: type[Saved]) -> Saved:
    """Return the run in a folder. Raises BadRequest if it holds none of this kind."""
    try:
        return kind.model_validate_json((path / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise BadRequest(f"{path} holds no such run that `evaluate … --report` wrote: {reason}") from error


def lines_of(path: Path, line: type[Written]) -> list[Written]:
    """Return the questions of the run in a folder. Raises BadRequest if they are of another kind or the last is cut."""
    try:
        text = (path / LINES).read_text(encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot read {path / LINES}: {error.strerror}") from error
    if text and not text.endswith("\n"):
        raise BadRequest(f"the last line of {path / LINES} is cut: run it again to its end first")
    return list(_read(path / LINES, text, line))


def _rows(lines: Iterable[RunLine]) -> str:
    return "".join(line.model_dump_json() + "\n" for line in lines)


def _read(path: Path, text: str, line: type[Written]) -> Iterator[Written]:
    for number, row in enumerate(text.split("\n"), 1):
        try:
            if row:
                yield line.model_validate_json(row)
        except ValidationError as error:
            raise BadRequest(f"{path}, line {number} is no question of a run: name another folder") from error


def _numbers(found: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers of a summary, each with its path: "measures.recall@5"."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _numbers(value, f"{name}.{key}" if name else str(key))
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield name, found


def _differences(old: Identity, new: Identity) -> str:
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in Identity.model_fields)
    return "; ".join(f"{name} {was!r}, not {now!r}" for name, was, now in pairs if was != now)
