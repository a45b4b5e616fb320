"""Plain text: one document a file, with its first line as title."""

from __future__ import annotations

from html import unescape
from pathlib import PurePosixPath

from kgservice.core.records import Document, Problem
from loaders.shared.fields import folded
from loaders.shared.files import File, read_text
from loaders.shared.loader import DocumentLoader

MAX_TITLE = 120
UNTOLD = ("readme", "index", "stdin", "notes", "document")


class TextLoader(DocumentLoader):
    """A loader of .txt and .text files. A form feed separates pages."""

    suffixes = (".txt", ".text")

    def document(self, file: File) -> Document | Problem:
        """Return the document of the file."""
        text = read_text(file)
        return text if isinstance(text, Problem) else plain_document(text, file.name)


def plain_document(text: str, source: str) -> Document:
    """Return a text as a document with its first line as title, in which "&amp;" is an ampersand."""
    return Document(source=source, text=text, title=unescape(first_line(text)))


def file_title(source: str) -> str:
    """Return the name of a document's file without its ending, "" where it tells nothing ("README.md")."""
    name = PurePosixPath(source.removesuffix(".gz")).stem
    return "" if name.lower() in UNTOLD else name


def first_line(text: str) -> str:
    """Return the first line that is not blank, cut to a title's length between two words."""
    start = text.lstrip()[: 4 * MAX_TITLE].split("\n", 1)[0].split("\f", 1)[0]
    return short(folded(start))


def short(title: str) -> str:
    """Return at most 120 characters, with an ellipsis if text was cut."""
    if len(title) <= MAX_TITLE:
        return title
    cut = title[: MAX_TITLE - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut) + "…"
