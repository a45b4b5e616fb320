"""Has a language model word the questions of a plan, and sifts what it gives: words, filters, probe, judges.

A model is asked about questions that the selection made active with the words of their templates. What it refuses frees
its place, the selection runs again, and so on until the plan is filled or nothing is left to ask about. Every answer is
kept on disk and every batch is written as it ends, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from itertools import islice
from statistics import fmean
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from kgservice.core.errors import LLMFailure
from kgservice.core.records import Question, Record, Scalar, Subgraph
from kgservice.graph.contexts import Context, contexts, of_readings
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.estimate import Estimate, estimate
from kgservice.llm.ledger import Spending
from kgservice.questions import question_store
from kgservice.questions.filters import context_free, judges
from kgservice.questions.filters.cascade import PROVED, Cascade, Sifted
from kgservice.questions.filters.correspondence import coefficient
from kgservice.questions.patterns import DIAGNOSTIC, around, count, sample
from kgservice.questions.refresh_scope import Whole, anchored
from kgservice.questions.selection import Plan, Refreshed, generate
from kgservice.questions.wording import wording_prompts
from kgservice.questions.wording.relation_questions import worded_by
from kgservice.questions.wording.templates import worded

SAMPLE = 200  # subgraphs of a pattern that an estimate rests on where there are no questions yet
BATCH = 32  # questions, or twice the calls at once if those are more: what a stop leaves half asked
ANSWER_TOKENS = 60
RECENT, LEAST_KEPT = 50, 0.05  # questions of a pattern, and the share of them below which no more are asked about
WORDED = "model wording"
CHANGED = "changed meanwhile"
T = TypeVar("T")


class Judging(Record):
    """What is done with the words of a model; `votes` are those of each judge."""

    closed_book: bool = True
    rare: bool = True
    dragon: bool = True
    votes: int = Field(3, ge=1, le=99)

    def names(self) -> tuple[str, ...]:
        """Return the judges that are to be asked."""
        dragon = (judges.DRAGON_QUESTION, judges.DRAGON_ANSWER) if self.dragon else ()
        return ((judges.RARE,) if self.rare else ()) + dragon


class WordingReport(Record):
    """What became of the questions: what the run changed, every filter on the model's words, what was spent.

    `questions` compares with the state before the run, so what the model's answers took away is among the retired ones.
    in = worded + rejected + failed; a question that failed stays as its template words it, and so do those that were
    not asked about because their pattern is in `stopped` (with the reason). One that a person or a refresh has changed
    while the model was asked stays as it is then.
    """

    questions: Refreshed
    stopped: dict[str, str]
    given: int
    worded: int
    rejected: dict[str, int]
    failed: dict[str, int]
    filters: tuple[Sifted, ...]
    llm: Spending


class WordingTask(NamedTuple):
    """A question to be worded, with its subgraph and its chunks."""

    question: Question
    row: Subgraph
    contexts: tuple[Context, ...]


def ask(
    graph: Graph,
    corpus: str,
    plan: Plan,
    llm: LLM,
    judging: Judging,
    advance: Callable[[str, int], None] = lambda stage, count: None,
    judge: LLM | None = None,
) -> WordingReport:
    """Make the questions of a plan and have the model word them, and it or `judge` judge them; closes the model."""
    sieve, scope = _Sieve(llm, judging, judge or llm), Whole(graph, corpus, plan.choice, plan.limit, plan.seed)
    before = _active(graph, corpus)
    with worded_by(question_store.schema(graph, corpus)), asyncio.Runner() as runner:
        try:
            done = generate(graph, corpus, plan, scope)
            while found := [one for one in _pending(graph, corpus, sieve.seen) if one.pattern not in sieve.stopped]:
                for planned in _batches(found, max(BATCH, 2 * llm.concurrency)):
                    batch = {one.id: one for one in planned if one.pattern not in sieve.stopped}
                    sieve.seen.update(batch)
                    tasks = list(wording_tasks(graph, plan, [one.question for one in batch.values()]))
                    asked = runner.run(sieve.sift(tasks))
                    question_store.forget_totals(graph, corpus)
                    sieve.leave(question_store.write(graph, asked, batch))
                    advance("worded", len(batch))
                done = generate(graph, corpus, plan, scope)
        finally:
            runner.run(llm.close())
    return sieve.report(_since(graph, corpus, before, done))


def _active(graph: Graph, corpus: str) -> set[str]:
    return {one.id for one in question_store.listed(graph, corpus, state="active")}


def _since(graph: Graph, corpus: str, before: set[str], done: Refreshed) -> Refreshed:
    """Return the last of several selections with the changes since the state before the first: active ids."""
    now = _active(graph, corpus)
    ended = [one for one in question_store.listed(graph, corpus) if one.id in before - now]
    return done.model_copy(
        update={
            "added": len(now - before),
            "kept": len(now & before),
            "retired": dict(sorted(Counter(one.reason for one in ended).items())),
            "causes": dict(sorted(Counter(one.cause for one in ended if one.cause).items())),
            "added_ids": tuple(sorted(now - before)),
            "retired_ids": tuple(one.id for one in ended),
        }
    )


def forecast(graph: Graph, corpus: str, plan: Plan, llm: LLM, judging: Judging) -> Estimate:
    """Estimate what wording and judging the plan's share of the active questions costs, as if none were rejected.

    Nothing is asked, and nothing is written. Of a pattern whose questions were never made a sample of its subgraphs is
    worded by templates, and counts for as many as the plan asks for at most: the selection may take fewer.
    """
    text, _ = question_store.plan(graph, corpus)
    made = Plan.model_validate_json(text).patterns if text else ()
    tasks = (
        one for batch in _batches(_planned(graph, corpus, plan), BATCH) for one in wording_tasks(graph, plan, batch)
    )
    asks = (ask for one in tasks for ask in _all(one.row, one.question.question, one.contexts, judging))
    found = estimate(llm, asks, ANSWER_TOKENS)
    with worded_by(question_store.schema(graph, corpus)):
        for pattern in (name for name in plan.patterns if name not in (*made, *DIAGNOSTIC)):
            found = found.plus(_of_sample(graph, corpus, plan, pattern, llm, judging))
    return found


def _of_sample(graph: Graph, corpus: str, plan: Plan, pattern: str, llm: LLM, judging: Judging) -> Estimate:
    """The estimate of a pattern whose questions were never made."""
    eligible = count(graph, corpus, pattern, plan.choice)
    wanted = eligible if plan.limit is None else min(eligible, plan.limit)
    rows = sample(graph, corpus, pattern, plan.choice, size=min(wanted, SAMPLE), seed=plan.seed) if wanted else []
    known = contexts(graph, (reading for row in rows for reading in row.readings[:1]))
    asks = (ask for row in rows for ask in _all(row, worded(row), of_readings(row.readings[:1], known), judging))
    return estimate(llm, asks, ANSWER_TOKENS).times(wanted / (len(rows) or 1))


def _all(row: Subgraph, text: str, known: tuple[Context, ...], judging: Judging) -> Iterator[Ask]:
    yield wording_prompts.wording_prompt(row, text, known)
    if judging.closed_book:
        yield context_free.memory_prompt(row, text)
    for judge in judging.names():
        yield from judges.judge_prompts(judge, row, text, known, judging.votes)


def _planned(graph: Graph, corpus: str, plan: Plan) -> Iterator[Question]:
    """Active questions in the words of their template, as many a pattern as the plan asks for."""
    places: Counter[str] = Counter()
    for question in question_store.questions(graph, corpus, state="active"):
        places[question.pattern] += 1
        within = plan.limit is None or places[question.pattern] <= plan.limit
        if question.pattern in DIAGNOSTIC:  # what is not stated is in no passage that the model could be given
            continue
        if within and question.pattern in plan.patterns and "template" not in question.metadata:
            yield question


def _pending(graph: Graph, corpus: str, seen: Iterable[str]) -> Iterator[question_store.Stored]:
    """Active questions in the words of their template, those aside that were tried already."""
    tried = set(seen)
    for one in question_store.listed(graph, corpus, state="active"):
        asked = one.pattern in DIAGNOSTIC or one.id in tried
        if not asked and "template" not in one.question.metadata:
            yield one


def wording_tasks(graph: Graph, plan: Plan, questions: Sequence[Question]) -> Iterator[WordingTask]:
    """Yield questions with their subgraphs as the graph has them now, and their chunks."""
    rows: dict[str, Subgraph] = {}
    for pattern in {question.pattern for question in questions}:
        anchors = anchored(pattern, (question_store.place(item) for item in questions if item.pattern == pattern))
        rows |= {row.id: row for row in around(graph, pattern, plan.choice, anchors)}
    known = contexts(graph, (reading for row in rows.values() for reading in row.readings))
    for question in questions:
        if question.id not in rows:  # the graph has moved since; the next selection sees it
            continue
        row = rows[question.id]
        readings = row.readings if row.asked == "members" else row.readings[:1]
        yield WordingTask(question, row, of_readings(readings, known))


def _batches(questions: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(questions)
    while batch := list(islice(rest, size)):
        yield batch


class _Sieve:
    """Asks about questions, stage by stage, and counts where each ended."""

    def __init__(self, llm: LLM, judging: Judging, judge: LLM) -> None:
        self._llm, self._judging, self._judge = llm, judging, judge
        self.seen: set[str] = set()
        self._given = 0
        self._words: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._known: defaultdict[str, dict[str, Scalar]] = defaultdict(dict)
        self._cascade = Cascade()
        self._passed: Counter[str] = Counter()
        self._rejected: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._broken: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._variances: defaultdict[str, list[float]] = defaultdict(list)
        self._recent: defaultdict[str, deque[bool]] = defaultdict(lambda: deque(maxlen=RECENT))
        self.stopped: dict[str, str] = {}

    async def sift(self, found: list[WordingTask]) -> list[Question]:
        """Return the questions as they are after the model: with its words, or rejected; failed ones are left out."""
        self._given += len(found)
        left = await self._stage(
            WORDED,
            found,
            lambda one: [wording_prompts.wording_prompt(one.row, one.question.question, one.contexts)],
            self._word,
        )
        left = [one for one in left if self._passes(one)]
        if self._judging.closed_book:
            left = await self._stage(context_free.STAGE, left, self._from_memory, self._known_by_heart)
        for judge in self._judging.names():
            left = await self._stage(judge, left, self._votes_of(judge), self._verdict_of(judge))
        for one in found:
            self._brake(one.question)
        return [self._ended(one) for one in found if one.question.id not in self._failed]

    def _brake(self, question: Question) -> None:
        """Stop a pattern of whose recent questions the model got nearly none through: more calls would be wasted."""
        recent = self._recent[question.pattern]
        recent.append(question.id not in self._refused and question.id not in self._failed)
        if len(recent) == RECENT and sum(recent) < LEAST_KEPT * RECENT:
            self.stopped[question.pattern] = f"{sum(recent)} of the last {RECENT} wordings were kept"

    async def _stage(
        self,
        name: str,
        found: list[WordingTask],
        asks: Callable[[WordingTask], Iterable[Ask]],
        fault: Callable[[WordingTask, list[Any]], str],
    ) -> list[WordingTask]:
        """Ask what a stage asks about each question, and return those that pass."""
        wanted = [list(asks(one)) for one in found]
        left = []
        answers = gather(
            self._judge if name in self._judging.names() else self._llm, (ask for one in wanted for ask in one)
        )
        for one, own in zip(found, wanted, strict=True):
            replies = await _several(answers, len(own))
            if broken := next((reply for reply in replies if isinstance(reply, LLMFailure)), None):
                self._failed[one.question.id] = broken.reason
                self._broken[name][broken.reason] += 1
            elif reason := fault(one, replies):
                self._rejected[name][reason] += 1
                self._falls(one, reason if name == WORDED else f"{name}: {reason}")
            else:
                self._passed[name] += 1
                left.append(one)
        await answers.aclose()
        return left

    def _passes(self, one: WordingTask) -> bool:
        """Run the filters of the cascade on the model's words."""
        text = self._words[one.question.id]
        self._known[one.question.id]["correspondence"] = round(coefficient(one.row, text), 3)
        return not self._falls(one, self._cascade.fault(one.row, text))

    def _falls(self, one: WordingTask, reason: str) -> bool:
        if reason:
            self._refused[one.question.id] = f"model: {reason}"
        return bool(reason)

    def _word(self, one: WordingTask, replies: list[wording_prompts.Wording]) -> str:
        self._words[one.question.id] = " ".join(replies[0].question.split())
        return wording_prompts.rejection_reason(one.row, replies[0])

    def _from_memory(self, one: WordingTask) -> list[Ask]:
        return [context_free.memory_prompt(one.row, self._words[one.question.id])]

    def _known_by_heart(self, one: WordingTask, replies: list[context_free.FromMemory]) -> str:
        return context_free.rejection_reason(one.row, replies[0])

    def _votes_of(self, judge: str) -> Callable[[WordingTask], Iterable[Ask]]:
        return lambda one: judges.judge_prompts(
            judge, one.row, self._words[one.question.id], one.contexts, self._judging.votes
        )

    def _verdict_of(self, judge: str) -> Callable[[WordingTask, list[judges.Scores]], str]:
        def fault(one: WordingTask, votes: list[judges.Scores]) -> str:
            found = judges.verdict(judge, votes)
            known = self._known[one.question.id]
            known[f"{judge}, lowest mean"] = min(found.means.values())
            known[f"{judge}, largest variance"] = max(found.variances.values())
            self._variances[judge].append(max(found.variances.values()))
            return found.reason

        return fault

    def _ended(self, one: WordingTask) -> Question:
        """A question as the model leaves it."""
        key, draft = one.question.id, one.question.question
        known: dict[str, Scalar] = {"template": draft, "worded_by": self._llm.model, **self._known[key]}
        reason = self._refused.get(key, "")
        if reason:
            known["refused"] = reason
        return one.question.model_copy(
            update={
                "question": self._words[key] or draft,
                "reason": reason,
                "state": "rejected" if reason else "active",
                "metadata": one.question.metadata | known,
            }
        )

    def leave(self, changed: Iterable[str]) -> None:
        """Count questions (ids) that passed, but are not stored in the model's words as somebody has changed them."""
        left = [key for key in changed if key not in self._refused]
        self._failed |= dict.fromkeys(left, CHANGED)
        self._broken[CHANGED][CHANGED] += len(left)

    def report(self, done: Refreshed) -> WordingReport:
        """Return what became of the questions."""
        return WordingReport(
            questions=done,
            stopped=dict(sorted(self.stopped.items())),
            given=self._given,
            worded=self._given - len(self._refused) - len(self._failed),
            rejected=dict(sorted(Counter(self._refused.values()).items())),
            failed=dict(sorted(Counter(self._failed.values()).items())),
            filters=tuple(self._table()),
            llm=self._llm.spending(),
        )

    def _table(self) -> Iterator[Sifted]:
        by_query = [one for one in self._cascade.table() if one.filter in PROVED]
        on_words = [one for one in self._cascade.table() if one.how == "run"]
        yield from (one.model_copy(update={"passed": self._given}) for one in by_query)
        yield self._sifted(WORDED)
        yield from on_words
        judged = {context_free.STAGE: self._judging.closed_book, judges.RARE: self._judging.rare}
        judged |= dict.fromkeys((judges.DRAGON_QUESTION, judges.DRAGON_ANSWER), self._judging.dragon)
        for name, run in judged.items():
            yield self._sifted(name) if run else Sifted(filter=name, how="not run: left out", passed=0, rejected={})
        if self._broken[CHANGED][CHANGED]:
            worded = self._given - len(self._refused) - len(self._failed)
            yield self._sifted(CHANGED).model_copy(update={"passed": worded})

    def _sifted(self, name: str) -> Sifted:
        rejected, failed = (dict(sorted(counts[name].items())) for counts in (self._rejected, self._broken))
        apart = self._variances[name]
        return Sifted(
            filter=name, how="run", passed=self._passed[name], rejected=rejected, failed=failed,
            variance=round(fmean(apart), 3) if apart else None,
        )  # fmt: skip


async def _several(answers: AsyncGenerator[BaseModel | LLMFailure, None], number: int) -> list[BaseModel | LLMFailure]:
    return [await anext(answers) for _ in range(number)]
