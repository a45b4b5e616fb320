"""RAGuard (Zeng et al., 2025): true and false claims, and documents that support them, mislead, or are irrelevant."""

from __future__ import annotations

import re
from typing import ClassVar

from kgservice.core.records import Document
from loaders.benchmarks.question_set import QuestionSetLoader
from loaders.shared.fields import Json, Refused, folded, identity, string

LISTS = ("Document IDs", "Document Labels")  # text in a CSV: "[9400, 9402]"


class RaguardLoader(QuestionSetLoader):
    """A loader of claims.csv or documents.csv as published, or of the claims as JSONL, also .gz.

    `document_ids` and `document_labels` of a claim are in one order; a claim may have neither. A document is a post,
    named by its Document ID. One without a text has its title as text. Load documents.csv alone: claims in a corpus
    would be found before any document.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".jsonl", ".ndjson")
    domain = "raguard"
    key = "Claim ID"
    question = ("Claim",)
    kept = ("Verdict", "Document IDs", "Document Labels")

    def document(self, record: Json, file: str, line: int) -> Document:
        """Return one claim or one post. Raises Refused if it has no text."""
        if "Full Text" not in record:
            return self._claim(record, file, line)
        title = folded(string(record, "Title"))
        text = string(record, "Full Text").strip() or title
        if not text:
            raise Refused("no text", "neither Title nor Full Text holds any")
        kept = {"claim_id": record.get("Claim ID"), "document_label": record.get("Document Label")}
        return Document(
            source=identity(record, ("Document ID",), file, line), text=text, title=title, doc_type="post",
            domain=self.domain, url=string(record, "Link") or None,
            metadata={name: value for name, value in kept.items() if isinstance(value, str | int) and value != ""},
        )  # fmt: skip

    def _claim(self, record: Json, file: str, line: int) -> Document:
        if "Verdict" in record:
            record = {name: [] for name in LISTS} | record
        claim, rating = super().document(record, file, line), string(record, "Original Verdict")
        rated = {"original_verdict": rating} if rating else {}
        return claim.model_copy(update={"metadata": claim.metadata | rated})

    def record(self, row: Json) -> Json:
        """Return a row of a CSV with its lists as lists."""
        return row | {name: re.findall(r"[\w-]+", string(row, name)) for name in LISTS if name in row}
