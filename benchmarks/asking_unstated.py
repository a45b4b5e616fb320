"""What `ask` answers to questions in people's words: facts that the texts state, and what they do not state.

Wikipedia: the words are those of SimpleQuestions for a property, which at least two questions share, without the name;
facts and texts are Re-DocRED's, whose facts people marked. Filings: posts, auditors and figures of two 10-K filings.
Each kind counts right, wrong and refused answers. An answer is right if it has a right answer's words, or a right
answer has its words. No question depends on what kgservice reads of the texts.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import own_graph
from reader import DATA

from kgservice import Corpus, Settings
from kgservice.text.matching import match

NEEDED = ("re-docred", "simplequestions-wikidata", "codex", "sec-10k")
SHARED = 2  # questions of people that have the same words
WORDINGS = 4  # of a property, the most usual ones
TURNS = 50
KINDS = ("stated", "name not there", "not said of it")
COUNTS = ("right", "wrong", "refused")


class Filing(NamedTuple):
    """A company's 10-K: its officers, by each way to write them, its auditor, and two figures of two years each."""

    ticker: str
    chief: tuple[str, ...]
    finance: tuple[str, ...]
    auditor: str
    figures: dict[str, dict[int, str]]


FILINGS = {
    "dev": {
        "Apple": Filing(
            "AAPL",
            ("Timothy D. Cook", "Tim Cook"),
            ("Luca Maestri",),
            "Ernst & Young",
            {
                "total net sales": {2024: "$391,035 million", 2023: "$383,285 million"},
                "net income": {2024: "$93,736 million", 2023: "$96,995 million"},
            },
        ),
        "McDonald's": Filing(
            "MCD",
            ("Christopher J. Kempczinski", "Chris Kempczinski"),
            ("Ian F. Borden", "Ian Borden"),
            "Ernst & Young",
            {
                "total revenues": {2023: "$25,493.7 million", 2022: "$23,182.6 million"},
                "net income": {2023: "$8,468.8 million", 2022: "$6,177.4 million"},
            },
        ),
    },
    "held": {
        "NVIDIA": Filing(
            "NVDA",
            ("Jen-Hsun Huang", "Jensen Huang"),
            ("Colette M. Kress", "Colette Kress"),
            "PricewaterhouseCoopers",
            {
                "revenue": {2024: "$60,922 million", 2023: "$26,974 million"},
                "net income": {2024: "$29,760 million", 2023: "$4,368 million"},
            },
        ),
        "NIKE": Filing(
            "NKE",
            ("John J. Donahoe", "John Donahoe"),
            ("Matthew Friend",),
            "PricewaterhouseCoopers",
            {
                "revenues": {2024: "$51,362 million", 2023: "$51,217 million"},
                "net income": {2024: "$5,700 million", 2023: "$5,070 million"},
            },
        ),
    },
}
UNKNOWN = ("Who is the chief scientist of X?", "Who founded X?", "Who is the mayor of X?")
ABSENT = ("Costco", "Walmart", "Delta Air Lines", "Harley-Davidson")
OF_ABSENT = (
    "Who is the CEO of X?",
    "Who is the CFO of X?",
    "Who is the auditor of X?",
    "Who founded X?",
    "What was X's net income in fiscal 2023?",
    "What were the total revenues of X in 2022?",
)


class Case(NamedTuple):
    """A question and its right answers, none for a question that the documents do not answer. `why` is its kind."""

    question: str
    answers: tuple[str, ...]
    why: str


class Marked(NamedTuple):
    """What people marked: the ends of each name and property ("R…" for its inverse), and each entity's type."""

    facts: dict[tuple[str, str], set[str]]
    types: dict[str, str]


