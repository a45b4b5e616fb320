"""The forms of English verbs and nouns, by lemminflect's dictionary (the SPECIALIST Lexicon), and "a" or "an".

>>> participle("submit"), past("written"), present("owned"), base("brought"), indefinite("FBI agent")
('submitted', 'wrote', 'owns', 'bring', 'an')
"""

from __future__ import annotations

import gzip
import re
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lemminflect.core.Inflections import Inflections
    from lemminflect.core.Lemmatizer import Lemmatizer

_LOCK = Lock()
_PREFIX = re.compile(r"(?:co|re)-?|out")  # "co-wrote", "outsold": the dictionary has "write" and "sell"
_NOUNS = frozenset(
    "abode bust clove crew dove ground input must output stove".split()
)  # nouns that are also past forms
_UNCOUNTED = re.compile(r"(ss|us|is|ics|ness|series|species|news)$")
_EIGHT = re.compile(r"8|1[18](?:\d\d)?(?!\d)")  # 8, 80, 8,000, 11, 18, 11,000, 1887; not 110, 1,100
_INITIALS = re.compile(r"[A-Za-z](?![A-Za-z.])|(?:[A-Z]\.)+|[A-Z]+(?=[&/][A-Z])|[A-Z]{2,}(?=[a-z]?(?![A-Za-z]))")
_VOWEL_NAMES = "aefhilmnorsx"  # letters whose names begin with a vowel: "an F", "a B"
_SPOKEN = re.compile(  # initials pronounced as a word, "NATO": only beginnings and runs that English has
    r"LAN|RAM|ROM|SIM|(?=[A-Z]{4})(?!.AA|.*[^AEIOU]{3})(?:[^AEIOU]|[BCFGPST][LR]|S[CHKMNPTW])[AEIOU][A-Z]*"
)
_VOWEL = re.compile(r"[aeiou]|hour|honest|honou?r|heir|x[^aeiouy]")
_GLIDE = re.compile(  # a vowel letter with a consonant sound: "a one-year plan", "a European", "a useful"
    r"one(?:self|s|time)?(?![a-z])|once|e[uw]|ouija|uk|ubi|ufo|uga|u[iy]gh|us[aeiu]|ut[aeiour]|ur[aeiu]|"
    r"unan|uni(?!dent|ll|m|n)"
)


@lru_cache(maxsize=65536)
def base(verb: str) -> str:
    """Return the infinitive of a verb in any form, or the singular of a noun: "own" of "owned", "member"."""
    if verb in _NOUNS:
        return verb
    prefix, word = _split(verb)
    entry = _lemmatizer().getAllLemmas(word)
    lemmas: tuple[str, ...] = entry.get("VERB") or next(iter(entry.values()), ())
    if prefix and word in lemmas:  # "co-found" is no past of "co-find"
        return verb
    if not lemmas and re.search(r"(?:ed|ing|[^s]s)$", word):
        lemmas = _lemmatizer().getAllLemmasOOV(word, "VERB").get("VERB", ())
    return f"{prefix}{lemmas[0]}" if lemmas else verb


@lru_cache(maxsize=65536)
def is_verb(word: str) -> bool:
    """Return whether a word is a form of a verb and of nothing else.

    >>> is_verb("starring"), is_verb("retired"), is_verb("drummer")
    (True, False, False)
    """
    return set(_lemmatizer().getAllLemmas(word)) == {"VERB"}


@lru_cache(maxsize=65536)
def past(participle: str) -> str:
    """Return the past tense of a participle: "wrote" of "written". "labelled" stays as it is."""
    verb = base(participle.lower())
    forms = _forms(verb, "VBD")
    if participle.lower() in forms or (participle.lower() == verb and forms[0].endswith("ed")):  # "broadcast"
        return participle
    regular = participle.endswith("ed")
    return next((form for form in forms if form.endswith("ed") == regular), forms[0])


