"""Questions for one fact in people's words, and the same about a name whose documents do not have the fact.

Words: those of SimpleQuestions for a property that at least two questions share, without the name. Facts and texts:
Re-DocRED, whose facts people marked. The questions do not depend on what kgservice reads of the texts.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
SHARED = 2  # questions of people that have the same words
FILINGS = {  # held out: company, its posts, auditor, and figures of two years in millions
    "dev": {
        "Apple": ("Timothy D. Cook|Tim Cook", "Luca Maestri", "Ernst & Young", ("total net sales", "$391,035 million", "$383,285 million"),
                  ("net income", "$93,736 million", "$96,995 million"), (2024, 2023)),
        "McDonald's": ("Christopher J. Kempczinski|Chris Kempczinski", "Ian F. Borden|Ian Borden", "Ernst & Young",
                       ("total revenues", "$25,493.7 million", "$23,182.6 million"), ("net income", "$8,468.8 million", "$6,177.4 million"), (2023, 2022)),
    },
    "held": {
        "NVIDIA": ("Jen-Hsun Huang|Jensen Huang", "Colette M. Kress|Colette Kress", "PricewaterhouseCoopers",
                   ("revenue", "$60,922 million", "$26,974 million"), ("net income", "$29,760 million", "$4,368 million"), (2024, 2023)),
        "NIKE": ("John J. Donahoe|John Donahoe", "Matthew Friend", "PricewaterhouseCoopers", ("revenues", "$51,362 million", "$51,217 million"),
                 ("net income", "$5,700 million", "$5,070 million"), (2024, 2023)),
    },
}  # fmt: skip
ABSENT = ("Costco", "Walmart", "Delta Air Lines", "Harley-Davidson")


class Case(NamedTuple):
    """A question and its right answers, none for a question that the documents do not answer. `why` is its kind."""

    question: str
    answers: tuple[str, ...]
    why: str


def lines(file: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    with gzip.open(DATA / file, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def wordings() -> dict[str, list[str]]:
    """Return the wordings of each property ("who is the father of X?"), the most usual first."""
    labels = {row["id"]: row["label"].lower() for row in lines("codex/entity_labels.jsonl.gz")}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for part in ("train", "valid"):
        text = gzip.decompress((DATA / f"simplequestions-wikidata/{part}.tsv.gz").read_bytes()).decode()
        for subject, property_, _, question in csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE):
            name = labels.get(subject)
            if name and len(name) > 3 and question.lower().count(name) == 1:
                words = question.lower().replace(name, "X").strip(" ?.")
                counts[property_][words[:1].upper() + words[1:] + "?"] += 1
    return {
        property_: [
            words for words, number in sorted(each.items(), key=lambda one: (-one[1], one[0])) if number >= SHARED
        ]
        for property_, each in counts.items()
    }


def texts(part: str, documents: int) -> list[dict[str, Any]]:
    """Return the documents of a part, "dev" (even ones) or "held" (odd ones)."""
    every = list(lines("re-docred/dev_revised.jsonl.gz"))
    return every[(part == "held") :: 2][:documents]


def written(document: dict[str, Any]) -> str:
    """Return a document's text from its tokens."""
    return joined(" ".join(" ".join(one) for one in document["sents"]))


def joined(text: str) -> str:
    """Return words and marks that stand apart as people write them: "Grey 's Anatomy" is "Grey's Anatomy"."""
    text = re.sub(r" ([,.;:!?)\]%]|'s\b|n't\b)", r"\1", text)
    return re.sub(r"([(\[$]) ", r"\1", text)


