"""The choice of a language model among a name's candidates in its sentence (DRAGON, section 4.1), or none."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from kgservice.core.records import Record
from kgservice.linking.candidate_score import ScoredCandidate, Sought, classes_of
from kgservice.linking.wikidata_index import Wikidata
from kgservice.llm.client import Ask
from kgservice.llm.prompts import prompt

STAGE = "link"


class Choice(BaseModel):
    """What a model says of a name: first what the sentence tells, then the number of an entry, 0 for none."""

    remark: str
    entry: int = Field(ge=0)


class ChoiceEntry(Record):
    """A candidate in the prompt."""

    label: str
    classes: str
    description: str


def choice_prompt(sought: Sought, title: str, scored: Sequence[ScoredCandidate], index: Wikidata, unit: str) -> Ask:
    """Return the question to the model about a name."""
    items = [candidate.candidate.item for candidate in scored]
    entries = [
        ChoiceEntry(label=item.label, classes=classes_of(item, index), description=item.description or "none")
        for item in items
    ]
    values = {"named": sought.name, "type": sought.type or "", "title": title, "sentence": sought.sentence}
    return Ask(prompt("link", entries=entries, **values), Choice, STAGE, unit)


def chosen_candidate(scored: Sequence[ScoredCandidate], choice: Choice) -> ScoredCandidate | None:
    """Return the candidate of an answer, or None if it names none of those offered."""
    return scored[choice.entry - 1] if 1 <= choice.entry <= len(scored) else None
