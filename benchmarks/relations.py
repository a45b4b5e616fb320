"""From words to relations: what the phrases of the schema make of the rules' statements, on sets that name relations.

A statement counts whose two ends are annotated things of one text. It is mapped or open; a mapped one is right if the
set states that relation of those ends, that way round (or its inverse). Relations that a set does not annotate are not
judged there, nor are pairs without any relation in sets that are annotated in part.
`coverage` is mapped of all that count, `precision` right of the mapped ones that can be judged.
`--missing N` prints the N commonest open words with the relations that the set has between their ends.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]
os.environ["OMP_NUM_THREADS"] = "1"
sys.modules["torch"] = None  # type: ignore[assignment]  # as in the worker processes of a load

from kgservice.core.records import Triplet
from kgservice.core.schema import Schema, load_schema
from kgservice.extraction.phrasebook import Phrasebook
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.names.local_entities import entity

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
KNOWLEDGENET = {
    "EMPLOYEE_OR_MEMBER_OF": {"P108", "P463", "P54", "P241"}, "PLACE_OF_RESIDENCE": {"P551"}, "SPOUSE": {"P26"},
    "PLACE_OF_BIRTH": {"P19"}, "EDUCATED_AT": {"P69"}, "HEADQUARTERS": {"P159"}, "CHILD_OF": {"P22", "P25"},
    "DATE_OF_BIRTH": {"P569"}, "FOUNDED_BY": {"P112"}, "CEO": {"P169"}, "NATIONALITY": {"P27"},
    "POLITICAL_AFFILIATION": {"P102"}, "DATE_OF_DEATH": {"P570"}, "SUBSIDIARY_OF": {"P749"}, "DATE_FOUNDED": {"P571"},
}  # fmt: skip
_LEFT, _RIGHT = re.compile(r" (?=[.,;:?!)\]%’]|'s\b|n't\b)"), re.compile(r"(?<=[(\[$£€]) ")

Pair = tuple[str, str]


class Text(NamedTuple):
    """A text with the relations between its things: by the ids of the two, and the things by their words."""

    text: str
    title: str
    things: dict[frozenset[str], str]
    relations: dict[Pair, set[str]]
    whole: bool  # pairs that have no relation here have none


def main() -> None:
    """Print coverage and precision on each set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--texts", type=int, default=500, help="a seeded sample of each set")
    parser.add_argument("--half", choices=("development", "held out"), help="only texts of this half, by their hash")
    parser.add_argument("--missing", type=int, default=0)
    parser.add_argument("--wrong", type=int, default=0, help="print so many statements that were mapped wrongly")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    options = parser.parse_args()
    schema = load_schema()
    if schema is None or not (DATA / "re-docred").exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    read, result = Parser(), dict[str, Any]()
    for name in options.sets:
        texts = [one for one in SETS[name]() if options.half in (None, half(one.text))]
        chosen = random.Random(options.seed).sample(texts, min(options.texts, len(texts)))
        parsed = read.parse_all([(one.text, one.title) for one in chosen])
        stated = (
            (one, triplet) for one, docs in zip(chosen, parsed, strict=True) for triplet in _read(docs, one.title)
        )
        annotated = {id_ for one in texts for ids in one.relations.values() for id_ in ids}
        result[name] = {"texts": len(chosen)} | judged(stated, annotated, schema, options.missing, options.wrong)
    print(json.dumps(result))


def half(text: str) -> str:
    """Which half a text is of: phrases were looked for in the one, figures are those of the other."""
    return "development" if sum(text.encode()) % 2 else "held out"


def _read(docs: Iterable[Any], title: str) -> Iterator[Triplet]:
    for doc in docs:
        yield from extract(doc, title).triplets


