"""The summary of a run over RAGuard's claims (table 4, figure 6) and its page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pydantic import Field

from kgservice.core.records import Record
from kgservice.evaluation.raguard.questions import IN_FILES, LABELS, Associated, Claim, Label
from kgservice.evaluation.raguard.run import CheckedClaim, ClaimVerdict, Ended, conditions
from kgservice.evaluation.shared.report_page import (
    Chart,
    PageCell,
    PageRow,
    PageTable,
    ReportExample,
    ReportPage,
    charted,
)
from kgservice.evaluation.shared.run_folder import Run
from kgservice.metrics.accuracy import Accuracy, accuracy, grouped
from kgservice.metrics.ranking import mean

EXAMPLES = 12
EXAMINED: dict[Ended, Label] = {
    "correct": "supporting", "wrong": "misleading", "out of scope": "irrelevant", "failed": "unlabelled",
}  # fmt: skip


BASE = "zero-context"  # the base of drops


class AccuracyDrop(Record):
    """The fall of accuracy from zero-context (table 4, figure 5): the difference, and its share of zero-context.

    Below 0 if documents help. `relative` is None if zero-context is never right.
    """

    absolute: float
    relative: float | None


class RaguardSummary(Record):
    """Accuracy by condition, its `drop` from zero-context if that was run, `by_truth` of true and false claims.

    `by_label` is of oracle, over claim–document pairs. `exam` counts pairs by their published label, then by that of
    the exam. `retrieval` has the means of precision, recall, NDCG and misleading recall at k, over the claims with
    (misleading) documents.
    """

    claims: int
    skipped: dict[str, int]
    verdicts: int
    accuracy: dict[str, Accuracy]
    drop: dict[str, AccuracyDrop] = Field(default_factory=dict)
    by_truth: dict[str, dict[str, Accuracy]]
    by_label: dict[str, Accuracy]
    ended: dict[str, dict[str, int]]
    retrieval: dict[str, float]
    exam: dict[str, dict[str, int]]
    absent: int
    failed: dict[str, int]


RaguardRun: TypeAlias = Run[RaguardSummary]


class Relabelled(Record):
    """A claim with the exam's labels of its documents, in the words of the published files."""

    id: str
    document_ids: tuple[str, ...]
    document_labels: tuple[str, ...]


def summary(checked: Sequence[CheckedClaim], skipped: Mapping[str, int]) -> RaguardSummary:
    """Return the summary of a run. A verdict that is out of scope or failed is not right."""
    counted = [
        (claim, name, verdict)
        for claim in checked
        for verdict in claim.verdicts
        for name in conditions(verdict.condition, verdict.label)
    ]
    names = list(dict.fromkeys(name for _, name, _ in counted))
    exam: dict[str, Counter[str]] = defaultdict(Counter)
    for verdict in _verdicts(checked, "exam"):
        exam[verdict.label][EXAMINED[verdict.ended]] += 1
    by_truth = {
        name: grouped((str(claim.truth), _right(verdict)) for claim, other, verdict in counted if other == name)
        for name in names
    }
    by_condition = {name: accuracy(_right(verdict) for _, other, verdict in counted if other == name) for name in names}
    return RaguardSummary(
        claims=len(checked), skipped=dict(skipped), verdicts=sum(len(claim.verdicts) for claim in checked),
        accuracy=by_condition, drop=drops(by_condition), by_truth=by_truth,
        by_label=grouped((verdict.label, _right(verdict)) for verdict in _verdicts(checked, "oracle")),
        ended={name: dict(Counter(verdict.ended for _, other, verdict in counted if other == name)) for name in names},
        retrieval={name: round(value, 6) for name, value in mean([verdict.measures for verdict in checked]).items()},
        exam={label: dict(exam[label]) for label in LABELS if label in exam},
        absent=sum(len(verdict.absent) for verdict in checked),
        failed=dict(Counter(one.failure for claim in checked for one in claim.verdicts if one.failure).most_common()),
    )  # fmt: skip


def drops(accuracies: Mapping[str, Accuracy]) -> dict[str, AccuracyDrop]:
    """Return the drop of each condition from zero-context, or {} if zero-context was not run."""
    if BASE not in accuracies:
        return {}
    base = accuracies[BASE].share
    return {
        name: AccuracyDrop(
            absolute=round(base - share.share, 4), relative=round((base - share.share) / base, 4) if base else None
        )
        for name, share in accuracies.items()
        if name != BASE
    }


