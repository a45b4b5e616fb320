"""Table facts of 10-K filings against their own inline XBRL tags: value, unit and period, cell by cell.

The filing is read twice by the product's own path, once with every tagged number replaced by its index: so each cell of
each table is known with its tag, and nothing in the product knows of tags. Agreement: the tag's number (its sign apart:
tags are signed as their concept wants, not as printed), its unit (currency, shares, plain or per cent), and its period
(the fiscal year that ends then, for a year or a day; else the day). Precision is over facts of tagged cells, recall
over all tagged cells of tables with a number in them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

from kgservice.core.records import Document, Triplet
from kgservice.extraction.tables.cells import split
from kgservice.extraction.tables.table_facts import table_triplets
from kgservice.text.chunking import chunks, tables
from kgservice.text.values import DOUBT, read_value
from loaders.sec.filings_10k import Filing10kLoader
from loaders.shared.files import File, opened

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")) / "sec-10k"
TAG = re.compile(r"(<ix:nonFraction\b([^>]*)>)([\d,.]+)(</ix:nonFraction>)")
MARK, FIRST = re.compile(r"9\d{8}"), 900_000_001
QUARTERS = ("first", "second", "third", "fourth")
QUARTER = 365.25 / 4  # days
SAID = re.compile(
    r"(?:the (\w+) quarter of fiscal |fiscal |(Q[1-4]) )(\d{4})|([A-Z][a-z]+ \d+, \d{4})"
    r"|the .* ended ([A-Z][a-z]+ \d+, \d{4})"
)
PLACE = re.compile(r"table at (\d+), row (\d+) \(.*\), column (\d+) \(")
Cell = tuple[int, int, int]  # table, row, column, as in Triplet.cell


class Tag(NamedTuple):
    """A tagged number: its concept, absolute value, unit and period (`start` None: an instant)."""

    concept: str
    value: float
    unit: str
    start: date | None
    end: date


def main() -> None:
    """Print precision and recall over the filings, and what is behind them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=DATA, help="filings as TICKER_ACCESSION.html.gz")
    parser.add_argument("--filing", default="", help="only files whose name starts so")
    parser.add_argument("--wrong", type=int, default=0, help="also print so many disagreeing facts and missed cells")
    options = parser.parse_args()
    if not options.folder.exists():
        print(json.dumps({"skip": f"no filings at {options.folder}; set KGS_TEST_DATA"}))
        return
    total: Counter[str] = Counter()
    rows = {}
    for path in sorted(options.folder.glob(f"{options.filing}*.html.gz")):
        counts = _compared(path, options.wrong)
        total += counts
        rows[path.name.split("_")[0]] = _shares(counts)
    print(json.dumps({"filings": len(rows), **_shares(total), "each": rows}))


def _shares(counts: Counter[str]) -> dict[str, float | int]:
    facts, cells = counts["facts"] or 1, counts["cells"] or 1
    missed = {name: count for name, count in sorted(counts.items()) if name.startswith("missed")}
    shares: dict[str, float | int] = {
        "tagged_cells": counts["cells"],
        "facts_of_tagged_cells": counts["facts"],
        "doubtful": counts["doubtful"],
    }
    shares |= {name: round(counts[name] / facts, 3) for name in ("value", "unit", "period")}
    return shares | {
        "precision": round(counts["right"] / facts, 3),
        "recall": round(counts["right"] / cells, 3),
        **missed,
    }


def _compared(path: Path, wrong: int) -> Counter[str]:
    with opened(path) as stream:
        source = stream.read().decode()
    tags: list[Tag] = list(_tags(source))
    document, marked = (_read(text, path.name) for text in (source, _marked(source)))
    gold = _cells(marked, tags)
    counts = Counter(cells=len(gold))
    stated, why = _outcomes(document)
    missed = set(gold)
    lines = [document.text[table.start : table.last].split("\n") for table in tables(document.text)]
    for cell, fact in stated.items():
        if cell not in gold:
            continue
        missed.discard(cell)
        if fact.object.label.endswith(DOUBT):
            counts["doubtful"] += 1
            continue
        agrees = _agrees(fact, gold[cell], document)
        counts.update(["facts", *agrees] + ["right"] * (len(agrees) == 3))
        if len(agrees) < 3 and wrong > 0:
            wrong -= 1
            said = f"{fact.subject.label} | {fact.relation} | {fact.object.label}"
            print(f"WRONG {sorted(agrees)} {gold[cell]}\n   {said}\n   {fact.sentence}")
    for cell in sorted(missed):
        counts["missed: " + why.get(cell, "no table fact")] += 1
        if wrong > 0:
            print("MISSED", why.get(cell), gold[cell], lines[cell[0]][0], lines[cell[0]][cell[1] + 1], sep="\n   ")
    return counts


