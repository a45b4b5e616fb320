"""gate: a system's answers on the questions of a corpus or release, compared with how it did before."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.evaluation.options import Seed
from kgservice.cli.session import AsJson, echo, errors, note, print_json, progress, settings
from kgservice.core.errors import BadRequest


def gate(
    target: Annotated[
        str, typer.Argument(help="http://…, module:function, a command in quotes, or kgservice:RETRIEVER for ours.")
    ],
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", "-c", help="The corpus asked about; not given: default, or the release's own."),
    ] = None,
    release: Annotated[str | None, typer.Option(help="Ask a release, 1.0.0 or latest, in place of the corpus.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="How many questions, at most.")] = 150,
    baseline: Annotated[Path, typer.Option(help="The verdicts to compare with; keep it in your repository.")] = Path(
        "kgservice-gate.jsonl"
    ),
    save: Annotated[bool, typer.Option("--save", help="Make this run the baseline.")] = False,
    changed: Annotated[bool, typer.Option("--changed", help="Ask only questions whose sentences changed.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail for any question that got worse.")] = False,
    alpha: Annotated[
        float, typer.Option(help="Significance level: the share of runs that chance alone may fail.")
    ] = 0.01,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one answer of the system.")] = 60.0,
    seed: Seed = 0,
    junit: Annotated[Path | None, typer.Option(help="A file for JUnit's XML.")] = None,
    summary: Annotated[Path | None, typer.Option(help="A file for a summary in Markdown.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a system questions, compare it with its baseline, print what got worse and why, and exit with status 1 then.

    Example: kgservice gate mypackage.rag:answer -c mine --save, and after each change the same without --save
    """
    from kgservice.gate import reports
    from kgservice.gate.whole import GateOptions, run

    with errors(), ExitStack() as stack:

        def advance(number: int) -> Callable[[int], None]:
            return partial(stack.enter_context(progress("questions", total=number)), "questions")

        if not 0 < alpha < 1:
            raise BadRequest("--alpha is a chance between 0 and 1, such as 0.01")
        wanted = GateOptions(
            target=target, corpus=corpus, release=release, questions=questions, seed=seed, baseline=baseline,
            save=save, changed=changed, strict=strict, alpha=alpha, timeout=timeout,
        )  # fmt: skip
        found = run(wanted, settings(), advance, note)
        _write(junit, reports.junit(found))
        _write(summary, reports.markdown(found))
    print_json(found.model_dump()) if as_json else echo("\n".join(reports.lines(found)))
    if save:
        note(f"the baseline is {baseline}: keep it in your repository")
    raise typer.Exit(int(found.failed and not save))


def _write(path: Path | None, text: str) -> None:
    if path is None:
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error.strerror}") from error
