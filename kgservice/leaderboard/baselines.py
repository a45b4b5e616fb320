"""Systems that the service runs itself: one that was approved is measured on every later release without being asked.

Teams send results and not their systems, so only their own resubmissions can follow a new release (DRAGON, appendix B:
"metrics for open models are recalculated"). `bm25 + best sentence` knows the public texts alone; `hybrid+extractive`
and the like are our retrievers over the graph, with the reader that needs no model.
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

OWNER = "the service"  # no key can have this name
FOLLOWED = "the baseline was approved for an earlier release"
BEST_SENTENCE, READER = "bm25 + best sentence", "+extractive"
BATCH = 16  # questions read at a time

Advance = Callable[[int], None]


class Ours(NamedTuple):
    """What our own retrievers and reader work with."""

    graph: Graph
    embedder: Embedder
    scorer: Scorer


def baselines() -> tuple[str, ...]:
    """Return the names of the baselines; a retriever may also stand over another one, rerank:bm25+extractive."""
    from kgservice.retrieval import RETRIEVERS  # with LangChain, a second that `release list` should not pay

    return (BEST_SENTENCE, *(f"{name}{READER}" for name in RETRIEVERS if name != "oracle"))


def check_baseline(name: str) -> None:
    """Refuse a baseline that there is not (NotFound)."""
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
    """Run a baseline on a release and evaluate its results; an admin approves them as anybody's.

    Ours see what the graph holds now: BadRequest where that is not what the release froze.
    """
    check_baseline(name)
    if name == BEST_SENTENCE:
        results = _best_sentences(archive, release)
    else:
        results = _read(archive, release, ours, name.removesuffix(READER), advance)
    given = SubmittedResults(version=release.version, system=name, results=results, resubmits=resubmits)
    one = submissions.add(archive, given, owner=OWNER, baseline=name)
    return submissions.evaluate(archive, one.id)


def follow(
    archive: Archive, submissions: Submissions, ours: Ours, release: Manifest, advance: Advance = lambda _: None
) -> tuple[list[Submission], dict[str, str]]:
    """Measure the approved baselines of a corpus on its newest release and approve them, each once.

    Returns them, and why others could not be measured, by name.
    """
    line = {one.version for one in archive.all(release.corpus)}
    last = {one.origin: one for one in submissions.all() if one.baseline and one.version in line}
    done, failed = list[Submission](), dict[str, str]()
    for one in last.values():
        if one.state != "approved" or one.version == release.version or not one.baseline:
            continue
        try:
            entered = enter(archive, submissions, ours, one.baseline, release, one.id, advance)
        except KgserviceError as error:  # the release is out, and the other baselines can be measured
            failed[one.baseline] = str(error)
        else:
            done.append(submissions.move(entered.id, "approved", FOLLOWED))
    return done, failed


def _best_sentences(archive: Archive, release: Manifest) -> dict[str, Result]:
    asked = benchmark(release.version, lambda file: archive.file(release, file))
    system = BestSentence((text.public_id, text.title, text.text) for text in asked.texts)
    return {str(key): result for key, result in asked.run(system).items()}


def _read(archive: Archive, release: Manifest, ours: Ours, finder: str, advance: Advance) -> dict[str, Result]:
    """Ask our reader, over a retriever; what came into the graph while it ran is no text of the release."""
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
    told = asyncio.run(_told(ReadsPassages(finds, ExtractiveGenerator(embedder)), sets.units, advance))
    return {
        unit.id: Result(
            found_ids=tuple(sets.public[key] for key in one.chunks if key in sets.public), model_answer=one.answer
        )
        for unit, one in zip(sets.units, told, strict=True)
    }


async def _told(system: System, units: Sequence[DragonItem], advance: Advance) -> list[SystemAnswer]:
    from kgservice.answering.generator import QuestionWithPassages

    told: list[SystemAnswer] = []
    for start in range(0, len(units), BATCH):
        batch = units[start : start + BATCH]
        told += await system.answers([QuestionWithPassages(unit=one.id, question=one.question) for one in batch])
        advance(len(batch))
    return told
