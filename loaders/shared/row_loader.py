"""Rows of data sets: which column holds the text, the question, the title, and what goes to the metadata."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Json, Refused, day, folded, is_scalar
from loaders.shared.files import MAX_DOCUMENT, READ_ERRORS, File, failed
from loaders.shared.loader import FileLoader

TEXT = ("text", "content", "page_content", "passage", "context", "document", "article", "body")
QUESTION = ("question", "query", "user_input")
TITLE, URL, DATE = ("title", "headline"), ("url", "source_url", "link"), ("published", "published_at", "date")
ID = ("id", "_id", "doc_id", "docid", "document_id", "public_id")


class NeedsLibrary(Exception):  # noqa: N818
    """The library that reads a format is not installed; says how to install it."""

    def __init__(self, format_: str, library: str) -> None:
        super().__init__(f"{format_} needs {library}: pip install {library}")


class RowLoader(FileLoader):
    """Reads a document a row. Its text is the first column of TEXT that holds any; a row without one that has a
    question is a document of type "question". Columns with other names, and dates that cannot be read, become
    metadata, lists joined by "; "."""

    def count(self) -> None:
        """Unknown before the rows are read."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the documents of one file. A file that is not what its name says fails as a whole."""
        number = 0
        try:
            for number, row in enumerate(self.rows(file), 1):
                try:
                    yield document_of(row, f"{file.name}#{number}")
                except Refused as refusal:
                    yield refusal.problem(f"{file.name}#{number}")
        except NeedsLibrary as error:
            yield failed(file.name, "library not installed", str(error))
        except Refused as refusal:
            yield refusal.problem(file.name)
        except (*READ_ERRORS, ValueError, KeyError, TypeError) as error:  # ValueError: pyarrow's and mlcroissant's too
            yield failed(file.name, "unreadable", f"after {number:,} rows: {folded(str(error))[:200]}")

    @abstractmethod
    def rows(self, file: File) -> Iterator[Json]:
        """Yield the rows of a file by column. Raises Refused, NeedsLibrary, or the library's own errors."""


def document_of(row: Mapping[str, object], place: str) -> Document:
    """Return the document of a row; raises Refused."""
    text, question = _first(row, TEXT), _first(row, QUESTION)
    if not text and not question:
        known = ", ".join(map(str, row))[:120]
        raise Refused(
            "no text", f"no column of {', '.join(TEXT)} or {', '.join(QUESTION)} holds text; there are: {known}"
        )
    if text.isascii() and len(text.split()) == 1:  # other scripts are written without blanks
        raise Refused("no text", f'"{text[:40]}" is one word: an id?')
    if len(text) > MAX_DOCUMENT:
        raise Refused("too large", f"more than {MAX_DOCUMENT:,} characters; split the document")
    own, days = _first(row, ID), {name: _day(row.get(name)) for name in DATE}
    used = {*TEXT, *ID, *TITLE, *(name for name in DATE if days[name])} | (set() if text else set(QUESTION))
    kept = {str(name): value for name, value in row.items() if name not in used}
    return Document(
        source=own or place,
        text=text or question,
        title=folded(_first(row, TITLE)) or ("" if text else folded(question)[:120]),
        doc_type="text" if text else "question",
        url=_first(row, URL) or None,
        published=next(filter(None, days.values()), None),
        metadata={name: value for name, value in map(_scalar, kept.items()) if value != ""},
    )


def _first(row: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, str) and value.strip():
            return value.replace("\r\n", "\n").replace("\0", " ")
        if name in ID and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def _day(value: object) -> date | None:
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    return day(value) if isinstance(value, str) else None


def _scalar(item: tuple[str, object]) -> tuple[str, Scalar]:
    name, value = item
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, list) and all(isinstance(part, str | int) for part in value):
        value = "; ".join(map(str, value))
    if isinstance(value, date):
        value = value.isoformat()
    return (name, value) if isinstance(value, str | int | float) and is_scalar(value) else (name, "")
