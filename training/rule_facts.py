"""Texts whose facts the rules have read: more sentences to train the relation reader on than people have marked.

The rules are right in nine of ten facts of an encyclopaedia, and find a fifth of them. Of a sentence only the two ends of
such a fact are learnt; of all other pairs nothing is known. The passages are Wikipedia's: of 2Wiki the half that rules are
made on, and those of HotpotQA and MuSiQue (CC BY-SA 4.0; the sets CC BY-SA 4.0, CC BY 4.0 and Apache-2.0).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from relation_data import SCHEMA, Fact, Gold, json_rows, straight

from kgservice.core.records import Triplet
from kgservice.extraction.phrasebook import Phrasebook
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.confidence import probability, weights
from kgservice.extraction.syntax.parser import Parser
from kgservice.names.local_entities import entity
from kgservice.text.periods import NO_CALENDAR

ENOUGH = 250  # facts of one relation


def rule_facts(folder: Path) -> Iterator[Gold]:
    """Yield the passages of which the rules read a fact of the schema, with these facts."""
    book, counts, given = Phrasebook(SCHEMA), Counter[str](), _passages(folder)
    for (_, title), docs in zip(given, Parser().parse_all(given), strict=True):
        if len(docs) != 1:
            continue
        reader = Reader(docs[0], title, "", NO_CALENDAR, ends=True)
        kept = [triplet for triplet, told in reader.weighed() if probability(told) >= weights().threshold]
        places, facts = dict[str, set[tuple[int, int]]](), set[Fact]()
        for at, sentence in enumerate(reader.met):
            named = [(end.name.label, (end.start, end.end)) for end in sentence.ends if end.name is not None]
            for triplet in kept:
                relation, labels = _meaning(book, triplet)
                both = triplet.sentence == sentence.written and set(labels) <= {label for label, _ in named}
                if not relation or not both or counts[relation] >= ENOUGH:
                    continue
                counts[relation] += 1
                for label, span in named:
                    places.setdefault(label, set()).add(span)
                one, other = (list(places).index(label) for label in labels)
                facts.add(straight(one, relation, other, frozenset((at,))))
        if facts:
            spans = tuple(tuple(sorted(found)) for found in places.values())
            begins = tuple(sentence.start for sentence in reader.met)
            yield Gold(f"rules-{title}", docs[0].text, title, spans, tuple(sorted(facts)), begins, open=True)


def _meaning(book: Phrasebook, triplet: Triplet) -> tuple[str, tuple[str, str]]:
    """The relation of the schema that a triplet states, "" if none, and its ends in that order."""
    labels = (triplet.subject.label, triplet.object.label)
    meaning = book.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
    if isinstance(meaning, str):
        return "", labels
    return meaning.relation.id, (labels[1], labels[0]) if meaning.turned else labels


def _passages(folder: Path) -> list[tuple[str, str]]:
    """Return (text, title) of the passages, in a seeded order."""
    hipporag = folder / "hipporag"
    rows = [row for row in json_rows(hipporag / "2wikimultihopqa_corpus.jsonl.gz") if row["idx"] % 2 == 0]
    rows += json_rows(hipporag / "musique_train100_corpus.jsonl.gz")
    rows += json_rows(hipporag / "hotpotqa_train100_corpus.jsonl.gz")
    found = [(row["text"] if "text" in row else "".join(row["sentences"]), row["title"]) for row in rows]
    random.Random(0).shuffle(found)
    return found
