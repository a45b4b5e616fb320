"""Rules, relation reader and both on sentences whose facts people marked, none of which the reader was trained on.

KnowledgeNet's third fold, passage by passage; the last 150 documents of Re-DocRED dev, read whole; WebNLG (a seeded
sample, one text an entry); sentences of news, web pages and Wikipedia of which we marked all that they state, and
which taught the reader nothing, though others of some of their texts did ("marked", training/marked.jsonl). Names are
found by us. A triplet counts as right if the set has its relation between its ends: an end is a mention if the words
are the same, or, of persons, dates and in WebNLG, part of the other's; what the set marks by a pronoun alone is any
name before it. Triplets of relations that nobody looked for in a text are not counted (KnowledgeNet: those of which
the passage has no fact). Recall is over the facts whose ends one text names (Re-DocRED: in one sentence that states
the fact; no pronouns), and relations that are inverse count as one. Intervals of 95 % draw texts anew 1,000 times.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent / "training")]
os.environ["OMP_NUM_THREADS"] = "1"

from drawn import DATA, SURE  # before torch is hidden, which scipy looks for

sys.modules["torch"] = None  # type: ignore[assignment]  # as in the worker processes of a load

from relation_data import RELATIVE, SCHEMA, SYMMETRIC, Gold, held_out, judged_texts, marked_sentence, straight
from spacy.tokens import Doc

from kgservice.core.records import Term, Triplet
from kgservice.extraction.phrasebook import Phrasebook
from kgservice.extraction.readers.relation_reader import RelationReader, packaged
from kgservice.extraction.syntax.fact_ends import PRONOUNS
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.names.countries import country
from kgservice.names.local_entities import entity

SETS = ("knowledgenet", "re-docred", "webnlg", "marked")
MARKED = Path(__file__).parent.parent / "training" / "marked.jsonl"
WAYS = ("rules alone", "rules", "reader", "rules+reader")
ENTRIES = 1500  # of WebNLG
DRAWS = 1000
MIXED = frozenset(("P108", "P463", "P54", "P39"))  # KnowledgeNet's EMPLOYEE_OR_MEMBER_OF is any of these
_PLACED, _STATE = ("P131", "P276", "P361", "P17", "P706", "P206", "P159"), ("P17", "P131", "P27", "P495")
DBPEDIA = {  # property: the relations that say it; a minus: the other way round
    "country": _STATE, "birthPlace": ("P19",), "leaderName": ("P6", "P35", "P488", "kgs:president"),
    "isPartOf": _PLACED,
    "location": _PLACED, "language": ("P37", "P407", "P364", "P1412"), "club": ("P54", "P463"), "capital": ("P36",),
    "associatedBand/associatedMusicalArtist": ("P463", "P1344"), "region": _PLACED, "deathPlace": ("P20",),
    "almaMater": ("P69",), "nationality": ("P27",), "city": _PLACED, "ground": ("P115", "P159", "P276", "P131"),
    "birthDate": ("P569",), "birthYear": ("P569",), "deathDate": ("P570",),
    "manager": ("P286", "kgs:manager"), "state": _PLACED,
    "cityServed": ("P931", "P131", "P276"), "successor": ("-P1365", "P156"), "precededBy": ("P155", "P1365"),
    "operatingOrganisation": ("P137",), "operator": ("P137",), "recordLabel": ("P264",), "builder": ("P176", "P193"),
    "party": ("P102",), "affiliation": ("P361", "P463", "P749"), "league": ("P118",), "manufacturer": ("P176",),
    "owner": ("P127",), "discoverer": ("P61",), "architect": ("P84",), "origin": ("P740", "P495", "P19", "P27"),
    "currency": ("P38",), "publisher": ("P123",), "author": ("P50",), "militaryBranch": ("P241",), "spouse": ("P26",),
    "starring": ("P161",), "creator": ("P170", "P50"), "foundationPlace": ("P740", "P112"), "locationCity": _PLACED,
    "residence": ("P551",), "award": ("P166",), "awards": ("P166",), "parentCompany": ("P749", "P127"),
    "headquarter": ("P159",), "headquarters": ("P159",), "officialLanguage": ("P37",), "followedBy": ("P156",),
    "formerTeam": ("P54",), "debutTeam": ("P54",), "youthclub": ("P54",), "established": ("P571", "P1619"),
    "completionDate": ("P571", "P1619"), "ethnicGroup": ("P172",), "spokenIn": ("-P37", "P17", "P131"),
    "broadcastedBy": ("P449",), "president": ("P488", "kgs:president", "P6"), "predecessor": ("P1365", "P155"),
    "battles": ("P607", "P1344"), "designer": ("P287", "P84", "P170"), "series": ("P179",),
    "director": ("P57", "P169", "kgs:president"), "was a crew member of": ("P1344",), "foundedBy": ("P112",),
    "founder": ("P112",), "founded": ("P571",), "foundingDate": ("P571",), "chancellor": ("P488", "P6"),
    "isPartOfMilitaryConflict": ("P361",), "coach": ("P286",), "musicalArtist": ("P175",), "artist": ("P175",),
    "writer": ("P50", "P58"), "producer": ("P162",), "distributor": ("P750",), "keyPerson": ("P169", "P488", "P112"),
    "subsidiary": ("P355",), "product": ("P1056",), "deathYear": ("P570",), "tenant": ("P466",), "countySeat": ("P36",),
    "municipality": _PLACED, "countryOrigin": ("P495",), "launchSite": ("P276",), "child": ("P40",),
    "parent": ("-P40",),
}  # fmt: skip


class Wanted(NamedTuple):
    """A marked fact: the relations that say it, the texts of both ends' mentions, whether it counts for recall."""

    relations: frozenset[str]
    subject: frozenset[str]
    object: frozenset[str]
    counts: bool


