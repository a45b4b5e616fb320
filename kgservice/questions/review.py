"""What people decide about questions: to keep one, to edit its words, to drop it; with who and why.

A decision stands in the question's metadata beside the words that it is about, and holds while the question rests on
the same facts: the selection finds it there (`question.said`), so a refresh, a generation and a release follow it. One
that is kept is asked though a filter or the second look said no; that its answer is the only one in the graph holds all
the same, as only questions of eligible subgraphs are there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from pydantic import Field

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Question, Record, Scalar
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.filters.leakage import answer_told
from kgservice.questions.question_record import REVIEW, reviewed_facts
from kgservice.questions.question_store import TURNED, USED
from kgservice.questions.selection import refresh

Choice: TypeAlias = Literal["keep", "edit", "drop", "clear"]
LONGEST = 600  # characters of a question


class ReviewDecision(Record):
    """What is decided about a question, by whom and why; `question` are the words of an edit."""

    decision: Choice
    by: str = Field(min_length=1, max_length=200)
    why: str = Field("", max_length=1_000)
    question: str = Field("", max_length=LONGEST)


def review(graph: Graph, corpus: str, key: str, verdict: ReviewDecision) -> Question:
    """Follow a decision about a question at once, and return the question as it is then.

    Raises NotFound if there is no question of this id. Raises BadRequest for what cannot be decided: about a retired
    question, words that hold the answer, to keep a question that is not asked all the same. The question is then as
    before.
    """
    before: list[Question] = []

    def decide(old: Question) -> dict[str, object]:
        _check(graph, old, verdict)
        before[:] = [old]
        return _decided(old, verdict)

    done = _change(graph, corpus, key, decide)
    if verdict.decision in ("keep", "edit") and done.state != "active":
        _change(graph, corpus, key, lambda now: _undone(now, done, before[0]))
        raise BadRequest(_not_asked(graph, done))
    return done


def _change(graph: Graph, corpus: str, key: str, change: Callable[[Question], dict[str, object]]) -> Question:
    """Write the fields that `change` returns for the stored question, refresh, and return the question as it is then.

    `change` is called again if a run changes the question meanwhile.
    """
    while True:
        stored = _stored(graph, corpus, key)
        old = stored.question
        changed = old.model_copy(update=change(old))
        question_store.forget_totals(graph, corpus)
        if not question_store.write(graph, [changed], {key: stored}):
            break
        refresh(graph, corpus)  # a run has changed it meanwhile, or a passage of it is gone
    graph_facts = question_store.known_facts(graph, {fact.key for fact in old.facts})
    groups = [one.sr + one.ro + fact for fact, one in sorted(graph_facts.items())]
    code = keys.corpus_code(corpus)
    graph.update("write/changes", code=code, facts=groups, retyped=[], mentioned=[], passages=[])
    refresh(graph, corpus)
    return find(graph, corpus, key)


def find(graph: Graph, corpus: str, key: str) -> Question:
    """Return a question by its id (NotFound)."""
    return _stored(graph, corpus, key).question


def _stored(graph: Graph, corpus: str, key: str) -> question_store.Stored:
    graph.check_corpus(corpus)
    rows = graph.read("read/question", key=key, corpus=corpus)
    if not rows:
        raise NotFound(f"no question {key!r} in corpus {corpus!r}; see `kgservice questions list`, or GET /questions")
    return question_store.Stored(rows[0])


def _check(graph: Graph, old: Question, verdict: ReviewDecision) -> None:
    if old.state == "retired":
        raise BadRequest(f"the question is retired ({old.reason}): there is nothing to decide about it")
    if verdict.question and verdict.decision != "edit":
        raise BadRequest(f"only an edit takes words: leave them out, or decide edit in place of {verdict.decision}")
    if verdict.decision == "keep" and not old.question:
        raise BadRequest("the question has no words yet: edit it, which keeps it too")
    if verdict.decision in ("keep", "edit") and old.reason in (USED, TURNED):
        raise BadRequest(_not_asked(graph, old))
    if verdict.decision != "edit":
        return
    words = " ".join(verdict.question.split())
    if not words:
        raise BadRequest("an edit needs the new words of the question")
    if answer_told(old, words):
        raise BadRequest(f"the question would hold its answer ({', '.join(old.answers)}): ask without it")


def _not_asked(graph: Graph, question: Question) -> str:
    """Return why a question is not asked though a person wants it, with the questions that it gave way to."""
    facts = [fact.key for fact in question.facts]
    if question.reason == USED:
        others = [key for _, key in question_store.using(graph, facts)]
    elif question.reason == TURNED:
        others = [row["key"] for row in question_store.singles(graph, facts) if row["key"] != question.id]
    else:
        return f"it is not asked all the same: {question.reason}"
    there = [find(graph, question.corpus, key) for key in sorted(set(others))]
    named = ", ".join(f"“{one.question}”, id {one.id}" for one in there if one.state != "retired")
    why = f"{question.reason}: {named}" if named else question.reason
    return f"it gives way to another question ({why}): drop that one, and it comes back"


def _undone(now: Question, done: Question, before: Question) -> dict[str, object]:
    """Return the fields of a question as before a decision, unless somebody has decided about it since."""
    if any(now.metadata.get(name) != done.metadata.get(name) for name in REVIEW):
        return {}
    words: dict[str, object] = {"question": before.question, "metadata": before.metadata}
    return words | ({"reason": before.reason, "cause": before.cause} if now.state == before.state else {})


def _decided(old: Question, verdict: ReviewDecision) -> dict[str, object]:
    """The words and the metadata of a question after a decision."""
    known = {name: value for name, value in old.metadata.items() if name not in REVIEW}
    before = str(old.metadata.get("reviewed_from", old.question))
    template = str(old.metadata.get("template", before))
    if verdict.decision == "clear":
        if template == before:
            known.pop("template", None)
        return {"question": before, "metadata": known}
    facts = reviewed_facts(fact.key for fact in old.facts)
    about: dict[str, Scalar] = {
        "template": template,
        "review": verdict.decision,
        "reviewed_by": verdict.by,
        "reviewed_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "reviewed_why": verdict.why,
        "reviewed_from": before,
        "reviewed_facts": facts,
    }
    words = " ".join(verdict.question.split()) if verdict.decision == "edit" else old.question
    return {"question": words, "metadata": known | about}