def examined(checked: Iterable[CheckedClaim]) -> list[Claim]:
    """Return the claims of the exam with its labels. A document that the exam failed at is dropped."""
    return [
        Claim(id=claim.id, text=claim.claim, truth=claim.truth, documents=documents)
        for claim in checked
        if (
            documents := tuple(
                Associated(id=verdict.documents[0], label=EXAMINED[verdict.ended])
                for verdict in _verdicts([claim], "exam")
                if verdict.ended != "failed"
            )
        )
    ]


def relabelled(claims: Iterable[Claim]) -> list[Relabelled]:
    """Return the labels of claims in the words of the published files."""
    return [
        Relabelled(
            id=claim.id, document_ids=tuple(one.id for one in claim.documents),
            document_labels=tuple(IN_FILES.get(one.label, one.label) for one in claim.documents),
        )
        for claim in claims
    ]  # fmt: skip


def page(run: RaguardRun, checked: Sequence[CheckedClaim]) -> ReportPage:
    """Return the page of the report."""
    about, sums = run.identity, run.ended
    by_truth = {
        name: [share, sums.by_truth[name].get("True"), sums.by_truth[name].get("False")]
        for name, share in sums.accuracy.items()
    }
    return ReportPage(
        title=f"Claims and misleading documents (RAGuard): {about.generator}",
        lead=(
            f"{sums.claims:,} claims, {sums.verdicts:,} verdicts; documents of corpus {about.corpus} found by "
            f"{about.retriever}. A verdict other than True or False is out of scope, and wrong. Documents of these "
            f"claims that the corpus does not have: {sums.absent:,}. The line in a bar is the 95 % interval.",
        ),
        tables=(
            PageTable.of_shares("Accuracy", ("all", "true claims", "false claims"), by_truth),
            _dropped(sums),
            PageTable.of_shares("One document at a time, by its label", ("oracle",),
                            {name: [share] for name, share in sums.by_label.items()}),
            PageTable.of_counts("How verdicts ended", sums.ended),
            PageTable.of_numbers("Retrieval", sums.retrieval),
            PageTable.of_counts("Labels given (rows) and by the exam (columns)", sums.exam),
        ),
        charts=tuple(_charts(sums.retrieval)), shown="Verdicts that are not right",
        examples=tuple(_examples(checked)), left_out={"Not checked": sums.skipped, "Failures": sums.failed},
    )  # fmt: skip


def _dropped(summary: RaguardSummary) -> PageTable:
    rows = [
        PageRow(name=name, cells=(
            PageCell(shown=f"{100 * drop.absolute:.1f} points"),
            PageCell() if drop.relative is None else PageCell(shown=f"{100 * drop.relative:.1f}\u00a0%"),
        ))
        for name, drop in summary.drop.items()
    ]  # fmt: skip
    return PageTable(title="Drop from zero-context", columns=("absolute", "relative"), rows=tuple(rows))


def _charts(retrieval: Mapping[str, float]) -> list[Chart]:
    """Return the charts of retrieval by k (figure 6), and of misleading recall by k."""
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    for name, value in retrieval.items():
        kind, _, k = name.partition("@")
        curves[kind][int(k)] = value
    accurate = {str(name): curves[name] for name in ("precision", "recall", "ndcg")}
    misled = {"misleading recall": curves["misleading"]}
    return [*charted("Retrieval by k", accurate), *charted("Misleading recall by k", misled)]


def _right(verdict: ClaimVerdict) -> bool:
    return verdict.ended == "correct"


def _verdicts(checked: Iterable[CheckedClaim], condition: str) -> list[ClaimVerdict]:
    return [verdict for claim in checked for verdict in claim.verdicts if verdict.condition == condition]


def _examples(checked: Sequence[CheckedClaim]) -> list[ReportExample]:
    """Return verdicts that are not right, one a claim."""
    examples = []
    for claim in checked:
        weak = (
            verdict
            for verdict in claim.verdicts
            if not _right(verdict) and verdict.condition not in ("exam", "zero-context")
        )
        if verdict := next(weak, None):
            examples.append(
                ReportExample(
                    asked=claim.claim, given=f"{verdict.condition}: {', '.join(verdict.documents)}",
                    answer=verdict.answer or verdict.failure, notes=(verdict.reasoning,), wanted=str(claim.truth),
                )
            )  # fmt: skip
    return examples[:EXAMPLES]
