"""A report of shares, counts and numbers as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from jinja2 import Environment, PackageLoader, StrictUndefined

from kgservice.evaluation.accuracy import Accuracy
from kgservice.model import Record


class Row(Record):
    """A named row of shares, or of texts; None: there is none."""

    name: str
    cells: tuple[Accuracy | str | None, ...]


class Table(Record):
    """A table; one without rows is not shown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of_counts(cls, title: str, counts: Mapping[str, Mapping[str, int]]) -> Self:
        """Return a table of counts by row, then by column."""
        columns = tuple(dict.fromkeys(column for row in counts.values() for column in row))
        rows = [
            Row(name=name, cells=tuple(f"{row.get(column, 0):,}" for column in columns)) for name, row in counts.items()
        ]
        return cls(title=title, columns=columns, rows=tuple(rows))

    @classmethod
    def of_numbers(cls, title: str, numbers: Mapping[str, float]) -> Self:
        """Return a table of measures named "recall@5": a row a measure, a column a k."""
        split = {name: name.partition("@") for name in numbers}
        columns = tuple(dict.fromkeys(k for _, _, k in split.values()))
        values = {(kind, k): f"{numbers[name]:.3f}" for name, (kind, _, k) in split.items()}
        rows = [
            Row(name=kind, cells=tuple(values.get((kind, k)) for k in columns))
            for kind in dict.fromkeys(kind for kind, _, _ in split.values())
        ]
        return cls(title=title, columns=tuple(f"@{k}" if k else "" for k in columns), rows=tuple(rows))


class Example(Record):
    """An answer that is not right, with what it was asked and given."""

    asked: str
    given: str
    answer: str
    reasoning: str
    wanted: str


def page(title: str, lead: str, tables: Sequence[Table], examples: Sequence[Example]) -> str:
    """Return the report as one HTML page."""
    environment = Environment(
        loader=PackageLoader("kgservice.evaluation", "."), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    shown = [table for table in tables if table.rows]
    return environment.get_template("tables.html").render(title=title, lead=lead, tables=shown, examples=examples)
