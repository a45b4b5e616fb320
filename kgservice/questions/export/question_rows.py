"""Questions as flat rows, for tables of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kgservice.core.records import Question


def flat_rows(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """Return rows with id, pattern, asked, question, answers, sentences (one a fact) and chunks."""
    return [
        {
            "id": item.id,
            "pattern": item.pattern,
            "asked": item.asked,
            "question": item.question,
            "answers": list(item.answers),
            "sentences": [fact.statements[0].sentence for fact in item.facts if fact.statements],
            "chunks": list(item.chunk_ids),
        }
        for item in questions
    ]


def ragas_rows(questions: Iterable[Question], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return rows as ragas takes them; `texts` are those of the chunks by key."""
    return [ragas_row(item.question, item.answers, [texts[chunk] for chunk in item.chunk_ids]) for item in questions]


def ragas_row(question: str, answers: Sequence[str], contexts: list[str]) -> dict[str, Any]:
    """Return a question as a single-turn sample of ragas."""
    return {"user_input": question, "reference": "; ".join(answers), "reference_contexts": contexts}
