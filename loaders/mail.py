"""E-mails: one message a file, its text under the subject, dated by its Date header."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from email import policy
from email.message import MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from bs4.dammit import EncodingDetector

from kgservice.core.records import Document, Problem
from loaders.html import LABELS, drop, markdown, parsed_text
from loaders.shared.fields import Refused, folded
from loaders.shared.files import File, read_bytes
from loaders.shared.loader import DocumentLoader
from loaders.text import first_line, short

KEPT = {"from": "from", "to": "to", "cc": "cc"}  # headers that become metadata


class MailLoader(DocumentLoader):
    """A loader of .eml files (RFC 5322): its texts without attachments, plain where it has both plain and HTML."""

    suffixes = (".eml",)

    def document(self, file: File) -> Document | Problem:
        """Return the message of the file. Raises Refused if it has no text."""
        data = read_bytes(file)
        if isinstance(data, Problem):
            return data
        message = BytesParser(policy=policy.default).parsebytes(data)
        text = _text(message)
        if not text.strip():
            raise Refused("no text", "the message has neither plain text nor HTML")
        return Document(
            source=file.name,
            text=text,
            title=short(folded(_header(message, "subject"))) or first_line(text),
            published=_sent(message),
            metadata={name: value for name, field in KEPT.items() if (value := folded(_header(message, field)))},
        )


def _text(message: MIMEPart) -> str:
    """Return the text of a message, else that of the messages that it encloses, each under its subject."""
    if text := _joined(_texts(message)):
        return text
    enclosed = [part for part in message.walk() if part.get_content_maintype() == "message" and part.is_multipart()]
    inner = [(one, _joined(_texts(one))) for part in enclosed for one in part.iter_parts()]
    return _joined(f"{_header(one, 'subject')}\n\n{text}" for one, text in inner if text)


def _joined(texts: Iterable[str]) -> str:
    some = [text for text in texts if text.strip()]
    return some[0] if len(some) == 1 else "\n\n".join(map(str.strip, some))


def _texts(part: MIMEPart) -> Iterator[str]:
    """Yield the texts of a message or a part in order, of alternatives the first that is not blank, plain first."""
    kind = part.get_content_type()
    if kind == "multipart/alternative" and part.is_multipart():
        ways = sorted(part.iter_parts(), key=lambda way: way.get_content_type() != "text/plain")
        yield next(filter(None, (_joined(_texts(way)) for way in ways)), "")
    elif part.get_content_maintype() == "multipart" and part.is_multipart():
        for one in part.iter_parts():
            yield from () if one.get_filename() else _texts(one)  # one with a name is a file
    elif part.get_content_maintype() in ("text", "multipart") and not part.is_attachment():  # RFC 2046, section 4.1.4
        yield _part_text(part, kind == "text/html")


def _part_text(part: MIMEPart, html: bool) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes) or not data.strip():
        return ""
    label = part.get_content_charset()
    if html and not label:
        label = EncodingDetector.find_declared_encoding(data, is_html=True, search_entire_document=True)
    text = _decoded(data, label).replace("\r\n", "\n").replace("\0", "")
    if not html:
        return text
    page = parsed_text(text)
    drop(page)
    for title in page("title"):
        title.decompose()
    return markdown(page, page.deadline)


def _decoded(data: bytes, label: str | None) -> str:
    """Return bytes as text, by the declared encoding, else (none, an unknown one or ASCII) as UTF-8, else as cp1252."""
    with suppress(LookupError, ValueError):  # no label, an unknown one, or one of no text encoding, such as "zip"
        name = codecs.lookup(label or "").name
        if name != "ascii":
            return data.decode(name if name.startswith("utf") else LABELS.get(name, name), errors="replace")
    with suppress(UnicodeDecodeError):
        return data.decode()
    return data.decode("cp1252", errors="replace")


def _header(message: MIMEPart, name: str) -> str:
    with suppress(ValueError, IndexError, AttributeError):  # what the parser of a damaged header raises
        return str(message[name] or "")
    return ""


def _sent(message: MIMEPart) -> date | None:
    try:
        return parsedate_to_datetime(_header(message, "date")).date()
    except (ValueError, TypeError, IndexError):
        return None
