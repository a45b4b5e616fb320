"""Web pages: one document a file, with its main content as Markdown."""

from __future__ import annotations

import codecs
import json
import re
import time
from contextlib import suppress
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import NavigableString
from markdownify import ATX, MarkdownConverter

from kgservice.core.records import Document, Problem
from loaders.shared.fields import Refused, day, folded
from loaders.shared.files import MAGIC, MAX_DOCUMENT, NOT_TEXT, NOT_UTF8, UTF16, File, read_bytes
from loaders.shared.loader import DocumentLoader
from loaders.shared.tables import pipe_table, read_table
from loaders.text import first_line, short

MAX_DEPTH = 150  # markdownify needs four calls a level, and Python stops at 1,000
MAX_SECONDS, SECONDS_PER_MB = 60, 5  # a dense page takes a tenth
HEAD = 8_192  # bytes searched for a declared encoding; browsers search 1,024
LOST = 1_000  # characters a broken one; with more broken ones the declared encoding is wrong
# What labels mean on the web (encoding.spec.whatwg.org) where it is not what Python takes them for.
LABELS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
LABELS |= {"euc_kr": "cp949", "utf-16": "utf-8", "utf-16-le": "utf-8", "utf-16-be": "utf-8", "utf-7": "utf-8"}
# Inline marks that mean nothing here. They are not even nested: old pages open <font> and <a> and never close them.
FLAT = set("a abbr acronym b big cite code em font i img ins kbd mark s samp small strike strong tt u".split())
DROPPED = "script style nav footer aside noscript template svg iframe object button select textarea ix:header".split()
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
CLEAN = str.maketrans("\f\r\v\xa0", "    ", "\xad\u200b\ufeff\0")  # a form feed would be a page
POWER = re.compile(r"\s*[-+−]?\d")
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
PLAIN = "address body center dd details dt fieldset figcaption figure form header hgroup main summary".split()
BLOCKS = [*PLAIN, *"article aside blockquote div dl footer hr nav ol p pre section table ul".split()]
# An opening tag ends what is open of the first set, up to the nearest of the second: html.parser does not know that
# </p>, </li> and </td> may be left out, and nests them without end.
P, ITEM, TERM, CELL, GROUP = {"p"}, {"li"}, {"dt", "dd"}, {"td", "th"}, {"thead", "tbody", "tfoot"}
ROW, BOX = CELL | {"tr"}, CELL | {"table", "caption"}
PARTS = ROW | GROUP | {"caption"}
ENDED: dict[str, tuple[set[str], set[str]]] = {
    **dict.fromkeys(BLOCKS, (P, BOX)),
    **dict.fromkeys(HEADINGS | {"table", "ul", "ol"}, (HEADINGS | P, BOX)),
    **dict.fromkeys(ITEM, (ITEM, {"ul", "ol", "menu"})),
    **dict.fromkeys(TERM, (TERM, {"dl"})),
    **dict.fromkeys(CELL, (CELL, {"tr", "table"})),
    **dict.fromkeys(GROUP, (PARTS, {"table"})),
    "tr": (ROW, {"table"}),
}


class HtmlLoader(DocumentLoader):
    """A loader of .html, .htm and .xhtml files.

    The text is that of <main> or of the only <article> if it has most of the page, else of the whole page. Navigation,
    forms, footers, scripts and hidden parts are dropped. Malformed HTML is read as browsers read it.
    """

    suffixes = (".html", ".htm", ".xhtml")

    def document(self, file: File) -> Document | Problem:
        """Return the document of the file. Raises Refused if the page has no text."""
        data = read_bytes(file, MAX_DOCUMENT)
        return data if isinstance(data, Problem) else page_document(parsed_page(data), file.name)


def parsed_page(data: bytes) -> HtmlPage:
    """Return the page of a file's bytes, with the deadline of its reading. Raises Refused."""
    return parsed_text(_decoded(data))


def parsed_text(text: str) -> HtmlPage:
    """Return the page of a decoded text, with the deadline of its reading. Raises Refused."""
    limit = MAX_SECONDS + SECONDS_PER_MB * len(text) // 1_000_000
    return HtmlPage(text, time.process_time() + limit)


