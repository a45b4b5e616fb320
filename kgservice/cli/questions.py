"""questions: generate, refresh, list, review (cli/reviewing.py), export, decompose."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer

from kgservice.cli.reviewing import reviewing
from kgservice.cli.session import (
    AsJson,
    AsOf,
    Corpus,
    echo,
    graph,
    note,
    note_rest,
    of_day,
    print_json,
    progress,
    written_to,
)
from kgservice.cli.spending import BudgetOption, DryRun, RetryFailed, print_estimate, print_spending
from kgservice.cli.subgraphs import CrossChunk, CrossDocument, Pivot, Properties, Years
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.records import Question
from kgservice.core.settings import Settings
from kgservice.exchange.exchange_rows import tables
from kgservice.exchange.parquet import write_parquet
from kgservice.exchange.ragas_samples import write_ragas
from kgservice.exchange.trec import write_trec
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Advance
from kgservice.llm.budget import Budget
from kgservice.questions import question_store
from kgservice.questions.export.frames_rows import needs_several
from kgservice.questions.export.layouts import Layout, WrittenFile, write_dragon, write_frames, write_jsonl, write_rare
from kgservice.questions.export.tuning_examples import TuningLayout, estimate_examples, write_examples
from kgservice.questions.filters.cascade import Sifted
from kgservice.questions.filters.correspondence import tails
from kgservice.questions.filters.duplicates import near_duplicates
from kgservice.questions.llm_wording import Judging, WordingReport, ask, forecast
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, check_pattern, count
from kgservice.questions.retirement import UNPLANNED
from kgservice.questions.selection import ORDER, PARTNERS, Plan, Refreshed, follow
from kgservice.questions.selection import generate as generate_questions
from kgservice.questions.selection import refresh as refresh_questions
from kgservice.questions.wording.relation_questions import worded_by
from kgservice.setup.connect import language_model, model_beside
from kgservice.text.near_names import did_you_mean

SHOWN = 220  # characters of a sentence
EXPORTED = "questions.jsonl"  # the file in a folder

questions = typer.Typer(no_args_is_help=True, help="Questions made from subgraphs, with answers and evidence.")
questions.add_typer(reviewing, name="review")


def _checked(pattern: str | None) -> str | None:
    """Return the name of a pattern. Raises typer.BadParameter if there is none of this name."""
    if pattern is not None and pattern not in PATTERNS:
        near = did_you_mean(pattern, PATTERNS)
        raise typer.BadParameter(f"no pattern {pattern!r}: choose one of {', '.join(PATTERNS)}{near}")
    return pattern


State = Annotated[Literal["active", "retired", "rejected"], typer.Option(help="Only questions of this state.")]
Pattern = Annotated[str | None, typer.Option(help="Only questions of this pattern.", callback=_checked)]


def making() -> AbstractContextManager[Advance]:
    """Show that questions are made; how many there are is known at the end."""
    return progress("questions", doing="making them from the facts")


@questions.command()
def generate(
    corpus: Corpus = "default",
    patterns: Annotated[
        list[str] | None,
        typer.Option(
            "--patterns",
            "--pattern",
            help=f"Repeat, or part by commas; not given: {','.join(ORDER)}. Questions of other patterns retire.",
        ),
    ] = None,
    per_pattern: Annotated[
        int | None,
        typer.Option("--per-pattern", "--limit", min=1, help="Most active questions for each pattern; not given: all."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw, with --per-pattern.")] = 0,
    max_pivot_degree: Pivot = 20,
    cross_chunk: CrossChunk = True,
    cross_document: CrossDocument = False,
    max_years: Years = 1,
    max_properties: Properties = 1,
    novel: Annotated[
        bool, typer.Option("--novel", help="Only from facts that the linked reference (Wikidata) lacks.")
    ] = False,
    open_facts: Annotated[
        bool, typer.Option("--open", help="Pattern single: also from facts whose relation is in no schema.")
    ] = False,
    second_look: Annotated[
        bool, typer.Option(help="Reject questions to which the text may have another answer.")
    ] = True,
    llm: Annotated[bool, typer.Option("--llm", help="Let the language model word and judge the questions.")] = False,
    votes: Annotated[int, typer.Option(min=1, max=99, help="Votes of each judge, with --llm.")] = 3,
    closed_book: Annotated[
        bool, typer.Option(help="With --llm: reject questions that the model answers from memory.")
    ] = True,
    judge: Annotated[bool, typer.Option(help="With --llm: let RARE's and DRAGON's judges vote.")] = True,
    budget: BudgetOption = None,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Make questions from eligible subgraphs, multi-hop first. Questions that stay valid keep their ids.

    The options are the corpus's whole plan: questions that they do not ask for retire. The same options as before bring
    them back with their ids.
    """
    choice = SubgraphOptions(
        max_pivot_degree=max_pivot_degree, cross_chunk=cross_chunk, cross_document=cross_document,
        max_years=max_years, max_properties=max_properties, novel=novel, open=open_facts, usually_several=True,
        max_partners=PARTNERS,
    )  # fmt: skip
    named = tuple(name for given in patterns or ORDER for name in given.replace(",", " ").split())
    plan = Plan(patterns=named, choice=choice, limit=per_pattern, seed=seed, second_look=second_look)
    if (budget or dry_run or retry_failed) and not llm:
        raise typer.BadParameter("--budget, --dry-run and --retry-failed are about a language model: give --llm")
    with graph() as (opened, settings):
        corpus = of_day(opened, corpus, as_of)
        if not as_json:
            _print_eligible(opened, corpus, plan)
        if not llm:
            with making() as advance:
                done = generate_questions(opened, corpus, plan)
                advance("questions", done.added + done.kept)
            _warn(done, corpus, plan)
            _end(done, as_json)
            return
        judging = Judging(closed_book=closed_book, rare=judge, dragon=judge, votes=votes)
        bound = Budget.read(budget) if budget else None
        _ask(
            opened, settings, corpus, plan, judging, bound, dry_run=dry_run, retry_failed=retry_failed, as_json=as_json
        )


