"""Which eligible subgraphs become questions, and what happens to questions when the graph moves.

What is active depends on the documents and the plan alone, neither on what was active before nor on what the corpus is
called. Multi-hop, conditional and set questions come first; a single question whose fact one of them uses is rejected
(RARE, section 3.3). A fact of which both ends could be asked for is asked about once, for the end that comes first in
the order of draw_order.py, in which a plan with a limit draws too.

Of each pattern's questions that pass everything else at most a share comes from one source (share.py); what is over it
is not asked, and does not use its facts.

A run selects within a scope: all rows of the corpus, or those anchored where the graph has changed. The outcome is the
same: all rows that have a changed fact are in the scope. Of the questions outside those can change that the share lets
in or out (`_settle`, source_shares.py), and single ones, by losing their fact to another question or by getting it back
(`_give_and_take`); the latter are looked up by fact, and so are the questions outside that use a fact (`_read_users`).
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import neo4j
from pydantic import Field

from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Problem, Question, Record, Subgraph
from kgservice.graph.filter_words import relation_id
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.affected import changes
from kgservice.questions.draw_order import place, turned
from kgservice.questions.filters.cascade import Cascade, Sifted, rejection_reason
from kgservice.questions.filters.share import (
    NAME,
    OVER,
    Passed,
    PatternTotals,
    SourceShare,
    share_line,
    share_of,
    sources_of,
)
from kgservice.questions.patterns import CONDITIONAL, DIAGNOSTIC, MULTI_HOP, PATTERNS, SubgraphOptions, check_options
from kgservice.questions.question_record import QuestionWords, question_of, question_words
from kgservice.questions.question_store import TURNED, USED, LastRun
from kgservice.questions.refresh_scope import Changed, RefreshScope, Whole
from kgservice.questions.retirement import Causes, Retirement
from kgservice.questions.second_look import SecondLook
from kgservice.questions.source_shares import AllShares, Drawn, MovedShares, Shares
from kgservice.questions.wording.relation_questions import worded_by
from kgservice.questions.wording.templates import worded

SETS = ("set_of_objects", "set_of_subjects")
ORDER = (*MULTI_HOP, *CONDITIONAL, "comparison", *SETS, "single")
BATCH = 500
PARTNERS = 4  # things that each is compared with: one comparison of a thing is asked
UNWORDED = "could not be worded"
ONCE = "a fact asked about once"
SHARED = "name of several things"


class Plan(Record):
    """What to ask about; kept with the corpus, so that a refresh follows the plan of the generation.

    `limit` is the number of active questions a pattern, drawn uniformly by `seed`; None takes all. `seed` decides too
    which end of a fact a single question asks for. `second_look`: the text is searched for other answers. `share`: of a
    pattern's questions, which may come from one document, table, entity or relation; 1 for all.
    """

    patterns: tuple[str, ...] = ORDER
    choice: SubgraphOptions = SubgraphOptions(usually_several=True, max_partners=PARTNERS)
    limit: int | None = Field(None, ge=1)
    seed: int = 0
    second_look: bool = True
    share: float = Field(0.1, gt=0, le=1)


class Refreshed(Record):
    """What a generation or refresh changed: eligible subgraphs looked at, and where each question ended.

    `causes`: how many were retired because of which documents. `short`: patterns with fewer questions than the plan's
    limit, and why; `filters`: on what was looked at. `failed`: subgraphs, by id, that a fault in the program kept from
    being worded or judged; they are among the rejected ones.
    `whole` says that every subgraph was looked at: by a generation, by the first refresh after one that did not end,
    and by the refresh of a plan that a change anywhere can move (a limit, or a window of publication).
    """

    whole: bool
    eligible: dict[str, int]
    added: int
    kept: int
    retired: dict[str, int]
    rejected: dict[str, int]
    causes: dict[str, int] = Field(default_factory=dict)
    short: dict[str, dict[str, int]] = Field(default_factory=dict)
    filters: tuple[Sifted, ...] = ()
    failed: tuple[Problem, ...] = ()
    added_ids: tuple[str, ...] = Field((), exclude=True)
    retired_ids: tuple[str, ...] = Field((), exclude=True)


def generate(graph: Graph, corpus: str, plan: Plan, scope: Whole | None = None) -> Refreshed:
    """Make the questions of a plan and remember the plan; ids of questions that still stand stay.

    `scope`: one that an earlier run for the same plan has listed, where only the questions have changed since. Raises
    NotFound for an unknown pattern or relation (an id, or its label), BadRequest for no pattern and for options that do
    not fit; the plan before stays then.
    """
    if not plan.patterns:
        raise BadRequest(f"no pattern is named, so every question would retire: choose of {', '.join(PATTERNS)}")
    for pattern in plan.patterns:
        check_options(pattern, plan.choice)
    graph.check_corpus(corpus)
    if plan.choice.relation:
        meant = plan.choice.model_copy(update={"relation": relation_id(graph, corpus, plan.choice.relation)})
        plan = plan.model_copy(update={"choice": meant})
    question_store.save_plan(graph, corpus, plan.model_dump_json())
    return _run(graph, corpus, plan, scope or Whole(graph, corpus, plan.choice, plan.limit, plan.seed))


def refresh(graph: Graph, corpus: str) -> Refreshed:
    """Bring the questions up to date with the graph: add, keep, retire (BadRequest where none were generated).

    It costs in proportion to what has changed; one that was interrupted is simply run again.
    """
    graph.check_corpus(corpus)
    text, complete = question_store.plan(graph, corpus)
    if text is None:
        raise BadRequest(f"corpus {corpus!r} has no questions yet: run {command('questions generate', corpus)} first")
    plan = Plan.model_validate_json(text)
    window = plan.choice.published_since or plan.choice.published_until
    whole = not complete or plan.limit is not None or window is not None
    return _run(graph, corpus, plan, Whole(graph, corpus, plan.choice, plan.limit, plan.seed) if whole else None)


def follow(graph: Graph, corpus: str) -> Refreshed:
    """Refresh the questions of a corpus by its plan; or, where there is none, make those of the default patterns."""
    text, _ = question_store.plan(graph, corpus)
    return refresh(graph, corpus) if text else generate(graph, corpus, Plan())


def _run(graph: Graph, corpus: str, plan: Plan, whole: Whole | None) -> Refreshed:
    found = changes(graph, corpus)  # before anything is enumerated: what is recorded from now on stays for the next run
    shared, last = question_store.shared_names(graph, corpus), question_store.last_run(graph, corpus)
    moved = shared ^ last.shared_names  # all that is said of these counts as changed
    retyped = found.retyped | question_store.called(graph, corpus, moved)
    found = found.model_copy(update={"retyped": retyped})
    with worded_by(question_store.schema(graph, corpus)):
        scope: RefreshScope = whole or Changed(graph, corpus, plan.choice, plan.patterns, found, texts=plan.second_look)
        causes = Causes(graph, found)
        selection = _Selection(graph, corpus, plan, scope, causes, shared, last, whole=whole is not None)
        done = selection.run()
    totals, filled = selection.shares.totals, selection.shares.filled
    question_store.finish(graph, corpus, found.records, shared, totals, filled, selection.writes)
    return done


class _Selection:
    """One run of the selection over the stored questions and the graph as it is now, within a scope."""

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        plan: Plan,
        scope: RefreshScope,
        causes: Causes,
        shared: frozenset[str],
        last: LastRun,
        *,
        whole: bool,
    ) -> None:
        self.causes, self.shared = causes, shared
        self.graph, self.corpus, self.plan, self.scope, self.whole = graph, corpus, plan, scope, whole
        self.old = {item.id: item for item in scope.stored()}
        self.used: dict[str, list[str]] = {}  # facts of active questions that are not single: all those of one
        self.far = set[str]()  # facts of such questions outside the scope that stay active
        self.freed = set[str]()  # facts of such questions that the share leaves out now
        self.writes, self.counted = last.writes, True  # until a question is written; -1: another run writes beside
        self.shares = self._shares(last.totals)
        self.passed: defaultdict[str, dict[str, Passed]] = defaultdict(dict)  # by pattern and id
        self.bound: SourceShare | None = None  # of the pattern of which a limited number is drawn
        self.admitted = 0
        self.won: list[tuple[str, str, str, str]] = []  # states to be set before any fact becomes free
        self.states: list[tuple[str, str, str, str]] = []  # and at the end
        self.rejected: Counter[str] = Counter()
        self.once: Counter[str] = Counter()  # why a fact is asked about elsewhere, "": goes on
        self.cascade, self.short = Cascade(), dict[str, dict[str, int]]()
        self.look = SecondLook(graph, known=scope.looked(self.old.values())) if plan.second_look else None
        self.added: list[str] = []
        self.failed: dict[str, Problem] = {}
        self.retired: dict[str, str] = {}
        self.lost: dict[str, list[str]] = {}  # of those that are eligible: the facts beside which the cause is
        self.caused: dict[str, str] = {}
        self.seen: set[str] = set()  # old questions whose subgraph is eligible
        self.new: list[Question] = []
        self.updated: list[Question] = []

    def run(self) -> Refreshed:
        """Select. What becomes active is written before anything that sets facts free: whoever runs again after an
        interruption then misses nothing.
        """
        patterns = sorted(set(self.plan.patterns), key=lambda name: (name == "single", name))
        others = [pattern for pattern in patterns if pattern != "single"]
        for pattern in others:
            self._select(pattern)
            if self.whole:  # what passes of all patterns together may not fit in memory
                self._settle(pattern)
        if not self.whole:
            self._settle(*others)
        if "single" in patterns:
            self._select("single")
        self._write_won()
        if "single" in patterns:
            if not self.whole:
                self._give_and_take()
            self._settle("single")
            self._write_won()
        self._write(self.updated)
        if self.look:
            self.look.save()
        self._set(self.states)
        self._retire()
        self._explain()
        return Refreshed(
            whole=self.whole,
            eligible={name: self.scope.eligible[name] for name in sorted(patterns, key=tuple(PATTERNS).index)},
            added=len(self.added),
            kept=question_store.active(self.graph, self.corpus) - len(self.added),
            retired=dict(sorted(Counter(self.retired.values()).items())),
            causes=dict(sorted(Counter(self.caused.values()).items())),
            rejected=dict(sorted(self.rejected.items())),
            short=self.short,
            filters=(*self.cascade.table(), *((self.look.sifted(),) if self.look else ()), *self._sifted()),
            failed=tuple(self.failed.values()),
            added_ids=tuple(self.added),
            retired_ids=tuple(sorted(self.retired)),
        )

    def _select(self, pattern: str) -> None:
        active, limit, before = 0, self.plan.limit, Counter(self.rejected)
        rows = self.scope.candidates(pattern)
        self.bound = None
        while batch := list(islice(rows, BATCH if limit is None else min(BATCH, limit - active))):
            if self.look:
                self.look.read(batch)
            if limit is not None and self.bound is None:
                eligible = self.scope.eligible[pattern]
                self.bound = SourceShare(self.scope.sources[pattern], eligible, min(limit, eligible), self.plan.share)
            if pattern == "single":
                self._read_users({fact for row in batch for fact in _fact_keys(row)})
            for row in batch:
                self.seen.add(row.id)
                active += self._take(row)
            self._flush()
        if limit is not None and active < limit:
            counts = {"asked for": limit, "active": active, "eligible": self.scope.eligible[pattern]}
            self.short[pattern] = counts | dict(sorted((self.rejected - before).items()))

    def _take(self, row: Subgraph) -> bool:
        """Judge one subgraph; return whether its question passes, within a limit also the share."""
        question, was_active, old = self._judged(row), self._is_active(row.id), self.old.get(row.id)
        if question.state == "active" and self.bound is not None and not self.bound.admit(sources_of(question)):
            question = self._held(question)
        passes, line = question.state == "active", old.share if old else ""
        if passes:
            state = "active" if was_active else OVER if old and old.reason == OVER else ""
            line = share_line(question)
            self.passed[row.pattern][row.id] = share_of(line, state)[1]._replace(near=True)
            question = self._held(question) if state == OVER else question  # until `_settle` lets it in
        else:
            self.rejected[question.reason] += 1
            if was_active:
                self._lose(question.id, question.reason, sorted(_fact_keys(row)))
        if old is None or not old.linked or old.share != line or question.model_dump() != old.question.model_dump():
            (self.new if passes and not was_active else self.updated).append(question)
        return passes

    def _held(self, question: Question) -> Question:
        """Return a question as one over the share."""
        old = self.old.get(question.id)
        cause = old.cause if old and old.reason == OVER else ""
        return question.model_copy(update={"state": "rejected", "reason": OVER, "cause": cause})

    def _shares(self, totals: Mapping[str, PatternTotals] | None) -> Shares:
        """Return the shares that decide: counted anew in a run over everything and after one that did not end."""
        if self.plan.limit is not None:
            return Drawn()
        if totals is not None and not self.whole:
            return MovedShares(self.graph, self.corpus, self.plan.share, totals, self.old.values())
        self._uncount()
        return AllShares(self.graph, self.corpus, self.plan.share, None if self.whole else self.old.keys())

    def _settle(self, *patterns: str) -> None:
        """Decide which of the questions of these patterns that pass are within the share, in the scope and outside."""
        settled = self.shares.settle({pattern: self.passed.pop(pattern, {}) for pattern in patterns})
        for pattern, (within, over) in settled.items():
            for one in over:
                self._leave_out(one)
            for one in within:
                self._let_in(one, uses=pattern not in ("single", *DIAGNOSTIC))

    def _read_users(self, facts: Collection[str]) -> None:
        """Read which of these facts questions outside the scope use that are not single and stay active."""
        if not self.whole:
            near = self.old.keys() | self.seen | self.retired.keys()
            self.far |= {fact for fact, key in question_store.using(self.graph, facts) if key not in near}

    def _leave_out(self, one: Passed) -> None:
        self.rejected[OVER] += one.near
        if one.state == "active":
            self._lose(one.id, OVER, list(one.facts))
            self.freed.update(one.facts)
        elif one.state != OVER:
            self.states.append((one.id, "rejected", OVER, ""))

    def _let_in(self, one: Passed, *, uses: bool) -> None:
        self.admitted += one.near
        if one.state != "active":
            self.added.append(one.id)
            if one.state == OVER or not one.near:
                self.won.append((one.id, "active", "", ""))
        if uses and (one.near or one.state != "active"):
            self.used |= {fact: list(one.facts) for fact in one.facts}

    def _is_active(self, key: str) -> bool:
        return key in self.old and self.old[key].state == "active"

    def _judged(self, row: Subgraph) -> Question:
        words, reason = self._alone(row, counted=True)
        if row.pattern == "single" and not reason:
            if self._is_turned(row):
                reason = TURNED
            elif any(not one.isdisjoint(_fact_keys(row)) for one in (self.used.keys(), self.far)):
                reason = USED
        self.once[reason] += reason in ("", TURNED, USED)
        question = question_of(self.corpus, row, words, "rejected" if reason else "active", reason)
        old = self.old.get(row.id)
        return question.model_copy(update={"cause": old.cause}) if old and reason and old.reason == reason else question

    def _lose(self, key: str, reason: str, facts: list[str]) -> None:
        """Record that an active question is rejected, and the facts beside which its cause is searched."""
        self.retired[key] = reason
        self.lost[key] = [near for fact in facts for near in self.used.get(fact, ())] if reason == USED else facts

    def _alone(self, row: Subgraph, *, counted: bool) -> tuple[QuestionWords, str]:
        """Return (question, rejection reason or ""), as far as one subgraph alone decides them.

        `counted`: each filter counts it. The other end of a fact is judged only to choose between the two.
        """
        old, filtered = self.old.get(row.id), self.cascade.fault if counted else rejection_reason
        try:
            words = question_words(old.question if old else None, worded(row), row)
            if words.settled:
                return words, ""
            reason = words.reason or self._shared(row) or filtered(row, words.text)
            if reason or self.look is None:
                return words, reason
            reason, rivals = self.look.fault(row) if counted else self.look.result(row)
            return words._replace(rivals=rivals), reason
        except Exception as error:  # noqa: BLE001 - one row must not end the run; it is counted and named
            detail = f"{type(error).__name__}: {error}"
            warnings.warn(f"question {row.id} {UNWORDED}: {detail}", stacklevel=2)  # tests end by a warning
            self.failed[row.id] = Problem(source=row.id, state="failed", reason=UNWORDED, detail=detail)
            return QuestionWords("", UNWORDED), UNWORDED

    def _shared(self, row: Subgraph) -> str:
        """Return the rejection reason if several things share a name of the subgraph, else ""."""
        facts = (fact for reading in row.readings for fact in reading.facts)
        ends = (end for fact in facts for end in (fact.subject, fact.object))
        return SHARED if self.shared and not self.shared.isdisjoint(ends) else ""

    def _is_turned(self, row: Subgraph) -> bool:
        """Whether a single question is left out because the one for the other end of its fact is asked."""
        if not row.either_end or self.plan.choice.asked:
            return False
        other = turned(row)
        return place(other, self.plan.seed) < place(row, self.plan.seed) and not self._alone(other, counted=False)[1]

    def _give_and_take(self) -> None:
        """Find the single questions outside the scope that pass now as no other question uses their fact any more, and
        reject those whose fact one uses now.
        """
        free = {fact for item in self.old.values() if item.state == "active" for fact in item.fact_keys} | self.freed
        free -= self.used.keys()
        self._read_users(free)
        for row in question_store.singles(self.graph, free - self.far):
            if row["reason"] == USED and self._is_far(row):
                _, self.passed["single"][row["key"]] = share_of(row["share"], state="")
        for row in question_store.singles(self.graph, self.used):
            if self._is_far(row) and (row["state"] == "active" or row["reason"] == OVER):
                self.shares.leave(*share_of(row["share"], state=row["state"]))
                if row["state"] == "active":
                    self.rejected[USED] += 1
                    self._lose(row["key"], USED, [row["fact"]])  # written with its cause
                else:
                    self.states.append((row["key"], "rejected", USED, ""))

    def _is_far(self, row: neo4j.Record) -> bool:
        return not self.scope.covers(row["pattern"], row["asked"], row["key"], row["beside"])

    def _write_won(self) -> None:
        """Write what becomes active."""
        self._write(self.new)
        self._set(self.won)
        self.won.clear()

    def _flush(self) -> None:
        """Write the pending questions; while facts are looked up, hold back those that free a fact."""
        for gathered in (self.new, self.updated) if self.whole else (self.new,):
            if len(gathered) >= BATCH:
                self._write(gathered)

    def _sifted(self) -> tuple[Sifted, Sifted]:
        """Return what the other questions and the share did to those that were looked at."""
        elsewhere = {reason: number for reason, number in sorted(self.once.items()) if reason and number}
        over = {OVER: self.rejected[OVER]} if self.rejected[OVER] else {}
        once = Sifted(filter=ONCE, how="run", passed=self.once[""], rejected=elsewhere)
        return once, Sifted(filter=NAME, how="run", passed=self.admitted, rejected=over)

    def _retire(self) -> None:
        """Retire questions that are no longer eligible, active or rejected; report only the active ones."""
        retirement = Retirement(self.graph, self.plan.patterns, self.scope, self.causes)
        gone = [old.question for key, old in self.old.items() if old.state != "retired" and key not in self.seen]
        for start in range(0, len(gone), BATCH):
            batch = gone[start : start + BATCH]
            own = {fact.key for item in batch for fact in item.facts}
            known = question_store.known_facts(self.graph, own)
            self.causes.read(own)
            reasons = retirement.reasons(batch, known)
            ended = {item.id: reasons[item.id] for item in batch if item.state == "active"}
            causes = {item.id: retirement.cause(item, reasons[item.id], known) for item in batch}
            self.retired |= ended
            self.caused |= {key: causes[key] for key in ended if causes[key]}
            states = [(key, "retired", reason, causes[key]) for key, reason in sorted(reasons.items())]
            self._set(states)

    def _explain(self) -> None:
        """Write the causes of questions that are still eligible but rejected now."""
        self.causes.read({fact for facts in self.lost.values() for fact in facts})
        causes = {key: self.causes.near(facts) for key, facts in sorted(self.lost.items())}
        self.caused |= {key: cause for key, cause in causes.items() if cause}
        self._set([(key, "rejected", self.retired[key], cause) for key, cause in causes.items()])

    def _write(self, questions: list[Question]) -> None:
        """Write questions, some hundred a transaction, and empty the list."""
        for start in range(0, len(questions), BATCH):
            self._uncount()
            if question_store.write(self.graph, questions[start : start + BATCH], self.old):
                self.writes = -1  # somebody has changed a question since it was read
        questions.clear()

    def _set(self, states: Sequence[tuple[str, str, str, str]]) -> None:
        """Set (id, state, reason, cause) of questions."""
        if states:
            self._uncount()
            question_store.set_states(self.graph, states)

    def _uncount(self) -> None:
        """Remove the totals of the last run before the first question is written."""
        if self.counted:
            now = question_store.forget_totals(self.graph, self.corpus)
            self.writes, self.counted = now if now == self.writes + 1 else -1, False


def _fact_keys(row: Subgraph) -> set[str]:
    return {fact.key for reading in row.readings for fact in reading.facts}
