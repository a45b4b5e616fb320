"""Which sides of relations usually have several members: printed for `objects` and `subjects` of relations.toml.

A group is (subject, relation) or (relation, object). Of each side the share of groups with one member is taken from the
documents of Re-DocRED that the relation reader is trained on, in two halves, and from CoDEx-M: a document says that one
person was born in a city where the world knows hundreds, so the smaller share counts.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from relation_data import HELD_DOCUMENTS, SCHEMA, Gold, check_data, re_docred

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
FEWEST = 8  # groups
SEVERAL = 0.5  # share of groups with one member, below which several is usual

Fact = tuple[str, str, str]
Side = tuple[str, str]  # relation, "objects" or "subjects"


def main() -> None:
    """Print relation, side, label and share of each side that usually has several members."""
    check_data(DATA)
    documents = list(re_docred(DATA))[:-HELD_DOCUMENTS]
    read, known = defaultdict[Side, list[int]](list), sizes(codex())
    for half in (documents[::2], documents[1::2]):
        for side, found in sizes(stated(half)).items():
            read[side] += found
    for side in sorted(read.keys() | known.keys()):
        if side[0] in SCHEMA.relations:
            enough = [groups for groups in (read[side], known.get(side, [])) if len(groups) >= FEWEST]
            share = min((groups.count(1) / len(groups) for groups in enough), default=1.0)
            if share < SEVERAL:
                print(*side, SCHEMA.relations[side[0]].label, f"{share:.2f}", sep="\t")


def sizes(facts: Iterable[Fact]) -> dict[Side, list[int]]:
    """Return the number of members of each group, by side."""
    groups: dict[tuple[str, Side], set[str]] = defaultdict(set)
    for subject, relation, other in facts:
        groups[subject, (relation, "objects")].add(other)
        groups[other, (relation, "subjects")].add(subject)
    found: dict[Side, list[int]] = defaultdict(list)
    for (_, side), members in groups.items():
        found[side].append(len(members))
    return found


def stated(documents: Iterable[Gold]) -> Iterator[Fact]:
    """Yield the facts of documents by the longest name of each end."""
    for gold in documents:
        names = [max((gold.text[a:b] for a, b in places), key=len) for places in gold.entities]
        for fact in gold.facts:
            yield names[fact.subject], fact.relation, names[fact.object]


def codex() -> Iterator[Fact]:
    """Yield the facts of CoDEx-M."""
    with gzip.open(DATA / "codex" / "codex-m.tsv.gz", "rt", encoding="utf-8") as lines:
        for row in list(csv.reader(lines, delimiter="\t"))[1:]:
            yield row[0], row[1], row[2]


if __name__ == "__main__":
    main()
