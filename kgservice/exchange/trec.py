"""TREC's files: topics, qrels and runs, as trec_eval, pytrec_eval, ir_datasets, Pyserini and PyTerrier read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kgservice.core.errors import BadRequest
from kgservice.exchange.exchange_rows import Tables, qrels
from kgservice.questions.export.layouts import WrittenFile
from kgservice.vectors.embedder import passage


def write_trec(found: Tables, folder: Path) -> list[WrittenFile]:
    """Write topics.tsv (id, question), qrels.txt (question 0 text 1) and collection.jsonl (id, contents)."""
    judged = qrels(found.evidence)
    topics = (f"{row['id']}\t{' '.join(row['question'].split())}" for row in found.questions)
    judgements = (f"{key} 0 {text} {grade}" for key, row in judged.items() for text, grade in sorted(row.items()))
    contents = (
        json.dumps({"id": row["id"], "contents": passage(row["title"], row["text"])}, ensure_ascii=False)
        for row in found.texts
    )
    files = {"topics.tsv": topics, "qrels.txt": judgements, "collection.jsonl": contents}
    return [_written(folder / name, lines) for name, lines in files.items()]


def write_run(results: Mapping[str, Sequence[str]], tag: str, file: Path) -> WrittenFile:
    """Write what a system found, by query and best first, as a run; names with blanks cannot be written (BadRequest).

    Scores fall by rank, as trec_eval puts equal ones in an order of its own. A name counts at its first rank.
    """
    name = "-".join(tag.split()) or "run"
    rows = []
    for query, found in results.items():
        ranked = list(dict.fromkeys(found))
        if bad := next((one for one in (query, *ranked) if not one or one.split() != [one]), None):
            raise BadRequest(f"{bad!r} cannot be written to a TREC run: an id has no blanks")
        rows += [f"{query} Q0 {one} {rank} {len(ranked) - rank + 1} {name}" for rank, one in enumerate(ranked, 1)]
    return _written(file, rows)


def _written(file: Path, lines: Iterable[str]) -> WrittenFile:
    text = "".join(f"{line}\n" for line in lines)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}") from error
    return WrittenFile(file.name, text.count("\n"))
