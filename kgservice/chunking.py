"""Documents to chunks: paragraphs, tables and sections stay whole (RARE, section 3.1 and appendix A)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from kgservice.errors import BadRequest
from kgservice.model import Chunk, Document

TOKENS = 600  # RARE, section 3.1: "approximately 600 tokens"
SHORT = 30  # RARE, appendix A.1: fragments below 30 words are merged
CHARS = re.compile(r"chars:([0-9]{1,7}):([0-9]{1,7})")

_TOKEN = re.compile(r"\w+|[^\w\s]")
_LINE = re.compile(r"[^\n\f]*(?:[\n\f]|\Z)")
_HASHES = re.compile(r"(#{1,6})[ \t]+(\S.*?)[ \t#]*")
_ITEM = re.compile(r"((?:PART|CHAPTER) +[0-9IVX]+\b.*)|(?:ITEM|Item|SECTION) +[0-9IVX]+[A-Z]?[.:].*")
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_RULE = re.compile(r"\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?")
_CAPTION = re.compile(r"[*_]*(?:table|exhibit|chart|figure|box|annex)\s+[\dA-Z]|(?:\*\*|__).+(?:\*\*|__):?$", re.I)
_UNTITLED = re.compile(r"[-*>+#]\s|\d+[.)]\s|```|~~~")
_NOTE = re.compile(r"[*_]*(?:notes?|sources?|remarks?)\b[*_ ]*:|[†‡§¹²³^]|\\\*|\(\d\)\s|\(?[*]\)?\s?", re.I)


class Table(NamedTuple):
    """A pipe table, `text[first:last]`; with the caption before it and the notes after it, `text[start:end]`."""

    start: int
    first: int
    last: int
    end: int


class _Block(NamedTuple):
    """Lines that stay together; `section` is the heading path they stand under."""

    kind: Literal["heading", "paragraph", "table"]
    start: int
    end: int
    page: int
    section: str = ""
    level: int = 0
    table: Table | None = None
    tokens: int = 0
    words: int = 0


class _Piece(NamedTuple):
    start: int
    end: int
    section: str
    page: int
    table: bool
    kind: Literal["text", "table", "triple"] = "text"


def check_chunking(how: str) -> None:
    """Refuse a way of chunking that does not exist (BadRequest)."""
    chars = CHARS.fullmatch(how)
    if how not in ("rare", "page") and not (chars and int(chars[2]) < int(chars[1])):
        raise BadRequest(
            f'no chunking {how!r}: write "rare", "page" or "chars:SIZE:OVERLAP", such as "chars:500:100" '
            "(the overlap smaller than the size)"
        )


def chunks(document: Document, how: str = "rare") -> list[Chunk]:
    """Return the document's chunks in order; BadRequest if `how` is none of the forms.

    "rare": about 600 tokens, across no heading, paragraph or table; "chars:500:100": LangChain's recursive splitter
    (DRAGON's); "page": one chunk a page (PluriHop's). A document of type "triple" is one chunk.
    """
    check_chunking(how)
    text = document.text
    blocks = _blocks(text)
    if not blocks:
        return []
    if document.doc_type == "triple":
        pieces = iter([_Piece(0, len(text), "", 1, False, "triple")])
    elif how == "rare":
        pieces = _packed(text, blocks)
    elif how == "page":
        pieces = (_joined(list(page)) for _, page in groupby(blocks, key=lambda block: block.page))
    else:
        pieces = _windows(text, blocks, how)
    paged = "\f" in text
    return [
        Chunk(
            index=index,
            kind=piece.kind,
            contains_table=piece.table,
            section=piece.section,
            page=piece.page if paged else None,
            start=piece.start,
            end=piece.end,
            text=text[piece.start : piece.end],
            tokens=_tokens(text, piece.start, piece.end),
        )
        for index, piece in enumerate(pieces)
    ]


def tables(text: str) -> list[Table]:
    """Return the pipe tables of a Markdown text in order."""
    return [block.table for block in _blocks(text) if block.table]


def _tokens(text: str, start: int, end: int) -> int:
    return sum(1 for _ in _TOKEN.finditer(text, start, end))


def _packed(text: str, blocks: list[_Block]) -> Iterator[_Piece]:
    """RARE's chunks. Headings wait for what follows them, and so does anything below 30 words before a paragraph."""
    waiting: list[_Block] = []
    for block in blocks:
        full = sum(b.words for b in waiting) >= SHORT
        if block.kind == "heading":
            if full:
                yield _joined(waiting)
                waiting = []
            waiting.append(block)
            continue
        for part in _parts(text, block):
            body = max((at + 1 for at, b in enumerate(waiting) if b.kind != "heading"), default=0)
            over = sum(b.tokens for b in waiting) + part.tokens > TOKENS and sum(b.words for b in waiting) >= SHORT
            if body and (over or part.table):
                yield _joined(waiting[:body])
                waiting = waiting[body:]
            waiting.append(part)
        if block.table:
            yield _joined(waiting)._replace(kind="table")
            waiting = []
    if waiting:
        yield _joined(waiting)


