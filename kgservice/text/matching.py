"""String match of a prediction with an answer, the first stage of RARE's evaluation (section 5): exact, then inclusive.

Numbers compare by value and unit, never as strings: "$1.2 billion" is "1,200 million USD", "15" is not in "2015", and
"5 million" is not in "5 billion". A minus is one sign, however it is written: "−5", "–5", "(5)" of a table. "-5" is
not "5".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from math import isclose
from typing import Literal, TypeAlias

from kgservice.text.english import AUXILIARIES, BE, DETERMINERS, PREPOSITIONS
from kgservice.text.refusal import refuses
from kgservice.text.values import Reading, in_digits, read_value, signed

How: TypeAlias = Literal["exact", "number", "date", "inclusive", ""]
LONGEST = 6  # words of a number or date with its unit
NOT_STATED = "not stated in the documents"
"""The answer of a question that no document answers: a refusal is right."""
MARKS = ".,;:!?\"“”'"

_TOLD_APART = re.compile(r"(.+?) \([^()]+\)(?: of .+)?")  # "Solaris (1972 film)", "Cement (product) of Acme"
OPTION = re.compile(r"\S+ --?([A-Za-z][\w-]*)")  # "pg_dump --jobs": its question names the program
_ACCENTS = re.compile(r"([A-Za-z])[\u0300-\u036f]+")  # й, ё and が are letters of their own
_INITIALS = re.compile(r"(?<![\w.])(?:(?:[A-Z]\.)+[A-Z]\b\.?|[A-Z]\.(?: [A-Z]\.)+)")  # "U.S.", "J.R.R.", "J. R. R."
_PLAIN_WORDS = (
    PREPOSITIONS
    | AUXILIARIES
    | BE
    | DETERMINERS
    | frozenset(  # which capitals tell from names: "it", "IT"
        """
    all am and any be but had has have he him i if it me not or she so than that them then they this us we who you
    """.split()
    )
)
_ARTICLES = re.compile(  # before a word; a capital "A" at the start alone, as "Vitamin A" and "Group A" end in a letter
    r"(?:(?<![\w.&/+-])(?:a|(?i:an|the))|\A\W*A)(?=\s+\W*\w)"
)
_OTHER_ARTICLES = re.compile(r"(?<![\w.&/+-])(?i:an|the)(?=\s+\W*\w)")
_DIGITS = re.compile(r"[0-9](?:[0-9.,]*[0-9])?")
_NUMERAL = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?")
_GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:[ \u00a0\u202f\u2009][0-9]{3})+)(?![0-9])")
_RUN = re.compile(r"(?<![0-9.,])[0-9]+(?:[ \u00a0\u202f\u2009–—-][0-9]+)+(?![0-9.,]*[0-9])")  # "202 555-0100"
_MARKED = re.compile(r"[0-9]+(?:[^\w\s][0-9]+)*")
_NEGATIVE = re.compile(rf"(?<![\w.,%)\]-])-(?:[A-Z]{{0,2}}[$€£¥])?({_DIGITS.pattern})")
_SIGNS = re.compile(r"[^\w +#]|_|(?<![a-z+#])[+#]+")  # all but those of "C++" and "C#"
_JOINED = re.compile(r"(?<=\w)[-–—/](?=\w)")


def normalised(text: str) -> str:
    """Return a text in lower case without accents of Latin letters, punctuation (but "C++"), articles, repeated spaces.

    Initials with dots are one word.

    >>> normalised("The Müller-Werke, Ltd."), normalised("A Tale of a City"), normalised("Vitamin A of the U.S.")
    ('muller werke ltd', 'tale of city', 'vitamin a of us')
    """
    return _folded(_ARTICLES.sub(" ", _initials(text)))


def _apart(text: str) -> str:
    """Return the normal form with each letter of initials a word and each "a" kept: "j r r tolkien", "kill a bird"."""
    return _folded(_OTHER_ARTICLES.sub(" ", _without_accents(text)))


def _folded(text: str) -> str:
    folded = text.casefold().replace("’", "'").replace("'s ", " ")
    return " ".join(_SIGNS.sub(" ", _JOINED.sub(" ", folded)).split())


def _initials(text: str) -> str:
    """Return a text without accents, its initials in one: "US" of "U.S."."""
    return _INITIALS.sub(lambda found: re.sub(r"[. ]", "", found[0]), _without_accents(text))


def _without_accents(text: str) -> str:
    plain = text if text.isascii() else _ACCENTS.sub(r"\1", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", plain)


def answered(prediction: str, answer: str) -> How:
    """Return how a prediction matches an answer, "" if it does not or refuses; a refusal matches NOT_STATED.

    A prediction that is the answer itself, as "N/A" may be, does not refuse.
    """
    if answer == NOT_STATED:
        return "exact" if refuses(prediction) else ""
    how = match(prediction, answer)
    return how if how == "exact" or not refuses(prediction) else ""  # an answer may read "unknown"


def match(prediction: str, answer: str) -> How:
    """Return how a text matches an answer, "" if it does not."""
    text, wanted = normalised(prediction), normalised(answer)
    if not text or not wanted:
        return ""
    if " ".join(prediction.split()) == " ".join(answer.split()):
        return "exact"
    named = answer.strip(MARKS).isalpha() and not answer.islower()  # "Ten", the song; "ten" is 10
    kind, value, unit = read_value(answer if named else in_digits(signed(answer)))
    if kind == "entity":
        return _match_of_name(prediction, answer) or ("number" if named and _is_number(prediction, answer) else "")
    if any(agree((kind, value, unit), reading) for reading in values(prediction)):
        return "number" if kind == "number" else "date"
    within = kind == "date" and any(str(reading[1]).startswith(f"{value}-") for reading in values(prediction))
    return "date" if within else ""  # "12 March 1931" answers which year


def _match_of_name(prediction: str, answer: str) -> How:
    if OPTION.fullmatch(answer) and re.search(rf"(?<![\w-]){answer.split()[1]}(?![\w-])", prediction):
        return "exact" if prediction.strip(f"{MARKS}` ") == answer.split()[1] else "inclusive"
    same = normalised(prediction) == normalised(answer) or _apart(prediction) == _apart(answer)
    exact = same and _joined_numbers(prediction) == _joined_numbers(answer)
    found: How = "exact" if exact else "inclusive" if _holds(prediction, answer) else ""
    if found and _same_signs(prediction, answer):
        return found
    bare = _TOLD_APART.fullmatch(answer)  # a title's or a row's own bracket is not what people say
    with_bracket = bare and re.search(rf"(?i){re.escape(bare[1])} \(", prediction)
    return _match_of_name(prediction, bare[1]) if bare and not with_bracket else ""


def _is_number(prediction: str, answer: str) -> bool:
    """Return whether a text is nothing but the number that a word with a capital may be: "10" for "Ten"."""
    word = read_value(in_digits(answer).strip(MARKS))
    said = read_value(in_digits(prediction).strip(MARKS)) if word[0] == "number" else word
    return said[0] == "number" and agree(said, word)


def _holds(prediction: str, answer: str) -> bool:
    """Return whether a text has the words of a name; capitals that are a plain word too, "US", are such in it."""
    forms, apart = [(normalised(prediction), normalised(answer))], _apart(answer)
    if len(apart) > 1 and not apart.endswith(" a"):  # "C" is not in "D.C.", nor "Vitamin A" in "a vitamin a day"
        forms.append((_apart(prediction), apart))
    if not any(f" {wanted} " in f" {text} " for text, wanted in forms):
        return False
    capitals = _initials(answer).strip(f"{MARKS} ")
    if not capitals.isupper() or len(capitals) == 1 or capitals.casefold() not in _PLAIN_WORDS:
        return True
    return re.search(rf"(?<!\w){capitals}(?!\w)", _initials(prediction)) is not None


def _joined_numbers(text: str) -> list[str]:
    """Return the numbers of a text, those that a mark joins as one, "10:30", with a hyphen for each dash or slash.

    "20%–30%" is "20-30%", and "1 000" is "1000".
    """
    plain = _GROUPED.sub(_ungrouped, text).replace("%", "")
    return [re.sub("[–—/]", "-", found) for found in _MARKED.findall(plain)]


def _same_signs(prediction: str, answer: str) -> bool:
    """Return whether the numbers of an answer that is no value, "-10 to 40 °C", are those of a prediction.

    They are negative in both or in none, and no sign of a currency or "%" beside them differs from those of the
    prediction. "1 000" is "1,000", and "747 400" is "747-400".
    """
    pairs = ([by.sub(_ungrouped, text) for text in (prediction, answer)] for by in (_GROUPED, _RUN))
    return any(_are_same_numbers(*pair) for pair in pairs)


def _are_same_numbers(prediction: str, answer: str) -> bool:
    numbers = frozenset(_DIGITS.findall(answer))
    one, other = (numbers.intersection(_NEGATIVE.findall(signed(text))) for text in (prediction, answer))
    numerals = frozenset(_NUMERAL.findall(answer))
    if one != other or not numerals.issubset(_NUMERAL.findall(prediction)):
        return False
    wanted, found = _units(answer, numerals), _units(prediction, numerals)
    return not wanted or not found or not wanted.isdisjoint(found)


def _ungrouped(found: re.Match[str]) -> str:
    return re.sub(r"\D", "", found[0])


def _units(text: str, numerals: frozenset[str]) -> set[str]:
    """Return the signs of currencies and "%" beside these numbers in a text."""
    found = [one for one in _NUMERAL.finditer(text) if one[0] in numerals]
    beside = {text[: one.start()].rstrip(" -−–")[-1:] for one in found} | {
        text[one.end() :].lstrip()[:1] for one in found
    }
    return {sign for sign in beside if sign and _is_unit(sign)}


def _is_unit(sign: str) -> bool:
    return sign == "%" or unicodedata.category(sign) == "Sc"


def matches(prediction: str, answers: Sequence[str]) -> bool:
    """Return whether a prediction matches all of the answers and does not refuse; NOT_STATED wants a refusal."""
    if NOT_STATED in answers:
        return refuses(prediction)
    how = {match(prediction, answer) for answer in answers}
    return bool(how) and "" not in how and ("exact" in how or not refuses(prediction))


def values(text: str) -> Iterator[Reading]:
    """Yield the numbers and dates of a text, each with its unit; "−5", "(5)" alone and "minus 5" are -5, "two" is 2."""
    return (reading for _, reading in written_values(in_digits(signed(text))))


def written_values(text: str) -> Iterator[tuple[str, Reading]]:
    """Yield the numbers and dates of a text as written and as read."""
    words = text.replace("(", " ").replace(")", " ").split()
    at = 0
    while at < len(words):
        size, reading = _longest(words[at : at + LONGEST])
        if reading is not None:
            yield " ".join(words[at : at + size]).strip(MARKS), reading
        at += max(size, 1)


def _longest(words: Sequence[str]) -> tuple[int, Reading | None]:
    for size in range(len(words), 0, -1):
        reading = read_value(" ".join(words[:size]).strip(MARKS))
        if reading[0] != "entity":
            return size, reading
    return 0, None


def agree(one: Reading, two: Reading) -> bool:
    """Return whether two values are equal.

    A unit that only one of them has is ignored, different units make them unequal.
    """
    if isinstance(one[1], float) and isinstance(two[1], float):
        return isclose(one[1], two[1], rel_tol=1e-9) and _fit(one[2], two[2])
    dates = isinstance(one[1], str) and isinstance(two[1], str)
    if dates:
        return one[1] == two[1]
    year, number = (one, two) if isinstance(one[1], str) else (two, one)  # "2015" may be a number
    return number[2] is None and year[1] == f"{number[1]:.0f}"


def _fit(one: str | None, two: str | None) -> bool:
    if one is None or two is None:
        return True
    return _words(one) & _words(two) != set() or normalised(one) == normalised(two)


def _words(unit: str) -> set[str]:
    return {word.removesuffix("s") for word in normalised(unit.replace("%", " percent ")).split()} - {"of", "in", "per"}
