"""Sets of k articles from which FRAMES' questions are written: drawn by a seed, each led to by names of the others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgservice.core import keys
from kgservice.core.errors import NotFound
from kgservice.core.records import Record
from kgservice.evaluation.frames.questions import articles
from kgservice.graph.store import Graph
from kgservice.names.mentions import BRACKET

MOST_PASSAGES = 20  # that may have a name by which one article leads to another
LONGEST = 24_000  # characters of all articles of a set together
TRIES = 10  # draws for each set wanted


class Article(Record):
    """An article of a set: its name from the loader, its title, and the beginning of its text."""

    source: str
    title: str
    text: str


class ArticleSet(NamedTuple):
    """Articles, and the names by which one leads to another."""

    articles: tuple[Article, ...]
    names: tuple[str, ...]


class _Reached(NamedTuple):
    keys: tuple[str, ...]
    names: tuple[str, ...]


def drawn_sets(graph: Graph, corpus: str, k: int, number: int, seed: int) -> Iterator[ArticleSet]:
    """Yield at most `number` different sets of k articles. It ends early if TRIES draws a set do not find so many."""
    code, seen = keys.corpus_code(corpus), set[frozenset[str]]()
    for turn in range(number * TRIES):
        if len(seen) == number:
            return
        reached = _walk(graph, code, k, seed, turn)
        if len(reached.keys) == k and frozenset(reached.keys) not in seen:
            seen.add(frozenset(reached.keys))
            yield _whole(graph, reached)


def named_set(graph: Graph, corpus: str, names: Sequence[str]) -> ArticleSet:
    """Return the articles of these names, titles or addresses. Raises NotFound if the corpus lacks one."""
    found = articles(graph, corpus, names)
    if lacking := [name for name in names if name not in found]:
        raise NotFound(f"corpus {corpus!r} has no article {lacking[0]!r}: give its name, title or address")
    return _whole(graph, _Reached(tuple(dict.fromkeys(found[name] for name in names)), ()))


def _walk(graph: Graph, code: str, k: int, seed: int, turn: int) -> _Reached:
    """Draw an article, then each next one among those that share a name with the ones before.

    An article whose title is such a name comes before others, as a link leads to it.
    """
    draw = random.Random(f"{seed} {turn}")
    start = _first(graph, code, keys.digest(keys.KEY - keys.CODE, "articles", seed, turn))
    reached, names = [start] if start else [], list[str]()
    while reached and len(reached) < k:
        rows = graph.read("questions/linked_documents", keys=reached, most=MOST_PASSAGES)
        titled = [row for row in rows if BRACKET.sub("", row["title"] or "") in row["names"]]
        if not rows:
            break
        chosen = draw.choice(titled or rows)
        reached.append(chosen["key"])
        names.append(min(chosen["names"], key=lambda name: (name != BRACKET.sub("", chosen["title"] or ""), name)))
    return _Reached(tuple(reached), tuple(dict.fromkeys(names)))


def _first(graph: Graph, code: str, point: str) -> str:
    """Return the first document after a point of the corpus's range of keys, which are hashes; "" if there is none."""
    for after in (code + point, code):
        for row in graph.read("read/documents", after=after, until=f"{code}~", limit=1):
            if row["document"].get("doc_type") != "question":
                return str(row["document"]["key"])
    return ""


def _whole(graph: Graph, reached: _Reached) -> ArticleSet:
    rows = {row["key"]: row for row in graph.read("read/document_texts", keys=sorted(reached.keys))}
    most = LONGEST // len(reached.keys)
    chosen = (rows[key] for key in reached.keys)
    return ArticleSet(
        tuple(
            Article(source=row["source"], title=row["title"] or row["source"], text="\n\n".join(row["texts"])[:most])
            for row in chosen
        ),
        reached.names,
    )
