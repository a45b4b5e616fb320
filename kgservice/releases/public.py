"""What a release shows to everybody: texts and questions (the sandbox's answers too), and how a system runs on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record
from kgservice.gold.found_passage import passage_of
from kgservice.metrics.result_scores import Expected, Result, ResultScores, expected, score
from kgservice.releases.canary import unmarked
from kgservice.releases.release_places import ReleaseEvidence, evidence

System: TypeAlias = Callable[[str], tuple[str, Sequence[object]]]
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
    evidence: ReleaseEvidence | None = None

    def run(self, system: System) -> Results:
        """Ask a system every question; it returns its answer and what it found, best first.

        That is public ids of texts, or passages of its own: texts, or objects of a FoundPassage's fields (BadRequest).
        """
        said = ((one.public_id, system(one.question)) for one in self.questions)
        return {key: _result(answer, found) for key, (answer, found) in said}

    def evaluate(self, results: Results) -> ResultScores:
        """Measure results; only the sandbox can (BadRequest)."""
        if self.expected is None:
            raise BadRequest("the answers of a release are private: submit its results, or evaluate on the sandbox")
        if any(result.passages for result in results.values()):
            if self.evidence is None:
                raise BadRequest(
                    "this release does not say where its texts stand: give public ids, or take a newer one"
                )
            results = self.evidence.by_public_ids(results)
        return score(self.expected, results)


def _result(answer: str, found: Sequence[object]) -> Result:
    numbers = [one for one in found if isinstance(one, int)]
    if len(numbers) == len(found):
        return Result(model_answer=answer, found_ids=tuple(numbers))
    return Result(model_answer=answer, passages=tuple(map(passage_of, found)))


def benchmark(version: str, file: Callable[[str], bytes], part: str = "") -> Benchmark:
    """Read a release, or its SANDBOX, from its files by name."""
    texts, questions = (
        map(json.loads, file(f"{part}{name}.jsonl").splitlines()) for name in ("public_texts", "public_questions")
    )
    return Benchmark(
        version=version,
        texts=tuple(ReleaseText(**unmarked(row)) for row in texts),
        questions=tuple(PublicQuestion(**unmarked(row)) for row in questions),
        expected=expected(file(f"{part}private_qa.jsonl")) if part else None,
        evidence=_evidence(file, part) if part else None,
    )


def _evidence(file: Callable[[str], bytes], part: str) -> ReleaseEvidence | None:
    try:
        return evidence(file, part, private="")
    except NotFound:  # a release of before places were kept
        return None
