"""On large graphs (CoDEx: Wikidata triples; hubs) the rows of two-fact patterns equal their definition.

The definition is the one of oracle.py, walked group by group so that 200,000 facts can be looked at: every reading of
every group is visited, through hubs too, and nothing is counted beforehand but degrees.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count as count_from
from itertools import islice
from pathlib import Path

import pytest

from kgservice.core.records import Document, Subgraph, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions.patterns import CONDITIONAL, MULTI_HOP, PATTERNS, SubgraphOptions, count, subgraphs
from tests.conftest import LARGEST
from tests.graph.documents import Silent

Triple = tuple[str, str, str]
Arms = dict[str, dict[str, list[tuple[str, Triple]]]]  # entity, relation: (entity at the other end, fact)
Row = tuple[str, tuple[str, ...], tuple[str, ...], str, frozenset[tuple[Triple, ...]]]
LIMIT = SubgraphOptions().max_pivot_degree
HUB = 100_000 if LARGEST else 15_000
# how the named end's arm and the other arm lie: from the named end to the bridge, from the bridge to the other end
LIES = {"chain": "oo", "star": "io", "inverted_star": "oi"}


class Facts:
    """Triples by the entity that they leave and by the one that they enter."""

    def __init__(self, triples: set[Triple]) -> None:
        self.arms: dict[str, Arms] = {"o": {}, "i": {}}
        self.degree: Counter[str] = Counter()
        for triple in triples:
            subject, relation, other = triple
            self.degree.update((subject, other))
            self.arms["o"].setdefault(subject, defaultdict(list))[relation].append((other, triple))
            self.arms["i"].setdefault(other, defaultdict(list))[relation].append((subject, triple))


def multi_hop(facts: Facts, near: str, far: str, asked: str | None) -> Iterator[Row]:
    """Every row whose named end is beside the arm `near`; `asked` None: by the order of the relations."""
    for named, relations in facts.arms[near].items():
        for one, group in relations.items():
            ((bridge, first), *rivals) = group
            if rivals or facts.degree[bridge] > LIMIT:
                continue
            for two, seconds in facts.arms[far].get(bridge, {}).items():
                ((end, second), *rivals) = seconds
                if not rivals and two != one and len({named, bridge, end}) == 3:
                    ask = asked or ("last" if one < two else "first")
                    step = -1 if ask == "first" else 1
                    yield ask, (one, two)[::step], (named,), end, frozenset([(first, second)[::step]])


def conditional(facts: Facts, shape: str, near: str, far: str) -> Iterator[Row]:
    """Every row of a conditional pattern: exactly one entity meets both conditions, each alone is met by two."""
    back = facts.arms["i" if far == "o" else "o"]
    meets = cache(lambda end, two: frozenset(entity for entity, _ in back[end][two]))
    for named, relations in facts.arms[near].items():
        for one, group in relations.items():
            small = [(pivot, first) for pivot, first in group if facts.degree[pivot] <= LIMIT]
            members = {pivot for pivot, _ in group}
            for pivot, first in small if len(group) > 1 else ():
                for two, seconds in facts.arms[far].get(pivot, {}).items():
                    for end, second in seconds if (one != two if shape == "chain" else one < two) else ():
                        meeting = meets(end, two)
                        if len({named, pivot, end}) == 3 and len(meeting) > 1 and meeting & members == {pivot}:
                            yield "pivot", (one, two), (named, end), pivot, frozenset([(first, second)])


def defined(facts: Facts, pattern: str) -> Iterator[Row]:
    shape = pattern.removeprefix("conditional_")
    near, far = LIES[shape]
    if pattern in CONDITIONAL:
        yield from conditional(facts, shape, near, far)
    elif shape == "chain":
        yield from multi_hop(facts, "o", "o", "last")
        yield from multi_hop(facts, "i", "i", "first")
    else:
        yield from multi_hop(facts, near, far, None)


def told(row: Subgraph) -> Row:
    readings = frozenset(tuple((f.subject, f.relation, f.object) for f in r.facts) for r in row.readings)
    return row.asked, row.relations, row.named, row.answers[0], readings


def triples(file: Path) -> set[Triple]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return {(row["head"], row["relation"], row["tail"]) for row in csv.DictReader(lines, delimiter="\t")}


def with_hubs() -> list[Triple]:
    """A hub that HUB facts enter and 10^3 leave, with small neighbourhoods at some of its neighbours."""
    at_hub = [(f"e{n}", "in", "Hub") for n in range(HUB)] + [("Hub", "lists", f"f{n}") for n in range(1_000)]
    far = [(f"e{n}", "borders", f"e{n + 1}") for n in range(500)] + [(f"x{n}", "made", f"e{n}") for n in range(500)]
    return [*at_hub, *far, *((f"f{n}", "near", f"e{n // 2}") for n in range(500))]


def documents(facts: Iterable[Triple]) -> Iterator[Document]:
    """A document every thousand facts."""
    ordered = iter(facts)
    for number in count_from(0):
        if not (batch := list(islice(ordered, 1_000))):
            return
        triplets = [Triplet(subject=Term(label=s), relation=r, object=Term(label=o)) for s, r, o in batch]
        yield Document(source=f"d{number}", text=f"Report {number}.", triplets=tuple(triplets))


def stored(graph: Graph, corpus: str, facts: Iterable[Triple]) -> tuple[Graph, str, Facts]:
    """Write a corpus of these facts; return it with its graph and the facts."""
    known = set(facts)
    write_all(graph, documents(sorted(known)), corpus, Recipe(extract="none"), LoadCounts(Silent()), lambda *_: None)
    return graph, corpus, Facts(known)


@pytest.fixture(scope="module")
def hubs(own: tuple[Graph, Settings]) -> tuple[Graph, str, Facts]:
    """The hubs in a managed server that plans by them, not by the small graphs of other tests."""
    return stored(own[0], "hubs", with_hubs())


LARGE = ["codex-s", *(["codex-m"] if LARGEST else [])]  # CoDEx-M has 206,205 facts


@pytest.fixture(scope="module", params=["hubs", *LARGE])
def loaded(request: pytest.FixtureRequest, hubs: tuple[Graph, str, Facts]) -> tuple[Graph, str, Facts]:
    """A graph's corpus and its facts."""
    if request.param == "hubs":
        return hubs
    file = request.getfixturevalue("shared_data") / "codex" / f"{request.param}.tsv.gz"
    return stored(hubs[0], request.param, triples(file))


@pytest.mark.parametrize("pattern", [*MULTI_HOP, *CONDITIONAL])
def test_rows_equal_the_definition(loaded: tuple[Graph, str, Facts], pattern: str) -> None:
    graph, corpus, facts = loaded
    expected = set(defined(facts, pattern))
    rows = [told(row) for row in subgraphs(graph, corpus, pattern, SubgraphOptions(cross_chunk=False))]
    assert len(rows) == len(set(rows))
    assert set(rows) == expected


@pytest.mark.parametrize("pattern", list(PATTERNS))
def test_a_hub_exhausts_no_pattern(hubs: tuple[Graph, str, Facts], pattern: str) -> None:
    """Within the managed server's limits of time and memory."""
    graph, corpus, _ = hubs
    found = sum(1 for _ in islice(subgraphs(graph, corpus, pattern, SubgraphOptions()), 5_000))
    assert found == min(count(graph, corpus, pattern, SubgraphOptions()), 5_000)
