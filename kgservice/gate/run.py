"""A run of the gate: ask what is to be asked, judge it, and compare it with the baseline question by question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.gate.baseline import Baseline
from kgservice.gate.cases import Case, clusters
from kgservice.gate.chance import DropTest, drop_by_chance, power
from kgservice.gate.replies import SystemReply
from kgservice.gate.verdict import CaseVerdict, Told, judged
from kgservice.gold.gold_places import Documents

ALPHA = 0.01


class Worse(Record):
    """A question that got worse in these measures, with why and what is to be read."""

    verdict: CaseVerdict
    measures: tuple[str, ...]
    told: Told


class GateRun(Record):
    """What a run came to. `carried` verdicts were taken from the baseline, `new` questions have none there.

    `means` are over all questions, `tests` over those that the baseline has; `failed` is the gate's decision. `unwell`
    are the new questions that are not well: nothing got worse there, so they fail no gate.
    """

    target: str
    asked: int
    carried: int
    new: int
    verdicts: tuple[CaseVerdict, ...]
    means: dict[str, float]
    failures: dict[str, int]
    tests: dict[str, DropTest]
    worse: tuple[Worse, ...]
    unwell: tuple[Worse, ...]
    better: int
    alpha: float
    strict: bool
    failed: bool


def to_ask(cases: Sequence[Case], baseline: Baseline | None) -> tuple[Case, ...]:
    """Return the cases whose question, answers or sentences are not those of the baseline; all without one."""
    known = {one.id: one.digest for one in baseline.verdicts} if baseline else {}
    return tuple(one for one in cases if known.get(one.id) != one.digest)


def gate_run(
    name: str,
    cases: Sequence[Case],
    replies: Mapping[str, SystemReply],
    documents: Documents,
    baseline: Baseline | None,
    *,
    alpha: float = ALPHA,
    strict: bool = False,
) -> GateRun:
    """Judge the replies, by id; a case without one keeps its verdict of the baseline (BadRequest: none was of use).

    The gate fails where a measure dropped by more than chance (`alpha` is shared by the measures), or with `strict`
    where any question got worse.
    """
    finds = any(reply.passages for reply in replies.values())
    answers = any(reply.answer is not None for reply in replies.values())
    _check_use(replies, finds=finds, answers=answers)
    if baseline:  # a system that gives no passages any more has lost them all
        finds, answers = finds or baseline.gave("evidence"), answers or baseline.gave("answer")
    carried = {one.id: (one, Told()) for one in baseline.verdicts} if baseline else {}
    rows = {
        one.id: judged(one, replies[one.id], documents, finds=finds, answers=answers)
        if one.id in replies else carried[one.id]
        for one in cases
    }  # fmt: skip
    verdicts = tuple(verdict for verdict, _ in rows.values())
    pairs = baseline.pairs(verdicts) if baseline else []
    worse = tuple(
        Worse(verdict=now, measures=lost, told=rows[now.id][1]) for was, now in pairs if (lost := _lost(was, now))
    )
    compared = {now.id for _, now in pairs}
    unwell = tuple(
        Worse(verdict=one, measures=_bad(one), told=rows[one.id][1])
        for one in verdicts if baseline and one.id not in compared and not all(one.outcomes.values())
    )  # fmt: skip
    tests = drop_tests(pairs, alpha)
    return GateRun(
        target=name, asked=len(replies), carried=len(cases) - len(replies), new=len(cases) - len(pairs),
        verdicts=verdicts, means=_means(verdicts), failures=_failures(replies), tests=tests, worse=worse, unwell=unwell,
        better=sum(bool(_lost(now, was)) for was, now in pairs), alpha=alpha, strict=strict,
        failed=dropped(tests, alpha) or (strict and bool(worse)),
    )  # fmt: skip


def _check_use(replies: Mapping[str, SystemReply], *, finds: bool, answers: bool) -> None:
    if replies and not finds and not answers:
        first = next((one.failure for one in replies.values() if one.failure), "replies without answer and passages")
        raise BadRequest(f"the system gave nothing to judge on {len(replies):,} questions: {first}")


def _bad(one: CaseVerdict) -> tuple[str, ...]:
    return tuple(name for name, well in one.outcomes.items() if not well)


def _lost(was: CaseVerdict, now: CaseVerdict) -> tuple[str, ...]:
    """Return the measures in which a question was well and is not any more."""
    return tuple(name for name, well in now.outcomes.items() if not well and was.outcomes.get(name))


def dropped(tests: Mapping[str, DropTest], alpha: float) -> bool:
    """Say whether a measure dropped by more than chance, at a level that the measures share."""
    return any(one.p <= alpha / len(tests) for one in tests.values())


def drop_tests(pairs: Sequence[tuple[CaseVerdict, CaseVerdict]], alpha: float) -> dict[str, DropTest]:
    """Compare each measure of both runs, cluster by cluster; a power is that of its share of alpha."""
    names = [
        name for name in ("evidence", "answer") if any(name in a.outcomes and name in b.outcomes for a, b in pairs)
    ]
    tests = dict[str, DropTest]()
    for name in names:
        both = [(a, b) for a, b in pairs if name in a.outcomes and name in b.outcomes]
        cluster = clusters({now.id: now.facts for _, now in both})
        drops = defaultdict[str, int](int)
        for was, now in both:
            drops[cluster[now.id]] += was.outcomes[name] - now.outcomes[name]
        sums = list(drops.values())
        better = sum(one < 0 for one in sums)
        tests[name] = DropTest(
            before=fmean(was.outcomes[name] for was, _ in both), now=fmean(now.outcomes[name] for _, now in both),
            questions=len(both), clusters=len(sums), worse=sum(a.outcomes[name] > b.outcomes[name] for a, b in both),
            better=sum(a.outcomes[name] < b.outcomes[name] for a, b in both), p=drop_by_chance(sums),
            power=power(len(sums), better, alpha / len(names)),
        )  # fmt: skip
    return tests


def _means(verdicts: Sequence[CaseVerdict]) -> dict[str, float]:
    found = defaultdict[str, list[bool]](list)
    for one in verdicts:
        for name, well in one.outcomes.items():
            found[name].append(well)
    return {name: fmean(values) for name, values in found.items()}


def _failures(replies: Mapping[str, SystemReply]) -> dict[str, int]:
    counts = defaultdict[str, int](int)
    for one in replies.values():
        if one.failure:
            counts[one.failure] += 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