def page_document(page: HtmlPage, source: str) -> Document:
    """Return the document of a page. Raises Refused if it has no text."""
    described = _published(page)
    drop(page)
    metas = [(str(meta.get("property") or meta.get("name")).lower(), meta.get("content")) for meta in page("meta")]
    metas_ = {name.strip(): str(content) for name, content in metas if content}
    titled = metas_.get("og:title") or tag_text(page.find("title")) or tag_text(page.find("h1"))
    article = page.find("article") or Tag(name="none")
    names = ("date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.issued")
    dates = [metas_.get("article:published_time"), *described, *map(metas_.get, names)]
    dates += [str(element["datetime"]) for element in article.find_all("time", datetime=True)]
    links = [link.get("href") for link in page.find_all("link", rel=re.compile("canonical", re.I))]
    urls = (str(url).strip() for url in [*links, metas_.get("og:url")] if re.match(r"\s*https?://\S", str(url)))
    for element in page("title"):
        element.decompose()
    text = markdown(_content(page), page.deadline)
    if not text:
        raise Refused("no text", "the page holds no text; one that a script fills must be saved as shown")
    return Document(
        source=source,
        text=text,
        title=short(folded(titled).translate(CLEAN)) or first_line(text),
        url=next(urls, None),
        published=next(filter(None, (day(str(one)) for one in dates if one)), None),
    )


def _published(page: HtmlPage) -> list[str]:
    """Return the days of publication that a page states by schema.org, in JSON-LD or in attributes."""
    found: list[object] = []
    for script in page("script", type=re.compile(r"\s*application/ld\+json", re.IGNORECASE)):
        with suppress(ValueError, RecursionError):
            stated = json.loads(script.get_text())
            things = stated if isinstance(stated, list) else [stated]
            graphs = [thing["@graph"] for thing in things if isinstance(thing, dict) and "@graph" in thing]
            things += [thing for graph in graphs if isinstance(graph, list) for thing in graph]
            found += [thing.get("datePublished") for thing in things if isinstance(thing, dict)]
    for element in page.find_all(itemprop=re.compile(r"\bdatePublished\b")):
        found += [element.get("content") or element.get("datetime") or tag_text(element)]
    return [day for day in found if isinstance(day, str)]


def _decoded(data: bytes) -> str:
    """Return the page as text, by its byte order mark, else by its declared encoding, else as UTF-8."""
    wide = data.startswith(UTF16)
    if data.startswith(MAGIC) or (b"\0" in data and not wide):
        raise Refused("binary", NOT_TEXT)
    label = "utf-16" if wide else "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else None
    label = label or EncodingDetector.find_declared_encoding(data[:HEAD], is_html=True, search_entire_document=True)
    try:
        name = codecs.lookup(label or "?").name
        text = data.decode(name if wide else LABELS.get(name, name), errors="replace")
    except (LookupError, ValueError):  # no label, an unknown one, or one of no text encoding, such as "zip"
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise Refused("encoding", f"the page declares no encoding, and {NOT_UTF8}") from None
    if text.count("\ufffd") * LOST > len(text):
        raise Refused("encoding", f"the page says that it is {label} and is not; {NOT_UTF8}")
    if not text.strip():
        raise Refused("empty", "no text in the file")
    return text


