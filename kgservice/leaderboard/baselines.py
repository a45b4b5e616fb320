"""Baselines: systems that the service runs itself. An approved one is measured on every later release.

Teams send results, not systems, so only their own resubmissions can follow a new release (DRAGON, appendix B: "metrics
for open models are recalculated"). `bm25 + best sentence` uses the public texts alone. `hybrid+extractive` and the like
are our retrievers over the graph, with the reader that needs no model. `hybrid+llm` has the prompted reader with the
model of role "reader", which gets the public questions and the passages, within KGS_LLM_BUDGET a release.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence, Sized
from typing import TYPE_CHECKING, NamedTuple

from kgservice.core.errors import BadRequest, KgserviceError, NotFound
from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.leaderboard.submissions import Submission, Submissions, SubmittedResults
from kgservice.metrics.result_scores import K, Result
from kgservice.releases.archive import Archive, Manifest
from kgservice.releases.best_sentence import BestSentence
from kgservice.releases.public import benchmark
from kgservice.releases.release import still_holds
from kgservice.setup.connect import language_model
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.answering.generator import System, SystemAnswer
    from kgservice.evaluation.dragon.run import DragonItem
    from kgservice.retrieval.reranker import Scorer
    from kgservice.retrieval.retriever import Retriever

OWNER = "the service"  # reserved: no key can have this name
FOLLOWED = "the baseline was approved for an earlier release"
BEST_SENTENCE, EXTRACTIVE, PROMPTED = "bm25 + best sentence", "+extractive", "+llm"
OVER = "budget reached"  # an LLMFailure's reason
BATCH = 16  # questions read at a time

Advance = Callable[[int], None]


class Ours(NamedTuple):
    """The parts of our own retrievers and readers, and the settings of the prompted one's model."""

    graph: Graph
    embedder: Embedder
    scorer: Scorer | None
    settings: Settings


def baselines(settings: Settings) -> tuple[str, ...]:
    """Return the names of the baselines, those of a model if the settings have one.

    A retriever may also work over another: rerank:bm25+extractive.
    """
    from kgservice.retrieval import offered  # imports LangChain, a second that `release list` does not need
    from kgservice.retrieval.reranker import cross_encoder

    finders = [name for name in offered(cross_encoder(settings)) if name != "oracle"]
    return (BEST_SENTENCE, *(f"{name}{reader}" for reader in _readers(settings) for name in finders))


def check_baseline(name: str, settings: Settings) -> None:
    """Reject an unknown baseline. Raises NotFound, and BadRequest for rerank without a cross-encoder."""
    from kgservice.retrieval import retriever_classes
    from kgservice.retrieval.rerank import RerankRetriever, check_scorer
    from kgservice.retrieval.reranker import cross_encoder

    if name == BEST_SENTENCE:
        return
    finder, reader = _parts(name)
    if reader not in _readers(settings) or "oracle" in finder:
        raise NotFound(f"no baseline {name!r}; there are: {', '.join(baselines(settings))}")
    if retriever_classes(finder)[0] is RerankRetriever:
        check_scorer(cross_encoder(settings))


def is_paid(name: str) -> bool:
    """Return whether a baseline asks a language model."""
    return name.endswith(PROMPTED)


def _parts(name: str) -> tuple[str, str]:
    """Return the retriever and the reader of a baseline: "hybrid" and "+llm"."""
    finder, plus, reader = name.rpartition("+")
    return finder, plus + reader