class Case(NamedTuple):
    """A text with its facts; `scope` are the relations that were looked for. `loose`: any end may be named in part.

    `sentences` are the beginnings of those that count, where not all do.
    """

    text: str
    title: str
    facts: tuple[Wanted, ...]
    scope: frozenset[str]
    loose: bool = False
    sentences: frozenset[str] = frozenset()


class Counts(NamedTuple):
    """Of one text: triplets in scope, those that are right, facts, those that are found."""

    kept: int
    right: int
    facts: int
    found: int


def main() -> None:
    """Print precision and recall by set and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=WAYS)
    parser.add_argument("--show", type=int, default=0, help="print so many wrong and missed ones of each set")
    parser.add_argument("--thresholds", nargs="*", type=float, default=[0.0], help="confidences from which on to count")
    parser.add_argument("--reader", type=Path, help="a folder of weights in place of the packaged ones")
    parser.add_argument("--texts", type=int, default=0, help="a seeded sample of so many texts of a set")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    options = parser.parse_args()
    if not (DATA / "webnlg").exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    sets = {name: [_case(gold) for gold in found] for name, found in held_out(DATA).items()}
    sets |= {"webnlg": _webnlg(), "marked": _marked()}
    parser_, result = Parser(), dict[str, dict[str, object]]()
    for name in options.sets:
        whole = sets[name]
        cases = random.Random(0).sample(whole, min(options.texts, len(whole))) if options.texts else whole
        parsed = list(parser_.parse_all([(case.text, case.title) for case in cases]))
        for way in options.ways:
            pairs = None if way == "rules alone" else RelationReader(options.reader) if options.reader else packaged()
            read = [_read(docs, case.title, pairs, way) for case, docs in zip(cases, parsed, strict=True)]
            for least in options.thresholds:
                at, shown = f"{way} {least}" if least else way, list[str]()
                counts = [
                    _counted(case, [one for one in found if one.confidence >= least], shown)
                    for case, found in zip(cases, read, strict=True)
                ]
                result.setdefault(name, {})[at] = _shares(counts)
                print(name, at, json.dumps(result[name][at]), file=sys.stderr)
                for line in random.Random(0).sample(shown, min(options.show, len(shown))):
                    print("  ", line)
    print(json.dumps(result))


def _read(docs: list[Doc], title: str, pairs: RelationReader | None, way: str) -> list[Triplet]:
    return [one for doc in docs for one in extract(doc, title, pairs=pairs, way=way).triplets]


def _case(gold: Gold) -> Case:
    """A marked text as a case; the facts that a sentence names both ends of count for recall."""
    names = [frozenset(gold.text[slice(*span)] for span in spans) for spans in gold.entities]
    spoken = [all(name.lower() in PRONOUNS | RELATIVE for name in found) for found in names]
    before = [
        _before(gold.text, spans[0][0]) if silent else frozenset()
        for spans, silent in zip(gold.entities, spoken, strict=True)
    ]
    mixed = gold.source.startswith("knowledgenet")
    facts: dict[tuple[int, str, int], Wanted] = {}
    for subject, relation, obj, sentences in gold.facts:
        said = frozenset((relation,)) | (MIXED if relation == "P108" and mixed else frozenset())
        ends = [names[end] | before[end] for end in (subject, obj)]
        whole = not (spoken[subject] or spoken[obj]) and _together(gold, subject, obj, sentences)
        facts[subject, relation, obj] = Wanted(said, ends[0], ends[1], whole)
    extra = MIXED if "P108" in gold.scope and mixed else frozenset()
    return Case(gold.text, gold.title, tuple(facts.values()), gold.scope | extra)


def _before(text: str, at: int) -> frozenset[str]:
    """The names that may stand before a pronoun: runs of capitals."""
    return frozenset(re.findall(r"[^\W\d_][\w.'’&-]*(?: (?:of |the |and |de |van )?[A-Z][\w.'’&-]*)*", text[:at]))


def _together(gold: Gold, subject: int, obj: int, sentences: frozenset[int] | None) -> bool:
    if sentences is None:
        return True
    at = [
        {max(number for number, begin in enumerate(gold.begins) if begin <= span[0]) for span in gold.entities[end]}
        for end in (subject, obj)
    ]
    return bool(sentences & at[0] & at[1])


def _counted(case: Case, triplets: Iterable[Triplet], shown: list[str]) -> Counts:
    kept = right = 0
    found: set[int] = set()
    for one in triplets:
        if case.sentences and one.sentence[:SURE] not in case.sentences:
            continue
        said = [(relation, turned) for relation, turned in meant(one) if relation in case.scope]
        if not said:
            continue
        hits = {
            at
            for at, fact in enumerate(case.facts)
            for relation, turned in said
            if _same(one, relation, turned, fact, case.loose)
        }
        kept, right, found = kept + 1, right + bool(hits), found | hits
        if not hits:
            shown.append(f"WRONG ({one.subject.label} | {one.relation} | {one.object.label}) {one.sentence[:300]}")
    facts = [at for at, fact in enumerate(case.facts) if fact.counts]
    for at in facts:
        if at not in found:
            fact = case.facts[at]
            ends = f"{min(fact.subject)} {sorted(fact.relations)} {min(fact.object)}"
            shown.append(f"MISSED {ends} | {case.text[:300]!r}")
    return Counts(kept, right, len(facts), sum(at in found for at in facts))


def meant(triplet: Triplet) -> list[tuple[str, bool]]:
    """The relation that a triplet's words mean, if any, and whether its ends are exchanged."""
    found = BOOK.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
    if isinstance(found, str) or found.relation.id == triplet.doubted:
        return []
    fact = straight(0, found.relation.id, 1, None)
    return [(fact.relation, found.turned != (fact.subject == 1))]


