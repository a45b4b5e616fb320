"""Which answers of a release may be opened, now that nobody is asked for them any more, and which facts are told.

A question has retired when the newest release of its corpus does not ask it and all releases that do are closed. Its
answer is opened unless an open release or the newest one asks about one of its facts; a later release asks about none
of them, and of none that a train part gave away (split.TOLD).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from kgservice.releases.archive import ANSWERS, Archive, Manifest
from kgservice.releases.certificate import OPENINGS
from kgservice.releases.split import either_way


def opened(archive: Archive, release: Manifest, closed: Collection[str]) -> list[dict[str, Any]]:
    """Return the openings of a release's answers that may be told, by public id; `closed` are versions."""
    safe = {row["public_id"] for row in _safe(archive, release.corpus, closed) if row["version"] == release.version}
    return [row for row in all_openings(archive, release) if row["public_id"] in safe]


def all_openings(archive: Archive, release: Manifest) -> list[dict[str, Any]]:
    """Return every opening of a release, none of one that was made before releases had them."""
    if not any(one.name == OPENINGS for one in release.files):
        return []
    return list(map(json.loads, archive.file(release, OPENINGS, private=True).splitlines()))


def triples_told(archive: Archive, corpus: str, closed: Collection[str]) -> set[tuple[str, str, str]]:
    """Return the facts, as (subject, relation, object), that everybody may know: those of the answers of a corpus that
    may be opened, and of the train parts of its releases, which older versions chose by another rule."""
    found = {_triple(triple) for row in _safe(archive, corpus, closed) for triple in row["triplets"]}
    for release in archive.all(corpus):
        for row in map(json.loads, archive.file(release, "train.jsonl").splitlines()):
            found |= {(fact["subject"], fact["relation"], fact["object"]) for fact in row["facts"]}
    return found


def triples_asked(archive: Archive, corpus: str, closed: Collection[str]) -> set[tuple[str, str, str]]:
    """Return the facts that open releases of a corpus and its newest one ask about, as (subject, relation, object)."""
    return {_triple(triple) for row in _asked(archive, corpus, closed) for triple in row["triplets"]}


def _asked(archive: Archive, corpus: str, closed: Collection[str]) -> list[dict[str, Any]]:
    releases = archive.all(corpus)
    return [
        row for one in releases if one.version not in closed or one == releases[-1] for row in _answers(archive, one)
    ]


def _safe(archive: Archive, corpus: str, closed: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the questions that may be opened, each as every release asked it: its private answers and `version`."""
    questions = {row["id"] for row in _asked(archive, corpus, closed)}
    facts = set(map(either_way, triples_asked(archive, corpus, closed)))
    for row in (row for one in archive.all(corpus) for row in _answers(archive, one)):
        if row["id"] not in questions and facts.isdisjoint(map(either_way, row["triplets"])):
            yield row


def _answers(archive: Archive, release: Manifest) -> list[dict[str, Any]]:
    rows = map(json.loads, archive.file(release, ANSWERS, private=True).splitlines())
    return [row | {"version": release.version} for row in rows]


def _triple(row: list[str]) -> tuple[str, str, str]:
    subject, relation, obj = row
    return subject, relation, obj
