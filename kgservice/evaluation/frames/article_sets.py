"""Sets of k articles from which FRAMES' questions are written: drawn by a seed, each led to by names of the others."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from kgservice.core import keys
from kgservice.core.errors import NotFound
from kgservice.core.records import Record
from kgservice.evaluation.frames.questions import articles
from kgservice.graph.store import Graph
from kgservice.names.mentions import BRACKET, is_common

MOST_PASSAGES = 20  # that may have a name by which one article leads to another
LONGEST = 24_000  # characters of all articles of a set together
TRIES = 10  # draws for each set wanted
PAGE = 50  # documents read at once


class Article(Record):
    """An article of a set: its name from the loader, its title, and the beginning of its text."""

    source: str
    title: str
    text: str


class ArticleSet(NamedTuple):
    """Articles, and the names by which one leads to another."""

    articles: tuple[Article, ...]
    names: tuple[str, ...]


class _Leading(NamedTuple):
    titled: bool
    name: str


class _Reached(NamedTuple):
    keys: tuple[str, ...]
    names: tuple[str, ...]


def drawn_sets(graph: Graph, corpus: str, k: int, number: int, seed: int) -> Iterator[ArticleSet]:
    """Yield at most `number` different sets of k articles. It ends early if TRIES draws a set do not find so many."""
    code, seen = keys.corpus_code(corpus), set[frozenset[str]]()
    for turn, start in enumerate(islice(_starts(graph, code, seed), number * TRIES)):
        if len(seen) == number:
            return
        reached = _walk(graph, start, k, random.Random(f"{seed} {turn}"), seen)
        if len(reached.keys) == k:
            seen.add(frozenset(reached.keys))
            yield _whole(graph, reached)


def named_set(graph: Graph, corpus: str, names: Sequence[str]) -> ArticleSet:
    """Return the articles of these names, titles or addresses. Raises NotFound if the corpus lacks one."""
    found = articles(graph, corpus, names)
    if lacking := [name for name in names if name not in found]:
        raise NotFound(f"corpus {corpus!r} has no article {lacking[0]!r}: give its name, title or address")
    return _whole(graph, _Reached(tuple(dict.fromkeys(found[name] for name in names)), ()))


def _walk(graph: Graph, start: str, k: int, draw: random.Random, seen: Collection[frozenset[str]]) -> _Reached:
    """Draw each next article among those that share a name with the ones before; none that completes a set seen.

    An article whose title is such a name comes before others, as a link leads to it.
    """
    reached, names = [start], list[str]()
    while len(reached) < k:
        rows = graph.read("questions/linked_documents", keys=reached, most=MOST_PASSAGES)
        led = {row["key"]: own for row in rows if (own := _leading(row["title"] or "", row["names"]))}
        new = [key for key in led if frozenset((*reached, key)) not in seen]
        if not new:
            break
        chosen = draw.choice([key for key in new if led[key][0].titled] or new)
        reached.append(chosen)
        names.append(led[chosen][0].name)
    return _Reached(tuple(reached), tuple(dict.fromkeys(names)))


def _leading(title: str, names: Sequence[str]) -> list[_Leading]:
    """Return the names by which one finds an article, its title first.

    Abbreviations ("CEO") and single words of the dictionary ("Administration") are none unless they are its title.
    """
    bare = BRACKET.sub("", title)
    found = [_Leading(name == bare, name) for name in sorted(names)]
    telling = (one for one in found if one.titled or " " in one.name or not _is_word(one.name))
    return sorted(telling, key=lambda one: not one.titled)


def _is_word(name: str) -> bool:
    return name.isupper() or is_common(name.lower())


def _starts(graph: Graph, code: str, seed: int) -> Iterator[str]:
    """Yield the documents of a corpus in the order of their keys, which are hashes, from a point on, TRIES times."""
    point = code + keys.digest(keys.KEY - keys.CODE, "articles", seed)
    for after, until in ((point, f"{code}~"), (code, point)) * TRIES:
        last = after
        while rows := graph.read("read/documents", after=last, until=until, limit=PAGE):
            last = rows[-1]["document"]["key"]
            yield from (row["document"]["key"] for row in rows if row["document"]["doc_type"] != "question")


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
