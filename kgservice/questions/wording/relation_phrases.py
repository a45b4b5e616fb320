"""The wording of a relation: a noun ("capital": the capital of X) or a clause ("supplies": X supplies Y).

A relation of free text is a fragment: "located in" lacks its "is", "current editor is" lacks its object, "is tributary
of" lacks an article. Its words tell which. The sentence of the fact tells whether "performed in" is active or passive,
and whether it still holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kgservice.core.records import Fact
from kgservice.questions.wording.figure_phrases import measure
from kgservice.questions.wording.relation_questions import at_time, clause, noun, relation_of
from kgservice.text import english, inflection
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.periods import when

HAVE = ("has", "have", "had")
_CALLS = re.compile(r"\b(?:as(?: an?)?|the \w+(?: \w+)?)$")
_ARTICLE = re.compile(r" (?:an?|the)$")
_TRIES = frozenset(
    "agreed attempted decided failed hoped offered planned promised refused sought threatened tried".split()
)


@dataclass(frozen=True)
class Noun:
    """ "the capital of X". `plural`: "the net sales of X are"."""

    noun: str
    plural: bool


@dataclass(frozen=True)
class RelationClause:
    """ "X is located in Y" (auxiliary "is", rest "located in"), "X supplies Y" (no auxiliary, verb "supplies").

    `base` is the verb's infinitive, `past` its past tense. `passive` if the subject undergoes it. `role` is the
    predicate noun of the subject ("town" in "is a town in").
    """

    auxiliary: str
    verb: str
    base: str
    past: str
    rest: str
    passive: bool = False
    role: str = ""

    def of_one(self) -> RelationClause:
        """Return the clause with a singular subject: "was awarded" for "we were awarded" of a company."""
        return replace(self, auxiliary=_singular(self.auxiliary))

    def of_several(self) -> RelationClause:
        """Return the clause with a plural subject: "are located in", "flow into" of falls and lakes."""
        auxiliary = {"is": "are", "was": "were", "has": "have", "does": "do"}.get(self.auxiliary, self.auxiliary)
        finite = not self.auxiliary and not inflection.is_past(self.verb.split()[-1])
        return replace(self, auxiliary=auxiliary, verb=self.base if finite else self.verb)

    def of_then(self) -> RelationClause:
        """Return the clause in the past: "was located in" of "is located in", "lived in" of "has lived in"."""
        if self.auxiliary == "has":
            then = inflection.past(self.verb)
            return (
                replace(self, auxiliary="was", verb="", base="", past="")
                if self.verb == "been"
                else (RelationClause("", then, inflection.base(self.verb), then, self.rest))
            )
        if self.auxiliary:
            return replace(self, auxiliary=english.THEN.get(self.auxiliary, self.auxiliary))
        before, _, verb = self.verb.rpartition(" ")
        if inflection.is_past(verb) or verb in HAVE[2:]:
            return self
        then = _joined(before, english.past_of(verb))
        return replace(self, verb=then, past=then)

    @property
    def calls_its_object(self) -> bool:
        """Return whether the clause ends with what its object is: "works as a", "trades under the symbol", "is in"."""
        be = self.auxiliary in BE and (" " not in self.rest if not self.verb else self.is_placed)
        return _CALLS.search(self.rest) is not None or be

    @property
    def is_placed(self) -> bool:
        """Return whether the clause is "be" and a preposition: "is in"."""
        return self.auxiliary in BE and self.verb in PREPOSITIONS and not self.rest

    @property
    def predicate(self) -> str:
        """Return the clause after a singular subject: "supplies", "is located in"."""
        return _joined(_singular(self.auxiliary), self.verb, self.rest)

    @property
    def preposition(self) -> str:
        """Return the preposition at the end, "" if there is none."""
        last = self.predicate.split()[-1].lower()
        return last if last in PREPOSITIONS else ""

    @property
    def reduced(self) -> str:
        """Return the clause after a noun without a relative pronoun ("located in"), "" if one is needed."""
        return _joined(self.verb, self.rest) if self.passive and self.auxiliary in BE else ""

    def asked_of(self, subject: str, *, without: str = "") -> str:
        """Return the clause after a question word: "is Acme located in", "did Acme acquire".

        `without` is a last word to drop.
        """
        if self.auxiliary:
            words = _joined(self.auxiliary, subject, self.verb, self.rest)
        else:
            words = _joined(english.auxiliary(self.verb, self.base), subject, self.base, self.rest)
        return words.removesuffix(f" {without}") if without else words

    def told_of(self, subject: str, *, without: str = "") -> str:
        """Return the clause after "that": "Acme acquired". `without` is a last word to drop."""
        words = _ARTICLE.sub("", _joined(subject, self.auxiliary, self.verb, self.rest))
        return words.removesuffix(f" {without}") if without else words

    @property
    def undergone(self) -> str:
        """Return the passive, "supplied by" of "supplies", "" if there is none."""
        if self.auxiliary or self.rest or " " in self.base or self.base in english.NO_PASSIVE:
            return ""
        return f"{inflection.participle(self.base, self.verb)} by"

    @property
    def active(self) -> str:
        """Return the active, "directed" of "was directed by", "owns" of "is owned by", "" if there is none."""
        if not (self.passive and self.preposition == "by") or self.auxiliary not in BE:
            return ""
        adverb, verb, rest = self.verb.rpartition(" ")[0], self.verb.split()[-1], self.rest.split()[:-1]
        if rest and not (len(rest) == 2 and rest[0] == "and"):  # "written and directed by"
            return ""
        tense = inflection.past if self.auxiliary in ("was", "were") else inflection.present
        words = [tense(word) if word != "and" else word for word in (verb, *rest)]
        return _joined(adverb, *words)


Phrase = Noun | RelationClause


def phrase(fact: Fact) -> Phrase:
    """Return the wording of a fact's relation, a clause in the past if the fact is of the past."""
    words = _phrase(fact)
    return words.of_then() if fact.is_past and isinstance(words, RelationClause) else words


