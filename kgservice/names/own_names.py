"""How the first sentence of a document calls the thing of its title: "Curtis Michael Hennig" of "Curt Hennig".

A function of the title and the text alone. What the sentence begins with is the title's thing where the two differ in
an article, a mark, a year before ("1980 Lunsk fire") or a subtitle behind, and where both are names of one person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from html import unescape
from typing import NamedTuple

from kgservice.names.mentions import BRACKET, follows, unnumbered
from kgservice.names.persons import full, generation, has_other_middle

MAX_NAME = 120  # characters of a name with its subtitle
MAX_WORDS = 7  # of a person's name, "Dame Agatha Mary Clarissa Christie"
MAX_SENTENCE = 400  # characters in which a first sentence says what its thing is
FIRST_LETTERS = 3  # that a short first name shares with the long one: "Curt" and "Curtis"

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_RANK = re.compile(r", [JS]r\b\.?")
_COPULA = r" (?:is|was|are|were)\b"
_NAME = re.compile(
    rf"(?:The )?(?P<name>(?!The )[^\W_a-z][^\n()\[\];]{{0,{MAX_NAME}}}?)(?= [(\[]|,|;|{_COPULA}| or |\Z)"
)
_SUBTITLE = re.compile(rf": [^\n()\[\];]{{2,{MAX_NAME}}}?(?= \(|{_COPULA} an?\b)")
_STATES = re.compile(rf"[^\n]{{0,{MAX_SENTENCE}}}?{_COPULA}")
_YEAR = r"(?:1\d{3}|20\d\d)"
_BORN = rf"born|née|b\.|{_YEAR} ?[-–—] ?(?:[^()]{{0,30}} )?{_YEAR}"
_LIFE = re.compile(rf"(?:,[^()\n]{{0,{MAX_NAME}}}?)? ?\((?:[^()]{{0,150}}\b)?(?:{_BORN})(?!\w)")
_ONE = re.compile(rf"(?:,[^\n.]{{0,150}},)?(?: ?\([^()\n]*\))*(?:,[^\n.]{{0,150}})?,?{_COPULA} (?:an?|the|one)\b")
_CALLED = (  # "known to the public as", "also called", "under the stage name"
    r"\b(?:known|called|named?|nicknamed|credited|styli[sz]ed|spel(?:t|led)|or)\b"
    r"(?:[^\n,;.()]{0,40}? (?:as|simply|name|pseudonym|alias|moniker))? (?:the )?[\"“‘']?"
)
_BEFORE_CALLED = (
    r"(?:(?:who|which|that|is|was|were|are|has|been|also|better|best|often|sometimes|formerly|previously|now|then|or|and|"
    r"\w+ly) )*"
)
_NAMES = r"(?:names?|pseudonyms?|alias(?:es)?|monikers?|nicknames?)(?: of)?"
_INTRODUCES = re.compile(  # "also known as", "referred to by friends as", "who wrote under the pen name", "IATA:"
    rf"{_BEFORE_CALLED}(?:(?:known|referred to|credited|translated)\b[^\n,;.()]{{0,40}}? as|"
    rf"(?:known|credited|publish\w*|record\w*|perform\w*|work\w*|writing|writes|wrote)\b[^\n,;.()]{{0,40}}? {_NAMES}|"
    rf"also|called|named|nicknamed|spel(?:t|led)|styled|titled|entitled|born|née|aka|(?:\w+ )?{_NAMES}:?|"
    r"[A-Z]{3,5}(?: [A-Z]{2,4})?:) "
    r"(?:the )?[\"“‘']?"
)
_AFTER_NAME = re.compile(r"(?:,? (?:[A-Z]{2,}|[JS]r\.))*[\"”]?")
_CODE = re.compile(r"[A-Z]{3,5}(?: [A-Z]{2,4})?: \Z")
_SPLIT = re.compile(r"[,;] ?(?:and )?| and |\Z")
_IDLE = re.compile(r"(?:[A-Z]{2,}|[JS]r\.?|[^\W_]*\d[^\n,;]*|)\Z")  # what is no clause: "PC", "1830", ""
_ASIDES = re.compile(r" ?\(((?:[^()\n]|\([^()\n]*\))*)\)")
_OR = re.compile(r"[\"”’']?,? (?:or|(and)) (?:the )?[\"“‘']?")
_WHOLE = re.compile(  # what may follow a name that is whole: not "Press" of "Press for Truth"
    rf"[\"”’']?(?:[,;.)]| ?\(|\Z|{_COPULA}| (?:and [a-z]|(?:between|by|from|in|on|or|since|until|when|while)\b))"
)
_ONE_THING = re.compile(rf"{_COPULA} (?:an?|the|one)\b")
_ORDINAL = re.compile(r"\b[IVXLC]+\b")
_SEVERAL = frozenset(("and", "or"))
_QUOTES = "\"'“”‘’"
_NUMBERED = re.compile(rf"{_YEAR}(?:[-–/]\d+)? (?=\w)")


class OwnName(NamedTuple):
    """Where a text calls its document's thing otherwise than the title does, `text[start:end]`.

    `is_title` is False where it is a longer name of words that a parser knows, as a person's.
    """

    start: int
    end: int
    is_title: bool


def own_name(title: str, text: str) -> OwnName | None:
    """Return how a document's text begins if that is another form of its title, None if it is not.

    The longer name of a person, or of a thing with more words inside, is one only in a sentence that says what it is.
    """
    bare = BRACKET.sub("", unnumbered(title))
    found = _NAME.match(text, _begin(bare, text))
    if not bare or found is None:
        return None
    start, end = found.start() if bare.startswith("The ") else found.start("name"), found.end()
    end = ranked.end() if (ranked := _RANK.match(text, end)) else end
    head, colon, _ = text[start:end].partition(": ")
    if _is_same(bare, head if colon and not _is_same(bare, text[start:end]) else text[start:end]):
        more = _SUBTITLE.match(text, start + len(head) if colon else end)
        end = more.end() if more else end
        same = text[start:end] == bare or (colon and not more and not _is_same(bare, text[start:end]))
        return None if same else OwnName(start, end, is_title=True)
    states = _STATES.match(text, end)
    if states is None:
        return None
    said = bare in states[0] and re.search(rf"{_CALLED}{re.escape(bare)}(?!\w)", states[0])
    called = said and _is_plain(text[start:end])
    is_own = called or _is_longer(bare, text[start:end], text[end:])
    return OwnName(start, end, is_title=False) if is_own else None


def introduced(title: str, text: str, names: Mapping[int, Collection[str]]) -> Iterator[str]:
    """Yield the other names by which the first sentence of a document introduces its title's thing.

    "Ada Orr (born Ada Lind), often called Red or Cora Vale, is a": what stands in brackets behind its name and what
    follows, up to the first clause that introduces nothing. `names` are the names of the text by where they start.
    """
    start = _begin(BRACKET.sub("", unnumbered(title)), text)
    own = own_name(title, text)
    bare = BRACKET.sub("", unnumbered(title))
    start += 4 if text.startswith("The ", start) and not bare.startswith("The ") else 0
    end = start + len(bare) if text.startswith(bare, start) else own.end if own else 0
    states = _ONE_THING.search(text, end)
    if not bare or not end or states is None:
        return
    last, end = states.start(), _AFTER_NAME.match(text, end).end()  # type: ignore[union-attr]
    asides = [found for found in _ASIDES.finditer(text, end, last) if text[end : found.start()].strip() == ""]
    for found in asides:
        yield from _named_after(text, *found.span(1), names, sure=False)
        end = found.end()
    yield from _named_after(text, end, last, names, sure=True)


def _named_after(text: str, at: int, last: int, names: Mapping[int, Collection[str]], *, sure: bool) -> Iterator[str]:
    """Yield the names that clauses introduce; where it is `sure`, to the first clause that introduces none."""
    while at < last:
        at += len(text[at:last]) - len(text[at:last].lstrip(" ,;"))
        cut = _SPLIT.search(text, at, last)
        until = cut.start() if cut else last
        if said := _INTRODUCES.match(text, at, last):
            code = _CODE.search(said[0])
            several = re.search(r"(?:names|pseudonyms|aliases|monikers|nicknames)\b", said[0]) is not None
            for name in _names_at(text, said.end(), names, several=several):
                if name.isupper() if code else " " in name or not re.search(r"\b(?:born|née) \W?\Z", said[0]):
                    yield name
        elif sure and not _IDLE.match(text[at:until]):
            return
        at = cut.end() if cut and cut.end() > at else last


def _names_at(text: str, at: int, names: Mapping[int, Collection[str]], *, several: bool) -> Iterator[str]:
    """Yield the whole names that start at a place of a text, and those that "or" adds, or "and" to several."""
    for name in names.get(at, ()):
        more = _OR.match(text, at + len(name))
        more = None if more and more[1] and not several else more
        if more or _WHOLE.match(text, at + len(name)):
            yield name
        if more:
            yield from _names_at(text, more.end(), names, several=several)


def _begin(title: str, text: str) -> int:
    """Return where a text begins, behind its title on a line of its own."""
    start = len(text) - len(text.lstrip())
    line = text[start:].partition("\n")[0]
    after = text[start + len(line) :]
    own = BRACKET.sub("", unnumbered(unescape(line))) == title
    return len(text) - len(after.lstrip()) if own else start


def _is_same(title: str, name: str) -> bool:
    """Return whether two names have the same words, but for a year before the title's."""
    return _words(name) in (_words(title), _words(_NUMBERED.sub("", title, count=1)))


