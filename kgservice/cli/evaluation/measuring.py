"""What evaluations of answers share on the command line: a folder, a journal, a model, what is printed at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from kgservice.cli.evaluation.options import Shared
from kgservice.cli.session import echo, print_json
from kgservice.cli.spending import print_spending
from kgservice.cli.systems import generator_named
from kgservice.core.journal import Journal
from kgservice.core.settings import Role, Settings
from kgservice.llm.budget import Budget
from kgservice.setup.connect import language_model, model_beside
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.answering.generator import Generator
    from kgservice.evaluation.shared.run_folder import Run
    from kgservice.graph.store import Graph
    from kgservice.llm.client import LLM
    from kgservice.retrieval.reranker import Scorer
    from kgservice.retrieval.retriever import Retriever


class Bench(NamedTuple):
    """What an evaluation is run with: `place` is its folder; models are None where nothing asks one.

    `model` is what is tested, or what judges where nothing is; those of other roles stand beside it.
    """

    shared: Shared
    settings: Settings
    place: Path
    journal: Journal
    embedder: Embedder
    model: LLM | None

    @property
    def judge(self) -> LLM | None:
        """Return the model that judges, if one does."""
        return self.role("judge") if self.shared.judging else None

    @property
    def asked(self) -> LLM | None:
        """Return the model that is tested, if one is."""
        return self.model if self.shared.prompted else None

    def role(self, role: Role) -> LLM | None:
        """Return the model of a role, None where no model is asked at all."""
        return model_beside(self.model, self.settings, role) if self.model else None

    def generator(self) -> Generator:
        """Return what answers (NotFound)."""
        return generator_named(self.shared.generator, self.embedder, self.asked, self.shared.timeout)

    def scorer(self) -> Scorer | None:
        """Return the cross-encoder of the settings, if there is one."""
        from kgservice.retrieval.reranker import cross_encoder

        return cross_encoder(self.settings)

    def retriever(self, name: str, graph: Graph, corpus: str, **options: Any) -> Retriever:
        """Return what finds passages (NotFound, BadRequest)."""
        from kgservice.retrieval import retriever

        return retriever(name, graph, corpus, self.embedder, scorer=self.scorer(), **options)


def scored_by(*finds: Retriever | None) -> dict[str, str]:
    """Return the name of the cross-encoder that retrievers rank with, as an option of a run, {} if none does."""
    scorers = (getattr(one, "scorer", None) for one in finds)
    return next(({"scorer": str(scorer.name)} for scorer in scorers if scorer is not None), {})


@contextmanager
def measuring(name: str, settings: Settings, shared: Shared) -> Iterator[Bench]:
    """Open what an evaluation needs; without --report its folder is gone at the end."""
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(settings.home, f"evaluate-{name}"))
        place = shared.report or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kgservice-")))
        model = None
        if shared.judging or shared.prompted:
            role: Role = "reader" if shared.prompted else "judge"
            budget = Budget.read(shared.budget) if shared.budget else None
            model = language_model(settings, journal, budget, retry_failed=shared.retry_failed, role=role)
        yield Bench(shared, settings, place, journal, Embedder(settings.embedding_model), model)


def print_run(run: Run[Any], shared: Shared, lines: Iterable[str]) -> None:
    """Print what a run comes to; exit with status 1 where something failed."""
    found = run.ended
    if shared.as_json:
        print_json(run.model_dump())
        raise typer.Exit(int(bool(found.failed)))
    depth = f", k = {run.identity.k}" if run.identity.k else ""  # 0 where no k was chosen: FRAMES, results of a file
    echo(f"{run.identity.generator}, {run.identity.retriever}{depth}; {run.identity.judge}")
    for line in lines:
        echo(line)
    for title, counts in (("not asked", found.skipped), ("failed", found.failed)):
        for reason, number in counts.items():
            echo(f"{title:<19} {number:,} {reason}")
    if run.llm:
        print_spending(run.llm)
    if shared.report:
        echo(f"{shared.report / 'index.html'}")
    raise typer.Exit(int(bool(found.failed)))


def print_means(run: Run[Any], shared: Shared, notes: Iterable[str] = ()) -> None:
    """Print the means of a run of measured answers, and exit as `print_run` does."""
    means = (
        f"{name:<19} {one.mean:8.4f}   [{one.low:.3f}, {one.high:.3f}]   of {one.of:,}"
        for name, one in run.ended.measures.items()
    )
    print_run(run, shared, (f"{run.ended.questions:,} questions", *means, *notes))
