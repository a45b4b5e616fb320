"""Tables of web pages: whatever way a table is set, it is read back whole and no number is altered."""

from __future__ import annotations

import cProfile
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Document
from kgservice.text.chunking import chunks
from loaders.html import HtmlLoader
from loaders.shared.tables import pipe_table, read_table
from tests.conftest import examples
from tests.unit.loading import sorted_out

NUMBER = st.one_of(
    st.integers(-(10**9), 10**9).map(lambda n: f"({-n:,})" if n < 0 else f"{n:,}"),
    st.floats(0, 1000).map(lambda x: f"{x:.2f}"),
    st.just("—"),
)
SIGN = st.sampled_from(["", "$", "%"])


def rendered(value: str, sign: str) -> str:
    """A number in three cells as filings set it: "$", the digits with "(", then ")" or "%"."""
    body, close = (value[:-1], ")") if value.endswith(")") else (value, "")
    after = close + ("%" if sign == "%" else "")
    return f"<td>{'$' if sign == '$' else ''}</td><td>{body}</td><td>{after}</td>"


def test_a_row_of_small_losses_is_no_header() -> None:
    head = "<tr><td></td><td colspan=3>Years ended June 30,</td></tr><tr><td></td><td colspan=3>2031</td></tr>"
    page = BeautifulSoup(f"<table>{head}<tr><td>Row</td>{rendered('(1)', '')}</tr></table>", "html.parser")
    assert page.table is not None
    assert read_table(page.table).rows == [["", "Years ended June 30, 2031"], ["Row", "(1)"]]


@settings(max_examples=examples(200), deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(1, 6))
def test_no_number_is_altered(data: st.DataObject, width: int, height: int) -> None:
    rows = [[(data.draw(NUMBER), data.draw(SIGN)) for _ in range(width)] for _ in range(height)]
    years = "".join(f"<td colspan=3>{2031 - at}</td>" for at in range(width))
    body = "".join(
        f"<tr><td>Row {at}</td>{''.join(rendered(*cell) for cell in row)}</tr>" for at, row in enumerate(rows)
    )
    page = BeautifulSoup(
        f"<table><tr><td></td><td colspan={3 * width}>Years ended June 30,</td></tr><tr><td></td>{years}</tr>{body}</table>",
        "html.parser",
    )
    table = page.table
    assert table is not None
    found = read_table(table).rows
    assert found[0] == ["", *(f"Years ended June 30, {2031 - at}" for at in range(width))]
    for at, row in enumerate(rows):
        wanted = [f"{'$' if sign == '$' else ''}{value}{'%' if sign == '%' else ''}" for value, sign in row]
        assert found[at + 1] == [f"Row {at}", *wanted]


@settings(max_examples=examples(100), deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(st.lists(NUMBER, min_size=width, max_size=width), min_size=2, max_size=60)
    )
)
def test_no_table_is_split(rows: list[list[str]]) -> None:
    table = pipe_table(
        [["name", *(f"c{at}" for at in range(len(rows[0]) - 1))], *([f"r{row[0]}", *row[1:]] for row in rows)]
    )
    found = [
        c
        for c in chunks(Document(source="x", text=f"{'Words. ' * 900}\n\n{table}\n\n{'More. ' * 900}"))
        if c.contains_table
    ]
    assert len(found) == 1
    assert table in found[0].text


def test_headers_of_several_rows_and_indentation() -> None:
    markup = """<table><tr><td></td><td colspan=2>2031</td></tr><tr><td>(In millions)</td><td>Cost</td><td>Fair value</td></tr>
      <tr><td>Debt:</td></tr><tr><td style="padding-left:12pt">Bonds</td><td>5</td><td>6</td></tr></table>"""
    table = BeautifulSoup(markup, "html.parser").table
    assert table is not None
    assert read_table(table).rows == [
        ["(In millions)", "2031 Cost", "2031 Fair value"],
        ["Debt:", "", ""],
        ["  Bonds", "5", "6"],
    ]


def test_a_column_says_its_groups_name_once() -> None:
    markup = """<table><tr><td></td><td colspan=2>Optics</td></tr><tr><td>x</td><td>Optics Lenses</td><td>Frames</td></tr>
      <tr><td>Cost</td><td>5</td><td>6</td></tr></table>"""
    table = BeautifulSoup(markup, "html.parser").table
    assert table is not None
    assert read_table(table).rows[0] == ["x", "Optics Lenses", "Optics Frames"]


def test_columns_of_signs_join_their_numbers() -> None:
    rows = [["x", "", "2031", ""], ["a", "$", "(5", ")"], ["b", "", "7", ""]]
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    markup = f"<table>{body}</table>"
    table = BeautifulSoup(markup, "html.parser").table
    assert table is not None
    assert read_table(table).rows == [["x", "2031"], ["a", "$(5)"], ["b", "7"]]


@pytest.mark.whole
def test_a_table_of_fifty_megabytes_ends_in_time(tmp_path: Path) -> None:
    row = "<tr>" + "<td>1,234</td>" * 100 + "</tr>"
    (tmp_path / "a.html").write_text(f"<table>{row * (51_000_000 // len(row))}</table>")
    started = time.process_time()
    _, problems = sorted_out(HtmlLoader(tmp_path / "a.html"))
    assert problems == {("rejected", "too large"): 1}
    assert time.process_time() - started < 60


@pytest.mark.whole
def test_a_table_at_the_limit_is_read_whole_in_linear_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def calls(rows: int) -> int:
        """Function calls, as seconds depend on what else the machine does."""
        path = tmp_path / f"{rows}.html"
        path.write_text(f"<table>{('<tr>' + '<td>1,234</td>' * 20 + '</tr>') * rows}</table>")
        with cProfile.Profile() as profile:
            documents, problems = sorted_out(HtmlLoader(path))
        assert [document.text.count("1,234") for document in documents] == [20 * rows] * (rows <= 100)
        assert problems == ({} if rows <= 100 else {("rejected", "too large"): 1})
        return sum(entry.callcount for entry in profile.getstats())

    monkeypatch.setattr("loaders.shared.tables.MAX_CELLS", 2_000)
    assert calls(100) < 5 * calls(25)
    calls(101)
