"""Whether a statement of the rules may be a fact; what is none is kept with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kgservice.core.schema import DEFAULT
from kgservice.extraction.end_pairs import is_misfit, term
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.syntax.clauses import Clause
from kgservice.extraction.syntax.coreference import Focus, is_lone
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd, Names
from kgservice.extraction.syntax.rejection import KIN, REFUSED, is_passing, rejection_reason, unfit
from kgservice.names.local_entities import entity

if TYPE_CHECKING:
    from spacy.tokens import Doc

UNSAID = frozenset((*REFUSED, "only claimed"))
MAX_QUOTE = 1_000  # characters of a sentence that is shown for what was not taken from it


class Lost(NamedTuple):
    """A statement that is no fact: why, and of which sentence.

    `sentence` begins with what was understood, and may be cut. `text` is the whole sentence, `ends` the names that the
    statement joins, as far as they are known.
    """

    reason: str
    sentence: str
    text: str = ""
    ends: frozenset[str] = frozenset()


class FactChecks:
    """Checks the statements of one text; `text` is the sentence at hand, `company` whose report it is, if it is one."""

    def __init__(self, doc: Doc, names: Names, focus: Focus, company: str) -> None:
        self._names, self._focus, self._company = names, focus, company
        self.text = ""
        self.refused: set[tuple[str, frozenset[str]]] = set()  # a sentence, and two ends that it denies or doubts
        self.lost = [Lost("sentence without spaces", text[:MAX_QUOTE]) for text in doc.user_data.get("endless", ())]

    def checked(
        self, subject: NamedEnd | None, words: list[str], obj: NamedEnd | None, doubts: tuple[str, ...], clause: Clause
    ) -> Iterator[FactCandidate]:
        """Yield a statement if nothing keeps it from being a fact, else note why not."""
        reason = rejection_reason(subject, words, obj, doubts, clause)
        if reason is None and subject is not None and obj is not None and self._company:
            reason = unfit(subject.label.startswith(self._company), subject, words, obj, clause)
        if reason is None and obj is not None and obj.label != self._company and self._names.owns(obj, clause):
            reason = "part of a name"
        if reason is None and subject is not None and obj is not None:
            reason = self._misnamed(subject, words, obj, clause)
        flaws = (self._names.flaw(one) for one in (subject, obj) if one is not None)
        reason = reason or next((flaw for flaw in flaws if flaw), None)
        if reason is None and subject is not None and obj is not None:
            yield FactCandidate(subject, " ".join(words), obj, "clause", clause, doubts)
            return
        self.refuse(str(reason), (subject, words, obj))

    def _misnamed(self, subject: NamedEnd, words: list[str], obj: NamedEnd, clause: Clause) -> str | None:
        """Return why the ends of a statement are none of its relation, by the packaged schema; None if they fit.

        Its words say which join two persons, whatever the recogniser takes them for. The kin of Zeus may have one name
        as he has; others of one name are in part ("the brother of Billy").
        """
        book, kin = phrasebook(DEFAULT), not KIN.isdisjoint(words)
        ends = (entity(term(one, self._focus)) for one in (subject, obj))
        meaning = book.meaning(" ".join(words), *ends) if book is not None else ""
        if isinstance(meaning, str):
            persons = (kin, kin)
            if is_passing(clause) and not self._company:
                return "passing"
        else:
            persons = meaning.persons
            if is_misfit(meaning.relation, *((obj, subject) if meaning.turned else (subject, obj)), self._focus):
                return "another kind of name"
        both, told = all(persons), obj.kind != "number"  # of whom there are numbers is no person, as like as not
        in_part = told and self._focus.partial(subject, person=persons[0] and not (both and is_lone(obj)))
        in_part = in_part or (both and self._focus.partial(obj, person=not is_lone(subject)))
        return "a name in part" if in_part else None

    def deny(self, subject: NamedEnd, others: Iterable[NamedEnd]) -> None:
        """Note that the sentence at hand states nothing that is so of two names now."""
        self.refused.update((self.text, frozenset((subject.label, other.label))) for other in others)

    def refuse(self, reason: str, said: tuple[NamedEnd | None, list[str], NamedEnd | None]) -> None:
        """Note why a statement of the sentence at hand, its ends and its relation's words, is no fact."""
        subject, words, obj = said
        labels = [one.label if one is not None else "?" for one in (subject, obj)]
        if reason in UNSAID:
            self.refused.add((self.text, frozenset(labels)))
        named = frozenset(one.label for one in (subject, obj) if one is not None)
        self.lose(reason, f"({f', {chr(32).join(words)}, '.join(labels)}): " if words else "", named)

    def lose(self, reason: str, what: str = "", ends: frozenset[str] = frozenset()) -> None:
        """Note what is lost of the sentence at hand; `what` is how it was understood, `ends` the names it joins."""
        self.lost.append(Lost(reason, what + self.text[:MAX_QUOTE], self.text, ends))
