"""A question over many documents turned into a question to one.

"What is the revenue of each firm?" becomes "What is the revenue of the firm?". Only words of aggregation change. A
question without any stays as it is.
"""

from __future__ import annotations

import re

_SIZE = "larg|small|high|low|great|bigg|lat|new|earli|old|long|short|few"
_CHANGES = (  # (pattern over all documents, replacement for one), in this order
    (
        re.compile(r"(?i)\bin which years (?:was (?=what)|(?=w))(.+?) (?:higher|lower) than in the year before\b"),
        r"what \1",
    ),
    (re.compile(r"(?i)^what (?=what )"), ""),
    (re.compile(r"(?i) in (?:the most|\w+ or more) documents\b"), ""),
    (re.compile(r"(?i)\bfor how many [\w' -]+? is it said (.+?) each\b"), r"\1"),
    (re.compile(r"(?i)\bfor how many [\w' -]+? (is|are) (?:the )?(.+?) (?:stated|reported)\b"), r"what \1 the \2"),
    (re.compile(r"(?i)\bhow many [\w' -]+? (?:has|have|had) (?:an? |the )?(?!been\b|\w+ed\b)"), "what is the "),
    (
        re.compile(
            rf"(?i)\b(?:what|which) [\w' -]+? (?:has|have|had) the (?:{_SIZE})est\b|\bwho (?:has|had) the most\b"
        ),
        "how much is the",
    ),
    (re.compile(rf"(?i)\bwhich [\w' -]+? (\w+) the (?:{_SIZE})est figure\b"), r"how much \1"),
    (re.compile(r"(?i)\b(?:each|every) (?:of the )?|\ball (?:of )?the "), "the "),
    (re.compile(r"(?i)\bof all (?=\w+s\b)"), "of the "),
)


def narrowed(question: str) -> str:
    """Return the question to one document, whose answers are then aggregated."""
    for pattern, replacement in _CHANGES:
        question = pattern.sub(replacement, question)
    return question[:1].upper() + question[1:]
