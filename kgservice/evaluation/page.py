"""A report as one HTML page that needs nothing from elsewhere: scores, groups, curves, and answers to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from kgservice.evaluation.measured import Item, Mean, MeasuredRun, Summary

EXAMPLES = 12  # answers that are shown, worst first, of each group in turn
WIDTH, HEIGHT, LEFT, BOTTOM = 420, 200, 40, 24  # of a chart, in pixels
MEANINGS = {  # the scores that stand first, as far as a run has them, and what they are
    "total": "the mean of these, of a judge's score too if one judged",
    "retrieval": "hit rate and MRR of the first 10 texts",
    "generation": "ROUGE-2 and ROUGE-L",
    "judge": "six criteria, by a model",
    "f1": "statements of the answers",
    "precision": "statements said that the reference holds",
    "recall": "statements of the reference that are said",
    "document f1": "documents that answers rest on",
    "mark": "Loong's mark, 1 to 100, by a model",
}
FIRST = ("recall", "hit_rate", "ndcg")
WORST_BY = ("f1", "total", "generation", "recall@10", "recall@5")


class Bar(NamedTuple):
    """A mean as a part of 1, with its interval."""

    share: float
    low: float
    high: float
    of: int


class Score(NamedTuple):
    """A measure, how it is written, its bar, and what it is."""

    name: str
    shown: str
    bar: Bar
    meaning: str


class Curve(NamedTuple):
    """A line of a chart: its points, and (x, y, value) of each."""

    name: str
    colour: str
    points: str
    marks: tuple[tuple[float, float, str], ...]


class Chart(NamedTuple):
    """Lines over k; the k stand at equal distances."""

    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, int], ...]


def rendered(template: str, **values: object) -> str:
    """Return a page of a template in this folder; what the values say cannot become markup."""
    environment = Environment(
        loader=PackageLoader("kgservice.evaluation", "."), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template(template).render(**values)


def measured(run: MeasuredRun, items: Sequence[Item]) -> str:
    """Return the report of a run of measured answers."""
    found = run.summary
    if found is None:
        raise ValueError("a run has no page before it has a summary")
    means = {name: _score(name, mean) for name, mean in found.measures.items()}
    return rendered(
        "measured.html", run=run, found=found, title=run.identity.evaluation.rpartition(" ")[0],
        system=run.identity.generator if run.identity.generator != "none" else run.identity.retriever,
        heads=[means[name] for name in _columns(found)[:4]], means=list(means.values()),
        columns=_columns(found), chart=_chart(found.curves), repetitiveness=_chart({"r@k": found.repetitiveness}),
        examples=_worst(items), width=WIDTH, height=HEIGHT, left=LEFT, bottom=BOTTOM,
    )  # fmt: skip


def _score(name: str, mean: Mean) -> Score:
    most = 100 if name == "mark" else 1
    bar = Bar(mean.mean / most, mean.low / most, mean.high / most, mean.of)
    return Score(name, f"{mean.mean:.1f}" if name == "mark" else f"{mean.mean:.3f}", bar, MEANINGS.get(name, ""))


def _columns(found: Summary) -> list[str]:
    """The measures that groups are told by: those that stand first, then the others, as many as fit."""
    known = [name for name in MEANINGS if name in found.measures]
    others = [name for name in found.measures if name not in known]
    return (known + sorted(others, key=lambda name: not name.startswith(FIRST)))[:7]


def _chart(curves: Mapping[str, Mapping[int, float]]) -> Chart | None:
    """Lines over the k that all have; None where there are not two of them."""
    drawn = {name: values for name, values in curves.items() if values}
    ks = sorted({k for values in drawn.values() for k in values})
    if len(ks) < 2:
        return None
    step = (WIDTH - LEFT - 10) / (len(ks) - 1)
    across = {k: round(LEFT + at * step, 1) for at, k in enumerate(ks)}
    lines = []
    for colour, (name, values) in zip(("one", "two", "three"), drawn.items(), strict=False):
        marks = tuple((across[k], _down(value), f"{value:.3f}") for k, value in sorted(values.items()))
        lines.append(Curve(name, colour, "L".join(f"{x} {y}" for x, y, _ in marks), marks))
    return Chart(tuple(lines), tuple((across[k], k) for k in ks))


def _down(value: float) -> float:
    return round(10 + (HEIGHT - BOTTOM - 10) * (1 - min(max(value, 0.0), 1.0)), 1)


def _worst(items: Sequence[Item]) -> list[Item]:
    """The answers with the lowest score, of each group in turn; nothing that is wholly right."""
    name = next((name for name in WORST_BY if any(name in item.measures for item in items)), "")
    weak = sorted((item for item in items if item.measures.get(name, 0) < 1), key=lambda one: _place(one, name))
    groups: dict[tuple[str, ...], list[Item]] = {}
    for item in weak:
        groups.setdefault(tuple(item.groups.values()), []).append(item)
    turns = [(turn, at, item) for at, found in enumerate(groups.values()) for turn, item in enumerate(found)]
    return [item for _, _, item in sorted(turns, key=lambda known: known[:2])[:EXAMPLES]]


def _place(item: Item, name: str) -> tuple[float, str]:
    return item.measures.get(name, 0.0), item.id
