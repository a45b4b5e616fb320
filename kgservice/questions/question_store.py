"""Questions in the graph: how they are written, read and brought back as records."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict, Unpack

import neo4j

from kgservice.core import keys
from kgservice.core.records import Fact, Question, Rival
from kgservice.core.schema import Schema
from kgservice.graph import schema_terms
from kgservice.graph.queries import query
from kgservice.graph.store import Graph
from kgservice.names.mentions import form
from kgservice.questions.filters import share
from kgservice.questions.filters.share import OVER, Fill, Passed, PatternTotals, share_line, share_of, turn
from kgservice.questions.patterns import Anchors, ranges_of
from kgservice.questions.question_record import public_reason
from kgservice.questions.wording.steps import steps

PAGE = 1_000
SOURCES, FEWEST = 5_000, 20  # sources written at once; questions read at once
USED, TURNED = "fact used by another question", "fact asked about for its other end"
ALL = sys.maxsize
OLDER = ("turn", "sources")  # what older versions stored in place of "share"
DERIVED = ("key", "fact_keys", "beside", "looked", "share", "rank", *OLDER)  # kept beside the record, for queries


class Stored:
    """A question as it is stored; its record is made when it is asked for."""

    def __init__(self, row: neo4j.Record) -> None:
        self._known: dict[str, Any] = row["question"]
        self.id: str = self._known["key"]
        self.pattern: str = self._known["pattern"]
        self.asked: str = self._known["asked"]
        self.state: str = self._known["state"]
        self.reason: str = public_reason(self._known["reason"])
        self.cause: str = self._known.get("cause", "")
        self.fact_keys: list[str] = self._known["fact_keys"]
        uses = len(self._known["chunk_ids"]) + len(self._known["entities"])
        self._rivals: str = self._known.get("rivals", "[]")
        self.linked = row["uses"] == uses and "share" in self._known  # as this version writes questions
        self.passes = self.state == "active" or (self.state == "rejected" and self.reason == OVER)

    @cached_property
    def question(self) -> Question:
        """The record."""
        known = {name: value for name, value in self._known.items() if name not in DERIVED} | {"reason": self.reason}
        facts = tuple(Fact.model_validate(fact) for fact in json.loads(known.pop("facts")))
        metadata, rivals = json.loads(known.pop("metadata")), json.loads(known.pop("rivals", "[]"))
        return Question(id=self.id, facts=facts, metadata=metadata, rivals=rivals, **known)

    @property
    def share(self) -> str:
        """What the share reads of it, "" if an older version wrote it."""
        return str(self._known.get("share", ""))

    @property
    def seen(self) -> dict[str, str]:
        """What `write` compares with what is stored then: whatever a person, a model or another run changes."""
        return {name: self._known[name] for name in ("state", "question", "facts", "metadata")}

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """What the second look found."""
        return tuple(Rival(**one) for one in json.loads(self._rivals))


class KnownFact(NamedTuple):
    """A fact that is still stated: its groups, the classes of its ends, its statements as (chunk, sentence), and how
    likely the surest of them is right, from 0 to 1."""

    sr: str
    ro: str
    types: tuple[str | None, str | None]
    statements: frozenset[tuple[str, str]]
    confidence: float


class LastRun(NamedTuple):
    """What a run of the selection left: the names of several things as it saw them, and the totals of each pattern's
    questions, None if they are not known. `writes` counts how often somebody has begun to write questions."""

    shared_names: frozenset[str]
    totals: dict[str, PatternTotals] | None
    writes: int


class QuestionFilter(TypedDict, total=False):
    """Which questions of a corpus: the keyword arguments of `listed`."""

    pattern: str | None
    state: str | None
    after: str
    limit: int


def questions(graph: Graph, corpus: str, **which: Unpack[QuestionFilter]) -> Iterator[Question]:
    """Yield the questions of a corpus in order of id, at most `limit` of them; no more are read."""
    return (item.question for item in listed(graph, corpus, **which))


def listed(
    graph: Graph,
    corpus: str,
    *,
    pattern: str | None = None,
    state: str | None = None,
    after: str = "",
    limit: int = ALL,
) -> Iterator[Stored]:
    """Do as `questions`, and make no record before it is asked for."""
    after, until = keys.cursor(corpus, after), keys.corpus_code(corpus) + "~"
    wanted = {"until": until, "pattern": pattern, "state": state}
    while limit and (rows := graph.read("questions/list", after=after, limit=min(limit, PAGE), **wanted)):
        yield from (Stored(row) for row in rows)
        after, limit = rows[-1]["key"], limit - len(rows)


def at(graph: Graph, anchors: Mapping[str, Anchors]) -> Iterator[Stored]:
    """Yield the questions of a kind ("chain last") that are anchored at its groups."""
    ranges = [{"kind": kind, **one} for kind, groups in anchors.items() for one in ranges_of(groups)]
    for start in range(0, len(ranges), PAGE):
        here = ranges[start : start + PAGE]
        yield from (Stored(row) for row in graph.read("questions/at", ranges=here))


def beside(key: str, relations: Iterable[tuple[str, str]]) -> list[str]:
    """Return the codes of a question's (relation, period), by its id, without that of the group it is anchored at."""
    return sorted({keys.relation_code(*one) for one in relations} - {key[keys.KEY : keys.GROUP]})