def _read(source: str, name: str) -> Document:
    with TemporaryDirectory() as folder:
        path = Path(folder, name.removesuffix(".gz"))
        path.write_text(source, encoding="utf-8")
        found = Filing10kLoader(path).document(File(path, name))
    assert isinstance(found, Document), found
    return found


def _tags(source: str) -> Iterator[Tag]:
    """The tagged numbers in the order of TAG's matches."""
    periods = {}
    for name, body in re.findall(r'<xbrli:context id="([^"]+)">(.*?)</xbrli:context>', source, re.DOTALL):
        days = dict(re.findall(r"<xbrli:(instant|startDate|endDate)>\s*(\d{4}-\d\d-\d\d)", body))
        start = date.fromisoformat(days["startDate"]) if "startDate" in days else None
        periods[name] = (start, date.fromisoformat(days.get("instant") or days["endDate"]))
    units = {
        name: " ".join(re.findall(r"<xbrli:measure>(?:\w+:)?(\w+)", body))
        for name, body in re.findall(r'<xbrli:unit id="([^"]+)">(.*?)</xbrli:unit>', source, re.DOTALL)
    }
    for _, attributes, text, _ in TAG.findall(source):
        given = dict(re.findall(r'([\w:]+)="([^"]*)"', attributes))
        value = float(text.replace(",", "")) * 10 ** int(given.get("scale", "0"))
        yield Tag(given["name"], value, units.get(given["unitRef"], ""), *periods[given["contextRef"]])


def _marked(source: str) -> str:
    numbers = iter(range(FIRST, FIRST + 99_999_999))
    return TAG.sub(lambda found: f"{found[1]}{next(numbers)}{found[4]}", source)


def _cells(marked: Document, tags: list[Tag]) -> dict[Cell, Tag]:
    """The tagged cells of the tables; one with several numbers in it is left out."""
    found: dict[Cell, Tag] = {}
    for number, table in enumerate(tables(marked.text)):
        for row, line in enumerate(marked.text[table.first : table.last].split("\n")[2:], 1):
            for column, cell in enumerate(split(line.strip())[1:], 1):
                marks = MARK.findall(cell)
                if len(marks) == 1:
                    found[number, row, column] = tags[int(marks[0]) - FIRST]
    return found


def _outcomes(document: Document) -> tuple[dict[Cell, Triplet], dict[Cell, str]]:
    """The facts of the tables, and the reasons where there is none, by their cells."""
    starts = {table.first: at for at, table in enumerate(tables(document.text))}
    facts: dict[Cell, Triplet] = {}
    reasons: dict[Cell, str] = {}
    for chunk in chunks(document):
        if chunk.contains_table:
            place = next(at for first, at in starts.items() if chunk.start <= first < chunk.end)
            triplets, problems = table_triplets(chunk, document)
            for triplet in triplets:
                row, column = map(int, re.findall(r"\d+", triplet.cell)[:2])
                facts[place, row, column] = triplet
            for problem in problems:
                if said := PLACE.match(problem.detail):
                    reasons[starts[int(said[1])], int(said[2]), int(said[3])] = problem.reason
    return facts, reasons


def _agrees(fact: Triplet, tag: Tag, document: Document) -> set[str]:
    """Which of value, unit and period agree."""
    value = abs(fact.object.value) if isinstance(fact.object.value, float) else -1.0
    unit = (fact.object.unit or "").split(" ")[0]
    if unit in ("%", "percent"):
        value /= 100
    money = tag.unit.startswith("USD")
    same = {"unit"} if (unit == "USD") == money else set()
    same |= {"value"} if abs(value - tag.value) <= 1e-6 * max(tag.value, 1e-9) else set()
    opening = "beginning" in fact.relation.lower()
    return same | ({"period"} if _same_period(fact.period, opening, tag, document) else set())


def _same_period(period: str, opening: bool, tag: Tag, document: Document) -> bool:
    """True for the tag's fiscal year or quarter, or its day; a year's opening balance is tagged with the day before."""
    found = SAID.fullmatch(period)
    if not found or not found[3]:
        day = str(read_value(found[4] or found[5])[1]) if found else ""
        return day == tag.end.isoformat() or (tag.start is None and day == (tag.end + timedelta(days=1)).isoformat())
    behind = (date.fromisoformat(str(document.metadata["period"])) - tag.end).days
    years, quarters = divmod(round(behind / QUARTER), 4)
    near = abs(behind - (4 * years + quarters) * QUARTER) <= 10
    span = (tag.end - tag.start).days if tag.start else 0
    year = int(str(document.metadata["fiscal_year"])) - years + (opening and not span)
    if found[1] or found[2]:
        named = (QUARTERS[3 - quarters], f"Q{4 - quarters}")
        return int(found[3]) == year and (found[1] or found[2]) in named and near and 80 < span < 100
    return int(found[3]) == year and near and not quarters and (not span or 340 < span < 380)


if __name__ == "__main__":
    main()
