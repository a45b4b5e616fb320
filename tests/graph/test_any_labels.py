"""Labels of any text from load to export, and one row that cannot be worded among others that can."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core.records import Subgraph
from kgservice.graph.store import Graph
from kgservice.questions import question_store, selection
from kgservice.questions.export.layouts import write_dragon, write_jsonl, write_rare
from kgservice.questions.patterns import PATTERNS, SubgraphOptions
from kgservice.questions.selection import UNWORDED, Plan, generate, refresh
from kgservice.questions.wording.templates import worded
from tests.graph.documents import document, loaded
from tests.graph.test_refresh import put, spread
from tests.unit.test_any_text import LABEL

END = st.one_of(LABEL, st.sampled_from(("Alma", "Boro", "Cora", "1990", "2000")))  # some that meet
ARC = st.tuples(END, st.one_of(LABEL, st.sampled_from(("borders", "founded in"))), END)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(arcs=st.lists(ARC, min_size=20, max_size=40))
def test_any_label_goes_all_the_way_to_export(graph: Graph, tmp_path: Path, arcs: list[tuple[str, str, str]]) -> None:
    corpus = f"labels-{uuid.uuid4().hex}"
    loaded(graph, corpus, [document(f"d{place}", arcs[place : place + 4]) for place in range(0, len(arcs), 4)])
    done = generate(graph, corpus, Plan(patterns=tuple(PATTERNS), choice=SubgraphOptions(cross_chunk=False)))
    assert not done.failed
    assert sum(done.eligible.values()) == done.added + sum(done.rejected.values())
    found = list(question_store.questions(graph, corpus))
    assert len(found) == sum(done.eligible.values())
    assert write_jsonl(found, tmp_path / "all.jsonl").lines == len(found)
    assert sum(part.lines for part in write_rare(graph, found, tmp_path / "rare")) == len(found)
    assert write_dragon(graph, found, tmp_path / "dragon")
    graph.remove_corpus(corpus)


def test_a_row_that_cannot_be_worded_ends_no_run(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spread(graph, corpus, [("Alma", "borders", "Boro"), ("Cora", "supplies", "Dita")])

    def broken(row: Subgraph) -> str:
        if "supplies" in row.relations:
            raise IndexError("no such word")
        return worded(row)

    monkeypatch.setattr(selection, "worded", broken)
    with pytest.warns(UserWarning, match="no such word"):
        done = generate(graph, corpus, Plan(patterns=("single",)))
    states = {(one.facts[0].relation, one.asked): one.state for one in question_store.questions(graph, corpus)}
    assert sorted(states.values()) == ["active", "rejected", "rejected", "rejected"]
    failed = {one.source for one in done.failed}
    assert failed == {one.id for one in question_store.questions(graph, corpus) if one.reason == UNWORDED}
    assert {one.detail for one in done.failed} == {"IndexError: no such word"}
    assert done.rejected[UNWORDED] == len(failed) == 2
    monkeypatch.undo()
    put(graph, corpus, {"again": [("Cora", "supplies", "Dita")]})
    assert not refresh(graph, corpus).failed
    assert not any(one.reason == UNWORDED for one in question_store.questions(graph, corpus))
