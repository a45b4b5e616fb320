"""The loader of files in any format: it selects a loader for each file by content, then by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from mimetypes import guess_type
from pathlib import PurePosixPath
from typing import ClassVar

from kgservice.core.records import Document, Problem
from loaders.benchmarks.beir import BeirLoader
from loaders.html import HtmlLoader
from loaders.mail import MailLoader
from loaders.markdown import MarkdownLoader
from loaders.news import NewsLoader, newest_versions
from loaders.pdf import PdfReader
from loaders.rst import RstLoader
from loaders.sec.filings_10k import Filing10kLoader
from loaders.shared.fields import Json, Refused
from loaders.shared.files import MAGIC, READ_ERRORS, UTF16, File, failed, matches, opened, read_text, rejected
from loaders.shared.loader import FileLoader
from loaders.text import TextLoader
from loaders.triplets import COLUMNS, TripletsLoader, read_header
from loaders.wikipedia import WikipediaLoader

HEAD = 200_000  # bytes that identify a format
HIDDEN = 4_000_000  # bytes that the values hidden before an inline XBRL filing's first page may take
TRIPLETS = {"triplets", "extracted_triples"}  # fields of a record that has them
TEXTS = (".txt", ".text", ".adoc", ".asciidoc", ".org")
SAVE = "save it as PDF, HTML, Markdown or text"
AS_TEXT = "to have it read as plain text, give it a name in .txt"
AS_RECORDS = 'it is JSON, but no record that is read: write it as JSONL, on each line an object with its "text"'
ADVICE = {
    ".csv": 'write each row as a line of JSONL, an object with its "text", or a table of triples as *.tsv',
    ".tsv": "a table of triples begins with a line that names its columns head, relation, tail",
    ".parquet": "load it by the loader of that name: `kgservice load parquet PATH`",
    ".arrow": "load its folder by the loader of data sets: `kgservice load hf FOLDER`",
}
WITHOUT_TEXT = {"image": "a picture: make its text by OCR", "audio": "sound: write out what is said", "video": "a film"}

_MARKUP = re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_FILING = re.compile(rb"form\s*(?:&nbsp;|&#160;|\xc2\xa0|<[^>]*>|\s)*10\s*-\s*k\b", re.I)
_HIDDEN = re.compile(rb"<ix:header\b.*?(?:</ix:header\s*>|\Z)", re.I | re.S)
_COMMISSION = re.compile(rb"securities\s+and\s+exchange\s+commission", re.I)


class AnyLoader(FileLoader):
    """A loader of every file of a folder that another loader reads. Other formats are rejected by name.

    A 10-K filing is recognised by its first page, JSONL by the fields of its first record.
    """

    suffixes: ClassVar[tuple[str, ...]] = ("",)

    def records(self) -> Iterator[Document | Problem]:
        """Yield all records of all files, of an article in several files the newest. A child process reads the PDFs."""
        with closing(PdfReader()) as self._pdfs:
            yield from newest_versions(self._articles(), super().records())

    def _articles(self) -> Iterator[Document | Problem]:
        """Yield the records of the files of news."""
        for file in self.files(self.path, self.name):
            if isinstance(file, File) and matches(file.name, NewsLoader.suffixes):
                head = _head(file)
                if isinstance(head, bytes) and loader_of(file.name, head) == "news":
                    yield from NewsLoader(file.path).documents(file)

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the documents of one file, by the loader of its format."""
        head = _head(file)
        if isinstance(head, Problem):
            yield head
            return
        kind = loader_of(file.name, head)
        if kind == "pdf":
            yield from self._pdf(file)
        elif kind == "filings_10k":
            try:
                yield Filing10kLoader(file.path).document(file)
            except Refused:  # it mentions the form and is none
                yield from _LOADERS["html" if _MARKUP.search(head) else "text"](file.path).documents(file)
        elif kind:
            yield from _LOADERS[kind](file.path).documents(file)
        else:
            yield _not_read(file, head)

    def _pdf(self, file: File) -> Iterator[Document | Problem]:
        result = self._pdfs.document(file)
        if isinstance(result, Document) and _is_filing(result.text[:HEAD].encode()):
            with suppress(Refused):
                result = Filing10kLoader(file.path).document(file)
        yield result


