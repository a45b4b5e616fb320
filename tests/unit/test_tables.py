"""Tables: every cell becomes one triplet or one problem, and the triplets can be read alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Document, Problem, Scalar, Triplet
from kgservice.extraction.tables.cells import clean
from kgservice.extraction.tables.table_facts import table_triplets
from kgservice.text.chunking import chunks
from kgservice.text.periods import when
from tests.conftest import examples


def read(text: str, title: str = "", how: str = "rare", **metadata: Scalar) -> tuple[list[Triplet], list[Problem]]:
    document = Document(source="x", text=text, title=title, metadata=metadata)
    triplets, problems = [], []
    for chunk in chunks(document, how):
        found, left = table_triplets(chunk, document)
        assert all(triplet.sentence in chunk.text for triplet in found)
        triplets += found
        problems += left
    return triplets, problems


def facts(text: str, title: str = "", **metadata: Scalar) -> set[tuple[str, str, str]]:
    return {told(t) for t in read(text, title, **metadata)[0]}


def told(triplet: Triplet) -> tuple[str, str, str]:
    """A triplet as people say it: of whom and when, what, how much."""
    return f"{triplet.subject.label} {when(triplet.period)}".strip(), triplet.relation, triplet.object.label


SEGMENTS = """Table 1. Revenue of Acme by segment, fiscal years 2030 and 2031 (million USD)

| Segment | 2030 | 2031 | Growth (%) |
|---|---|---|---|
| Industrial | 298.1 | (3.0) | 4.8 |
| Total | 625.0 | n/a | – |
"""


def test_parts_over_periods() -> None:
    triplets, problems = read(SEGMENTS, company="Acme")
    assert set(map(told, triplets)) == {
        ("Industrial segment of Acme in fiscal 2030", "revenue", "298.1 million USD"),
        ("Industrial segment of Acme in fiscal 2031", "revenue", "-3.0 million USD"),
        ("Industrial segment of Acme in fiscal 2031", "revenue growth", "4.8 %"),
        ("Acme in fiscal 2030", "revenue", "625.0 million USD"),
    }
    assert [(t.object.kind, t.object.value, t.object.unit) for t in triplets][:2] == [
        ("number", 298.1e6, "USD"),
        ("number", -3e6, "USD"),
    ]
    assert triplets[0].sentence == "| Industrial | 298.1 | (3.0) | 4.8 |"
    assert [(p.state, p.reason) for p in problems] == [("rejected", "empty cell")] * 2


HEADED = """Revenue by product (million USD)

| Product | 2031 | | 2030 | |
|---|---|---|---|---|
| | Units sold | Sales | Units sold | Sales |
| Car | 1,000 | 2 | 3,000 | 4 |
"""


@pytest.mark.parametrize("heads", ["2031 | | 2030 | |", "2031 | 2031 | 2030 | 2030 |"])
def test_a_second_header_row_of_words_belongs_to_the_header(heads: str) -> None:
    triplets, problems = read(HEADED.replace("2031 | | 2030 | |", heads), company="Acme")
    assert set(map(told, triplets)) == {
        ("Car (product) of Acme in 2031", "revenue, units sold", "1,000"),
        ("Car (product) of Acme in 2031", "revenue, sales", "2 million USD"),
        ("Car (product) of Acme in 2030", "revenue, units sold", "3,000"),
        ("Car (product) of Acme in 2030", "revenue, sales", "4 million USD"),
    }
    assert [problem.reason for problem in problems] == ["no header"] * 4


def test_units_under_a_header_belong_to_it_and_a_row_without_a_name_does_not() -> None:
    units = "| City | Population | Area |\n|---|---|---|\n| | thousands | km² |\n| Lun | 120 | 30 |\n| Orr | 90 | 31 |"
    assert ("Lun", "area", "30 km²") in facts(units)
    assert ("Lun", "population", "120 thousand") in facts(units)
    names = "| City | Mayor | Country |\n|---|---|---|\n| | Ada Orr | Norvia |\n| Lun | Bo Lind | Norvia |\n| Orr | Ida Sund | Norvia |"
    assert {problem.reason for problem in read(names)[1]} == {"no row name", "rows without names"}


@pytest.mark.parametrize("scale", ["(millions)", "(Million)", "(in millions)", "($M)"])
def test_a_bracket_of_a_scale_alone_is_the_tables(scale: str) -> None:
    table = f"Key figures {scale}\n\n| | 2031 | 2030 |\n|---|---|---|\n| Revenue | 4,215 | N/M |\n| Employees | 12,000 | n/m |"
    triplets, problems = read(table, company="Acme")
    assert [one.object.value for one in triplets] == [4.215e9, 12000], "there are not 12,000 million people"
    assert [problem.reason for problem in problems] == ["empty cell"] * 2


def test_a_column_that_names_the_captions_measure_again_does_not_repeat_it() -> None:
    table = SEGMENTS.replace("| 2030 | 2031 |", "| Revenue 2030 | Revenue 2031 |")
    assert ("Industrial segment of Acme in fiscal 2030", "revenue", "298.1 million USD") in facts(table, company="Acme")


def test_measures_over_periods() -> None:
    table = "## Key figures\n\n| | 2031 | 2030 |\n|---|---|---|\n| Revenue (million USD) | 4,215 | 3,900 |\n| Real GDP growth | 12% | 1% |"
    assert ("Aurelian Robotics in 2031", "revenue", "4,215 million USD") in facts(
        table, "Aurelian Robotics – Annual Report 2031"
    )
    assert ("Velmora in 2031", "real GDP growth", "12%") in facts(table, "Economic survey of Velmora, 2031")
    down = "| Year | Revenue (million USD) | Employees |\n|---|---|---|\n| 2030 | 12 | 1,200 |"
    assert facts(down, company="Acme") == {
        ("Acme in 2030", "revenue", "12 million USD"),
        ("Acme in 2030", "employees", "1,200"),
    }


def test_rows_that_are_names() -> None:
    table = """Table 3. Cities of Verland, 2031

