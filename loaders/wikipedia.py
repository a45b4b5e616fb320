"""A Wikipedia dump (pages-articles XML, .bz2 or .gz as downloaded), one document an article, read as a stream."""

from __future__ import annotations

import bz2
from collections.abc import Iterator
from typing import IO, ClassVar, cast
from urllib.parse import quote
from xml.etree import ElementTree

from kgservice.core.records import Document, Problem
from loaders.shared.fields import Refused, folded, moment
from loaders.shared.files import READ_ERRORS, File, failed, opened
from loaders.shared.loader import FileLoader
from loaders.wikitext import markdown

ADDRESS = "https://en.wikipedia.org/wiki/"
ARTICLE, LONGEST = "0", 4_000_000  # the namespace of articles; characters of wikitext, twice the wiki's own limit


class WikipediaLoader(FileLoader):
    """A loader of articles, named by their titles. `url` is the English Wikipedia's, `published` the revision's date.

    Sections, info boxes and tables are kept, references, navigation and pictures dropped. Redirects and pages that are
    no articles are rejected. A stopped load resumes when run again, as stored articles are unchanged.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xml", ".xml.bz2")

    def count(self) -> None:
        """Return None, as the number is unknown before the dump is read."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the articles of one dump. A part that cannot be read ends it with a Problem."""
        try:
            with _stream(file) as stream:
                yield from _pages(stream)
        except (*READ_ERRORS, ElementTree.ParseError) as error:
            yield failed(file.name, "unreadable", f"no dump from here on: {error}")


def _stream(file: File) -> IO[bytes]:
    if file.path.name.lower().endswith(".bz2"):
        return cast("IO[bytes]", bz2.open(file.path, "rb"))
    return opened(file.path)


def _pages(stream: IO[bytes]) -> Iterator[Document | Problem]:
    """Yield every page. The tree is cut after each, so memory does not grow."""
    steps = iter(ElementTree.iterparse(stream, events=("start", "end")))  # noqa: S314 - expat bounds entities itself
    _, root = next(steps)
    for event, element in steps:
        if event == "end" and _bare(element.tag) == "page":
            title = folded(_said(element, "title"))
            try:
                yield _article(title, element)
            except Refused as refusal:
                yield refusal.problem(title or "a page without a title")
            root.clear()


def _article(title: str, page: ElementTree.Element) -> Document:
    if not title or _said(page, "ns") != ARTICLE:
        raise Refused("no article", "a page of another kind")
    if any(_bare(child.tag) == "redirect" for child in page):
        raise Refused("redirect")
    wikitext = _said(page, "text")
    if len(wikitext) > LONGEST:
        raise Refused("too large", f"more than {LONGEST:,} characters")
    text = markdown(wikitext)
    if not text:
        raise Refused("no text", "the article is empty")
    revised = moment(_said(page, "timestamp"))
    return Document(
        source=title, title=title, text=text, doc_type="article", domain="wikipedia",
        url=ADDRESS + quote(title.replace(" ", "_"), safe=":/(),!'"), published=revised.date() if revised else None,
    )  # fmt: skip


def _said(page: ElementTree.Element, name: str) -> str:
    return next((element.text or "" for element in page.iter() if _bare(element.tag) == name), "")


def _bare(tag: str) -> str:
    """Return the tag without the namespace, which changes with the format's version."""
    return tag.rpartition("}")[2]
