"""Questions in the graph: how they are written, read and brought back as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kgservice import keys
from kgservice.graph.store import Graph
from kgservice.model import Fact, Question

PAGE = 1_000


def questions(
    graph: Graph, corpus: str, *, pattern: str | None = None, state: str | None = None, after: str = ""
) -> Iterator[Question]:
    """Yield the questions of a corpus in order of id."""
    code, after = keys.corpus_code(corpus), keys.cursor(corpus, after)
    while rows := graph.read("questions/list", after=after, until=code + "~", limit=PAGE, pattern=pattern, state=state):
        yield from (_question(row["question"]) for row in rows)
        after = rows[-1]["key"]


def write(graph: Graph, batch: Sequence[Question]) -> None:
    """Write questions with what they use."""
    if batch:
        rows = [_row(question) for question in sorted(batch, key=lambda item: item.id)]
        graph.update("questions/write", rows=rows)


def set_states(graph: Graph, states: Sequence[tuple[str, str, str]]) -> None:
    """Set (id, state, reason) of questions."""
    rows = [{"key": key, "state": state, "reason": reason} for key, state, reason in states]
    if rows:
        graph.update("questions/set_state", rows=rows)


def known_facts(graph: Graph, fact_keys: Iterable[str]) -> set[str]:
    """Return those of the facts that are still stated."""
    return {row["key"] for row in graph.read("questions/facts_known", keys=sorted(fact_keys))}


def save_plan(graph: Graph, corpus: str, plan: str) -> None:
    """Keep the plan (JSON) with the corpus."""
    graph.update("questions/save_plan", corpus=corpus, plan=plan)


def plan(graph: Graph, corpus: str) -> str | None:
    """Return the plan (JSON) that the corpus's questions were made by, None where there is none."""
    rows = graph.read("questions/plan", corpus=corpus)
    return str(rows[0]["plan"]) if rows and rows[0]["plan"] else None


def _row(question: Question) -> dict[str, Any]:
    known = question.model_dump(exclude={"facts", "metadata", "id", "release"})
    facts = [fact.model_dump() for fact in question.facts]
    properties = known | {
        "key": question.id,
        "answers": list(question.answers),
        "facts": json.dumps(facts, ensure_ascii=False),
        "metadata": json.dumps(question.metadata),
        "entities": list(question.entities),
        "fact_keys": sorted(fact.key for fact in question.facts),
    }
    named = len(question.entities) - len(question.answers)
    return {
        "key": question.id,
        "properties": properties,
        "chunks": list(question.chunk_ids),
        "named": list(question.entities[:named]),
        "answers": list(question.entities[named:]),
    }


def _question(stored: dict[str, Any]) -> Question:
    known = {name: value for name, value in stored.items() if name not in ("key", "fact_keys", "group_keys")}
    facts = tuple(Fact.model_validate(fact) for fact in json.loads(known.pop("facts")))
    metadata = json.loads(known.pop("metadata"))
    return Question(id=stored["key"], facts=facts, metadata=metadata, **known)
