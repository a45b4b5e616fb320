"""Texts whose facts people have marked, in one form: the sets that the relation reader is trained and measured on.

Licences (README of each set): KnowledgeNet CC BY-SA 4.0; Re-DocRED, FewRel and ParaRel MIT, over Wikipedia's text and
Wikidata's facts. WebNLG is not for commerce and is read by the benchmark alone.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgservice.core.schema import Schema, load_schema

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))  # behind: both folders have a reader.py

if TYPE_CHECKING:
    from drawn import Text

SCHEMA = load_schema() or Schema(classes={}, relations={})
SYMMETRIC = frozenset(name for name, one in SCHEMA.relations.items() if one.symmetric)
PARENTS = frozenset(("P22", "P25"))  # of a child: one relation, the other way round
KNOWLEDGENET = {
    "EMPLOYEE_OR_MEMBER_OF": "P108", "PLACE_OF_RESIDENCE": "P551", "SPOUSE": "P26", "PLACE_OF_BIRTH": "P19",
    "EDUCATED_AT": "P69", "HEADQUARTERS": "P159", "CHILD_OF": "P22", "DATE_OF_BIRTH": "P569", "FOUNDED_BY": "P112",
    "CEO": "P169", "NATIONALITY": "P27", "POLITICAL_AFFILIATION": "P102", "DATE_OF_DEATH": "P570",
    "SUBSIDIARY_OF": "P749", "DATE_FOUNDED": "P571",
}  # fmt: skip
HELD_FOLD = 3  # of KnowledgeNet, never trained on
HELD_DOCUMENTS = 150  # of Re-DocRED, the last ones
MIXED = frozenset(("P108", "P463", "P54", "P39"))  # KnowledgeNet's EMPLOYEE_OR_MEMBER_OF is any of these
UNNAMED = frozenset(("P412", "P641"))  # voices and sports are no names
ENOUGH = 110  # sentences of one of FewRel's relations
FILLED = 40  # sentences that are made of a relation's templates
SAID = 40  # clauses of each of the schema's relations
FEWEST = 8  # names of a class that are enough to make sentences with
_OPENINGS = ("", "", "", "In 1998, ", "According to the report, ", "At that time, ", "As of March 2021, ")
RELATIVE = frozenset("who whose whom which that where".split())
_NO_SPACE_BEFORE, _NO_SPACE_AFTER = re.compile(r"[.,;:?!)\]%’]|'s$|n't$"), re.compile(r"[(\[$£€]$")

Span = tuple[int, int]


class Fact(NamedTuple):
    """(subject, relation, object) by the numbers of entities; `sentences` state it, None where any may."""

    subject: int
    relation: str
    object: int
    sentences: frozenset[int] | None


class Gold(NamedTuple):
    """A text with its facts: the places of each entity's mentions, and where its sentences begin.

    `scope` are the relations that were looked for; where `open`, only between the ends of its facts. Where `pronouns`,
    they are marked too.
    """

    source: str
    text: str
    title: str
    entities: tuple[tuple[Span, ...], ...]
    facts: tuple[Fact, ...]
    begins: tuple[int, ...] = (0,)
    scope: frozenset[str] = frozenset()
    open: bool = False
    pronouns: bool = False


def straight(subject: int, relation: str, obj: int, sentences: frozenset[int] | None) -> Fact:
    """Return a fact by the one of two inverse relations that is stored."""
    if relation in PARENTS:
        return Fact(obj, "P40", subject, sentences)
    if relation not in SCHEMA.relations:
        return Fact(subject, relation, obj, sentences)
    stored, exchanged = SCHEMA.stored(relation)
    return Fact(obj, stored, subject, sentences) if exchanged else Fact(subject, stored, obj, sentences)


def training(folder: Path) -> Iterator[Gold]:
    """Yield the texts to train on."""
    yield from (one for one in knowledgenet(folder) if not one.source.startswith(f"knowledgenet-{HELD_FOLD}"))
    yield from list(re_docred(folder))[:-HELD_DOCUMENTS]
    yield from fewrel(folder)
    yield from pararel(folder)
    yield from phrases(folder)


def marked_sentence(row: dict[str, Any], text: str, start: int) -> Gold:
    """Return a sentence that we marked, where it begins in its text: the places of each name, and what joins which."""
    names = tuple(tuple((start + one, start + end) for one, end in spans) for spans in row["names"])
    facts = sorted({straight(one, relation, other, None) for one, relation, other in row["facts"]})
    scope = frozenset(fact.relation for fact in facts)
    return Gold(f"marked-{row['source']}", text, "", names, tuple(facts), scope=scope, pronouns=True)


def held_out(folder: Path) -> dict[str, list[Gold]]:
    """Return the texts that are never trained on, by set: every other document, as the rest has chosen thresholds."""
    fold = [one for one in knowledgenet(folder) if one.source.startswith(f"knowledgenet-{HELD_FOLD}")]
    odd = [one for one in fold if int(one.source.split("-")[2]) % 2 == 1]
    return {"knowledgenet": odd, "re-docred": list(re_docred(folder))[-HELD_DOCUMENTS:][1::2]}


def judged_texts(folder: Path) -> Iterator[Text]:
    """Yield the texts that judged_pairs.jsonl and marked.jsonl may be of: Wikipedia, news, filings, the web."""
    from drawn import Text, given  # imports scipy, which torch must not be hidden from (benchmarks/relation_reader.py)

    for genre in ("encyclopaedia", "passages", "articles", "filings"):
        yield from given(genre, odd=False)
    for genre in ("passages", "articles"):
        yield from given(genre, odd=True)
    for row in json_rows(folder / "knowledgenet" / "test_documents_no_facts.jsonl.gz"):
        yield Text(f"kn-{row['documentId']}", "", row["documentText"])
    for at, row in enumerate(json_rows(folder / "hipporag" / "hotpotqa_train100_corpus.jsonl.gz")):
        yield Text(f"hp-{at}", row["title"], "".join(row["sentences"]))
    for name, text in web_texts(folder):
        yield Text(f"ewt-{name}", "", text)


def other_judged_texts(folder: Path, news: Path | None) -> Iterator[tuple[str, Text]]:
    """Yield more texts that judged_open.jsonl may be of, with their genre: MuSiQue's passages and those of `news`.

    `news` is a folder of articles and filings that are not in KGS_TEST_DATA: SOURCE.txt, SOURCE.pdf.
    """
    from drawn import Text, of_file

    for at, row in enumerate(json_rows(folder / "hipporag" / "musique_train100_corpus.jsonl.gz")):
        yield "encyclopaedia", Text(f"musique-{at}", row["title"], row["text"])
    for path in sorted(news.iterdir()) if news else ():
        if path.suffix in (".txt", ".pdf"):
            yield from (("news" if path.suffix == ".txt" else "filings", text) for text in of_file(path))


def more_texts(folder: Path) -> Iterator[Text]:
    """Yield other texts that larger readers read: passages of MuSiQue, HotpotQA's passages of questions."""
    from drawn import Text

    for at, row in enumerate(json_rows(folder / "hipporag" / "musique_train100_corpus.jsonl.gz")):
        yield Text(f"mu-{at}", row["title"], row["text"])
    seen = set[str]()
    for row in json_rows(folder / "multihop-qa" / "hotpotqa_dev200.jsonl.gz"):
        for title, sentences in row["context"]:
            if title not in seen:
                seen.add(title)
                yield Text(f"hp-dev-{len(seen)}", title, "".join(sentences))


