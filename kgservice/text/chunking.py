"""Chunking of documents: paragraphs, tables and sections stay whole (RARE, section 3.1 and appendix A)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from kgservice.core.errors import BadRequest
from kgservice.core.records import Chunk, Document
from kgservice.text.fences import fences
from kgservice.text.sentences import sentences

TOKENS = 600  # RARE, section 3.1: "approximately 600 tokens"
SHORT = 30  # RARE, appendix A.1: fragments below 30 words are merged
LEAD = 600  # most characters of a paragraph that introduces a table and ends with a colon
DOMAINS = {"10-K": "tokens:800:100"}  # RARE, appendix A.1, finance: "rare" for this type of document

_OTHER, _OTHERS = 0x20000, 0xE0000  # characters that are no white space: where they begin, how many there are
_SIZED = re.compile(r"(chars|tokens):([0-9]{1,7}):([0-9]{1,7})")
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LINE = re.compile(r"[^\n\f]*(?:[\n\f]|\Z)")
_HEADING = re.compile(r"(#{1,6})[ \t]+\S.*")
_HASH = re.compile(r"^#+[ \t]+|[ \t]+#+$")
_ITEM = re.compile(r"((?:PART|CHAPTER) +[0-9IVX]+\b.*)|(?:ITEM|Item|SECTION) +[0-9IVX]+[A-Z]?[.:].*")
_PIPE = re.compile(r"[ \t]*\|")
_RULE = re.compile(r"(?=[^\n|]*\|)[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*(?:\n|\Z)")
_CAPTION = re.compile(r"[*_]*(?:table|exhibit|chart|figure|box|annex)\s+[\dA-Z]|(?:\*\*|__).+(?:\*\*|__):?$", re.I)
_UNTITLED = re.compile(r"^(?:[-*>+#]\s|\d+[.)]\s|```|~~~)|[.!?;,]$")
_NOTE = re.compile(r"[*_]*(?:notes?|sources?|remarks?)\b[*_ ]*:|[†‡§¹²³^]|\\\*|\(\d\)\s", re.I)
_STAR = re.compile(r"\(?\*(?!\*)")

_Kind: TypeAlias = Literal["heading", "paragraph", "table"]
PLAIN: tuple[_Kind, int] = ("paragraph", 0)


class TextTable(NamedTuple):
    """A pipe table, `text[first:last]`, and with its caption and notes `text[start:end]`."""

    start: int
    first: int
    last: int
    end: int


class _Packing(NamedTuple):
    """The size and overlap of chunks in tokens, and the heading level down to which a section starts a chunk."""

    tokens: int = TOKENS
    overlap: int = 0
    parting: int = 0


class _Block(NamedTuple):
    """Lines that stay together. `section` is the path of their headings."""

    kind: _Kind
    start: int
    end: int
    page: int
    section: str = ""
    level: int = 0
    table: TextTable | None = None
    tokens: int = 0
    words: int = 0


def check_chunking(how: str) -> None:
    """Reject an unknown way of chunking. Raises BadRequest."""
    sized = _SIZED.fullmatch(how)
    if how not in ("rare", "page") and not (sized and int(sized[3]) < int(sized[2])):
        forms = 'rare, page, chars:SIZE:OVERLAP or tokens:SIZE:OVERLAP, such as "chars:500:100"'
        raise BadRequest(f"no chunking {how!r}: write {forms}")


def chunks(document: Document, how: str = "rare") -> list[Chunk]:
    """Return the document's chunks in order.

    "rare": about 600 tokens, whole paragraphs, tables apart, a new section in a new chunk once the last is half full.
    For a 10-K filing "rare" is "tokens:800:100": up to 800 tokens within one Item, up to 100 tokens of last sentences
    of the chunk before repeated, and short fragments before a table joined to it. "chars:500:100": LangChain's
    recursive splitter (DRAGON's). "page": one chunk a form-feed page (PluriHop's). A document of type "triple" is one
    chunk. Raises BadRequest if `how` is none of these forms.
    """
    check_chunking(how)
    text, how = document.text, DOMAINS.get(document.doc_type, how) if how == "rare" else how
    blocks = _blocks(text)
    if not blocks:
        return []
    if document.doc_type == "triple":
        pieces = iter([_chunk(text, _Block("paragraph", 0, len(text), 1), "triple")])
    elif how == "rare":
        pieces = _packed(text, blocks, _Packing())
    elif how == "page":
        pieces = (_chunk(text, _joined(list(page))) for _, page in groupby(blocks, key=lambda block: block.page))
    else:
        unit, size, overlap = how.split(":")
        if unit == "tokens":
            pieces = _packed(text, blocks, _Packing(int(size), int(overlap), parting=2))
        else:
            pieces = _windows(text, blocks, int(size), int(overlap))
    return [piece.but(index=index) for index, piece in enumerate(pieces)]


def tables(text: str) -> list[TextTable]:
    """Return the pipe tables of a Markdown text in order."""
    return [block.table for block in _blocks(text) if block.table]


@lru_cache(maxsize=8)  # a block is often a chunk
def _tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def _chunk(whole: str, at: _Block, kind: Literal["text", "table", "triple"] = "text") -> Chunk:
    """Return the block as a chunk with index 0."""
    text, page = whole[at.start : at.end], at.page if "\f" in whole else None
    place = {"section": at.section, "page": page, "start": at.start, "end": at.end}
    return Chunk(index=0, kind=kind, contains_table=bool(at.table), text=text, tokens=_tokens(text), **place)


def _joined(blocks: list[_Block]) -> _Block:
    """Return neighbouring blocks as one, in the section of the longest, or of the last if all are headings."""
    longest = max(reversed(blocks), key=lambda block: (block.kind != "heading") * (1 + block.tokens))
    table = next((block.table for block in blocks if block.table), None)
    return blocks[0]._replace(end=blocks[-1].end, section=longest.section, table=table)


def _packed(text: str, blocks: list[_Block], by: _Packing) -> Iterator[Chunk]:
    """Yield RARE's chunks. A heading closes a chunk that is half full, and waits for the text after it."""
    waiting: list[_Block] = []
    size = words = last = 0  # of those that wait: tokens, words, how many up to the last that is no heading
    for block in blocks:
        for part in _parts(text, block, by.tokens):
            body = len(waiting) if size > by.tokens and not last else last  # only headings
            full = by.tokens // 2 if block.kind == "heading" else by.tokens - part.tokens + 1
            full = 0 if 0 < block.level <= by.parting else full
            over = words >= SHORT and size >= full
            if body and (over or (block.table and (words >= SHORT or not by.parting))):
                closed, waiting = waiting[:body], waiting[body:]
                size, words, last = sum(b.tokens for b in waiting), sum(b.words for b in waiting), 0
                yield _chunk(text, _joined(closed))
                part = part if waiting or part.kind != "paragraph" else _again(text, closed, part, by)  # noqa: PLW2901
            waiting.append(part)
            size, words = size + part.tokens, words + part.words
            last = last if part.kind == "heading" else len(waiting)
        if block.table:
            yield _chunk(text, _joined(waiting), "table")
            waiting, size, words, last = [], 0, 0, 0
    if waiting:
        yield _chunk(text, _joined(waiting))