def _phrase(fact: Fact) -> Phrase:
    figure = measure(fact)
    if figure is not None and not figure.grown:
        return Noun(f"{figure.said}{figure.then}", figure.plural)
    if relation_of(fact.property):
        words = clause(fact, of_subject=True)
        if words:
            return _stated_so(at_time(words, fact))
        return _noun(f"{noun(fact.property) or fact.relation} {when(fact.period)}".split())
    verb = _past_of(fact.relation)
    return _read(fact.relation, _be_before(verb, fact) if verb else "")


def back(fact: Fact) -> RelationClause | None:
    """Return the schema's clause with the fact's object as subject ("directed" of a director), or None."""
    words = clause(fact, of_subject=False)
    if not words:
        return None
    return _stated_so(words).of_then() if fact.is_past else _stated_so(words)


@lru_cache(maxsize=4096)
def _stated_so(said: str) -> RelationClause:
    """Return the clause of a schema's phrase, which is a whole predicate: "was born in", "starred in"."""
    words = said.split()
    if words[0] in BE:
        after = _after_be(words[0], words[1:])
        return after if isinstance(after, RelationClause) else _verb(words)
    if words[:2] == ["has", "been"]:
        then = _stated_so(" ".join(("is", *words[2:])))
        return replace(then, auxiliary="has", verb="been", base="been", past="been")
    if words[0] == "has" and inflection.is_participle(words[1]):
        return _auxiliary("has", words[1:])
    return _auxiliary(words[0], words[1:]) if words[0] in AUXILIARIES else _verb(words)


@lru_cache(maxsize=65536)
def _past_of(relation: str) -> str:
    """Return the past form that a relation begins with, "" for any other relation."""
    first = next(iter(english.content(relation.replace("_", " ").split())), "")
    return first if inflection.is_past(first) else ""


def _be_before(verb: str, fact: Fact) -> str:
    """Return the "is" or "was" before the verb in a sentence of the fact, "" if there is none."""
    for source in fact.statements:
        if match := _stated(verb).search(source.sentence):
            return "is" if match[1].lower() in ("is", "are") else "was"
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


def _having(words: list[str], lower: list[str]) -> Phrase:
    """Return the wording of "has …": "has population of" has a noun, "has offices in" a clause."""
    noun = words[1:-1] if lower[-1] in ("of", "named", "called") else words[1:]
    if noun and noun[0].lower() in english.ARTICLES:
        noun = noun[1:]
    return _noun(noun) if noun and (lower[-1] == "of" or lower[-1] not in PREPOSITIONS) else _verb(words)


def _bare(told: list[str], lower: list[str], seen: str) -> Phrase:
    """Return the wording of a relation that begins with none of be, have and auxiliaries."""
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
    tries = first in _TRIES and after[:1] == ["to"] and len(after) > 1  # "attempted to cross" is no passive
    passive = by or inflection.is_only_participle(first) or (joined and done_to and not tries)
    if not passive:
        return _verb(told)
    holds = first in english.STATES
    return _auxiliary(seen or ("is" if holds else "was"), told)


def _after_be(be: str, rest: list[str]) -> Phrase:
    """Return the wording after "is": a participle, an adjective or a preposition unchanged, a noun with its article."""
    lower = [word.lower() for word in rest]
    content = english.content(lower)
    if not content:
        return RelationClause(be, "", "", "", " ".join(rest))
    first, last = content[0], lower[-1]
    if inflection.is_participle(first) or first in PREPOSITIONS or _does(first, lower):
        return _auxiliary(be, rest)
    article = first in english.ARTICLES
    noun = rest[1:] if article and lower[0] in english.ARTICLES else rest
    head = _head([word.lower() for word in noun])
    if not article and (last not in PREPOSITIONS or english.is_adjective(head) or head in english.BARE):
        return RelationClause(be, "", "", "", " ".join(rest))
    if not article:
        rest = [english.article(noun), *rest]
    return RelationClause(be, "", "", "", " ".join(rest), role=head if last in PREPOSITIONS else "")


def _does(word: str, lower: Sequence[str]) -> bool:
    """Return whether a word in -ing is a verb, unlike in "founding member of"."""
    head = _head(lower)
    somebody = lower[-1] == "of" and head != word and (head == "member" or english.is_agent(head))
    return re.search(r"[a-z]{2}ing$", word) is not None and not somebody


def _head(lower: Sequence[str]) -> str:
    """Return the noun of a noun phrase: the word before its first preposition."""
    at = next((place for place, word in enumerate(lower) if word in PREPOSITIONS and place), len(lower))
    if 1 < at < len(lower) and inflection.is_participle(lower[at - 1]):  # "misconception based on"
        at -= 1
    return lower[at - 1] if lower else ""


def _auxiliary(auxiliary: str, rest: list[str]) -> RelationClause:
    """Return the clause of an auxiliary and the words after it. The verb ends at the first word that is no adverb."""
    lower = [word.lower() for word in rest]
    first = (english.content(lower) or lower)[0]
    at = lower.index(first) + 1
    verb = " ".join(rest[:at])
    passive = auxiliary in BE and inflection.is_participle(first)
    return RelationClause(auxiliary, verb, verb, verb, " ".join(rest[at:]), passive)


def _verb(told: list[str]) -> RelationClause:
    """Return the clause of a finite verb, with the adverbs before it and the words after it."""
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


def _singular(auxiliary: str) -> str:
    return {"are": "is", "were": "was", "have": "has", "do": "does"}.get(auxiliary, auxiliary)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
