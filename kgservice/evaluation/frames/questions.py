"""FRAMES' questions from their loader, and the articles of a corpus that they need."""

from __future__ import annotations

import json
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
    """Read questions from JSONL with FRAMES' fields, or a seeded sample of `limit`.

    A link is an article's address, or its name from the loader. Raises BadRequest if the file has no question.
    """
    questions, skipped = list[Framed](), Counter[str]()
    for item in sources.read("frames", [path]):
        if isinstance(item, Problem):
            skipped[item.reason] += 1
        elif not str(item.metadata["answer"]).strip():
            skipped["no answer"] += 1
        else:
            questions.append(_framed(item))
    if not questions:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
        raise BadRequest(f"{path} has no question of FRAMES' layout ({reasons or 'empty'}): see docs/evaluation.md")
    units, left_out = drawn(questions, skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def title_of(link: str) -> str:
    """Return the title of the article at an address. Any other link is a title already."""
    _, wiki, path = link.partition("/wiki/")
    return unquote(path.partition("#")[0]).replace("_", " ").strip() if wiki else link.strip()


def articles(graph: Graph, corpus: str, links: Iterable[str]) -> dict[str, str]:
    """Return the key of the document of each link. Links to articles that the corpus does not hold are dropped.

    An article matches by its loader's name, then by its address, then by its title.
    """
    wanted = {link: (link, title_of(link)) for link in links}
    names = sorted({name for pair in wanted.values() for name in pair})
    code = keys.corpus_code(corpus)
    rows = graph.read("read/documents_named", names=names, code=code, until=f"{code}~")
    stored: dict[str, str] = {}
    for field in ("source", "url", "title"):
        for row in rows:
            stored.setdefault(row[field] or "", row["key"])
    return {
        link: next(stored[name] for name in pair if name in stored)
        for link, pair in wanted.items()
        if any(name in stored for name in pair)
    }


def _framed(document: Document) -> Framed:
    fields = document.metadata
    return Framed(
        id=document.source, text=document.text, answer=str(fields["answer"]).strip(),
        types=_list(fields["reasoning_types"]), links=tuple(dict.fromkeys(_list(fields["wiki_links"]))),
    )  # fmt: skip


def _list(value: object) -> tuple[str, ...]:
    text = str(value)
    parts = json.loads(text) if text.startswith("[") else text.split("; ")
    return tuple(str(part) for part in parts if part)
