"""Composed letters: one spelling in Unicode of what looks the same, so that names and words of texts are found.

Some PDFs and macOS write "é" as "e" and a mark behind it (NFD), which ends a word for all that reads texts.
"""

from __future__ import annotations

import unicodedata

from kgservice.core.records import Document, Term, Triplet


def composed(document: Document) -> Document:
    """Return a document with title, text, metadata and triplets in NFC; the same one if they are so already."""
    values: dict[str, object] = {
        "title": _nfc(document.title),
        "text": _nfc(document.text),
        "metadata": {key: _nfc(value) if isinstance(value, str) else value for key, value in document.metadata.items()},
        "triplets": None if document.triplets is None else tuple(map(_triplet, document.triplets)),
        "stated": tuple(map(_triplet, document.stated)),
    }
    changed = {name: value for name, value in values.items() if value != getattr(document, name)}
    return document.model_copy(update=changed) if changed else document


def _triplet(given: Triplet) -> Triplet:
    subject, obj = given.subject, given.object
    more = (given.period, subject.type, obj.type, subject.unit, obj.unit)
    parts = "\n".join((subject.label, obj.label, given.relation, given.sentence, *filter(None, more)))
    if _is_composed(parts):  # as most are
        return given
    values: dict[str, object] = {
        "subject": _term(given.subject),
        "object": _term(given.object),
        **{name: _nfc(getattr(given, name)) for name in ("relation", "sentence", "period")},
    }
    changed = {name: value for name, value in values.items() if value is not getattr(given, name)}
    return given.model_copy(update=changed) if changed else given


def _term(given: Term) -> Term:
    values = {name: _nfc(value) for name in ("label", "type", "unit") if (value := getattr(given, name)) is not None}
    changed = {name: value for name, value in values.items() if value is not getattr(given, name)}
    return given.model_copy(update=changed) if changed else given


def _nfc(text: str) -> str:
    return text if _is_composed(text) else unicodedata.normalize("NFC", text)


def _is_composed(text: str) -> bool:
    return text.isascii() or unicodedata.is_normalized("NFC", text)
