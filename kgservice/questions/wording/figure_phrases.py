"""Questions about figures of a report, whose measure is a noun phrase even if it looks like a verb.

A cell of a table or a sentence of numbers is ("Acme Inc.", "deferred revenue", "$3 million") in fiscal 2031: "deferred"
is no action. A label that is long or no plain noun phrase is quoted as in the report.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgservice.core.records import Fact, Subgraph
from kgservice.extraction.tables.lists import ListedRow, listed_row
from kgservice.text import english, inflection
from kgservice.text.periods import when
from kgservice.text.values import is_money

LONGEST = 16  # words of a label
LONG = 5  # words of an owner that takes no genitive
PLAIN = 8  # words of a label that needs no quotation marks

_GROWN = re.compile(r"(?P<measure>.+) (?P<verb>increased|decreased|grew|declined|rose) by")
_DASH = re.compile(r" [–—-](?=,)")
_ODD = re.compile(r"[^A-Za-z0-9&’', -]|\b(?:is|are|was|were|not|no|used|provided|to|from|by|on|that|which|than)\b")
_VERBS = english.BE | english.AUXILIARIES | english.PREPOSITIONS | {"has", "have", "had"}
_COUNTED = frozenset(
    "aircraft countries customers deliveries dwellings employees homes households inhabitants members options patients "
    "people pupils residents restaurants shares stores students units vehicles visitors".split()
)
_HOURS = frozenset("days hours minutes months weeks years".split())
_MONEY = (
    "assets|borrowings|costs|debts|deposits|dividends|earnings|equivalents|expenses|exports|funds|goods|imports|investments|"
    "liabilities|loans|losses|payables|payments|prices|proceeds|profits|receipts|receivables|reserves|revenues|sales|"
    "savings|securities|taxes|values|wages"
)
_AMOUNTS = re.compile(  # plurals of what is measured, not counted: "revenues", "emissions", "earnings"
    rf"(?:{_MONEY}|[st]ions|ings|ments)$"
)
_WHOLE = re.compile(r"[0-9]+(?:,[0-9]{3})*")
_BEHIND = frozenset("available outstanding payable receivable".split())  # "accounts payable"
_BEFORE_A_DAY = frozenset("as at by from in on since to until".split())  # "budget spent to", which the period ends
_EMPTY = frozenset(
    "amount amounts balance basic beginning closing current diluted end ending gross net opening other others period "
    "start subtotal sum total totals value year".split()
)


class Measure(NamedTuple):
    """A figure: its owner, its period ("" if not given), its label. `grown` is the verb of a change ("increase").

    `bare`: the number is whole and has no unit, so that it may be a number of things. `part`: the row of a table that
    parts the owner's, for which the figure is given. `joined`: the label joins headings that the table has apart.
    """

    owner: str
    when: str
    label: str
    grown: str = ""
    bare: bool = False
    part: ListedRow | None = None
    joined: bool = False

    @property
    def head(self) -> str:
        """Return the head noun of the label: the word before its first preposition or participle."""
        before = re.split(r",| (?:per|of|in|for|from|on|to|by|before|after|at|under|with)\b", self.label.lower())[
            0
        ].split()
        if len(before) > 1 and (before[-1].endswith("ed") or before[-1] in _BEHIND):  # "homes delivered"
            before.pop()
        return before[-1] if before else ""

    @property
    def plural(self) -> bool:
        """Return whether its verb is plural."""
        return not self.quoted and bool(self.head) and inflection.is_plural(self.head)

    @property
    def quoted(self) -> bool:
        """Return whether the label is quoted."""
        odd = self.joined or _ODD.search(self.label) is not None
        return odd or self.no_noun or len(self.label.split()) > PLAIN

    @property
    def no_noun(self) -> bool:
        """Return whether the label names nothing that something can have: "under way", "cost-burdened"."""
        first, *more = self.label.lower().split() or [""]
        return first in english.PREPOSITIONS or (not more and (first == "spent" or first.endswith("ed")))

    @property
    def counted(self) -> bool:
        """Return whether it is a number of things: "employees", and "ships" of a bare number, but not "revenues"."""
        things = self.head in _COUNTED or (self.bare and self.plural and not _AMOUNTS.search(self.head))
        return things and not self.quoted and self.label.lower().endswith(self.head)

    @property
    def of_money(self) -> bool:
        """Return whether its head is a plural of money: "total assets", not "employees"."""
        return re.fullmatch(_MONEY, self.head) is not None

    @property
    def said(self) -> str:
        """Return the label as in a question: "net sales", "“net sales, level 2”", "figure for “under way”"."""
        return f"{'figure for ' if self.no_noun else ''}“{self.label}”" if self.quoted else self.label

    @property
    def whose(self) -> str:
        """Return the label with its owner: "Acme Inc.'s net sales", "the net sales of Acme (parent company)".

        And with the part of it: "Acme Inc.'s net sales for the product Cement".
        """
        return f"{self._owned}{f' for {self.part.said}' if self.part else ''}"

    @property
    def _owned(self) -> str:
        if re.search(r"\)| of | in |”", self.owner) or len(self.owner.split()) > LONG:
            return f"the {self.said} of {self.owner}"
        genitive = "'" if self.owner.endswith("s") else "'s"
        return f"{self.owner}{genitive} {self.said}"

    @property
    def thing(self) -> str:
        """Return what has the figure: "Acme Inc.", "the product Cement of Acme Inc."."""
        return self.part._replace(place=self.owner).spoken if self.part else self.owner

    @property
    def be(self) -> str:
        """Return the form of "be", in the past if a period is given."""
        return ("were" if self.plural else "was") if self.when else ("are" if self.plural else "is")

    @property
    def then(self) -> str:
        """Return the period after a space, "" for none."""
        return f" {self.when}" if self.when else ""


def measure(fact: Fact) -> Measure | None:
    """Return a fact as a figure, or None if it is none.

    A figure is a number in a table's cell, or a number of a period in a sentence with a noun for it.
    """
    noun = fact.relation.lower().partition(" ")[0] not in _VERBS
    if fact.object_kind != "number" or not (any(source.cell for source in fact.statements) or (fact.period and noun)):
        return None
    label, then = _DASH.sub("", fact.relation), when(fact.period)
    bare = _WHOLE.fullmatch(fact.object) is not None
    row = listed_row(fact.subject)
    part = row if row and row.is_part else None
    owner = part.place if part else _called(fact.subject)
    joined = _is_joined(label, fact)
    if grown := _GROWN.fullmatch(label):
        return Measure(owner, then, grown["measure"], inflection.base(grown["verb"]), bare, part, joined)
    return Measure(owner, then, label, bare=bare, part=part, joined=joined)


def _is_joined(label: str, fact: Fact) -> bool:
    """Return whether a label joins headings of its table: "net sales, Asia", no row's own "plant and tools, net"."""
    rows = (" ".join(one.sentence.split()).lower() for one in fact.statements)
    two = ", " in label or re.search("[a-z] [A-Z][a-z]+ [a-z]", label)  # "per share Average number of shares"
    return bool(two) and not any(label.lower() in row for row in rows)


