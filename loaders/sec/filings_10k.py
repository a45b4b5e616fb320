"""10-K filings as published by the SEC: HTML (with or without inline XBRL), PDF and text."""

from __future__ import annotations

import re
from contextlib import closing

from kgservice.core.records import Document, Problem
from loaders.html import HtmlPage, drop, markdown, parsed_page
from loaders.pdf import PdfReader
from loaders.sec.cover import cover, signed, tagged
from loaders.sec.facts import cover_triplets
from loaders.sec.page import (
    BREAK,
    blocks,
    break_pages,
    contents,
    furniture,
    scales,
    set_headings,
    set_notes,
    set_spaces,
)
from loaders.sec.sections import FilingLine, Section, marked, part, sections, statements, statements_title
from loaders.sec.signers import signers
from loaders.shared.fields import Refused
from loaders.shared.files import File, decoded, matches, read_bytes
from loaders.shared.loader import DocumentLoader

PDF = (".pdf",)
LEAST = 3  # Items; a text with fewer is no 10-K
_MARKUP = re.compile(rb"<(?:html|!doctype|\?xml|div|p|body|font|tr)\b", re.IGNORECASE)  # <TABLE> is in EDGAR's text too
_TYPE = re.compile(rb"^<TYPE>10-K", re.MULTILINE | re.IGNORECASE)
_BEGIN, _END = re.compile(rb"<TEXT>", re.IGNORECASE), re.compile(rb"</TEXT>", re.IGNORECASE)
_CIK = re.compile(rb"CENTRAL INDEX KEY:\s*(\d{1,10})\b")
_SIGNED = re.compile(r"requirements\s+of\s+(?:section\s+13|the\s+securities\s+exchange\s+act)", re.IGNORECASE)
_EXHIBIT = re.compile(r"\f[^\w\f]*exhibit\s+(\d[\w.]*)", re.IGNORECASE)
_ANNUAL_REPORT = re.compile(r"13(?!\d)")
_CUT = re.compile(r"(?<![.!?:;|*\s])\n*\f\n*(?=[a-z])([^\n\f]+)")


class Filing10kLoader(DocumentLoader):
    """A loader of .html, .htm, .xhtml, .pdf and .txt filings, one document each, with parts and Items as headings.

    Metadata: company, ticker, cik, fiscal_year, period, form, `items` ("1 1A 1B …"), `items_by_reference`, and
    `items_indexed` if only an index at the end names them without text under headings. Pages are the printed ones. Page
    numbers, running headers and links to the contents are dropped. So are exhibits, which are documents of their own: a
    submission's, and those behind a PDF's signatures but for the annual report (`exhibits_left_out`: their numbers).
    """

    suffixes = (".html", ".htm", ".xhtml", ".pdf", ".txt")

    def document(self, file: File) -> Document | Problem:
        """Return the filing. Raises Refused if it has no Items."""
        if matches(file.path.name, PDF):
            with closing(PdfReader()) as reader:
                read = reader.document(file)
            if isinstance(read, Problem):
                return read
            filing = _plain(read.text, file.name, {})
            return filing if filing.published else filing.model_copy(update={"published": read.published})
        data = read_bytes(file)
        if isinstance(data, Problem):
            return data
        data, said = _submitted(data)
        if matches(file.path.name, (".txt",)) and not _MARKUP.search(data[:2_000]):
            text = decoded(data, file.name)
            return text if isinstance(text, Problem) else _plain(re.sub(r"(?i)<PAGE>", "\f", text), file.name, said)
        return _tagged(parsed_page(data), file.name, said)


def read_page(page: HtmlPage) -> list[Section]:
    """Return the filing's Items by the offsets of its HTML source, and reduce the page to text under headings."""
    break_pages(page)
    drop(page)
    set_spaces(page)
    set_notes(page)
    page_blocks = blocks(page)
    lines = [block.line() for block in page_blocks]
    items = sections(lines, len(page.source))
    begin = statements(lines, items)
    heads = [item.line for item in items if not item.indexed]
    lists = contents(page_blocks, items)
    edges = [block for block in furniture(page_blocks) if not any(block is page_blocks[line] for line in heads)]
    scale = scales(edges, page_blocks, sorted({*heads, begin} - {-1}))
    for block in edges:
        block.remove()
    for table in lists:
        table.decompose()
    set_headings(page_blocks, items, begin, scale)
    return items


