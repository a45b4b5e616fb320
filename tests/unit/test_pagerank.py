"""The walk between passages and names is networkx's personalised PageRank."""

from __future__ import annotations

import random

import networkx
import pytest

from kgservice.retrieval.walk.pagerank import Walk

RESTART = 0.3


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_is_networkxs_pagerank(seed: int) -> None:
    rng = random.Random(seed)
    passages, names = [f"p{n}" for n in range(12)], [f"n{n}" for n in range(20)]
    links = {(p, n) for p in passages for n in rng.sample(names, 3)} | {(rng.choice(passages), n) for n in names}
    leaving = {link: rng.random() + 0.1 for link in sorted(links)}
    entering = {link: rng.random() + 0.1 for link in sorted(links)}
    at_passages = {p: rng.random() for p in rng.sample(passages, 3)}
    at_names = {n: rng.random() for n in rng.sample(names, 2)}
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((p, n, weight) for (p, n), weight in leaving.items())
    graph.add_weighted_edges_from((n, p, weight) for (p, n), weight in entering.items())
    expected = networkx.pagerank(graph, alpha=1 - RESTART, personalization=at_passages | at_names, tol=1e-12)
    walked = [(p, n, leaving[p, n], entering[p, n]) for p, n in sorted(links)]
    found = Walk(passages, names, walked).rank(at_passages, at_names, RESTART)
    assert found.passages | found.names == pytest.approx(expected, abs=2e-4)  # 20 steps: (1 - restart)^20 is left
    assert sum(found.passages.values()) + sum(found.names.values()) == pytest.approx(1)


def test_no_place_to_start_at_leads_nowhere() -> None:
    found = Walk(["p"], ["n"], [("p", "n", 1.0, 1.0)]).rank({}, {}, RESTART)
    assert found == ({"p": 0.0}, {"n": 0.0})


def test_the_heavier_link_is_taken_more_often() -> None:
    links = [
        ("film", "actor", 1.0, 1.0),
        ("film", "director", 7.0, 1.0),
        ("his life", "director", 1.0, 1.0),
        ("her life", "actor", 1.0, 1.0),
    ]
    found = Walk(["film", "his life", "her life"], ["actor", "director"], links).rank({"film": 1.0}, {}, RESTART)
    assert found.passages["his life"] > 3 * found.passages["her life"]
