"""How a figure of a report is asked about: the measure is a noun phrase whatever it looks like, the period apart.

A cell of a table, or a sentence of numbers, is ("Acme Inc. in fiscal 2031", "deferred revenue", "$3 million"): nobody
deferred anything there. A label that is long, or is no plain noun phrase, is quoted as the report has it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgservice.model import Fact, Subgraph
from kgservice.questions import words
from kgservice.values import MONTHS

LONGEST = 16  # words of a label
LONG = 5  # words of an owner that takes no genitive
PLAIN = 5  # words of a label that needs no quotation marks

_MONTH = "|".join(month.title() for month in MONTHS.split())
_PERIOD = re.compile(  # lower-case words, months and numbers: "in Oslo in fiscal 2031" is a place and a period
    rf"(?P<owner>.+?) (?P<when>(?:in|on|for) (?:(?:[a-z]+|[QH][1-4]|(?:{_MONTH})(?: \d{{1,2}})?,?) )*"
    r"(?:1[89]|20|21)\d\d(?:[/–-]\d+)?(?: ?[EFp])?)"
)
_GROWN = re.compile(r"(?P<measure>.+) (?P<verb>increased|decreased|grew|declined|rose) by")
_DASH = re.compile(r" [–—-](?=,)")
_ODD = re.compile(r"[^A-Za-z0-9&’' -]|\b(?:is|are|was|were|not|no|used|provided|to|from|by|on|that|which|than)\b")
_VERBS = words.BE | words.AUXILIARIES | words.PREPOSITIONS | {"has", "have", "had"}
_COUNTED = frozenset(
    "aircraft countries customers deliveries dwellings employees homes households inhabitants members options patients "
    "people pupils residents restaurants shares stores students units vehicles visitors".split()
)
_BEHIND = frozenset("available outstanding payable receivable".split())  # "accounts payable"
_EMPTY = frozenset(
    "amount amounts balance basic current diluted gross net other others subtotal sum total totals value".split()
)


class Measure(NamedTuple):
    """A figure: whose, when ("" for never said), what; `grown` is the verb where it is a change ("increase")."""

    owner: str
    when: str
    label: str
    grown: str = ""

    @property
    def head(self) -> str:
        """The noun of the label: the word before its first preposition and what stands behind a noun."""
        before = re.split(r" (?:per|of|in|for|from|on|to|by|before|after|at|under|with)\b", self.label.lower())[
            0
        ].split()
        if len(before) > 1 and (before[-1].endswith("ed") or before[-1] in _BEHIND):  # "homes delivered"
            before.pop()
        return before[-1] if before else ""

    @property
    def plural(self) -> bool:
        """Whether its verb stands in the plural."""
        return not self.quoted and bool(self.head) and words.is_plural(self.head)

    @property
    def quoted(self) -> bool:
        """Whether the label is quoted."""
        first, *more = self.label.lower().split() or [""]
        no_noun = first in words.PREPOSITIONS or (not more and (first == "spent" or first.endswith("ed")))
        return no_noun or len(more) >= PLAIN or _ODD.search(self.label) is not None

    @property
    def counted(self) -> bool:
        """Whether it is a number of things: "employees"."""
        return self.head in _COUNTED and not self.quoted and self.label.lower().endswith(self.head)

    @property
    def said(self) -> str:
        """The label as it stands in a question."""
        return f"“{self.label}”" if self.quoted else self.label

    @property
    def whose(self) -> str:
        """ "Acme Inc.'s net sales", "the net sales of Acme (parent company)"."""
        if re.search(r"\)| of | in ", self.owner) or len(self.owner.split()) > LONG:
            return f"the {self.said} of {self.owner}"
        genitive = "'" if self.owner.endswith("s") else "'s"
        return f"{self.owner}{genitive} {self.said}"

    @property
    def be(self) -> str:
        """The verb: the past where a period is given."""
        return ("were" if self.plural else "was") if self.when else ("are" if self.plural else "is")

    @property
    def then(self) -> str:
        """The period after a blank, "" for none."""
        return f" {self.when}" if self.when else ""


def measure(fact: Fact) -> Measure | None:
    """Return a fact as a figure, None where it is none.

    A figure is a number of a table's cell, or of a sentence that does not write its subject so, with the period.
    """
    if fact.object_kind != "number":
        return None
    found, cell = _PERIOD.fullmatch(fact.subject), any(source.cell for source in fact.statements)
    if not cell and not (found and _is_read_off(fact)):
        return None
    owner, when = (found["owner"], found["when"]) if found else (fact.subject, "")
    label = _DASH.sub("", fact.relation)
    grown = _GROWN.fullmatch(label)
    if grown:
        return Measure(_called(owner), when, grown["measure"], words.base(grown["verb"]))
    return Measure(_called(owner), when, label)


def _called(owner: str) -> str:
    return f"the {owner}" if " segment of " in owner and not owner.lower().startswith("the ") else owner


def _is_read_off(fact: Fact) -> bool:
    first = fact.relation.lower().partition(" ")[0]
    return first not in _VERBS and all(fact.subject not in source.sentence for source in fact.statements)


def parts(name: str) -> tuple[str, ...]:
    """Return a name as a question may part it: "Acme Inc. in fiscal 2031" is the company and the period."""
    found = _PERIOD.fullmatch(name)
    return (found["owner"], found["when"]) if found else (name,)


def fault(label: str) -> str:
    """Say why a label cannot be asked about, "" if it can."""
    said = label.lower().replace(",", " ").split()
    if len(said) > LONGEST:
        return "relation too long"
    return "relation too vague" if not re.search("[a-z]{2}", label) or _EMPTY.issuperset(said) else ""


def unsized(row: Subgraph) -> str:
    """Say so where figures are compared of which a minus may mean a deduction as well as a loss."""
    sized = row.asked in ("larger", "smaller", "min", "max")
    facts = row.readings[0].facts
    below = sized and any(fact.object.startswith("-") and measure(fact) is not None for fact in facts)
    return "figures below zero compared" if below else ""


def object_asked(one: Measure, value: str) -> str:
    """Return the question for the figure."""
    if one.grown:
        return f"by how much did {one.whose} {one.grown}{one.then}?"
    if one.counted and not re.search("[a-z$%]", value):
        return f"how many {one.said} did {one.owner} have{one.then}?"
    return f"what {one.be} {one.whose}{one.then}?"


def subject_asked(one: Measure, value: str, what: str) -> str:
    """Return the question for whose figure it is, and of when; `what` an owner is called."""
    start = f"which {what}" if what else "who or what"
    when = ", and when" if one.when else ""
    if one.grown:
        return f"{start} saw {one.said} {one.grown} by {value}{when}?"
    return f"{start} reported {one.said} of {value}{when}?"


def compared(one: Measure, two: Measure, word: str) -> str:
    """Return the question which of two figures is the larger or smaller one."""
    if one.grown:
        return f"which {one.grown} was {word}, that of {one.whose}{one.then} or that of {two.whose}{two.then}?"
    if one.owner == two.owner:
        return f"when {one.be} {one.whose} {word}, {one.when} or {two.when}?"
    if one.when == two.when and one.counted:
        return f"which had {'more' if word == 'larger' else 'fewer'} {one.said}{one.then}, {one.owner} or {two.owner}?"
    if one.when == two.when:
        return f"which had the {word} {one.said}{one.then}, {one.owner} or {two.owner}?"
    return f"which {one.be} {word}, {one.whose}{one.then} or {two.whose}{two.then}?"