def _submitted(data: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the 10-K of a complete submission, with the CIK of its header. Anything else is returned as it is.

    A submission (EDGAR's Public Dissemination Service) is a header and documents, each with its <TYPE> and <TEXT>.
    """
    kind = _TYPE.search(data)
    begin = _BEGIN.search(data, kind.end()) if kind else None
    if not (kind and begin):
        return data, {}
    end, cik = _END.search(data, begin.end()), _CIK.search(data, 0, kind.start())
    text = data[begin.end() : end.start() if end else len(data)].strip()
    return text, {"cik": cik[1].decode()} if cik else {}


def _tagged(page: HtmlPage, source: str, said: dict[str, str]) -> Document:
    """Return an HTML filing. Its headings are set in the page, which then becomes Markdown."""
    tags = said | tagged(page)
    items = read_page(page)
    text = re.sub(rf"\s*{BREAK}\s*", "\n\n\f\n", markdown(page, page.deadline))
    return _document(_CUT.sub(r" \1\n\n\f\n", text), source, items, tags)


def _plain(text: str, source: str, said: dict[str, str]) -> Document:
    """Return a text filing, without its exhibits. Its headings are set line by line."""
    text, exhibits = _without_exhibits(text)
    lines, start = [], 0
    for line in re.split(r"(?<=[\n\f])", text):
        lines.append(FilingLine(line.strip(), start, line.startswith("|")))
        start += len(line)
    items = sections(lines, len(text))
    heads = {item.line: item for item in items if not item.indexed}
    output = [line.text for line in lines]
    for at, line in enumerate(lines):
        if item := heads.get(at):
            rest = line.text[len(item.title) :]
            output[at] = f"\n## {marked(item)}\n\n{rest}"
            for after in range(at + 1, at + 3):
                if len(item.title) > len(line.text) and item.title.endswith(output[after]):
                    output[after] = ""
        elif name := part(line.text):
            output[at] = f"\n# {name}\n"
    if (first := statements(lines, items)) >= 0:
        output[first] = f"\n## {statements_title(items)}\n\n{output[first]}"
    ends = (text[line.start - 1] if line.start else "" for line in lines)
    whole = "".join(end + each for end, each in zip(ends, output, strict=True))
    filing = _document(re.sub(r"\n{3,}", "\n\n", whole), source, items, said)
    left_out = {"exhibits_left_out": " ".join(exhibits)} if exhibits else {}
    return filing.model_copy(update={"metadata": filing.metadata | left_out})


def _without_exhibits(text: str) -> tuple[str, list[str]]:
    """Return a filing without the exhibits behind its signatures, and their numbers.

    An exhibit begins with a page that begins with "Exhibit 4.1". Exhibit 13 stays: it is the annual report that Items
    refer to.
    """
    signed_at = _SIGNED.search(text)
    found = list(_EXHIBIT.finditer(text, signed_at.end())) if signed_at else []
    if not found:
        return text, []
    ends = [one.start() for one in found[1:]] + [len(text)]
    kept, left_out = [text[: found[0].start()]], []
    for one, end in zip(found, ends, strict=True):
        if _ANNUAL_REPORT.match(one[1]):
            kept.append(text[one.start() : end])
        else:
            left_out.append(one[1])
    return "".join(kept), list(dict.fromkeys(left_out))


def _document(text: str, source: str, items: list[Section], said: dict[str, str]) -> Document:
    fields = cover(text, said)
    if len(items) < LEAST:
        raise Refused("no 10-K", f"only {len(items)} Items found; load other documents with html, pdf or text")
    references = {item.item: item.by_reference for item in items}
    fields["items"] = " ".join(references)
    fields |= (
        {"items_by_reference": elsewhere}
        if (elsewhere := " ".join(i for i, away in references.items() if away))
        else {}
    )
    named = [str(fields[key]) for key in ("company", "form", "fiscal_year") if key in fields]
    return Document(
        source=source,
        text=text,
        title=" ".join(named),
        doc_type="10-K",
        domain="finance",
        published=signed(text, str(fields.get("period", ""))),
        metadata=fields,
        stated=(*cover_triplets(text, fields, said), *signers(text, fields)),
    )
