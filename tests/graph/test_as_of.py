"""A corpus as of a day equals one into which the documents that were said then alone were loaded."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.api.app import create_app
from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.graph.views import all_versions, current_view, make_view
from kgservice.questions import question_store
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, subgraphs
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.resolution.decisions import explain, merge, split
from kgservice.resolution.entity_history import history
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


def said_about(name: str, versions: list[Version]) -> dict[Arc, tuple[date, date]]:
    """Return since when and until when each fact about a thing was said by any version; a fact said now never ended."""
    stating: dict[Arc, list[Version]] = {}
    for version in versions:
        for one in version.document.triplets or ():
            if name in (arc := (one.subject.label, one.relation, one.object.label)):
                stating.setdefault(arc, []).append(version)
    return {
        arc: (min(one.start or date.min for one in some), max(one.until or date.max for one in some))
        for arc, some in stating.items()
    }


def held(graph: Graph, corpus: str, patterns: Iterable[str]) -> tuple[list[Any], list[Any], Mapping[str, Any]]:
    """Return the graph of a corpus without its own node, and the rows of patterns."""
    nodes, relationships = snapshot(graph, corpus, without=("version",))
    rows = {pattern: list(subgraphs(graph, corpus, pattern, CHOICE)) for pattern in patterns}
    return [node for node in nodes if node["labels"] != ["Corpus"]], relationships, rows


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=LIVES,
    days=st.lists(st.sampled_from(DAYS), min_size=1, max_size=2, unique=True),
    patterns=st.lists(st.sampled_from(list(PATTERNS)), min_size=2, max_size=4, unique=True),
)
def test_a_view_is_what_was_said_then(graph: Graph, events: list[Event], days: list[date], patterns: list[str]) -> None:
    """The whole graph is equal, and so are the rows of all patterns, of which some are listed each time."""
    corpus = f"test-{uuid.uuid4().hex}"
    stays = document("stays", [("F", "r", "G"), ("G", "q", "A")])
    loaded(graph, corpus, [stays])
    try:
        versions = lived(graph, corpus, events)
        always = Version(stays, None, None)
        told = {
            (fact.subject, fact.relation, fact.object): (fact.said_from or date.min, fact.said_until or date.max)
            for fact in history(graph, corpus, "A").facts
        }
        assert told == said_about("A", [always, *versions])
        for day in days:
            made = make_view(graph, corpus, day, searched=False)
            seen = held(graph, made.corpus, patterns)
            graph.remove_corpus(made.corpus)
            with pytest.MonkeyPatch.context() as patch:  # keys follow the name, and no new corpus may have a view's
                patch.setattr(Graph, "check_written", lambda *_: None)
                loaded(graph, made.corpus, [stays, *oracle(versions, day)])
            assert seen == held(graph, made.corpus, patterns)
            graph.remove_corpus(made.corpus)
    finally:
        graph.remove_corpus(corpus)


MAYORS = [
    document("port", [("Ada", "mayor", "Port")], [("Port", "country", "Kasharra")], published=date(2021, 1, 1)),
    document("port", [("Bo", "mayor", "Port")], [("Port", "country", "Kasharra")], published=date(2022, 1, 1)),
]
OTHER = document("other", [("Ada", "mayor", "Port"), ("Kasharra", "capital", "Isvik")], published=date(2021, 6, 1))


def mayors(graph: Graph, corpus: str) -> set[str]:
    choice = SubgraphOptions(asked="subject", relation="mayor")
    return {row.answers[0] for row in subgraphs(graph, corpus, "single", choice)}


def test_a_view_follows_its_corpus(graph: Graph, corpus: str) -> None:
    for one in MAYORS:
        loaded(graph, corpus, [one])
    made = make_view(graph, corpus, date(2021, 8, 1), searched=False)
    assert (made.corpus, made.documents, made.changed) == (f"{corpus}@2021-08-01", 1, 1)
    assert mayors(graph, made.corpus) == {"Ada"}
    assert mayors(graph, corpus) == {"Bo"}
    assert current_view(graph, corpus, date(2021, 8, 1), "ask") == made.corpus
    assert make_view(graph, corpus, date(2021, 8, 1)).changed == 0
    loaded(graph, corpus, [OTHER])
    with pytest.raises(NotFound, match="changed since: ask"):
        current_view(graph, corpus, date(2021, 8, 1), "ask")
    assert make_view(graph, corpus, date(2021, 8, 1), searched=False).changed == 1
    assert graph.totals(made.corpus).documents == 2
    assert mayors(graph, corpus) == set()  # Ada is mayor by a document that is still said: nobody retires that
    graph.remove(corpus, [keys.document_key(corpus, "other")], date(2021, 7, 1))
    assert make_view(graph, corpus, date(2021, 8, 1), searched=False).documents == 1
    assert make_view(graph, corpus, date(2021, 6, 30), searched=False).documents == 2
    assert make_view(graph, corpus, date(2020, 1, 1), searched=False).documents == 0
    assert mayors(graph, f"{corpus}@2020-01-01") == set()
    assert not [name for name in graph.corpora() if name.startswith(f"{corpus}@")]
    assert list(graph.views().values()).count(corpus) == 3
    graph.remove_corpus(corpus)
    assert corpus not in graph.views().values()
    assert not any(
        graph.read("read/past_documents", code=code, until=code + "~") for code in [keys.corpus_code(corpus)]
    )


def test_a_view_has_the_decisions_of_today_and_the_classes_of_its_documents(graph: Graph, corpus: str) -> None:
    typed = [Triplet(subject=Term(label="Ada", type="person"), relation="mayor", object=Term(label="Port Town"))]
    loaded(graph, corpus, [Document(source="d", text="Ada, mayor", triplets=tuple(typed))])
    loaded(graph, corpus, [document("e", [("Port", "country", "Kasharra")]), document("d", [("Bo", "of", "Port")])])
    loaded(graph, corpus, [document("f", [("Ada", "of", "Port")], published=TODAY, type_="album")])
    before = TODAY - timedelta(1)
    view = make_view(graph, corpus, before, searched=False).corpus
    assert explain(graph, view, "Ada").type == "person"
    merge(graph, corpus, "Kasharra", "Port")
    make_view(graph, corpus, before, searched=False)
    assert explain(graph, view, "Kasharra").label == "Port"
    split(graph, corpus, "Kasharra")
    make_view(graph, corpus, before, searched=False)
    assert explain(graph, view, "Kasharra").label == "Kasharra"


def test_nothing_but_questions_is_written_to_a_view(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, MAYORS[:1])
    view = make_view(graph, corpus, TODAY, searched=False).corpus
    writes: list[Callable[[], object]] = [
        lambda: loaded(graph, view, [OTHER]),
        lambda: graph.write(graph.prepare_rows(view, [])),
        lambda: graph.remove(view, [keys.document_key(view, "port")]),
        lambda: merge(graph, view, "Ada", "Port"),
        lambda: make_view(graph, view, TODAY),
    ]
    for write in writes:
        with pytest.raises(BadRequest, match=f"write to '{corpus}'"):
            write()
    assert generate(graph, view, Plan()).added
    assert question_store.active(graph, corpus) == 0
    with pytest.raises(BadRequest, match=f"write to '{corpus}'"):
        create(graph, view, Archive(Path("nowhere")))


def test_what_is_no_new_version_leaves_no_past(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [undated := document("d", [("A", "r", "B")])])
    loaded(graph, corpus, [undated], chunking="chars:300:50")  # read in another way
    loaded(graph, corpus, [undated.model_copy(update={"published": date(2021, 1, 1)})])  # its date is known now
    loaded(graph, corpus, [document("d", [("A", "r", "C")], published=date(2021, 1, 1))])  # a correction
    assert [version.said_until for version in all_versions(graph, corpus)] == [None]
    loaded(graph, corpus, [document("d", [("A", "r", "D")], published=date(2022, 1, 1))])
    graph.remove(corpus, [key := keys.document_key(corpus, "d")])
    ended = [(one.said_from, one.said_until) for one in all_versions(graph, corpus)]
    assert ended == [(date(2021, 1, 1), date(2022, 1, 1)), (date(2022, 1, 1), TODAY)]
    make_view(graph, corpus, date(2021, 5, 1), searched=False)
    graph.remove(corpus, [key], forget=True)
    assert all_versions(graph, corpus) == []
    assert corpus not in graph.views().values()


def test_facts_know_when_they_were_said(graph: Graph, corpus: str) -> None:
    for one in [*MAYORS, OTHER]:
        loaded(graph, corpus, [one])
    found = history(graph, corpus, "Port")
    told = [(fact.subject, fact.object, fact.said_from, fact.said_until, len(fact.sayings)) for fact in found.facts]
    first, second, third = date(2021, 1, 1), date(2022, 1, 1), date(2021, 6, 1)
    assert told == [  # Ada is mayor by a document that is still said
        ("Ada", "Port", first, None, 2), ("Port", "Kasharra", first, None, 2), ("Bo", "Port", second, None, 1)
    ]  # fmt: skip
    assert [(one.said_from, one.said_until) for one in found.facts[0].sayings] == [(first, second), (third, None)]
    assert found.facts[0].sayings[0].sentence == "Ada mayor Port."
    graph.remove(corpus, [keys.document_key(corpus, "other")], date(2023, 1, 1))
    merge(graph, corpus, "Kasharra", "Bo")
    assert [(fact.object, fact.said_until) for fact in history(graph, corpus, "Ada").facts] == [
        ("Port", date(2023, 1, 1))
    ]  # nothing names her now
    assert {fact.object for fact in history(graph, corpus, "Port").facts} == {"Port", "Bo"}
    with pytest.raises(NotFound, match="now or before"):
        history(graph, corpus, "Cy")


def test_over_http(graph: Graph, corpus: str, tmp_path: Path) -> None:
    loaded(graph, corpus, MAYORS[:1])
    loaded(graph, corpus, MAYORS[1:])
    then = {"corpus": corpus, "as_of": "2021-08-01"}
    settings = Settings(home=tmp_path, api_keys={"reader": "a-reader", "curator": "a-curator"})
    with TestClient(create_app(settings, graph)) as http:
        known = {role: {"headers": {"X-API-Key": f"a-{role}"}} for role in ("reader", "curator")}
        missing = http.get("/subgraphs/single", params=then, **known["reader"])
        assert missing.status_code == 404
        assert "POST /views" in missing.json()["detail"]
        assert http.post("/views", json=then, **known["reader"]).status_code == 403
        job = http.post("/views", json=then, **known["curator"]).json()
        while not job["finished"]:
            job = http.get(f"/jobs/{job['id']}", **known["curator"]).json()
        assert job["report"] == {"view": f"{corpus}@2021-08-01", "documents": 1, "changed": 1}
        assert http.post("/questions", json=then, **known["curator"]).json()["added"] > 0
        for path in ("/subgraphs/single", "/questions", "/entities"):
            answer = http.get(path, params=then, **known["reader"])
            assert "Ada" in answer.text, path
            assert "Bo" not in answer.text, path
        assert http.get("/entities/Ada", params=then, **known["reader"]).json()["degree"] == 1
        assert http.get("/entities/Ada", params={"as_of": "2021-08-01"}, **known["reader"]).status_code == 400
        view = http.get("/documents", params={"corpus": f"{corpus}@2021-08-01"}, **known["reader"]).json()["items"]
        shown = [http.get(f"/documents/{one['key']}", **known["reader"]) for one in view]  # the key tells the view
        assert [one.json()["document"]["corpus"] for one in shown] == [f"{corpus}@2021-08-01"]
        refused = http.delete(f"/documents/{view[0]['key']}", **known["curator"])
        assert (refused.status_code, "write to" in refused.json()["detail"]) == (400, True)
        said = http.get("/history", params={"corpus": corpus, "entity": "Ada"}, **known["reader"]).json()
        assert [fact["said_until"] for fact in said["facts"]] == ["2022-01-01"]
        loaded(graph, corpus, [OTHER])
        assert http.get("/questions", params=then, **known["curator"]).status_code == 404


def test_by_commands(graph: Graph, corpus: str, kgs: Any, tmp_path: Path) -> None:
    for number, (mayor, day) in enumerate([("Ada Brune", "2025-01-10"), ("Bo Tarn", "2025-07-10")]):
        said = f"{mayor} is the mayor of Port Ambrel."
        row = {"id": "p", "text": said, "published": day, "triplets": [[mayor, "mayor", "Port Ambrel"]]}
        (path := tmp_path / f"{number}.jsonl").write_text(json.dumps(row))
        assert kgs("load", "triplets", path, "-c", corpus, "--no-vectors").exit_code == 0
    then = ("-c", corpus, "--as-of", "2025-06-30")
    assert "→ Ada Brune" in kgs("subgraphs", "single", *then).stdout
    assert "→ Bo Tarn" in kgs("subgraphs", "single", "-c", corpus).stdout
    assert "Ada Brune" in kgs("entities", "explain", "Ada Brune", *then).stdout
    assert "2025-01-10 to 2025-07-10  p:" in kgs("entities", "history", "Ada Brune", "-c", corpus).stdout
    refused = kgs("questions", "list", *then)
    assert refused.exit_code == 1
    assert "kgservice questions generate" in refused.output
    assert kgs("questions", "generate", *then).exit_code == 0
    assert "Ada Brune" in kgs("questions", "list", *then).stdout
    assert kgs("questions", "export", tmp_path / "then.jsonl", *then).exit_code == 0
    assert "Bo Tarn" not in (tmp_path / "then.jsonl").read_text()
    assert f"as of a day: {corpus}@2025-06-30" in kgs("status").stdout
    assert kgs("documents", "remove", "p", "--forget", "-c", corpus).exit_code == 0
    assert "no rows" in kgs("subgraphs", "single", *then).output
