"""The report of a RARE-Met run: its sums, and a page that a person can read without anything else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from kgservice.evaluation.page import rendered
from kgservice.evaluation.robustness import PASSAGES, QUERIES, Cell, Scores, Share, scores, share
from kgservice.evaluation.significance import Proportions, proportions
from kgservice.evaluation.tested import RareRun, Summary, Tested
from kgservice.model import Record

EXAMPLES = 4  # answers that are not robust, of each kind of passages


class Example(Record):
    """An answer that is not robust, with what it was asked."""

    tested: Tested
    cell: Cell
    asked: str


def summary(tested: Sequence[Tested], skipped: Mapping[str, int]) -> Summary:
    """Return what a run comes to."""
    cells = _cells(tested)
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one in tested:
        for variant in one.queries[1:]:
            by_kind[f"query: {variant.kind}"].append(variant.similarity)
        for made in one.passages[1:]:
            by_kind[f"passages: {made.kind}"].append(made.similarity)
    outcomes = {kind: Counter(cell.outcome for cell in cells if cell.passages == kind) for kind in PASSAGES}
    return Summary(
        questions=sum(bool(one.cells) for one in tested), skipped=dict(skipped), answers=len(cells),
        known_by_heart=sum(one.knows for one in tested), scores=scores(cells),
        by_pattern=_grouped(tested, lambda one: one.pattern), by_domain=_grouped(tested, lambda one: one.domain),
        by_cell={query: _by_passages([cell for cell in cells if cell.query == query]) for query in QUERIES},
        outcomes={kind: dict(sorted(counts.items())) for kind, counts in outcomes.items()},
        similarity={name: round(fmean(found), 4) for name, found in sorted(by_kind.items())},
        lacking=_counts(problem.reason for one in tested for problem in one.lacking),
        failed=_counts(cell.failure for cell in cells if cell.failure),
    )  # fmt: skip


def compare(a: Summary, b: Summary) -> dict[str, Proportions]:
    """Compare the four scores of two runs by the two-proportion z-test (RARE, appendix G.3)."""
    both = {name: (getattr(a.scores, name), getattr(b.scores, name)) for name in Scores.model_fields}
    return {
        name: proportions((one.robust, one.of), (two.robust, two.of))
        for name, (one, two) in both.items()
        if one.of and two.of
    }


def page(run: RareRun, tested: Sequence[Tested]) -> str:
    """Return the report as one HTML page."""
    return rendered(
        "report.html", run=run, found=run.summary, examples=_examples(tested), queries=QUERIES, passages=PASSAGES
    )


def _cells(tested: Iterable[Tested]) -> list[Cell]:
    return [cell for one in tested for cell in one.cells]


def _by_passages(cells: Sequence[Cell]) -> dict[str, Share]:
    return {kind: share(cell for cell in cells if cell.passages == kind) for kind in PASSAGES}


def _grouped(tested: Sequence[Tested], name: Callable[[Tested], str]) -> dict[str, Scores]:
    groups: dict[str, list[Tested]] = defaultdict(list)
    for one in tested:
        if one.cells:
            groups[name(one)].append(one)
    return {group: scores(_cells(groups[group])) for group in sorted(groups)}


def _counts(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common())


def _examples(tested: Sequence[Tested]) -> list[Example]:
    """Answers that are not robust, each of another question, by passages."""
    found: dict[str, list[Example]] = {kind: [] for kind in PASSAGES}
    for one in tested:
        text = {variant.kind: variant.text for variant in one.queries}
        weak = (cell for cell in one.cells if not cell.robust and len(found[cell.passages]) < EXAMPLES)
        if cell := next(weak, None):
            found[cell.passages].append(Example(tested=one, cell=cell, asked=text[cell.query]))
    return [example for examples in found.values() for example in examples]
