"""What a release shows to everybody: texts and questions (the sandbox's answers too), and how a system runs on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.metrics.result_scores import Expected, Result, ResultScores, expected, score

System: TypeAlias = Callable[[str], tuple[str, Sequence[int]]]
Results: TypeAlias = dict[int, Result]
SANDBOX = "sandbox/"


class ReleaseText(Record):
    """A passage that questions are answered from."""

    public_id: int
    title: str
    text: str


class PublicQuestion(Record):
    """A question to be answered."""

    public_id: int
    question: str


class Benchmark(Record):
    """Texts and questions of a release, or of its sandbox, which has the answers too."""

    version: str
    texts: tuple[ReleaseText, ...]
    questions: tuple[PublicQuestion, ...]
    expected: tuple[Expected, ...] | None = None

    def run(self, system: System) -> Results:
        """Ask a system every question; it returns its answer and the public ids of the texts it found, best first."""
        said = ((one.public_id, system(one.question)) for one in self.questions)
        return {key: Result(model_answer=answer, found_ids=tuple(found)) for key, (answer, found) in said}

    def evaluate(self, results: Results) -> ResultScores:
        """Measure results; only the sandbox can (BadRequest)."""
        if self.expected is None:
            raise BadRequest("the answers of a release are private: submit its results, or evaluate on the sandbox")
        return score(self.expected, results)


def benchmark(version: str, file: Callable[[str], bytes], part: str = "") -> Benchmark:
    """Read a release, or its SANDBOX, from its files by name."""
    texts, questions = (
        map(json.loads, file(f"{part}{name}.jsonl").splitlines()) for name in ("public_texts", "public_questions")
    )
    return Benchmark(
        version=version,
        texts=tuple(ReleaseText(**row) for row in texts),
        questions=tuple(PublicQuestion(**row) for row in questions),
        expected=expected(file(f"{part}private_qa.jsonl")) if part else None,
    )
