"""questions: generate, refresh, list, export."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, graph, print_json
from kgservice.model import Question
from kgservice.questions import stored
from kgservice.questions.enumerate import Choice
from kgservice.questions.selection import ORDER, Plan, Refreshed
from kgservice.questions.selection import generate as generate_questions
from kgservice.questions.selection import refresh as refresh_questions

questions = typer.Typer(no_args_is_help=True, help="Questions made from subgraphs, with answers and evidence.")

State = Annotated[str | None, typer.Option(help="active, retired or rejected; all when not given.")]
Pattern = Annotated[str | None, typer.Option(help="Only questions of this pattern.")]


@questions.command()
def generate(
    corpus: Corpus = "default",
    pattern: Annotated[list[str] | None, typer.Option(help=f"Repeat for several; all of {', '.join(ORDER)}.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Active questions a pattern; all when not given.")] = None,
    seed: Annotated[int, typer.Option(help="Draws which, with --limit.")] = 0,
    max_pivot_degree: Annotated[int, typer.Option(min=1, max=2**31)] = 20,
    cross_chunk: bool = True,
    cross_document: bool = False,
    as_json: AsJson = False,
) -> None:
    """Make template questions from the eligible subgraphs, multi-hop first; older questions that stand are kept."""
    choice = Choice(max_pivot_degree=max_pivot_degree, cross_chunk=cross_chunk, cross_document=cross_document)
    plan = Plan(patterns=tuple(pattern or ORDER), choice=choice, limit=limit, seed=seed)
    with graph() as (opened, _):
        _print(generate_questions(opened, corpus, plan), as_json)


@questions.command()
def refresh(corpus: Corpus = "default", as_json: AsJson = False) -> None:
    """Bring the questions up to date with the graph, by the plan they were generated with."""
    with graph() as (opened, _):
        _print(refresh_questions(opened, corpus), as_json)


@questions.command("list")
def list_questions(
    corpus: Corpus = "default",
    pattern: Pattern = None,
    state: State = "active",
    limit: Annotated[int, typer.Option(min=1)] = 20,
    after: Annotated[str, typer.Option(help="Go on after this id.")] = "",
    as_json: AsJson = False,
) -> None:
    """List questions with their answers and evidence sentences."""
    with graph() as (opened, _):
        opened.check_corpus(corpus)
        for item in islice(stored.questions(opened, corpus, pattern=pattern, state=state, after=after), limit):
            print_json(item.model_dump()) if as_json else typer.echo(described(item))


@questions.command()
def export(
    file: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    corpus: Corpus = "default",
    pattern: Pattern = None,
    state: State = "active",
    as_json: AsJson = False,
) -> None:
    """Write questions as JSONL: id, corpus, pattern, asked, question, answers, facts, chunk_ids, document_keys."""
    with graph() as (opened, _), file.open("w", encoding="utf-8") as out:
        opened.check_corpus(corpus)
        patterns: Counter[str] = Counter()
        for item in stored.questions(opened, corpus, pattern=pattern, state=state):
            out.write(json.dumps(exported(item), ensure_ascii=False) + "\n")
            patterns[item.pattern] += 1
        total = sum(patterns.values())
        print_json({"questions": total, **patterns}) if as_json else typer.echo(f"{total} questions in {file}")


def exported(item: Question) -> dict[str, object]:
    """Return a question in the exchange format (design: section 6)."""
    facts = [
        {
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            "chunk_ids": [source.chunk for source in fact.statements],
            "sentences": [source.sentence for source in fact.statements],
        }
        for fact in item.facts
    ]
    return item.model_dump(exclude={"facts", "state", "reason"}) | {"facts": facts}


def described(item: Question) -> str:
    """Return a question as people read it: question, answer, then a line of evidence a fact."""
    lines = [item.question, f"    → {'; '.join(item.answers)}      [{item.pattern}, {item.asked} asked]"]
    if item.state != "active":
        lines.append(f"    {item.state}: {item.reason}")
    lines += [
        f"    · “{' '.join(fact.statements[0].sentence.split())[:220]}”" for fact in item.facts if fact.statements
    ]
    return "\n".join(lines)


def _print(done: Refreshed, as_json: bool) -> None:
    if as_json:
        print_json(done.model_dump())
        return
    for pattern, number in done.eligible.items():
        typer.echo(f"eligible {number:>8,}  {pattern}")
    typer.echo(f"added {done.added:,}, kept {done.kept:,}, retired {sum(done.retired.values()):,}")
    for state, reasons in (("retired", done.retired), ("rejected", done.rejected)):
        for reason, number in reasons.items():
            typer.echo(f"  {state}: {number:,} {reason}")
