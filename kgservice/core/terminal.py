"""Text of documents on a terminal: characters that control the terminal or reorder text are shown as escapes."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t\u200c\u200d"  # the joiners belong to the words of some scripts
# Cc: escape sequences begin here, of seven bits and of eight. Cf: marks of direction, tags and others nobody sees.
# Zl, Zp: ends of lines that only some programs know. Cs: halves of pairs, which nothing can write.
_STEERING = ("Cc", "Cf", "Zl", "Zp", "Cs")


class _Shown(dict[int, str]):
    """The replacement of each character, for `str.translate`."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        steers = unicodedata.category(char) in _STEERING and char not in _KEPT
        # as JSON writes them, so that JSON stays what it was
        units = char.encode("utf-16-be", "surrogatepass").hex()
        self[code] = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) if steers else char
        return self[code]


_SHOWN = _Shown()


def harmless(text: str) -> str:
    """Return the text with control and format characters as \\u001b and the like. Line breaks and tabs stay."""
    return text.translate(_SHOWN)


def one_line(text: str) -> str:
    """Return the text with line breaks and tabs as \\u000a and \\u0009 too: a name of a file may have them."""
    return harmless(text).replace("\n", "\\u000a").replace("\t", "\\u0009")
