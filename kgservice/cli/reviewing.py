"""questions review: list what was decided, keep, edit, drop, clear."""

from __future__ import annotations

import getpass
from typing import Annotated, Literal, TypeAlias

import typer
from pydantic import ValidationError

from kgservice.cli.session import AsJson, Corpus, echo, graph, note, print_json
from kgservice.core.records import Question
from kgservice.questions.review import Choice, ReviewDecision, review
from kgservice.questions.search import Wanted, search

reviewing = typer.Typer(no_args_is_help=True, help="Keep, edit or drop questions; releases and refreshes follow it.")
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of questions; see `kgservice questions list`.")]
Why = Annotated[str, typer.Option(help="The reason, kept with the question.")]
Decided: TypeAlias = Literal["keep", "edit", "drop", "none"]
State: TypeAlias = Literal["active", "rejected", "retired"]
By = Annotated[str, typer.Option(help="Who decides; not given: the user of this machine.")]


@reviewing.command("list")
def list_reviewed(
    corpus: Corpus = "default",
    decision: Annotated[Decided, typer.Option(help="What was decided; none: nothing yet.")] = "none",
    state: Annotated[State | None, typer.Option(help="Only questions of this state.")] = "active",
    text: Annotated[str, typer.Option(help="Words of the question or its answers.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Most questions to print.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List questions to review, those of most facts first, or what was decided about others."""
    with graph() as (opened, _):
        opened.check_corpus(corpus)
        wanted = Wanted(state=state, review=decision, text=text, sort="steps")
        found = search(opened, corpus, wanted, "", limit + 1)
        for item in found[:limit]:
            print_json(item.model_dump()) if as_json else echo(_line(item))
        if len(found) > limit:
            note(f"the first {limit:,} shown: --limit for more")


@reviewing.command()
def keep(ids: Ids, corpus: Corpus = "default", why: Why = "", by: By = "", as_json: AsJson = False) -> None:
    """Keep questions: ask them although a filter or the second look rejected them."""
    _decide(ids, corpus, "keep", why, by, "", as_json=as_json)


@reviewing.command()
def drop(ids: Ids, corpus: Corpus = "default", why: Why = "", by: By = "", as_json: AsJson = False) -> None:
    """Drop questions: do not ask them while their facts hold."""
    _decide(ids, corpus, "drop", why, by, "", as_json=as_json)


@reviewing.command()
def edit(
    key: Annotated[str, typer.Argument(metavar="ID", help="Id of the question; see `kgservice questions list`.")],
    question: Annotated[str, typer.Argument(help="The new words.")],
    corpus: Corpus = "default",
    why: Why = "",
    by: By = "",
    as_json: AsJson = False,
) -> None:
    """Give a question other words, and keep it."""
    _decide([key], corpus, "edit", why, by, question, as_json=as_json)


@reviewing.command()
def clear(ids: Ids, corpus: Corpus = "default", as_json: AsJson = False) -> None:
    """Forget what was decided about questions."""
    _decide(ids, corpus, "clear", "", "", "", as_json=as_json)


def _decide(ids: list[str], corpus: str, decision: Choice, why: str, by: str, question: str, *, as_json: bool) -> None:
    try:
        verdict = ReviewDecision(decision=decision, why=why, by=by or getpass.getuser(), question=question)
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(f"{first['loc'][0]}: {first['msg']}") from error
    with graph() as (opened, _):
        for key in ids:
            item = review(opened, corpus, key, verdict)
            print_json(item.model_dump()) if as_json else echo(_line(item))


def _line(item: Question) -> str:
    decided = item.metadata.get("review")
    said = f"   [{decided} by {item.metadata['reviewed_by']}] {item.metadata['reviewed_why']}" if decided else ""
    state = "" if item.state == "active" else f"   ({item.state}: {item.reason})"
    return f"{item.id}\t{item.question}\t→ {'; '.join(item.answers)}{state}{said}"
