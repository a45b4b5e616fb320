"""A report as one self-contained HTML page: scores, tables, charts, and example answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self

from jinja2 import Environment, PackageLoader, StrictUndefined

from kgservice.core.records import Record
from kgservice.evaluation.shared.measured_answers import AnswerPart
from kgservice.evaluation.shared.run_folder import Run

MANY_ROWS = 5  # of a table, for which a column of zeros is only named
WIDTH, HEIGHT, LEFT, BOTTOM = 420, 200, 40, 24  # of a chart, in pixels


class Proportion(Protocol):
    """A share of `of` answers with its 95 % interval."""

    @property
    def share(self) -> float: ...
    @property
    def of(self) -> int: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class Bar(Record):
    """A value from 0 to 1, with its interval if known."""

    share: float
    interval: tuple[float, float] | None = None


class PageCell(Record):
    """A value as text, with its bar and a note in small letters."""

    shown: str = "–"
    bar: Bar | None = None
    note: str = ""

    @classmethod
    def of_share(cls, share: Proportion | None) -> Self:
        """Return the cell of a share in percent, or an empty cell if there is nothing to count."""
        if share is None or not share.of:
            return cls()
        bar = Bar(share=share.share, interval=(share.low, share.high))
        return cls(shown=f"{share.share:.1%}".replace("%", "\u00a0%"), bar=bar, note=f"of {share.of:,}")


class PageRow(Record):
    """A named row."""

    name: str
    cells: tuple[PageCell, ...]
    note: str = ""


class PageTable(Record):
    """A table. One without rows is not shown. `left_out` are columns that are 0 in each of many rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[PageRow, ...]
    left_out: tuple[str, ...] = ()

    @classmethod
    def of_shares(cls, title: str, columns: Sequence[str], rows: Mapping[str, Sequence[Proportion | None]]) -> Self:
        """Return a table of shares by row, in the order of the columns.

        Of MANY_ROWS or more, a column whose shares are all 0 is only named, unless all columns are.
        """
        counted = [
            [one.share for one in column if one is not None and one.of] for column in zip(*rows.values(), strict=True)
        ]
        telling = [at for at, own in enumerate(counted) if any(own) or not own]
        kept = telling if any(map(any, counted)) and len(rows) >= MANY_ROWS else range(len(columns))
        made = (
            PageRow(name=name, cells=tuple(PageCell.of_share(shares[at]) for at in kept))
            for name, shares in rows.items()
        )
        left_out = tuple(column for at, column in enumerate(columns) if at not in kept)
        return cls(title=title, columns=tuple(columns[at] for at in kept), rows=tuple(made), left_out=left_out)

    @classmethod
    def of_counts(cls, title: str, counts: Mapping[str, Mapping[str, int]]) -> Self:
        """Return a table of counts by row, then by column."""
        columns = tuple(dict.fromkeys(column for row in counts.values() for column in row))
        rows = [
            PageRow(name=name, cells=tuple(PageCell(shown=f"{row.get(column, 0):,}") for column in columns))
            for name, row in counts.items()
        ]
        return cls(title=title, columns=columns, rows=tuple(rows))

    @classmethod
    def of_numbers(cls, title: str, numbers: Mapping[str, float]) -> Self:
        """Return a table of measures named "recall@5": a row a measure, a column a k."""
        split = {name: name.partition("@") for name in numbers}
        columns = tuple(dict.fromkeys(k for _, _, k in split.values()))
        values = {(kind, k): PageCell(shown=f"{numbers[name]:.3f}") for name, (kind, _, k) in split.items()}
        rows = [
            PageRow(name=kind, cells=tuple(values.get((kind, k), PageCell()) for k in columns))
            for kind in dict.fromkeys(kind for kind, _, _ in split.values())
        ]
        return cls(title=title, columns=tuple(f"@{k}" if k else "" for k in columns), rows=tuple(rows))


class Score(Record):
    """A large score at the top of the page, with its meaning."""

    name: str
    cell: PageCell
    meaning: str
    detail: str


class Curve(Record):
    """A line of a chart: its path, and (x, y, value) of each point."""

    name: str
    colour: str
    points: str
    marks: tuple[tuple[float, float, str], ...]


class Chart(Record):
    """Lines over k, with the k at equal distances."""

    title: str
    note: str
    curves: tuple[Curve, ...]
    ticks: tuple[tuple[float, int], ...]


class ReportExample(Record):
    """An example answer with its question and origin (`given`), in statements if they are known."""

    asked: str
    given: str
    answer: str
    wanted: str
    notes: tuple[str, ...] = ()
    said: tuple[AnswerPart, ...] = ()
    expected: tuple[AnswerPart, ...] = ()


class ReportPage(Record):
    """The content of a page. `shown` is the title of the examples, `left_out` has counts by reason under a title."""

    title: str
    lead: tuple[str, ...]
    scores: tuple[Score, ...] = ()
    tables: tuple[PageTable, ...] = ()
    charts: tuple[Chart, ...] = ()
    shown: str = "Answers that are not right"
    examples: tuple[ReportExample, ...] = ()
    left_out: dict[str, dict[str, int]]


def rendered(page: ReportPage, run: Run[Any]) -> str:
    """Return the HTML of a page, with the run's settings at its end. Values are escaped."""
    environment = Environment(
        loader=PackageLoader("kgservice.evaluation.shared", "."), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    sizes = {"width": WIDTH, "height": HEIGHT, "left": LEFT, "bottom": BOTTOM}
    return environment.get_template("page.html").render(page=page, run=run, **sizes).lstrip()


def charted(title: str, curves: Mapping[str, Mapping[int, float]], note: str = "") -> list[Chart]:
    """Return a chart of at most three lines over all their k, [] if there are fewer than two k."""
    drawn = {name: values for name, values in curves.items() if values}
    ks = sorted({k for values in drawn.values() for k in values})
    if len(ks) < 2:
        return []
    step = (WIDTH - LEFT - 10) / (len(ks) - 1)
    across = {k: round(LEFT + at * step, 1) for at, k in enumerate(ks)}
    lines = []
    for colour, (name, values) in zip(("one", "two", "three"), drawn.items(), strict=False):
        marks = tuple((across[k], _down(value), f"{value:.3f}") for k, value in sorted(values.items()))
        points = "L".join(f"{x} {y}" for x, y, _ in marks)
        lines.append(Curve(name=name, colour=colour, points=points, marks=marks))
    return [Chart(title=title, note=note, curves=tuple(lines), ticks=tuple((across[k], k) for k in ks))]


def _down(value: float) -> float:
    return round(10 + (HEIGHT - BOTTOM - 10) * (1 - min(max(value, 0.0), 1.0)), 1)
