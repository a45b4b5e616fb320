"""The parts of a question that compares two things: "Who was born first, Ada Orr or Bo Lind?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgservice.answering.reader.answer_type import asked_noun
from kgservice.core.schema import DEFAULT, load_schema
from kgservice.text.inflection import base

LONGEST = 6  # words before a name that tell it from others
NAME = "{}"  # stands for either thing

_MORE = frozenset("bigger greater higher larger last later latest more younger newer".split())
_WHO = r"(?:In (?P<then>[^,]+), )?(?P<who>who|which(?: [^\s,]+){0,4}?|what(?: [^\s,]+){0,4}?)"
_TIME = r"(?P<word>first|earlier|earliest|later|latest|last)"
_DONE = re.compile(rf"(?i){_WHO} (?P<be>was|were|is) (?P<done>[a-z]+(?: [a-z]+)?) {_TIME}")
_DID = re.compile(rf"(?i){_WHO} (?P<did>[a-z]+(?: (?:out|place|up))?) {_TIME}")
_AGE = re.compile(rf"(?i){_WHO} (?:is|was) (?P<word>older|younger|newer)")
_HAS = re.compile(
    rf"(?i){_WHO} (?:has|have|had) (?:the |an? )?"
    r"(?P<word>more|fewer|less|earlier|later|bigger|greater|higher|larger|lower|smaller) "
    r"(?P<what>.+?)(?P<when> (?:in|for|at|as of) .*\d.*)?"
)
_PART = re.compile(  # of a table: "For which product were Acme's sales higher in 2031, Cement or Sand?"
    r"(?i)(?P<of>for|of) which (?P<noun>[a-z -]+?) (?P<verb>(?:was|were|is|are|did|does) .+?) "
    r"(?P<word>more|fewer|less|greater|higher|larger|lower|smaller)(?P<what> .+?)??"
    r"(?P<when> (?:in|for|at|as of) .*\d.*)?"
)
_IS = re.compile(rf"(?i){_WHO} (?:is|was) (?P<word>[a-z]+er)")
_ROW = re.compile(r"the (.+) in “([^”]+)”")  # of a table: "the product Cement in “Acme”"
_MARK = re.compile(r"[,:] ")
_OR = re.compile(r",? or ")


class AskedComparison(NamedTuple):
    """What a question compares: two names, and questions for the value of one, any of which may have it.

    `greatest`: the thing with the larger or later value is asked for. `noun`: what both are called, "" if nothing.
    """

    names: tuple[str, str]
    questions: tuple[str, ...]
    greatest: bool
    noun: str = ""

    def titles(self, name: str) -> Iterator[str]:
        """Yield what an article about a thing may be called: "Ada Orr (singer)" of "the singer Ada Orr".

        >>> list(AskedComparison(("Mirror", "Solaris"), (), True, "film").titles("Solaris"))
        ['Solaris', 'Solaris (film)']
        >>> list(AskedComparison(("Ada Orr", "Bo Lind"), (), True).titles("the poet Bo Lind"))
        ['the poet Bo Lind', 'poet Bo Lind', 'Bo Lind (poet)', 'Lind (poet Bo)']
        """
        yield name
        if self.noun:
            yield f"{name} ({self.noun})"
        if name.startswith("the "):
            row = _ROW.fullmatch(name)
            words, of = (row[1] if row else name[4:]).split(), f" of “{row[2]}”" if row else ""
            yield " ".join(words) + of
            for at in range(1, min(len(words), LONGEST)):
                yield f"{' '.join(words[at:])} ({' '.join(words[:at])}){of}"


def comparisons(question: str) -> Iterator[AskedComparison]:
    """Yield what a question may compare; names may hold commas and "or".

    >>> one = next(comparisons("Who was born first, Ada Orr or Bo Lind?"))
    >>> one.names, one.questions, one.greatest
    (('Ada Orr', 'Bo Lind'), ('When was {} born?',), False)
    >>> next(comparisons("Which town has the larger population, Lun or Ost?")).questions[0]
    'What is the population of {}?'
    """
    question = question.rstrip("?. ")
    for mark in _MARK.finditer(question):
        asked, rest = question[: mark.start()], question[mark.end() :]
        found = _asked(asked)
        if found is None:
            continue
        (questions, greatest), noun = found, asked_noun(asked)
        for either in _OR.finditer(rest):
            yield AskedComparison((rest[: either.start()], rest[either.end() :]), questions, greatest, noun)


def _asked(text: str) -> tuple[tuple[str, ...], bool] | None:
    """Return questions for the value of one thing and whether the greatest is asked for, None if none is compared."""
    if found := _AGE.fullmatch(text):
        things = ("founded", "released", "built")
        done = ("born",) if found["who"].lower() == "who" else things
        return tuple(f"When was {NAME} {one}?" for one in done), found["word"].lower() != "older"
    if found := _DONE.fullmatch(text):
        be = "was" if found["be"].lower() == "were" else found["be"].lower()
        return (f"When {be} {NAME} {found['done']}?",), found["word"].lower() in _MORE
    if found := _HAS.fullmatch(text) or _PART.fullmatch(text):
        return _of_thing(found) if "who" in found.groupdict() else _of_part(found), found["word"].lower() in _MORE
    if found := _IS.fullmatch(text):
        return _by_adjective(found["word"].lower())
    if found := _DID.fullmatch(text):
        did, *rest = found["did"].split()
        return (f"When did {NAME} {' '.join((base(did.lower()), *rest))}?",), found["word"].lower() in _MORE
    return None


def _of_thing(found: re.Match[str]) -> tuple[str, ...]:
    what, then = found["what"], found["when"] or (f" in {found['then']}" if found["then"] else "")
    asked = f"What is the {what} of {NAME}{then}?", f"What was {NAME}'s {what}{then}?"
    return (*asked, f"How many {what} does {NAME} have{then}?")


def _of_part(found: re.Match[str]) -> tuple[str, ...]:
    part, then = f"{found['of'].lower()} the {found['noun']} {NAME}", found["when"] or ""
    if found["what"]:
        return (f"How many{found['what']} {part} {found['verb']}{then}?",)
    return (f"What {found['verb']} {part}{then}?",)


def _by_adjective(word: str) -> tuple[tuple[str, ...], bool] | None:
    schema = load_schema(DEFAULT)
    known = [one for one in (schema.relations.values() if schema else ()) if one.compared and word in one.compared]
    asked = tuple(f"What is the {one.label} of {NAME}?" for one in known)
    return (asked, any(one.compared[0] == word for one in known if one.compared)) if asked else None