_TOTAL = re.compile(r"(?i).+, totals?\b")  # of a table's rows: "Product revenue, Total segment of Acme Inc."


def _called(owner: str) -> str:
    if row := listed_row(owner):  # told by where its table stands
        return row.spoken
    return f"the {owner}" if " segment of " in owner and not owner.lower().startswith("the ") else owner


def label_problem(label: str) -> str:
    """Return why a label cannot be used in a question, or an empty string."""
    words = label.lower().replace(",", " ").split()
    if len(words) > LONGEST:
        return "relation too long"
    vague = (
        not re.search("[a-z]{2}", label)
        or _EMPTY.issuperset(set(words) - english.PREPOSITIONS - english.ARTICLES)
        or words[-1] in _BEFORE_A_DAY
    )
    of_money = is_money(label) and english.PREPOSITIONS.isdisjoint(words)  # "Japanese yen", a row of changes in rates
    return "relation too vague" if vague or of_money else ""


_SPENT = re.compile(
    r"\b(?:acquisitions?|costs?|decreases?|deductions?|deficits?|distributions?|dividends?|expenditures?|expenses?|loss(?:es)?|"
    r"outflows?|paid|(?:re)?payments?|provisions?|(?:re)?purchases?|redemptions?|reductions?|settlements?|spent|taxes|used|"
    r"withholdings?)\b"
)
_EITHER = re.compile(r"\((?:loss|deficit|expense|decrease|benefit|provision)|\b(?:gains?|increases?|changes?|growth)\b")


