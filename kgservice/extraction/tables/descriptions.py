"""What manuals say that a thing does or is: "Suppress progress messages." under "--quiet", "X is a parser of …".

A description is kept in its own words if it can be understood beside its thing alone: a sentence that begins with a
verb ("Print the version and exit"), or that names what is set ("The port to listen on"). What points elsewhere ("see
above", "this option") is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations, islice
from typing import NamedTuple

from kgservice.extraction.tables.cells import clean
from kgservice.text.english import AUXILIARIES, BE, DETERMINERS, PREPOSITIONS, SOFTWARE_WORDS, is_set, program
from kgservice.text.fences import fences
from kgservice.text.inflection import may_be_noun, may_be_verb
from kgservice.text.sentences import sentences

FEWEST, MOST, MOST_OF_PROGRAM = 5, 25, 35  # words
OPENING = 25  # blocks of text in which a document says what it is about
FIRST = 2  # paragraphs, and sentences of each, in which it does
MARK = re.compile(r"^[ \t]*(?:[-*+•>]|\d{1,3}[.)])[ \t]+")  # of a list's item or a quotation
BLOCK = re.compile(r"\S[^\n]*(?:\n(?![ \t]*\n)[^\n]*)*")  # up to a blank line
_CODE = "```"
_SMALL = DETERMINERS | PREPOSITIONS | frozenset("all and any each every or that which".split())
_ELSE = re.compile(r"[-*+•] |#+ ")  # another thing begins
_REMARK = re.compile(r"\s*\((?:[Ss]ee|default|e\.g\.|i\.e\.)[^()]*\)")
_HANGS = re.compile(  # what is understood only beside other text, or is no prose
    r"(?i)\b(?:this|these|above|below|following|previous|next|see|same|synonym|shorthand|alias|equivalent|defaults?|"
    r"deprecated|obsolete|example|options?|described|mentioned|such|also|so|but|instead(?! of)|e\.g|i\.e)\b|"
    r"[<>{}|*\[\]=\\]|[:,;]$|\s:\w|^\W|[^\x00-\x7f–—’“”]{3}"
)
_AFTER_VERB = re.compile(r"(?:an?|the|all|any|no|not|only|each|every|its|one|two|how|what|whether|which|where|if)\b")
_IS_A = re.compile(r"An? ")
_OF_NOUN = re.compile(r"(?:that|which|who|of|is|are|was|were|will)\b")
_FINITE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|will|would|must|should|shall|can|could|may|might|does|do)\b"
)
_SOFTWARE = rf"(?:{'|'.join(sorted(SOFTWARE_WORDS))})"
_IS_SOFTWARE = re.compile(rf"is (?:an?|the) [^,.;]*?\b{_SOFTWARE}\b")
_NO_DEED = re.compile(r"(?:requires|needs|depends|supports|has|was|does|is (?!an? |the )\w+) ")
_KINDS = r"(?:directive|option|setting|parameter|variable|property|function|method|flag|switch|command|field|attribute)"


class Description(NamedTuple):
    """What is said of a thing of some kind ("software", "function"; "" if nothing tells), and where in the text."""

    kind: str
    words: str
    start: int
    end: int


def description_of_entry(text: str, name: str) -> Description | None:
    """Return what the first sentence of prose from here on says that a thing does, None if that is not told."""
    prose = next((block for block in BLOCK.finditer(text) if not block[0].startswith("|")), None)
    if prose is None or _ELSE.match(prose[0]):
        return None
    start, end = next(iter(sentences(prose[0])), (0, 0))
    named = rf"^(?:(?:The )?{re.escape(name)}(?: {_KINDS})?|This {_KINDS}) (?=[a-z]+s\b)"
    words = re.sub(named, "", _words(prose[0][start:end]))
    if not describes(words) or name.rsplit(maxsplit=1)[-1].lower() in words.lower():
        return None
    return Description("", words, prose.start() + start, prose.start() + end)


def description_of_program(text: str, title: str) -> Description | None:
    """Return what a document begins by saying that its program or function does or is, None if it does not.

    A manual says it in a line ("name - what it does"); other documents say it in a sentence of the program or of "this
    library" that calls it software. Where there is code, and the name is a command's or is installed, any other verb
    counts too, as does a line "A parser of …".
    """
    name = program(title)
    if not name:
        return None
    subject = rf"(?i:{re.escape(name)}(?:\(\d\w*\))?)"
    line = re.compile(rf"(?:#+ )?{subject} [-–—]+ ([^\n]+)")
    sentence = re.compile(
        rf"(?:(?:The )?[`*_]*{subject}[`*_]*(?: \([^()\n]*\))?|(?:This|The) {_SOFTWARE}) ((?:is|[a-z]+s) .*)", re.S
    )
    called = "function" if re.search(rf"\b{re.escape(name)} ?\(\D", text) else "software" if name[:1].islower() else ""
    installed = name[:1].islower() or re.search(rf"\binstall (?:-\S+ )*{re.escape(name)}\b", text, re.I) is not None
    surely = installed and _CODE in text
    prose = 0
    for block in islice(BLOCK.finditer(text), OPENING):
        whole = block[0].rstrip()
        if called and (told := line.fullmatch(whole)) and describes(words := _words(told[1])):
            return Description(called, words, block.start(), block.start() + len(whole))
        quoted = whole.startswith("> ") and not prose  # "> Strip comments from JSON", below the name
        start, end = next(iter(sentences(whole)), (0, 0))
        words = _words(whole[start:end].removeprefix("> ")) if surely else ""
        if describes(words) and (quoted or _IS_A.match(words)):
            return Description("software", words, block.start() + start, block.start() + end)
        prose += whole.endswith((".", "!"))
        for start, end in islice(sentences(whole), FIRST if prose <= FIRST else 0):
            told = sentence.match(whole[start:end])
            words = _words(told[1]) if told else ""
            known = _IS_SOFTWARE.match(words) or (surely and words and not _NO_DEED.match(words))
            fits = FEWEST < len(words.split()) <= MOST_OF_PROGRAM and name.lower() not in words.lower()
            if known and fits and not _HANGS.search(words) and words.count("(") == words.count(")"):
                return Description("software", words, block.start() + start, block.start() + end)
    return None


def describes(words: str) -> bool:
    """Return whether words say what something does, or name what is set, and need no others to be understood."""
    first, _, rest = words.partition(" ")
    if not FEWEST <= len(words.split()) <= MOST or _HANGS.search(words) or not re.fullmatch(r"[A-Za-z][a-z]*", first):
        return False
    if words.count("(") != words.count(")"):
        return False
    if is_set(words):
        return _FINITE.search(words) is None
    if first == "Do":
        return rest.startswith("not ")
    verb = may_be_verb(first.lower()) and first.lower() not in AUXILIARIES | BE and not _OF_NOUN.match(rest)
    return verb and (not may_be_noun(first.lower()) or _AFTER_VERB.match(rest) is not None)


def without_code(text: str) -> str:
    """Return a text with blanks in place of the code between fences: code states nothing, and places stay."""
    bare, at = list[str](), 0
    for start, end in fences(text):
        bare += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*bare, text[at:]])


def hangs(words: str) -> bool:
    """Return whether words are understood only beside other text ("see below", "this option"), or are no prose."""
    return _HANGS.search(words) is not None


def alike(described: Mapping[str, str]) -> set[str]:
    """Return what no word of its description tells from another: all that count are in the other's too."""
    words = [(each, frozenset(re.findall(r"\w+", text.lower())) - _SMALL) for each, text in described.items()]
    return {
        each
        for (one, these), (other, those) in combinations(words, 2)
        if these <= those or those <= these
        for each in (one, other)
    }


def _words(sentence: str) -> str:
    """Return a sentence without markup, remarks in brackets and its full stop."""
    return _REMARK.sub("", " ".join(clean(sentence).split())).rstrip(" .!")
