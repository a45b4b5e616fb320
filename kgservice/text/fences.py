"""Code between fences in Markdown (CommonMark 0.31, section 4.5), for loaders, chunks and the reading of texts."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?<![^\n\f])[ \t]*(?P<mark>`{3,}+(?![^`\n\f]*+`)|~{3,})(?P<info>[^\n\f]*)")


def fences(text: str) -> list[tuple[int, int]]:
    r"""Return the places of fenced code, each from the start of its first line to the end of its last.

    A fence of backticks has none behind it, and ends at a line of the same mark alone, at least as long. Two things
    differ from CommonMark, as any text may come here: a fence that nothing closes is none, because one stray mark would
    hide all headings and tables after it; and a line of "~" below one that is no longer is docutils' underlined title.

    >>> fences("```run```\n\n~~~ sh\n# x\n~~~~\n")
    [(11, 26)]
    """
    if "```" not in text and "~~~" not in text:
        return []
    marks = list(_MARK.finditer(text))
    longest, closed = {"`": 0, "~": 0}, []  # of the ends after each mark
    for mark in reversed(marks):
        sign, size = mark["mark"][0], len(mark["mark"])
        closed.append(longest[sign] >= size)
        longest[sign] = max(longest[sign], size) if not mark["info"].strip() else longest[sign]
    found, opened = [], None
    for mark in marks:
        if closed.pop() and opened is None and not _underlines(text, mark):
            opened = mark
        elif opened and mark["mark"].startswith(opened["mark"]) and not mark["info"].strip():
            found.append((opened.start(), mark.end()))
            opened = None
    return found


def _underlines(text: str, mark: re.Match[str]) -> bool:
    """Return whether a mark is below a title that it is at least as long as."""
    above = text[text.rfind("\n", 0, max(mark.start() - 1, 0)) + 1 : mark.start()].strip()
    bare = mark["mark"][0] == "~" and not mark["info"].strip()
    return bare and any(map(str.isalnum, above)) and len(above) <= len(mark["mark"])
