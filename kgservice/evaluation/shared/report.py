"""The page of a run of measured answers: DRAGON's, PluriHop's, and a retriever's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgservice.evaluation.shared.measured_answers import Group, Mean, MeasuredAnswer, MeasuredRun, RunSummary
from kgservice.evaluation.shared.report_page import (
    Bar,
    PageCell,
    PageRow,
    PageTable,
    ReportExample,
    ReportPage,
    Score,
    charted,
)

EXAMPLES = 12  # answers on the page, worst first, of each group in turn
MEANINGS = {  # the first scores of the page, if a run has them, with their meaning
    "total": "the mean of retrieval and generation, and of the judge's score where one judged",
    "retrieval": "hit rate and MRR of the first 10 texts",
    "generation": "ROUGE-2 and ROUGE-L",
    "judge": "six criteria, by a model",
    "f1": "statements of the answers",
    "precision": "statements said that the reference holds",
    "recall": "statements of the reference that are said",
    "document f1": "documents that answers rest on",
    "mark": "Loong's mark, 1 to 100, by a model",
}
RANKED = {  # measures at k with their meaning, in the order of the page
    "recall": "of what is wanted, found there",
    "hit_rate": "questions with something of what is wanted there",
    "ndcg": "gain of what is found there, of the best order's",
    "mrr": "1 / place of the first that is wanted",
    "precision": "of what is found there, wanted",
    "map": "mean precision at what is wanted",
    "all": "questions with all that is wanted there",
}
PREFERRED = 10  # the k in the first column, or the nearest to it
WORST_BY = ("f1", "total", "generation", "recall@10", "recall@5")
REPEATED = (
    "r@k: the mean cosine of a chunk with its k nearest others. The higher it is, the more distractors there are."
)


def page(run: MeasuredRun, items: Sequence[MeasuredAnswer]) -> ReportPage:
    """Return the page of the report."""
    identity, summary = run.identity, run.ended
    system = identity.generator if identity.generator != "none" else identity.retriever
    place = f" on corpus {identity.corpus}" if identity.corpus else ""
    places = (
        f"; retrieval: {identity.retriever}" + (f", k = {identity.k}" if identity.k else "")
        if identity.retriever
        else ""
    )
    return ReportPage(
        title=f"{identity.evaluation.rpartition(' ')[0]}: {system}",
        lead=(
            f"{summary.questions:,} questions{place}{places}; judged by {identity.judge}. "
            "The line in a bar is the 95 % interval.",
        ),
        scores=tuple(_score(name, summary.measures[name]) for name in _columns(summary)[:4]),
        tables=(*(_groups(name, groups, summary) for name, groups in summary.groups.items()), _by_k(summary),
                _means(summary)),
        charts=(*charted("Retrieval by k", {name.replace("_", " "): row for name, row in summary.curves.items()}),
                *charted("How repetitive the corpus is", {"r@k": summary.repetitiveness}, REPEATED)),
        shown="Answers to look at", examples=tuple(map(_example, _worst(items))),
        left_out={"Not asked": summary.skipped, "Failures": summary.failed},
    )  # fmt: skip


def _score(name: str, mean: Mean) -> Score:
    kind, ranked, _ = name.partition("@")
    meaning = MEANINGS.get(name) or (RANKED.get(kind, "") if ranked else "")
    return Score(name=name.replace("_", " "), cell=_cell(name, mean.mean, (mean.low, mean.high)), meaning=meaning,
                 detail=f"{mean.of:,} questions")  # fmt: skip


def _cell(name: str, value: float | None, interval: tuple[float, float] | None = None) -> PageCell:
    """Return the cell of a measure. Loong's mark is out of 100, all others are out of 1."""
    if value is None:
        return PageCell()
    most = 100 if name == "mark" else 1
    low_high = (interval[0] / most, interval[1] / most) if interval else None
    shown = f"{value:.1f}" if name == "mark" else f"{value:.3f}"
    return PageCell(shown=shown, bar=Bar(share=value / most, interval=low_high))


