"""What people decide about questions, and that refreshes, generations and releases follow it while the facts stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from fastapi.testclient import TestClient
from typer.testing import Result

from kgservice.api.app import create_app
from kgservice.cli.questions import described
from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Question, Reading, Subgraph
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.export.layouts import exported
from kgservice.questions.question_record import QuestionWords, question_words
from kgservice.questions.question_store import USED
from kgservice.questions.review import ReviewDecision, find, review
from kgservice.questions.search import Wanted, search
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create, diff
from kgservice.releases.split import for_training
from tests.graph.documents import document, loaded

pytestmark = pytest.mark.usefixtures("unsearched")

ARCS = [
    ("Novosel", "capital of", "Varnia"),
    ("Ada Lind", "mayor of", "Novosel"),
    ("Orlo", "capital of", "Kest"),
    ("Bo Arne", "mayor of", "Orlo"),
    ("Tessaly Mills", "headquartered in", "Orlo"),
]
PLAN = Plan(second_look=False)
LONG = "was for a very long time in sole charge of all of"  # too long for a filter
NAMES = ("Lun", "Ost", "Tarn", "Velm", "Brod", "Kiro", "Palt", "Ruv")
KEYS = {"reader": "reader-key", "curator": "curator-key"}


@pytest.fixture
def towns(graph: Graph, corpus: str) -> str:
    loaded(graph, corpus, [document(f"d{n}", [arc]) for n, arc in enumerate(ARCS)])
    generate(graph, corpus, PLAN)
    return corpus


def chains(graph: Graph, corpus: str, state: str | None = "active") -> list[Question]:
    return list(question_store.questions(graph, corpus, pattern="chain", state=state))


def known(graph: Graph, corpus: str) -> dict[str, tuple[str, str, str]]:
    """Every question with its state, reason and words."""
    return {one.id: (one.state, one.reason, one.question) for one in question_store.questions(graph, corpus)}


def drop(why: str = "") -> ReviewDecision:
    return ReviewDecision(decision="drop", by="ada", why=why)


def test_a_dropped_question_is_not_asked_and_frees_its_facts(graph: Graph, towns: str) -> None:
    question = chains(graph, towns)[0]
    dropped = review(graph, towns, question.id, drop("nobody asks so"))
    assert (dropped.state, dropped.reason) == ("rejected", "dropped by a person")
    assert [dropped.metadata[f"reviewed_{name}"] for name in ("by", "why")] == ["ada", "nobody asks so"]
    assert str(dropped.metadata["reviewed_at"]).startswith("20")
    after = known(graph, towns)
    freed = {fact.key for fact in question.facts}
    others = {
        fact.key
        for one in question_store.questions(graph, towns, state="active")
        if one.pattern != "single"
        for fact in one.facts
    }
    for one in question_store.questions(graph, towns, pattern="single"):
        if one.facts[0].key in freed - others:
            assert one.reason != USED
    generate(graph, towns, PLAN)
    assert known(graph, towns) == after
    back = review(graph, towns, question.id, ReviewDecision(decision="clear", by="bo"))
    assert (back.state, back.question, "review" in back.metadata, "template" in back.metadata) == (
        "active",
        question.question,
        False,
        False,
    )


def test_words_of_a_person_stay_while_the_facts_stand(graph: Graph, towns: str) -> None:
    question = next(one for one in chains(graph, towns) if any("Bo Arne" in (f.subject, f.object) for f in one.facts))
    words = ReviewDecision(decision="edit", by="ada", question="  Who runs the\ncapital? ")
    edited = review(graph, towns, question.id, words)
    assert (edited.question, edited.state, edited.metadata["reviewed_from"]) == (
        "Who runs the capital?",
        "active",
        question.question,
    )
    again = review(graph, towns, question.id, ReviewDecision(decision="edit", by="bo", question="Who leads it?"))
    assert (again.metadata["reviewed_from"], again.metadata["reviewed_by"]) == (question.question, "bo")
    kept = review(graph, towns, question.id, ReviewDecision(decision="keep", by="cy"))
    assert (kept.question, kept.metadata["reviewed_from"]) == ("Who leads it?", question.question)
    loaded(graph, towns, [document("more", [("Lun", "twin of", "Ost")])])
    refresh(graph, towns)
    assert known(graph, towns)[question.id][2] == "Who leads it?"
    changed = [("Cy Dahl" if s == "Bo Arne" else s, r, o) for s, r, o in [ARCS[3]]]
    loaded(graph, towns, [document("d3", changed)])  # another fact under the same question's id
    refresh(graph, towns)
    assert "Who leads it?" not in {one.question for one in question_store.questions(graph, towns, state="active")}
    loaded(graph, towns, [document("d3", [ARCS[3]])])
    generate(graph, towns, PLAN)
    assert known(graph, towns)[question.id][0] == "active"


@pytest.mark.parametrize(("decision", "words"), [("drop", "A new template?"), ("edit", "Who leads it?")])
def test_a_decision_outlives_the_words_of_a_template(
    graph: Graph, towns: str, decision: Literal["drop", "edit"], words: str
) -> None:
    question = chains(graph, towns)[0]
    edited = "Who leads it?" if decision == "edit" else ""
    old = review(graph, towns, question.id, ReviewDecision(decision=decision, by="ada", question=edited))
    row = Subgraph(
        id=old.id, pattern="chain", asked=old.asked, relations=["a", "b"], named=["n"], answers=old.answers,
        readings=[Reading(pivots=["P"], facts=old.facts)],
    )  # fmt: skip
    found = question_words(old, "A new template?", row)
    assert (found.text, found.known["review"], found.known["template"]) == (words, decision, "A new template?")
    assert found.known["reviewed_from"] == "A new template?"
    assert bool(found.reason) == (decision == "drop")
    fewer = row.model_copy(update={"readings": [Reading(pivots=["P"], facts=old.facts[:1])]})
    assert question_words(old, "A new template?", fewer) == QuestionWords("A new template?")


def test_what_is_kept_is_asked_though_a_filter_said_no(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [document("a", [("Acme", LONG, "Ada Lind")])])
    generate(graph, corpus, Plan())
    rejected = [
        one
        for one in question_store.questions(graph, corpus, state="rejected")
        if one.reason not in (USED, "fact asked about for its other end")
    ]
    assert rejected  # the second look, or a filter
    kept = review(graph, corpus, rejected[0].id, ReviewDecision(decision="keep", by="ada"))
    assert (kept.state, kept.reason) == ("active", "")
    generate(graph, corpus, Plan())
    assert known(graph, corpus)[kept.id][0] == "active"
    loaded(graph, corpus, [document("b", [("Acme", LONG, "Bo Arne"), ("Best", LONG, "Ada Lind")])])
    refresh(graph, corpus)  # its answer is not the only one any more, and nobody can keep that
    assert known(graph, corpus)[kept.id][0] == "retired"
    with pytest.raises(BadRequest, match="retired"):
        review(graph, corpus, kept.id, drop())


@pytest.mark.parametrize("decision", ["keep", "edit"])
def test_a_question_that_is_not_asked_all_the_same_stays_as_it_was(
    graph: Graph, corpus: str, decision: Literal["keep", "edit"]
) -> None:
    days = [(f"Ada {name}", "date of birth", f"19{number}-03-04") for number, name in enumerate(NAMES, 10)]
    loaded(graph, corpus, [document(one, [(one, relation, day)]) for one, relation, day in days])
    plan = PLAN.model_copy(update={"patterns": ("single",)})  # without comparisons, which use these facts
    generate(graph, corpus, plan)
    before = {one.id: one for one in question_store.questions(graph, corpus)}
    verdict = ReviewDecision(decision=decision, by="ada", question="Who was it?" if decision == "edit" else "")
    outcomes = set()
    for one in (item for item in before.values() if item.reason == "asked by a value alone"):
        other = next(two for two in before.values() if two.id != one.id and two.facts == one.facts)
        try:
            outcomes.add(review(graph, corpus, one.id, verdict).state)
        except BadRequest as error:
            outcomes.add("refused")
            assert f"other end: “{other.question}”, id {other.id})" in str(error)
            assert (find(graph, corpus, one.id), find(graph, corpus, other.id)) == (one, other)
            review(graph, corpus, other.id, drop())
            assert review(graph, corpus, one.id, verdict).state == "active"  # as the message says
    assert outcomes == {"active", "refused"}
    after = known(graph, corpus)
    generate(graph, corpus, plan)
    assert known(graph, corpus) == after


def test_only_an_edit_takes_words(graph: Graph, towns: str) -> None:
    question = chains(graph, towns)[0]
    for decision in ("keep", "drop", "clear"):
        with pytest.raises(BadRequest, match="only an edit takes words"):
            review(graph, towns, question.id, ReviewDecision(decision=decision, by="ada", question="Other words?"))
    assert find(graph, towns, question.id) == question


def test_a_question_that_a_run_retires_meanwhile_stays_retired(
    graph: Graph, towns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, write = chains(graph, towns)[0], question_store.write

    def beside(*given: Any) -> set[str]:
        question_store.set_states(graph, [(question.id, "retired", "gone", "")])
        return write(*given)

    monkeypatch.setattr(question_store, "write", beside)
    with pytest.raises(BadRequest, match="retired"):
        review(graph, towns, question.id, ReviewDecision(decision="keep", by="ada"))
    assert find(graph, towns, question.id).state == "retired"


def test_a_decision_meets_what_a_run_writes_meanwhile(
    graph: Graph, towns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, write = chains(graph, towns)[0], question_store.write
    loaded(
        graph, towns, [document(f"again {n}", [arc]) for n, arc in enumerate(ARCS)]
    )  # a refresh writes every question anew

    def refreshed(*given: Any) -> set[str]:
        monkeypatch.setattr(question_store, "write", write)
        refresh(graph, towns)
        return write(*given)

    monkeypatch.setattr(question_store, "write", refreshed)  # the refresh is faster than the decision
    kept = review(graph, towns, question.id, ReviewDecision(decision="edit", by="ada", question="Who leads it?"))
    assert kept.question == "Who leads it?" and len(kept.chunk_ids) > len(question.chunk_ids)
    loaded(graph, towns, [document(f"more {n}", [arc]) for n, arc in enumerate(ARCS)])

    def dropped(*given: Any) -> set[str]:
        monkeypatch.setattr(question_store, "write", write)
        review(graph, towns, question.id, drop())
        return write(*given)

    monkeypatch.setattr(question_store, "write", dropped)  # the decision is faster than the refresh
    refresh(graph, towns)
    assert find(graph, towns, question.id).reason == "dropped by a person"
    refresh(graph, towns)
    assert known(graph, towns) == {
        **known(graph, towns),
        question.id: ("rejected", "dropped by a person", "Who leads it?"),
    }


def test_what_cannot_be_decided_is_refused(graph: Graph, towns: str) -> None:
    question = chains(graph, towns)[0]
    with pytest.raises(NotFound, match="no question 'nothing'"):
        review(graph, towns, "nothing", drop())
    with pytest.raises(BadRequest, match="would hold its answer"):
        review(
            graph,
            towns,
            question.id,
            ReviewDecision(decision="edit", by="a", question=f"Is it {question.answers[0].upper()}?"),
        )
    with pytest.raises(BadRequest, match="needs the new words"):
        review(graph, towns, question.id, ReviewDecision(decision="edit", by="a", question=" "))
    used = next(one for one in question_store.questions(graph, towns, state="rejected") if one.reason == USED)
    with pytest.raises(BadRequest, match="drop that one"):
        review(graph, towns, used.id, ReviewDecision(decision="keep", by="a"))


def test_a_release_leaves_out_what_was_dropped(graph: Graph, towns: str, tmp_path: Path) -> None:
    released = [
        one
        for one in question_store.questions(graph, towns, state="active")
        if not any(map(for_training, one.facts))  # what is given away is in no private file
    ]
    gone, edited = released[:2]
    review(graph, towns, gone.id, drop())
    review(graph, towns, edited.id, ReviewDecision(decision="edit", by="ada", question="In plain words?"))
    archive = Archive(tmp_path)
    release = create(graph, towns, archive)
    names = [one.name for one in release.files]
    private = next(name for name in names if name.endswith("private_qa.jsonl"))
    rows = [json.loads(line) for line in archive.file(release, private, private=True).splitlines()]
    public = b"\n".join(archive.file(release, name, private="private" in name) for name in names).decode()
    assert gone.id not in {row["id"] for row in rows}
    assert "In plain words?" in public
    assert gone.question not in {
        json.loads(line).get("question") for line in public.splitlines() if line.startswith("{")
    }


def test_a_release_tells_neither_who_decided_nor_why(graph: Graph, towns: str, tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    loaded(graph, towns, [document(name, [(f"{name}ia Mills", "mayor of", name)]) for name in NAMES])
    refresh(graph, towns)
    first = create(graph, towns, archive)
    active = list(question_store.questions(graph, towns, state="active"))
    asked = next(one for one in active if not any(map(for_training, one.facts)))
    told = next(one for one in active if all(map(for_training, one.facts)))
    remark = f"everybody knows {asked.answers[0]}, says it-is-private"
    private = {"by": "reviewer-9", "why": remark}
    review(graph, towns, asked.id, ReviewDecision(decision="drop", **private))
    review(graph, towns, told.id, ReviewDecision(decision="edit", question="In plain words?", **private))
    second = create(graph, towns, archive)
    files = {one.name: archive.file(second, one.name, private=True).decode() for one in second.files}
    assert "In plain words?" in files["train.jsonl"]
    assert [name for name, text in files.items() if "reviewer-9" in text or "it-is-private" in text] == []
    assert {one.reason for one in diff(archive, first.version, second.version).retired} == {"dropped by a person"}


def test_a_remark_that_an_older_version_stored_in_the_reason_is_cut(graph: Graph, towns: str) -> None:
    dropped = review(graph, towns, chains(graph, towns)[0].id, drop("it is Novosel"))
    older = dropped.model_copy(
        update={
            "reason": "dropped by a person: it is Novosel",
            "metadata": dropped.metadata | {"reviewed_no": "dropped by a person: it is Novosel"},
        }
    )
    stored = {one.id: one for one in question_store.listed(graph, towns)}
    question_store.write(graph, [older], stored)
    assert find(graph, towns, dropped.id).reason == "dropped by a person"
    code = keys.corpus_code(towns)
    counted = {row["reason"]: row["questions"] for row in graph.read("questions/counts", code=code, until=code + "~")}
    assert counted["dropped by a person"] == 1
    assert "reviewed" not in json.dumps(exported(older))
    done = generate(graph, towns, PLAN)
    assert not any("Novosel" in reason for reason in done.rejected)


def test_questions_are_searched_sorted_and_paged(graph: Graph, towns: str) -> None:
    listed = list(question_store.questions(graph, towns))
    everything: list[str] = []
    after = ""
    for _ in range(len(listed)):
        page = search(graph, towns, Wanted(sort="steps"), after, 3)
        everything += [one.id for one in page]
        if len(page) < 3:
            break
        after = f"{len(page[-1].facts)}:{page[-1].id}"
    steps = {one.id: len(one.facts) for one in listed}
    assert everything == sorted(steps, key=lambda key: (-steps[key], key))
    named = search(graph, towns, Wanted(text="ADA lind"), "", 100)
    assert {one.id for one in named} == {
        one.id for one in listed if all(w in f"{one.question} {one.answers}".lower() for w in ("ada", "lind"))
    }
    assert named
    key = listed[0].document_keys[0]
    assert {one.id for one in search(graph, towns, Wanted(document=key), "", 100)} == {
        one.id for one in listed if key in one.document_keys
    }
    review(graph, towns, chains(graph, towns)[0].id, drop('"review": "keep"'))
    assert [len(search(graph, towns, Wanted(review=one), "", 100)) for one in ("drop", "keep", "none")] == [
        1,
        0,
        len(listed) - 1,
    ]
    with pytest.raises(BadRequest, match="no `next`"):
        search(graph, towns, Wanted(sort="steps"), "somewhere", 3)


@pytest.fixture
def client(graph: Graph, tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(home=tmp_path, api_keys=KEYS), graph), raise_server_exceptions=False) as opened:  # type: ignore[arg-type]
        yield opened


def test_a_list_that_ends_early_says_so(graph: Graph, towns: str, kgs: Callable[..., Result]) -> None:
    total, documents = question_store.active(graph, towns), graph.totals(towns).documents
    whole = kgs("questions", "list", "-c", towns, "--limit", total, "--json")
    first = json.loads(whole.stdout.splitlines()[0])["id"]
    assert whole.stderr == ""
    for verb, number in (("questions", total), ("documents", documents)):
        short = kgs(verb, "list", "-c", towns, "--limit", 1, "--json")
        assert len(short.stdout.splitlines()) == 1
        assert short.stderr.startswith(f"1 of {number} shown: --limit for more, --after ")
        assert "shown" not in kgs(verb, "list", "-c", towns, "--limit", number).stderr
    assert first in kgs("questions", "list", "-c", towns, "--limit", 1).stderr
    none = ("questions", "list", "-c", towns, "--pattern", "pluri_hop")
    assert (kgs(*none).stdout, kgs(*none).stderr.strip(), kgs(*none, "--json").stderr) == ("", "no rows", "")
    assert (
        kgs("questions", "review", "list", "-c", towns, "--limit", 1).stderr == "the first 1 shown: --limit for more\n"
    )
    assert kgs("questions", "review", "list", "-c", towns).stderr == ""
    assert "'kept' is not one of" in kgs("questions", "review", "list", "--decision", "kept").stderr
    long = kgs("questions", "review", "drop", first, "-c", towns, "--why", "x" * 1_001)
    assert long.exit_code == 2
    assert "why: String should have at most 1000 characters" in " ".join(long.stderr.replace("│", " ").split())


def test_an_export_counts_what_it_writes(graph: Graph, towns: str, kgs: Callable[..., Result], tmp_path: Path) -> None:
    loaded(graph, towns, [document("alone", [("Zed", "capital of", "Yon")])])
    refresh(graph, towns)
    file = tmp_path / "frames.jsonl"
    done = kgs("questions", "export", file, "-c", towns, "--layout", "frames", "--json")
    told, ids = json.loads(done.stdout), [json.loads(line)["id"] for line in file.read_text().splitlines()]
    left = told["left_out"]["that one document answers"]
    assert told["questions"] == len({one.removesuffix("-roman") for one in ids})
    assert told["questions"] + left == question_store.active(graph, towns)
    assert left > 0 < told["questions"]


def test_over_http_curators_decide_and_all_is_listed(client: TestClient, graph: Graph, towns: str) -> None:
    question = chains(graph, towns)[0]
    where, asked = f"/questions/{question.id}/review", {"corpus": towns}
    body = {"decision": "drop", "why": "dull"}
    assert client.post(where, json=body, params=asked, headers={"X-API-Key": "reader-key"}).status_code == 403
    curator = {"X-API-Key": "curator-key"}
    done: dict[str, Any] = client.post(where, json=body, headers=curator).json()  # the id tells the corpus
    assert (done["state"], done["metadata"]["reviewed_by"]) == ("rejected", "any curator")
    found = client.get("/questions", params=asked | {"decided": "drop"}, headers=curator).json()
    assert [one["id"] for one in found["items"]] == [question.id]
    first = client.get("/questions", params=asked | {"sort": "steps", "limit": 1}, headers=curator).json()
    second = client.get(
        "/questions", params=asked | {"sort": "steps", "limit": 1, "after": first["next"]}, headers=curator
    ).json()
    assert first["items"][0]["id"] != second["items"][0]["id"]
    entity = client.get("/entities/Orlo", params=asked, headers=curator).json()["key"]
    about = client.get("/questions", params=asked | {"entity": entity, "limit": 1000}, headers=curator).json()["items"]
    assert about
    assert all("Orlo" in f"{one['question']} {one['answers']}" for one in about)
    for name in ("Orlo", "local:Orlo"):
        named = client.get("/questions", params=asked | {"entity": name, "limit": 1000}, headers=curator)
        assert named.json()["items"] == about
    for name in ("d3", key := keys.document_key(towns, "d3")):
        rests = client.get("/questions", params=asked | {"document": name}, headers=curator).json()["items"]
        assert rests
        assert all(key in one["document_keys"] for one in rests)
    for unknown in ({"entity": "Nobody"}, {"document": "nowhere"}, {"document": entity}):
        refused = client.get("/questions", params=asked | unknown, headers=curator)
        assert (refused.status_code, "no " in refused.json()["detail"]) == (404, True)
    graph.remove(towns, [key])
    assert client.get("/questions", params=asked | {"document": key}, headers=curator).json()["items"] == rests
    for bad in ({"decision": "burn"}, {"decision": "edit"}, {}):
        assert client.post(where, json=bad, params=asked, headers=curator).status_code in (400, 422)
    assert client.post("/questions/x/review", json=body, params=asked, headers=curator).status_code == 404
    unknown = client.post("/questions/x/review", json=body, headers=curator)
    assert (unknown.status_code, "no question 'x' in any corpus" in unknown.json()["detail"]) == (404, True)


def test_a_path_with_a_slash_is_a_folder(towns: str, kgs: Callable[..., Result], tmp_path: Path) -> None:
    done = kgs("questions", "export", f"{tmp_path}/out/", "-c", towns)
    file = tmp_path / "out" / "questions.jsonl"
    assert f"questions in {file}" in done.stdout
    again = kgs("questions", "export", tmp_path / "out", "-c", towns, "--json")
    assert len(file.read_text().splitlines()) == json.loads(again.stdout)["questions"] > 0


def test_a_list_has_ids_and_says_where_evidence_is_cut(graph: Graph, towns: str, kgs: Callable[..., Result]) -> None:
    found = list(question_store.questions(graph, towns, state="active"))
    listed = kgs("questions", "list", "-c", towns, "--limit", len(found)).stdout
    assert all(f"id {one.id}\n" in listed for one in found)
    (fact, *others) = found[0].facts
    (source, *more) = fact.statements
    long = fact.model_copy(update={"statements": (source.model_copy(update={"sentence": "word " * 60}), *more)})
    shown = described(found[0].model_copy(update={"facts": (long, *others)}))
    assert "word…”" in shown
    assert "word…”" not in described(found[0])
