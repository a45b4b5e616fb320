"""RARE-Met over the questions of a corpus: perturb, ask, judge; a question that was done is not done again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from kgservice.answering.generator import Generated, Generator, QuestionWithPassages
from kgservice.core.errors import BadRequest, LLMFailure
from kgservice.core.records import Problem, Question
from kgservice.evaluation.rare.back_translation import back_translated
from kgservice.evaluation.rare.corpus_words import corpus_words
from kgservice.evaluation.rare.passages import PassagePerturber, PassageSet
from kgservice.evaluation.rare.perturb import Perturber, Variant
from kgservice.evaluation.rare.run_records import JudgedQuestion
from kgservice.evaluation.shared.run_folder import Advance, RunFolder
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.graph.contexts import Context, chunk_contexts
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM
from kgservice.metrics.judge import Answered, Judgement, judged
from kgservice.metrics.outcomes import failure, outcome, prediction
from kgservice.metrics.robustness import JudgedAnswer, robust
from kgservice.questions import question_store
from kgservice.retrieval.retriever import Retriever
from kgservice.vectors.embedder import Embedder, passage

METHOD = "RARE-Met 3"  # another number where a change makes other perturbations or scores
BATCH = 4  # questions whose answers are asked for at once, about 21 each
ENDS = frozenset(("object", "subject", "first", "last", "pivot"))  # what stands in a text as it is

_Ended: TypeAlias = tuple[Generated, Judgement | LLMFailure]


class ChosenQuestions(EvaluationSet[Question]):
    """The questions to ask, in order of id; `words_of` are all of the corpus, whose words must not be mixed up."""

    words_of: tuple[Question, ...]

    def told(self, unit: Question) -> Any:
        """Return what of a question is asked: not what else its metadata says."""
        return unit.id, unit.question, unit.answers, unit.chunk_ids


class RareSystems(NamedTuple):
    """What is tested, and what judges it where strings do not agree (None: strings decide).

    `translator` rewords passages, to French and back (None: rules do).
    """

    generator: Generator
    retriever: Retriever
    judge: LLM | None
    translator: LLM | None = None


class _PlannedQuery(NamedTuple):
    """One query with the passages that it is asked from, and the chunks of those that were retrieved."""

    query: Variant
    passages: PassageSet
    retrieved: tuple[str, ...]


class _PreparedQuery(NamedTuple):
    question: Question
    domain: str
    queries: list[Variant]
    passages: list[PassageSet]
    lacking: list[Problem]
    calls: list[_PlannedQuery]


def choose(graph: Graph, corpus: str, limit: int | None, seed: int, per_pattern: int = 0) -> ChosenQuestions:
    """Return the active questions with one answer that stands in a text (BadRequest: there are none).

    Of each pattern a seeded sample of `per_pattern` (0: all), of these one of `limit`.
    """
    graph.check_corpus(corpus)
    able, skipped, everyone = list[Question](), Counter[str](), list[Question]()
    for question in question_store.questions(graph, corpus, state="active"):
        everyone.append(question)
        if question.asked not in ENDS:
            skipped["answer is computed or a list"] += 1
        elif len(question.answers) != 1:
            skipped["more than one answer"] += 1
        else:
            able.append(question)
    if not able:
        raise BadRequest(f"corpus {corpus!r} has no question with one answer: run `kgservice questions generate`")
    patterns = sorted({one.pattern for one in able}) if per_pattern else []
    by_pattern = [sorted((one for one in able if one.pattern == name), key=_id) for name in patterns] or [able]
    kept = [one for group in by_pattern for one in drawn(group, {}, per_pattern or None, seed)[0]]
    skipped["not drawn"] += len(able) - len(kept)
    units, left_out = drawn(sorted(kept, key=_id), +skipped, limit, seed)
    return ChosenQuestions(units=units, skipped=left_out, words_of=tuple(everyone))


def _id(one: Question) -> str:
    return one.id


async def run(
    graph: Graph,
    corpus: str,
    chosen: ChosenQuestions,
    systems: RareSystems,
    embedder: Embedder,
    folder: RunFolder[JudgedQuestion],
    *,
    seed: int = 0,
    advance: Advance = lambda _: None,
) -> None:
    """Test every question that the folder does not have yet, and write it there with its answers."""
    words = corpus_words(graph, corpus, chosen.words_of, embedder)
    queries, passages = Perturber(words, embedder, seed), PassagePerturber(embedder)

    async def test(batch: list[Question]) -> list[JudgedQuestion]:
        gold = chunk_contexts(graph, sorted({chunk for one in batch for chunk in one.chunk_ids}))
        texts = [passage(one.title, one.text) for one in gold.values()]
        back = await back_translated(systems.translator, texts) if systems.translator else None
        own = {one.id: [gold[key] for key in one.chunk_ids if key in gold] for one in batch}
        made = {one.id: passages.variants(one, own[one.id], back) for one in batch}
        prepared = [_prepared(one, own[one.id], queries, made[one.id], systems.retriever) for one in batch]
        return await _tested(prepared, systems)

    await folder.go_on(chosen.units, test, BATCH, advance)


def _prepared(
    question: Question,
    gold: list[Context],
    queries: Perturber,
    passages: tuple[list[PassageSet], list[Problem]],
    retriever: Retriever,
) -> _PreparedQuery:
    """Everything to be asked about one question; nothing where its ground truth does not have the answer."""
    domains = sorted({one.domain for one in gold})
    domain = domains[0] if len(domains) == 1 else "several"
    made, lacking = passages
    if not made:
        return _PreparedQuery(question, domain, [], [], lacking, [])
    variants, no_variants = queries.variants(question, domain)
    calls = list[_PlannedQuery]()
    for variant in variants:
        calls += [_PlannedQuery(variant, one, ()) for one in made]
        hits = retriever.hits(variant.text)  # with the query as asked: a typo may cost the passage
        found = PassageSet(kind="retrieved", texts=tuple(passage(hit.title, hit.text) for hit in hits), similarity=0.0)
        calls.append(_PlannedQuery(variant, found, tuple(hit.chunk for hit in hits)))
    return _PreparedQuery(question, domain, variants, made, [*lacking, *no_variants], calls)


async def _tested(prepared: Sequence[_PreparedQuery], systems: RareSystems) -> list[JudgedQuestion]:
    asked = [asks for one in prepared for asks in _asks(one)]
    truth = {one.question.id: one.question for one in prepared}
    answers = await systems.generator.answers(asked)
    predictions = [
        Answered(
            unit=one.unit, question=truth[one.unit].question, prediction=prediction(answer),
            truth=truth[one.unit].answers[0],
        )
        for one, answer in zip(asked, answers, strict=True)
    ]  # fmt: skip
    left = iter(list(zip(answers, await judged(systems.judge, predictions), strict=True)))
    return [_result(one, list(islice(left, len(_asks(one))))) for one in prepared]


def _asks(one: _PreparedQuery) -> list[QuestionWithPassages]:
    """The probe g(q, ∅), then every query from every set of passages."""
    if not one.calls:
        return []
    unit = one.question.id
    told = [(call.query.text, tuple(text for text in call.passages.texts if text.strip())) for call in one.calls]
    return [
        QuestionWithPassages(unit=unit, question=text, contexts=contexts)
        for text, contexts in [(one.question.question, ()), *told]
    ]


def _result(one: _PreparedQuery, ended: list[_Ended]) -> JudgedQuestion:
    question, probe = one.question, outcome(*ended[0]) if ended else "failed"
    told = ended[0][0] if ended else Generated()
    cells = [_cell(call, *known, knows=probe == "correct") for call, known in zip(one.calls, ended[1:], strict=True)]
    lacking = list(one.lacking)
    if ended and probe in ("failed", "unjudged"):  # counted as not known by heart, which asks for more
        lacking.append(Problem(source=question.id, state="failed", reason=f"probe {probe}", detail=told.failure))
    return JudgedQuestion(
        id=question.id, pattern=question.pattern, domain=one.domain, question=question.question,
        answer=question.answers[0], knows=probe == "correct", probe=told.answer or told.failure,
        queries=tuple(one.queries), passages=tuple(one.passages), cells=tuple(cells), lacking=tuple(lacking),
    )  # fmt: skip


def _cell(call: _PlannedQuery, answer: Generated, verdict: Judgement | LLMFailure, *, knows: bool) -> JudgedAnswer:
    kind, ended = call.passages.kind, outcome(answer, verdict)
    return JudgedAnswer(
        query=call.query.kind, passages=kind, retrieved=call.retrieved, answer=answer.answer,
        reasoning=answer.reasoning, failure=failure(answer, verdict),
        how=verdict.how if isinstance(verdict, Judgement) else "", outcome=ended,
        robust=robust(kind, ended, knows=knows, perturbed=call.query.kind != "original"),
    )  # fmt: skip
