"""FRAMES' questions as their loader reads them, and the articles of a corpus that they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Problem, Record
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.graph.store import Graph
from kgservice.ingest import sources


class Framed(Record):
    """A question with its answer, its reasoning types, and the links of the articles that it needs."""

    id: str
    text: str
    answer: str
    types: tuple[str, ...]
    links: tuple[str, ...]


def read_questions(path: Path, limit: int | None = None, seed: int = 0) -> EvaluationSet[Framed]:
    """Read JSONL of FRAMES' fields; a seeded sample of `limit` (BadRequest where there is none).

    A link is an article's address, or what its loader names it.
    """
    found, skipped = list[Framed](), Counter[str]()
    for item in sources.read("frames", [path]):
        if isinstance(item, Problem):
            skipped[item.reason] += 1
        elif not str(item.metadata["answer"]).strip():
            skipped["no answer"] += 1
        else:
            found.append(_framed(item))
    if not found:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
        raise BadRequest(f"{path} has no question of FRAMES' layout ({reasons or 'empty'}): see docs/evaluation.md")
    units, left_out = drawn(found, skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def title_of(link: str) -> str:
    """Return the title of the article at an address; what is no address is a name already."""
    _, wiki, path = link.partition("/wiki/")
    return unquote(path.partition("#")[0]).replace("_", " ").strip() if wiki else link.strip()


def articles(graph: Graph, corpus: str, links: Iterable[str]) -> dict[str, str]:
    """Return the key of the document that each link leads to; what the corpus does not hold is left out.

    An article is known by what its loader names it, else by its address, else by its title.
    """
    wanted = {link: (link, title_of(link)) for link in links}
    names = sorted({name for pair in wanted.values() for name in pair})
    code = keys.corpus_code(corpus)
    rows = graph.read("read/documents_named", names=names, code=code, until=f"{code}~")
    known: dict[str, str] = {}
    for field in ("source", "url", "title"):
        for row in rows:
            known.setdefault(row[field] or "", row["key"])
    return {
        link: next(known[name] for name in pair if name in known)
        for link, pair in wanted.items()
        if any(name in known for name in pair)
    }


def _framed(document: Document) -> Framed:
    known = document.metadata
    return Framed(
        id=document.source, text=document.text, answer=str(known["answer"]).strip(),
        types=_list(known["reasoning_types"]), links=tuple(dict.fromkeys(_list(known["wiki_links"]))),
    )  # fmt: skip


def _list(value: object) -> tuple[str, ...]:
    return tuple(part for part in str(value).split("; ") if part)
