"""Markdown: one document a file, with the metadata of its front matter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date

from kgservice.core.records import Document, Problem, Scalar
from kgservice.text.fences import fences
from loaders.shared.fields import Refused, day, folded, is_scalar
from loaders.shared.files import File, read_text
from loaders.shared.loader import DocumentLoader
from loaders.text import file_title, first_line, short

FRONT = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
TOML = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
ENTRY = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:[ \t]+(.+)")
HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*")
UNDERLINE, TITLE = re.compile(r"[ ]{0,3}(?:={3,}|-{3,})[ \t]*"), re.compile(r"[^\s#|>`*+-].{0,150}")
PICTURE = re.compile(r"\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?")  # a badge is one in a link
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")


class MarkdownLoader(DocumentLoader):
    """A loader of .md and .markdown files.

    Front matter is the simple `key: value` lines between two --- lines at the very start, or TOML between two +++
    lines. Lists and nested entries are dropped. title, published (or published_at), doc_type, url and domain are the
    document's own, other keys its metadata.
    """

    suffixes = (".md", ".markdown")

    def document(self, file: File) -> Document | Problem:
        """Return the document of the file. Raises Refused if it has no text."""
        text = read_text(file)
        return text if isinstance(text, Problem) else _document(text, file.name)


def _document(text: str, source: str) -> Document:
    front = FRONT.match(text) if text.startswith("---") else TOML.match(text)
    entries = (_toml if text.startswith("+++") else _entries)(front[1]) if front else {}
    body = text[front.end() :] if front and entries else text  # without entries the --- is a rule between paragraphs
    body = _hashed(body)
    if not body.strip():
        raise Refused("empty", "nothing but front matter in the file")
    dates = [entries.pop(key, "") for key in ("published", "published_at")]  # "published: true" is Jekyll's
    title = str(entries.pop("title", "")) or _title(body, file_title(source))
    own = {key: str(entries.pop(key)) for key in ("doc_type", "url", "domain") if key in entries}
    return Document(
        source=source,
        text=body,
        title=short(folded(title)),
        doc_type=own.get("doc_type", "text"),
        url=own.get("url"),
        domain=own.get("domain"),
        published=next(filter(None, (day(str(one)) for one in dates if not isinstance(one, bool))), None),
        metadata=entries,
    )


def _entries(front: str) -> dict[str, Scalar]:
    """Return the simple entries as YAML reads them: without quotes, with typed numbers and true/false."""
    entries: dict[str, Scalar] = {}
    for line in front.split("\n"):
        match = ENTRY.fullmatch(line.rstrip())
        if match and match[2] not in ("null", "~", "|", ">"):
            value = _scalar(match[2])
            entries[match[1]] = value if is_scalar(value) else match[2]
    return entries


def _toml(front: str) -> dict[str, Scalar]:
    """Return the simple entries of TOML, dates as texts, or none if it is no TOML."""
    try:
        stated = tomllib.loads(front)
    except (ValueError, RecursionError):
        return {}
    entries = {key: value.isoformat() if isinstance(value, date) else value for key, value in stated.items()}
    return {key: value for key, value in entries.items() if is_scalar(value)}


def _scalar(text: str) -> Scalar:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    text = text.split(" #", 1)[0].rstrip()
    if text in ("true", "false"):
        return text == "true"
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


def _lines(body: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, each with whether it is fenced code."""
    code, at = fences(body)[::-1], 0
    for line in body.split("\n"):
        while code and code[-1][1] <= at:
            code.pop()
        yield line, bool(code) and code[-1][0] <= at
        at += len(line) + 1


def _hashed(body: str) -> str:
    """Return the text with underlined headings ("====") as # headings."""
    lines = [line for line, _ in _lines(body)]
    for at, (line, fenced) in enumerate(_lines(body)):
        above = lines[at - 1].strip() if at else ""
        alone = at < 2 or not lines[at - 2].strip()
        if not fenced and alone and UNDERLINE.fullmatch(line) and TITLE.fullmatch(above):
            lines[at - 1 : at + 1] = [f"{'#' if line.strip()[0] == '=' else '##'} {above}", ""]
    return "\n".join(lines)


def _title(body: str, file: str) -> str:
    """Return the first heading outside code if it is of the first level or the text begins with it, else the file's
    name where it tells anything, else that heading, else the first line.
    """
    begun = False
    for line, fenced in _lines(body):
        if not fenced and (match := HEADING.fullmatch(line)):
            whole = line.lstrip().startswith("# ") or not begun
            heading = PICTURE.sub("", match[1]).strip() or match[1]
            return heading if whole else file or heading
        begun = begun or any(map(str.isalnum, line))
    return first_line(body)