def _groups(title: str, groups: Mapping[str, Group], summary: RunSummary) -> PageTable:
    columns = _columns(summary)
    rows = [
        PageRow(name=name, cells=tuple(_cell(column, group.measures.get(column)) for column in columns),
            note=f"{group.questions:,} questions")
        for name, group in groups.items()
    ]  # fmt: skip
    return PageTable(
        title=f"By {title}", columns=tuple(column.replace("_", " ") for column in columns), rows=tuple(rows)
    )


def _by_k(summary: RunSummary) -> PageTable:
    """Return the table of ranking measures that have several k: a row a measure, a column a k."""
    split = {tuple(name.split("@")): mean for name, mean in summary.measures.items() if name in _rankings(summary)}
    ks = tuple(dict.fromkeys(k for _, k in split))
    rows = [
        PageRow(name=kind, cells=tuple(_noted(split.get((kind, k))) for k in ks))
        for kind in dict.fromkeys(kind for kind, _ in split)
    ]
    return PageTable(title="Measures by k, with 95 % intervals", columns=tuple(f"@{k}" for k in ks), rows=tuple(rows))


def _noted(mean: Mean | None) -> PageCell:
    return PageCell(shown=f"{mean.mean:.3f}", note=f"{mean.low:.3f}–{mean.high:.3f}") if mean else PageCell()


def _rankings(summary: RunSummary) -> list[str]:
    """Return the names of ranking measures, [] if there is only one k."""
    names = [name for name in summary.measures if "@" in name]
    return names if len({name.partition("@")[2] for name in names}) > 1 else []


def _means(summary: RunSummary) -> PageTable:
    rows = [
        PageRow(name=name.replace("_", " "), cells=(
            _cell(name, mean.mean, (mean.low, mean.high)), PageCell(shown=f"{mean.low:.3f} to {mean.high:.3f}"),
            PageCell(shown=f"{mean.of:,}"),
        ))
        for name, mean in summary.measures.items() if name not in _rankings(summary)
    ]  # fmt: skip
    return PageTable(title="All measures", columns=("mean", "95 % interval", "questions"), rows=tuple(rows))


def _columns(summary: RunSummary) -> list[str]:
    """Return the measures of the tables by group: the first scores, then others, seven at most."""
    leading = [name for name in MEANINGS if name in summary.measures]
    return (leading + sorted(summary.measures.keys() - leading, key=_standing))[:7]


def _standing(name: str) -> tuple[int, int, str]:
    """Return the sort key of a measure: ranking measures by k and kind come before all others."""
    kind, _, k = name.partition("@")
    place = [*RANKED].index(kind) if k and kind in RANKED else len(RANKED)
    return abs(int(k) - PREFERRED) if k else PREFERRED, place, name


def _worst(items: Sequence[MeasuredAnswer]) -> list[MeasuredAnswer]:
    """Return the answers with the lowest scores, of each group in turn, without perfect ones."""
    name = next((name for name in WORST_BY if any(name in item.measures for item in items)), "")
    weak = sorted((item for item in items if item.measures.get(name, 0) < 1), key=lambda answer: _place(answer, name))
    groups: dict[tuple[str, ...], list[MeasuredAnswer]] = {}
    for item in weak:
        groups.setdefault(tuple(item.groups.values()), []).append(item)
    turns = [(turn, at, item) for at, members in enumerate(groups.values()) for turn, item in enumerate(members)]
    return [item for _, _, item in sorted(turns, key=lambda row: row[:2])[:EXAMPLES]]


def _place(item: MeasuredAnswer, name: str) -> tuple[float, str]:
    return item.measures.get(name, 0.0), item.id


def _example(answer: MeasuredAnswer) -> ReportExample:
    hits = sum(name in answer.found for name in answer.gold)
    recall = [f"{hits:,} of {len(answer.gold):,} found"] if answer.gold else []
    notes = (
        answer.failure if answer.answer else "",
        answer.reasoning,
        f"judge: {answer.remark}" if answer.remark else "",
    )
    retrieved = f"found: {'; '.join(answer.found[:3])}" if not answer.wanted else ""
    return ReportExample(
        asked=answer.question, given=", ".join([*answer.groups.values(), *recall]), said=answer.said,
        expected=answer.expected, answer=retrieved or answer.answer or answer.failure or "nothing",
        wanted=answer.wanted or "; ".join(answer.gold[:5]),
        notes=notes,
    )  # fmt: skip