def judged(
    stated: Iterable[tuple[Text, Triplet]], annotated: set[str], schema: Schema, missing: int, wrong: int
) -> dict[str, float]:
    """Coverage and precision over the statements between annotated ends; `annotated` are the set's relations."""
    book, judgeable = Phrasebook(schema), {bare(like) for id_ in annotated for like in _alike(id_, schema)}
    counts, open_words, errors = Counter[str](), defaultdict[str, Counter[str]](Counter), list[str]()
    for text, one in stated:
        ends = _thing(text, one.subject.label), _thing(text, one.object.label)
        gold = text.relations.get(ends, set()) | {f"-{r}" for r in text.relations.get(ends[::-1], set())}
        if None in ends or not (gold or text.whole):
            continue
        counts["all"] += 1
        meaning = book.meaning(one.relation, entity(one.subject), entity(one.object))
        if isinstance(meaning, str):
            open_words[f"{one.relation} ({meaning})"].update(gold or {"none"})
            continue
        counts["mapped"] += 1
        id_ = f"-{meaning.relation.id}" if meaning.turned else meaning.relation.id
        if meaning.relation.id not in judgeable:
            continue
        counts["judged"] += 1
        if _alike(id_, schema) & {other for given in gold for other in _alike(given, schema)}:
            counts["right"] += 1
        else:
            said = f"{one.subject.label} | {one.relation} | {one.object.label}"
            errors.append(f"{said} → {id_}, gold {sorted(gold)}: {one.sentence}")
    for said, gold_of in sorted(open_words.items(), key=lambda item: -item[1].total())[:missing]:
        print(f"open\t{said}\t{gold_of.most_common(4)}")
    for line in random.Random(0).sample(errors, min(wrong, len(errors))):
        print(f"wrong\t{line}")
    figures = {
        "coverage": counts["mapped"] / max(counts["all"], 1),
        "precision": counts["right"] / max(counts["judged"], 1),
    }
    return dict(counts) | {key: round(value, 3) for key, value in figures.items()}


def bare(id_: str) -> str:
    """A relation's id without the mark that its ends are exchanged."""
    return id_.lstrip("-")


def _alike(id_: str, schema: Schema) -> set[str]:
    """A relation with its inverse the other way round; symmetric ones both ways."""
    own, turned = bare(id_), id_.startswith("-")
    known = schema.relations.get(own)
    found = {id_}
    if known and known.inverse:
        found.add(known.inverse if turned else f"-{known.inverse}")
    if known and known.symmetric:
        found |= {own, f"-{own}"}
    if own in ("P22", "P25"):
        found.add("P40" if turned else "-P40")
    if own == "P17":  # a country is where something lies, as well
        found.add(id_.replace("P17", "P131"))
    return found


def _thing(text: Text, label: str) -> str | None:
    return text.things.get(_words(label))


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.lower())) - {"the", "a", "an", "s"}


def _documents() -> Iterator[Text]:
    for row in _rows("re-docred/dev_revised.jsonl.gz"):
        sentences = [_RIGHT.sub("", _LEFT.sub("", " ".join(tokens))).strip() for tokens in row["sents"]]
        things = {_words(named["name"]): str(at) for at, one in enumerate(row["vertexSet"]) for named in one}
        relations: dict[Pair, set[str]] = defaultdict(set)
        for label in row["labels"]:
            relations[str(label["h"]), str(label["t"])].add(label["r"])
        yield Text("\n\n".join(sentences), row["title"], things, relations, whole=True)


def _passages() -> Iterator[Text]:
    rows: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in _rows("knowledgenet/facts_folds_rest.jsonl.gz"):
        rows[row["doc"], row["passage_start"]].append(row)
    for of in rows.values():
        relations: dict[Pair, set[str]] = defaultdict(set)
        things: dict[frozenset[str], str] = {}
        for row in of:
            ends = tuple(str(row[end]["qid"] or row[end]["text"].lower()) for end in ("subject", "object"))
            things |= {_words(row[end]["text"]): id_ for end, id_ in zip(("subject", "object"), ends, strict=True)}
            relations[ends[0], ends[1]] |= KNOWLEDGENET[row["property"]]
        yield Text(of[0]["passage"], "", things, relations, whole=False)


def _sentences() -> Iterator[Text]:
    for row in _rows("fewrel/val_wiki_half.jsonl.gz"):
        text = _RIGHT.sub("", _LEFT.sub("", " ".join(row["tokens"]))).strip()
        ends = [" ".join(row["tokens"][at] for at in row[end]["token_spans"][0]) for end in ("head", "tail")]
        things = {_words(name): id_ for name, id_ in zip(ends, "ht", strict=True)}
        yield Text(text, "", things, {("h", "t"): {row["relation"]}}, whole=False)


def _templates() -> Iterator[Text]:
    """ParaRel's patterns with names from its triples, five of each."""
    ends: dict[str, list[Pair]] = defaultdict(list)
    for row in _rows("pararel/trex_label_triples.jsonl.gz"):
        ends[row["relation"]].append((row["sub_label"], row["obj_label"]))
    for row in _rows("pararel/patterns.jsonl.gz"):
        for subject, obj in random.Random(row["pattern"]).sample(ends[row["relation"]], 5):
            text = row["pattern"].replace("[X]", subject).replace("[Y]", obj).replace(" .", ".").strip()
            text = text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
            things = {_words(subject): "h", _words(obj): "t"}
            yield Text(text, "", things, {("h", "t"): {row["relation"]}}, whole=False)


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


SETS = {"re-docred": _documents, "knowledgenet": _passages, "fewrel": _sentences, "pararel": _templates}

if __name__ == "__main__":
    main()