def _again(text: str, closed: list[_Block], part: _Block, by: _Packing) -> _Block:
    """Return the part with the last sentences of the chunk before it, as many whole ones as fit."""
    body = closed[max((at + 1 for at, block in enumerate(closed) if block.kind == "heading"), default=0) :]
    room = min(by.overlap, by.tokens - part.tokens)
    if not body or room <= 0:
        return part
    first = body[0].start
    for start, end in reversed(sentences(text[first : body[-1].end])):
        room -= (size := _tokens(text[first + start : first + end]))
        if room < 0:
            break
        page = next(block.page for block in reversed(body) if block.start <= first + start)
        part = part._replace(start=first + start, page=page, tokens=part.tokens + size)
    return part


def _parts(text: str, block: _Block, most: int) -> Iterator[_Block]:
    """Yield the block, or parts of a paragraph above `most` tokens, split at sentences or, if needed, at tokens."""
    if block.kind != "paragraph" or block.tokens <= most:
        yield block
        return
    part = block._replace(end=block.start, tokens=0)
    for start, end in sentences(text[block.start : block.end]):
        tokens = [token.span() for token in _TOKEN.finditer(text, block.start + start, block.start + end)]
        for at in range(0, len(tokens), most):
            some = tokens[at : at + most]
            if part.tokens and part.tokens + len(some) > most:
                yield part
                part = part._replace(start=some[0][0], tokens=0)
            part = part._replace(end=some[-1][1], tokens=part.tokens + len(some))
    yield part


def _windows(text: str, blocks: list[_Block], size: int, overlap: int) -> Iterator[Chunk]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap, add_start_index=True)
    starts = [block.start for block in blocks]
    for window in splitter.create_documents([_told_apart(text)]):
        start = int(window.metadata["start_index"])
        end = start + len(window.page_content)
        first = max(bisect_right(starts, start) - 1, 0)
        inside = blocks[first : bisect_right(starts, end - 1)]
        table = next((b.table for b in inside if b.table and b.table.first < end and b.table.last > start), None)
        yield _chunk(text, blocks[first]._replace(start=start, end=end, table=table))


