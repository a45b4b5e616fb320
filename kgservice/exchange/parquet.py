"""Parquet with a data card, as `datasets.load_dataset(folder, "questions")` reads it; Croissant, RO-Crate, PROV beside.

Needs the extra kgservice[parquet].
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from kgservice.core.errors import BadRequest, SettingsError
from kgservice.exchange.crate import PROVENANCE, write_crate, write_provenance
from kgservice.exchange.exchange_rows import Row, Tables
from kgservice.questions.export.layouts import WrittenFile

WHAT = {
    "questions": "a question a row, with all of its answers",
    "evidence": "a place a row that states a fact of a question: the verbatim sentence, and where it stands",
    "texts": "every passage of the corpus, with its place in its document",
}

CARD = """---
pretty_name: {pretty}
language: [en]
task_categories: [question-answering, text-retrieval]
configs:
{configs}
---
# {name}

{questions:,} questions over {texts:,} passages of {documents:,} documents, made by kgservice from a knowledge graph.
Each has exactly one answer in the graph, and every fact behind it its sentence, document and characters.

```python
from datasets import load_dataset

questions = load_dataset("this-folder", "questions", split="test")
```

| table | rows | holds | columns |
|---|---|---|---|
{tables}

`evidence.question` is `questions.id`, `evidence.text` is `texts.id`; `start` and `end` count characters of the document
as it was loaded. The licences are those of the documents. `croissant.json` describes the same in Croissant 1.1,
`ro-crate-metadata.json` in RO-Crate 1.2, and `provenance.json` says in PROV which texts each question comes from.
"""


def write_parquet(found: Tables, name: str, folder: Path) -> list[WrittenFile]:
    """Write three Parquet files, README.md and croissant.json (SettingsError where pyarrow is not installed)."""
    arrow, parquet = _pyarrow()
    parts: dict[str, list[Row]] = {one: getattr(found, one) for one in WHAT}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table, rows in parts.items():
            parquet.write_table(arrow.Table.from_pylist(rows), folder / f"{table}.parquet")
        (folder / "README.md").write_text(_card(parts, name), encoding="utf-8")
        described = json.dumps(croissant(parts, name, folder), indent=1, ensure_ascii=False)
        (folder / "croissant.json").write_text(described + "\n", encoding="utf-8")
        described_by = {"README.md": "the data card", "croissant.json": "the tables in Croissant 1.1"}
        rest = [write_provenance(found, folder)]
        held = {f"{table}.parquet": what for table, what in WHAT.items()} | described_by
        rest.append(write_crate(held | {PROVENANCE: "where the questions come from, in PROV-JSON"}, name, folder))
    except OSError as error:
        raise BadRequest(f"cannot write {folder}: {error.strerror}") from error
    tables = [WrittenFile(f"{table}.parquet", len(rows)) for table, rows in parts.items()]
    return [*tables, WrittenFile("README.md", 1), WrittenFile("croissant.json", 1), *rest]


def croissant(parts: dict[str, list[Row]], name: str, folder: Path) -> Row:
    """Describe the tables that lie in a folder in Croissant 1.1, each with its SHA-256."""
    files = [
        {
            "@type": "cr:FileObject", "@id": f"{table}.parquet", "name": f"{table}.parquet",
            "contentUrl": f"{table}.parquet", "encodingFormat": "application/x-parquet",
            "sha256": hashlib.sha256((folder / f"{table}.parquet").read_bytes()).hexdigest(),
        }
        for table in parts
    ]  # fmt: skip
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": name,
        "description": "Questions with exactly one answer in a knowledge graph, their evidence, and the texts.",
        "license": "the licences of the documents",
        "citeAs": f"{name}, made by kgservice",
        "distribution": files,
        "recordSet": [_record_set(table, rows) for table, rows in parts.items()],
    }


def _record_set(table: str, rows: list[Row]) -> Row:
    fields = [
        {
            "@type": "cr:Field", "@id": f"{table}/{column}", "name": column, "description": f"{column} of {table}",
            "dataType": "sc:Integer" if isinstance(value, int) else "sc:Text",
            **({"repeated": True} if isinstance(value, list) else {}),
            "source": {"fileObject": {"@id": f"{table}.parquet"}, "extract": {"column": column}},
        }
        for column, value in (rows[0] if rows else {}).items()
    ]  # fmt: skip
    return {"@type": "cr:RecordSet", "@id": table, "name": table, "description": WHAT[table], "field": fields}


def _card(parts: dict[str, list[Row]], name: str) -> str:
    configs = "\n".join(
        f"- config_name: {table}\n  data_files: [{{split: test, path: {table}.parquet}}]"
        + ("\n  default: true" if table == "questions" else "")
        for table in parts
    )
    tables = "\n".join(
        f"| {table} | {len(rows):,} | {WHAT[table]} | {', '.join(rows[0] if rows else ())} |"
        for table, rows in parts.items()
    )
    return CARD.format(
        name=name, pretty=json.dumps(name, ensure_ascii=False), configs=configs, tables=tables,
        questions=len(parts["questions"]), texts=len(parts["texts"]),
        documents=len({row["document"] for row in parts["texts"]}),
    )  # fmt: skip


def _pyarrow() -> tuple[Any, ModuleType]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise SettingsError("Parquet needs pyarrow: pip install pyarrow") from error
    return pyarrow, parquet


_PLAIN = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format "
    "includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform"
)
_CONTEXT: Row = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{name: f"cr:{name}" for name in _PLAIN.split()},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
}
