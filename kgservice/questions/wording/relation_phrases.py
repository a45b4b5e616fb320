"""How a relation is said: a noun ("capital": the capital of X) or a clause ("supplies": X supplies Y).

A relation of free text is a fragment: "located in" lacks its "is", "current editor is" hangs, "is tributary of" has no
article. What it is follows from its words; whether "performed in" is said of a doer or of what was done, and whether it
still holds, is read off the sentence that states the fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgservice.core.records import Fact
from kgservice.questions.wording.figure_phrases import measure
from kgservice.questions.wording.relation_questions import at_time, clause, relation_of
from kgservice.text import english, inflection
from kgservice.text.english import AUXILIARIES, BE, NOUN_ENDS, PREPOSITIONS
from kgservice.text.periods import when

HAVE = ("has", "have", "had")
_TRIES = frozenset(
    "agreed attempted decided failed hoped offered planned promised refused sought threatened tried".split()
)


@dataclass(frozen=True)
class Noun:
    """ "the capital of X"; `plural`: the net sales of X are."""

    noun: str
    plural: bool


@dataclass(frozen=True)
class RelationClause:
    """ "X is located in Y" (auxiliary "is", rest "located in"), "X supplies Y" (no auxiliary, verb "supplies").

    `base` is the verb's infinitive, `past` its past tense; `passive` where something is done to the subject; `role` the
    noun that the subject is said to be ("town" in "is a town in").
    """

    auxiliary: str
    verb: str
    base: str
    past: str
    rest: str
    passive: bool = False
    role: str = ""

    def of_one(self) -> RelationClause:
        """Return it as it is said of one subject: "was awarded" where a company says "we were awarded"."""
        return replace(self, auxiliary=_singular(self.auxiliary))

    @property
    def predicate(self) -> str:
        """What follows the subject, with one subject: "supplies", "is located in"."""
        return _joined(_singular(self.auxiliary), self.verb, self.rest)

    @property
    def preposition(self) -> str:
        """The preposition at the end, "" if there is none."""
        last = self.predicate.split()[-1].lower()
        return last if last in PREPOSITIONS else ""

    @property
    def reduced(self) -> str:
        """What follows a noun without a relative pronoun ("located in"), "" where one is needed."""
        return _joined(self.verb, self.rest) if self.passive and self.auxiliary in BE else ""

    def asked_of(self, subject: str, *, without: str = "") -> str:
        """The clause after a question word: "is Acme located in", "did Acme acquire"; `without` a last word."""
        if self.auxiliary:
            told = _joined(self.auxiliary, subject, self.verb, self.rest)
        else:
            told = _joined(english.auxiliary(self.verb, self.base), subject, self.base, self.rest)
        return told.removesuffix(f" {without}") if without else told

    def told_of(self, subject: str, *, without: str = "") -> str:
        """The clause after "that": "Acme acquired"; `without` a last word."""
        told = _joined(subject, self.auxiliary, self.verb, self.rest)
        return told.removesuffix(f" {without}") if without else told

    @property
    def undergone(self) -> str:
        """ "supplied by" for "supplies"; "" where it cannot be turned round."""
        if self.auxiliary or self.rest or " " in self.base or self.base in english.NO_PASSIVE:
            return ""
        return f"{inflection.participle(self.base, self.verb)} by"

    @property
    def active(self) -> str:
        """ "directed" for "was directed by", "owns" for "is owned by"; "" where it cannot be turned round."""
        if not (self.passive and self.preposition == "by") or self.auxiliary not in BE:
            return ""
        adverb, verb, rest = self.verb.rpartition(" ")[0], self.verb.split()[-1], self.rest.split()[:-1]
        if rest and not (len(rest) == 2 and rest[0] == "and"):  # "written and directed by"
            return ""
        tense = inflection.past if self.auxiliary in ("was", "were") else inflection.present
        told = [tense(word) if word != "and" else word for word in (verb, *rest)]
        return _joined(adverb, *told)


Phrase = Noun | RelationClause


def phrase(fact: Fact) -> Phrase:
    """Return how the relation of a fact is said."""
    figure = measure(fact)
    if figure is not None and not figure.grown:
        return Noun(f"{figure.said}{figure.then}", figure.plural)
    if relation_of(fact.property):
        said = clause(fact.property, of_subject=True)
        return _stated_so(at_time(said, fact)) if said else _noun(f"{fact.relation} {when(fact.period)}".split())
    verb = _past_of(fact.relation)
    return _read(fact.relation, _be_before(verb, fact) if verb else "")


def back(fact: Fact) -> RelationClause | None:
    """Return how the schema says the relation of a fact's object, as its subject: "directed" of who directed a film."""
    said = clause(fact.property, of_subject=False)
    return _stated_so(said) if said else None


