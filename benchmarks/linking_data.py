"""What linking is fitted and measured on: mentions of KnowledgeNet, Mintaka and FewRel, the index made of CoDEx, and
ParaRel's phrases for relations. Half of each, by the hash of document, question or name, fits, the other one measures.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kgservice.linking.candidate_score import Sought
from kgservice.linking.candidates import Candidates, ItemCandidate
from kgservice.linking.index_build import Building
from kgservice.linking.item_vectors import make_vectors
from kgservice.linking.linker import LIKELY
from kgservice.linking.relation_properties import Properties
from kgservice.linking.wikidata_dump import number
from kgservice.linking.wikidata_index import Wikidata
from kgservice.vectors.embedder import Embedder

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
TEST_SOURCES = ("mintaka", "fewrel-mention", "knowledgenet-mention")
TABLES = ("types.jsonl.gz", "relations.jsonl.gz", "entity2types.jsonl.gz", "codex-m.tsv.gz", "codex-s.tsv.gz",
          "codex-l-valid-test.tsv.gz")  # fmt: skip
PRONOUNS = frozenset(
    "he she his her him hers it its they their them who whom whose which where there this that these those i me my we "
    "our us you your himself herself itself when what here".split()
)
PERSON, PLACE, GROUP = "person", "place", "organization"
KNOWN_AS = {  # KnowledgeNet's properties, and what their ends are
    "EMPLOYEE_OR_MEMBER_OF": ("employer", PERSON, GROUP), "PLACE_OF_RESIDENCE": ("residence", PERSON, PLACE),
    "SPOUSE": ("spouse", PERSON, PERSON), "PLACE_OF_BIRTH": ("place of birth", PERSON, PLACE),
    "EDUCATED_AT": ("educated at", PERSON, GROUP), "CHILD_OF": ("child of", PERSON, PERSON),
    "HEADQUARTERS": ("headquarters location", GROUP, PLACE), "CEO": ("chief executive officer", GROUP, PERSON),
    "FOUNDED_BY": ("founded by", GROUP, PERSON), "NATIONALITY": ("nationality", PERSON, PLACE),
    "POLITICAL_AFFILIATION": ("political affiliation", PERSON, GROUP),
    "SUBSIDIARY_OF": ("subsidiary of", GROUP, GROUP),
}  # fmt: skip


class Mention(NamedTuple):
    """A name with the item that it means, as the data set has it; `unit` decides the half that it belongs to."""

    data: str
    unit: str
    name: str
    gold: int
    sentence: str
    type: str | None = None
    relation: str = ""
    subject: bool = True


class Case(NamedTuple):
    """A mention with what is sought and its candidates."""

    mention: Mention
    sought: Sought
    found: list[ItemCandidate]


def cases(candidates: Candidates, properties: Properties, *, fitting: bool) -> Iterator[Case]:
    """Yield the mentions of a half as the link stage sees them."""
    told = mentions(fitting=fitting)
    candidates.look_up((one.name, True) for one in told)
    beside = defaultdict(set)
    for one in told:
        beside[one.sentence].add(one.name)
    for one in told:
        others = sorted(beside[one.sentence] - {one.name})
        known = tuple(sorted({item for name in others for item in candidates.exact(name)}))
        meant = properties.of(one.relation) if one.relation else None
        likely = -meant.property.number if meant and meant.probability >= LIKELY else 0
        yield Case(one, Sought(one.name, one.sentence, one.type, likely, one.subject, known), candidates.of(one.name))


def has(index: Wikidata, item: int) -> bool:
    """Whether the index knows an item by name."""
    known = index.items([item])
    return bool(known and known[item].label)


def phrases(*, fitting: bool) -> Iterator[tuple[str, int]]:
    """ParaRel's ways to say a relation, from subject to object, by halves of the relations."""
    for row in rows_of("pararel/patterns.jsonl.gz"):
        known = number(row["relation"]) or 0
        said = re.fullmatch(r"\[X\] (.+?),? (?:the )?\[Y\] ?\.?", row["pattern"])
        if said and (known % 2 == 0) == fitting:
            yield said[1], known


def built(path: Path, *, vectors: bool) -> Path:
    """Build the index, without the label rows that come from the test sets."""
    path.parent.mkdir(parents=True, exist_ok=True)
    labels = path.with_name("labels.jsonl.gz")
    if not labels.exists():
        with gzip.open(labels, "wt", encoding="utf-8") as out:
            out.writelines(
                json.dumps(row) + "\n"
                for row in rows_of("codex/entity_labels.jsonl.gz")
                if row["source"] not in TEST_SOURCES
            )
    with Building(path, ("en",)) as building:
        for source in (labels, *(DATA / "codex" / name for name in TABLES)):
            building.add(source)
        building.finish()
    with Wikidata(path) as index:
        if vectors:
            make_vectors(path, index.fingerprint, Embedder(), lambda _: None)
    return path


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def _knowledgenet() -> Iterator[Mention]:
    """Facts with both sides linked; pronouns are no names."""
    for row in rows_of("knowledgenet/facts_folds_rest.jsonl.gz"):
        ends = row["subject"], row["object"]
        if not all(end["qid"] for end in ends):
            continue
        relation, *types = KNOWN_AS[row["property"]]
        for end, type_, subject in zip(ends, types, (True, False), strict=True):
            if end["text"].lower() not in PRONOUNS:
                gold = number(end["qid"]) or 0
                yield Mention("knowledgenet", row["doc"], end["text"], gold, row["passage"], type_, relation, subject)


def _mintaka() -> Iterator[Mention]:
    for row in rows_of("mintaka/dev_even.jsonl.gz"):
        for end in row["questionEntity"]:
            if end["entityType"] == "entity" and end["name"]:
                yield Mention("mintaka", row["id"], end["mention"], number(end["name"]) or 0, row["question"])


def _fewrel() -> Iterator[Mention]:
    """Heads and tails; their relation is not told, as it is the label of the sentence."""
    for row in rows_of("fewrel/val_wiki_half.jsonl.gz"):
        sentence = " ".join(row["tokens"])
        for end in (row["head"], row["tail"]):
            name = " ".join(row["tokens"][at] for at in end["token_spans"][0])
            yield Mention("fewrel", name, name, number(end["qid"]) or 0, sentence)


DATASETS = {"knowledgenet": _knowledgenet, "mintaka": _mintaka, "fewrel": _fewrel}


def mentions(*, fitting: bool) -> list[Mention]:
    """Return one half of the mentions, a name and its item once a unit; of FewRel's names a third is tested."""
    found = {}
    for read in DATASETS.values():
        for one in read():
            key, drawn = (one.data, one.unit, one.name, one.gold), hashlib.blake2b(one.unit.encode()).digest()
            if (drawn[0] % 2 == 0) == fitting and (fitting or one.data != "fewrel" or drawn[1] % 3 == 0):
                found.setdefault(key, one)
    return list(found.values())