def sign_problem(row: Subgraph) -> str:
    """Return why the sign of a figure is in doubt, or an empty string.

    Brackets around what a label calls spent or lost are no minus of it: "repayments (44)" were 44.
    """
    figures = ((fact, measure(fact)) for reading in row.readings for fact in reading.facts)
    doubtful = any(
        figure is not None
        and fact.object.startswith("-")
        and _SPENT.search(figure.label.lower())
        and not _EITHER.search(figure.label.lower())
        for fact, figure in figures
    )
    return "sign in doubt" if doubtful else ""


def unsized(row: Subgraph) -> str:
    """Return why figures cannot be compared: one is negative, or one is part of another. Else an empty string.

    A minus may mean a deduction as well as a loss.
    """
    if row.asked not in ("larger", "smaller", "min", "max", "rose", "fell"):
        return ""
    facts = [fact for fact in row.readings[0].facts if measure(fact) is not None]
    if any(fact.object.startswith("-") for fact in facts):
        return "figures below zero compared"
    owners = {fact.subject for fact in facts}
    whole = any(one.endswith(f" of {other}") for one in owners for other in owners) or any(map(_TOTAL.match, owners))
    return "whole and part compared" if whole and row.pattern == "comparison" else ""


def object_asked(one: Measure, value: str) -> str:
    """Return the question for the figure."""
    if one.grown:
        return f"by how much did {one.whose} {one.grown}{one.then}?"
    if one.counted and not re.search("[a-z$%]", value):
        of = f" of {one.part.said}" if one.part else ""
        return f"how many {one.said}{of} {'did' if one.when else 'does'} {one.owner} have{one.then}?"
    return f"what {one.be} {one.whose}{one.then}?"


def subject_asked(one: Measure, value: str, what: str) -> str:
    """Return the question for the owner of the figure. `what` is the owner's class noun."""
    start = f"which {what}" if what else "who or what"
    if one.grown:
        return f"{start} saw {one.said} {one.grown} by {value}{one.then}?"
    return f"{start} reported {one.said} of {value}{one.then}?"


def compared(one: Measure, two: Measure, word: str) -> str:
    """Return the question which of two figures of one period is larger or smaller."""
    more, higher = ("more", "higher") if word == "larger" else ("fewer", "lower")
    if one.grown:
        return f"which {one.grown} was {word}{one.then}, that of {one.whose} or that of {two.whose}?"
    if one.part and two.part and one.part.said != one.part.name and one.part.noun == two.part.noun:
        part, rows = one.part, f"{one.part.name} or {two.part.name}"
        if one.counted:
            does = "did" if one.when else "does"
            return f"of which {part.noun} {does} {one.owner} have {more} {one.said}{one.then}, {rows}?"
        return f"for which {part.noun} {one.be} {one._owned} {higher}{one.then}, {rows}?"
    if one.counted or (one.plural and one.head in _COUNTED | _HOURS):
        return f"which had {more} {one.said}{one.then}, {one.thing} or {two.thing}?"
    return f"which had the {higher} {one.said}{one.then}, {one.thing} or {two.thing}?"
