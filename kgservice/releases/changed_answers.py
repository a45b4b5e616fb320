"""The questions that two releases of a corpus ask in the same words and answer differently."""

from __future__ import annotations

import json
from typing import NamedTuple

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record
from kgservice.releases.archive import ANSWERS, Archive, Manifest

QUESTIONS = "public_questions.jsonl"


class ChangedAnswer(Record):
    """A question whose answer changed: its public ids in both releases, and what it was answered and is now."""

    question: str
    older_id: int
    newer_id: int
    before: tuple[str, ...] = ()
    now: tuple[str, ...] = ()

    def shown(self) -> ChangedAnswer:
        """Return the question as everybody may see it, without answers."""
        return self.model_copy(update={"before": (), "now": ()})


class _Answered(NamedTuple):
    public_id: int
    answers: tuple[str, ...]


def changed_answers(archive: Archive, older: Manifest, newer: Manifest) -> tuple[ChangedAnswer, ...]:
    """Return the questions of the same words and kind whose answers differ, in order of their newer public id."""
    before, after = _answered(archive, older), _answered(archive, newer)
    found = [
        ChangedAnswer(
            question=words[0],
            older_id=before[words].public_id,
            newer_id=now.public_id,
            before=before[words].answers,
            now=now.answers,
        )
        for words, now in after.items()
        if words in before and set(before[words].answers) != set(now.answers)
    ]
    return tuple(sorted(found, key=lambda one: one.newer_id))


def changed_since(archive: Archive, release: Manifest) -> tuple[ChangedAnswer, ...]:
    """Return the questions whose answers changed since the release before.

    There are none if this is the first, or if that one is gone or cannot be read.
    """
    if release.previous is None:
        return ()
    try:
        return changed_answers(archive, archive.get(release.previous), release)
    except (NotFound, BadRequest):
        return ()


def _answered(archive: Archive, release: Manifest) -> dict[tuple[str, str], _Answered]:
    """Return the questions of a release by their words and kind; words that stand twice mean two things."""
    rows = map(json.loads, archive.file(release, QUESTIONS).splitlines())
    words = {row["public_id"]: row["question"] for row in rows}
    found: dict[tuple[str, str], _Answered] = {}
    twice: set[tuple[str, str]] = set()
    for row in map(json.loads, archive.file(release, ANSWERS, private=True).splitlines()):
        key = words[row["public_id"]], row["type"]
        twice |= {key} & found.keys()
        found[key] = _Answered(row["public_id"], tuple(row["answers"]))
    return {key: one for key, one in found.items() if key not in twice}
