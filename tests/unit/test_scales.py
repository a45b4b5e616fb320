"""Scopes of scales: what a note of units says, and for which tables it holds."""

from __future__ import annotations

import pytest

from kgservice.extraction.tables.scales import Scale, read_scale, table_scale


@pytest.mark.parametrize(
    ("note", "money", "counts"),
    [
        ("(in thousands, except per share data)", "thousand", "thousand"),
        ("(In millions, except number of shares, which are reflected in thousands)", "million", "thousand"),
        ("(in millions, except shares and per share data)", "million", ""),
        ("shares in thousands, dollars in millions, except for per share amounts", "million", "thousand"),
        ("($ in thousands)", "thousand", None),
        ("(vehicles in thousands)", None, "thousand"),
        ("Amounts in millions", "million", "million"),
        ("(millions)", "million", "million"),
        ("(Million)", "million", "million"),
        ("(000s)", "thousand", "thousand"),
        ("(US$ '000)", "thousand", None),
        ("(€M, unaudited)", "million", None),
        ("($bn)", "billion", None),
        ("(Millions of dollars, except shares)", "million", ""),
        ("many (or thousands) of ships", None, None),
    ],
)
def test_money_and_counts_are_apart(note: str, money: str | None, counts: str | None) -> None:
    assert read_scale(note) == Scale(money, counts)


TABLE = "|  | 2031 |\n| --- | --- |\n| Rent | $12 |\n\n"
TEXT = f"""## Item 8. Financial Statements

### NOTES TO CONSOLIDATED FINANCIAL STATEMENTS

(Dollars in millions, unless otherwise noted)

### A. SHARES

Weighted average shares outstanding were as follows (in thousands):

|  | 2031 |
| --- | --- |
| Basic | 120 |

{TABLE}### B. LEASES

{TABLE}## Item 9. Others

{TABLE}"""


def test_a_scale_of_shares_never_reaches_money_and_that_of_the_notes_ends_with_their_item() -> None:
    at = [place for place in range(len(TEXT)) if TEXT.startswith(TABLE, place)]
    assert [table_scale(TEXT, place, "").money for place in at] == ["million", "million", None]
    assert table_scale(TEXT, at[2], "").doubtful
    assert table_scale(TEXT, at[1], "(in thousands)") == Scale("thousand", "thousand")
