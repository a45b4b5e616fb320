"""What a name is short for: by the letters that a bracket explains, and by its initials."""

from __future__ import annotations

import re

MAX_SHORT = 10  # letters of an abbreviation that a bracket explains


def spelt_out(short: str, longer: str) -> str:
    """Return the end of a name, the whole if need be, that a shorter one abbreviates; "" if none.

    >>> spelt_out("USGS", "Relevant United States Geological Survey")
    'United States Geological Survey'
    """
    words = longer.split()
    ends = (" ".join(words[at:]) for at in range(len(words) - 1, -1, -1))
    return next((end for end in ends if abbreviates(short, end)), "")


def abbreviates(short: str, longer: str) -> bool:
    """Return whether a name in capitals is short for a longer one.

    Its letters are there in order, the first is that of the name, and each of the others begins a word or follows, in
    one word, a letter that the short name has too (after Schwartz and Hearst, 2003).

    >>> abbreviates("RUSNANO", "Russian Nanotechnology Corporation"), abbreviates("AB", "Alfa Romeo")
    (True, False)
    """
    letters = [sign.lower() for sign in short if sign.isalnum()]
    words = re.findall(r"[^\W_]+", longer.lower())
    if not 2 <= len(letters) <= MAX_SHORT or not words or " " in short or sum(map(str.isupper, short)) < 2:
        return False
    return words[0][0] == letters[0] and _spelt_in(letters, words)


def _spelt_in(letters: list[str], words: list[str]) -> bool:
    if not letters:
        return True
    for at, word in enumerate(words):
        size, place = 0, 0 if word[0] == letters[0] else -1
        while place >= 0:
            size += 1
            if _spelt_in(letters[size:], words[at + 1 :]):
                return True
            place = word.find(letters[size], place + 1) if size < len(letters) else -1
    return False


def initials(label: str) -> frozenset[str]:
    """Return the initials of a name of two words and more, with those of its small words and without.

    >>> sorted(initials("Bank of England"))
    ['be', 'boe']
    """
    words = re.findall(r"[^\W_]+", label)
    large = "".join(word[0].lower() for word in words if word[0].isupper())
    whole = "".join(word[0].lower() for word in words)
    return frozenset(one for one in (large, whole) if len(words) > 1 and len(one) > 1)
