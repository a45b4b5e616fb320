"""What the tests of loaders share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from kgservice.core.records import Document
from loaders.shared.loader import FileLoader


def jsonl(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def sorted_out(loader: FileLoader) -> tuple[list[Document], Counter[tuple[str, str]]]:
    documents, problems = [], Counter[tuple[str, str]]()
    for item in loader.read():
        if isinstance(item, Document):
            documents.append(item)
        else:
            problems[item.state, item.reason] += 1
    return documents, problems


def reasons(loader: FileLoader) -> dict[str, int]:
    return {reason: count for (_, reason), count in sorted_out(loader)[1].items()}