def web_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the weblogs and newsgroups of the English Web Treebank (CC BY-SA 4.0), with their names."""
    texts: dict[str, str] = {}
    name = ""
    with gzip.open(folder / "ud-ewt" / "en_ewt-ud-train.conllu.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            key, _, value = line.removeprefix("# ").partition(" = ")
            if key == "newdoc id":
                name = value.strip()
            elif key == "newpar":
                texts[name] = texts.get(name, "") + "\n\n"
            elif key == "text":
                texts[name] = texts.get(name, "") + value.strip() + " "
    yield from ((name, text.strip()) for name, text in texts.items() if name.startswith(("weblog", "newsgroup")))


def knowledgenet(folder: Path) -> Iterator[Gold]:
    """Yield KnowledgeNet's passages; an item's mentions are one entity, as are mentions of the same words.

    A passage is annotated for some of the properties; this part of the set does not say which: those that it has.
    """
    passages: dict[tuple[int, str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in json_rows(folder / "knowledgenet" / "facts_folds_rest.jsonl.gz"):
        passages[row["fold"], row["doc"], row["passage_start"]].append(row)
    for (fold, document, start), rows in passages.items():
        text = rows[0]["passage"]
        entities: dict[str, set[Span]] = {}
        named: dict[Span, str] = {}
        pairs = []
        for row in rows:
            ends = []
            for end in (row["subject"], row["object"]):
                span = (end["start"] - start, end["end"] - start)
                key = named.setdefault(span, end["qid"] or end["text"].lower())
                entities.setdefault(key, set()).add(span)
                ends.append(key)
            pairs.append((ends[0], KNOWLEDGENET[row["property"]], ends[1]))
        number = {key: at for at, key in enumerate(entities)}
        facts = {straight(number[one], relation, number[other], None) for one, relation, other in pairs}
        spans = tuple(tuple(sorted(found)) for found in entities.values())
        scope = frozenset(fact.relation for fact in facts)
        name = f"knowledgenet-{fold}-{document}-{start}"
        yield Gold(name, text, "", spans, tuple(sorted(facts)), scope=scope, pronouns=True)


def check_data(folder: Path) -> None:
    """Exit if the folder of public data is not there, with the setting that names it."""
    if not folder.exists():
        sys.exit(f"no data at {folder}: set KGS_TEST_DATA")


def re_docred(folder: Path) -> Iterator[Gold]:
    """Yield Re-DocRED's documents; a blank line parts their sentences."""
    rows = list(json_rows(folder / "re-docred" / "dev_revised.jsonl.gz"))
    found = {label["r"] for row in rows for label in row["labels"]} | {"P169", "P551"}  # none of the two in this part
    scope = frozenset(straight(0, relation, 1, None).relation for relation in found)
    for row in rows:
        text, begins, places = _written(row["sents"])
        entities = tuple(
            tuple(
                (places[one["sent_id"]][one["pos"][0]][0], places[one["sent_id"]][one["pos"][1] - 1][1])
                for one in mentions
            )
            for mentions in row["vertexSet"]
        )
        facts = {
            straight(label["h"], label["r"], label["t"], frozenset(label["evidence"]))
            for label in row["labels"]
            if label["h"] != label["t"]
        }
        ordered = tuple(sorted(facts, key=lambda fact: (fact[:3], sorted(fact.sentences or ()))))
        yield Gold(f"re-docred-{row['title']}", text, row["title"], entities, ordered, begins, scope)