@lru_cache(maxsize=65536)
def present(verb: str) -> str:
    """Return the third person of a verb in any form: "owns" of "owned"."""
    return _forms(base(verb.lower()), "VBZ")[0]


@lru_cache(maxsize=65536)
def participle(infinitive: str, written: str = "") -> str:
    """Return the past participle of a verb: "supplied" of "supply", "written" of "write".

    `written` is the verb in the text. Its spelling is kept if it is right: "labelled" or "labeled".
    """
    forms = _forms(infinitive, "VBN")
    return written if written.endswith("ed") and written in forms else forms[0]


@lru_cache(maxsize=65536)
def is_past(word: str) -> bool:
    """Return whether a word is a past tense or participle and no infinitive: "cut", not "run"."""
    verb = _verb(word)
    if verb in ("be", "have") or word == "did":
        return False
    regular = bool(verb) and _forms(verb, "VBD")[0].endswith("ed")  # "broadcast", a participle beside "broadcasted"
    return bool(verb) and (_is(word, verb, "VBD") or (_is(word, verb, "VBN") and (regular or word != verb)))


@lru_cache(maxsize=65536)
def is_participle(word: str) -> bool:
    """Return whether a word is a past participle, or an adjective that looks like one ("talented")."""
    verb = _verb(word)
    entry = _lemmatizer().getAllLemmas(word)
    talented = word.endswith("ed") and "ADJ" in entry and "NOUN" not in entry
    return talented or (bool(verb) and _is(word, verb, "VBN"))


@lru_cache(maxsize=65536)
def is_only_participle(word: str) -> bool:
    """Return whether a word is a participle and nothing else: "written", not "owned" or "run"."""
    verb = _verb(word)
    return bool(verb) and word != verb and _is(word, verb, "VBN") and not _is(word, verb, "VBD")


@lru_cache(maxsize=65536)
def is_plural(noun: str) -> bool:
    """Return whether a noun is plural: "sales", "children", "people", not "gas" or "news"."""
    if noun in ("headquarters", "people") or re.match(r"[a-z]{3,}s-(?:in|of|at)-", noun):
        return True
    singular = _lemmatizer().getAllLemmas(noun, "NOUN").get("NOUN", ())
    if singular and noun not in singular:
        return True
    if singular and _forms(noun, "NNS")[0] != noun:
        return False
    return re.search(r"[a-z]{2}s$", noun) is not None and not _UNCOUNTED.search(noun)


def plural(noun: str) -> str:
    """Return the plural of a noun or of the last word of several: "films", "comedies", "TV series".

    >>> plural("film"), plural("comedy"), plural("TV series"), plural("biography")
    ('films', 'comedies', 'TV series', 'biographies')
    """
    before, space, last = noun.rpartition(" ")
    return f"{before}{space}{_forms(last, 'NNS')[0]}"


@lru_cache(maxsize=65536)
def may_be_verb(word: str) -> bool:
    """Return whether a word is an infinitive or the third person of a verb: "limit", "limits"."""
    lemmas = _lemmatizer().getAllLemmas(word, "VERB").get("VERB", ())
    return any(word in (one, _forms(one, "VBZ")[0]) for one in lemmas)


@lru_cache(maxsize=65536)
def may_be_noun(word: str) -> bool:
    """Return whether the dictionary has a word as a noun, singular or plural: "limits", not "specifies"."""
    return bool(_lemmatizer().getAllLemmas(word, "NOUN"))


def indefinite(phrase: str) -> str:
    """Return "an" before a vowel sound, else "a": an FBI agent, an 8-year plan, a European, a one-year plan."""
    plain = unicodedata.normalize("NFKD", phrase)
    word = re.sub(r"^[\W_]+", "", plain)
    if word[:1].isdigit():
        return "an" if _EIGHT.match(word) else "a"
    initials = _INITIALS.match(word)
    if initials and not _SPOKEN.fullmatch(initials[0]):
        return "an" if word[0].lower() in _VOWEL_NAMES else "a"
    word = word.lower()
    return "an" if _VOWEL.match(word) and not _GLIDE.match(word) else "a"


