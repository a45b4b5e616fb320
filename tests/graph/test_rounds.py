"""Ten rounds of loads, changes and removals: each refresh comes to what a generation from nothing comes to, text for
text, in a corpus of another name."""

from __future__ import annotations

import random
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.filters import share
from kgservice.questions.filters.share import Fill, Passed
from kgservice.questions.selection import Plan, generate, refresh
from tests.conftest import LARGEST
from tests.graph.documents import loaded

pytestmark = pytest.mark.usefixtures("unsearched")

ROUNDS, DOCUMENTS, SEEDS = 10, (60 if LARGEST else 12), (range(6) if LARGEST else range(1))
RELATIONS = ("borders", "capital", "located in", "supplies", "director", "founded in", "owned by")
NAMES = [f"{start}{end}" for start in ("Al", "Bor", "Cas", "Dal", "El", "Fen", "Gar") for end in ("mere", "ton", "vik")]


def document(source: str, random: random.Random) -> Document:
    facts = {
        (random.choice(NAMES), random.choice(RELATIONS), random.choice(NAMES)) for _ in range(random.randint(1, 4))
    }
    told = [(one, relation, other, f"{one} {relation} {other}.") for one, relation, other in sorted(facts)]
    missed = f"{random.choice(NAMES)} {random.choice(RELATIONS)} {random.choice(NAMES)}."  # the second look may find it
    triplets = [
        Triplet(subject=Term(label=one), relation=relation, object=Term(label=other), sentence=said)
        for one, relation, other, said in told
    ]
    return Document(source=source, text="\n".join((*(said for *_, said in told), missed)), triplets=tuple(triplets))


def text(graph: Graph, corpus: str) -> list[tuple[Any, ...]]:
    """Return what the questions of a corpus say that are not retired, without any key."""
    return sorted(
        (
            *(one.pattern, one.asked, one.question, one.answers, one.state, one.reason),
            [(f.subject, f.relation, f.object, [s.sentence for s in f.statements]) for f in one.facts],
            [(rival.answer, rival.sentence) for rival in one.rivals],
        )
        for one in question_store.questions(graph, corpus)
        if one.state != "retired"
    )


SOURCES = "MATCH (s:QuestionSource) WHERE s.key STARTS WITH $code RETURN s.key AS key, s.passed AS passed, s.full_from AS full_from"


def check_sources(graph: Graph, corpus: str, plan: Plan) -> None:
    """Compare what is stored of the sources with what the questions that are stored come to."""
    passed = defaultdict[str, list[Passed]](list)
    for pattern, one in question_store.passed(graph, corpus):
        passed[pattern].append(one)
    rows = graph.change(lambda tx: tx.run(SOURCES, code=keys.corpus_code(corpus)).data())
    stored = {tuple(row["key"].split(" ")[1:]): Fill(row["passed"], row["full_from"]) for row in rows}
    for pattern, found in passed.items():
        _, filled = share.fills(found, plan.share)
        for source, fill in filled.items():
            kept, of_it = stored.pop((pattern, source)), [one.rank for one in found if source in one.sources]
            assert (kept.passed, bool(kept.full_from)) == (fill.passed, bool(fill.full_from))
            assert [one < kept.full_from for one in of_it] == [one < fill.full_from for one in of_it]
        assert {one.id for one in found if share.is_over(one, filled)} == {
            one.id for one in found if one.state == share.OVER
        }
    assert not stored


@pytest.fixture
def name(graph: Graph) -> Iterator[Callable[[], str]]:
    given: list[str] = []

    def new() -> str:
        given.append(f"rounds-{uuid.uuid4().hex}")
        return given[-1]

    yield new
    for corpus in given:
        graph.remove_corpus(corpus)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("limit", "rounds", "few"), [(None, ROUNDS, 1), (3, 3, 10)])
def test_a_refresh_equals_a_generation_from_nothing(
    graph: Graph,
    name: Callable[[], str],
    seed: int,
    limit: int | None,
    rounds: int,
    few: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With `few` 1 the share leaves out questions of corpora as small as these, and lets some back in."""
    monkeypatch.setattr(share, "FEW", few)
    monkeypatch.setattr(share, "ONCE", few)
    corpus, draw, plan = name(), random.Random(seed), Plan(limit=limit, seed=seed)
    now = {f"d{number}": document(f"d{number}", draw) for number in range(DOCUMENTS)}
    loaded(graph, corpus, now.values())
    generate(graph, corpus, plan)
    active = {one.id: one.state for one in question_store.questions(graph, corpus)}
    left_out, let_in, was_held = 0, 0, set[str]()
    for round_ in range(rounds):
        gone, changed = draw.sample(sorted(now), 2)
        graph.remove(corpus, [keys.document_key(corpus, gone)])
        del now[gone]
        now |= {source: document(source, draw) for source in (changed, f"e{round_}")}
        loaded(graph, corpus, [now[changed], now[f"e{round_}"]])
        done = refresh(graph, corpus)
        assert done.whole == (limit is not None)
        if limit is None:
            check_sources(graph, corpus, plan)
        again = name()
        loaded(graph, again, now.values())
        generate(graph, again, plan)
        assert text(graph, corpus) == text(graph, again)
        held = {one.id for one in question_store.questions(graph, corpus) if one.reason == share.OVER}
        left_out, let_in = left_out + len(held), let_in + len(was_held & set(done.added_ids))
        was_held = held
        before, active = active, {one.id: one.state for one in question_store.questions(graph, corpus)}
        was, is_now = ({key for key, state in held.items() if state == "active"} for held in (before, active))
        assert (set(done.added_ids), set(done.retired_ids)) == (is_now - was, was - is_now)
    assert (left_out > 0) == (let_in > 0) == (few == 1)