def fewrel(folder: Path) -> Iterator[Gold]:
    """Yield FewRel's sentences, each with one fact."""
    counts = Counter[str]()
    for at, row in enumerate(json_rows(folder / "fewrel" / "val_wiki_half.jsonl.gz")):
        counts[row["relation"]] += 1
        if row["relation"] in UNNAMED or counts[row["relation"]] > ENOUGH:
            continue
        text, _, (places,) = _written([row["tokens"]])
        spans = tuple(
            (places[tokens[0]][0], places[tokens[-1]][1])
            for tokens in (row[end]["token_spans"][0] for end in ("head", "tail"))
        )
        fact = straight(0, row["relation"], 1, None)
        yield Gold(f"fewrel-{at}", text, "", ((spans[0],), (spans[1],)), (fact,), open=True)


def pararel(folder: Path, seed: int = 0) -> Iterator[Gold]:
    """Yield ParaRel's templates, filled with names that the relation joins."""
    patterns, pairs = defaultdict[str, list[str]](list), defaultdict[str, list[tuple[str, str]]](list)
    for row in json_rows(folder / "pararel" / "patterns.jsonl.gz"):
        patterns[row["relation"]].append(row["pattern"])
    for row in json_rows(folder / "pararel" / "trex_label_triples.jsonl.gz"):
        pairs[row["relation"]].append((row["sub_label"], row["obj_label"]))
    draw = random.Random(seed)
    for relation in sorted(patterns):
        named = [pair for pair in pairs[relation] if all(end[:1].isupper() for end in pair)]
        for at, (subject, obj) in enumerate(draw.sample(named, min(FILLED, len(named)))):
            pattern = draw.choice(patterns[relation]).replace(" .", ".")
            text, spans = _filled(pattern.replace("[X]", "X").replace("[Y]", "Y"), subject, obj)
            fact = straight(0, relation, 1, None)
            yield Gold(f"pararel-{relation}-{at}", text, "", ((spans[0],), (spans[1],)), (fact,), open=True)


