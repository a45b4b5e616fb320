"""A question that is not active any more names the document that ended it."""

from __future__ import annotations

import pytest

from kgservice.cli.questions import described
from kgservice.core.records import Question
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.export.layouts import exported
from kgservice.questions.filters import share
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.questions.wording.steps import steps
from tests.graph.test_refresh import Arc, put, spread

pytestmark = pytest.mark.usefixtures("unsearched")

BASE: list[Arc] = [("Alma", "borders", "Boro"), ("Boro", "supplies", "Cora"), ("Dita", "founded", "Enzo")]
OTHER = ("Hela", "founded", "Enzo")  # so that nobody asks who founded Enzo
CHAIN, DITA = ("chain", "last", "Cora"), ("single", "object", "Enzo")


def one(graph: Graph, corpus: str, pattern: str, asked: str, answer: str) -> Question:
    found = [
        q
        for q in question_store.questions(graph, corpus, pattern=pattern)
        if (q.asked, q.answers) == (asked, (answer,))
    ]
    return next(q for q in found if q.facts[0].subject in ("Alma", "Boro", "Dita"))


@pytest.mark.parametrize(
    ("change", "question", "state", "reason", "cause"),
    [
        ({"d1": []}, CHAIN, "retired", "fact withdrawn", "removed: d1"),
        ({"d1": [("Fado", "founded", "Gela")]}, CHAIN, "retired", "fact withdrawn", "changed: d1"),
        ({"e": [("Boro", "supplies", "Fado")], "f": [("Fado", "borders", "Boro")]}, CHAIN, "retired",
         "answer no longer unique", "added: e"),
        ({"d2": [*BASE[2:], ("Alma", "borders", "Fado")]}, CHAIN, "retired", "answer no longer unique", "changed: d2"),
        ({"e": [("Boro", "supplies", "Fado")], "f": [("Fado", "borders", "Boro")]}, ("chain", "first", "Alma"), "retired",
         "answer no longer unique", "added: f"),
        ({"e": [("Enzo", "supplies", "Fado")]}, DITA, "rejected",
         "fact used by another question", "added: e"),
    ],
)  # fmt: skip
def test_the_document_that_ended_a_question(
    graph: Graph, corpus: str, change: dict[str, list[Arc]], question: tuple[str, str, str], state: str, reason: str,
    cause: str, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(share, "ONCE", share.FEW)  # what Enzo supplies is asked over both of its founders
    spread(graph, corpus, [*BASE, OTHER])
    generate(graph, corpus, Plan(patterns=("chain", "single")))
    before = one(graph, corpus, *question)
    assert (before.state, before.cause) == ("active", "")
    put(graph, corpus, change)
    done = refresh(graph, corpus)
    after = one(graph, corpus, *question)
    assert (after.state, after.reason, after.cause) == (state, reason, cause)
    assert done.causes[cause] >= 1
    assert sum(done.causes.values()) == sum(done.retired.values())
    assert f"{state}: {reason} ({cause})" in described(after)
    assert exported(after)["cause"] == cause
    assert "cause" not in exported(before)
    put(graph, corpus, {"z": [("Hela", "borders", "Ikon")]})
    refresh(graph, corpus)
    assert one(graph, corpus, *question) == after


def test_a_rejected_question_that_ends_names_its_document_and_is_not_counted(graph: Graph, corpus: str) -> None:
    spread(graph, corpus, [*BASE, OTHER])
    generate(graph, corpus, Plan(patterns=("chain", "single")))
    put(graph, corpus, {"d1": []})
    done = refresh(graph, corpus)
    ended = list(question_store.questions(graph, corpus, state="retired"))
    assert {(item.reason, item.cause) for item in ended} == {("fact withdrawn", "removed: d1")}
    assert 0 < sum(done.causes.values()) == sum(done.retired.values()) < len(ended)


def test_an_active_question_again_has_no_cause(graph: Graph, corpus: str) -> None:
    spread(graph, corpus, BASE)
    generate(graph, corpus, Plan())
    put(graph, corpus, {"d1": []})
    refresh(graph, corpus)
    put(graph, corpus, {"d1": [BASE[1]]})
    assert refresh(graph, corpus).added > 0
    assert {q.cause for q in question_store.questions(graph, corpus, state="active")} == {""}


@pytest.mark.parametrize(
    ("pattern", "asked", "sides"),
    [
        ("single", "object", "sr"), ("single", "subject", "ro"), ("chain", "last", "sr sr"), ("chain", "first", "ro ro"),
        ("star", "last", "ro sr"), ("star", "first", "sr ro"), ("inverted_star", "last", "sr ro"),
        ("inverted_star", "first", "ro sr"), ("chain3", "last", "sr sr sr"), ("chain3", "first", "ro ro ro"),
        ("conditional_chain", "pivot", "sr ro"), ("conditional_star", "pivot", "ro ro"), ("star3", "pivot", "ro ro ro"),
        ("set_of_objects", "members", "sr"), ("set_of_subjects", "members", "ro"),
    ],
)  # fmt: skip
def test_where_rivals_are(pattern: str, asked: str, sides: str) -> None:
    assert [step.side for step in steps(pattern, asked, "fgh"[: len(sides.split())])] == sides.split()