def place(question: Question) -> tuple[str, str, list[str]]:
    """Return where a question's subgraph is found: its id, the end asked for, and the codes of `beside`."""
    qualified = ((fact.property, fact.period) for fact in question.facts)
    return question.id, question.asked, beside(question.id, qualified)


def active(graph: Graph, corpus: str) -> int:
    """Count the active questions of a corpus."""
    code = keys.corpus_code(corpus)
    return int(graph.read("questions/active", code=code, until=code + "~")[0]["questions"])


def count(graph: Graph, corpus: str, pattern: str | None, state: str | None) -> int:
    """Count the questions of a corpus, of one pattern and in one state or of all."""
    code = keys.corpus_code(corpus)
    rows = graph.read("questions/count", code=code, until=code + "~", pattern=pattern, state=state)
    return int(rows[0]["questions"])


def singles(graph: Graph, facts: Iterable[str]) -> list[neo4j.Record]:
    """Return the single questions about these facts, by key: {fact, key, pattern, asked, beside, state, reason,
    share}."""
    return [row for batch in _batches(sorted(facts)) for row in graph.read("questions/singles", facts=batch)]


def passed(graph: Graph, corpus: str) -> Iterator[tuple[str, Passed]]:
    """Yield what passes all but perhaps its share, with its pattern."""
    code = keys.corpus_code(corpus)
    for row in graph.read("questions/passed", code=code, until=code + "~", over=OVER):
        state, lines = row["state"], row["shares"]
        yield from (share_of(line, state) for line in lines)


def ranked(
    graph: Graph, corpus: str, pattern: str, source: str, start: str, number: int, *, back: bool
) -> list[Passed]:
    """Return some questions that pass, of a source of a pattern, in order of rank: from a rank on, or the last ones
    before it (before the end if it is "")."""
    every = f"{keys.corpus_code(corpus)} {pattern} "
    after, until = (every, every + (start or "~")) if back else (every + start, every + "~")
    name = "questions/ranked_before" if back else "questions/ranked_from"
    rows = graph.read(name, after=after, until=until, source=source, limit=max(number, FEWEST))
    return [share_of(row["share"], row["state"])[1] for row in rows]


