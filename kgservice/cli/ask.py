"""ask: an answer with the sentences that it rests on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, echo, graph, note, print_json
from kgservice.cli.spending import BudgetOption
from kgservice.core.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.setup.connect import language_model
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.answering.ask import Answer, Evidence

PATIENCE = 60.0  # seconds that somebody waits for an endpoint with too many calls


def ask(
    words: Annotated[list[str], typer.Argument(metavar="QUESTION", help="A question, with or without quotes.")],
    corpus: Corpus = "default",
    retriever: Annotated[
        str, typer.Option(help="The retriever that finds the passages; see kgservice retrieve --help.")
    ] = "graph",
    llm: Annotated[bool, typer.Option("--llm", help="Let the language model answer from the passages.")] = False,
    budget: BudgetOption = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the documents and show the sentences that support it; say so if there is no answer.

    On a terminal a model's words are shown as they come, then the checked answer.

    Example: kgservice ask "Who is the mayor of Port Ambrel?" -c demo
    """
    from kgservice.answering.ask import ask as answer
    from kgservice.cli.systems import generator_named  # with LangChain, a second that no other verb should pay
    from kgservice.retrieval.reranker import cross_encoder

    if budget and not llm:
        raise typer.BadParameter("--budget is about a language model: give --llm")
    with graph() as (opened, settings), Journal(settings.home, "ask") as journal:
        embedder = Embedder(settings.embedding_model)
        bound = Budget.read(budget) if budget else None
        model = language_model(settings, journal, bound, role="reader", attempts=2, patience=PATIENCE) if llm else None
        if model is not None:
            note(f"asking {model.name}, {settings.llm_timeout:g} s at most for a call (KGS_LLM_TIMEOUT)")
        told = ReplyAsItComes() if llm and not as_json and sys.stderr.isatty() else None
        reader = generator_named("prompted" if llm else "extractive", embedder, model, settings.llm_timeout, told)
        scorer = cross_encoder(settings)
        found = answer(opened, corpus, " ".join(words), reader, embedder, retriever=retriever, scorer=scorer)
        if told:
            told.end()
        print_json(found.model_dump()) if as_json else echo(described(found))


class ReplyAsItComes:
    """Writes what a model has said so far, its reasoning and then its answer, beside the checked answer's stream."""

    def __init__(self) -> None:
        self._said = ""

    def __call__(self, reply: str) -> None:
        """Write what has come since the last call; a reply that begins anew is written anew."""
        from pydantic_core import from_json

        try:
            fields = from_json(reply, allow_partial="trailing-strings")
        except ValueError:  # words around the answer, which is shown when it is checked
            return
        said = "\n".join(map(str, fields.values())) if isinstance(fields, dict) else ""
        if not said.startswith(self._said):
            self.end()
        if new := said[len(self._said) :]:
            echo(new, nl=False, err=True)
        self._said = said

    def end(self) -> None:
        """End the line."""
        if self._said:
            echo("\n", err=True)
        self._said = ""


def described(found: Answer) -> str:
    """Format an answer for the terminal: the answer, then its sentences with their places."""
    if not found.answer:
        return "Not in these documents, as far as they were understood."
    return "\n".join([found.answer, *(f"    “{one.sentence}”\n      {_place(one)}" for one in found.evidence)])


def _place(one: Evidence) -> str:
    parts = [one.title or one.source, one.section, f"page {one.page}" if one.page else None, one.url or one.source]
    return " · ".join(dict.fromkeys(part for part in parts if part))
