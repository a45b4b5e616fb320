"""What a reader judged usable is still read from the same passages (tests/data/README.md)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from kgservice.extraction.rules import extract
from kgservice.extraction.syntax.parser import Parser

JUDGED = Path(__file__).parents[1] / "data" / "judged_text.jsonl"


def test_usable_triplets_are_still_found(shared_data: Path) -> None:
    judged = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    assert len(judged) == 72
    wanted = [row for row in judged if row["usable"] and row["genre"] == "encyclopaedia"]
    passages = {}
    with gzip.open(shared_data / "hipporag" / "2wikimultihopqa_corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            passage = json.loads(line)
            passages[passage["idx"]] = passage
    parser, found = Parser(), 0
    for row in wanted:
        passage = passages[int(row["source"])]
        stated = {
            (frozenset((one.subject.label, one.object.label)), one.relation)
            for doc in parser.parse(passage["text"], passage["title"])
            for one in extract(doc, passage["title"]).triplets
        }
        found += (frozenset((row["subject"], row["object"])), row["said"]) in stated
    assert found >= 0.95 * len(wanted)
