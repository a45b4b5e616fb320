"""A corpus as of a day equals one into which the documents that were said then alone were loaded."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.records import Document
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, subgraphs
from tests.conftest import examples
from tests.graph.documents import Arc, document, loaded
from tests.graph.snapshot import snapshot

pytestmark = pytest.mark.usefixtures("unsearched")

ARCS: list[Arc] = [("A", "r", "B"), ("B", "q", "C"), ("A", "q", "C"), ("D", "r", "C"), ("A", "r", "D"), ("D", "q", "E")]
TODAY = date.today()
DAYS = [date(2020, 1, 1), date(2021, 1, 1), date(2022, 1, 1), TODAY, TODAY + timedelta(400)]
CHOICE = SubgraphOptions(cross_chunk=False, each_needed=False)


class Event(NamedTuple):
    """A document is loaded with groups of arcs and a date, or (no groups) removed, on a date or today."""

    source: str
    groups: list[list[Arc]]
    day: date | None


class Version(NamedTuple):
    document: Document
    start: date | None
    until: date | None

    def holds_on(self, day: date) -> bool:
        return (self.start or date.min) <= day < (self.until or date.max)


LIVES = st.lists(
    st.builds(
        Event,
        st.sampled_from("de"),
        st.lists(st.lists(st.sampled_from(ARCS), min_size=1, max_size=2, unique=True), max_size=2),
        st.sampled_from([None, *DAYS[:4]]),
    ),
    min_size=1,
    max_size=6,
)


def lived(graph: Graph, corpus: str, events: list[Event]) -> list[Version]:
    """Load and remove as the events say, and return all versions in the order in which they were stored."""
    ended: list[Version] = []
    live: dict[str, Version] = {}
    for source, groups, day in events:
        if groups:
            made = document(source, *groups, published=day)
            loaded(graph, corpus, [made])
            known = live.get(source)
            if known and (older(made, known.document) or made == known.document):
                continue
            if known:
                end(ended, known, made.published or TODAY, made)
            live[source] = Version(made, made.published or last_end(ended, source), None)
        elif source in live:
            graph.remove(corpus, [keys.document_key(corpus, source)], day)
            end(ended, live.pop(source), day or TODAY, None)
    return [*ended, *live.values()]


def older(one: Document, other: Document) -> bool:
    return bool(one.published and other.published and one.published < other.published)


def end(ended: list[Version], version: Version, until: date, by: Document | None) -> None:
    read_again = by is not None and version.document.published is None and by.text == version.document.text
    if (version.start is None or version.start < until) and not read_again:
        ended.append(version._replace(until=until))


def last_end(ended: list[Version], source: str) -> date | None:
    return max((one.until for one in ended if one.document.source == source and one.until), default=None)


def oracle(versions: list[Version], day: date) -> list[Document]:
    """Return the documents that were said on a day: of each source the version that was stored last."""
    return list({one.document.source: one.document for one in versions if one.holds_on(day)}.values())


@contextmanager
def fresh() -> Iterator[str]:
    yield f"test-{uuid.uuid4().hex}"


def held(graph: Graph, corpus: str) -> tuple[list[Any], list[Any], Mapping[str, Any]]:
    """Return the graph of a corpus without its own node, and the rows of each pattern."""
    nodes, relationships = snapshot(graph, corpus, without=("version",))
    rows = {pattern: list(subgraphs(graph, corpus, pattern, CHOICE)) for pattern in PATTERNS}
    return [node for node in nodes if node["labels"] != ["Corpus"]], relationships, rows


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=LIVES, days=st.lists(st.sampled_from(DAYS), min_size=1, max_size=2, unique=True))
def test_a_view_is_what_was_said_then(graph: Graph, events: list[Event], days: list[date]) -> None:
    corpus = f"test-{uuid.uuid4().hex}"
    loaded(graph, corpus, [document("never removed", [("F", "r", "G"), ("G", "q", "A")])])
    try:
        versions = lived(graph, corpus, events)
        said = {day: [document("never removed", [("F", "r", "G"), ("G", "q", "A")]), *oracle(versions, day)] for day in days}
        for day, documents in said.items():
            made = make_view(graph, corpus, day, searched=False)
            assert made.documents == len(documents)
            seen = held(graph, made.corpus)
            graph.remove_corpus(made.corpus)
            loaded(graph, made.corpus, documents)
            assert seen == held(graph, made.corpus)
            graph.remove_corpus(made.corpus)
    finally:
        graph.remove_corpus(corpus)