def _same(one: Triplet, relation: str, turned: bool, fact: Wanted, whole: bool) -> bool:
    if relation not in fact.relations:
        return False
    ends = (one.object, one.subject) if turned else (one.subject, one.object)
    known = SCHEMA.relations[relation]
    loose = [whole or "person" in classes or "date" in classes for classes in (known.domain, known.range)]
    straight_ = _is(ends[0], fact.subject, loose[0]) and _is(ends[1], fact.object, loose[1])
    return straight_ or (
        relation in SYMMETRIC and _is(ends[1], fact.subject, loose[0]) and _is(ends[0], fact.object, loose[1])
    )


def _is(end: Term, mentions: frozenset[str], loose: bool) -> bool:
    label = _words(end.label)
    given = [_words(mention) for mention in mentions]
    given += [_words(people.name) for mention in mentions if (people := country(mention)) is not None]  # "American"
    dated = end.value is not None and str(end.value) in mentions
    return dated or label in given or (loose and any(label < one or one < label for one in given if one))


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.lower())) - {"the", "a", "an", "s"}


def _webnlg() -> list[Case]:
    """WebNLG's entries, one text each; a fact counts for recall if the text has the names of both ends."""
    rows = []
    for part in ("train", "dev"):
        with gzip.open(DATA / "webnlg" / f"{part}.jsonl.gz", "rt", encoding="utf-8") as stream:
            rows += [json.loads(line) for line in stream]
    scope = frozenset(straight(0, name.lstrip("-"), 1, None).relation for said in DBPEDIA.values() for name in said)
    return [
        Case(row["texts"][0], "", tuple(_triples(row["triples"], row["texts"][0])), scope, loose=True)
        for row in random.Random(22).sample(rows, ENTRIES)
    ]