def _verb(word: str) -> str:
    """Return the infinitive of a word that is a form of a verb, else ""."""
    entry = _lemmatizer().getAllLemmas(_split(word)[1])
    if word in _NOUNS or (entry and "VERB" not in entry):
        return ""
    return base(word) if entry or re.search(r"[a-z]{2}ed$", word) else ""


def _is(word: str, verb: str, tag: str) -> bool:
    return word in _forms(verb, tag)


def _forms(infinitive: str, tag: str) -> tuple[str, ...]:
    """Return the forms of a lemma by a tag of the Penn Treebank, the usual one first."""
    prefix, word = _split(infinitive)
    forms: tuple[str, ...] = _inflections().getInflection(word, tag) or (word,)
    return tuple(f"{prefix}{form}" for form in forms)


@lru_cache(maxsize=65536)
def _split(word: str) -> tuple[str, str]:
    """Return the prefix that the dictionary lacks, or "", and the rest of a verb."""
    prefix = _PREFIX.match(word)
    if not prefix or _lemmatizer().getAllLemmas(word):
        return "", word
    rest = word[prefix.end() :]
    return (prefix[0], rest) if "VERB" in _lemmatizer().getAllLemmas(rest) else ("", word)


def _lemmatizer() -> Lemmatizer:
    return _dictionary()[0]


def _inflections() -> Inflections:
    return _dictionary()[1]


@lru_cache(maxsize=1)
def _dictionary() -> tuple[Lemmatizer, Inflections]:
    """Return lemminflect's dictionary without its `__init__`, which imports spaCy, and so torch, to extend tokens."""
    with _LOCK:
        spec = find_spec("lemminflect")
        stand_in = ModuleType("lemminflect")
        stand_in.__path__ = list((spec and spec.submodule_search_locations) or ())
        before = sys.modules.setdefault("lemminflect", stand_in)
        from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
        from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
        from lemminflect.core.Inflections import Inflections
        from lemminflect.core.Lemmatizer import Lemmatizer
        from lemminflect.core.LexicalUtils import categoryToUPos

        if before is stand_in:
            del sys.modules["lemminflect"]  # the next import gets the whole package

    def lemmas(line: str) -> dict[str, tuple[str, ...]]:
        _, category, forms = LemmaLUCodec.fromString(line)
        return {categoryToUPos(category): forms}

    def forms(line: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = InflectionLUCodec.fromString(line)[2]
        return found

    lemmatizer, inflections = Lemmatizer(), Inflections()
    lemmatizer.lemma_dict = _Entries(lemmatizer.lemma_lu_fn, lemmas, {})
    inflections.infl_dict = _Entries(inflections.infl_lu_fn, forms, InflectionLUCodec.updateForAuxMod({}))
    return lemmatizer, inflections


class _Entries:
    """A file of lemminflect with lines by word, parsed when a word is asked for: all lines of both files take 0.3 s.

    An entry in `fixed` comes before the file's.
    """

    def __init__(self, file: str, parse: Callable[[str], dict[str, Any]], fixed: dict[str, dict[str, Any]]) -> None:
        self._parse, self._fixed, self._lines = parse, fixed, dict[str, str]()
        for line in gzip.decompress(Path(file).read_bytes()).decode().splitlines():
            word = line[: line.index(",")]
            self._lines[word] = f"{self._lines[word]}\n{line}" if word in self._lines else line

    def get(self, word: str, default: dict[str, Any]) -> dict[str, Any]:
        """Return the forms of a word by part of speech or tag."""
        if word in self._fixed or word not in self._lines:
            return self._fixed.get(word, default)
        return {tag: forms for line in self._lines[word].split("\n") for tag, forms in self._parse(line).items()}
