"""evaluate dragon: a system's results, or a system itself, measured as DRAGON's portal does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import TypeAdapter

from kgservice.cli.evaluation.measuring import Bench, measuring, print_means, scored_by
from kgservice.cli.evaluation.options import GeneratorName, Judge, Report, RetryFailed, Shared, Timeout
from kgservice.cli.session import AsJson, errors, note, progress, settings
from kgservice.cli.spending import BudgetOption
from kgservice.cli.systems import prompts_of
from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.settings import Settings
from kgservice.setup.connect import connect

if TYPE_CHECKING:
    from kgservice.answering.generator import System
    from kgservice.evaluation.dragon.run import Sets
    from kgservice.evaluation.library import Setting

K, WAIT = 10, 60.0  # passages, seconds for an answer


def dragon(
    results: Annotated[
        Path | None, typer.Option(help="A system's results in the client's format; without them ours is asked.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="A file for the scores, as JSON.")] = None,
    report: Report = None,
    release: Annotated[str, typer.Option(help="A release of KGS_HOME/releases.")] = "latest",
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Use the release's sandbox instead of its questions.")
    ] = False,
    sets: Annotated[Path | None, typer.Option(help="A folder with DRAGON's four sets, in place of a release.")] = None,
    corpus: Annotated[
        str | None, typer.Option("--corpus", "-c", help="The corpus to search; not given: the release's.")
    ] = None,
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25, dense, hybrid, graph, multistep …")] = "hybrid",
    k: Annotated[int, typer.Option("-k", "--k", min=1, max=100, help="Passages retrieved.")] = K,
    judge: Judge = None,
    timeout: Timeout = WAIT,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure as DRAGON's portal does: hit rate, MRR, ROUGE, a judge's score, in all and by type of question."""
    from kgservice.evaluation import library

    ours = {"--generator": generator != "extractive", "--retriever": retriever != "hybrid", "-k": k != K,
            "--timeout": timeout != WAIT}  # fmt: skip
    if results is not None and any(ours.values()):
        given = ", ".join(name for name, is_given in ours.items() if is_given)
        raise typer.BadParameter(f"{given}: about a system of ours, which --results takes the place of")
    if sets is not None and (sandbox or release != "latest"):
        raise typer.BadParameter("--release and --sandbox: about a release, which --sets takes the place of")
    tested = generator if results is None else "its own"
    shared = Shared(tested, report, judge, timeout, budget, retry_failed, as_json)
    shared.check(asked_by="--judge, or --generator prompted" if results is None else "--judge")
    with errors(), measuring("dragon", settings(), shared) as bench:
        found = _sets(bench.settings, release, sets, corpus, sandbox=sandbox)
        with (
            _system(bench, found, results, retriever, k) as (system, setting),
            progress("questions", total=len(found.units)) as advance,
        ):
            step = partial(advance, "questions")
            run = library.dragon(
                found, system, bench.place, setting, model=bench.model, judge=bench.judge or False,
                retry_failed=retry_failed, advance=step,
            )  # fmt: skip
        bench.journal.finish(run)
        _write(bench.place, found, report, scores, given=results is not None)
        notes = [*_notes(found, judged=shared.judging), *_stale(bench.place, found)]
    print_means(run, shared, notes)


def _notes(sets: Sets, *, judged: bool) -> Iterator[str]:
    """Of how many scores the total is the mean, and what a perfect system would have."""
    from kgservice.metrics.result_scores import ceiling

    named = "retrieval, generation and judge" if judged else "retrieval and generation: no model judged"
    best = ceiling((unit.expected for unit in sets.units), judged=judged)
    yield f"total is the mean of {best.total_of} scores ({named})"
    yield f"a perfect system has a total of {best.measures['total']:.4f} here (rouge2 {best.measures['rouge2']:.4f})"


def _stale(place: Path, sets: Sets) -> Iterator[str]:
    """Yield how many answers are those of the release before."""
    from kgservice.evaluation.dragon.run import stale
    from kgservice.evaluation.shared.measured_answers import MeasuredAnswer
    from kgservice.evaluation.shared.run_folder import lines_of

    if found := stale(lines_of(place, MeasuredAnswer), sets):
        yield (
            f"stale rate {found.rate:.4f} ({found.low:.4f} to {found.high:.4f}): of {found.of:,} questions whose "
            f"answer changed since {found.since}, {found.stale:,} are answered as before and {found.current:,} as now"
        )


def _sets(values: Settings, release: str, folder: Path | None, corpus: str | None, *, sandbox: bool) -> Sets:
    from kgservice.evaluation.dragon.run import of_folder, of_release
    from kgservice.releases.archive import Archive

    if folder is not None:
        return of_folder(folder, corpus or "default")
    found = of_release(Archive(values.releases, values.release_key), release, corpus, sandbox=sandbox)
    return found.model_copy(update={"corpus": corpus or found.corpus})


@contextmanager
def _system(bench: Bench, sets: Sets, results: Path | None, retriever: str, k: int) -> Iterator[tuple[System, Setting]]:
    """Give the system that has answered already, or ours over the corpus."""
    from kgservice.answering.systems import ReadsPassages
    from kgservice.evaluation.dragon.run import Submitted, results_of
    from kgservice.evaluation.library import Setting

    asked = {"asked": sets.version}
    if results is not None:
        found = results_of(results, sets)
        options = asked | {"results": keys.digest(20, results.read_text(encoding="utf-8"))}
        yield Submitted(results.name, found), Setting(corpus=sets.corpus, retriever="its own", options=options)
        return
    with connect(bench.settings, say=note) as opened:
        opened.check_corpus(sets.corpus)
        finds = bench.retriever(retriever, opened, sets.corpus, k=k)
        yield ReadsPassages(finds, bench.generator()), Setting(
            corpus=sets.corpus, retriever=retriever, k=k, embedding_model=bench.embedder.name,
            prompts=prompts_of(bench.shared.generator), options=asked | scored_by(finds),
        )  # fmt: skip


def _write(place: Path, sets: Sets, report: Path | None, scores: Path | None, *, given: bool) -> None:
    """Write the scores, and what our system said in the format in which it can be submitted."""
    from kgservice.evaluation.dragon.run import results as said
    from kgservice.evaluation.dragon.run import scored
    from kgservice.evaluation.shared.measured_answers import MeasuredAnswer
    from kgservice.evaluation.shared.run_folder import lines_of
    from kgservice.metrics.result_scores import Result

    items = lines_of(place, MeasuredAnswer)
    files = {scores: scored(items, sets).model_dump_json(indent=1) + "\n"} if scores else {}
    if report is not None:
        files[report / "scores.json"] = scored(items, sets).model_dump_json(indent=1) + "\n"
        if not given:
            files[report / "results.json"] = TypeAdapter(dict[str, Result]).dump_json(said(items), indent=1).decode()
    for path, text in files.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadRequest(f"cannot write {path}: {error.strerror}") from error
