"""The report of a RARE-Met run: its summary, and a page that explains itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import get_args

from kgservice.evaluation.rare.run_records import JudgedQuestion, RareRun, RareSummary
from kgservice.evaluation.shared.report_page import PageCell, PageRow, PageTable, ReportExample, ReportPage, Score
from kgservice.metrics.robustness import PASSAGES, QUERIES, Outcome, RobustnessScores, Share, robust, scores, share
from kgservice.metrics.robustness import JudgedAnswer as Answer
from kgservice.metrics.significance import Proportions, proportions

EXAMPLES = 4  # answers that are not robust, a kind of passages
MEANINGS = {
    "overall": "every query with every passages",
    "query": "perturbed queries, true passages",
    "document": "the question, perturbed and retrieved passages",
    "retrieval": "the question, retrieved passages",
}
PERTURBATIONS = ("passages: answer deleted", "passages: reworded", *sorted(f"query: {kind}" for kind in QUERIES[1:]))
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
EXPLAINED = (
    'An answer is robust where it is correct; without the answer in the passages, where it is refused ("no such info") '
    "or correct from memory; from retrieved passages, where it is either. The line in a bar is the 95 % interval."
)


def summary(tested: Sequence[JudgedQuestion], skipped: Mapping[str, int]) -> RareSummary:
    """Return the summary of a run."""
    cells = _cells(tested)
    problems = [problem for question in tested for problem in question.lacking]
    made = _made(question for question in tested if question.cells)
    outcomes = {kind: Counter(cell.outcome for cell in cells if cell.passages == kind) for kind in PASSAGES}
    return RareSummary(
        questions=sum(bool(question.cells) for question in tested), skipped=dict(skipped), answers=len(cells),
        known_by_heart=sum(question.knows for question in tested), scores=scores(cells),
        by_pattern=_grouped(tested, lambda question: question.pattern),
        by_domain=_grouped(tested, lambda question: question.domain),
        by_cell={query: _by_passages([cell for cell in cells if cell.query == query]) for query in QUERIES},
        by_retriever=_by_retriever(cells),
        outcomes={kind: dict(sorted(counts.items())) for kind, counts in outcomes.items()},
        similarity={name: round(fmean(question for question, _ in found), 4) for name, found in sorted(made.items())},
        changed={name: round(fmean(question for _, question in found), 4) for name, found in sorted(made.items())},
        made={name: len(made.get(name, ())) for name in PERTURBATIONS},
        lacking=_counts(one.reason for one in problems if one.state == "rejected"),
        failed=_counts([*(cell.failure for cell in cells if cell.failure),
                        *(one.reason for one in problems if one.state == "failed")]),
    )  # fmt: skip


def _made(tested: Iterable[JudgedQuestion]) -> dict[str, list[tuple[float, float]]]:
    """Return the cosine and the changed share of every perturbed text, by perturbation."""
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for question in tested:
        for variant in question.queries[1:]:
            pairs[f"query: {variant.kind}"].append((variant.similarity, variant.changed))
        for made in question.passages[1:]:
            pairs[f"passages: {made.kind}"].append((made.similarity, made.changed))
    return pairs


def compare(a: RobustnessScores, b: RobustnessScores) -> dict[str, Proportions]:
    """Return the two-proportion z-tests of the four scores of two runs or parts of them (RARE, appendix G.3)."""
    both = {name: (getattr(a, name), getattr(b, name)) for name in RobustnessScores.model_fields}
    return {
        name: proportions((first.robust, first.of), (second.robust, second.of))
        for name, (first, second) in both.items()
        if first.of and second.of
    }


def page(run: RareRun, tested: Sequence[JudgedQuestion]) -> ReportPage:
    """Return the page of the report."""
    about, sums = run.identity, run.ended
    shares = dict(sums.scores)
    return ReportPage(
        title=f"Robustness of {about.generator}",
        lead=(
            f"RARE-Met on corpus {about.corpus}: {sums.questions:,} questions, {sums.answers:,} answers; passages by "
            f"{about.retriever}, k = {about.k}; judged by {about.judge}. {sums.known_by_heart:,} answers are known by "
            "heart.",
            EXPLAINED,
            *unmade(sums),
        ),
        scores=tuple(_score(name, shares[name]) for name in MEANINGS),
        tables=(_by_cell(sums), *_retrievers(sums), _ended(sums), _groups("By pattern", sums.by_pattern),
                _groups("By domain", sums.by_domain)),
        shown="Answers that are not robust", examples=tuple(_examples(tested)),
        left_out={"Not asked": sums.skipped, "Perturbations that could not be made": sums.lacking,
                  "Failures": sums.failed},
    )  # fmt: skip


def unmade(summary: RareSummary) -> Iterator[str]:
    """Yield a sentence on the perturbations that no question takes, so that no score has them."""
    if none := [name for name, number in summary.made.items() if not number]:
        yield f"In no score, as no question takes it: {', '.join(none)}."


def _score(name: str, share: Share) -> Score:
    detail = f"{share.robust:,} of {share.of:,}, 95 % interval {100 * share.low:.1f} to {100 * share.high:.1f}"
    return Score(name=name, cell=PageCell.of_share(share), meaning=MEANINGS[name], detail=detail)


def _by_cell(summary: RareSummary) -> PageTable:
    rows = [
        PageRow(name=query, cells=tuple(PageCell.of_share(summary.by_cell[query][kind]) for kind in PASSAGES),
            note=_similar(summary, f"query: {query}"))
        for query in QUERIES
    ]  # fmt: skip
    return PageTable(title="By perturbation: queries down, passages across", columns=PASSAGES, rows=tuple(rows))


def _retrievers(summary: RareSummary) -> Iterator[PageTable]:
    rows = tuple(PageRow(name=name, cells=(PageCell.of_share(one),)) for name, one in summary.by_retriever.items())
    if rows:
        yield PageTable(title="By retriever: the question, a context of each", columns=("robust",), rows=rows)


def _ended(summary: RareSummary) -> PageTable:
    made = PageTable.of_counts("How answers ended", {
        kind: {name: summary.outcomes[kind].get(name, 0) for name in OUTCOMES} for kind in PASSAGES
    })  # fmt: skip
    noted = (row.model_copy(update={"note": _similar(summary, f"passages: {row.name}")}) for row in made.rows)
    return made.model_copy(update={"rows": tuple(noted)})


def _similar(summary: RareSummary, name: str) -> str:
    if not summary.similarity.get(name):
        return ""
    of = f", {summary.made[name]:,} of {summary.questions:,} questions" if name in summary.made else ""
    return f"similarity {summary.similarity[name]:.2f}, {summary.changed.get(name, 0):.0%} changed{of}"


def _groups(title: str, by_group: Mapping[str, RobustnessScores]) -> PageTable:
    return PageTable.of_shares(title, tuple(MEANINGS), {
        name: [row.overall, row.query, row.document, row.retrieval] for name, row in by_group.items()
    })  # fmt: skip


def _cells(tested: Iterable[JudgedQuestion]) -> list[Answer]:
    return [cell for question in tested for cell in question.cells]


def _by_retriever(cells: Sequence[Answer]) -> dict[str, Share]:
    """Return the retrieval score of each retriever, nothing if there is only one."""
    asked = [cell for cell in cells if cell.retriever and cell.query == "original"]
    names = list(dict.fromkeys(cell.retriever for cell in asked))
    return {name: share(cell for cell in asked if cell.retriever == name) for name in names if len(names) > 1}


def _by_passages(cells: Sequence[Answer]) -> dict[str, Share]:
    return {kind: share(cell for cell in cells if cell.passages == kind) for kind in PASSAGES}


def _grouped(tested: Sequence[JudgedQuestion], name: Callable[[JudgedQuestion], str]) -> dict[str, RobustnessScores]:
    groups: dict[str, list[JudgedQuestion]] = defaultdict(list)
    for question in tested:
        if question.cells:
            groups[name(question)].append(question)
    return {group: scores(_cells(groups[group])) for group in sorted(groups)}


def _counts(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(reasons).most_common())


def _examples(tested: Sequence[JudgedQuestion]) -> list[ReportExample]:
    """Return answers that are not robust by kind of passages, one a question."""
    examples_: dict[str, list[ReportExample]] = {kind: [] for kind in PASSAGES}
    for question in tested:
        text = {variant.kind: variant.text for variant in question.queries}
        weak = (cell for cell in question.cells if not cell.robust and len(examples_[cell.passages]) < EXAMPLES)
        if cell := next(weak, None):
            examples_[cell.passages].append(ReportExample(
                asked=text[cell.query], given=f"{cell.passages}, {cell.query}", answer=cell.answer or cell.failure,
                notes=(cell.reasoning,),
                wanted=_wanted(question, cell),
            ))  # fmt: skip
    return [example for examples in examples_.values() for example in examples]


def _wanted(question: JudgedQuestion, cell: Answer) -> str:
    """Return what would be robust (table 3): the answer, a refusal, or either."""
    perturbed = cell.query != "original"
    able = {one for one in OUTCOMES if robust(cell.passages, one, knows=question.knows, perturbed=perturbed)}
    return " or ".join([question.answer] * ("correct" in able) + ["a refusal"] * ("refused" in able))