def using(graph: Graph, facts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (fact, question) of the active questions of these facts that are not single."""
    for batch in _batches(sorted(facts)):
        yield from ((row["fact"], row["key"]) for row in graph.read("questions/using", facts=batch))


def forget_totals(graph: Graph, corpus: str) -> int:
    """Remove the totals of the patterns' questions: whoever writes questions does that before; `finish` stores them.

    Return how often somebody has done so: `finish` stores nothing if another has since.
    """
    text = query("questions/forget_totals")
    return graph.change(lambda tx: sum(int(row["writes"]) for row in tx.run(text, corpus=corpus)))


def sources(graph: Graph, corpus: str, wanted: Mapping[str, Iterable[str]]) -> dict[str, dict[str, Fill]]:
    """Return how these sources of each pattern are filled; those without a question are left out."""
    code = keys.corpus_code(corpus)
    every = sorted(f"{code} {pattern} {source}" for pattern, found in wanted.items() for source in found)
    rows = (row for batch in _batches(every) for row in graph.read("questions/sources", keys=batch))
    return _filled(wanted, rows)


def full_sources(graph: Graph, corpus: str, least: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, Fill]]:
    """Return how the sources of each pattern are filled that have more questions than these, by kind."""
    code = keys.corpus_code(corpus)
    kinds = [
        {"kind": f"{code} {pattern} {kind}", "least": number}
        for pattern, numbers in least.items()
        for kind, number in numbers.items()
    ]
    return _filled(least, graph.read("questions/sources_full", kinds=kinds) if kinds else ())


def save_sources(graph: Graph, corpus: str, filled: Mapping[str, Mapping[str, Fill]]) -> None:
    """Store how sources of each pattern are filled; one without a question is removed."""
    rows = _source_rows(corpus, filled)
    for start in range(0, len(rows), SOURCES):
        graph.update("questions/save_sources", sources=rows[start : start + SOURCES])


def forget_sources(graph: Graph, corpus: str) -> None:
    """Remove how the sources of a corpus are filled."""
    code = keys.corpus_code(corpus)
    graph.command("questions/forget_sources", code=code, until=code + "~")


def rank(graph: Graph, corpus: str) -> None:
    """Give the questions that pass their rank where an older version wrote them."""
    code = keys.corpus_code(corpus)
    graph.command("questions/rank", code=code, until=code + "~", over=OVER)


def write(graph: Graph, batch: Sequence[Question], seen: Mapping[str, Stored]) -> set[str]:
    """Write questions with what they use, and return the ids of those that were left as they are stored.

    `seen`: the stored questions from which these were made, by id; a new question has none. A question that somebody
    has changed since is left, and one of a passage that is gone.
    """
    if not batch:
        return set()
    rows = [
        _row(question) | {"seen": seen[question.id].seen if question.id in seen else None}
        for question in sorted(batch, key=lambda item: item.id)
    ]
    text = query("questions/write")
    return {row["key"] for row in rows} - graph.change(lambda tx: {row["key"] for row in tx.run(text, rows=rows)})


def passages_beside(graph: Graph, entities: Iterable[str]) -> dict[str, list[str]]:
    """Return the passages (keys) that mention these entities, each with the forms (keys) of all names in it."""
    batches = _batches(sorted(entities))
    rows = (row for batch in batches for row in graph.read("questions/passages_beside", entities=batch))
    return {row["chunk"]: row["forms"] for row in rows}


def about(graph: Graph, forms: Iterable[str], max_pivot_degree: int, reasons: Sequence[str]) -> list[neo4j.Record]:
    """Return the questions of which the text about names of these forms (keys) decides, active or rejected for one of
    the reasons: {key, pattern, asked, beside, reason, facts, rivals, answers, groups}."""
    options = {"max_pivot_degree": max_pivot_degree, "reasons": list(reasons)}
    batches = _batches(sorted(forms))
    rows = (row for batch in batches for row in graph.read("questions/about", forms=batch, **options))
    return list({row["key"]: row for row in rows}.values())


def save_readings(graph: Graph, readings: Iterable[tuple[str, str]]) -> None:
    """Keep what was read in the sentences of passages, as (key, readings); a passage that is gone is skipped."""
    rows = [{"chunk": chunk, "readings": text} for chunk, text in sorted(readings)]
    for start in range(0, len(rows), PAGE):
        graph.update("questions/save_readings", rows=rows[start : start + PAGE])


def set_states(graph: Graph, states: Sequence[tuple[str, str, str, str]]) -> None:
    """Set (id, state, reason, cause) of questions."""
    rows = [dict(zip(("key", "state", "reason", "cause"), one, strict=True)) for one in states]
    if rows:
        graph.update("questions/set_state", rows=rows, over=OVER, beside=[OVER, USED, TURNED])


def known_facts(graph: Graph, fact_keys: Iterable[str]) -> dict[str, KnownFact]:
    """Return those of the facts that are still stated, by key."""
    (row,) = graph.read("questions/facts_known", keys=sorted(fact_keys))
    return {
        key: KnownFact(sr, ro, (subject, other), frozenset(zip(chunks, sentences, strict=True)), confidence)
        for key, sr, ro, subject, other, chunks, sentences, confidence in row["facts"]
    }


def save_plan(graph: Graph, corpus: str, plan: str) -> None:
    """Keep the plan (JSON) with the corpus."""
    graph.update("questions/save_plan", corpus=corpus, plan=plan)


def plan(graph: Graph, corpus: str) -> tuple[str | None, bool]:
    """Return the plan (JSON) of the corpus's questions, None where there is none, and whether it was carried out."""
    rows = graph.read("questions/plan", corpus=corpus)
    return (rows[0]["plan"], rows[0]["complete"]) if rows else (None, False)


def schema(graph: Graph, corpus: str) -> str:
    """Return the text of the schema of its own that a corpus was loaded by, "" where it has none."""
    return schema_terms.own_schema(graph, keys.corpus_code(corpus))


def corpus_schema(graph: Graph, corpus: str) -> Schema | None:
    """Return the schema of a corpus, its own or the default one."""
    return schema_terms.corpus_schema(graph, keys.corpus_code(corpus))


def shared_names(graph: Graph, corpus: str) -> frozenset[str]:
    """Return the names that several things of a corpus share, of which nobody can tell which is meant."""
    return frozenset(row["name"] for row in graph.read("questions/shared_names", code=keys.corpus_code(corpus)))


def called(graph: Graph, corpus: str, names: Iterable[str]) -> set[str]:
    """Return the keys of the entities that have one of these names, items of Wikidata among them."""
    rows = [{"form": keys.form_key(corpus, form(name)), "label": name} for name in sorted(names)]
    return {row["key"] for row in graph.read_each("questions/entities_called", "names", rows)}


def last_run(graph: Graph, corpus: str) -> LastRun:
    """Return what the last run of the selection left."""
    rows = graph.read("questions/last_run", corpus=corpus)
    names, text, writes = (rows[0]["shared_names"], rows[0]["totals"], rows[0]["writes"]) if rows else ((), None, 0)
    stored = json.loads(text) if text else {}
    known = stored.get("bounds") == _bounds()  # else another version counted
    totals = {pattern: PatternTotals(**one) for pattern, one in stored["patterns"].items()} if known else None
    return LastRun(frozenset(names), totals, writes)


def changes(graph: Graph, corpus: str) -> list[neo4j.Record]:
    """Return what was recorded since the questions were brought up to date: {key, facts, retyped}."""
    code = keys.corpus_code(corpus)
    return graph.read("questions/changes", code=code, until=code + "~")


def finish(
    graph: Graph,
    corpus: str,
    records: Sequence[str],
    shared: Iterable[str],
    totals: Mapping[str, PatternTotals],
    filled: Mapping[str, Mapping[str, Fill]],
    writes: int,
) -> None:
    """Say that the questions follow the graph as of these records and shared names, and drop the records.

    `totals` are those of the patterns' questions, empty if they are not known, and `filled` the sources of which they
    tell and which are not stored yet. If somebody else has begun to write questions since `writes`, the totals are
    left unknown, and the next run looks at the whole corpus; so it is with -1.
    """
    patterns = {name: one.model_dump() for name, one in sorted(totals.items())}
    stored = json.dumps({"bounds": _bounds(), "patterns": patterns}) if totals else None
    last: dict[str, Any] = {
        "changes": list(records),
        "shared_names": sorted(shared),
        "totals": stored,
        "writes": writes,
    }
    sources = _source_rows(corpus, filled)

    def work(tx: neo4j.ManagedTransaction) -> None:
        if sources:
            tx.run(query("questions/save_sources"), sources=sources).consume()
        tx.run(query("questions/finish"), corpus=corpus, **last).consume()

    graph.change(work)


def _bounds() -> list[float]:
    """What the stored sources were counted by."""
    return [share.FEW, share.EVEN]


def _filled(patterns: Iterable[str], rows: Iterable[neo4j.Record]) -> dict[str, dict[str, Fill]]:
    """Return the rows of sources by pattern and source."""
    found: dict[str, dict[str, Fill]] = {pattern: {} for pattern in patterns}
    for row in rows:
        _, pattern, source = row["key"].split(" ")
        found[pattern][source] = Fill(row["passed"], row["full_from"])
    return found


def _source_rows(corpus: str, filled: Mapping[str, Mapping[str, Fill]]) -> list[dict[str, Any]]:
    code = keys.corpus_code(corpus)
    return [
        {"key": f"{code} {pattern} {source}", "kind": f"{code} {pattern} {source[0]}", **one._asdict()}
        for pattern, found in sorted(filled.items())
        for source, one in sorted(found.items())
    ]


def _batches(values: list[str]) -> Iterator[list[str]]:
    return (values[start : start + PAGE] for start in range(0, len(values), PAGE))


def _looked(question: Question) -> Iterator[str]:
    """The names about which the second look reads: the known ends of the steps."""
    facts = {fact.key: fact for fact in question.facts}
    for step in steps(question.pattern, question.asked, facts):
        ends = facts[step.fact].subject, facts[step.fact].object
        yield ends[step.side == "ro"]


def _rank(question: Question) -> str | None:
    """Return where a question that passes is found by `ranked`, None if it does not pass."""
    passes = question.state == "active" or question.reason == OVER
    return f"{keys.corpus_code(question.corpus)} {question.pattern} {turn(question)} {question.id}" if passes else None


def _row(question: Question) -> dict[str, Any]:
    known = question.model_dump(exclude={"facts", "metadata", "id", "release"})
    facts = [fact.model_dump() | {"property": fact.property} for fact in question.facts]
    properties = known | {
        "key": question.id,
        "answers": list(question.answers),
        "facts": json.dumps(facts, ensure_ascii=False),
        "metadata": json.dumps(question.metadata),
        "rivals": json.dumps(known.get("rivals", []), ensure_ascii=False),
        "beside": place(question)[2],
        "looked": sorted({keys.form_key(question.corpus, form(name)) for name in _looked(question)}),
        "entities": list(question.entities),
        "fact_keys": sorted(fact.key for fact in question.facts),
        "share": share_line(question),
        "rank": _rank(question),
    }
    answers = 0 if question.pattern == "unanswerable" else len(question.answers)
    named = max(len(question.entities) - answers, 0)  # a count is no entity
    return {
        "key": question.id,
        "properties": properties,
        "chunks": list(question.chunk_ids),
        "quoted": [one.chunk for one in question.rivals],
        "named": list(question.entities[:named]),
        "answers": list(question.entities[named:]),
    }
