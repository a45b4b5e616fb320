"""Enumerates the subgraphs of a pattern whose question has exactly one answer in the corpus (design: section 3).

The Cypher in cypher/patterns walks a corpus in order of group keys; ids start with the group's key, so a page costs
what it holds. Single facts, chains, stars and inverted stars are paths over facts whose counters are 1, from the named
end to the answer. The others prove uniqueness group by group and return one record a group.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from itertools import chain, islice, pairwise
from typing import Any, TypeAlias

import neo4j
from pydantic import Field

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound, TooMuch
from kgservice.core.records import Day, Record, Subgraph
from kgservice.graph.filter_words import check_type, relation_id
from kgservice.graph.schema_terms import schema_terms, several_terms
from kgservice.graph.store import Graph
from kgservice.graph.subgraph_rows import NAMES, PathRow, group_subgraphs, path_row, path_subgraphs
from kgservice.text.near_names import did_you_mean

Anchors: TypeAlias = Mapping[str, frozenset[str] | None]
"""Group keys, each with the codes of the only second relations whose rows are meant; None where all are."""

DIAGNOSTIC = ("unanswerable", "false_premise", "conflict")
"""Patterns that show what a system does where nothing, something else, or two things are stated."""
MULTI_HOP = ("chain", "star", "inverted_star")
CONDITIONAL = ("conditional_chain", "conditional_star", "conditional_inverted_star")
DEFINITE = frozenset(("chain_last", "chain_first", "star", "inverted_star", "chain3_last", "chain3_first"))
AS_PATHS = DEFINITE | frozenset(("single_object", "single_subject"))
BRIDGES = "bridge_count"  # both ends of a multi-hop pattern in one walk over the bridges, each read once
FIRST_PAGE, LAST_PAGE = 200, 5_000  # rows a query, or groups: small first, so that they come at once
ALL = 2**62
COUNTED = 50_000  # groups a query where rows are only counted
MIDDLE = "g"  # of the 32 digits of a key: as many groups before it as from it on
DIGITS = "0123456789abcdefghijklmnopqrstuv"
LARGE = 1_000_000  # facts of a corpus that is counted in 32 parts: a half may take longer than the server's limit
ANCHORS = 1_000  # groups a query where they are given


@dataclass(frozen=True)
class PatternQuery:
    """A statement of cypher/patterns and the end that it is asked for (None: all of its ends)."""

    name: str
    asked: str | None = None


PATTERNS: dict[str, dict[str, PatternQuery]] = {
    "single": {"object": PatternQuery("single_object"), "subject": PatternQuery("single_subject")},
    "set_of_objects": {"members": PatternQuery("set_of_objects")},
    "set_of_subjects": {"members": PatternQuery("set_of_subjects")},
    "chain": {"first": PatternQuery("chain_first"), "last": PatternQuery("chain_last")},
    "star": {"first": PatternQuery("star", "first"), "last": PatternQuery("star", "last")},
    "inverted_star": {"first": PatternQuery("inverted_star", "first"), "last": PatternQuery("inverted_star", "last")},
    "conditional_chain": {"pivot": PatternQuery("conditional_chain")},
    "conditional_star": {"pivot": PatternQuery("conditional_star")},
    "conditional_inverted_star": {"pivot": PatternQuery("conditional_inverted_star")},
    "chain3": {"first": PatternQuery("chain3_first"), "last": PatternQuery("chain3_last")},
    "star3": {"pivot": PatternQuery("star3")},
    "inverted_star3": {"pivot": PatternQuery("inverted_star3")},
    "comparison": {
        "larger": PatternQuery("comparison", "larger"),
        "smaller": PatternQuery("comparison", "smaller"),
        "earlier": PatternQuery("comparison", "earlier"),
        "later": PatternQuery("comparison", "later"),
    },
    "pluri_hop": {
        asked: PatternQuery("pluri_hop", asked)
        for asked in ("list", "count", "min", "max", "most", "often", "rose", "fell")
    },
    "unanswerable": {"nothing": PatternQuery("unanswerable")},
    "false_premise": {"premise": PatternQuery("false_premise")},
    "conflict": {"values": PatternQuery("conflict")},
}


class SubgraphOptions(Record):
    """Which of the eligible subgraphs are listed. Options never change what counts as an answer; one that does not
    concern a pattern changes nothing for it.

    `max_pivot_degree` counts facts of the bridge (subject and object); `cross_chunk`: no chunk states all facts;
    `both_ends` is DRAGON's single, `isolated` RARE's (section 3.3); `each_needed` off is DRAGON's conditional;
    with `usually_several` a condition of two is needed, too, if the schema says that several things usually meet such
    a one (a director has several films);
    `max_partners` is how many subjects, the next in order of key, a subject is compared with (of false_premise: among
    which another value is looked for). `max_years` and
    `max_properties` widen the scopes of pluri_hop: ranges of years, several properties. `relation` is one of the
    row's, `type` that of a named, answering or bridging entity; `published_since` and `published_until`: every fact is
    stated in a document of that time; `novel`: every fact is novel. `open`: single open facts of texts too, not only
    of tables; in every other pattern a fact's relation is in the schema, or was given with ready-made triplets.
    """

    asked: str | None = None
    max_pivot_degree: int = Field(20, ge=1, le=2**31)
    cross_chunk: bool = True
    cross_document: bool = False
    each_needed: bool = True
    usually_several: bool = False
    max_set: int = Field(10, ge=2, le=2**31)
    both_ends: bool = False
    isolated: bool = False
    max_partners: int = Field(10, ge=1, le=1_000)
    max_years: int = Field(1, ge=1, le=2_000)
    max_properties: int = Field(1, ge=1, le=2)
    relation: str | None = Field(None, min_length=1)
    type: str | None = Field(None, min_length=1)
    published_since: Day | None = None
    published_until: Day | None = None
    novel: bool = False
    open: bool = False


def subgraphs(
    graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions, *, after: str = "", first_page: int = FIRST_PAGE
) -> Iterator[Subgraph]:
    """Yield the eligible subgraphs in order of id, those after the id `after` only.

    `first_page`: rows, or groups, of the first query of each statement; later ones ask for more. Raises NotFound for an
    unknown pattern or corpus, BadRequest for a value of `asked`, a window or a cursor that does not fit. A row proves
    that the corpus exists, so its name is looked up only if there is none.
    """
    check_options(pattern, choice)
    code = keys.corpus_code(corpus)
    start = keys.cursor(corpus, after)[: keys.GROUP]
    streams = [
        _stream(graph, pattern, statement, choice, start, code + "~", first_page)
        for statement in _statements(pattern, choice.asked)
    ]
    rows = (row for row in heapq.merge(*streams, key=lambda row: row.id) if row.id > after)
    first = list(islice(rows, 1))
    if not first:
        graph.check_corpus(corpus)
    return chain(first, rows)


def around(graph: Graph, pattern: str, choice: SubgraphOptions, anchors: Mapping[str, Anchors]) -> Iterator[Subgraph]:
    """Yield the eligible subgraphs anchored at these groups, given by statement, in order of id."""
    streams = [
        _at(graph, pattern, statement, choice, anchors.get(statement.name, {}))
        for statement in _statements(pattern, choice.asked)
    ]
    return heapq.merge(*streams, key=lambda row: row.id)


def _at(
    graph: Graph, pattern: str, statement: PatternQuery, choice: SubgraphOptions, anchors: Anchors
) -> Iterator[Subgraph]:
    parameters = _parameters(statement, choice, rows=True)
    ranges = ranges_of(anchors)
    for start in range(0, len(ranges), ANCHORS):
        here = ranges[start : start + ANCHORS]
        if statement.name in AS_PATHS:
            yield from path_subgraphs(_paths(graph, pattern, statement, ranges=here, limit=ALL, **parameters))
            continue
        for record in _read(graph, statement, ranges=here, limit=1, **parameters):
            yield from group_subgraphs(pattern, record)


def ranges_of(anchors: Anchors) -> list[dict[str, Any]]:
    """Return groups as the ranges of keys that statements take, in order: {from, until, beside}."""
    return [
        {"from": key, "until": key + "~", "beside": None if beside is None else sorted(beside)}
        for key, beside in sorted(anchors.items())
    ]


def count(graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions) -> int:
    """Count the eligible subgraphs in the database, two parts at once. Raises NotFound if there is no such corpus."""
    check_options(pattern, choice)
    code = keys.corpus_code(corpus)
    inner = MIDDLE if graph.totals(corpus).facts <= LARGE else DIGITS[1:]
    parts = list(pairwise([code, *(code + digit for digit in inner), code + "~"]))
    bridges = [PatternQuery(BRIDGES, choice.asked)] if pattern in MULTI_HOP else []
    with ThreadPoolExecutor(2) as pool:
        counted = [
            pool.submit(_counted, graph, pattern, statement, choice, *part)
            for statement in bridges or _statements(pattern, choice.asked)
            for part in parts
        ]
        number = sum(each.result() for each in counted)
    if not number:
        graph.check_corpus(corpus)
    return number


def count_listed(graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions) -> int:
    """Count what `page` lists.

    A relation may be given by its label. Raises NotFound if the corpus has no such relation or type.
    """
    number = count(graph, corpus, pattern, choice)
    if number or not (choice.relation or choice.type):
        return number
    meant = _as_stored(graph, corpus, choice)
    return number if meant == choice else count(graph, corpus, pattern, meant)


def _counted(
    graph: Graph, pattern: str, statement: PatternQuery, choice: SubgraphOptions, start: str, until: str
) -> int:
    parameters, rows, groups = _parameters(statement, choice, rows=False), 0, COUNTED
    if statement.name in AS_PATHS or statement.name == BRIDGES:
        here = [{"from": start, "until": until, "beside": None}]
        counted = _read(graph, statement, ranges=here, pattern=pattern, limit=ALL, **parameters)
        return sum(record["n"] for record in counted)
    while groups == COUNTED:
        here = [{"from": start, "until": until, "beside": None}]
        groups = 0
        for record in _read(graph, statement, ranges=here, limit=COUNTED, **parameters):  # one, or none
            groups, rows, start = record["groups"], rows + record["n"], record["anchor"] + "!"
    return rows


def sample(graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions, *, size: int, seed: int) -> list[Subgraph]:
    """Return a uniform sample, the same for the same seed and graph, in order of id."""
    rows = subgraphs(graph, corpus, pattern, choice)
    chosen = heapq.nsmallest(size, rows, key=lambda row: (keys.digest(20, seed, row.id), row.id))
    return sorted(chosen, key=lambda row: row.id)


def page(
    graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions, *, limit: int | None, after: str, seed: int | None
) -> Iterator[Subgraph]:
    """Yield what the command line and the API list: a page after an id, or a seeded sample of `limit` rows.

    A relation may be given by its label. Raises NotFound if the corpus has no such relation or type.
    """
    rows = _page(graph, corpus, pattern, choice, limit=limit, after=after, seed=seed)
    if not (choice.relation or choice.type):
        return rows
    if first := list(islice(rows, 1)):
        return chain(first, rows)
    meant = _as_stored(graph, corpus, choice)
    return iter(()) if meant == choice else _page(graph, corpus, pattern, meant, limit=limit, after=after, seed=seed)


def _page(
    graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions, *, limit: int | None, after: str, seed: int | None
) -> Iterator[Subgraph]:
    if limit is not None and limit < 1:
        raise BadRequest("limit must be at least 1")
    if seed is None:
        first_page = FIRST_PAGE if limit is None else min(2 * limit, FIRST_PAGE)  # the last group is read again
        return islice(subgraphs(graph, corpus, pattern, choice, after=after, first_page=first_page), limit)
    if limit is None or after:
        raise BadRequest("a seeded sample takes a limit and no cursor: give --limit with --seed, without --after")
    return iter(sample(graph, corpus, pattern, choice, size=limit, seed=seed))


def _as_stored(graph: Graph, corpus: str, choice: SubgraphOptions) -> SubgraphOptions:
    """Return the options with the id of a relation that is given by its label, for a list that came out empty.

    Raises NotFound if the corpus has no such relation or type.
    """
    if choice.type:
        check_type(graph, corpus, choice.type)
    if not choice.relation:
        return choice
    return choice.model_copy(update={"relation": relation_id(graph, corpus, choice.relation)})


def check_pattern(pattern: str, asked: str | None) -> None:
    """Refuse a pattern that does not exist (NotFound) or an end it does not ask for (BadRequest)."""
    if pattern not in PATTERNS:
        raise NotFound(f"no pattern {pattern!r}: choose one of {', '.join(PATTERNS)}{did_you_mean(pattern, PATTERNS)}")
    if asked is not None and asked not in PATTERNS[pattern]:
        raise BadRequest(f"{pattern} asks for {' or '.join(PATTERNS[pattern])}, not {asked!r}")


def check_options(pattern: str, choice: SubgraphOptions) -> None:
    """Refuse an unknown pattern (NotFound), an end that it does not ask for and an empty window (BadRequest)."""
    check_pattern(pattern, choice.asked)
    since, until = choice.published_since, choice.published_until
    if since and until and since > until:
        raise BadRequest(f"nothing is published since {since} and until {until}: turn the two round")


def _statements(pattern: str, asked: str | None) -> list[PatternQuery]:
    if asked is not None:
        return [PATTERNS[pattern][asked]]
    # one statement may serve both ends: then it runs once, with $asked null
    return [PatternQuery(name) for name in dict.fromkeys(item.name for item in PATTERNS[pattern].values())]


def _groups(
    graph: Graph, statement: PatternQuery, choice: SubgraphOptions, start: str, until: str, limit: int
) -> Iterator[neo4j.Record]:
    parameters = _parameters(statement, choice, rows=True)
    while True:
        here = [{"from": start, "until": until, "beside": None}]
        found = _read(graph, statement, ranges=here, limit=limit, **parameters)
        yield from found
        if len(found) < limit:
            return
        full = LAST_PAGE * limit // max(sum(record["n"] for record in found), 1)
        start, limit = found[-1]["anchor"] + "!", max(1, min(2 * limit, full, LAST_PAGE))


def _read(
    graph: Graph, statement: PatternQuery, *, ranges: list[dict[str, Any]], pattern: str = "", **parameters: Any
) -> list[neo4j.Record]:
    # within a map: a list or a text of another order of magnitude, or one instead of null, is planned anew
    code = ranges[0]["from"][: keys.CODE]
    walk: dict[str, Any] = {"ranges": ranges, "pattern": pattern, "asked": statement.asked} | NAMES
    walk |= schema_terms(graph, code) if statement.name in DIAGNOSTIC else {}
    if statement.name in CONDITIONAL:
        walk |= (
            several_terms(graph, code)
            if parameters["usually_several"]
            else {"several_objects": [], "several_subjects": []}
        )
    try:
        return graph.spread(code, lambda one: one.read(f"patterns/{statement.name}", walk=walk, **parameters))
    except TooMuch as error:
        advice = "name a relation, or give a smaller max_pivot_degree, max_set or max_partners"
        raise TooMuch(f"{statement.name} takes more time or memory than the database allows: {advice}") from error


def _parameters(statement: PatternQuery, choice: SubgraphOptions, *, rows: bool) -> dict[str, Any]:
    since, until = choice.published_since, choice.published_until
    bounds = {"since": since or date.min, "until": until or date.max} if since or until else {}
    own = {"asked": statement.asked, "rows": rows, "since": None, "until": None}
    return choice.model_dump() | own | bounds


def _stream(
    graph: Graph, pattern: str, statement: PatternQuery, choice: SubgraphOptions, start: str, until: str, limit: int
) -> Iterator[Subgraph]:
    if statement.name in AS_PATHS:
        yield from _pages(graph, pattern, statement, choice, start, until, limit)
        return
    for record in _groups(graph, statement, choice, start, until, limit):
        yield from group_subgraphs(pattern, record)


def _pages(
    graph: Graph, pattern: str, statement: PatternQuery, choice: SubgraphOptions, start: str, until: str, limit: int
) -> Iterator[Subgraph]:
    parameters = _parameters(statement, choice, rows=True)
    while True:
        here = [{"from": start, "until": until, "beside": None}]
        rows = _paths(graph, pattern, statement, ranges=here, limit=limit, **parameters)
        if len(rows) < limit:
            yield from path_subgraphs(rows)
            return
        start = rows[-1].id[: keys.GROUP]  # a group that may go on: it is read again, with the next ones
        whole = [row for row in rows if not row.id.startswith(start)]
        yield from path_subgraphs(whole)
        limit = min(2 * limit, LAST_PAGE) if whole else 2 * limit


def _paths(graph: Graph, pattern: str, statement: PatternQuery, **parameters: Any) -> list[PathRow]:
    (record,) = _read(graph, statement, **parameters)
    return sorted((path_row(pattern, *row) for row in record["rows"]), key=lambda row: row.id)