def _ask(
    opened: Graph,
    settings: Settings,
    corpus: str,
    plan: Plan,
    judging: Judging,
    budget: Budget | None,
    *,
    dry_run: bool,
    retry_failed: bool,
    as_json: bool,
) -> None:
    with Journal(settings.home, "questions") as journal:
        llm = language_model(settings, journal, budget, retry_failed=retry_failed, role="writer")
        if dry_run:
            opened.check_corpus(corpus)
            found = forecast(opened, corpus, plan, llm, judging)
            print_json(found.model_dump()) if as_json else print_estimate(found)
            return
        with progress("worded") as advance:
            done = ask(opened, corpus, plan, llm, judging, advance, model_beside(llm, settings, "judge"))
        journal.finish(done)
        _warn(done.questions, corpus, plan)
        _print_asked(done, as_json)
        if done.failed or done.questions.failed:
            raise typer.Exit(1)


@questions.command()
def refresh(
    corpus: Corpus = "default",
    first: Annotated[bool, typer.Option("--first", help="Where none were made yet, make the default ones.")] = False,
    as_json: AsJson = False,
) -> None:
    """Update the questions after the graph has changed, with the options they were generated with."""
    with graph() as (opened, _):
        with making() as advance:
            done = (follow if first else refresh_questions)(opened, corpus)
            advance("questions", done.added + done.kept)
        _end(done, as_json)