def cases(part: str, documents: int, number: int) -> list[Case]:
    """Return so many answerable questions of a part, and as many of each kind that its documents do not answer."""
    loaded, others = texts(part, documents), texts("dev" if part == "held" else "held", 250)
    spelt = {word for one in loaded for word in re.findall(r"\w+", f"{one['title']} {written(one)}".lower())}
    said, draw = wordings(), random.Random(7)
    facts: dict[tuple[str, str], set[str]] = defaultdict(set)
    types: dict[str, str] = {}
    for one in loaded:
        names = [sorted({joined(mention["name"]) for mention in entity}, key=len) for entity in one["vertexSet"]]
        for entity, called in zip(one["vertexSet"], names, strict=True):
            types[called[-1]] = entity[0]["type"]
        for label in one["labels"]:
            for called in names[label["h"]]:  # whatever a name may mean
                facts[called, label["r"]] |= {*names[label["t"]]}
            if label["r"].startswith("P"):
                for called in names[label["t"]]:
                    facts[called, "R" + label["r"][1:]] |= {*names[label["h"]]}
    stated = [
        (name, property_)
        for name, property_ in sorted(facts)
        if said.get(property_) and name in types and types[name] in ("PER", "ORG", "MISC", "LOC") and len(name) > 4
        and property_.startswith("P")
    ]  # fmt: skip
    by_property: dict[str, list[str]] = defaultdict(list)
    for name, property_ in stated:
        by_property[property_].append(name)
    absent = defaultdict(set)
    for one in others:
        for entity in one["vertexSet"]:
            longest = max((joined(mention["name"]) for mention in entity), key=len)
            if " " in longest and spelt.isdisjoint(
                word for word in re.findall(r"\w+", longest.lower()) if len(word) > 3
            ):
                absent[entity[0]["type"]].add(longest)
    found: list[Case] = []
    properties = sorted(by_property)
    draw.shuffle(properties)
    turn = 0
    asked = set()
    while len([one for one in found if one.why == "stated"]) < number and turn < 50:
        for property_ in properties:
            name = draw.choice(by_property[property_])
            words = draw.choice(said[property_][:4])
            if (name, property_) in asked or len([one for one in found if one.why == "stated"]) >= number:
                continue
            asked.add((name, property_))
            found.append(Case(words.replace("X", name), tuple(sorted(facts[name, property_])), "stated"))
            if absent[types[name]]:
                other = draw.choice(sorted(absent[types[name]]))
                found.append(Case(words.replace("X", other), (), "name not there"))
            silent = sorted(
                one for one, type_ in types.items()
                if type_ == types[name] and len(one) > 4 and (one, property_) not in facts
                and not any(one in other or other in one for other in by_property[property_])
            )  # fmt: skip
            if silent:
                found.append(Case(words.replace("X", draw.choice(silent)), (), "not said of it"))
        turn += 1
    return found


def filing_cases(part: str) -> list[Case]:
    """Return questions about companies' filings: posts, auditors, figures; and about companies that are not there."""
    found = []
    for name, (chief, finance, auditor, first, second, years) in FILINGS[part].items():
        whose = name if name.endswith("'s") else f"{name}'s"
        found += [
            Case(f"Who is the CEO of {name}?", tuple(chief.split("|")), "stated"),
            Case(f"Who is the chief executive officer of {name}?", tuple(chief.split("|")), "stated"),
            Case(f"Who is the CFO of {name}?", tuple(finance.split("|")), "stated"),
            Case(f"Who is {whose} chief financial officer?", tuple(finance.split("|")), "stated"),
            Case(f"Who is the auditor of {name}?", (auditor,), "stated"),
            Case(f"Who audits {name}?", (auditor,), "stated"),
        ]
        for label, *values in (first, second):
            for year, value in zip(years, values, strict=True):
                found.append(Case(f"What was {whose} {label} in fiscal {year}?", (value,), "stated"))
        found += [
            Case(f"Who is the chief scientist of {name}?", (), "not said of it"),
            Case(f"Who founded {name}?", (), "not said of it"),
            Case(f"Who is the mayor of {name}?", (), "not said of it"),
        ]
    for name in ABSENT:
        for words in ("Who is the CEO of X?", "Who is the CFO of X?", "Who is the auditor of X?", "Who founded X?",
                      "What was X's net income in fiscal 2023?", "What were the total revenues of X in 2022?"):  # fmt: skip
            found.append(Case(words.replace("X", name), (), "name not there"))
    return found
