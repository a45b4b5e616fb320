"""RARE-Met over the questions of a corpus: perturb, ask, judge; a question that was done is not done again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from kgservice import keys
from kgservice.embedding import Embedder, passage
from kgservice.errors import BadRequest, LLMFailure
from kgservice.evaluation.corpus_words import corpus_words
from kgservice.evaluation.judge import Answered, Judgement, judged
from kgservice.evaluation.matching import refuses
from kgservice.evaluation.passages import PassagePerturber, Passages
from kgservice.evaluation.perturb import Perturber, Variant
from kgservice.evaluation.robustness import Cell, Outcome, robust
from kgservice.evaluation.run_folder import RunFolder, Tested
from kgservice.generation.generator import Asked, Generated, Generator
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM
from kgservice.model import Problem, Question, Record
from kgservice.questions import stored
from kgservice.questions.contexts import Context, chunk_contexts
from kgservice.retrieval.retriever import Retriever

BATCH = 16  # questions whose answers are asked for at once, about 21 each
ENDS = frozenset(("object", "subject", "first", "last", "pivot"))  # what stands in a text as it is

Advance = Callable[[int], None]


class Chosen(Record):
    """The questions to ask, in order of id, and how many of the corpus's cannot be asked, by reason."""

    questions: tuple[Question, ...]
    words_of: tuple[Question, ...]
    skipped: dict[str, int]

    def digest(self) -> str:
        """Return the hash of what is asked: ids, words, answers and chunks."""
        return keys.digest(20, [(one.id, one.question, one.answers, one.chunk_ids) for one in self.questions])


class Systems(NamedTuple):
    """What is tested, and what judges it where strings do not agree (None: strings decide)."""

    generator: Generator
    retriever: Retriever
    judge: LLM | None


class _Planned(NamedTuple):
    """One call: None for the probe."""

    query: Variant
    passages: Passages | None
    retrieved: tuple[str, ...]


class _Prepared(NamedTuple):
    question: Question
    domain: str
    queries: list[Variant]
    passages: list[Passages]
    lacking: list[Problem]
    calls: list[_Planned]


def choose(graph: Graph, corpus: str, limit: int | None, seed: int) -> Chosen:
    """Return the active questions with one answer that stands in a text, a seeded sample of `limit` (BadRequest)."""
    graph.check_corpus(corpus)
    able, skipped, everyone = list[Question](), Counter[str](), list[Question]()
    for question in stored.questions(graph, corpus, state="active"):
        everyone.append(question)
        if question.asked not in ENDS:
            skipped["answer is computed or a list"] += 1
        elif len(question.answers) != 1:
            skipped["more than one answer"] += 1
        else:
            able.append(question)
    if not able:
        raise BadRequest(f"corpus {corpus!r} has no question with one answer: run `kgservice questions generate`")
    if limit is not None and limit < len(able):
        skipped["not drawn"] += len(able) - limit
        able = random.Random(seed).sample(able, limit)
    return Chosen(
        questions=tuple(sorted(able, key=lambda one: one.id)), words_of=tuple(everyone),
        skipped=dict(sorted(skipped.items())),
    )  # fmt: skip


async def run(
    graph: Graph,
    corpus: str,
    chosen: Chosen,
    systems: Systems,
    embedder: Embedder,
    folder: RunFolder,
    *,
    seed: int = 0,
    advance: Advance = lambda _: None,
) -> None:
    """Test every question that the folder does not have yet, and write it there with its answers."""
    done = {one.id for one in folder.tested()}
    advance(sum(one.id in done for one in chosen.questions))
    left = iter([one for one in chosen.questions if one.id not in done])
    words = corpus_words(graph, corpus, chosen.words_of, embedder)
    queries, passages = Perturber(words, embedder, seed), PassagePerturber(embedder)
    while batch := list(islice(left, BATCH)):
        gold = chunk_contexts(graph, sorted({chunk for one in batch for chunk in one.chunk_ids}))
        prepared = [
            _prepared(one, [gold[key] for key in one.chunk_ids if key in gold], queries, passages, systems.retriever)
            for one in batch
        ]
        folder.write(await _tested(prepared, systems))
        advance(len(batch))


