"""What a reader judged usable is still read from the same passages (tests/data/README.md)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.syntax import confidence
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract

JUDGED = Path(__file__).parents[1] / "data" / "judged_text.jsonl"


@pytest.mark.whole
def test_usable_triplets_are_still_found(shared_data: Path, request: pytest.FixtureRequest) -> None:
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    assert len(judged) == 120
    wanted = [row for row in judged if row["usable"] and row["genre"] == "encyclopaedia"]
    texts = {}
    with gzip.open(shared_data / "knowledgenet" / "test_documents_no_facts.jsonl.gz", "rt", encoding="utf-8") as stream:
        for document in map(json.loads, stream):
            title, _, text = document["documentText"].partition("\n")
            texts[f"knowledgenet-{document['documentId']}"] = title.strip(), text.strip()
    parser, found, kept, bar = Parser(), 0, 0, max(confidence.weights().bars.values())
    request.getfixturevalue("low_bar")
    for row in wanted:
        title, text = texts[row["source"]]
        stated = {
            (frozenset((one.subject.label, one.object.label)), one.relation.replace(" formerly ", " ")): one.confidence
            for doc in parser.parse(text, title)
            for one in extract(doc, title, pairs=packaged()).triplets
        }
        sure = stated.get((frozenset((row["subject"], row["object"])), row["said"]))
        found += sure is not None
        kept += sure is not None and sure >= bar
    assert found >= 0.95 * len(wanted)
    assert kept >= 0.75 * len(wanted)
