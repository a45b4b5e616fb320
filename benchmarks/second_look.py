"""How true "exactly one answer" is of the text, before and after the second look: CoDEx-S told whole, read in part.

Every fact of CoDEx-S between labelled things is a sentence of its subject's passage: in half of them in words of the
schema, in the other half in words written for this benchmark (`OTHERWISE`), of which the look knows none but by chance
("known" in the output says how many). Only a seeded share of the facts is in the graph; its things have the class
that a recogniser gives (person, place …). A question is unique in truth where each of its steps has one member in all
of CoDEx-S; of the conditional ones, where one thing meets both conditions.

`--texts re-docred` takes documents that people wrote and marked instead: every other one of the last 150 of Re-DocRED
(`--half`), with a seeded share of those marked facts whose evidence names both ends; the truth is all that is marked.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "training")]  # kgservice from this checkout

from relation_data import HELD_DOCUMENTS, Gold, re_docred
from scipy.stats import binomtest

from kgservice.core.records import Document, Subgraph, Term, Triplet
from kgservice.core.schema import Schema, load_schema
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.managed_neo4j import server
from kgservice.questions.passage_facts import content
from kgservice.questions.patterns import SubgraphOptions, sample
from kgservice.questions.rivals import same, sayings
from kgservice.questions.second_look import SecondLook
from kgservice.questions.wording.steps import steps
from kgservice.text.values import read_value

PUBLIC = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
DATA = PUBLIC / "codex"
RECALL = 0.22
CORPUS = "codex"
PATTERNS = ("single", "chain", "star", "inverted_star", "conditional_chain", "conditional_star",
            "conditional_inverted_star")  # fmt: skip
TOP = ("person", "place", "organization", "work", "event")
MARKED = {"PER": "person", "ORG": "organization", "LOC": "place"}  # Re-DocRED's types
OTHERWISE = {
    "P106": ("X earned a living as a Y", "X made a career as a Y"),
    "P530": ("X keeps an embassy in Y", "X exchanged ambassadors with Y"),
    "P463": ("X became part of Y", "X is among the Y roster"),
    "P136": ("X is best described as Y", "critics file X under Y"),
    "P27": ("X carried a passport of Y", "X was naturalised in Y"),
    "P1412": ("X corresponded in Y", "X knew Y well"),
    "P1303": ("X performed on the Y", "X mastered the Y"),
    "P264": ("X recorded for Y", "X had a contract with Y"),
    "P737": ("X owed much to Y", "X took cues from Y"),
    "P69": ("X spent some years at Y as an undergraduate", "X was a pupil of Y"),
    "P101": ("X published mostly on Y", "X is remembered for contributions to Y"),
    "P140": ("X was baptised into Y", "X adhered to Y"),
    "P172": ("X has Y roots", "X came from a Y family"),
    "P108": ("X held a chair at Y", "X was on the payroll of Y"),
    "P19": ("X came into the world in Y", "X's mother gave birth to X in Y"),
    "P20": ("X drew a last breath in Y", "X's life ended in Y"),
    "P551": ("X made a house in Y", "X spent many years in Y"),
    "P509": ("X fell victim to Y", "X's end came through Y"),
    "P30": ("X is one of the states of Y", "X is found in Y"),
    "P37": ("X conducts its affairs in Y", "laws of X are written in Y"),
    "P102": ("X stood for Y", "X sat in parliament for Y"),
    "P17": ("X is found in Y", "X is administered by Y"),
    "P361": ("X makes up a share of Y", "X is one of the pieces of Y"),
    "P3373": ("X and Y had the same parents", "X was raised together with Y"),
    "P119": ("X has a grave in Y", "the tomb of X is in Y"),
    "P26": ("X tied the knot with Y", "X exchanged vows with Y"),
    "P135": ("X is counted among the exponents of Y", "X stood for Y"),
    "P451": ("X was in a relationship with Y", "X shared a flat with Y"),
    "P1050": ("X lived with Y", "X was afflicted by Y"),
    "P159": ("X runs its business from Y", "X has its main building in Y"),
    "P40": ("X became the father of Y", "Y took after X"),
    "P161": ("X was shot with Y", "the credits of X list Y"),
    "P35": ("X is governed by Y", "Y took power in X"),
    "P740": ("X got together in Y", "X's first meeting was in Y"),
    "P749": ("X is controlled by Y", "X answers to Y"),
    "P112": ("X goes back to Y", "Y brought X into being"),
    "P495": ("X was shot in Y", "X is a Y production"),
    "P138": ("X bears the memory of Y", "X commemorates Y"),
    "P840": ("X takes the reader to Y", "X unfolds in Y"),
    "P800": ("X is the pen behind Y", "X is remembered for Y"),
}  # fmt: skip

Fact = tuple[str, str, str]


def main() -> None:
    """Print, by pattern, what is unique in truth of what the graph says is unique and of what the look leaves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", choices=("codex", "re-docred"), default="codex")
    parser.add_argument("--half", choices=("even", "odd"), default="even", help="of Re-DocRED's documents")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=1500, help="questions a pattern")
    parser.add_argument("--recall", type=float, default=RECALL)
    parser.add_argument("--show", type=int, default=0, help="print so many false ones that the look lets pass")
    parser.add_argument("--json", action="store_true", help="what it does anyway")
    options = parser.parse_args()
    if not DATA.exists():
        print(json.dumps({"skip": f"no {DATA}: KGS_TEST_DATA names the folder of public data"}))
        return
    schema = load_schema()
    assert schema is not None
    facts, documents, known = made(schema, options)
    truth = Truth(schema, facts)
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        running = server.start(Path(folder), Settings().cache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                print(json.dumps(measured(graph, documents, truth, options) | {"facts": len(facts), **known}))
        finally:
            server.stop(Path(folder))


def made(schema: Schema, options: Any) -> tuple[list[Fact], list[Document], dict[str, float]]:
    """Return the whole truth, the documents with the facts that were read, and what is to be printed of them."""
    if options.texts == "re-docred":
        return (*annotated(schema, options), {})
    facts = sorted(told(schema))
    documents, known = texts(schema, facts, classes(schema), options.recall, options.seed)
    return facts, documents, {"known": round(known, 3)}


def measured(graph: Graph, documents: list[Document], truth: Truth, options: Any) -> dict[str, Any]:
    """Load, list, look, and count."""
    begun = time.perf_counter()
    write_all(graph, documents, CORPUS, Recipe(schema_name="default"), LoadCounts(Unrecorded()), lambda *_: None)  # type: ignore[arg-type]
    loading = time.perf_counter() - begun
    found: dict[str, Any] = {"documents": len(documents)}
    look, looking, whole = SecondLook(graph), 0.0, defaultdict[str, list[tuple[bool, str]]](list)
    for pattern in PATTERNS:
        rows = sample(graph, CORPUS, pattern, SubgraphOptions(), size=options.sample, seed=options.seed)
        begun = time.perf_counter()
        for start in range(0, len(rows), 500):
            look.read(rows[start : start + 500])
            for row in rows[start : start + 500]:
                reason, rivals = look.fault(row)
                name = f"single {row.asked}" if pattern == "single" else pattern
                whole[name].append((truth.unique(row), reason))
                if options.show and not reason and not truth.unique(row):
                    print(
                        "passed", row.pattern, row.asked, row.relations, row.named, row.answers, truth.others(row)[:3]
                    )
                elif options.show and reason and truth.unique(row) and random.Random(row.id).random() < 0.1:
                    print("withheld", row.pattern, row.asked, row.relations, row.named, row.answers, reason, rivals[:1])
        looking += time.perf_counter() - begun
    found["seconds"] = {"load without vectors": round(loading, 1), "look": round(looking, 1)}
    every = [one for name, ones in whole.items() for one in ones]
    found |= {name: counted(ones) for name, ones in {**whole, "all": every}.items()}
    everything = found["all"]
    return found | {"unique": everything["unique after"][0], "kept": everything["kept of the unique"][0]}


def counted(ones: list[tuple[bool, str]]) -> dict[str, Any]:
    """Shares with intervals of 95 % (Clopper and Pearson's)."""
    passed = [unique for unique, reason in ones if not reason]
    true = [not reason for unique, reason in ones if unique]
    return {
        "listed": len(ones), "unique before": share([unique for unique, _ in ones]), "asked": len(passed),
        "unique after": share(passed), "kept of the unique": share(true),
        "reasons": dict(Counter(reason for _, reason in ones if reason)),
    }  # fmt: skip


def share(values: list[bool]) -> list[float]:
    """A share with its interval."""
    if not values:
        return []
    test = binomtest(sum(values), len(values)).proportion_ci(0.95)
    return [round(sum(values) / len(values), 3), round(test.low, 3), round(test.high, 3)]


class Unrecorded:
    """A journal that keeps nothing."""

    def problem(self, *_: object, **__: object) -> None: ...


class Truth:
    """All facts, both ways where the schema says so."""

    def __init__(self, schema: Schema, facts: list[Fact]) -> None:
        self._sr: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._ro: dict[tuple[str, str], set[str]] = defaultdict(set)
        for subject, relation, other in facts:
            both = schema.relations[relation].symmetric
            for one, two in ((subject, other), (other, subject))[: 1 + both]:
                self._sr[one, relation].add(two)
                self._ro[two, relation].add(one)

    def others(self, row: Subgraph) -> list[str]:
        """What else fits, in no spelling of the answer."""
        groups = list(self._groups(row))
        if row.asked == "pivot":
            found = set.intersection(*(members for members, _ in groups))
            return sorted(one for one in found if not same(one, row.answers))
        return sorted({one for members, own in groups for one in members if not same(one, (own,))})

    def unique(self, row: Subgraph) -> bool:
        """Whether nothing else fits."""
        return not self.others(row)

    def _groups(self, row: Subgraph) -> Iterator[tuple[set[str], str]]:
        facts = {fact.key: fact for fact in row.readings[0].facts}
        for step in steps(row.pattern, row.asked, facts):
            fact = facts[step.fact]
            if step.side == "sr":
                yield self._sr[fact.subject, fact.property], fact.object
            else:
                yield self._ro[fact.object, fact.property], fact.subject


def told(schema: Schema) -> Iterator[Fact]:
    """The facts of CoDEx-S whose ends have labels and whose relations the schema has; labels are one thing each."""
    labels: dict[str, str] = {}
    with gzip.open(DATA / "entity_labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            labels[row["id"]] = " ".join(row["label"].split())
    seen = set()
    with gzip.open(DATA / "codex-s.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            head, relation, tail, _ = line.rstrip("\n").split("\t")
            if relation not in schema.relations or not {head, tail} <= labels.keys():
                continue
            assert schema.stored(relation) == (relation, False) or relation in (
                "P361",
                "P749",
                "P40",
                "P737",
                "P800",
            ), relation
            fact = labels[head], relation, labels[tail]
            if labels[head] != labels[tail] and fact not in seen:
                seen.add(fact)
                yield fact


def classes(schema: Schema) -> dict[str, str]:
    """What a recogniser would call labelled things: a person, an organisation, a place, a work or an event."""
    names, labels, found = {}, {}, {}
    for file, known in (("types", names), ("entity_labels", labels)):
        with gzip.open(DATA / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
            known |= {row["id"]: " ".join(row["label"].split()) for row in map(json.loads, lines)}
    with gzip.open(DATA / "entity2types.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            own = [names.get(one) for one in row["types"]]
            fitting = [top for top in TOP for one in own if schema.entity_class(one) and schema.fit(one, (top,)) > 1]
            if row["id"] in labels and fitting:
                found[labels[row["id"]]] = fitting[0]
    return found


def texts(
    schema: Schema, facts: list[Fact], types: dict[str, str], recall: float, seed: int
) -> tuple[list[Document], float]:
    """A document a subject, with the triplets of a share of its sentences; the share of other words that are known."""
    rng, passages = random.Random(seed), defaultdict[str, list[tuple[str, Triplet | None]]](list)
    otherwise = known = 0
    for subject, relation, other in facts:
        of, sentences = schema.relations[relation], passages[subject]
        ours = list(of.phrases) or [f"the {of.object_nouns[0] if of.object_nouns else of.label} of X is Y"]
        held_out = rng.random() < 0.5
        template = rng.choice(OTHERWISE[relation] if held_out else ours)
        if held_out:
            otherwise += 1
            known += not content(template.replace("X", "").replace("Y", "")).isdisjoint(frozenset().union(*sayings(of)))
        named = subject if not sentences or rng.random() < 0.5 else ("he" if "person" in of.domain else "it")
        said = " ".join(
            named if word == "X" else other if word == "Y" else f"{named}'s" if word == "X's" else word
            for word in template.split()
        )
        sentence = f"{said[0].upper()}{said[1:]}."
        ends = (Term(label=end, kind="entity", type=types.get(end)) for end in (subject, other))
        stated = Triplet(subject=next(ends), relation=relation, object=next(ends), sentence=sentence)
        sentences.append((sentence, stated if rng.random() < recall else None))
    made = []
    for subject, sentences in passages.items():
        rng.shuffle(sentences)
        text = " ".join(sentence for sentence, _ in sentences)
        triplets = tuple(triplet for _, triplet in sentences if triplet)
        made.append(Document(source=subject, title=subject, text=text, triplets=triplets))
    return made, known / max(otherwise, 1)


def annotated(schema: Schema, options: Any) -> tuple[list[Fact], list[Document]]:
    """Re-DocRED's documents as they are: all their facts, and triplets of a share of those with a sentence for both."""
    rng, facts, documents = random.Random(options.seed), set[Fact](), []
    with gzip.open(PUBLIC / "re-docred" / "dev_revised.jsonl.gz", "rt", encoding="utf-8") as lines:
        marked = [[one[0]["type"] for one in json.loads(line)["vertexSet"]] for line in lines]
    every = list(zip(re_docred(PUBLIC), marked, strict=True))[-HELD_DOCUMENTS:]
    for gold, types in every[options.half == "odd" :: 2]:
        names = [max((gold.text[a:b] for a, b in places), key=len) for places in gold.entities]
        terms = [
            Term(label=one, kind=read_value(one)[0], type=MARKED.get(of)) for one, of in zip(names, types, strict=True)
        ]
        stated = []
        for subject, relation, other, evidence in gold.facts:
            if relation not in schema.relations or names[subject] == names[other]:
                continue
            facts.add((names[subject], relation, names[other]))
            said = next((at for at in sorted(evidence or ()) if names_both(gold, at, subject, other)), None)
            if said is not None and rng.random() < options.recall:
                begin, end = bounds(gold, said)
                sentence = " ".join(gold.text[begin:end].split())
                stated.append(
                    Triplet(subject=terms[subject], relation=relation, object=terms[other], sentence=sentence)
                )
        documents.append(Document(source=gold.title, title=gold.title, text=gold.text, triplets=tuple(stated)))
    return sorted(facts), documents


def names_both(gold: Gold, at: int, *ends: int) -> bool:
    """Whether a sentence mentions both ends of a fact."""
    begin, end = bounds(gold, at)
    return all(any(begin <= start < end for start, _ in gold.entities[one]) for one in ends)


def bounds(gold: Gold, at: int) -> tuple[int, int]:
    """Where a sentence begins and ends."""
    return gold.begins[at], [*gold.begins[1:], len(gold.text)][at]


if __name__ == "__main__":
    main()
