"""Baselines: systems that the service runs itself. An approved one is measured on every later release.

Teams send results, not systems, so only their own resubmissions can follow a new release (DRAGON, appendix B: "metrics
for open models are recalculated"). `bm25 + best sentence` uses the public texts alone. `hybrid+extractive` and the like
are our retrievers over the graph, with the reader that needs no model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgservice.core.errors import BadRequest, KgserviceError, NotFound
from kgservice.graph.store import Graph
from kgservice.leaderboard.submissions import Submission, Submissions, SubmittedResults
from kgservice.metrics.result_scores import K, Result
from kgservice.releases.archive import Archive, Manifest
from kgservice.releases.best_sentence import BestSentence
from kgservice.releases.public import benchmark
from kgservice.releases.release import still_holds
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.answering.generator import System, SystemAnswer
    from kgservice.evaluation.dragon.run import DragonItem
    from kgservice.retrieval.reranker import Scorer

OWNER = "the service"  # reserved: no key can have this name
FOLLOWED = "the baseline was approved for an earlier release"
BEST_SENTENCE, READER = "bm25 + best sentence", "+extractive"
BATCH = 16  # questions read at a time

Advance = Callable[[int], None]


class Ours(NamedTuple):
    """The parts of our own retrievers and reader."""

    graph: Graph
    embedder: Embedder
    scorer: Scorer


def baselines() -> tuple[str, ...]:
    """Return the names of the baselines. A retriever may also work over another: rerank:bm25+extractive."""
    from kgservice.retrieval import RETRIEVERS  # imports LangChain, a second that `release list` does not need

    return (BEST_SENTENCE, *(f"{name}{READER}" for name in RETRIEVERS if name != "oracle"))


def check_baseline(name: str) -> None:
    """Reject an unknown baseline. Raises NotFound."""
    from kgservice.retrieval import retriever_classes

    finder = name.removesuffix(READER)
    if name != BEST_SENTENCE and (finder == name or "oracle" in finder):
        raise NotFound(f"no baseline {name!r}; there are: {', '.join(baselines())}")
    if name != BEST_SENTENCE:
        retriever_classes(finder)


def enter(
    archive: Archive,
    submissions: Submissions,
    ours: Ours,
    name: str,
    release: Manifest,
    resubmits: str | None = None,
    advance: Advance = lambda _: None,
) -> Submission:
    """Run a baseline on a release, and return its evaluated submission.

    An admin approves it like any other. Our retrievers read the graph as it is now. Raises BadRequest if it differs
    from the release, NotFound if the baseline is unknown.
    """
    check_baseline(name)
    if name == BEST_SENTENCE:
        results = _best_sentences(archive, release)
    else:
        results = _read(archive, release, ours, name.removesuffix(READER), advance)
    submitted = SubmittedResults(version=release.version, system=name, results=results, resubmits=resubmits)
    submission = submissions.add(archive, submitted, owner=OWNER, baseline=name)
    return submissions.evaluate(archive, submission.id)


def follow(
    archive: Archive, submissions: Submissions, ours: Ours, release: Manifest, advance: Advance = lambda _: None
) -> tuple[list[Submission], dict[str, str]]:
    """Measure the approved baselines of a corpus on its newest release, and approve them, each once.

    Returns the new submissions, and the reasons why others failed by name.
    """
    versions = {submission.version for submission in archive.all(release.corpus)}
    last = {
        submission.origin: submission
        for submission in submissions.all()
        if submission.baseline and submission.version in versions
    }
    done, failed = list[Submission](), dict[str, str]()
    for submission in last.values():
        if submission.state != "approved" or submission.version == release.version or not submission.baseline:
            continue
        try:
            entered = enter(archive, submissions, ours, submission.baseline, release, submission.id, advance)
        except KgserviceError as error:  # the release exists, and the other baselines can still be measured
            failed[submission.baseline] = str(error)
            continue
        if why := entered.history[-1].reason:  # not all of its answers have marks: an admin decides
            failed[submission.baseline] = why
        else:
            done.append(submissions.move(entered.id, "approved", FOLLOWED))
    return done, failed


def _best_sentences(archive: Archive, release: Manifest) -> dict[str, Result]:
    questions = benchmark(release.version, lambda file: archive.file(release, file))
    system = BestSentence((text.public_id, text.title, text.text) for text in questions.texts)
    return {str(key): result for key, result in questions.run(system).items()}


def _read(archive: Archive, release: Manifest, ours: Ours, finder: str, advance: Advance) -> dict[str, Result]:
    """Return the results of our reader over a retriever.

    Chunks that came into the graph later are no texts of the release.
    """
    from kgservice.answering.extractive import ExtractiveGenerator
    from kgservice.answering.systems import ReadsPassages
    from kgservice.evaluation.dragon.run import of_release
    from kgservice.retrieval import retriever

    graph, embedder, scorer = ours
    if not still_holds(graph, archive, release):
        raise BadRequest(
            f"the graph of {release.corpus!r} has moved on from release {release.version}, and {finder}{READER} reads "
            "the graph: make a new release, and enter it for that"
        )
    sets = of_release(archive, release.version)
    finds = retriever(finder, graph, release.corpus, embedder, k=K, scorer=scorer)
    answers = asyncio.run(_told(ReadsPassages(finds, ExtractiveGenerator(embedder)), sets.units, advance))
    return {
        unit.id: Result(
            found_ids=tuple(sets.public[key] for key in answer.chunks if key in sets.public), model_answer=answer.answer
        )
        for unit, answer in zip(sets.units, answers, strict=True)
    }


async def _told(system: System, units: Sequence[DragonItem], advance: Advance) -> list[SystemAnswer]:
    from kgservice.answering.generator import QuestionWithPassages

    answers: list[SystemAnswer] = []
    for start in range(0, len(units), BATCH):
        batch = units[start : start + BATCH]
        answers += await system.answers([QuestionWithPassages(unit=unit.id, question=unit.question) for unit in batch])
        advance(len(batch))
    return answers
