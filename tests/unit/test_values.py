"""Values: numbers and dates are read off whole labels, and names stay names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgservice.core.records import Term
from kgservice.text.periods import Calendar, read_period
from kgservice.text.values import quantity, read_unit, read_value, typed


@pytest.mark.parametrize(
    ("label", "value", "unit"),
    [
        ("4,200 employees", 4200.0, "employees"),
        ("12.5 million USD", 12.5e6, "USD"),
        ("4.2 %", 4.2, "%"),
        ("4.2%", 4.2, "%"),
        ("4.2 percent", 4.2, "%"),
        ("$3.1 billion", 3.1e9, "USD"),
        ("US$5m", 5e6, "USD"),
        ("684.2 million USD", 684_200_000.0, "USD"),
        ("(1,234)", -1234.0, None),
        ("-5", -5.0, None),
        ("−5 °C", -5.0, "°C"),
        ("1.355", 1.355, None),
        ("5m", 5.0, "m"),
        ("975", 975.0, None),
        ("18,220 thousand cubic metres", 18.22e6, "cubic metres"),
        ("-2.7 % of GDP", -2.7, "% of GDP"),
        ("3 million dollars", 3e6, "USD"),
        ("  6,400\nhomes ", 6400.0, "homes"),
    ],
)
def test_numbers(label: str, value: float, unit: str | None) -> None:
    assert read_value(label) == ("number", value, unit)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("14 March 2031", "2031-03-14"),
        ("March 14, 2031", "2031-03-14"),
        ("14th Mar. 2031", "2031-03-14"),
        ("2031-03-14", "2031-03-14"),
        ("March 2031", "2031-03"),
        ("2031-03", "2031-03"),
        ("2031", "2031"),
        ("1000", "1000"),
    ],
)
def test_dates(label: str, value: str) -> None:
    assert read_value(label) == ("date", value, None)


@pytest.mark.parametrize(
    "label",
    [
        "3 Doors Down",
        "21 Jump Street",
        "7 Up",
        "A380",
        "COVID-19",
        "x264",
        "50 Cent",
        "007",
        "1990s",
        "2nd",
        "3D",
        "30 February 2031",
        "1,2,3",
        "12 34",
        "5 of the twelve",
        "2001: A Space Odyssey",
        "940 USD a month",
        "9" * 20,
        "x" * 200,
        "",
        "(2031)",
        "٣",
        "--5",
        "$",
    ],
)
def test_names(label: str) -> None:
    assert read_value(label) == ("entity", None, None)


@given(st.text(max_size=100))
def test_anything_can_be_read(label: str) -> None:
    kind, value, unit = read_value(label)
    assert (kind == "entity") == (value is None)
    assert kind == "number" or unit is None


def test_typed_fills_what_is_not_given() -> None:
    assert typed(Term(label="12 kg")) == Term(label="12 kg", kind="number", value=12.0, unit="kg")
    for given_ in (
        Term(label="2031", kind="entity"),
        Term(label="12", kind="number", value=5.0),
        Term(label="x", kind="date"),
    ):
        assert typed(given_) == given_


def test_units_periods_quantities() -> None:
    assert [
        read_unit(text)
        for text in (
            "$M",
            "thousands of Canadian dollars",
            "in millions of USD",
            "USD million",
            "US$m",
            "thousands",
            "revised",
            "city",
            "",
        )
    ] == [
        "million USD",
        "thousand CAD",
        "million USD",
        "million USD",
        "million USD",
        "thousand",
        "",
        "",
        "",
    ]
    assert read_period("2031", Calendar(True)) == ("in fiscal 2031", "2031")
    assert read_period("Q1 2031", Calendar(True))[0] == "in Q1 2031"
    assert read_period("31 March 2031", Calendar()) == ("on 31 March 2031", "2031-03-31")
    assert read_period("Growth", Calendar()) == ("", "")
    assert quantity("(2.7)", "% of GDP") == "-2.7 % of GDP"
    assert quantity("$4,215", "million USD") == "$4,215 million"
    assert quantity("3.4%", "million USD") == "3.4%"
    assert quantity("about 3", "%") == ""
