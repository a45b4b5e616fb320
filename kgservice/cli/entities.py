"""entities: what a name stands for and what was said about it, merging and splitting names, resolution of a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from kgservice.cli.session import AsJson, AsOf, Corpus, echo, graph, note, of_day, print_json, progress
from kgservice.core.records import Decision
from kgservice.graph.applied_decisions import LOCAL
from kgservice.resolution import decisions, entity_history
from kgservice.resolution.decisions import Explained, Kind, WrittenName
from kgservice.resolution.entity_history import SaidFact, Saying
from kgservice.resolution.relations import resolve as resolve_relations
from kgservice.resolution.same_name import resolve as resolve_names
from kgservice.vectors.embedder import Embedder

entities = typer.Typer(no_args_is_help=True, help="Merge and split names: what each name stands for.")
Name = Annotated[
    str, typer.Argument(help="An id (Q90, local:Paris), a key, or an exact name, also one that was merged.")
]
OfRelation = Annotated[bool, typer.Option("--relation", help="Treat the names as relations, not entities.")]


@entities.command()
def explain(
    name: Name, corpus: Corpus = "default", relation: OfRelation = False, as_of: AsOf = None, as_json: AsJson = False
) -> None:
    """Show which entity a name stands for, its other names, and the decision behind each."""
    with graph() as (opened, _):
        found = decisions.explain(opened, of_day(opened, corpus, as_of), name, _kind(relation))
        print_json(found.model_dump(mode="json")) if as_json else echo(described(found))


@entities.command()
def history(
    name: Name,
    corpus: Corpus = "default",
    limit: Annotated[int, typer.Option(min=1, help="Most facts of now, and most former versions of documents.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what was said about a thing, from which day until which, with the sentences; the newest last."""
    with graph() as (opened, _):
        found = entity_history.history(opened, corpus, name, limit)
        if as_json:
            print_json(found.model_dump(mode="json"))
            return
        for fact in found.facts:
            period = fact.period and f", {fact.period}"
            echo(f"({fact.subject}) —{fact.relation}{period}→ ({fact.object})   {_days(fact)}")
            for one in fact.sayings:
                cell = one.cell and f" ({one.cell})"
                echo(f"    {_days(one)}  {one.document}: “{' '.join(one.sentence.split())}”{cell}")
        if found.more:
            note("there is more: --limit for more")


@entities.command()
def merge(
    name: Annotated[str, typer.Argument(help="The name to merge away.")],
    into: Annotated[str, typer.Argument(help="The name that stays.")],
    corpus: Corpus = "default",
    relation: OfRelation = False,
    as_json: AsJson = False,
) -> None:
    """Merge a name into another entity. Facts and counters change now, questions at the next refresh."""
    with graph() as (opened, _):
        _print(decisions.merge(opened, corpus, name, into, _kind(relation)), as_json)


@entities.command()
def split(name: Name, corpus: Corpus = "default", relation: OfRelation = False, as_json: AsJson = False) -> None:
    """Undo a merge. `entities resolve` will not merge this name again."""
    with graph() as (opened, _):
        _print(decisions.split(opened, corpus, name, _kind(relation)), as_json)


@entities.command()
def resolve(
    corpus: Corpus = "default",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be merged, and change nothing.")] = False,
    relation: Annotated[bool, typer.Option("--relation", help="Resolve relations instead of entities.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find names of the same thing and merge them. `explain` shows why, `split` undoes a merge."""
    with graph() as (opened, values), progress("names", "decisions") as advance:
        run = resolve_relations if relation else resolve_names
        done = run(opened, corpus, Embedder(values.embedding_model), dry_run=dry_run, advance=advance)
        if as_json:
            shown = [one.model_dump(mode="json", exclude={"type"}) for one in done.decisions] if dry_run else []
            print_json(done.model_dump() | ({"decisions": shown} if dry_run else {}))
            return
        for one in done.decisions if dry_run else ():
            echo(f"{one.name.removeprefix(LOCAL)} → {one.label}  (by {one.by}, {one.score:.3f}: {one.evidence})")
        parts = f"merged {done.merged:,} + alone {done.alone:,} + by a person {done.by_person:,}"
        changed = f"{'would change' if dry_run else 'changed'} {len(done.decisions):,}"
        echo(f"names  in {done.names:,} = {parts}   {changed}")
        for title, counts in (("merged", done.by), ("left alone", done.left)):
            for reason, number in counts.items():
                echo(f"  {title}: {number:,} {reason}")


def described(found: Explained) -> str:
    """Format for the terminal what a name stands for."""
    lines = [f"{found.label}  ({found.id}{f', {found.type}' if found.type else ''})  {found.facts:,} facts"]
    lines += [f"    {_name(one)}" for one in found.names]
    if found.decision and found.decision.state == "split":
        lines.append(f"    kept apart from {found.decision.label}: {found.decision.evidence}")
    return "\n".join(lines)


def _days(said: SaidFact | Saying) -> str:
    """Return "2031-05-01 to now"."""
    return f"{said.said_from or 'always'} to {said.said_until or 'now'}"


def _name(one: WrittenName) -> str:
    why = (
        f"by {one.decision.by}, score {one.decision.score:.3f}: {one.decision.evidence}" if one.decision else "its own"
    )
    count = f"  in {one.chunks:,} chunks" if one.chunks else ""
    return f"{one.name.removeprefix(LOCAL)}{count}  ({why})"


def _kind(relation: bool) -> Kind:
    return "relation" if relation else "entity"


def _print(made: Decision, as_json: bool) -> None:
    if as_json:
        print_json(made.model_dump(mode="json"))
        return
    arrow = "stands for" if made.state == "merged" else "is kept apart from"
    echo(f"{made.name.removeprefix(LOCAL)} {arrow} {made.label}")