def _readers(settings: Settings) -> tuple[str, ...]:
    return (EXTRACTIVE, PROMPTED) if settings.model_of("reader") else (EXTRACTIVE,)


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
    from the release, or if the model gave no answer for want of budget or at all. Raises NotFound if the baseline is
    unknown.
    """
    check_baseline(name, ours.settings)
    system, failed = name, Counter[str]()
    if is_paid(name) and (reader := ours.settings.model_of("reader")):
        system = f"{name} ({reader.model})"
        if resubmits and (before := submissions.get(resubmits).system) != system:
            raise BadRequest(f"approved was {before!r}, and now it would be {system!r}: enter it anew")
    if name == BEST_SENTENCE:
        results = _best_sentences(archive, release)
    else:
        results, failed = _read(archive, release, ours, name, advance)
    submitted = SubmittedResults(version=release.version, system=system, results=results, resubmits=resubmits)
    submission = submissions.add(archive, submitted, owner=OWNER, baseline=name, reason=_told(failed, results))
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
        if why := " ".join(event.reason for event in entered.history if event.reason):
            # not all questions have an answer, or not all answers have marks: an admin decides
            failed[submission.baseline] = why
        else:
            done.append(submissions.move(entered.id, "approved", FOLLOWED))
    return done, failed


def _best_sentences(archive: Archive, release: Manifest) -> dict[str, Result]:
    questions = benchmark(release.version, lambda file: archive.file(release, file))
    system = BestSentence((text.public_id, text.title, text.text) for text in questions.texts)
    return {str(key): result for key, result in questions.run(system).items()}


def _read(
    archive: Archive, release: Manifest, ours: Ours, name: str, advance: Advance
) -> tuple[dict[str, Result], Counter[str]]:
    """Return the results of one of our readers over a retriever, and why questions have no answer.

    Chunks that came into the graph later are no texts of the release.
    """
    from kgservice.evaluation.dragon.run import ANSWER, of_release
    from kgservice.retrieval import retriever

    if not still_holds(ours.graph, archive, release):
        raise BadRequest(
            f"the graph of {release.corpus!r} has moved on from release {release.version}, and {name} reads "
            "the graph: make a new release, and enter it for that"
        )
    sets = of_release(archive, release.version)
    finds = retriever(_parts(name)[0], ours.graph, release.corpus, ours.embedder, k=K, scorer=ours.scorer)
    told = _prompted if is_paid(name) else _extracted
    answers = asyncio.run(told(ours, finds, sets.units, advance))
    failed = Counter(answer.failure for answer in answers if answer.failure)
    results = {
        unit.id: Result(
            found_ids=tuple(sets.public[key] for key in answer.chunks if key in sets.public),
            model_answer=answer.answer[:ANSWER],
        )
        for unit, answer in zip(sets.units, answers, strict=True)
    }
    if failed[OVER] or failed.total() == len(results):
        raise BadRequest(f"{_told(failed, results)}; enter it again: what is answered is not paid for again")
    return results, failed


def _told(failed: Counter[str], results: Sized) -> str:
    """Return how many questions have no answer and why, or an empty string."""
    why = ", ".join(f"{reason} ({number:,})" for reason, number in failed.most_common())
    return f"no answer to {failed.total():,} of {len(results):,} questions: {why}" if failed else ""


async def _extracted(ours: Ours, finds: Retriever, units: Sequence[DragonItem], advance: Advance) -> list[SystemAnswer]:
    from kgservice.answering.extractive import ExtractiveGenerator
    from kgservice.answering.systems import ReadsPassages

    return await _answered(ReadsPassages(finds, ExtractiveGenerator(ours.embedder)), units, advance)


async def _prompted(ours: Ours, finds: Retriever, units: Sequence[DragonItem], advance: Advance) -> list[SystemAnswer]:
    from kgservice.answering.llm_generator import PromptedGenerator
    from kgservice.answering.systems import ReadsPassages

    with Journal(ours.settings.home, "baseline", finds.corpus) as journal:
        async with language_model(ours.settings, journal, retry_failed=True, role="reader") as model:
            answers = await _answered(ReadsPassages(finds, PromptedGenerator(model)), units, advance)
            journal.finish(model.spending())
    return answers


async def _answered(system: System, units: Sequence[DragonItem], advance: Advance) -> list[SystemAnswer]:
    from kgservice.answering.generator import QuestionWithPassages

    answers: list[SystemAnswer] = []
    for start in range(0, len(units), BATCH):
        batch = units[start : start + BATCH]
        answers += await system.answers([QuestionWithPassages(unit=unit.id, question=unit.question) for unit in batch])
        advance(len(batch))
    return answers
