"""Small corpora with many chains, and the next version of one."""

from __future__ import annotations

import json
from pathlib import Path

FIRMS, TOWNS, LANDS = 7, 11, 13


def records(number: int, version: int = 0) -> list[dict[str, object]]:
    """Return documents about people, their firms, their towns; of the next version every third one says otherwise."""
    return [_record(n, n + 5 if version and n % 3 == 0 else n, number) for n in range(number)]


def write(path: Path, number: int, version: int = 0) -> Path:
    """Write the documents as the triplets loader reads them."""
    path.write_text("".join(json.dumps(one) + "\n" for one in records(number, version)), encoding="utf-8")
    return path


def _record(n: int, way: int, number: int) -> dict[str, object]:
    person, firm, town = f"Person {n}", f"Firm {way * FIRMS % number}", f"Town {n * TOWNS % number}"
    own, land = f"Firm {n}", f"Land {way % LANDS}"
    sentences = [
        (person, "works for", firm, f"{person} works for {firm}."),
        (own, "based in", town, f"{own} is based in {town}."),
        (f"Town {n}", "lies in", land, f"Town {n} lies in {land}."),
    ]
    return {
        "id": f"d{n}",
        "title": f"Document {n}",
        "text": " ".join(one[-1] for one in sentences),
        "triplets": [dict(zip(("subject", "relation", "object", "sentence"), one, strict=True)) for one in sentences],
    }
