"""RAGuard's claims (Zeng et al., 2025): true or false, with documents that support, mislead or have nothing to say."""

from __future__ import annotations

from loaders.question_set import QuestionSetLoader


class RaguardLoader(QuestionSetLoader):
    """Reads claims.jsonl(.gz) as the repository has it; `document_ids` and `document_labels` are in one order."""

    domain = "raguard"
    key = "Claim ID"
    question = ("Claim",)
    kept = ("Verdict", "Document IDs", "Document Labels")