| City | Population | Area (km²) | Mayor | Founded |
|:--|--:|--|--|--|
| Lyria | 412,000* | 1,250 | [Ana Dorn](http://x) | 1998 |
| Total | 510,500 | | | |
"""
    assert facts(table, country="Verland") == {
        ("Lyria", "population", "412,000"),
        ("Lyria", "area", "1,250 km²"),
        ("Lyria", "mayor", "Ana Dorn"),
        ("Lyria", "founded", "1998"),
        ("Verland in 2031", "population", "510,500"),
    }
    kinds = {t.relation: t.object.kind for t in read(table)[0]}
    assert kinds == {"population": "number", "area": "number", "mayor": "entity", "founded": "date"}


def test_rows_under_a_scope() -> None:
    market = (
        "Table 2. Acme deliveries by market, fiscal year 2031\n\n| Market | Homes |\n|---|---|\n| Thulmark | 1,120 |"
    )
    assert facts(market, company="Acme") == {("Acme in Thulmark in fiscal 2031", "homes", "1,120")}
    phase = "Table 1. Fjord Programme: budget by phase (million USD)\n\n| Phase | Approved |\n|---|---|\n| Phase one | 320 |"
    assert facts(phase, city="Isvik") == {("Phase one of Fjord Programme", "budget approved", "320 million USD")}


def test_columns_that_are_names() -> None:
    assert facts("| Metric | Acme | Bolt |\n|---|---|---|\n| CEO | Ann Lee | Bo Ek |") == {
        ("Acme", "CEO", "Ann Lee"),
        ("Bolt", "CEO", "Bo Ek"),
    }
    assert facts("| Item | Value |\n|---|---|\n| Capital | Lyria |", country="Verland") == {
        ("Verland", "capital", "Lyria")
    }


def test_a_captions_unit_goes_where_it_fits() -> None:
    table = "(In millions, except per share data)\n\n| | 2023 |\n|---|---|\n| Net sales | $383 |\n| Earnings per share | $6.13 |\n| Wages | 7 |"
    found = {t.relation: t.object.value for t in read(table, company="Apple")[0]}
    assert found == {"net sales": 383e6, "earnings per share": 6.13, "wages": 7e6}


def test_a_bracket_behind_a_slash_is_part_of_what_a_caption_measures() -> None:
    led = "The following table presents the components of income/(loss) from operations (in millions):"
    table = f"{led}\n\n| | 2023 |\n|---|---|\n| Domestic | 7 |\n| Total | $9 |"
    assert {t.relation for t in read(table, company="Acme")[0]} == {
        "income/(loss) from operations, domestic",
        "income/(loss) from operations",
    }


def test_what_cannot_be_told() -> None:
    table = "| | 2031 | 2031 | Other |\n|---|---|---|---|\n| Costs | 1 | 2 | 3 |\n| | 4 |"
    assert Counter(p.reason for p in read(table, company="A")[1]) == {
        "repeated name": 2,
        "no period": 1,
        "no row name": 1,
    }
    assert [p.reason for p in read("| | 2031 |\n|---|---|\n| Costs | 1 |")[1]] == ["no subject"]
    assert [p.reason for p in read("| Segment | 2031 |\n|---|---|\n| Steel | 1 |", company="A")[1]] == ["no measure"]
    assert [p.reason for p in read("| City | x |\n|---|---|\n| Lyria | 1 | 2 |\n| Oss | yes |", country="V")[1]] == [
        "no column name",
        "not a value",
    ]
    assert [p.reason for p in read("| a | b |\n| c | d |")[1]] == ["no header"] * 2
    assert [p.reason for p in read("| City | People |\n|---|---|\n| Lyria | 12,5", how="page")[1]] == ["cut row"]


CELLS = st.sampled_from(
    ["", " ", "x", "2031", "2030", "Total", "1,234", "(5)", "4 %", "–", "n/a", "**b**:", "\\|", "Segment", "City"]
)
ROWS = st.lists(st.lists(CELLS, max_size=5).map(lambda cells: "| " + " | ".join(cells) + " |"), min_size=1, max_size=8)


@settings(max_examples=examples(300), deadline=None)
@given(
    ROWS,
    st.sampled_from(["", "Table 1. Revenue of Acme by segment (million USD)\n\n", "## Cities, 2031\n\n"]),
    st.booleans(),
)
def test_every_cell_ends_once(rows: list[str], caption: str, ruled: bool) -> None:
    lines = [rows[0], "|---|---|", *rows[1:]] if ruled else [*rows, "| end |"]
    triplets, problems = read(caption + "\n".join(lines), company="Acme")
    body = rows[1:] if ruled else lines
    cells = sum(max(line.replace("\\|", "").count("|") - 2, 0) for line in body)
    assert len(triplets) + len(problems) == cells
    assert all(t.subject.label and t.relation and t.subject.label != "Total" for t in triplets)


@pytest.mark.whole
def test_ten_thousand_rows() -> None:
    rows = "\n".join(f"| City {at} | {at % 900} | – |" for at in range(10_000))
    triplets, problems = read(f"| City | Homes | Plots |\n|---|---|---|\n{rows}")
    assert (len(triplets), len(problems)) == (10_000, 10_000)


@pytest.mark.parametrize(
    "title", ["Acme annual report 2031", "Acme Annual Report and Accounts 2031", "Acme Q3 results", "Acme: Form 10-K"]
)
def test_a_title_is_no_measure(title: str) -> None:
    table = f"# {title}\n\n| Segment | 2031 |\n|---|---|\n| Steel | 1 |"
    assert [problem.reason for problem in read(table, title, company="Acme")[1]] == ["no measure"]


def test_signatures_are_no_facts() -> None:
    table = "| Name | Capacity | Date |\n|---|---|---|\n| /s/ ANN LEE | Director | March 26, 2031 |"
    assert {problem.reason for problem in read(table, company="Acme")[1]} == {"signatures"}


def test_changes_of_balances_are_not_called_balances() -> None:
    table = (
        "| | 2031 |\n|---|---|\n| Changes in assets and liabilities: | |\n|   Inventories | $5 |\n| Net income | $9 |"
    )
    found = {(relation, value) for _, relation, value in facts(table, company="Acme")}
    assert found == {("changes in assets and liabilities, Inventories", "$5"), ("net income", "$9")}


def test_shares_of_revenue_say_so() -> None:
    table = (
        "| | 2031 | 2030 |\n|---|---|---|\n| Revenue | 100.0% | 100.0% |\n| Research and development | 14.2 | 27.2 |"
    )
    found = facts(table, company="Acme", fiscal_year=2031)
    assert any(relation == "research and development as a share of revenue" for _, relation, _ in found)
    assert any(relation == "revenue" for _, relation, _ in found)


def test_changes_of_amounts_have_the_unit_of_amounts() -> None:
    table = (
        "Cash and investments (in millions):\n\n"
        "| | July 27, 2031 | July 29, 2030 | Increase (Decrease) |\n|---|---|---|---|\n"
        "| Marketable equity securities | $481 | $431 | 50 |"
    )
    found = facts(table, company="Acme", fiscal_year=2031, period="2031-07-27")
    assert "$50 million" in {value for _, relation, value in found if "ncrease" in relation}


def test_an_index_of_returns_and_dilutive_securities_are_no_money() -> None:
    table = (
        "(In millions, except per share amounts)\n\n| | 2031 | 2030 |\n|---|---|---|\n| Acme | $87.95 | $100.00 |\n"
        "| S&P 500 Index | $104.20 | $100.00 |\n| Effect of dilutive securities | 16 | 22 |\n| Net income | $912 | $811 |"
    )
    triplets, problems = read(table, company="Acme", fiscal_year=2031)
    assert Counter(problem.reason for problem in problems)["an index of returns"] == 4
    assert {t.object.unit for t in triplets if "dilutive" in t.relation} == {None}


def test_a_sentence_names_the_measure_of_rows_that_name_none() -> None:
    stock = (
        "Inventories at December 31 consisted of the following:\n\n| (in millions) | 2031 | 2030 |\n|---|---|---|\n"
        "| Work in process | $5 | $4 |\n| Total inventories | $7 | $6 |"
    )
    assert ("Acme in fiscal 2031", "inventories, work in process", "$5 million") in facts(
        stock, company="Acme", fiscal_year=2031
    )
    assert ("Acme in fiscal 2030", "total inventories", "$6 million") in facts(stock, company="Acme", fiscal_year=2031)
    spent = (
        "Research and development expense by segment of business was as follows (in millions):\n\n"
        "| | 2031 | 2030 |\n|---|---|---|\n| MedTech | $5 | $4 |\n| Total research and development expense | $7 | $6 |"
    )
    assert facts(spent, company="Acme", fiscal_year=2031) >= {
        ("MedTech segment of Acme in fiscal 2031", "research and development expense", "$5 million"),
        ("Acme in fiscal 2031", "total research and development expense", "$7 million"),
    }


def test_components_by_date_have_a_measure_or_are_left() -> None:
    table = "| | Pensions | Total equity, $ |\n|---|---|---|\n| January 2, 2031 | (27) | 40 |\n| Net change | 1 | 2 |"
    triplets, problems = read(table, company="Acme", fiscal_year=2031, period="2031-12-31")
    assert not any(triplet.relation == "pensions" for triplet in triplets)
    assert "no measure" in {problem.reason for problem in problems}


def test_the_parent_company_alone_is_another() -> None:
    table = (
        "## Schedule I\n\nCondensed Financial Information of Registrant (Parent Company Only)\n\n"
        "| (in millions) | 2031 |\n|---|---|\n| Total current assets | $5 |"
    )
    (found,) = facts(table, company="Acme", fiscal_year=2031)
    assert found[0] == "Acme (parent company alone) in fiscal 2031"


def test_a_notes_heading_is_the_measure_where_no_sentence_is() -> None:
    table = (
        "| | December 31, 2031 | December 31, 2030 |\n|---|---|---|\n| Corporate bonds | $5 | $4 |\n| Other | 1 | 2 |\n"
    )
    known = {"company": "Acme", "fiscal_year": 2031, "period": "2031-12-31"}
    notes = "# Part II\n\n## Item 8. Financial Statements\n\n"
    assert "plan assets, corporate bonds" in {
        said for _, said, _ in facts(f"{notes}### Plan Assets\n\n{table}", **known)
    }
    other = f"{notes}### Plan Assets\n\nThe company holds what follows for its customers.\n\n{table}"
    assert "corporate bonds" in {said for _, said, _ in facts(other, **known)}  # the heading may be of another matter
    statement = f"{notes}### Consolidated Balance Sheets\n\n{table}"
    assert "corporate bonds" in {said for _, said, _ in facts(statement, **known)}


def test_the_following_table_presents_a_measure() -> None:
    table = "| | 2031 |\n|---|---|\n| Cost of sales | $5 |\n| Contractual term in years | 5.5 |"
    said = "The following table summarizes our share-based compensation expense (in millions, except years):"
    assert facts(f"{said}\n\n{table}", company="Acme", fiscal_year=2031) == {
        ("Acme in fiscal 2031", "share-based compensation expense, cost of sales", "$5 million"),
        ("Acme in fiscal 2031", "share-based compensation expense, contractual term in years", "5.5"),
    }


def test_a_second_header_and_years_of_origination_are_no_facts() -> None:
    twice = "| Rate | 2031 Income |\n|---|---|\n| High | $5 |\n| Rate | Income |\n| Low | $4 |"
    _, problems = read(
        twice.replace("Income |", "Income | 2031 Cost |", 1).replace("Income |\n| L", "Income | Cost |\n| L")
    )
    assert Counter(problem.reason for problem in problems)["under a second header"] >= 3
    loans = "Loans by rating and year of origination:\n\n| | 2031 | 2030 |\n|---|---|---|\n| BBB | $5 | $4 |"
    triplets, problems = read(loans, company="Acme", fiscal_year=2031)
    assert not triplets
    assert {problem.reason for problem in problems} == {"year of origination"}


def test_the_end_of_a_month_is_a_month() -> None:
    table = "| For the month ended | Average price paid per share |\n|---|---|\n| October 31, 2031 | $5.00 |"
    ((subject, _, _),) = facts(table, company="Acme", fiscal_year=2031, period="2031-12-31")
    assert subject == "Acme in the month ended October 31, 2031"


def test_a_variance_is_of_no_period_and_shares_have_the_scale_of_amounts() -> None:
    table = (
        "(In millions, except per share amounts)\n\n"
        "| | June 30, 2031 | June 30, 2030 | Variance vs. June 30, 2030 |\n|---|---|---|---|\n"
        "| Purchase commitments (1)(2) | $5 | $7 | $(2) |\n"
        "| Average shares for diluted earnings per share | 60.5 | 58.2 | 2.3 |\n"
    )
    assert facts(table, company="Acme", fiscal_year=2031, period="2031-06-30") == {
        ("Acme on June 30, 2031", "purchase commitments", "$5 million"),
        ("Acme on June 30, 2030", "purchase commitments", "$7 million"),
        ("Acme on June 30, 2031", "average shares for diluted earnings per share", "60.5 million"),
        ("Acme on June 30, 2030", "average shares for diluted earnings per share", "58.2 million"),
    }


OPTIONS = """# Acme server

## serve

| Option | Type | Default | Since | Description |
|---|---|---|---|---|
| `timeout` | int | 30 | 1.2 | How long a request may take. |
| `host` | str | localhost | 1.0 | The address to listen on, by default the machine alone. |
| **RETURNS** | Server | | | The server. |
"""


def test_a_list_of_things_states_its_columns_of_values() -> None:
    assert facts(OPTIONS, "Acme server") == {
        ("timeout (option) of “serve, Acme server”", "type", "int"),
        ("timeout (option) of “serve, Acme server”", "since", "1.2"),
        ("host (option) of “serve, Acme server”", "type", "str"),
        ("host (option) of “serve, Acme server”", "since", "1.0"),
    }
    reasons = Counter(problem.reason for problem in read(OPTIONS, "Acme server")[1])
    assert reasons["a column of text"] == 2
    assert reasons["a row set apart"] == 2
    assert reasons["a column of several kinds"] == 2


def test_a_list_has_years_and_units_in_its_heads() -> None:
    table = """# Engine makers

| Company | Revenue 2022 (USD million) | Staff (2023) | Site in km2 |
|---|---|---|---|
| Harrow & Pike | 71 | 880 | 45.1 |
| Corvane Works | 120 | 1310 | 99 |
"""
    triplets, problems = read(table, "Engine makers")
    assert not problems
    assert {(one.subject.label, one.relation, one.period, one.object.label) for one in triplets[:3]} == {
        ("Harrow & Pike", "revenue", "2022", "71 million USD"),
        ("Harrow & Pike", "staff", "2023", "880"),
        ("Harrow & Pike", "site in km2", "", "45.1"),
    }


def test_a_unit_in_the_corner_is_that_of_all_cells() -> None:
    triplets, _ = read("# Harrow\n\n| USD million | 2022 |\n|---|---|\n| Net income | 24 |", "Harrow & Pike")
    assert [(one.relation, one.object.label) for one in triplets] == [("net income", "24 million USD")]


@pytest.mark.parametrize(
    ("note", "written"),
    [
        ("(in millions of U.S. dollars)", "7 million USD"), ("(£'000)", "7 thousand GBP"), ("(£000)", "7 thousand GBP"),
        ("($000s)", "7 thousand USD"), ("(US$ ’000)", "7 thousand USD"), ("(in 000's, revised)", "7 thousand"),
        ("(Amounts in € millions)", "7 million EUR"), ("\n\nFigures are in £m", "7 million GBP"),
        ("(in U.S. dollars, thousands)", "7 thousand USD"), ("(EUR mln)", "7 million EUR"),
        ("(Rs. ’000)", "7 (scale in doubt)"), ("(NIS thousands)", "7 (scale in doubt)"), ("(per 1,000 births)", "7"),
    ],
)  # fmt: skip
def test_a_scale_is_read_however_it_is_written_or_is_in_doubt(note: str, written: str) -> None:
    def labels(above: str, header: str) -> set[str]:
        text = f"Table 1. Foreign trade {above}\n\n{header}\n| Exports | 7 |\n| Imports | 7 |"
        return {one.object.label for one in read(text, "Survey of Ambrel", country="Ambrel")[0]}

    assert labels(note, "| | 2031 |\n|---|---|") == {written}
    if note.startswith("("):
        assert labels("", f"| | 2031 {note} |\n|---|---|") == {written}


@pytest.mark.parametrize("header", ["| | 2031 £'000 |\n|---|---|", "| | 2031 |\n|---|---|\n| | £'000 |"])
def test_a_scale_without_brackets_in_the_header_or_below_it(header: str) -> None:
    found = facts(f"Foreign trade\n\n{header}\n| Exports | 7 |", "Survey of Ambrel", country="Ambrel")
    assert found == {("Ambrel in 2031", "exports", "7 thousand GBP")}


def test_a_corner_with_a_colon_is_the_measure_of_a_companys_table() -> None:
    table = """| Long-lived assets: | Jan 28, 2024 (In millions) |
|---|---|
|   Taiwan | $2,595 |
| Total long-lived assets | $3,914 |
"""
    heading = "## Note 17 - Segment Information"
    assert facts(f"{heading}\n\n{table}", company="Acme") == {
        ("Acme in Taiwan on January 28, 2024", "long-lived assets", "$2,595 million"),
        ("Acme on January 28, 2024", "total long-lived assets", "$3,914 million"),
    }
    table = table.replace("Long-lived", "Other").replace("Taiwan", "Prepaid royalties")
    assert ("Acme on January 28, 2024", "other assets, prepaid royalties", "$2,595 million") in facts(
        f"{heading}\n\n{table}", company="Acme"
    )


def test_a_scale_alone_heads_no_rows_and_spans_of_days_are_left() -> None:
    table = """| Period | Shares purchased | Price |
|---|---|---|
| (In millions) | | |
| October 30, 2023 - November 26, 2023 | 0.9 | $464.39 |
"""
    triplets, problems = read(table, company="Acme")
    assert not triplets
    assert "a span of days" in {problem.reason for problem in problems}


def test_error_codes_are_names_where_their_column_says_what_they_are() -> None:
    table = "# Acme\n\n## Errors\n\n| Code | Error |\n|---|---|\n| 404 | NotFound |\n| 429 | TooMany |"
    assert facts(table, "Acme server") == {
        ("404 (code) of “Errors, Acme server”", "error", "NotFound"),
        ("429 (code) of “Errors, Acme server”", "error", "TooMany"),
    }
    assert not facts(table, "Security")  # of which "Errors, Security" may say so much


def test_tables_that_list_nothing_state_nothing() -> None:
    def reasons(table: str) -> set[str]:
        triplets, problems = read(f"# Acme\n\nIt runs on Linux and on Windows.\n\n{table}", "Acme")
        assert not triplets
        return {problem.reason for problem in problems}

    assert reasons("| Part | Linux | Windows |\n|---|---|---|\n| Core | 5 | 6 |\n| Shell | 7 | 8 |") == {"a comparison"}
    assert reasons("| Part | Runs |\n|---|---|\n| Core | ✅ |\n| Shell | ❌ |") == {"a column of marks"}
    assert reasons("| Part | Uses |\n|---|---|\n| Core | zlib, libc |\n| Shell | curses, libc |") == {"several values"}
    assert reasons("| Part | Size |\n|---|---|\n| Core | 5 MB |") == {"a single row"}
    assert reasons("| Part | Runs |\n|---|---|\n| Core | &check; |\n| Shell | &cross; |") == {"a column of marks"}
    assert reasons("| Part | Calls |\n|---|---|\n| <b>Core</b> | Core |\n| Shell | Shell |") == {"its row's own name"}
    said = "| How it is done by most | Size |\n|---|---|\n| With a lot of care | 5 |\n| Once in a while | 6 |"
    assert reasons(said) == {"columns without names"}
    assert reasons(said.replace("How it is done by most", "Way")) == {"rows without names"}


@pytest.mark.parametrize(
    "heads", ["Revenue 2031 | Revenue 2030 |", "Revenue | Revenue |\n|---|---|---|\n| | 2031 | 2030 |"]
)
def test_a_list_of_measures_needs_no_name_for_its_rows(heads: str) -> None:
    ruled = "" if "---" in heads else "\n|---|---|---|"
    table = f"## Fleet\n\n| | {heads}{ruled}\n| Ada Lines | 5 | 4 |\n| Bolt Ferries | 7 | 6 |"
    assert ("Ada Lines (row) of “Fleet, Ferries of Verland” in 2030", "revenue", "4") in facts(
        table, "Ferries of Verland"
    )
    plain = "## Fleet\n\n| | Pros | Cons |\n|---|---|---|\n| Ada Lines | 5 | 4 |\n| Bolt Ferries | 7 | 6 |"
    assert not facts(plain, "Ferries of Verland")


def test_a_day_in_digits_is_a_period_where_it_is_no_month() -> None:
    table = "| | {0}.2031 | {0}.2030 |\n|---|---|---|\n| Revenue | 5 | 4 |"
    assert ("Acme on 31.12.2031", "revenue", "5") in facts(table.format("31.12"), company="Acme")
    assert not any("on " in whose for whose, _, _ in facts(table.format("05.04"), company="Acme"))


def test_rows_are_told_apart_by_where_their_table_stands() -> None:
    table = "| Option | Default |\n|---|---|\n| timeout | 30 |\n| retries | 5 |\n"
    twice = f"# Acme\n\n## serve\n\n### Options\n\n{table}\n## load\n\n### Options\n\n{table}"
    assert {subject for subject, _, _ in facts(twice, "Acme")} == {
        f"{option} (option) of “Options, {verb}, Acme”"
        for option in ("timeout", "retries")
        for verb in ("serve", "load")
    }
    _, problems = read(f"# Acme\n\n## serve\n\n{table}\nLater:\n\n{table}", "Acme")
    assert {problem.reason for problem in problems} == {"a row of other tables too"}


def test_long_spans_say_how_many_are_alike() -> None:
    long = "\n".join(f"| Town {at} | {at} |" for at in range(21))
    assert {one.cell for one in read(f"| City | Homes |\n|---|---|\n{long}")[0]} >= {"row 3, column 1, one of 21"}
    short = long.rpartition("\n")[0]
    assert {one.cell for one in read(f"| City | Homes |\n|---|---|\n{short}")[0]} >= {"row 3, column 1"}


KNOWN = {"company": "Acme", "fiscal_year": 2031, "period": "2031-12-31"}


def test_a_note_declares_the_scale_of_what_has_its_mark() -> None:
    table = (
        "(in millions)\n\n| | 2031 |\n|---|---|\n| Number of options granted (a) | 2,162 |\n| Value of options (a) | $100,209 |\n"
        "| Net income | $912 |\n\n(a) In thousands.\n"
    )
    assert {(relation, value) for _, relation, value in facts(table, **KNOWN)} == {
        ("number of options granted", "2,162 thousand"),
        ("value of options", "$100,209 thousand"),
        ("net income", "$912 million"),
    }


def test_a_rate_beside_an_amount_has_no_scale_and_the_amount_has() -> None:
    table = (
        "Income taxes were as follows (in millions):\n\n| | 2031 Amount | 2031 Rate |\n|---|---|---|\n"
        "| Federal tax | $1,720 | 21.0 |\n| State tax | 17 | 0.4 |\n"
    )
    found = {t.relation.rpartition(", ")[2]: (t.object.value, t.object.unit) for t in read(table, **KNOWN)[0][2:]}
    assert found == {"amount": (17e6, "USD"), "rate": (0.4, "%")}
    rates = table.replace("Rate |", "Effective interest rate |")
    assert read(rates, **KNOWN)[0][3].object.label == "0.4 %"


def test_a_row_that_ends_with_a_day_is_of_that_day() -> None:
    table = (
        "| (in millions) | Separation |\n|---|---|\n| Reserve June 30, 2030 | $121 |\n"
        "| Notes due June 30, 2030 | $40 |\n| Non-vested, June 30, 2029 | $5 |\n"
    )
    subjects = {told(t)[0] for t in read(table, **{**KNOWN, "period": "2031-06-30"})[0]}
    assert subjects >= {"Acme on June 30, 2030", "Acme on June 30, 2029"}
    assert not any("due" in t.relation and "June 30, 2030" in t.period for t in read(table, **KNOWN)[0])


def test_quarters_are_periods() -> None:
    table = "| (in millions) | First quarter 2031 | Fourth quarter 2031 |\n|---|---|---|\n| Revenue | $4 | $5 |"
    assert facts(table, **KNOWN) == {
        ("Acme in the first quarter of fiscal 2031", "revenue", "$4 million"),
        ("Acme in the fourth quarter of fiscal 2031", "revenue", "$5 million"),
    }


def test_columns_that_count_have_the_scale_of_counts() -> None:
    table = (
        "(dollars in millions; shares in thousands)\n\n| | 2031 Authorized | 2031 Exercise price per share | 2031 Cost |\n"
        "|---|---|---|---|\n| Class A stock | 20,000 | 49.76 | $7 |\n"
    )
    found = {t.relation.rpartition(", ")[2]: (t.object.value, t.object.unit) for t in read(table, **KNOWN)[0]}
    assert found == {"authorized": (2e7, None), "exercise price per share": (49.76, None), "cost": (7e6, "USD")}


def test_cells_lose_links_pictures_and_html() -> None:
    said = {
        "[Acme][4]": "Acme", "[Acme Corp]": "Acme Corp", "[Acme](http://x)": "Acme", "[![badge](u)](v)": "",
        "[![b]][x_b]": "", '<a id="x" href="#x">api.debug</a>': "api.debug", "a <b>bold</b> word": "a bold word",
        "Dict[str, Any]": "Dict[str, Any]", "<path>": "<path>", "Tom &amp; Co": "Tom & Co",
        "<https://acme.example>": "https://acme.example", "`Netsuite` `Vistra`": "Netsuite, Vistra",
    }  # fmt: skip
    assert {cell: clean(cell) for cell in said} == said


def test_a_report_writes_all_its_amounts_alike() -> None:
    rows = "| | 2031 |\n|---|---|\n| Revenue | {} |\n| Costs | {} |"
    one, other = rows.format("$ 391,035", "(20,500)"), rows.format("391,035", "(20,500)")
    text = f"Results (in millions):\n\n{one}\n\nOur results (in millions) were:\n\n{other}"
    labels = {value for _, _, value in facts(text, company="Acme", fiscal_year=2031)}
    assert labels == {"$391,035 million", "-$20,500 million"}


_YEARS = "| $ million | 2030 | 2029 |\n|---|---|---|\n"
_WHOLE = f"# Varga Group annual report 2030\n\n{_YEARS}| Revenue | $120 | $110 |\n"
_PARTS = f"## By segment\n\n{_YEARS}| Trucks | $50 | $40 |\n| Buses | $70 | $70 |\n"


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        (f"{_WHOLE}\n## Trucks\n\n{_YEARS}| Revenue | $50 | $40 |\n| Operating income | $5 | $4 |\n", 4),
        (f"{_WHOLE}\n## Trucks\n\nThe following table shows the results:\n\n{_YEARS}| Revenue | $50 | $40 |\n", 2),
        (f"{_WHOLE}\n## Trucks segment\n\n{_YEARS}| Revenue | $50 | $40 |\n", 0),  # says whose they are
        (f"{_WHOLE}\n## Accounts\n\n{_YEARS}| Revenue | 119.8 | 110.2 |\n| Net income | 5 | 4 |\n", 0),
        (
            f"# Report\n\n## Group\n\n{_YEARS}| Revenue | 120 | 110 |\n\n{_PARTS}\n## Trucks\n\n{_YEARS}| Revenue | 50 | 40 |\n",
            2,
        ),
        (f"# Report\n\n## Group\n\n{_YEARS}| Revenue | 120 | 110 |\n\n## Trucks\n\n{_YEARS}| Trucks | 5 | 4 |\n", 0),
    ],
    ids=[
        "a heading below the whole's",
        "a sentence of no measure",
        "a segment by name",
        "the same, rounded",
        "a row elsewhere",
        "its own row",
    ],
)
def test_a_table_of_a_part_is_not_the_companys(text: str, unsaid: int) -> None:
    triplets, problems = read(text, "Varga Group annual report 2030", company="Varga Group")
    assert Counter(problem.reason for problem in problems)["whose is not said"] == unsaid
    stated = {(one.subject.label, one.relation, one.object.value) for one in triplets if one.period == "2030"}
    assert {value for whose, what, value in stated if (whose, what) == ("Varga Group", "revenue")} <= {120e6, 119.8e6}


def test_a_column_of_years_names_no_parts() -> None:
    table = "Earnings per share\n\n| Fiscal year | 2031 |\n|---|---|\n| Average number of shares | 840 |\n| Net income | $5 |"
    subjects = {subject for subject, *_ in facts(table, company="Acme", fiscal_year=2031)}
    assert subjects <= {"Acme in fiscal 2031", "Acme in 2031"}


def test_what_a_model_assumes_is_not_the_company_s() -> None:
    lines = "| {} | 2031 | 2030 |\n|---|---|---|\n| Dividend yield | 2.6% | 1.9% |\n| Same-store sales | Same | 4 % |"
    assert not facts(lines.format("Assumptions"), company="Acme", fiscal_year=2031)
    given = facts(lines.format(""), company="Acme", fiscal_year=2031)
    assert {relation for _, relation, _ in given} == {"dividend yield", "same-store sales"}
    assert len(given) == 3  # "Same" points to another cell
