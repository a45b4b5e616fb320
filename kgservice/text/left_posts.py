"""Sentences that tell that somebody left a post: "Lanex lost its chief executive Rose Field in 2020"."""

from __future__ import annotations

import re

_TAKEN = "deposed|dismissed|fired|ousted|removed|replaced|sacked|succeeded|unseated"
_LEFT = "left office|quit|resign(?:s|ed)|retire[sd]|(?:steps|stepped|stands|stood) (?:down|aside)"
_OTHERS = "after|although|because|before|but|following|if|once|since|until|when|whereas|while|who|whom|whose"
_LEAVES = re.compile(  # what follows the name: "was elected mayor in 2014 and was replaced by", ", who resigned"
    rf"(?:,? who\b)?(?:(?!\b(?:{_OTHERS})\b)[^;:])*?"
    rf"(?:\b(?:is|was|were|been|being|and) (?:(?:\w+ly|later|soon|then) )?(?:{_TAKEN})\b"
    rf"(?= (?:by|in|on|as|from)\b|\W*$)|\b(?:{_LEFT})\b)"
)
_GOES_ON = re.compile(  # "retired from the army and became chairman of Acme"
    r"\b(?:appoint\w*|bec[ao]me|becoming|elected|has|is|join\w*|leads?|named|remain\w*|serv\w+|stay\w*|works?|"
    r"to (?:head|lead|run))\b"
)
_ARE_LEFT = re.compile(  # what stands before the name: "fired its chairman", "lost its chief executive"
    r"\b(?:deposed|dismissed|fired|ousted|removed|replaced|sacked|unseated|parted (?:company|ways) with"
    r"|lost (?:its|their|the))(?! by\b)(?: (?!(?:and|by|for|in|on|to|with)\b)[\w'’-]+){0,6} $"
)


def tells_of_leaving(sentence: str, holder: str) -> bool:
    """Return whether a sentence tells that the holder of a post, a name in it, left the post or was replaced.

    >>> tells_of_leaving("Acme fired its chairman Bo Lind.", "Bo Lind")
    True
    >>> tells_of_leaving("Bo Lind became chairman of Acme after Ada Orr resigned.", "Bo Lind")
    False
    """
    before, name, rest = sentence.partition(holder)
    if not name:
        return False
    if _ARE_LEFT.search(before):
        return True
    left = _LEAVES.match(rest)
    return left is not None and not _GOES_ON.search(rest, left.end())