def _told_apart(text: str) -> str:
    """Return a text of as many characters in which any but white space differs from those around it.

    LangChain looks for each piece from the overlap on, and finds a short one ("the") where it is no piece. Where a
    piece ends depends on white space alone.
    """
    return "".join(sign if sign.isspace() else chr(_OTHER + at % _OTHERS) for at, sign in enumerate(text))


def _blocks(text: str) -> list[_Block]:
    """Return the blocks of a text in order. Together they hold all of it that is not blank."""
    runs = list(_runs(text))
    path: dict[int, str] = {}
    section = ""
    blocks: list[_Block] = []
    for at, run in enumerate(runs):
        if blocks and run.start < blocks[-1].end:  # a note of the table before it
            continue
        start, end, table = run.start, run.end, None
        if run.kind == "table":
            start, end = _caption(text, blocks, run), _notes(text, run, runs[at + 1 : at + 5])
            table = TextTable(start, run.start, run.end, end)
        elif run.kind == "heading":
            title = _HASH.sub("", text[start:end]).strip()
            path = {level: above for level, above in path.items() if level < run.level} | {run.level: title}
            section = " > ".join(path.values())
        size, words = _tokens(text[start:end]), len(text[start:end].split())
        blocks.append(run._replace(start=start, end=end, section=section, table=table, tokens=size, words=words))
    return blocks


def _runs(text: str) -> Iterator[_Block]:
    """Yield runs of neighbouring lines of one kind, between blank lines and page breaks."""
    run: _Block | None = None
    page, code = 1, fences(text)[::-1]
    for match in _LINE.finditer(text):
        line = match[0].strip()
        start = match.end() - len(match[0].lstrip())
        while code and code[-1][1] <= match.start():
            code.pop()
        fenced = bool(code) and code[-1][0] <= match.start()
        kind, level = PLAIN if fenced or not line else _kind(text, line, match.end(), run)
        if run and (not line or kind != run.kind or kind == "heading"):
            yield run
            run = None
        if line:
            end = start + len(line)
            run = run._replace(end=end) if run else _Block(kind, start, end, page, level=level)
        if match[0].endswith("\f"):
            yield from [run] if run else []
            run, page = None, page + 1
    if run:
        yield run


def _kind(text: str, line: str, after: int, run: _Block | None) -> tuple[_Kind, int]:
    """Return the kind of a line (heading, table or paragraph) with the level of a heading."""
    if len(line) <= 300 and (hashes := _HEADING.fullmatch(line)):
        return "heading", len(hashes[1])
    if run is None and len(line) <= 150 and (item := _ITEM.fullmatch(line)):
        return "heading", 1 if item[1] else 2
    outer = line.startswith("|")
    if "|" in line and (
        (run and run.kind == "table" and (outer or text[run.start] != "|"))
        or (outer and _PIPE.match(text, after))
        or _RULE.match(text, after)
    ):
        return "table", 0
    return PLAIN


def _caption(text: str, blocks: list[_Block], run: _Block) -> int:
    """Return the start of a table's caption, and remove the caption from the blocks before."""
    start = run.start
    while blocks and _close(text, blocks[-1], blocks[-1].end, start, run.page):
        block = blocks[-1]
        lines = text[block.start : block.end].split("\n")
        captioned = [bool(len(line) <= 300 and _CAPTION.match(line.strip())) for line in lines[-3:]]
        titled = all(len(line) <= 120 and not _UNTITLED.search(line.strip()) for line in lines)
        if start == run.start and len(lines) == 1 and len(lines[0]) <= LEAD and lines[0].rstrip().endswith(":"):
            start = blocks.pop().start  # "The following table shows … (in millions):"
        elif len(lines) <= 3 and (captioned[0] or (titled and (start == run.start or text[start] == "("))):
            start = blocks.pop().start
        elif any(captioned) and text.count("\n", block.end, run.start) == 1:  # the last lines of a longer paragraph
            start = block.end - len("\n".join(lines[len(lines) - len(captioned) + captioned.index(True) :]))
            blocks[-1] = block._replace(end=block.start + len(text[block.start : start].rstrip()))
        if any(captioned) or start > block.start:
            break
    return start


def _notes(text: str, run: _Block, after: list[_Block]) -> int:
    """Return the end of a table's notes.

    A line with "*" is a note if the table has one or no blank line separates them.
    """
    end = run.end
    starred = "*" in text[run.start : run.end]
    for note in after:
        star = _STAR.match(text, note.start) and (starred or text.count("\n", end, note.start) == 1)
        if not (_close(text, note, end, note.start, run.page) and (star or _NOTE.match(text, note.start))):
            break
        end = note.end
    return end


def _close(text: str, block: _Block, start: int, end: int, page: int) -> bool:
    return block.kind == "paragraph" and block.page == page and text.count("\n", start, end) <= 2