class HtmlPage(BeautifulSoup):
    """The parsed page with its `source`. Raises Refused if it is nested too deeply or takes too long to read."""

    def __init__(self, text: str, deadline: float) -> None:
        self.deadline, self.source = deadline, text
        # html.parser ends <![CDATA[ and <?php elsewhere than browsers do, to whom both are comments
        for opening, comment in (("<![", "<!_"), ("<?-", "<!_"), ("<?", "<!")):  # as long as before: offsets stay
            text = text.replace(opening, comment)
        super().__init__(text + "\n", "html.parser", multi_valued_attributes=None)

    def handle_starttag(self, *args: Any, **kwargs: Any) -> Tag | None:
        """Open an element, and first close those that it ends."""
        on_time(self.deadline)
        name, attrs = args[0], args[3]
        if not re.fullmatch("[0-9]{1,6}", attrs.get("start") or "1"):
            del attrs["start"]  # "²" is a digit for markdownify and not for int()
        if name in FLAT and not _hidden(attrs):
            return None
        ended, scope = ENDED.get(name, (set(), set()))
        depth = len(self.tagStack)
        for at in range(depth - 1, 0, -1):
            inner = self.tagStack[at].name
            if inner in scope:
                break
            depth = at if inner in ended else depth
        self.endData()
        while len(self.tagStack) > depth:
            self.popTag()
        if depth > MAX_DEPTH:
            raise Refused("nested too deeply", f"more than {MAX_DEPTH} elements inside one another")
        return super().handle_starttag(*args, **kwargs)

    def handle_data(self, data: str) -> None:
        on_time(self.deadline)
        super().handle_data(data)

    def endData(self, containerClass: type[NavigableString] | None = None) -> None:  # noqa: N802, N803
        if containerClass is not None:  # a comment or a declaration
            self.current_data.clear()
        super().endData()


def on_time(deadline: float) -> None:
    if time.process_time() > deadline:
        raise Refused("too slow", "the page takes too long to read; is it damaged?")


def _hidden(attrs: dict[str, str]) -> bool:
    return "hidden" in attrs or bool(HIDDEN.search(attrs.get("style") or ""))


def drop(page: HtmlPage) -> None:
    """Remove what is not the page's own text. A button that is a heading, or a heading's text, is text."""
    for heading in page.find_all(HEADINGS):
        buttons = heading.find_all("button") or heading.find_parents("button")
        if tag_text(heading) == folded(" ".join(button.get_text() for button in buttons)):
            for button in buttons:
                button.unwrap()
    for element in page.find_all(lambda tag: tag.name in DROPPED or _hidden(tag.attrs)):
        if not element.decomposed:
            element.decompose()
    whole = len(page.get_text())
    for form in page.find_all(
        ["form", "del"]
    ):  # what was deleted is no text; some servers wrap the whole page in a form
        if not form.decomposed and len(form.get_text()) <= whole / 2 and not form.find(["main", "article"]):
            form.decompose()


def tag_text(tag: Tag | None) -> str:
    return folded(tag.get_text()) if tag else ""


def _content(page: HtmlPage) -> Tag:
    """Return <main> or the only <article> if it has most of the text, else the page."""
    parts = page.find_all("main", limit=1) or page.find_all("article", limit=2)
    return parts[0] if len(parts) == 1 and len(tag_text(parts[0])) > len(tag_text(page)) / 2 else page


class _Converter(MarkdownConverter):
    """A converter to Markdown without emphasis, images and addresses."""

    def __init__(self, deadline: float) -> None:
        super().__init__(heading_style=ATX, bullets="-", wrap=True, wrap_width=None)  # joins a paragraph's lines
        self.deadline = deadline

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        on_time(self.deadline)
        return str(super().process_tag(node, parent_tags))  # type: ignore[misc]

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return text

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"^{text.strip()}" if POWER.match(text) else text  # or it would end the number before it

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if el.name != "tr":
            el.string = text.translate(CLEAN)  # for the table, which is converted later
        return text

    convert_th = convert_tr = convert_td

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a pipe table below its caption and the first rows that are only titles."""
        table = read_table(el)
        titles = [tag_text(el.find("caption")), *table.titles]
        return "\n\n".join(["", *filter(None, titles), pipe_table(table.rows) if table.rows else "", ""])


def markdown(part: Tag, deadline: float) -> str:
    for table in part.find_all("table"):
        on_time(deadline)
        rows = [[tag_text(cell) for cell in row.find_all(CELL)] for row in table.find_all("tr")]
        if table.find("table") or len(rows) < 2 or max(sum(map(bool, row)) for row in rows) < 2:  # made for its looks
            for inner in [*table.find_all(PARTS), table]:
                if inner is table or inner.find_parent("table") is table:
                    inner.name = "div"
    for plain in part.find_all(PLAIN):
        plain.name = "div"  # which markdownify sets off
    text = _Converter(deadline).convert_soup(part).translate(CLEAN)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+(?=\n)", "", text)).strip()
