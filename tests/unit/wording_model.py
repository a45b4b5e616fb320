"""A model of very little mind for questions: it keeps the draft, knows nothing by heart, and gives every mark it may."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.llm_server import filled, form

_DRAFT, _ANSWERS = re.compile(r'^Draft: (".*")$', re.M), re.compile(r'^Answers: (".*")$', re.M)


def answered(request: Mapping[str, Any]) -> Any:
    """Answer what is asked about questions; anything else with an instance of its schema."""
    fields = set((form(request) or {}).get("properties", {}))
    user = request["messages"][1]["content"]
    if fields == {"question", "answers"}:
        answers = json.loads(f"[{_ANSWERS.findall(user)[0].replace('; ', ', ')}]")
        return {"question": json.loads(_DRAFT.findall(user)[0]), "answers": answers}
    if fields == {"answer"}:
        return {"answer": "no such info"}
    if "remark" in fields:
        return {name: "fine" if name == "remark" else 2 if "literacy" in fields else 5 for name in fields}
    if fields == {"relevant", "questions", "hypothetical_summary"}:
        return {"relevant": "x", "questions": ["What does it state?"], "hypothetical_summary": "A report."}
    return filled(request)
