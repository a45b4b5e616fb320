"""Recall of the rules on Re-DocRED dev and KnowledgeNet: how many gold facts have a kept triplet between their ends.

Re-DocRED: a pair of entities that a gold relation joins counts if one evidence sentence names both; it is found if a
triplet of one of its evidence sentences has both as ends, whichever way round. Texts are read whole, titles given.
KnowledgeNet: a fact of a passage, read alone, whose ends are no pronouns; mentions of one item are one. An end is a
mention if the words are the same, or those of one a part of the other's where the mention is a person's or a date.
What the relation says is not compared here: `--show` prints found facts of KnowledgeNet for a reader to judge.
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
from unittest.mock import patch

sys.path[:0] = [str(Path(__file__).parent.parent)]
os.environ["OMP_NUM_THREADS"] = "1"
sys.modules["torch"] = None  # type: ignore[assignment]  # as in the worker processes of a load

from spacy.tokens import Doc

from kgservice.core.records import Triplet
from kgservice.extraction import rules
from kgservice.extraction.syntax import coreference, nominal_facts, object_phrases
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
DOCUMENTS, FACTS = DATA / "re-docred" / "dev_revised.jsonl.gz", DATA / "knowledgenet" / "facts_folds_rest.jsonl.gz"
PRONOUNS = frozenset("he she it they him her them his hers its their who whose whom i we you my our which that".split())
PERSONAL = ("PLACE_OF", "DATE_OF", "SPOUSE", "CHILD_OF", "EDUCATED", "NATIONALITY", "EMPLOYEE", "POLITICAL")
_LEFT, _RIGHT = re.compile(r" (?=[.,;:?!)\]%’]|'s\b|n't\b)"), re.compile(r"(?<=[(\[$£€]) ")

Ends = tuple[frozenset[str], frozenset[str]]  # the mentions of a fact's two ends


class Gold(NamedTuple):
    """A fact between two entities: what it is, their mentions, the sentences that state it (none: the passage)."""

    relation: str
    ends: Ends
    partly: tuple[bool, bool]
    sentences: frozenset[str] = frozenset()


Case = tuple[str, str, list[Gold]]  # text, title, facts
PARTS: dict[str, tuple[Any, str, Any]] = {
    "coordination": (rules, "conjuncts", lambda head: [head]),
    "pronouns": (coreference.Focus, "_pronoun", lambda *_: None),
    "the film, the company": (coreference.Focus, "_definite", lambda *_: None),
    "surnames": (coreference.Focus, "_in_full", lambda _, name: name),
    "dates in brackets": (coreference.Focus, "life", lambda *_: iter(())),
    "posts, kin and places": (nominal_facts.Roles, "read", lambda *_: iter(())),
    "phrases": (object_phrases, "phrase", lambda *_, **__: None),
}


def main() -> None:
    """Print recall on both sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--documents", type=int, default=500, help="a seeded sample of Re-DocRED's documents")
    parser.add_argument("--passages", type=int, default=2000, help="a seeded sample of KnowledgeNet's passages")
    parser.add_argument("--show", type=int, default=0, help="also print so many found facts of KnowledgeNet")
    parser.add_argument("--ablation", action="store_true", help="also measure without each part of the rules")
    options = parser.parse_args()
    if not DOCUMENTS.exists() or not FACTS.exists():
        print(json.dumps({"skip": f"no Re-DocRED or KnowledgeNet at {DATA}; set KGS_TEST_DATA"}))
        return
    draw = random.Random(options.seed)
    documents, passages = list(_documents()), list(_passages())
    sets = {
        "re-docred": draw.sample(documents, min(options.documents, len(documents))),
        "knowledgenet": draw.sample(passages, min(options.passages, len(passages))),
    }
    read = Parser()
    parsed = {name: list(read.parse_all([(text, title) for text, title, _ in given])) for name, given in sets.items()}
    shown: list[str] = []
    result: dict[str, Any] = {name: _measured(given, parsed[name], shown) for name, given in sets.items()}
    for line in draw.sample(shown, min(options.show, len(shown))):
        print(line)
    if options.ablation:
        result["without"] = {part: {name: _without(part, sets[name], parsed[name]) for name in sets} for part in PARTS}
    print(json.dumps(result))


