"""E-mails: one message a file, its text under the subject, dated by its Date header."""

from __future__ import annotations

from codecs import BOM_UTF8
from contextlib import suppress
from datetime import date
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from kgservice.core.records import Document, Problem
from loaders.html import markdown, parsed_page
from loaders.shared.fields import Refused, folded
from loaders.shared.files import File, read_bytes
from loaders.shared.loader import DocumentLoader
from loaders.text import first_line, short

KEPT = {"from": "from", "to": "to", "cc": "cc"}  # headers that become metadata


class MailLoader(DocumentLoader):
    """A loader of .eml files (RFC 5322): the plain text of the message, else its HTML, without attachments."""

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


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    try:
        content = body.get_content()
    except (LookupError, UnicodeError, ValueError) as error:
        raise Refused("encoding", f"the text of the message cannot be decoded: {error}") from error
    text = str(content).replace("\r\n", "\n").replace("\0", "")
    if body.get_content_subtype() == "html":
        page = parsed_page(BOM_UTF8 + text.encode())  # whatever the page declares: it is decoded already
        return markdown(page, page.deadline)
    return text


def _header(message: EmailMessage, name: str) -> str:
    with suppress(ValueError, IndexError, AttributeError):  # what the parser of a damaged header raises
        return str(message[name] or "")
    return ""


def _sent(message: EmailMessage) -> date | None:
    try:
        return parsedate_to_datetime(_header(message, "date")).date()
    except (ValueError, TypeError, IndexError):
        return None
