"""Whom pronouns mean: the coreference reader beside the rules, on what we marked and on GAP, as JSON.

The marks are of training/meant.jsonl, in the texts that taught the reader nothing: of the ends that it or a rule takes
for a name, the share that are right (precision), and of those that have one, the share that are found (recall). They
also fit how far its probabilities are to be believed. With --gap, a file of GAP (Webster et al. 2018,
https://github.com/google-research-datasets/gap-coreference), gap-test.tsv for instance: F1 of its two names a pronoun,
as the paper counts, in the setting that gives nothing but the text.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "training")]
os.environ["OMP_NUM_THREADS"] = "1"

from coreference_data import MARKS, marked, marks_of, passages
from drawn import DATA

from kgservice.extraction.readers.coreference_reader import Antecedent, packaged
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.fact_ends import End
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import resolver_of
from kgservice.text.periods import NO_CALENDAR

LEAST = {"reader": 0.0, "reader from a half": 0.5, "reader from three quarters": 0.75}  # probabilities
HERS = ("she", "her", "hers")


def main() -> None:
    """Print both measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gap", type=Path, help="a file of GAP")
    options = parser.parse_args()
    if not DATA.exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    found = {"marked": _marked()}
    if options.gap:
        found["gap"] = _gap(options.gap)
    print(json.dumps(found))


def _marked() -> dict[str, object]:
    rows = [json.loads(line) for line in MARKS.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["held"]]
    marks, counts, named, asked = marks_of(rows), Counter[str](), 0, 0
    for passage in passages(DATA, {row["source"] for row in rows}):
        for known in marked(passage, marks):
            read = packaged().meant(known.window, sorted(known.means))
            for end, label in known.means.items():
                asked, named = asked + 1, named + bool(label)
                rule = known.window.ends[end].name
                counts += _judged("rules", rule.label if rule else None, label)
                for way, least in LEAST.items():
                    best = read.get(end)
                    sure = best.name.label if best and best.probability >= least else None
                    counts += _judged(way, sure, label)
    shares = {
        way: {
            "precision": round(counts[f"{way} right"] / counts[f"{way} said"], 3),
            "recall": round(counts[f"{way} right"] / named, 3),
        }
        for way in ("rules", *LEAST)
    }
    return {"asked": asked, "named": named} | shares


def _judged(way: str, said: str | None, label: str) -> Counter[str]:
    return Counter({f"{way} said": said is not None, f"{way} right": said is not None and said == label})


def _gap(path: Path) -> dict[str, object]:
    """Return F1 of all, of his and of her pronouns, and the bias, her F1 by his, of the rules and of the reader."""
    parser, counts = Parser(), Counter[tuple[str, str, str]]()
    with path.open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            sex = "her" if row["Pronoun"].lower() in HERS else "his"
            for way, label in _answers(parser, row):
                for name in ("A", "B"):
                    said = label is not None and (label in row[name] or row[name] in label)
                    counts[way, sex, f"{said} {row[f'{name}-coref'] == 'TRUE'}"] += 1
    found: dict[str, object] = {}
    for way in ("rules", "reader"):
        both = {sex: _f1(counts, way, sex) for sex in ("his", "her")}
        f1 = {"all": _f1(counts, way, "his", "her"), **both, "bias": both["her"] / both["his"]}
        found[way] = {name: round(value, 3) for name, value in f1.items()}
    return found


def _answers(parser: Parser, row: dict[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield whom the rules and the reader take a pronoun for."""
    doc = parser.parse(row["Text"])[0]
    reader = Reader(doc, "", "", NO_CALENDAR, ends=True)
    list(reader.weighed())
    resolver, places = resolver_of(reader, ""), doc.user_data["places"]
    rule: End | None = None
    meant: Antecedent | None = None
    for at, met in enumerate(reader.met):
        for end in met.ends:
            if end.kind == "pronoun" and places[end.start] == int(row["Pronoun-offset"]):
                rule, meant = end, resolver.meant(at, end) if resolver else None
    yield "rules", rule.name.label if rule and rule.name else None
    yield "reader", meant.name.label if meant else None


def _f1(counts: Counter[tuple[str, str, str]], way: str, *sexes: str) -> float:
    right, wrong, missed = (
        sum(counts[way, sex, which] for sex in sexes) for which in ("True True", "True False", "False True")
    )
    return 2 * right / (2 * right + wrong + missed)


if __name__ == "__main__":
    main()