def phrases(folder: Path, seed: int = 0) -> Iterator[Gold]:
    """Yield the schema's own phrases with names of Wikidata of the right classes (CoDEx); at times two a sentence."""
    named = _names(folder)
    draw = random.Random(seed)
    clauses: list[tuple[str, str, str, str]] = []
    for relation in SCHEMA.relations.values():
        said = [*relation.phrases, *(f"Y is the {noun} of X" for noun in relation.object_nouns)]
        said += [f"X's {noun} is Y" for noun in relation.object_nouns]
        said += [f"X is a {noun} of Y" for noun in relation.subject_nouns]
        sides = [
            [name for one in classes for name in named.get(one, ())] for classes in (relation.domain, relation.range)
        ]
        if said and min(map(len, sides)) >= FEWEST:
            clauses += [
                (relation.id, draw.choice(said), draw.choice(sides[0]), draw.choice(sides[1])) for _ in range(SAID)
            ]
    draw.shuffle(clauses)
    while clauses:
        text, entities, facts = draw.choice(_OPENINGS), list[Span](), list[Fact]()
        for relation, pattern, subject, obj in [
            clauses.pop() for _ in range(min(len(clauses), draw.choice((1, 1, 2))))
        ]:
            text += draw.choice((", and ", ", while ", "; ")) if entities else ""
            clause, spans = _filled(pattern, subject, obj)
            facts.append(straight(len(entities), relation, len(entities) + 1, None))
            entities += [(start + len(text), end + len(text)) for start, end in spans]
            text += clause
        yield Gold(f"phrases-{len(clauses)}", text + ".", "", tuple((span,) for span in entities), tuple(facts))


def _filled(pattern: str, subject: str, obj: str) -> tuple[str, list[Span]]:
    """A phrase of X and Y with names in their places, and where these are."""
    text, spans, at = "", {}, 0
    for found in re.finditer(r"\b[XY]\b", pattern):
        name = subject if found[0] == "X" else obj
        text += pattern[at : found.start()]
        spans[found[0]] = (len(text), len(text) + len(name))
        text, at = text + name, found.end()
    return text + pattern[at:], [spans["X"], spans["Y"]]


def _names(folder: Path) -> dict[str, list[str]]:
    """Names of Wikidata by the schema's classes, and days."""
    codex = folder / "codex"
    types = {row["id"]: row["label"] for row in json_rows(codex / "types.jsonl.gz")}
    labels = {row["id"]: row["label"] for row in json_rows(codex / "entity_labels.jsonl.gz")}
    named = defaultdict[str, list[str]](list)
    for row in json_rows(codex / "entity2types.jsonl.gz"):
        label = labels.get(row["id"], "")
        known = {SCHEMA.entity_class(types.get(type_)) for type_ in row["types"]} - {None}
        for one in SCHEMA.classes if label[:1].isupper() else ():
            placed = not SCHEMA.fit(one, ("place",)) and any(SCHEMA.fit(own, ("place",)) >= 2 for own in known)
            if not placed and any(SCHEMA.fit(own, (one,)) >= 2 for own in known):
                named[one].append(label)
    months = "January February March April May June July August September October November December".split()
    days = [f"{day} {months[day % 12]} {1900 + 4 * day}" for day in range(1, 29)]
    named["date"] = [
        *days,
        *(f"{months[day % 12]} {day}, {1890 + 4 * day}" for day in range(1, 29)),
        *map(str, range(1880, 2024, 3)),
    ]
    return named


def _written(sentences: list[list[str]]) -> tuple[str, tuple[int, ...], list[list[Span]]]:
    """The text of tokens as people write it, where its sentences begin, and each token's place."""
    text, begins, places = "", [], list[list[Span]]()
    for tokens in sentences:
        text += "\n\n" if text else ""
        begins.append(len(text))
        places.append([])
        for at, token in enumerate(tokens):
            glued = at == 0 or _NO_SPACE_BEFORE.match(token) or _NO_SPACE_AFTER.search(tokens[at - 1])
            text += "" if glued else " "
            places[-1].append((len(text), len(text) + len(token)))
            text += token
    return text, tuple(begins), places


def json_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)
