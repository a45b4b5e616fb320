"""The report of a RARE-Met run: its sums, and a page that a person can read without anything else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import get_args

from kgservice.evaluation.rare.run_records import JudgedQuestion, RareRun, RareSummary
from kgservice.evaluation.shared.report_page import PageCell, PageRow, PageTable, ReportExample, ReportPage, Score
from kgservice.metrics.robustness import PASSAGES, QUERIES, Outcome, RobustnessScores, Share, scores, share
from kgservice.metrics.robustness import JudgedAnswer as Answer
from kgservice.metrics.significance import Proportions, proportions

EXAMPLES = 4  # answers that are not robust, of each kind of passages
MEANINGS = {
    "overall": "every query with every passages",
    "query": "perturbed queries, true passages",
    "document": "the question, perturbed and retrieved passages",
    "retrieval": "the question, retrieved passages",
}
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
EXPLAINED = (
    'An answer is robust where it is correct; without the answer in the passages, where it is refused ("no such info") '
    "or correct from memory; from retrieved passages, where it is either. The line in a bar is the 95 % interval."
)


def summary(tested: Sequence[JudgedQuestion], skipped: Mapping[str, int]) -> RareSummary:
    """Return what a run comes to."""
    cells = _cells(tested)
    made = _made(tested)
    outcomes = {kind: Counter(cell.outcome for cell in cells if cell.passages == kind) for kind in PASSAGES}
    return RareSummary(
        questions=sum(bool(one.cells) for one in tested), skipped=dict(skipped), answers=len(cells),
        known_by_heart=sum(one.knows for one in tested), scores=scores(cells),
        by_pattern=_grouped(tested, lambda one: one.pattern), by_domain=_grouped(tested, lambda one: one.domain),
        by_cell={query: _by_passages([cell for cell in cells if cell.query == query]) for query in QUERIES},
        outcomes={kind: dict(sorted(counts.items())) for kind, counts in outcomes.items()},
        similarity={name: round(fmean(one for one, _ in found), 4) for name, found in sorted(made.items())},
        changed={name: round(fmean(one for _, one in found), 4) for name, found in sorted(made.items())},
        lacking=_counts(problem.reason for one in tested for problem in one.lacking),
        failed=_counts(cell.failure for cell in cells if cell.failure),
    )  # fmt: skip


def _made(tested: Sequence[JudgedQuestion]) -> dict[str, list[tuple[float, float]]]:
    """Cosine, and share changed, of everything that was made, by perturbation."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in tested:
        for variant in one.queries[1:]:
            found[f"query: {variant.kind}"].append((variant.similarity, variant.changed))
        for made in one.passages[1:]:
            found[f"passages: {made.kind}"].append((made.similarity, made.changed))
    return found


def compare(a: RobustnessScores, b: RobustnessScores) -> dict[str, Proportions]:
    """Compare the four scores of two runs, or of a part of both, by the two-proportion z-test (RARE, appendix G.3)."""
    both = {name: (getattr(a, name), getattr(b, name)) for name in RobustnessScores.model_fields}
    return {
        name: proportions((one.robust, one.of), (two.robust, two.of))
        for name, (one, two) in both.items()
        if one.of and two.of
    }


def page(run: RareRun, tested: Sequence[JudgedQuestion]) -> ReportPage:
    """Return what the report shows."""
    known, found = run.identity, run.ended
    shares = dict(found.scores)
    return ReportPage(
        title=f"Robustness of {known.generator}",
        lead=(
            f"RARE-Met on corpus {known.corpus}: {found.questions:,} questions, {found.answers:,} answers; passages by "
            f"{known.retriever}, k = {known.k}; judged by {known.judge}. {found.known_by_heart:,} answers are known by "
            "heart.",
            EXPLAINED,
        ),
        scores=tuple(_score(name, shares[name]) for name in MEANINGS),
        tables=(_by_cell(found), _ended(found), _groups("By pattern", found.by_pattern),
                _groups("By domain", found.by_domain)),
        shown="Answers that are not robust", examples=tuple(_examples(tested)),
        left_out={"Not asked": found.skipped, "Perturbations that could not be made": found.lacking,
                  "Failures": found.failed},
    )  # fmt: skip


def _score(name: str, one: Share) -> Score:
    detail = f"{one.robust:,} of {one.of:,}, 95 % interval {100 * one.low:.1f} to {100 * one.high:.1f}"
    return Score(name=name, cell=PageCell.of_share(one), meaning=MEANINGS[name], detail=detail)


def _by_cell(found: RareSummary) -> PageTable:
    rows = [
        PageRow(name=query, cells=tuple(PageCell.of_share(found.by_cell[query][kind]) for kind in PASSAGES),
            note=_similar(found, f"query: {query}"))
        for query in QUERIES
    ]  # fmt: skip
    return PageTable(title="By perturbation: queries down, passages across", columns=PASSAGES, rows=tuple(rows))


def _ended(found: RareSummary) -> PageTable:
    made = PageTable.of_counts("How answers ended", {
        kind: {name: found.outcomes[kind].get(name, 0) for name in OUTCOMES} for kind in PASSAGES
    })  # fmt: skip
    noted = (row.model_copy(update={"note": _similar(found, f"passages: {row.name}")}) for row in made.rows)
    return made.model_copy(update={"rows": tuple(noted)})


def _similar(found: RareSummary, name: str) -> str:
    if not found.similarity.get(name):
        return ""
    return f"similarity {found.similarity[name]:.2f}, {found.changed.get(name, 0):.0%} changed"


def _groups(title: str, found: Mapping[str, RobustnessScores]) -> PageTable:
    return PageTable.of_shares(title, tuple(MEANINGS), {
        name: [one.overall, one.query, one.document, one.retrieval] for name, one in found.items()
    })  # fmt: skip


def _cells(tested: Iterable[JudgedQuestion]) -> list[Answer]:
    return [cell for one in tested for cell in one.cells]


def _by_passages(cells: Sequence[Answer]) -> dict[str, Share]:
    return {kind: share(cell for cell in cells if cell.passages == kind) for kind in PASSAGES}


def _grouped(tested: Sequence[JudgedQuestion], name: Callable[[JudgedQuestion], str]) -> dict[str, RobustnessScores]:
    groups: dict[str, list[JudgedQuestion]] = defaultdict(list)
    for one in tested:
        if one.cells:
            groups[name(one)].append(one)
    return {group: scores(_cells(groups[group])) for group in sorted(groups)}


def _counts(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common())


def _examples(tested: Sequence[JudgedQuestion]) -> list[ReportExample]:
    """Answers that are not robust, each of another question, by passages."""
    found: dict[str, list[ReportExample]] = {kind: [] for kind in PASSAGES}
    for one in tested:
        text = {variant.kind: variant.text for variant in one.queries}
        weak = (cell for cell in one.cells if not cell.robust and len(found[cell.passages]) < EXAMPLES)
        if cell := next(weak, None):
            found[cell.passages].append(ReportExample(
                asked=text[cell.query], given=f"{cell.passages}, {cell.query}", answer=cell.answer or cell.failure,
                notes=(cell.reasoning,),
                wanted="a refusal" if cell.passages == "answer deleted" else one.answer,
            ))  # fmt: skip
    return [example for examples in found.values() for example in examples]
