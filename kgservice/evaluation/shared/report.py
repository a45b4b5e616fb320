"""What the page of a run of measured answers shows: DRAGON's, PluriHop's, and a retriever's."""

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

EXAMPLES = 12  # answers that are shown, worst first, of each group in turn
MEANINGS = {  # the scores that stand first, as far as a run has them, and what they are
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
RANKED = {  # measures of the first k, and what they are, in the order in which they stand
    "recall": "of what is wanted, found there",
    "hit_rate": "questions with something of what is wanted there",
    "ndcg": "gain of what is found there, of the best order's",
    "mrr": "1 / place of the first that is wanted",
    "precision": "of what is found there, wanted",
    "map": "mean precision at what is wanted",
    "all": "questions with all that is wanted there",
}
PREFERRED = 10  # the k that is told first, or the nearest to it
WORST_BY = ("f1", "total", "generation", "recall@10", "recall@5")
REPEATED = (
    "r@k: the mean cosine of a chunk with its k nearest others. The higher it is, the more distractors there are."
)


def page(run: MeasuredRun, items: Sequence[MeasuredAnswer]) -> ReportPage:
    """Return what the report shows."""
    known, found = run.identity, run.ended
    system = known.generator if known.generator != "none" else known.retriever
    place = f" on corpus {known.corpus}" if known.corpus else ""
    places = f"; retrieval: {known.retriever}" + (f", k = {known.k}" if known.k else "") if known.retriever else ""
    return ReportPage(
        title=f"{known.evaluation.rpartition(' ')[0]}: {system}",
        lead=(
            f"{found.questions:,} questions{place}{places}; judged by {known.judge}. "
            "The line in a bar is the 95 % interval.",
        ),
        scores=tuple(_score(name, found.measures[name]) for name in _columns(found)[:4]),
        tables=(*(_groups(name, groups, found) for name, groups in found.groups.items()), _by_k(found), _means(found)),
        charts=(*charted("Retrieval by k", {name.replace("_", " "): row for name, row in found.curves.items()}),
                *charted("How repetitive the corpus is", {"r@k": found.repetitiveness}, REPEATED)),
        shown="Answers to look at", examples=tuple(map(_example, _worst(items))),
        left_out={"Not asked": found.skipped, "Failures": found.failed},
    )  # fmt: skip


def _score(name: str, mean: Mean) -> Score:
    kind, ranked, _ = name.partition("@")
    meaning = MEANINGS.get(name) or (RANKED.get(kind, "") if ranked else "")
    return Score(name=name.replace("_", " "), cell=_cell(name, mean.mean, (mean.low, mean.high)), meaning=meaning,
                 detail=f"{mean.of:,} questions")  # fmt: skip


def _cell(name: str, value: float | None, interval: tuple[float, float] | None = None) -> PageCell:
    """A measure as it is written; Loong's mark is a part of 100, all others are of 1."""
    if value is None:
        return PageCell()
    most = 100 if name == "mark" else 1
    low_high = (interval[0] / most, interval[1] / most) if interval else None
    shown = f"{value:.1f}" if name == "mark" else f"{value:.3f}"
    return PageCell(shown=shown, bar=Bar(share=value / most, interval=low_high))


def _groups(title: str, groups: Mapping[str, Group], found: RunSummary) -> PageTable:
    columns = _columns(found)
    rows = [
        PageRow(name=name, cells=tuple(_cell(column, group.measures.get(column)) for column in columns),
            note=f"{group.questions:,} questions")
        for name, group in groups.items()
    ]  # fmt: skip
    return PageTable(
        title=f"By {title}", columns=tuple(column.replace("_", " ") for column in columns), rows=tuple(rows)
    )


def _by_k(found: RunSummary) -> PageTable:
    """The measures of rankings that are told for several k; a row a measure, a column a k."""
    split = {tuple(name.split("@")): mean for name, mean in found.measures.items() if name in _rankings(found)}
    ks = tuple(dict.fromkeys(k for _, k in split))
    rows = [
        PageRow(name=kind, cells=tuple(_noted(split.get((kind, k))) for k in ks))
        for kind in dict.fromkeys(kind for kind, _ in split)
    ]
    return PageTable(title="Measures by k, with 95 % intervals", columns=tuple(f"@{k}" for k in ks), rows=tuple(rows))


def _noted(mean: Mean | None) -> PageCell:
    return PageCell(shown=f"{mean.mean:.3f}", note=f"{mean.low:.3f}–{mean.high:.3f}") if mean else PageCell()


def _rankings(found: RunSummary) -> list[str]:
    """The measures of rankings, none where there is one k alone."""
    names = [name for name in found.measures if "@" in name]
    return names if len({name.partition("@")[2] for name in names}) > 1 else []


def _means(found: RunSummary) -> PageTable:
    rows = [
        PageRow(name=name.replace("_", " "), cells=(
            _cell(name, mean.mean, (mean.low, mean.high)), PageCell(shown=f"{mean.low:.3f} to {mean.high:.3f}"),
            PageCell(shown=f"{mean.of:,}"),
        ))
        for name, mean in found.measures.items() if name not in _rankings(found)
    ]  # fmt: skip
    return PageTable(title="All measures", columns=("mean", "95 % interval", "questions"), rows=tuple(rows))


def _columns(found: RunSummary) -> list[str]:
    """The measures that groups are told by: those that stand first, then the others, as many as fit."""
    known = [name for name in MEANINGS if name in found.measures]
    return (known + sorted(found.measures.keys() - known, key=_standing))[:7]


def _standing(name: str) -> tuple[int, int, str]:
    """Measures of rankings by their k, then by what they measure, before all others."""
    kind, _, k = name.partition("@")
    place = [*RANKED].index(kind) if k and kind in RANKED else len(RANKED)
    return abs(int(k) - PREFERRED) if k else PREFERRED, place, name


def _worst(items: Sequence[MeasuredAnswer]) -> list[MeasuredAnswer]:
    """The answers with the lowest score, of each group in turn; nothing that is wholly right."""
    name = next((name for name in WORST_BY if any(name in item.measures for item in items)), "")
    weak = sorted((item for item in items if item.measures.get(name, 0) < 1), key=lambda one: _place(one, name))
    groups: dict[tuple[str, ...], list[MeasuredAnswer]] = {}
    for item in weak:
        groups.setdefault(tuple(item.groups.values()), []).append(item)
    turns = [(turn, at, item) for at, found in enumerate(groups.values()) for turn, item in enumerate(found)]
    return [item for _, _, item in sorted(turns, key=lambda known: known[:2])[:EXAMPLES]]


def _place(item: MeasuredAnswer, name: str) -> tuple[float, str]:
    return item.measures.get(name, 0.0), item.id


def _example(one: MeasuredAnswer) -> ReportExample:
    hits = sum(name in one.found for name in one.gold)
    found = [f"{hits:,} of {len(one.gold):,} found"] if one.gold else []
    notes = (one.failure if one.answer else "", one.reasoning, f"judge: {one.remark}" if one.remark else "")
    retrieved = f"found: {'; '.join(one.found[:3])}" if not one.wanted else ""
    return ReportExample(
        asked=one.question, given=", ".join([*one.groups.values(), *found]), said=one.said, expected=one.expected,
        answer=retrieved or one.answer or one.failure or "nothing", wanted=one.wanted or "; ".join(one.gold[:5]),
        notes=notes,
    )  # fmt: skip