def _marked() -> list[Case]:
    """The texts with sentences that we marked and held back; of them alone is counted what is read."""
    rows = defaultdict[str, list[dict[str, Any]]](list)
    for row in map(json.loads, MARKED.read_text(encoding="utf-8").splitlines()):
        if row["held"] and row["genre"] != "filings":  # who "we" is in a report is not read here
            rows[row["source"]].append(row)
    scope, cases = frozenset(straight(0, name, 1, None).relation for name in SCHEMA.relations), []
    for text in judged_texts(DATA):
        if found := [row for row in rows.get(text.source, ()) if row["sentence"][:SURE] in text.text]:
            facts = tuple(fact for row in found for fact in _stated(text.text, row))
            sentences = frozenset(row["sentence"][:SURE] for row in found)
            cases.append(Case(text.text, text.title, facts, scope, sentences=sentences))
    return cases


def _stated(text: str, row: dict[str, Any]) -> Iterator[Wanted]:
    """The facts of a marked sentence of a text."""
    start = text.index(row["sentence"][:SURE])
    yield from _case(marked_sentence(row, text, start)).facts


def _triples(triples: list[list[str]], text: str) -> Iterator[Wanted]:
    for subject, name, obj in triples:
        ends, plain = [_variants(subject), _variants(obj)], text.lower()
        named = all(any(one.lower() in plain for one in end) for end in ends)
        exchanged = defaultdict[bool, set[str]](set)
        for relation in DBPEDIA.get(name, ()):
            fact = straight(0, relation.lstrip("-"), 1, None)
            exchanged[relation.startswith("-") != (fact.subject == 1)].add(fact.relation)
        for first, (turned, said) in enumerate(exchanged.items()):
            yield Wanted(frozenset(said), ends[turned], ends[not turned], named and first == 0)


def _variants(name: str) -> frozenset[str]:
    """The ways to write an end: with and without brackets and what follows a comma."""
    plain = name.replace("_", " ").strip('" ')
    bare = re.sub(r" \([^)]*\)$", "", plain)
    return frozenset((plain, bare, bare.split(", ")[0], re.sub(r" (?:language|people)$", "", bare)))


def _shares(counts: list[Counts]) -> dict[str, float | list[float] | int]:
    draw = random.Random(0)
    shares = [_share(draw.choices(counts, k=len(counts))) for _ in range(DRAWS)]
    precision, recall = _share(counts)
    result: dict[str, float | list[float] | int] = {"precision": round(precision, 3), "recall": round(recall, 3)}
    for at, name in enumerate(("precision_95", "recall_95")):
        ordered = sorted(share[at] for share in shares)
        result[name] = [round(ordered[DRAWS // 40], 3), round(ordered[-DRAWS // 40], 3)]
    return result | {"kept": sum(one.kept for one in counts), "facts": sum(one.facts for one in counts)}


def _share(counts: list[Counts]) -> tuple[float, float]:
    kept, right, facts, found = (sum(column) for column in zip(*counts, strict=True))
    return right / max(kept, 1), found / max(facts, 1)


BOOK = Phrasebook(SCHEMA)

if __name__ == "__main__":
    main()
