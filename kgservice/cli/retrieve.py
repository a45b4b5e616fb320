"""retrieve: the best chunks for a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, graph, print_json
from kgservice.embedding import Embedder

if TYPE_CHECKING:
    from kgservice.retrieval.hit import Hit


def retrieve(
    query: Annotated[str, typer.Argument(help="Words or a question; nothing in it is an operator.")],
    retriever: Annotated[str, typer.Option(help="bm25, dense or graph.")] = "bm25",
    k: Annotated[int, typer.Option("-k", "--k", help="How many chunks at most.")] = 10,
    corpus: Corpus = "default",
    as_json: AsJson = False,
) -> None:
    """Find the chunks that answer a query best."""
    from kgservice.retrieval import retrieve as find  # with LangChain, a second that no other verb should pay

    with graph() as (opened, settings):
        hits = find(opened, corpus, retriever, query, k, Embedder(settings.embedding_model))
        if as_json:
            print_json({"hits": [hit.model_dump() for hit in hits]})
            return
        for rank, hit in enumerate(hits, 1):
            typer.echo(described(rank, hit))
        if not hits:
            typer.echo("no chunk found")


def described(rank: int, hit: Hit) -> str:
    """Return a hit as people read it: rank, score, title and key, the text's beginning, why."""
    text = " ".join(hit.text.split())
    why = "; ".join(
        f"{name} {', '.join(value) if isinstance(value, tuple) else value}" for name, value in hit.why.items()
    )
    shown = text if len(text) <= 300 else text[:299] + "…"
    return f"{rank:>3}. {hit.score:.4f}  {hit.title}  [{hit.chunk}]\n     {shown}\n     ({why})"
