"""Words a question by a language model (RARE, section 3.4; DRAGON, section 4.2): the answer is the graph's.

The model gets the facts, their chunks, what is known of the documents and the draft of the templates, and gives words
for the question; what it repeats of the answer only shows that it asked for it. Empty is a rejection.
"""

from __future__ import annotations

from pydantic import BaseModel

from kgservice.core.records import Subgraph
from kgservice.graph.contexts import Context
from kgservice.llm.client import Ask
from kgservice.llm.prompts import prompt
from kgservice.text.matching import match

STAGE = "word"
PROMPTS = {
    "single": "ask_single", "set_of_objects": "ask_set", "set_of_subjects": "ask_set", "comparison": "ask_comparison",
    "pluri_hop": "ask_pluri_hop",
}  # fmt: skip


class Wording(BaseModel):
    """The words of a question and the answers that it asks for; both empty where it cannot be asked well."""

    question: str
    answers: list[str]


def wording_prompt(row: Subgraph, draft: str, contexts: tuple[Context, ...]) -> Ask:
    """Return what the model is asked for a subgraph."""
    name = PROMPTS.get(row.pattern) or ("ask_conditional" if row.asked == "pivot" else "ask_multi_hop")
    reading = row.readings[0]
    facts = row.readings if row.asked == "members" else (reading,)
    pivots = [] if row.asked == "pivot" else [pivot for pivot in reading.pivots if pivot not in row.answers]
    made = prompt(
        name,
        facts=[fact for known in facts for fact in known.facts],
        named=row.named,
        pivots=pivots,
        answers=row.answers,
        draft=draft,
        contexts=contexts,
    )
    return Ask(made, Wording, STAGE, row.id)


def rejection_reason(row: Subgraph, wording: Wording) -> str:
    """Return the reason to reject the model's wording, "" if there is none."""
    if not wording.question.strip() or not any(answer.strip() for answer in wording.answers):
        return "left empty by the model"
    if not all(any(match(told, answer) for told in wording.answers) for answer in row.answers):
        return "asks for another answer"
    if any(told.strip() and not any(match(told, answer) for answer in row.answers) for told in wording.answers):
        return "asks for more answers"
    return "not one sentence" if "\n" in wording.question.strip() else ""