def _parts(text: str, block: _Block) -> Iterator[_Block]:
    """The block itself, or a paragraph above 600 tokens cut at sentences, or a sentence above that cut at tokens."""
    if block.table or block.tokens <= TOKENS:
        yield block
        return
    start = end = block.start
    count = 0
    for a, b in _cut(text, block):
        size = _tokens(text, a, b)
        if count and count + size > TOKENS:
            yield block._replace(start=start, end=end, tokens=count, words=count)
            start, count = a, 0
        end, count = b, count + size
    yield block._replace(start=start, end=end, tokens=count, words=count)


def _cut(text: str, block: _Block) -> Iterator[tuple[int, int]]:
    for a, b in sentences(text[block.start : block.end]):
        tokens = [found.span() for found in _TOKEN.finditer(text, block.start + a, block.start + b)]
        for at in range(0, len(tokens), TOKENS):
            yield tokens[at][0], tokens[min(at + TOKENS, len(tokens)) - 1][1]


def _joined(blocks: list[_Block]) -> _Piece:
    """One chunk of neighbouring blocks; its section is that of its longest block."""
    longest = max(blocks, key=lambda block: (block.kind != "heading", block.tokens if block.kind != "heading" else 0))
    if longest.kind == "heading":
        longest = blocks[-1]
    table = any(block.table for block in blocks)
    return _Piece(blocks[0].start, blocks[-1].end, longest.section, blocks[0].page, table)


def _windows(text: str, blocks: list[_Block], how: str) -> Iterator[_Piece]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    _, size, overlap = how.split(":")
    splitter = RecursiveCharacterTextSplitter(chunk_size=int(size), chunk_overlap=int(overlap), add_start_index=True)
    starts = [block.start for block in blocks]
    for window in splitter.create_documents([text]):
        start = int(window.metadata["start_index"])
        end = start + len(window.page_content)
        first = max(bisect_right(starts, start) - 1, 0)
        inside = blocks[first : bisect_right(starts, end - 1)]
        table = any(b.table and b.table.first < end and b.table.last > start for b in inside)
        yield _Piece(start, end, blocks[first].section, blocks[first].page, table)


def _blocks(text: str) -> list[_Block]:
    """The blocks of a text in order; together they hold all of it that is not blank."""
    runs = list(_runs(text))
    path: dict[int, str] = {}
    blocks: list[_Block] = []
    for at, run in enumerate(runs):
        if blocks and run.start < blocks[-1].end:  # a note of the table before
            continue
        start, end, table = run.start, run.end, None
        if run.kind == "table":
            start, end = _caption(text, blocks, run), _notes(text, run, runs[at + 1 : at + 5])
            table = Table(start, run.start, run.end, end)
        elif run.kind == "heading":
            marked = _HASHES.fullmatch(text, start, end)
            title = marked[2] if marked else text[start:end].split("\n")[0].strip()
            path = {level: above for level, above in path.items() if level < run.level} | {run.level: title}
        size, words = _tokens(text, start, end), len(text[start:end].split())
        section = " > ".join(path.values())
        blocks.append(run._replace(start=start, end=end, section=section, table=table, tokens=size, words=words))
    return blocks


def _runs(text: str) -> Iterator[_Block]:
    """Neighbouring lines of one kind, between blank lines and page breaks."""
    run: _Block | None = None
    page, fenced, before = 1, False, 0
    for found in _LINE.finditer(text):
        line = found[0].strip()
        start = found.end() - len(found[0].lstrip())
        fence = line.startswith(("```", "~~~"))
        kind, level = ("paragraph", 0) if fenced or fence else _kind(text, line, found.end(), run, before)
        if run and kind == "underline":
            yield run._replace(kind="heading", end=start + len(line), level=level)
            run = None
        elif run and kind == "header":  # the line before was a table's header without outer pipes
            if run.start < before:
                yield run._replace(end=len(text[:before].rstrip()) if False else before)
            run = _Block("table", before, start + len(line), page)
        elif run and kind == run.kind:
            run = run._replace(end=start + len(line))
        ...


def _caption(text: str, blocks: list[_Block], run: _Block) -> int:
    """Where the table's caption starts; takes it off the blocks before."""
    start = run.start
    nearer = ""
    while blocks and blocks[-1].kind == "paragraph" and _near(text, blocks[-1], start, run.page):
        block = blocks[-1]
        named = _CAPTION.match(text, block.start)
        ...
    return start
