"""Markdown: one document a file, with what its front matter says about it."""

from __future__ import annotations

import re

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Refused, folded, is_scalar, moment
from loaders.shared.files import File, read_text
from loaders.shared.loader import DocumentLoader
from loaders.text import first_line, short

FRONT = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
ENTRY = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:[ \t]+(.+)")
HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*")
UNDERLINE, TITLE = re.compile(r"[ ]{0,3}(?:={3,}|-{3,})[ \t]*"), re.compile(r"[^\s#|>`*+-].{0,150}")
FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")


class MarkdownLoader(DocumentLoader):
    """Reads .md and .markdown files.

    Front matter is the simple `key: value` lines between two --- lines at the very start; lists and nested entries
    are left out. title, published (or published_at), doc_type, url and domain are the document's own, the others
    its metadata.
    """

    suffixes = (".md", ".markdown")

    def document(self, file: File) -> Document | Problem:
        """The one document of the file."""
        text = read_text(file)
        return text if isinstance(text, Problem) else _document(text, file.name)


def _document(text: str, source: str) -> Document:
    front = FRONT.match(text) if text.startswith("---") else None
    given = _entries(front[1]) if front else {}
    body = text[front.end() :] if front and given else text  # without an entry the --- is a rule between paragraphs
    body = _hashed(body)
    if not body.strip():
        raise Refused("empty", "nothing but front matter in the file")
    when = moment(str(given.pop("published", "")) or str(given.pop("published_at", "")))
    title = str(given.pop("title", "")) or _heading(body) or first_line(body)
    own = {key: str(given.pop(key)) for key in ("doc_type", "url", "domain") if key in given}
    return Document(
        source=source,
        text=body,
        title=short(folded(title)),
        doc_type=own.get("doc_type", "text"),
        url=own.get("url"),
        domain=own.get("domain"),
        published=when.date() if when else None,
        metadata=given,
    )


def _entries(front: str) -> dict[str, Scalar]:
    """The simple entries, read as YAML reads them: quotes taken off, numbers and true/false typed."""
    entries: dict[str, Scalar] = {}
    for line in front.split("\n"):
        found = ENTRY.fullmatch(line.rstrip())
        if found and found[2] not in ("null", "~", "|", ">"):
            value = _scalar(found[2])
            entries[found[1]] = value if is_scalar(value) else found[2]
    return entries


def _scalar(text: str) -> Scalar:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    text = text.split(" #", 1)[0].rstrip()
    if text in ("true", "false"):
        return text == "true"
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


def _hashed(body: str) -> str:
    """The text with headings that are underlined ("====") written with # as the others."""
    lines, fenced = body.split("\n"), False
    for at, line in enumerate(lines):
        fenced ^= bool(FENCE.match(line))
        above = lines[at - 1].strip() if at else ""
        alone = at < 2 or not lines[at - 2].strip()
        if not fenced and alone and UNDERLINE.fullmatch(line) and TITLE.fullmatch(above):
            lines[at - 1 : at + 1] = [f"{'#' if line.strip()[0] == '=' else '##'} {above}", ""]
    return "\n".join(lines)


def _heading(body: str) -> str:
    """The first heading outside code, without its marks; "" if there is none."""
    fenced = False
    for line in body.split("\n"):
        fenced ^= bool(FENCE.match(line))
        found = None if fenced else HEADING.fullmatch(line)
        if found:
            return found[1]
    return ""
