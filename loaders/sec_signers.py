"""Who signed a 10-K as what: (Ada Lun, is board member of, Acme Inc.), from the table under "Signatures".

Whoever sits on two boards joins two companies. A row is "/s/ Ada Lun | Director | …", or "/s/ Ada Lun" with "Ada Lun –
Director" below; "*" stands for who is signed for. The posts are those that a company has one of, and its directors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgservice.model import Scalar, Term, Triplet
from loaders.sec_cover import COVER, in_capitals, in_mixed_case
from loaders.sec_facts import Printed, printed

POSTS = {
    "is board member of": re.compile(
        r"(?i)(?<!managing )(?<!senior )(?<!executive )\bdirector\b(?! of)|\bchair\w* of the board\b"
    ),
    "is chair of": re.compile(r"(?i)(?<!vice )(?<!vice-)\bchair(?:man|woman|person)?\b(?! of (?!the board))"),
    "is chief executive officer of": re.compile(r"(?i)\bchief executive officer\b"),
    "is president of": re.compile(r"(?i)(?<!vice )(?<!vice-)\bpresident\b(?!,? of| and general)"),
    "is chief financial officer of": re.compile(r"(?i)\bchief financial officer\b"),
    "is chief accounting officer of": re.compile(r"(?i)\bchief accounting officer\b"),
}
_HEADED = re.compile(r"(?im)^\W*signatures?\W*$")
_SIGNED = re.compile(r"(?i)/s/\s*(?P<name>\S.*)|\*")
_TWICE = re.compile(r"(?i)(?P<name>.+?) (?P<again>(?P=name))")
_POST = re.compile(r"(?P<name>[^–—]+?)(?: [–—-] |, (?=[A-Z][a-z]{3}))(?P<post>.+)")
_TITLES = re.compile(r"^(?:(?:Dr|Mr|Mrs|Ms)\. )+|,? (?:M\.?D\.?|Ph\.?D\.?|CPA|Esq\.?)$")
_NAME = re.compile(r"(?:[^\W\d_][\w.’'-]* ){1,3}[^\W\d_][\w.’'-]+(?:,? (?:Jr\.?|Sr\.?|I{2,3}|IV))?")


def signers(text: str, known: dict[str, Scalar]) -> tuple[Triplet, ...]:
    """The triplets of a filing's last table of signatures, none where the company is unknown."""
    company = str(known.get("company", ""))
    headings = list(_HEADED.finditer(text, len(text) // 2))
    if not company or not headings:
        return ()
    start = headings[-1].end()
    signed = text[start : start + COVER]
    whole = Term(label=company, kind="entity", type="company")
    found: dict[tuple[str, str], Triplet] = {}
    for person, post, sentence in _signed(signed, printed(signed), text):
        for relation, pattern in POSTS.items():
            if pattern.search(post):
                subject = Term(label=person, kind="entity", type="person")
                triplet = Triplet(subject=subject, relation=relation, object=whole, sentence=sentence)
                found.setdefault((person, relation), triplet)
    return tuple(found.values())


def _signed(signed: str, lines: list[Printed], text: str) -> Iterator[tuple[str, str, str]]:
    """Name, post and the lines that say so of everybody who signed in a table."""
    for at, line in enumerate(lines):
        below = lines[at + 1] if at + 1 < len(lines) else None
        for column, cell in enumerate(line.cells):
            signature = _SIGNED.fullmatch(cell)
            if not signature:
                continue
            under = below.cells[column] if below is not None and column < len(below.cells) else ""
            parted = _POST.fullmatch(under)
            posts = (one for one in line.cells[column + 1 :] if one and not _SIGNED.fullmatch(one))
            post = parted["post"] if parted else next(posts, "")
            spelt = (parted["name"] if parted else under, signature["name"] or "")
            name = next((one for each in spelt if (one := _spelt(each, text))), "")
            if name and post and (not signature["name"] or _alike(name, signature["name"])):
                last = below if below is not None and name in below.text else line
                yield name, post, signed[line.start : last.end]


def _spelt(name: str, text: str) -> str:
    """A person's name in mixed case, "" for anything else."""
    twice = _TWICE.fullmatch(name.strip())
    name = _TITLES.sub("", twice["again"] if twice else name.strip())
    name = in_mixed_case(name, text)
    return name if _NAME.fullmatch(name) and not in_capitals(name) else ""


def _alike(name: str, signature: str) -> bool:
    """True where the name below a signature is that of who signed, by its last word."""
    last = re.sub(r",? (?:Jr|Sr|I{2,3}|IV)\.?$", "", name).split()[-1]
    return last.lower() in signature.lower()