def main() -> None:
    """Load a part's texts and filings, ask, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=list(FILINGS), default="held", help="half of the documents (default held)")
    parser.add_argument("--documents", type=int, default=150, help="texts of Wikipedia (default 150)")
    parser.add_argument("--questions", type=int, default=40, help="stated facts of Wikipedia to ask for (default 40)")
    options = parser.parse_args()
    if missing := [folder for folder in NEEDED if not (DATA / folder).is_dir()]:
        print(json.dumps({"skip": f"no {', '.join(missing)} at {DATA}: KGS_TEST_DATA names the data folder"}))
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, own_graph(Path(folder)) as graph:
        settings = Settings(home=Path(folder))
        filings, wikipedia = Corpus("filings", graph, settings), Corpus("wikipedia", graph, settings)
        filings.load(*filing_paths(options.part), loader="filings_10k")
        wikipedia.load(text_files(options.part, options.documents, Path(folder) / "texts"))
        counts = answered(filings, filing_cases(options.part), "filings")
        counts += answered(wikipedia, cases(options.part, options.documents, options.questions), "wikipedia")
    print(json.dumps({"part": options.part} | summary(counts)))


def filing_paths(part: str) -> list[Path]:
    """Return the files of a part's filings."""
    return [path for filing in FILINGS[part].values() for path in (DATA / "sec-10k").glob(f"{filing.ticker}_*.html.gz")]


def text_files(part: str, documents: int, folder: Path) -> Path:
    """Write a part's documents to a folder, a file each, and return the folder."""
    folder.mkdir()
    for at, one in enumerate(texts(part, documents)):
        (folder / f"{at}.txt").write_text(f"{one['title']}\n\n{written(one)}\n", encoding="utf-8")
    return folder


def answered(corpus: Corpus, asked: Sequence[Case], where: str) -> Counter[tuple[str, str]]:
    """Ask all questions, and return how many answers of each kind are right, wrong or refused."""
    return Counter((group(case, where), outcome(case, corpus.ask(case.question).answer)) for case in asked)


def group(case: Case, where: str) -> str:
    """Return the line of the summary that counts a case."""
    return f"{case.why} {where}" if case.answers else case.why


def outcome(case: Case, answer: str) -> str:
    """Return "right", "wrong" or "refused". An answer to a question without an answer is wrong."""
    if not answer:
        return "refused"
    return "right" if any(match(answer, one) or match(one, answer) for one in case.answers) else "wrong"


