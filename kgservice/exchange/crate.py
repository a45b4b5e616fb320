"""A folder of exported tables as an RO-Crate 1.2, and where its questions come from in PROV-JSON.

`rocrate` opens the first, `prov` the second, which it also writes as PROV-O, PROV-N or PROV-XML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from kgservice.exchange.exchange_rows import Row, Tables
from kgservice.questions.export.layouts import WrittenFile

CRATE, PROVENANCE = "ro-crate-metadata.json", "provenance.json"
FORMATS = {
    ".parquet": "application/vnd.apache.parquet", ".md": "text/markdown", ".json": "application/json",
}  # fmt: skip
SOFTWARE = "#kgservice"  # a thing of the crate itself: the program has no address of its own


def write_crate(files: Mapping[str, str], name: str, folder: Path) -> WrittenFile:
    """Write ro-crate-metadata.json of a folder; `files` says what each holds, by name."""
    parts = [
        {
            "@id": file, "@type": "File", "name": file, "description": what,
            "encodingFormat": FORMATS[Path(file).suffix], "contentSize": str((folder / file).stat().st_size),
        }
        for file, what in files.items()
    ]  # fmt: skip
    refs = [{"@id": file} for file in files]
    made = {"@id": SOFTWARE, "@type": "SoftwareApplication", "name": "kgservice", "version": version("kgservice")}
    root = {
        "@id": "./", "@type": "Dataset", "name": name, "datePublished": datetime.now(UTC).date().isoformat(),
        "description": "Questions with exactly one answer in a knowledge graph, their evidence, and the texts.",
        "license": "the licences of the documents", "hasPart": refs,
    }  # fmt: skip
    action = {
        "@id": "#made", "@type": "CreateAction", "name": "made the questions", "instrument": {"@id": SOFTWARE},
        "result": refs,
    }  # fmt: skip
    described = {
        "@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.2"},
    }  # fmt: skip
    graph = [described, root, made, action, *parts]
    return _written({"@context": "https://w3id.org/ro/crate/1.2/context", "@graph": graph}, folder / CRATE, len(graph))


def write_provenance(found: Tables, folder: Path) -> WrittenFile:
    """Write provenance.json: every question is derived from the texts of its evidence, and these from documents."""
    documents = {row["document"]: f"kgs:document-{number}" for number, row in enumerate(_firsts(found.texts))}
    texts = {row["id"]: f"kgs:{row['id']}" for row in found.texts}
    titles = {name: {"prov:label": source} for source, name in documents.items()}
    entities = titles | {name: {} for name in texts.values()}
    entities |= {f"kgs:{row['id']}": {"prov:label": row["question"]} for row in found.questions}
    pairs = [(f"kgs:{row['question']}", texts[row["text"]]) for row in found.evidence if row["text"] in texts]
    pairs += [(texts[row["id"]], documents[row["document"]]) for row in found.texts]
    derived = {
        f"_:d{number}": {"prov:generatedEntity": new, "prov:usedEntity": old}
        for number, (new, old) in enumerate(dict.fromkeys(pairs))
    }
    made = {
        f"_:g{number}": {"prov:entity": f"kgs:{row['id']}", "prov:activity": "kgs:making"}
        for number, row in enumerate(found.questions)
    }
    agent = {"kgs:kgservice": {"prov:type": {"$": "prov:SoftwareAgent", "type": "prov:QUALIFIED_NAME"}}}
    content = {
        "prefix": {"kgs": "urn:kgservice:"}, "entity": entities, "activity": {"kgs:making": {}}, "agent": agent,
        "wasDerivedFrom": derived, "wasGeneratedBy": made,
        "wasAssociatedWith": {"_:a": {"prov:activity": "kgs:making", "prov:agent": "kgs:kgservice"}},
    }  # fmt: skip
    return _written(content, folder / PROVENANCE, len(derived))


def _firsts(texts: list[Row]) -> list[Row]:
    return list({row["document"]: row for row in texts}.values())


def _written(content: object, file: Path, lines: int) -> WrittenFile:
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return WrittenFile(file.name, lines)
