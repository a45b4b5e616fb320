"""What stands on the page of measured answers: which measures first, rankings by k, all others in a list."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kgservice.evaluation.shared.measured_answers import MeasuredAnswer, MeasuredRun, summary
from kgservice.evaluation.shared.report import page
from kgservice.evaluation.shared.report_page import MANY_ROWS, PageTable, ReportPage, rendered
from kgservice.metrics.accuracy import accuracy
from kgservice.metrics.ranking import measures
from tests.unit.test_claims import IDENTITY


def shown(*rows: Mapping[str, float]) -> ReportPage:
    items = [
        MeasuredAnswer(id=str(at), groups={}, question="Q?", wanted="x", answer="y", measures=dict(row))
        for at, row in enumerate(rows)
    ]
    return page(MeasuredRun(identity=IDENTITY, summary=summary(items, {})), items)


@pytest.mark.parametrize(("ks", "first"), [((1, 3, 20), 3), ((1, 5, 10, 20), 10), ((2,), 2)])
def test_of_rankings_the_k_nearest_to_ten_stands_first(ks: tuple[int, ...], first: int) -> None:
    found = shown(measures(["a", "b", "c"], {"b": 1, "d": 1}, ks))
    assert [one.name for one in found.scores] == [f"{kind}@{first}" for kind in ("recall", "hit rate", "ndcg", "mrr")]
    assert all(one.meaning for one in found.scores)


def test_rankings_are_told_by_k_and_other_measures_in_a_list() -> None:
    found = shown(
        {"recall@1": 0.0, "recall@5": 0.5, "mrr@5": 1.0, "f1": 0.25}, {"recall@1": 0.5, "recall@5": 0.5, "f1": 0.75}
    )
    by_k, others = (table for table in found.tables if table.rows)
    assert (by_k.columns, [row.name for row in by_k.rows]) == (("@1", "@5"), ["recall", "mrr"])
    assert [cell.shown for cell in by_k.rows[0].cells] == ["0.250", "0.500"]
    assert by_k.rows[0].cells[1].note == "0.500–0.500"
    assert by_k.rows[1].cells[0].shown == "–", "what no answer has is not told"
    assert [(row.name, row.cells[0].shown) for row in others.rows] == [("f1", "0.500")]
    assert [row.name for row in shown({"mrr@10": 1.0, "total": 1.0}).tables[-1].rows] == ["mrr@10", "total"], "one k"


@pytest.mark.parametrize(
    ("rows", "shown_columns"), [(MANY_ROWS, ("oracle", "none")), (MANY_ROWS - 1, ("naive", "oracle", "none"))]
)
def test_a_column_of_zeros_in_many_rows_is_only_named(rows: int, shown_columns: tuple[str, ...]) -> None:
    shares = {str(at): [accuracy([False]), accuracy([at == 1]), None] for at in range(rows)}
    table = PageTable.of_shares("By type", ("naive", "oracle", "none"), shares)
    assert table.columns == shown_columns
    assert {len(row.cells) for row in table.rows} == {len(shown_columns)}
    assert table.rows[1].cells[shown_columns.index("oracle")].shown == "100.0\u00a0%"
    run = MeasuredRun(identity=IDENTITY, summary=summary([], {}))
    html = rendered(ReportPage(title="T", lead=(), tables=(table,), shown="", examples=(), left_out={}), run)
    assert ("throughout: naive<" in html) is (rows == MANY_ROWS)


def test_a_table_of_nothing_but_zeros_stays() -> None:
    table = PageTable.of_shares("By type", ("naive",), {str(at): [accuracy([False])] for at in range(MANY_ROWS)})
    assert (table.columns, len(table.rows), table.left_out) == (("naive",), MANY_ROWS, ())
