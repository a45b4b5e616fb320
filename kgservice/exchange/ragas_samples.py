"""ragas: single-turn samples, as its `EvaluationDataset.from_jsonl` reads them."""

from __future__ import annotations

import json
from pathlib import Path

from kgservice.core.errors import BadRequest
from kgservice.exchange.exchange_rows import Tables, qrels
from kgservice.questions.export.layouts import WrittenFile
from kgservice.questions.export.question_rows import ragas_row

FILE = "samples.jsonl"


def write_ragas(found: Tables, folder: Path) -> list[WrittenFile]:
    """Write samples.jsonl: user_input, reference (the answers), reference_contexts (the passages of the evidence)."""
    texts, judged = {row["id"]: row["text"] for row in found.texts}, qrels(found.evidence)
    rows = [
        ragas_row(
            row["question"],
            row["answers"],
            [texts[key] for key in sorted(judged.get(row["id"], ())) if key in texts],
        )
        for row in found.questions
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / FILE).open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    except OSError as error:
        raise BadRequest(f"cannot write {folder}: {error.strerror}") from error
    return [WrittenFile(FILE, len(rows))]