_LOADERS: dict[str, type[FileLoader]] = {
    "beir": BeirLoader, "html": HtmlLoader, "mail": MailLoader, "markdown": MarkdownLoader, "news": NewsLoader,
    "rst": RstLoader, "text": TextLoader, "triplets": TripletsLoader, "wikipedia": WikipediaLoader,
}  # fmt: skip


def loader_of(name: str, head: bytes) -> str:
    """Return the name of the loader for a file of this name and beginning, "" if there is none."""
    if matches(name, NewsLoader.suffixes):
        return _of_records(name, head)
    header, _ = read_header(head.split(b"\n", 1)[0].decode("utf-8-sig", "replace"))
    markup = matches(name, HtmlLoader.suffixes) or _MARKUP.search(head) is not None
    plain = matches(name, TEXTS) or not _ending(name)
    formats = {
        "pdf": head.startswith(b"%PDF-"),
        "wikipedia": matches(name, WikipediaLoader.suffixes) and (b"<mediawiki" in head or _ending(name) == ".bz2"),
        "filings_10k": (markup or plain) and _is_filing(head),
        "html": markup,
        "triplets": matches(name, (".tsv",)) and all(column in header for column in COLUMNS),
        "markdown": matches(name, MarkdownLoader.suffixes),
        "rst": matches(name, RstLoader.suffixes),
        "mail": matches(name, MailLoader.suffixes),
        "text": plain,
    }
    return next((loader for loader, fits in formats.items() if fits), "")


def _not_read(file: File, head: bytes) -> Problem:
    """Return why no loader reads a file, and what can be done about it; JSON that is none is broken."""
    ending = _ending(file.name)
    if ending == ".json":
        text = read_text(file)
        if isinstance(text, Problem):
            return text
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            return Refused("malformed file", f"not JSON: {str(error)[:160]}").problem(file.name)
        return rejected(file.name, "format not read", AS_RECORDS)
    if ending == ".pdf":
        detail = "the content is no PDF: save it as PDF, or name it by its format"
    else:
        kind = (guess_type(f"x{ending}")[0] or "").partition("/")[0]
        plain = b"\0" not in head and not head.startswith(MAGIC)
        advice = ADVICE.get(ending) or (AS_TEXT if plain else WITHOUT_TEXT.get(kind, SAVE))
        detail = f"*{ending}: {advice}"
    return rejected(file.name, "format not read", detail)


def _head(file: File) -> bytes | Problem:
    """Return the beginning of a file that a reader sees, as UTF-8 where it is UTF-16 with a byte order mark."""
    try:
        with opened(file.path) as stream:
            head = stream.read(HEAD)
            if _HIDDEN.search(head):
                return _HIDDEN.sub(b"", head + stream.read(HIDDEN))[:HEAD]
        return head.decode("utf-16", "ignore").encode() if head.startswith(UTF16) else head
    except READ_ERRORS as error:
        return failed(file.name, "unreadable", str(error))


def _ending(name: str) -> str:
    return PurePosixPath(name.lower().removesuffix(".gz")).suffix


def _of_records(name: str, head: bytes) -> str:
    """Return the name of the loader of JSON or JSONL, by the fields of its first record, "" if there is none."""
    whole = matches(name, (".json",))
    first = _first_object(head) if whole else {}
    if "published_at" in first and not first.keys() & TRIPLETS:
        return "news"
    line = next((each for each in head.split(b"\n") if each.strip()), b"")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if whole and not isinstance(fields, dict) and len(line) < HEAD:
        return ""  # one value of several lines, no record a line
    if not isinstance(fields, dict) or fields.keys() & TRIPLETS:
        return "triplets"  # its error explains a line that is no object
    if "_id" in fields and PurePosixPath(name).name.startswith("corpus.jsonl"):
        return "beir"
    return "news" if "published_at" in fields else "triplets"


def _first_object(head: bytes) -> Json:
    """Return the object that JSON begins with, or that its array begins with, else an empty one."""
    text = head.decode("utf-8-sig", "replace").lstrip().removeprefix("[").lstrip()
    try:
        fields, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _is_filing(head: bytes) -> bool:
    return _FILING.search(head) is not None and _COMMISSION.search(head) is not None
