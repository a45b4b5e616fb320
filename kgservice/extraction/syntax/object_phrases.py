"""What objects say that are no names: the name further on, the whole phrase, a number with its owner and its period."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kgservice.extraction.syntax.clauses import Argument, Clause, base, conjuncts, preposition
from kgservice.extraction.syntax.coreference import Focus
from kgservice.extraction.syntax.nominal_facts import counts, figure, is_number
from kgservice.extraction.syntax.noun_phrases import EMPTY, phrase
from kgservice.extraction.syntax.proper_names import NamedEnd, Names
from kgservice.extraction.syntax.rejection import MAX_WORDS
from kgservice.extraction.syntax.reported_figures import period_of
from kgservice.text.periods import Calendar, bare

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_COUNTS = frozenset(("no", "any", "some", "many", "few", "several"))
_WHOLE = frozenset(("current", "estimated", "total"))  # of a population, no part of it
_AMOUNT = re.compile(r"[$€£%]|per ?cent")


class Objects:
    """Looks at the objects of one text; `company` is whose report it is, `years` those that it reports on."""

    def __init__(self, names: Names, focus: Focus, company: str, years: Calendar) -> None:
        self._names, self._focus, self._company, self._years = names, focus, company, years

    def read(
        self, clause: Clause, argument: Argument, said: tuple[NamedEnd | None, list[str]], obj: NamedEnd | None
    ) -> tuple[NamedEnd | None, list[str], NamedEnd | None, str]:
        """Return subject, words, object and period of a statement; `said`: the first two as the clause has them."""
        subject, words = said
        end, counted = argument.head, obj is not None and obj.kind == "number"
        if subject is None and obj is not None and counted and _AMOUNT.search(obj.label):
            subject, words = self._measured(clause.subject, words)
        if argument.role in ("object", "agent") and (obj is None or counted or _modified(end, obj)):
            obj, words = self._described(argument, words, obj if counted else None, clause)
        return subject, words, obj, self._period(subject, obj, end.sent)

    def _measured(self, noun: Token, words: list[str]) -> tuple[NamedEnd | None, list[str]]:
        """ "Apple's revenue rose 12 %" is (Apple, revenue rose, 12 %)."""
        owner = next((child for child in noun.children if child.dep_ == "nmod:poss"), None)
        if owner is None or not words or noun.pos_ != "NOUN" or not noun.text.islower():
            return None, words
        return self._focus.resolved(owner)[0], [noun.lower_, *words]

    def _described(
        self, argument: Argument, words: list[str], number: NamedEnd | None, clause: Clause
    ) -> tuple[NamedEnd | None, list[str]]:
        """ "completed its acquisition of Y" leads to Y, "our first CPU, Grace" to Grace, else to the whole phrase.

        Who did something has a name: "was released by a record company" tells nothing.
        """
        end = argument.head
        beside = next((one for c in end.children if c.dep_ == "appos" and (one := self._names.of(c))), None)
        if beside is not None and beside.kind == "entity" and end.doc[beside.start - 1].text == ",":
            return beside, words
        told = next((c for c in end.children if base(c) == "nmod" and c.left_edge.i == end.i + 1), None)
        if told is not None and clause.verb.lemma_ == "have" and is_number(end) and preposition(told) == "of":
            together = counts(end) and len(conjuncts(clause.subject)) > 1
            if together or (value := self._had(end, told)) is not None:
                return None if together else value, ["had" if clause.verb.lower_ == "had" else "has", end.lower_]
        if number is None and told is not None and words and end.pos_ == "NOUN" and end.text.islower():
            case, (named, _) = preposition(told), self._focus.resolved(told)
            several = any(base(c) in ("nummod", "advmod") or c.lower_ in _COUNTS for c in end.children)
            short = case and len(words) + 2 <= MAX_WORDS and end.lemma_ not in EMPTY
            if named is not None and named.kind == "entity" and short and not several:
                return named, [*words, end.lower_, *case.split()]
        if "complex" in clause.doubts:
            return number, words
        cut = number is not None and number.end < end.sent.end and end.doc[number.end].lower_ == "of"
        if argument.role == "agent":
            return None if cut else number, words
        return phrase(end, self._names, bare=not self._company) or (None if cut else number), words

    def _had(self, noun: Token, told: Token) -> NamedEnd | None:
        """Return the number in "a population of 1,200 people", none of "a Jewish population of 300", a part of it."""
        if not counts(noun):
            return self._names.number(told)
        number = figure(told)
        if number is None or any(base(child) != "det" and child.lower_ not in _WHOLE for child in noun.lefts):
            return None
        return self._names.number(number) or self._names.count(number)

    def _period(self, subject: NamedEnd | None, obj: NamedEnd | None, sentence: Span) -> str:
        """The period of which a sentence gives a number of the company, as its tables do; "" for none."""
        if subject is None or obj is None or subject.label != self._company or obj.kind == "date":
            return ""
        counted = "$" in obj.label or obj.label[0].isdigit()
        return bare(period_of(sentence.text, self._years)) if counted else ""


def _modified(head: Token, name: NamedEnd) -> bool:
    """ "data center CPU", "22 RFPs": a class with what tells it apart, where the run of capitals is only "CPU"."""
    lone = name.end - name.start == 1 and name.start == head.i and head.text.rstrip("s").isupper()
    return lone and any(c.text.islower() and base(c) in ("amod", "compound", "nummod") for c in head.lefts)