@lru_cache(maxsize=4096)
def _stated_so(said: str) -> RelationClause:
    """Read a phrase of the schema, which is a whole predicate: "was born in", "starred in"."""
    told = said.split()
    if told[0] in BE:
        found = _after_be(told[0], told[1:])
        return found if isinstance(found, RelationClause) else _verb(told)
    return _auxiliary(told[0], told[1:]) if told[0] in AUXILIARIES else _verb(told)


@lru_cache(maxsize=65536)
def _past_of(relation: str) -> str:
    """The verb in the past that a relation begins with, "" for any other."""
    first = next(iter(english.content(relation.replace("_", " ").split())), "")
    return first if inflection.is_past(first) else ""


def _be_before(verb: str, fact: Fact) -> str:
    """The "is" or "was" that a sentence of the fact has before the verb, "" if none has."""
    for source in fact.statements:
        if found := _stated(verb).search(source.sentence):
            return "is" if found[1].lower() in ("is", "are") else "was"
    return ""


@lru_cache(maxsize=65536)
def _stated(verb: str) -> re.Pattern[str]:
    between = r"(?: \w+ly| also| then| first| often| later| now| once)?"
    return re.compile(rf"\b(is|are|was|were|been|being){between} {re.escape(verb)}\b", re.I)


@lru_cache(maxsize=65536)
def _read(relation: str, seen: str) -> Phrase:
    told = relation.replace("_", " ").split() or [relation]
    lower = [word.lower() for word in told]
    first, *rest = lower
    if first in BE:
        return _after_be(first, told[1:])
    if (first in AUXILIARIES and rest) or (first in HAVE and rest and inflection.is_participle(rest[0])):
        return _auxiliary(lower[0], told[1:])
    if lower[-1] in BE and rest:  # "current editor is"
        return _noun(told[:-1])
    if first in HAVE:
        return _having(told, lower)
    return _bare(told, lower, seen)


def _having(told: list[str], lower: list[str]) -> Phrase:
    """ "has population of" names a population, "has offices in" does not."""
    named = told[1:-1] if lower[-1] in ("of", "named", "called") else told[1:]
    if named and named[0].lower() in english.ARTICLES:
        named = named[1:]
    return _noun(named) if named and (lower[-1] == "of" or lower[-1] not in PREPOSITIONS) else _verb(told)


def _bare(told: list[str], lower: list[str], seen: str) -> Phrase:
    """Read a relation that begins with none of be, have and their like."""
    first = (english.content(lower) or lower)[0]
    ends = lower[-1] in PREPOSITIONS
    if lower[0] in PREPOSITIONS:
        return RelationClause("is", "", "", "", " ".join(told))
    if inflection.is_past(first):
        return _past(told, first, seen)
    if english.is_finite(first, alone=len(lower) == 1) or first in english.BASE_VERBS:
        return _verb(told)
    if _does(first, lower) and (ends or len(lower) == 1):  # "competing in"
        at = lower.index(first)
        return _verb([*told[:at], inflection.present(first), *told[at + 1 :]])
    said_of = ends or (english.is_adjective(_head(lower)) and _head(lower) != lower[-1])  # "responsible for hauling"
    return _after_be("is", told) if said_of else _noun(told)


