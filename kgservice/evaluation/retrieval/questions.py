"""Queries with judged documents: BEIR's queries.jsonl and qrels/*.tsv, or MultiHop-RAG's MultiHopRAG.json alone."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO, cast

from pydantic import Field

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record


class Judged(Record):
    """A query and the grades of its documents by id. A grade above 0 is gold. `kind`: its type, if the file has one."""

    id: str
    text: str
    grades: dict[str, int]
    kind: str = Field("", exclude=True)  # no part of what is asked: the digest of a run leaves it out

    @property
    def gold(self) -> tuple[str, ...]:
        """Return the ids of the gold documents, in the order of the file."""
        return tuple(document for document, grade in self.grades.items() if grade > 0)


class Judgements(Record):
    """The queries to evaluate, and the number of skipped ones by reason."""

    queries: tuple[Judged, ...]
    skipped: dict[str, int]


def judgements(queries: Path, qrels: Sequence[Path]) -> Judgements:
    """Read queries and their judgements, also from .gz. Without qrels, `queries` is MultiHop-RAG's file.

    Raises BadRequest if a line has another form or no query is left.
    """
    read, graded, kinds = ([*_queries(queries)], grades(qrels), dict[str, str]()) if qrels else _with_evidence(queries)
    judged: dict[str, Judged] = {}
    skipped: Counter[str] = Counter()
    for name, text in read:
        if name in judged:
            skipped["repeated id"] += 1
        elif not text.strip():
            skipped["no text"] += 1
        elif not any(grade > 0 for grade in graded.get(name, {}).values()):
            skipped["no judgement above 0"] += 1
        else:
            judged[name] = Judged(id=name, text=text, grades=graded[name], kind=kinds.get(name, ""))
    if unknown := graded.keys() - {name for name, _ in read}:
        skipped["judged, but no such query"] = len(unknown)
    if not judged:
        where = ", ".join(map(str, qrels or [queries]))
        raise BadRequest(f"no query of {queries} has a judgement above 0 in {where}: do they match?")
    return Judgements(queries=tuple(judged.values()), skipped=dict(sorted(skipped.items())))


def _with_evidence(path: Path) -> tuple[list[tuple[str, str]], dict[str, dict[str, int]], dict[str, str]]:
    """Read MultiHopRAG.json: the queries by number, the addresses of the articles of their evidence, and the types."""
    try:
        rows = json.loads("\n".join(line for _, line in lines(path)))
        read = [(str(number), str(row["query"])) for number, row in enumerate(rows)]
        found = [{str(one["url"]): 1 for one in row["evidence_list"]} for row in rows]
        kinds = [str(row.get("question_type", "")).removesuffix("_query") for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        form = '[{"query": …, "evidence_list": [{"url": …}]}]'
        raise BadRequest(f"{path}: give --qrels with BEIR's queries, or MultiHop-RAG's {form} ({error!r})") from error
    numbers = [number for number, _ in read]
    return read, dict(zip(numbers, found, strict=True)), dict(zip(numbers, kinds, strict=True))


def grades(qrels: Sequence[Path]) -> dict[str, dict[str, int]]:
    """Read judgements, {query: {document: grade}}. The last of two for one pair wins.

    White space around an id is dropped, as by the loader of the corpus.
    """
    by_query: dict[str, dict[str, int]] = defaultdict(dict)
    for path in qrels:
        for query, document, grade in _judged(path):
            by_query[query][document] = grade
    return dict(by_query)


def _queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in lines(path):
        try:
            record = json.loads(line)
            yield str(record["_id"]).strip(), str(record["text"])
        except (ValueError, TypeError, KeyError) as error:
            raise BadRequest(f'{path}, line {number}: a query is {{"_id": …, "text": …}} ({error!r})') from error


def _judged(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, line in lines(path):
        parts = line.split("\t")
        try:
            query, document, grade = parts
            yield query.strip(), document.strip(), int(grade)
        except ValueError as error:
            if number == 1 and parts[-1].strip() == "score":
                continue
            raise BadRequest(f"{path}, line {number}: a judgement is query-id, corpus-id, score, by tabs") from error


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers. Raises BadRequest if the file cannot be read."""
    try:
        with cast("TextIO", (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8-sig")) as file:
            yield from ((number, line.rstrip("\r\n")) for number, line in enumerate(file, 1) if line.strip())
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise BadRequest(f"cannot read {path}: {error}") from error