@questions.command("list")
def list_questions(
    corpus: Corpus = "default",
    pattern: Pattern = None,
    state: State = "active",
    limit: Annotated[int, typer.Option(min=1, help="Most questions to print.")] = 20,
    after: Annotated[str, typer.Option(help="List questions after this id.")] = "",
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """List questions with their answers and evidence."""
    with graph() as (opened, _):
        corpus = _asked_of(opened, corpus, as_of)
        found = question_store.questions(opened, corpus, pattern=pattern, state=state, after=after, limit=limit + 1)
        last = ""
        for item in islice(found, limit):
            print_json(item.model_dump()) if as_json else echo(f"{described(item)}\n    id {item.id}")
            last = item.id
        if not last and not as_json:
            note("no rows")
        elif state == "retired" and not as_json:
            note("rejected questions that ended are among them; a report counts as retired only what was asked")
        if next(found, None):
            note_rest(limit, question_store.count(opened, corpus, pattern, state), last)


@questions.command()
def export(
    to: Annotated[
        str,
        typer.Argument(
            metavar="path",
            help=f"The JSONL file to write, or a folder and a slash for {EXPORTED} in it; a folder for other layouts "
            "but frames.",
        ),
    ],
    corpus: Corpus = "default",
    pattern: Pattern = None,
    state: State = "active",
    layout: Annotated[
        Layout,
        typer.Option(
            help="jsonl (our own), rare (RARE-Set), dragon (DRAGON), frames (FRAMES: questions of several documents), "
            "trec, parquet or ragas (samples.jsonl)."
        ),
    ] = "jsonl",
    distinct: Annotated[bool, typer.Option("--distinct", help="Drop near-duplicates.")] = False,
    trim: Annotated[
        bool,
        typer.Option(
            "--trim", help="Of model-worded questions, drop the 5 % that name the most and the 5 % that name the least."
        ),
    ] = False,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """Write questions as JSONL: id, corpus, pattern, asked, question, answers, facts, chunk_ids, document_keys."""
    path = Path(to)
    with graph() as (opened, _):
        if layout in ("jsonl", "frames") and (to.endswith(("/", os.sep)) or path.is_dir()):
            path.mkdir(parents=True, exist_ok=True)
            path /= EXPORTED
        corpus = _asked_of(opened, corpus, as_of)
        found = list(question_store.questions(opened, corpus, pattern=pattern, state=state))
        given = len(found)
        if trim:
            known = [(item.id, float(item.metadata.get("correspondence", 1.0))) for item in found]
            found = [item for item in found if item.id not in tails(known)]
        trimmed = given - len(found)
        repeated = near_duplicates(found) if distinct else frozenset()
        found = [item for item in found if item.id not in repeated]
        left = {"near-duplicates": len(repeated), "tails": trimmed} if distinct or trim else {}
        if layout == "frames":
            several = [item for item in found if needs_several(item)]
            left, found = left | {"that one document answers": len(found) - len(several)}, several
        written = _written(opened, corpus, found, path, layout)
        patterns = Counter(item.pattern for item in found)
        if as_json:
            print_json({"questions": len(found), **patterns} | ({"left_out": left} if left else {}))
            return
        echo(f"{len(found)} questions in {path}")
        for why, number in left.items():
            echo(f"  left out: {number:,} {why}")
        for part in written if layout != "jsonl" else ():
            echo(f"  {part.lines:,} {part.name}")


@questions.command()
def decompose(
    file: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    corpus: Corpus = "default",
    pattern: Pattern = None,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many pairs (question, document).")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    layout: Annotated[
        TuningLayout, typer.Option(help="jsonl (our own), or chat (for fine-tuning services).")
    ] = "jsonl",
    budget: BudgetOption = None,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Let a model write tuning examples for a decomposer: (question, document) → sub-question (PluriHop, 4.2)."""
    with graph() as (opened, settings), Journal(settings.home, "decompose") as journal:
        opened.check_corpus(corpus)
        found = question_store.questions(opened, corpus, pattern=pattern, state="active")
        several = [item for item in found if len(item.document_keys) > 1]
        if not several:
            raise BadRequest(
                "no question rests on several documents: run `kgservice questions generate` for patterns of several "
                f"facts, best `--patterns {','.join(ORDER)},pluri_hop`"
            )
        bound = Budget.read(budget) if budget else None
        llm = language_model(settings, journal, bound, retry_failed=retry_failed)
        if dry_run:
            found_out = estimate_examples(llm, opened, several, number=number, seed=seed)
            print_json(found_out.model_dump()) if as_json else print_estimate(found_out)
            return
        done = asyncio.run(write_examples(llm, opened, several, file, number=number, seed=seed, layout=layout))
        journal.finish(done)
        if as_json:
            print_json(done.model_dump())
        else:
            place = written_to(file, done.written)
            echo(f"{done.written:,} of {done.asked:,} examples {place}; failed: {done.failed or 'none'}")
            print_spending(done.llm)
        if done.failed:
            raise typer.Exit(1)


def _asked_of(opened: Graph, corpus: str, day: datetime | None) -> str:
    """Return the corpus whose questions are read: the given one, or its view on a day with its questions up to date."""
    if day is None:
        opened.check_corpus(corpus)
        return corpus
    view = of_day(opened, corpus, day)
    if question_store.plan(opened, view)[0] is None:
        command = f"kgservice questions generate -c {shlex.quote(corpus)} --as-of {day:%Y-%m-%d}"
        raise BadRequest(f"no questions were made of {corpus!r} as of {day:%Y-%m-%d}: run `{command}`")
    refresh_questions(opened, view)
    return view


def _written(opened: Graph, corpus: str, found: list[Question], path: Path, layout: Layout) -> list[WrittenFile]:
    match layout:
        case "jsonl":
            return [write_jsonl(found, path)]
        case "frames":
            return [write_frames(opened, found, path)]
        case "rare":
            with worded_by(question_store.schema(opened, corpus)):
                return _split(opened, found, path)
        case "dragon":
            return write_dragon(opened, found, path)
    rows = tables(opened, corpus, found)
    if layout == "parquet":
        return write_parquet(rows, corpus, path)
    return {"trec": write_trec, "ragas": write_ragas}[layout](rows, path)


def _split(opened: Graph, found: list[Question], path: Path) -> list[WrittenFile]:
    """Write RARE-Set's layout of all questions, and of train and test by themselves, which share no fact."""
    from kgservice.releases.split import for_training

    sides = {item.id: {for_training(fact) for fact in item.facts} for item in found}
    written = write_rare(opened, found, path)
    for name, side in (("train", True), ("test", False)):
        part = [item for item in found if sides[item.id] == {side}]
        written += [file._replace(name=f"{name}/{file.name}") for file in write_rare(opened, part, path / name)]
    return written


def described(item: Question) -> str:
    """Format a question for the terminal: question, answer, then one line of evidence for each fact."""
    lines = [item.question, f"    → {'; '.join(item.answers)}      [{item.pattern}, {item.asked} asked]"]
    if item.state != "active":
        lines.append(f"    {item.state}: {item.reason}{f' ({item.cause})' if item.cause else ''}")
    lines += [f"    ? {one.answer} “{_shown(one.sentence)}”" for one in item.rivals]
    lines += [f"    · “{_shown(fact.statements[0].sentence)}”" for fact in item.facts if fact.statements]
    return "\n".join(lines)


def _shown(sentence: str) -> str:
    """Return a sentence in one line; "…" stands for what is cut."""
    plain = " ".join(sentence.split())
    return plain if len(plain) <= SHOWN else f"{plain[:SHOWN].rstrip()}…"


def _print_eligible(opened: Graph, corpus: str, plan: Plan) -> None:
    """Print how many subgraphs of each pattern are eligible, before any question is made."""
    for pattern in plan.patterns:
        check_pattern(pattern, None)
    opened.check_corpus(corpus)
    for pattern in plan.patterns:
        echo(f"eligible {count(opened, corpus, pattern, plan.choice):>8,}  {pattern}")


def _warn(done: Refreshed, corpus: str, plan: Plan) -> None:
    """Warn of a generation that retires more questions than it keeps, and print the command that asks for both."""
    lost = sum(done.retired.values())
    if lost <= done.kept:
        return
    echo(
        f"warning: {lost:,} questions retired, more than the {done.kept:,} kept: a plan replaces the former one",
        err=True,
    )
    if UNPLANNED in done.retired:
        both = ",".join(dict.fromkeys((*ORDER, *plan.patterns)))
        echo(f"  to ask both: kgservice questions generate -c {shlex.quote(corpus)} --patterns {both}", err=True)


def _end(done: Refreshed, as_json: bool) -> None:
    _print(done, as_json)
    if done.failed:
        raise typer.Exit(1)


def _print(done: Refreshed, as_json: bool, *, filters: bool = True) -> None:
    if as_json:
        print_json(done.model_dump())
        return
    echo(f"added {done.added:,}, kept {done.kept:,}, retired {sum(done.retired.values()):,}")
    for pattern, numbers in done.short.items():
        told = ", ".join(f"{number:,} {name}" for name, number in numbers.items())
        echo(f"fewer than asked for: {pattern}: {told}")
    for state, reasons in (("retired", done.retired), ("rejected", done.rejected)):
        for reason, number in reasons.items():
            echo(f"  {state}: {number:,} {reason}")
    for cause, number in done.causes.items():
        echo(f"  because of: {number:,} {cause}")
    for one in done.failed:
        echo(f"  failed: {one.source} {one.reason}: {one.detail}")
    if filters:
        _print_filters(done.filters)


def _print_filters(filters: tuple[Sifted, ...]) -> None:
    judged = "  variance of the votes" if any(one.variance is not None for one in filters) else ""
    met = {one.filter for one in filters if one.passed + sum(one.rejected.values()) + sum(one.failed.values())}
    shown = [one for one in filters if one.filter in met or one.how.startswith("not run")]
    if not met:
        return
    echo(f"{'filter':<28} {'passed':>9} {'rejected':>9} {'failed':>7}{judged}")
    for one in shown:
        numbers = f"{one.passed:>9,} {sum(one.rejected.values()):>9,} {sum(one.failed.values()):>7,}"
        apart = f"  {one.variance:.3f}" if one.variance is not None else ""
        echo(f"{one.filter:<28} {one.how if one.how.startswith('not run') else numbers + apart}")


def _print_asked(done: WordingReport, as_json: bool) -> None:
    if as_json:
        print_json(done.model_dump())
        return
    _print(done.questions, as_json=False, filters=False)
    rejected, failed = sum(done.rejected.values()), sum(done.failed.values())
    echo(f"asked      in {done.given:,} = worded {done.worded:,} + rejected {rejected:,} + failed {failed:,}")
    for state, reasons in (("rejected", done.rejected), ("failed", done.failed)):
        for reason, number in reasons.items():
            echo(f"  {state}: {number:,} {reason}")
    for pattern, reason in done.stopped.items():
        echo(f"stopped    {pattern}: {reason}; the rest stays as the templates word it")
    _print_filters(done.filters)
    print_spending(done.llm)