def _without(part: str, given: list[Case], parsed: list[list[Doc]]) -> dict[str, float]:
    """What is measured with one part of the rules put out of work."""
    owner, name, idle = PARTS[part]
    with patch.object(owner, name, idle):
        return _measured(given, parsed, [])


def _measured(given: list[Case], parsed: list[list[Doc]], shown: list[str]) -> dict[str, float]:
    """Recall over (text, title, gold facts), with what was kept."""
    wanted = found = kept = words = 0
    for (text, title, gold), docs in zip(given, parsed, strict=True):
        triplets = [one for doc in docs for one in extract(doc, title).triplets]
        kept, words, wanted = kept + len(triplets), words + len(text.split()), wanted + len(gold)
        for fact in gold:
            joined = next((one for one in triplets if _joins(one, fact)), None)
            found += joined is not None
            if joined is not None and not fact.sentences:
                said = f"{joined.subject.label} | {joined.relation} | {joined.object.label}"
                shown.append(f"{fact.relation}\t{said}\t{text}")
    recall = round(found / max(wanted, 1), 3)
    return {"texts": len(given), "gold": wanted, "recall": recall, "kept_per_100_words": round(100 * kept / words, 2)}


def _joins(triplet: Triplet, fact: Gold) -> bool:
    if fact.sentences and triplet.sentence not in fact.sentences:
        return False
    one, other = _words(triplet.subject.label), _words(triplet.object.label)
    (first, last), (some, any_) = fact.ends, fact.partly
    straight = _same(one, first, some) and _same(other, last, any_)
    return straight or (_same(one, last, any_) and _same(other, first, some))


def _same(label: frozenset[str], mentions: Iterable[str], partly: bool) -> bool:
    given = [_words(mention) for mention in mentions]
    return label in given or (partly and any(label < mention or mention < label for mention in given))


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.lower())) - {"the", "a", "an", "s"}


def _documents() -> Iterator[tuple[str, str, list[Gold]]]:
    """Re-DocRED's documents as text, with the pairs that one evidence sentence names."""
    for row in _rows(DOCUMENTS):
        sentences = [_RIGHT.sub("", _LEFT.sub("", " ".join(tokens))).strip() for tokens in row["sents"]]
        pairs: dict[tuple[int, int], Gold] = {}
        for label in row["labels"]:
            ends = [row["vertexSet"][label[end]] for end in "ht"]
            at = [{mention["sent_id"] for mention in end} for end in ends]
            both = set(label["evidence"]) & at[0] & at[1]
            if not both or label["h"] == label["t"]:
                continue
            pair = (min(label["h"], label["t"]), max(label["h"], label["t"]))
            first, last = (frozenset(mention["name"] for mention in end) for end in ends)
            whole = tuple(end[0]["type"] in ("PER", "TIME", "NUM") for end in ends)
            known = pairs.get(pair)
            stated = frozenset(sentences[n] for n in both) | (known.sentences if known else frozenset())
            pairs[pair] = Gold(label["r"], (first, last), (whole[0], whole[1]), stated)
        if pairs:  # a blank line ends a sentence for certain
            yield "\n\n".join(sentences), row["title"], list(pairs.values())


def _passages() -> Iterator[tuple[str, str, list[Gold]]]:
    """KnowledgeNet's passages with their facts between names."""
    rows: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in _rows(FACTS):
        if not {row["subject"]["text"].lower(), row["object"]["text"].lower()} & PRONOUNS:
            rows[row["doc"], row["passage_start"]].append(row)
    for of in rows.values():
        facts: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for row in of:
            ends = row["subject"], row["object"]
            facts[row["property"], *(end["qid"] or end["text"] for end in ends)].append(
                (ends[0]["text"], ends[1]["text"])
            )
        gold = []
        for (relation, *_), mentions in facts.items():
            first, last = (frozenset(pair[end] for pair in mentions) for end in (0, 1))
            dated = relation.startswith("DATE")
            spoken = relation in ("SPOUSE", "CHILD_OF", "CEO", "FOUNDED_BY")
            gold.append(Gold(relation, (first, last), (relation.startswith(PERSONAL), dated or spoken)))
        yield of[0]["passage"], "", gold


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


if __name__ == "__main__":
    main()
