"""The results of a run in a file, a line a query."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record


class QueryResult(Record):
    """A query's documents by id, best first, and its measures."""

    query: str
    retriever: str
    found: tuple[str, ...]
    measures: dict[str, float]


def save(results: Sequence[QueryResult], folder: Path) -> Path:
    """Write a run as JSONL, a query a line, and return the file."""
    path = folder / f"{results[0].retriever.replace(':', '-')}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(result.model_dump_json() + "\n" for result in results), encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {path}: {error}") from error
    return path


def saved(path: Path) -> dict[str, dict[str, float]]:
    """Return the measures of a saved run by query. Raises BadRequest if the file is none."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {result.query: result.measures for result in map(QueryResult.model_validate, lines)}
    except (OSError, ValueError, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise BadRequest(f"{path} is no run that `evaluate retrieval --save` wrote: {reason}") from error
