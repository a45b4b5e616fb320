"""What the gate asks: questions of a corpus as it is now, or of a release, with their evidence by place."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record
from kgservice.evaluation.retrieval.by_place import questions
from kgservice.gold.gold_places import Documents, Gold
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.releases.archive import MAPPING, Archive, Manifest
from kgservice.releases.certificate import SECRET
from kgservice.releases.release_files import EXCHANGE
from kgservice.releases.release_places import evidence
from kgservice.releases.split import either_way

QUESTIONS = 150  # enough to find a drop of ten points nine times of ten (docs/gate.md)


class Case(Record):
    """A question to ask: `facts` name what it rests on, `former` are answers that it had once and has no more.

    `about` names what its facts tell of, subject and relation: of a fact that changed it is the same.

    `digest` changes with the question, its answers and the sentences of its evidence, not with where they stand.
    `salt` is a release's secret: with it no guess of an answer can be checked by `facts`, `about` or `digest`.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    facts: tuple[str, ...]
    about: tuple[str, ...] = ()
    gold: Gold
    former: tuple[str, ...] = ()
    salt: str = Field("", exclude=True, repr=False)

    @property
    def digest(self) -> str:
        """Return a digest of what in the question, if it changes, makes an answer of before worthless."""
        said = sorted({(place.document, place.sentence) for fact in self.gold.facts for place in fact})
        return _salted(self.salt, "case", self.question, self.answers, said)


class Cases(NamedTuple):
    """Questions and the documents that hold their evidence.

    `public` has the public ids of a release's texts by chunk key, None of a corpus.
    """

    cases: tuple[Case, ...]
    documents: Documents
    public: Mapping[str, str] | None = None


def of_corpus(graph: Graph, corpus: str) -> Cases:
    """Return the active questions of a corpus (NotFound, BadRequest where it has none)."""
    found = questions(graph, corpus)
    ended = question_store.questions(graph, corpus, state="retired")
    former = _former((one.question, one.answers) for one in ended)
    cases = (
        Case(
            id=one.id, question=one.question, answers=one.answers,
            facts=tuple(_fact(fact.model_dump()) for fact in one.facts),
            about=_about((fact.subject, fact.relation, fact.period) for fact in one.facts),
            gold=found.gold[one.id], former=_others(former, one.question, one.answers),
        )
        for one in found.questions
    )  # fmt: skip
    return Cases(tuple(cases), found.documents)


def of_release(archive: Archive, release: Manifest) -> Cases:
    """Return the questions of a release by public id.

    Raises BadRequest if it has 0 questions or was made before places were kept.
    """
    if not sum(release.counts.test.values()):
        raise BadRequest(
            f"release {release.version} has 0 questions, so there is nothing to ask: choose another release"
        )
    read = partial(archive.file, release, private=True)
    try:
        held = evidence(read)
    except NotFound as error:
        raise BadRequest(f"release {release.version} does not say where its texts stand: take a newer one") from error
    older = [one for one in archive.all(release.corpus) if one.created < release.created]
    rows = (row for one in older for row in map(json.loads, archive.file(one, EXCHANGE, private=True).splitlines()))
    former = _former((row["question"], row["answers"]) for row in rows)
    numbers = {row["id"]: row["public_id"] for row in map(json.loads, read("private/private_qa.jsonl").splitlines())}
    known = any(one.name == SECRET for one in release.files)  # releases of before have none
    salt = read(SECRET).decode().strip() if known else ""
    cases = (
        Case(
            id=str(numbers[row["id"]]), question=row["question"], answers=row["answers"],
            facts=tuple(_fact(fact, salt) for fact in row["facts"]),
            about=_about(((one["subject"], one["relation"], one.get("period", "")) for one in row["facts"]), salt),
            gold=Gold(facts=held.facts[numbers[row["id"]]]),
            former=_others(former, row["question"], row["answers"]), salt=salt,
        )
        for row in map(json.loads, read(EXCHANGE).splitlines())
    )  # fmt: skip
    texts = map(json.loads, read(MAPPING).splitlines())
    return Cases(tuple(cases), held.documents(), {row["id"]: str(row["public_id"]) for row in texts})


def chosen(
    cases: Sequence[Case], number: int, seed: int, known: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[Case, ...]:
    """Return at most `number` cases in order of id: those of the baseline, then new ones.

    `known` has the baseline's questions, each with what it is about: one that is gone leaves its place to another one
    about the same.

    No two rest on one fact as long as there are others, so that a fault of one fact counts once and chance is small.
    The order is drawn by id, so that a question that comes or goes moves hardly any other.
    """
    before, still = known or {}, {one.question for one in cases}
    gone = {about for question, about in before.items() if question not in still}

    def kept(one: Case) -> bool:
        return one.question in before or (bool(one.about) and one.about in gone)

    order = sorted(cases, key=lambda one: (not kept(one), keys.digest(20, "gate", seed, one.id)))
    used, taken, left = set[str](), list[Case](), list[Case]()
    for one in order:
        if not kept(one) and used & {*one.facts}:
            left.append(one)
            continue
        used |= {*one.facts}
        taken.append(one)
    return tuple(sorted((*taken, *left)[:number], key=lambda one: one.id))


def clusters(facts: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return a cluster's name for each id: ids that share a fact, directly or by others between, are one cluster."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for key, found in facts.items():
        for fact in found:
            one, two = sorted((root(f"question {key}"), root(f"fact {fact}")))
            above[two] = one
    return {key: root(f"question {key}") for key in facts}


def _former(rows: Iterable[tuple[str, Iterable[str]]]) -> dict[str, dict[str, None]]:
    found = defaultdict[str, dict[str, None]](dict)
    for question, answers in rows:
        found[question] |= dict.fromkeys(answers)
    return found


def _others(former: Mapping[str, Mapping[str, None]], question: str, answers: Collection[str]) -> tuple[str, ...]:
    return tuple(answer for answer in former.get(question, ()) if answer not in answers)


def _about(told: Iterable[tuple[str, str, str]], salt: str = "") -> tuple[str, ...]:
    return tuple(sorted({_salted(salt, *one) for one in told}))


def _fact(row: Mapping[str, str], salt: str = "") -> str:
    """Return the name of a fact, the same in whatever direction it is stated."""
    return _salted(salt, *either_way((row["subject"], row["relation"], row["object"])), row.get("period", ""))


def _salted(salt: str, *parts: object) -> str:
    return keys.digest(20, *((salt,) if salt else ()), *parts)
