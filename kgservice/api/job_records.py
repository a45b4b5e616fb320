"""What a job is, and what it reports."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import Field

from kgservice.core.records import Record
from kgservice.ingest.load_report import LoadReport
from kgservice.questions.llm_wording import WordingReport


class SubmissionEvaluation(Record):
    """That a submission for a release was measured; what it came to is between its sender and the admin."""

    version: str
    questions: int


class Published(Record):
    """A release that was made, how many approved baselines were measured on it, and why others were not, by name.

    `new` is false where nothing had changed since the release before, which then stays the newest.
    """

    release: str
    content: str
    new: bool = True
    baselines: int
    not_measured: dict[str, str] = Field(default_factory=dict)


class ViewWritten(Record):
    """A corpus as of a day: its name, how many documents it holds, and how many were written or removed now."""

    view: str
    documents: int
    changed: int


Kind: TypeAlias = Literal["load", "files", "questions", "evaluation", "baseline", "release", "view"]
State: TypeAlias = Literal["queued", "running", "cancelling", "done", "failed", "cancelled"]
LOADS: tuple[Kind, ...] = ("load", "files")
TEXTS = {"read", "documents", "vectors"}  # of a progress: no stage else is open where a graph is shut to readers
Report: TypeAlias = LoadReport | WordingReport | SubmissionEvaluation | Published | ViewWritten


class Job(Record):
    """A piece of work; `progress` counts documents written, vectors made, questions worded; `report` comes at its end.

    `by` is whose key ordered it, `starts` how often it was begun: more than once where the service was stopped between.
    `resumes`: it goes on when the service starts again. A running job that is cancelled is `cancelling` until it stops.
    """

    id: str
    kind: Kind = "load"
    corpus: str
    by: str = ""
    state: State
    progress: dict[str, int] = Field(default_factory=dict, examples=[{"documents": 500, "vectors": 0}])
    created: datetime
    started: datetime | None = None
    finished: datetime | None = None
    starts: int = 0
    resumes: bool = True
    report: Report | None = None
    error: str | None = None

    def shown(self, *, whole: bool) -> Job:
        """Return what a reader may see: who ordered it, and what came of what is not a load, is not theirs to know.

        `whole`: they may see the corpus's graph, so also what a load came to: it counts facts. Else of the progress
        only what counts texts.
        """
        hidden: dict[str, object] = {} if whole and self.kind in LOADS else {"report": None, "error": None}
        if not whole:
            hidden["progress"] = {name: count for name, count in self.progress.items() if name in TEXTS}
        return self.model_copy(update={"by": "", **hidden})
