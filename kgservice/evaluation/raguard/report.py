"""What a run over RAGuard's claims comes to (table 4, figure 6), as sums and as a page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pydantic import Field

from kgservice.core.records import Record
from kgservice.evaluation.raguard.questions import LABELS, PUBLISHED, Label
from kgservice.evaluation.raguard.run import CheckedClaim, ClaimVerdict, Ended
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
_FILES_WORD = {paper: published for published, paper in PUBLISHED.items()}


BASE = "zero-context"  # what drops are against


class AccuracyDrop(Record):
    """How far accuracy falls from zero-context (table 4, figure 5): the difference, and as a share of zero-context.

    Below 0 where documents help; `relative` is None where zero-context is never right.
    """

    absolute: float
    relative: float | None


class RaguardSummary(Record):
    """Accuracy by condition, its `drop` from zero-context where that was asked, `by_truth` of true and false claims.

    `by_label` is of oracle, claim–document pairs.


    `exam` counts pairs by the label that they came with, then by the one that the exam gives; `retrieval` has the means
    of precision, recall, NDCG and misleading recall at k, over the claims that have documents (misleading ones).
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
    """A claim with the labels that the exam gives its documents, in the words of the published files."""

    id: str
    document_ids: tuple[str, ...]
    document_labels: tuple[str, ...]


def summary(checked: Sequence[CheckedClaim], skipped: Mapping[str, int]) -> RaguardSummary:
    """Return what a run comes to; a verdict that is out of scope, or failed, is not right."""
    told = [(claim, name, one) for claim in checked for one in claim.verdicts for name in _conditions(one)]
    names = list(dict.fromkeys(name for _, name, _ in told))
    exam: dict[str, Counter[str]] = defaultdict(Counter)
    for one in _verdicts(checked, "exam"):
        exam[one.label][EXAMINED[one.ended]] += 1
    by_truth = {
        name: grouped((str(claim.truth), _right(one)) for claim, other, one in told if other == name) for name in names
    }
    found = {name: accuracy(_right(one) for _, other, one in told if other == name) for name in names}
    return RaguardSummary(
        claims=len(checked), skipped=dict(skipped), verdicts=sum(len(claim.verdicts) for claim in checked),
        accuracy=found, drop=drops(found),
        by_truth=by_truth, by_label=grouped((one.label, _right(one)) for one in _verdicts(checked, "oracle")),
        ended={name: dict(Counter(one.ended for _, other, one in told if other == name)) for name in names},
        retrieval={name: round(value, 6) for name, value in mean([one.measures for one in checked]).items()},
        exam={label: dict(exam[label]) for label in LABELS if label in exam},
        absent=sum(len(one.absent) for one in checked),
        failed=dict(Counter(one.failure for claim in checked for one in claim.verdicts if one.failure).most_common()),
    )  # fmt: skip


def drops(found: Mapping[str, Accuracy]) -> dict[str, AccuracyDrop]:
    """Return the drop of each condition from zero-context; none where that was not asked."""
    if BASE not in found:
        return {}
    base = found[BASE].share
    return {
        name: AccuracyDrop(
            absolute=round(base - one.share, 4), relative=round((base - one.share) / base, 4) if base else None
        )
        for name, one in found.items()
        if name != BASE
    }


def relabelled(checked: Iterable[CheckedClaim]) -> list[Relabelled]:
    """Return the claims that sat the exam, with its labels; a document at which it failed has none and is left out."""
    found = []
    for claim in checked:
        sat = [(one.documents[0], EXAMINED[one.ended]) for one in _verdicts([claim], "exam") if one.ended != "failed"]
        labels = tuple(_FILES_WORD.get(label, label) for _, label in sat)
        if sat:
            found.append(Relabelled(id=claim.id, document_ids=tuple(name for name, _ in sat), document_labels=labels))
    return found


def page(run: RaguardRun, checked: Sequence[CheckedClaim]) -> ReportPage:
    """Return what the report shows."""
    known, found = run.identity, run.ended
    by_truth = {
        name: [one, found.by_truth[name].get("True"), found.by_truth[name].get("False")]
        for name, one in found.accuracy.items()
    }
    return ReportPage(
        title=f"Claims and misleading documents (RAGuard): {known.generator}",
        lead=(
            f"{found.claims:,} claims, {found.verdicts:,} verdicts; documents of corpus {known.corpus} found by "
            f"{known.retriever}. A verdict other than True or False is out of scope, and wrong. Documents of these "
            f"claims that the corpus does not have: {found.absent:,}. The line in a bar is the 95 % interval.",
        ),
        tables=(
            PageTable.of_shares("Accuracy", ("all", "true claims", "false claims"), by_truth),
            _dropped(found),
            PageTable.of_shares("One document at a time, by its label", ("oracle",),
                            {name: [one] for name, one in found.by_label.items()}),
            PageTable.of_counts("How verdicts ended", found.ended),
            PageTable.of_numbers("Retrieval", found.retrieval),
            PageTable.of_counts("Labels given (rows) and by the exam (columns)", found.exam),
        ),
        charts=tuple(_charts(found.retrieval)), shown="Verdicts that are not right",
        examples=tuple(_examples(checked)), left_out={"Not checked": found.skipped, "Failures": found.failed},
    )  # fmt: skip


def _dropped(found: RaguardSummary) -> PageTable:
    rows = [
        PageRow(name=name, cells=(
            PageCell(shown=f"{100 * one.absolute:.1f} points"),
            PageCell() if one.relative is None else PageCell(shown=f"{100 * one.relative:.1f}\u00a0%"),
        ))
        for name, one in found.drop.items()
    ]  # fmt: skip
    return PageTable(title="Drop from zero-context", columns=("absolute", "relative"), rows=tuple(rows))


def _charts(retrieval: Mapping[str, float]) -> list[Chart]:
    """Retrieval by k (figure 6), and how often something misleading is found."""
    curves: dict[str, dict[int, float]] = defaultdict(dict)
    for name, value in retrieval.items():
        kind, _, k = name.partition("@")
        curves[kind][int(k)] = value
    told = {str(name): curves[name] for name in ("precision", "recall", "ndcg")}
    misled = {"misleading recall": curves["misleading"]}
    return [*charted("Retrieval by k", told), *charted("Misleading recall by k", misled)]


def _conditions(one: ClaimVerdict) -> list[str]:
    """The conditions that a verdict counts for: misleading-only is a part of oracle."""
    if one.condition == "exam":
        return []
    return [one.condition, *(["misleading-only"] if one.label == "misleading" else [])]


def _right(one: ClaimVerdict) -> bool:
    return one.ended == "correct"


def _verdicts(checked: Iterable[CheckedClaim], condition: str) -> list[ClaimVerdict]:
    return [one for claim in checked for one in claim.verdicts if one.condition == condition]


def _examples(checked: Sequence[CheckedClaim]) -> list[ReportExample]:
    """Verdicts that are not right, each on another claim."""
    found = []
    for claim in checked:
        weak = (one for one in claim.verdicts if not _right(one) and one.condition not in ("exam", "zero-context"))
        if one := next(weak, None):
            found.append(
                ReportExample(
                    asked=claim.claim, given=f"{one.condition}: {', '.join(one.documents)}",
                    answer=one.answer or one.failure, notes=(one.reasoning,), wanted=str(claim.truth),
                )
            )  # fmt: skip
    return found[:EXAMPLES]
