"""Questions and releases for tests, made without a graph."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import SecretStr

from kgservice.core.records import Fact, Question, Source
from kgservice.releases.archive import ANSWERS, MAPPING, Archive, Making, Manifest, ReleaseCounts

QUESTIONS = {0: ("simple", "Isvik", [2]), 1: ("multi-hop", "Ada Lind", [0, 1]), 2: ("set", "Orlo, Lun", [1])}
KEYS = {0: "q2", 1: "q7", 2: "q0"}  # the first two are in the public half
TEXTS = 4


def question(key: str, *facts: str, pattern: str = "chain", relation: str = "r", text: str = "") -> Question:
    """Return an active question about facts."""
    stated = tuple(
        Fact(key=fact, subject="a", relation=relation, object=fact, statements=(Source(chunk=f"c-{fact}", document="d", sentence=fact),))
        for fact in facts
    )  # fmt: skip
    return Question(
        id=key, corpus="c", pattern=pattern, asked="last", question=text or f"Who is {key}?", answers=(f"answer {key}",),
        facts=stated, chunk_ids=tuple(f"c-{fact}" for fact in facts), document_keys=("d",),
    )  # fmt: skip


def making(corpus: str = "demo", previous: str | None = None) -> Making:
    counts = ReleaseCounts(given=3, test={"single": 3}, train={}, sandbox={}, left_out={}, texts=TEXTS, documents=1)
    return Making(
        corpus=corpus, previous=previous, per_pattern=150, seed=0, counts=counts, next_question=3, next_text=TEXTS
    )


def published(
    folder: Path,
    rows: Iterable[str] = ("public",),
    corpus: str = "demo",
    questions: Iterable[str] = (),
    release_key: str | None = None,
) -> Manifest:
    """Publish a release with three questions and four texts."""
    answers = (
        {
            "public_id": key,
            "id": KEYS[key],
            "type": kind,
            "answer": said,
            "answers": said.split(", "),
            "text_ids": texts,
        }
        for key, (kind, said, texts) in QUESTIONS.items()
    )
    with Archive(folder, SecretStr(release_key) if release_key else None).staging() as staging:
        staging.write("public_texts.jsonl", rows)
        if asked := list(questions):
            staging.write("public_questions.jsonl", asked)
        staging.write(ANSWERS, map(json.dumps, answers), private=True)
        staging.write(MAPPING, (json.dumps({"id": f"c{key}", "public_id": key}) for key in range(TEXTS)), private=True)
        return staging.publish(making(corpus))
