"""A question about many documents, as one of them is asked: "What is the revenue of each firm?" is each firm's revenue.

Only the words that say how answers are put together are changed; a question without any stays as it is.
"""

from __future__ import annotations

import re

_SIZE = "larg|small|high|low|great|bigg|lat|new|earli|old|long|short|few"
_CHANGES = (  # (what is asked of all, what is asked of one), in this order
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
    """Return what one document is asked, for it to be put together with what the others say."""
    for asked, instead in _CHANGES:
        question = asked.sub(instead, question)
    return question[:1].upper() + question[1:]
