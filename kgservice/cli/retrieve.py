"""retrieve: the best chunks for a query."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, echo, graph, print_json
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.retrieval.hit import Hit

Name = Annotated[
    str,
    typer.Option(
        help="bm25, dense, hybrid, graph, multistep, plurihop, oracle; with KGS_RERANKER rerank, rerank:bm25 …"
    ),
]
Since = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only documents published on this day or later.")
]
Until = Annotated[
    datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only documents published on this day or earlier.")
]


def retrieve(
    words: Annotated[
        list[str], typer.Argument(metavar="QUERY", help="Words or a question, with or without quotes; no operators.")
    ],
    retriever: Name = "bm25",
    k: Annotated[int, typer.Option("-k", "--k", help="Most chunks to return.")] = 10,
    corpus: Corpus = "default",
    document: Annotated[list[str] | None, typer.Option(help="Only this document (id or key); repeatable.")] = None,
    published_since: Since = None,
    published_until: Until = None,
    gold: Annotated[
        list[str] | None, typer.Option(help="Retriever oracle: a chunk or document to find; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Return the chunks that answer a query best."""
    from kgservice.retrieval import retrieve as find  # with LangChain, a second that no other verb should pay
    from kgservice.retrieval.filter import SearchFilter
    from kgservice.retrieval.hit import placed
    from kgservice.retrieval.reranker import cross_encoder

    query = " ".join(words)
    with graph() as (opened, settings):
        embedder = Embedder(settings.embedding_model)
        within = SearchFilter(
            documents=tuple(document or ()),
            published_since=_day(published_since),
            published_until=_day(published_until),
        )
        options = {"within": within, "scorer": cross_encoder(settings), "gold": {query: tuple(gold or ())}}
        hits = find(opened, corpus, retriever, query, k, embedder, **options)
        if as_json:
            print_json({"hits": [hit.model_dump() for hit in placed(opened, hits)]})
            return
        for rank, hit in enumerate(hits, 1):
            echo(described(rank, hit))
        if not hits:
            echo("no chunk found")


def described(rank: int, hit: Hit) -> str:
    """Format a hit for the terminal: rank, score, title, key, the beginning of the text, why."""
    text = " ".join(hit.text.split())
    why = "; ".join(
        f"{name} {(' → ' if name == 'path' else ', ').join(value) if isinstance(value, tuple) else value}"
        for name, value in hit.why.items()
        if value not in ("", ())
    )
    shown = text if len(text) <= 300 else text[:299] + "…"
    return f"{rank:>3}. {hit.score:.4f}  {hit.title}  [{hit.chunk}]\n     {shown}\n     ({why})"


def _day(given: datetime | None) -> date | None:
    return given.date() if given else None
