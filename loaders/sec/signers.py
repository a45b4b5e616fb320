"""The signers of a 10-K and their posts: (Ada Lun, is chair of, Acme Inc.), from the table under "Signatures".

A person on two boards joins two companies. The board is an entity of its own, or its dozen members would make the
company a hub, which no question asks about: (Ada Lun, sits on, Board of Directors of Acme Inc.). A row is "/s/ Ada Lun
| Director | …", or "/s/ Ada Lun" with "Ada Lun – Director" or two rows below. "*" is a signature by proxy. The posts
are those that a company has one of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from kgservice.core.records import Scalar, Term, Triplet
from loaders.sec.cover import COVER, SIGNATURES, in_capitals, in_mixed_case
from loaders.sec.facts import Printed, printed

SITS = "sits on"
_CHAIR = r"(?<!vice )(?<!vice-)\bchair(?:man|woman|person)?\b(?! of (?!the board))"
POSTS = {
    SITS: re.compile(
        r"(?i)(?<!managing )(?<!senior )(?<!executive )\bdirector\b(?! of)|\bchair\w* of the board\b|\bboard chair|"
        rf"{_CHAIR}"
    ),
    "is chair of": re.compile(rf"(?i){_CHAIR}"),
    "is chief executive officer of": re.compile(r"(?i)\bchief executive officer\b"),
    "is president of": re.compile(r"(?i)(?<!vice )(?<!vice-)\bpresident\b(?!,? of| and general)"),
    "is chief financial officer of": re.compile(r"(?i)\bchief financial officer\b"),
    "is chief accounting officer of": re.compile(r"(?i)\bchief accounting officer\b"),
}
ROWS = 3  # rows below a signature that may name its signer
MOST = 100  # signers
_SIGNED = re.compile(r"(?i)/s/\s*(?P<name>\S.{0,300})|\*")
_TWICE = re.compile(r"(?i)(?P<name>.+?) (?P<again>(?P=name))(?: (?P<post>.+))?")
_TITLES = re.compile(r"^(?:(?:Dr|Mr|Mrs|Ms)\. )+|,? (?:M\.?D\.?|Ph\.?D\.?|CPA|Esq\.?)$")
_HEADING = re.compile(r"(?i)\|? *[^|:]*\b(?:officer|director)s?:[ |]*")  # "Principal Executive Officer and Director:"
_NAME = re.compile(r"(?:[^\W\d_][\w.’'-]* ){1,3}[^\W\d_][\w.’'-]+(?:,? (?:Jr\.?|Sr\.?|I{2,3}|IV))?")
_DIRECTOR = re.compile(rf"(?P<name>{_NAME.pattern}?)(?: [–—-] |, | )(?P<post>(?:(?:Lead|Independent) )*Director\b.*)")


def signers(text: str, known: dict[str, Scalar]) -> tuple[Triplet, ...]:
    """Return the triplets of a filing's last table of signatures, () if the company is unknown."""
    company = str(known.get("company", ""))
    headings = list(SIGNATURES.finditer(text, len(text) // 2))
    if not company or not headings:
        return ()
    start = headings[-1].end()
    signed = text[start : start + COVER]
    whole = Term(label=company, kind="entity", type="company")
    board = Term(label=f"Board of Directors of {company}", kind="entity", type="board")
    triplets: dict[tuple[str, str], Triplet] = {}
    for name, post, sentence in islice(_signed(signed, printed(signed)), MOST):
        person = Term(label=in_mixed_case(name, text), kind="entity", type="person")
        if _NAME.fullmatch(person.label) and not in_capitals(person.label):
            for relation, pattern in POSTS.items():
                if pattern.search(post):
                    over = board if relation == SITS else whole
                    triplet = Triplet(subject=person, relation=relation, object=over, sentence=sentence)
                    triplets.setdefault((person.label, relation), triplet)
    return tuple(triplets.values())


def _signed(signed: str, lines: list[Printed]) -> Iterator[tuple[str, str, str]]:
    """Yield name, post and source lines of each signer with one of POSTS."""
    for at, line in enumerate(lines):
        for column, cell in enumerate(line.cells):
            if signature := _SIGNED.fullmatch(cell):
                below = _below(lines, at, column)
                name, own = _person(signature["name"] or "", below[0].cells[column] if below else "")
                above = lines[at - 1] if at else line
                if name and _HEADING.fullmatch(above.text) and POSTS[SITS].search(above.text):
                    yield name, above.text, signed[above.start : line.end]
                alone = not any(_SIGNED.fullmatch(other) for other in line.cells[column + 1 :])
                posts = [(line if own in cell else below[0], own)] if own else []
                posts += [(line, one) for one in line.cells[column + 1 :] if alone]
                posts += [(row, one) for row in below for one in row.cells[column : None if alone else column + 1]]
                for row, post in posts:
                    if name and any(pattern.search(post) for pattern in POSTS.values()):
                        last = below[0] if row is line and below and name in below[0].text else row
                        yield name, post, signed[line.start : last.end]
                        break


def _below(lines: list[Printed], at: int, column: int) -> list[Printed]:
    """Return the rows from a signature to the next one."""
    rows: list[Printed] = []
    signature = lines[at].cells[column].removeprefix("*")
    for row in lines[at + 1 : at + 1 + ROWS]:
        if (
            column >= len(row.cells)
            or _HEADING.fullmatch(row.text)
            or any(_SIGNED.fullmatch(cell) for cell in row.cells)
        ):
            break
        cell = _TITLES.sub("", row.cells[column])
        if signature and cell and not rows and not _alike(cell, signature) and not _is_post(cell):
            break  # another signer's
        rows.append(row)
    return rows


def _alike(name: str, signature: str) -> bool:
    """Return whether a cell has the name of a signature, or its last word."""
    words = re.sub(r",? (?:Jr|Sr|I{2,3}|IV)\.?$", "", name).split()
    signed = re.sub(r"(?i)^/s/ ?", "", signature).lower()
    return bool(words) and (words[-1].lower() in signed or name.lower().startswith(signed))


def _is_post(text: str) -> bool:
    return any(pattern.match(text) for pattern in POSTS.values())


def _person(signature: str, under: str) -> tuple[str, str]:
    """Return the signer in mixed case if either spelling has it, and the post in the same cell, or ""."""
    under = _TITLES.sub("", under)
    if twice := _TWICE.fullmatch(signature):
        return twice["again"], twice["post"] or ""
    if not signature:  # by proxy
        proxy = _DIRECTOR.fullmatch(under)
        return (proxy["name"], proxy["post"]) if proxy else (under, "")
    if under.lower().startswith(signature.lower()):
        name, post = under[: len(signature)], under[len(signature) :].strip(" –—-,")
        return signature if in_capitals(name) else name, post
    return under if _alike(under, signature) and in_capitals(signature) else signature, ""
