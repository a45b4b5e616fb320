"""Which answers of a release may be opened, now that nobody is asked for them any more.

A question has retired when the newest release of its corpus does not ask it and all releases that do are closed. Its
answer is opened unless an open release or the newest one asks about one of its facts; a later release asks about none
of them (split.OPENED).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from kgservice.releases.archive import ANSWERS, Archive, Manifest
from kgservice.releases.certificate import OPENINGS


def opened(archive: Archive, release: Manifest, closed: Collection[str]) -> list[dict[str, Any]]:
    """Return the openings of a release's answers that may be told, by public id; `closed` are versions."""
    safe = {row["public_id"] for row in _safe(archive, release.corpus, closed) if row["version"] == release.version}
    return [row for row in all_openings(archive, release) if row["public_id"] in safe]


def all_openings(archive: Archive, release: Manifest) -> list[dict[str, Any]]:
    """Return every opening of a release, none of one that was made before releases had them."""
    if not any(one.name == OPENINGS for one in release.files):
        return []
    return list(map(json.loads, archive.file(release, OPENINGS, private=True).splitlines()))


def triples_opened(archive: Archive, corpus: str, closed: Collection[str]) -> set[tuple[str, ...]]:
    """Return the facts, as (subject, relation, object), of the answers of a corpus that may be told."""
    return {tuple(triple) for row in _safe(archive, corpus, closed) for triple in row["triplets"]}


def _safe(archive: Archive, corpus: str, closed: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield the questions that may be opened, each as every release asked it: its private answers and `version`."""
    releases = archive.all(corpus)
    rows = [_answers(archive, one) for one in releases]
    asked = [row for one, found in zip(releases, rows, strict=True) for row in found
             if one.version not in closed or one == releases[-1]]  # fmt: skip
    questions = {row["id"] for row in asked}
    facts = {tuple(triple) for row in asked for triple in row["triplets"]}
    for row in (row for found in rows for row in found):
        if row["id"] not in questions and facts.isdisjoint(map(tuple, row["triplets"])):
            yield row


def _answers(archive: Archive, release: Manifest) -> list[dict[str, Any]]:
    rows = map(json.loads, archive.file(release, ANSWERS, private=True).splitlines())
    return [row | {"version": release.version} for row in rows]
