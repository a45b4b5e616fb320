"""Texts whose facts the rules have read: more sentences to train the relation reader on than people have marked.

The rules are right in nine of ten facts and find a fifth of them. What they say is learnt between the two ends of a
fact alone; of all other pairs nothing is known. Wikipedia's introductions of the half that rules are made on, and the
passages of HotpotQA and MuSiQue (CC BY-SA 4.0 and CC BY 4.0).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from relation_data import SCHEMA, Fact, Gold, json_rows, straight

from kgservice.extraction.end_pairs import doubted
from kgservice.extraction.phrasebook import Phrasebook
from kgservice.extraction.relation_reader import packaged
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.confidence import probability, weights
from kgservice.extraction.syntax.parser import Parser
from kgservice.names.local_entities import entity
from kgservice.text.periods import NO_CALENDAR

ENOUGH = 250  # facts of one relation


def passages(folder: Path) -> list[tuple[str, str]]:
    """Return (text, title) of the passages, in a seeded order."""
    hipporag = folder / "hipporag"
    wiki = [row for row in json_rows(hipporag / "2wikimultihopqa_corpus.jsonl.gz") if row["idx"] % 2 == 0]
    musique = list(json_rows(hipporag / "musique_train100_corpus.jsonl.gz"))
    hotpot = [{**row, "text": "".join(row["sentences"])} for row in json_rows(hipporag / "hotpotqa_train100_corpus.jsonl.gz")]
    found = [(row["text"], row["title"]) for row in (*wiki, *musique, *hotpot)]
    random.Random(0).shuffle(found)
    return found


def rule_facts(folder: Path) -> Iterator[Gold]:
    """Yield the passages of which the rules read a fact of the schema, with these facts."""
    book, counts = Phrasebook(SCHEMA), Counter[str]()
    given = passages(folder)
    for (_, title), docs in zip(given, Parser().parse_all(given), strict=True):
        if len(docs) != 1:
            continue
        reader = Reader(docs[0], title, "", NO_CALENDAR, ends=True)
        read = [triplet for triplet, told in reader.weighed() if probability(told) >= weights().threshold]
        number: dict[str, int] = {}
        places: list[set[tuple[int, int]]] = []
        facts: set[Fact] = set()
        for at, sentence in enumerate(reader.met):
            named: dict[str, list[tuple[int, int]]] = {}
            for end in sentence.ends:
                if end.name is not None:
                    named.setdefault(end.name.label, []).append((end.start, end.end))
            for triplet in read:
                labels = (triplet.subject.label, triplet.object.label)
                if triplet.sentence != sentence.written or not all(label in named for label in labels):
                    continue
                if doubted(packaged(), [sentence], triplet):
                    continue
                meaning = book.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
                if isinstance(meaning, str) or counts[meaning.relation.id] >= ENOUGH:
                    continue
                counts[meaning.relation.id] += 1
                ends = []
                for label in labels[:: -1 if meaning.turned else 1]:
                    if label not in number:
                        number[label] = len(places)
                        places.append(set())
                    places[number[label]] |= set(named[label])
                    ends.append(number[label])
                facts.add(straight(ends[0], meaning.relation.id, ends[1], frozenset((at,))))
        if facts:
            spans = tuple(tuple(sorted(one)) for one in places)
            begins = tuple(sentence.start for sentence in reader.met)
            yield Gold(f"rules-{title}", docs[0].text, title, spans, tuple(sorted(facts)), begins, open=True)
