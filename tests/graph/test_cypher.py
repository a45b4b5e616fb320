"""Every statement is accepted by the real Neo4j and plans no full scan where an index exists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import neo4j
import pytest

from kgservice.graph.queries import queries, query, query_for
from kgservice.graph.store import Graph, vector_index_name

SCANS = re.compile(
    r"AllNodesScan|NodeByLabelsScan|NodeByLabelScan|AllRelationshipsScan|RelationshipTypeScan|NodeIndexScan"
)
WHOLE = {  # statements whose job is to look at everything of a kind
    "explore/counts": "counts every node",
    "read/anything": "stops at the first node of each label",
    "read/corpora": "lists every corpus",
    "read/sharing_text_index": "looks at every corpus",
    "read/uncounted_corpora": "looks at every corpus",
    "schema/corpus_last_write": "looks at every corpus",
    "write/drop_embeddings": "forgets every vector",
}


@pytest.fixture(scope="module")
def graph(graph: Graph) -> Graph:
    """The graph, which plans by what it holds now.

    A sample taken before other tests wrote says that an index is empty, so a scan of it would cost nothing, and plans
    of then are kept.
    """
    graph.session(lambda session: session.run("CALL db.prepareForReplanning(120)").consume())
    return graph


@pytest.fixture(scope="module")
def planned(graph: Graph) -> Callable[..., dict[str, Any]]:
    """`Graph.plan`, which plans a statement with the same options once: some take two seconds."""
    return cache(graph.plan)


@pytest.mark.parametrize("name", sorted(queries() | queries(2026)))
def test_statement_is_planned_without_a_full_scan(
    graph: Graph, planned: Callable[..., dict[str, Any]], name: str
) -> None:
    if name not in queries(graph.series):
        pytest.skip(f"Neo4j {graph.series} does not take it")
    if graph.has_own_indexes:  # a SEARCH is planned only where its index is
        graph._make_index("write/corpus_vector_index", "demo", name=vector_index_name("demo"), dimension=384)
    plan = planned(name)
    scans = [operator for operator in operators(plan) if SCANS.search(operator)]
    if name in WHOLE:
        assert scans, f"{name} no longer scans: take it off the list"
    else:
        assert not scans, f"{name}: {scans}"


def test_statements_name_the_index_of_a_group() -> None:
    """A graph that begins with a long list of one thing is sampled as if every group were as long.

    Then a scan of all entities seems cheaper than the index, and the plan is kept while the graph grows: with CoDEx-S
    a conditional pattern took two minutes instead of a second.
    """
    unnamed = [
        f"{name}: {line.strip()}"
        for name, text in (queries() | queries(2026)).items()
        if not name.startswith(("explore/", "schema/"))
        for line, after in pairwise([*text.splitlines(), ""])
        if re.search(r"MATCH .*:FACT \{(sr|ro): ", line)
        or (re.search(r"MATCH .*\[f:FACT\]", line) and re.search(r"WHERE (\S+ <=? f\.|f\.)(sr|ro) [<>]", after))
        if "USING INDEX SEEK" not in line
    ]
    assert not unnamed


@pytest.mark.parametrize("series", [5, 2026])
@pytest.mark.parametrize("name", sorted(queries() | queries(2026)))
def test_statement_has_a_header_that_names_its_parameters(name: str, series: int) -> None:
    text = queries(series).get(name) or queries(2026)[name]
    header = "\n".join(line for line in text.splitlines() if line.startswith("//"))
    body = text.removeprefix(header)
    assert "Parameters:" in header
    assert "Columns:" in header
    used = set(re.findall(r"\$(\w+)", body))
    assert used <= set(re.findall(r"\$(\w+)", header)), f"{name}: a parameter is not in the header"


WALKED = {name for name in queries() if name.startswith("patterns/")} - {
    "patterns/pluri_hop",  # sorts its few scopes
    "patterns/bridge_count",  # lists nothing
}


BY_ENTITY = {"patterns/unanswerable"}  # there are no facts to walk: an entity's few groups are put in order


NO_OPTION = dict.fromkeys(
    re.findall(r"(?<=\$)\w+(?= IS NULL OR)|(?<=NOT \$)\w+|published_\w+", "".join(queries().values()))
)


@pytest.mark.parametrize("options", [{}, NO_OPTION], ids=["as written", "no option"])
@pytest.mark.parametrize("name", sorted(WALKED))
def test_patterns_walk_groups_in_order_without_sorting(
    planned: Callable[..., dict[str, Any]], name: str, options: dict[str, Any]
) -> None:
    found = list(outermost(planned(name, **options)))
    cut = "PartialTop" if name in BY_ENTITY else "Limit"
    *_, each_range = walked = found[found.index(cut) :]  # above it are a page's groups, put in order again
    assert each_range == ("NodeUniqueIndexSeekByRange" if name in BY_ENTITY else "DirectedRelationshipIndexSeekByRange")
    assert not [operator for operator in walked if operator.startswith(("Sort", "Top"))], walked


def test_conditions_of_options_that_are_off_are_not_sent() -> None:
    text = query_for("patterns/chain_last", {"type": None, "since": None, "novel": False, "relation": "owner"})
    assert "$type" not in text.split("UNWIND", 1)[1]
    assert "$since" not in text.split("UNWIND", 1)[1]
    assert "$relation" in text.split("UNWIND", 1)[1]
    assert "AND (NOT $cross_chunk OR" in text
    assert text.count("(") == text.count(")")
    assert query_for("patterns/chain_last", {"type": "city", "since": "2020", "novel": True}) == query(
        "patterns/chain_last"
    )


def test_a_condition_of_two_options_is_sent_for_either() -> None:
    neither = query_for("patterns/star3", {"published_since": None, "published_until": None})
    assert "$published" not in neither.split("UNWIND", 1)[1]
    assert neither.count("(") == neither.count(")")
    assert query_for("patterns/star3", {"published_since": "2020", "published_until": None}) == query("patterns/star3")


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].split("@")[0]
    for child in plan.get("children", []):
        yield from operators(child)


def outermost(plan: dict[str, Any]) -> Iterator[str]:
    """The operators on the way down to where groups are walked: inside the one for each range, then on the left."""
    yield (operator := plan["operatorType"].split("@")[0])
    children = plan.get("children", [])
    if children:
        inside = operator == "Apply" and any(name == "Unwind" for name in operators(children[0]))
        yield from outermost(children[-1] if inside else children[0])


def test_a_new_database_has_the_names_of_all_properties(graph: Graph) -> None:
    readme = Path(__file__).parents[2] / "cypher" / "README.md"
    drawn = readme.read_text(encoding="utf-8").split("```")[1]
    lists = [re.sub(r":[^,}]*", "", one) for one in re.findall(r"{([^}]*)}", drawn)]  # without "slot: evidence | …"
    properties = set(re.findall(r"\w+", " ".join(lists))) - {"metadata_"}
    indexed = " ".join(text for name, text in queries().items() if name.startswith("schema/"))
    assert properties <= {*re.findall(r"'(\w+)'", query("write/names")), *re.findall(r"\.(\w+)", indexed)}
    known = graph.session(lambda session: [row[0] for row in session.run("CALL db.propertyKeys()")])
    assert properties <= set(known)


def test_no_statement_needs_apoc_or_gds() -> None:
    for name, text in queries().items():
        assert not re.search(r"\b(apoc|gds)\.", text), name


def test_a_wrong_statement_would_be_seen(graph: Graph) -> None:
    with pytest.raises(neo4j.exceptions.CypherSyntaxError):
        graph.change(lambda tx: tx.run("EXPLAIN MATCH (n RETURN n").consume())