def _words(label: str) -> tuple[str, ...]:
    words = tuple(re.sub(r"[’']", "", word.casefold()) for word in _WORD.findall(label.replace("&", " and ")))
    return words[1:] if words[:1] == ("the",) and len(words) > 1 else words


def _is_longer(title: str, name: str, after: str) -> bool:
    """Return whether a name is the title's with more words, or other ones for a first name, by what the text says after
    it."""
    own, words = full(title.partition(",")[0]), full(name)
    if not (_is_plain(title) and _is_plain(name) and 0 < len(own) < MAX_WORDS and 1 < len(words) <= MAX_WORDS):
        return False
    ranks = {generation(title), generation(name)} - {""}
    if len(ranks) > 1 or has_other_middle(title, name):
        return False
    lived, one = _LIFE.match(after) is not None, _ONE.match(after) is not None
    if len(own) == 1 or name == title.partition(",")[0]:  # places say where they are
        return lived and own[0] in words
    rest = iter(words)
    inside = all(word in rest for word in own)
    if inside and (lived or (one and own[-1] == words[-1] and own[0] == words[0])):
        return True
    if lived and len(own) > 1 and own[0] == words[0] and _SEVERAL.isdisjoint(own):  # "Ada Bohdanovna", "Ada of Lun"
        return _ORDINAL.findall(title) == _ORDINAL.findall(name)
    alike = any(map(_is_alike, [own[0]] * len(words), words[:-1]))
    said = after.partition("\n")[0][:MAX_SENTENCE]
    return own[-1] == words[-1] and ((alike and (lived or one)) or (lived and one and title not in said))


def _is_alike(one: str, other: str) -> bool:
    """Return whether a first name may be short for another: "Curt" and "Curtis", "J" and "John"."""
    shared = min(len(one), len(other), FIRST_LETTERS)
    return one[:shared] == other[:shared]


def _is_plain(label: str) -> bool:
    words = [word.strip(_QUOTES) for word in label.split()]
    return all(word and follows(word) and not word[0].isdigit() for word in words)