def summary(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return each kind's questions, and how many answers are right, wrong and refused."""
    stated, *unanswerable = KINDS
    return {
        kind: {"questions": sum(counts[kind, one] for one in COUNTS)} | {one: counts[kind, one] for one in COUNTS}
        for kind in (f"{stated} filings", f"{stated} wikipedia", *unanswerable)
    }


def filing_cases(part: str) -> list[Case]:
    """Return questions about companies' filings: posts, auditors, figures; and about companies that are not there."""
    stated, name_not_there, not_said = KINDS
    found = []
    for name, filing in FILINGS[part].items():
        whose = name if name.endswith("'s") else f"{name}'s"
        found += [
            Case(f"Who is the CEO of {name}?", filing.chief, stated),
            Case(f"Who is the chief executive officer of {name}?", filing.chief, stated),
            Case(f"Who is the CFO of {name}?", filing.finance, stated),
            Case(f"Who is {whose} chief financial officer?", filing.finance, stated),
            Case(f"Who is the auditor of {name}?", (filing.auditor,), stated),
            Case(f"Who audits {name}?", (filing.auditor,), stated),
        ]
        for label, values in filing.figures.items():
            found += [
                Case(f"What was {whose} {label} in fiscal {year}?", (value,), stated) for year, value in values.items()
            ]
        found += [Case(words.replace("X", name), (), not_said) for words in UNKNOWN]
    return found + [Case(words.replace("X", name), (), name_not_there) for name in ABSENT for words in OF_ABSENT]


def cases(part: str, documents: int, number: int) -> list[Case]:
    """Return so many answerable questions of a part, and as many of each kind that its documents do not answer."""
    loaded, others = texts(part, documents), texts("dev" if part == "held" else "held", 250)
    said, known, absent = wordings(), marked(loaded), absent_names(loaded, others)
    subjects, draw = asked_subjects(known, said), random.Random(7)
    properties = sorted(subjects)
    draw.shuffle(properties)
    found: list[Case] = []
    asked: set[tuple[str, str]] = set()
    for property_ in properties * TURNS:
        name, words = draw.choice(subjects[property_]), draw.choice(said[property_][:WORDINGS])
        if len(asked) < number and (name, property_) not in asked:
            asked.add((name, property_))
            type_ = known.types[name]
            choices = (
                [(name, tuple(sorted(known.facts[name, property_])))],
                [(other, ()) for other in sorted(absent[type_])],
                [(other, ()) for other in silent_names(known, property_, type_, subjects[property_])],
            )
            found += one_of_each(choices, words, draw)
        if len(asked) == number:
            break
    return found


def one_of_each(
    choices: Sequence[Sequence[tuple[str, tuple[str, ...]]]], words: str, draw: random.Random
) -> Iterator[Case]:
    """Yield a case of each kind that has a name: the words, about a name drawn from its names."""
    for why, names in zip(KINDS, choices, strict=True):
        if names:
            name, answers = names[0] if why == KINDS[0] else draw.choice(names)
            yield Case(words.replace("X", name), answers, why)


def marked(documents: Sequence[dict[str, Any]]) -> Marked:
    """Return the facts that people marked in documents, by whatever name an entity has there."""
    found = Marked(defaultdict(set), {})
    for one in documents:
        names = [
            sorted({joined(of["name"]) for of in entity}, key=lambda name: (len(name), name))
            for entity in one["vertexSet"]
        ]
        for entity, called in zip(one["vertexSet"], names, strict=True):
            found.types[called[-1]] = entity[0]["type"]
        for label in one["labels"]:
            head, tail, property_ = names[label["h"]], names[label["t"]], label["r"]
            for called in head:
                found.facts[called, property_] |= {*tail}
            if property_.startswith("P"):
                for called in tail:
                    found.facts[called, f"R{property_[1:]}"] |= {*head}
    return found


def asked_subjects(known: Marked, said: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the names that have a fact of each property that people have words for; of no inverse property."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, property_ in sorted(known.facts):
        asked = len(name) > 4 and known.types.get(name) in ("PER", "ORG", "MISC", "LOC")
        if asked and property_.startswith("P") and said.get(property_):
            found[property_].append(name)
    return found


def absent_names(loaded: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> dict[str, set[str]]:
    """Return names of other documents, by type, of which no long word is in the loaded ones."""
    spelt = {word for one in loaded for word in split(f"{one['title']} {written(one)}")}
    found: dict[str, set[str]] = defaultdict(set)
    for one in others:
        for entity in one["vertexSet"]:
            longest = max((joined(mention["name"]) for mention in entity), key=len)
            if " " in longest and spelt.isdisjoint(word for word in split(longest) if len(word) > 3):
                found[entity[0]["type"]].add(longest)
    return found


def silent_names(known: Marked, property_: str, type_: str, subjects: Collection[str]) -> list[str]:
    """Return the names of a type that have no fact of a property, and nothing in common with a name that has one."""
    return sorted(
        name
        for name, other in known.types.items()
        if other == type_ and len(name) > 4 and (name, property_) not in known.facts
        if not any(name in one or one in name for one in subjects)
    )


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


def lines(file: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    with gzip.open(DATA / file, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def written(document: dict[str, Any]) -> str:
    """Return a document's text from its tokens."""
    return joined(" ".join(" ".join(one) for one in document["sents"]))


def joined(text: str) -> str:
    """Return words and marks that stand apart as people write them: "Grey 's Anatomy" is "Grey's Anatomy"."""
    text = re.sub(r" ([,.;:!?)\]%]|'s\b|n't\b)", r"\1", text)
    return re.sub(r"([(\[$]) ", r"\1", text)


def split(text: str) -> list[str]:
    """Return a text's words in lower case."""
    return re.findall(r"\w+", text.lower())


if __name__ == "__main__":
    main()