def _past(told: list[str], first: str, seen: str) -> Phrase:
    at = [word.lower() for word in told].index(first)
    after = [word.lower() for word in told[at + 1 :]]
    joined = bool(after) and after[0] in PREPOSITIONS | {"and"} - {
        "about",
        "around",
        "over",
    }  # "directed over" 80 films
    by = "by" in after and inflection.base(first) not in english.GOES_BY
    done_to = bool(seen) or (inflection.is_participle(first) and not english.is_intransitive(first))
    tries = first in _TRIES and after[:1] == ["to"] and len(after) > 1  # "attempted to cross" is nobody's passive
    passive = by or inflection.is_only_participle(first) or (joined and done_to and not tries)
    if not passive:
        return _verb(told)
    holds = first in english.STATES
    return _auxiliary(seen or ("is" if holds else "was"), told)


def _after_be(be: str, rest: list[str]) -> Phrase:
    """Read what follows "is": a participle, an adjective or a preposition as it stands, a noun with its article."""
    lower = [word.lower() for word in rest]
    content = english.content(lower)
    if not content:
        return RelationClause(be, "", "", "", " ".join(rest))
    first, last = content[0], lower[-1]
    if inflection.is_participle(first) or first in PREPOSITIONS or _does(first, lower):
        return _auxiliary(be, rest)
    article = first in english.ARTICLES
    named = rest[1:] if article and lower[0] in english.ARTICLES else rest
    head = _head([word.lower() for word in named])
    if not article and (last not in PREPOSITIONS or english.is_adjective(head) or head in english.BARE):
        return RelationClause(be, "", "", "", " ".join(rest))
    if not article:
        rest = [english.article(named), *rest]
    return RelationClause(be, "", "", "", " ".join(rest), role=head if last in PREPOSITIONS else "")


def _does(word: str, lower: Sequence[str]) -> bool:
    """Whether a word in -ing is a verb: not that of "founding member of"."""
    head = _head(lower)
    somebody = lower[-1] == "of" and head != word and (head == "member" or is_agent(head))
    return re.search(r"[a-z]{2}ing$", word) is not None and not somebody


def _head(lower: Sequence[str]) -> str:
    """The noun of a noun phrase: the word before its first preposition."""
    at = next((place for place, word in enumerate(lower) if word in PREPOSITIONS and place), len(lower))
    if 1 < at < len(lower) and inflection.is_participle(lower[at - 1]):  # "misconception based on"
        at -= 1
    return lower[at - 1] if lower else ""


def _auxiliary(auxiliary: str, rest: list[str]) -> RelationClause:
    """An auxiliary and what follows it; the verb is what stands up to the first word that is no adverb."""
    lower = [word.lower() for word in rest]
    first = (english.content(lower) or lower)[0]
    at = lower.index(first) + 1
    verb = " ".join(rest[:at])
    passive = auxiliary in BE and inflection.is_participle(first)
    return RelationClause(auxiliary, verb, verb, verb, " ".join(rest[at:]), passive)


def _verb(told: list[str]) -> RelationClause:
    """A finite verb, with the adverbs before it, and what follows."""
    lower = [word.lower() for word in told]
    at = lower.index((english.content(lower) or lower)[0])
    before, verb, rest = " ".join(told[:at]), lower[at], " ".join(told[at + 1 :])
    base, after = inflection.base(verb), lower[at + 1 :]
    led = next((place for place, word in enumerate(after) if word in PREPOSITIONS), len(after))
    rest = _joined(english.lacking(base, after[:led], " ".join(after[led : led + 1])), rest)
    finite = inflection.present(verb) if verb in english.BASE_VERBS else verb
    return RelationClause("", _joined(before, finite), _joined(before, base), _joined(before, finite), rest)


def _noun(told: list[str]) -> Noun:
    noun = " ".join(told)
    return Noun(noun, inflection.is_plural(_head([word.lower() for word in told])))


def is_agent(noun: str) -> bool:
    """Whether a noun names somebody by what they do or are to another: "director", "wife"."""
    last = next(reversed(noun.lower().replace("-", " ").split()), "")
    return last in english.PEOPLE or (NOUN_ENDS.search(last) is not None and last not in english.NOT_PEOPLE)


def _singular(auxiliary: str) -> str:
    return {"are": "is", "were": "was", "have": "has", "do": "does"}.get(auxiliary, auxiliary)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
