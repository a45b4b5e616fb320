"""RARE-Met over the questions of a corpus: perturb, answer, judge. A question in the folder is not repeated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from kgservice.answering.generator import Generated, Generator, QuestionWithPassages
from kgservice.core.errors import BadRequest, LLMFailure, command
from kgservice.core.records import Problem, Question
from kgservice.evaluation.rare.back_translation import back_translated
from kgservice.evaluation.rare.corpus_words import corpus_words
from kgservice.evaluation.rare.model_queries import Written, written
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
from kgservice.questions.patterns import DIAGNOSTIC
from kgservice.retrieval.retriever import Retriever
from kgservice.vectors.embedder import Embedder, passage

METHOD = "RARE-Met 5"  # count up when perturbations or scores change
BATCH = 4  # questions at once, about 21 answers each
ENDS = frozenset(("object", "subject", "first", "last", "pivot"))  # ends that occur in a text as they are

_Ended: TypeAlias = tuple[Generated, Judgement | LLMFailure]


class ChosenQuestions(EvaluationSet[Question]):
    """The questions to ask, in order of id.

    `words_of` are all questions of the corpus, whose words must stay distinct.
    """

    words_of: tuple[Question, ...]

    def told(self, unit: Question) -> Any:
        """Return what of a question is asked: not what else its metadata says."""
        return unit.id, unit.question, unit.answers, unit.chunk_ids


class RareSystems(NamedTuple):
    """The generator under test, the retrievers by name and the judge.

    Each retriever gives a query a context of its own (RARE, section 5: three of them).
    The judge decides where strings do not (None: strings alone). `translator` rewords passages by translation to French
    and back (None: rules do). `writer` writes queries in other grammar and with irrelevant details (None: rules).
    """

    generator: Generator
    retrievers: Mapping[str, Retriever]
    judge: LLM | None
    translator: LLM | None = None
    writer: LLM | None = None


class _PlannedQuery(NamedTuple):
    """A query with its passages, and if they were retrieved, by which retriever and the keys of the chunks."""

    query: Variant
    passages: PassageSet
    retriever: str = ""
    retrieved: tuple[str, ...] = ()


class _PreparedQuery(NamedTuple):
    question: Question
    domain: str
    queries: list[Variant]
    passages: list[PassageSet]
    lacking: list[Problem]
    calls: list[_PlannedQuery]


def choose(graph: Graph, corpus: str, limit: int | None, seed: int, per_pattern: int = 0) -> ChosenQuestions:
    """Return the active questions with one answer that occurs in a text.

    Of each pattern a seeded sample of `per_pattern` is drawn (0: all), and of these a sample of `limit`. Raises
    NotFound if the corpus does not exist, BadRequest if it has no such question.
    """
    graph.check_corpus(corpus)
    able, skipped, active = list[Question](), Counter[str](), list[Question]()
    for question in question_store.questions(graph, corpus, state="active"):
        active.append(question)
        if question.pattern in DIAGNOSTIC:
            skipped["diagnostic pattern"] += 1
        elif question.asked not in ENDS:
            skipped["answer is computed or a list"] += 1
        elif len(question.answers) != 1:
            skipped["more than one answer"] += 1
        else:
            able.append(question)
    if not able:
        raise BadRequest(
            f"corpus {corpus!r} has no question with one answer: run {command('questions generate', corpus)}"
        )
    patterns = sorted({question_.pattern for question_ in able}) if per_pattern else []
    by_pattern = [
        sorted((question_ for question_ in able if question_.pattern == name), key=_id) for name in patterns
    ] or [able]
    kept = [question_ for group in by_pattern for question_ in drawn(group, {}, per_pattern or None, seed)[0]]
    skipped["not drawn"] += len(able) - len(kept)
    units, left_out = drawn(sorted(kept, key=_id), +skipped, limit, seed)
    return ChosenQuestions(units=units, skipped=left_out, words_of=tuple(active))


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
    """Test every question that the folder lacks, and write it there with its answers."""
    words = corpus_words(graph, corpus, chosen.words_of, embedder)
    queries, passages = Perturber(words, embedder, seed), PassagePerturber(embedder)

    async def test(batch: list[Question]) -> list[JudgedQuestion]:
        gold = chunk_contexts(graph, sorted({chunk for question in batch for chunk in question.chunk_ids}))
        texts = [passage(question.title, question.text) for question in gold.values()]
        back = await back_translated(systems.translator, texts) if systems.translator else None
        own = {question.id: [gold[key] for key in question.chunk_ids if key in gold] for question in batch}
        made = {question.id: passages.variants(question, own[question.id], back) for question in batch}
        domains = [(question, _domain(own[question.id])) for question in batch]
        texts_of = await written(systems.writer, domains) if systems.writer else dict[str, Written]()
        prepared = [
            _prepared(question, domain, queries, texts_of.get(question.id), made[question.id], systems.retrievers)
            for question, domain in domains
        ]
        return await _tested(prepared, systems)

    await folder.go_on(chosen.units, test, BATCH, advance)


def _domain(gold: list[Context]) -> str:
    domains = sorted({item.domain for item in gold})
    return domains[0] if len(domains) == 1 else "several"


def _prepared(
    question: Question,
    domain: str,
    queries: Perturber,
    written: Written | None,
    passages: tuple[list[PassageSet], list[Problem]],
    retrievers: Mapping[str, Retriever],
) -> _PreparedQuery:
    """Return all queries and passages of one question, none if its ground truth lacks the answer."""
    made, lacking = passages
    if not made:
        return _PreparedQuery(question, domain, [], [], lacking, [])
    variants, no_variants = queries.variants(question, domain, written)
    calls = list[_PlannedQuery]()
    for variant in variants:
        calls += [_PlannedQuery(variant, item) for item in made]
        for name, retriever in retrievers.items():
            hits = retriever.hits(variant.text)  # by the perturbed query: a typo may lose the passage
            texts = tuple(passage(hit.title, hit.text) for hit in hits)
            found = PassageSet(kind="retrieved", texts=texts, similarity=0.0)
            calls.append(_PlannedQuery(variant, found, name, tuple(hit.chunk for hit in hits)))
    return _PreparedQuery(question, domain, variants, made, [*lacking, *no_variants], calls)


async def _tested(prepared: Sequence[_PreparedQuery], systems: RareSystems) -> list[JudgedQuestion]:
    calls = [asks for item in prepared for asks in _asks(item)]
    truth = {item.question.id: item.question for item in prepared}
    answers = await systems.generator.answers(calls)
    predictions = [
        Answered(
            unit=item.unit, question=truth[item.unit].question, prediction=prediction(answer),
            truth=truth[item.unit].answers[0],
        )
        for item, answer in zip(calls, answers, strict=True)
    ]  # fmt: skip
    left = iter(list(zip(answers, await judged(systems.judge, predictions), strict=True)))
    return [_result(item, list(islice(left, len(_asks(item))))) for item in prepared]


def _asks(prepared: _PreparedQuery) -> list[QuestionWithPassages]:
    """Return the calls of a question: the probe g(q, ∅), then every query with every set of passages."""
    if not prepared.calls:
        return []
    unit = prepared.question.id
    variants = [
        (call.query.text, tuple(text for text in call.passages.texts if text.strip())) for call in prepared.calls
    ]
    return [
        QuestionWithPassages(unit=unit, question=text, contexts=contexts)
        for text, contexts in [(prepared.question.question, ()), *variants]
    ]


def _result(prepared: _PreparedQuery, ended: list[_Ended]) -> JudgedQuestion:
    question, probe = prepared.question, outcome(*ended[0]) if ended else "failed"
    generated = ended[0][0] if ended else Generated()
    cells = [_cell(call, *row, knows=probe == "correct") for call, row in zip(prepared.calls, ended[1:], strict=True)]
    lacking = list(prepared.lacking)
    if ended and probe in ("failed", "unjudged"):  # counted as unknown to the model, the stricter case
        lacking.append(Problem(source=question.id, state="failed", reason=f"probe {probe}", detail=failure(*ended[0])))
    return JudgedQuestion(
        id=question.id, pattern=question.pattern, domain=prepared.domain, question=question.question,
        answer=question.answers[0], knows=probe == "correct", probe=generated.answer or generated.failure,
        queries=tuple(prepared.queries), passages=tuple(prepared.passages), cells=tuple(cells), lacking=tuple(lacking),
    )  # fmt: skip


def _cell(call: _PlannedQuery, answer: Generated, verdict: Judgement | LLMFailure, *, knows: bool) -> JudgedAnswer:
    kind, ended = call.passages.kind, outcome(answer, verdict)
    return JudgedAnswer(
        query=call.query.kind, passages=kind, retriever=call.retriever, retrieved=call.retrieved,
        answer=answer.answer, reasoning=answer.reasoning, failure=failure(answer, verdict),
        how=verdict.how if isinstance(verdict, Judgement) else "", outcome=ended,
        robust=robust(kind, ended, knows=knows, perturbed=call.query.kind != "original"),
    )  # fmt: skip