def _prepared(
    question: Question, gold: list[Context], queries: Perturber, passages: PassagePerturber, retriever: Retriever
) -> _Prepared:
    """Everything to be asked about one question; nothing where its ground truth does not have the answer."""
    domains = sorted({one.domain for one in gold})
    domain = domains[0] if len(domains) == 1 else "several"
    made, lacking = passages.variants(question, gold)
    if not made:
        return _Prepared(question, domain, [], [], lacking, [])
    variants, no_variants = queries.variants(question, domain)
    calls = [_Planned(variants[0], None, ())]
    for variant in variants:
        calls += [_Planned(variant, one, ()) for one in made]
        hits = retriever.hits(variant.text)  # with the query as asked: a typo may cost the passage
        found = Passages(kind="retrieved", texts=tuple(passage(hit.title, hit.text) for hit in hits), similarity=0.0)
        calls.append(_Planned(variant, found, tuple(hit.chunk for hit in hits)))
    return _Prepared(question, domain, variants, made, [*lacking, *no_variants], calls)


async def _tested(prepared: Sequence[_Prepared], systems: Systems) -> list[Tested]:
    planned = [(one, call) for one in prepared for call in one.calls]
    asked = [
        Asked(unit=one.question.id, question=call.query.text, contexts=_filled(call.passages)) for one, call in planned
    ]
    answers = await systems.generator.answers(asked)
    predictions = [
        Answered(
            unit=one.question.id, question=one.question.question, prediction=_prediction(answer),
            truth=one.question.answers[0],
        )
        for (one, _), answer in zip(planned, answers, strict=True)
    ]  # fmt: skip
    verdicts = await judged(systems.judge, predictions)
    left = zip(answers, verdicts, strict=True)
    return [_result(one, list(islice(left, len(one.calls)))) for one in prepared]


def _filled(passages: Passages | None) -> tuple[str, ...]:
    return tuple(text for text in passages.texts if text.strip()) if passages else ()


def _prediction(answer: Generated) -> str:
    """What is judged: nothing of a refusal, which no judge need be paid to see."""
    return "" if answer.failure or refuses(answer.answer) else answer.answer


def _result(one: _Prepared, ended: list[tuple[Generated, Judgement | LLMFailure]]) -> Tested:
    outcomes = [_outcome(*known) for known in ended]
    knows = bool(outcomes) and outcomes[0] == "correct"
    cells = [
        _cell(call, *known, outcome, knows=knows)
        for call, known, outcome in zip(one.calls[1:], ended[1:], outcomes[1:], strict=True)
    ]
    question = one.question
    return Tested(
        id=question.id, pattern=question.pattern, domain=one.domain, question=question.question,
        answer=question.answers[0], knows=knows, probe=ended[0][0].answer or ended[0][0].failure if ended else "",
        queries=tuple(one.queries), passages=tuple(one.passages), cells=tuple(cells), lacking=tuple(one.lacking),
    )  # fmt: skip


def _outcome(answer: Generated, verdict: Judgement | LLMFailure) -> Outcome:
    if answer.failure or not answer.answer.strip():
        return "failed"
    if refuses(answer.answer):
        return "refused"
    if isinstance(verdict, LLMFailure):
        return "unjudged"
    return "correct" if verdict.right else "wrong"


def _cell(call: _Planned, answer: Generated, verdict: Judgement | LLMFailure, outcome: Outcome, *, knows: bool) -> Cell:
    if call.passages is None:
        raise AssertionError("the probe has no cell")
    kind, perturbed = call.passages.kind, call.query.kind != "original"
    failure = answer.failure or ("" if answer.answer.strip() else "empty answer")
    if outcome == "unjudged" and isinstance(verdict, LLMFailure):
        failure = f"judge: {verdict.reason}"
    return Cell(
        query=call.query.kind, passages=kind, retrieved=call.retrieved, answer=answer.answer,
        reasoning=answer.reasoning, failure=failure, how=verdict.how if isinstance(verdict, Judgement) else "",
        outcome=outcome, robust=robust(kind, outcome, knows=knows, perturbed=perturbed),
    )  # fmt: skip
