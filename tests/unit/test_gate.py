"""The gate: what is asked, how a reply is judged, and when a drop is more than chance."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from typer.testing import CliRunner

from kgservice.cli import app
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.settings import Settings
from kgservice.gate import reports, whole
from kgservice.gate.adapters import as_function, from_langchain
from kgservice.gate.baseline import Baseline, BaselineHead, read, write
from kgservice.gate.cases import Case, chosen, clusters, of_release
from kgservice.gate.chance import drop_by_chance, power
from kgservice.gate.replies import SystemReply, reply_of
from kgservice.gate.run import GateRun, gate_run, to_ask
from kgservice.gate.targets import NO_REPLY, opened, replies
from kgservice.gate.whole import GateOptions
from kgservice.gold.found_passage import FoundPassage
from kgservice.releases.archive import Archive
from tests.unit.gated import SENTENCES, TEXT, answer, cases, finder, town_of
from tests.unit.releases import making, published

HEAD = BaselineHead(corpus="towns", seed=0)


def went(system: Callable[[str], object], baseline: Baseline | None = None, number: int = 60, **known: Any) -> GateRun:
    """Run the gate on the towns."""
    found = cases(number)
    said = {one.id: reply_of(system(one.question)) for one in found.cases}
    return gate_run("towns", found.cases, said, found.documents, baseline, **known)


@pytest.fixture(scope="module")
def baseline() -> Baseline:
    return Baseline(head=HEAD, verdicts=went(answer).verdicts)


def worse_at(number: int, how: Callable[[str], dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """Return a system that is worse at the first questions."""
    bad = {one.question for one in cases().cases[:number]}
    return lambda question: answer(question) | (how(question) if question in bad else {})


def test_the_same_system_passes_and_writes_the_same_bytes(baseline: Baseline, tmp_path: Path) -> None:
    run = went(answer, baseline)
    assert (run.failed, run.worse, run.new) == (False, (), 0)
    assert run.means == {"evidence": 1, "answer": 1}
    assert {name: (one.p, one.power > 0.3) for name, one in run.tests.items()} == {
        "evidence": (1, False),
        "answer": (1, False),
    }
    for name in ("one", "two"):
        write(tmp_path / name, HEAD, went(answer, baseline).verdicts)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert read(tmp_path / "one", HEAD) == baseline
    assert "Lindqvist" not in (tmp_path / "one").read_text()  # no answer, no sentence


@pytest.mark.parametrize(
    ("how", "why", "told"),
    [
        (lambda _: {"passages": ["Nothing of the kind is known to anybody here."]}, "retrieval missed", "not found: Town"),
        (lambda _: {"answer": "Somebody Else"}, "reader", "answered: Somebody Else"),
        (lambda _: {"answer": "Old Name"}, "stale", "Old Name is the answer of an earlier version"),
        (lambda q: {"passages": [{"document": f"{town_of(q)}.md", "text": "The mayor is Old Name, elected in a year long ago."}]},
         "stale", "does not stand there any more"),
        (lambda _: {"answer": "", "passages": []}, "retrieval missed", "answered: nothing"),
    ],
)  # fmt: skip
def test_a_drop_is_found_with_its_reason(baseline: Baseline, how: Any, why: str, told: str) -> None:
    run = went(worse_at(9, how), baseline)
    assert run.failed
    assert {one.verdict.why for one in run.worse} == {why}
    assert len(run.worse) == 9
    text = "\n".join(reports.lines(run))
    assert told in text
    assert "FAILED" in text
    assert not went(worse_at(3, how), baseline).failed
    assert went(worse_at(1, how), baseline, strict=True).failed


def test_a_system_that_stops_finding_or_answering_fails(baseline: Baseline) -> None:
    silent = went(lambda question: {"answer": answer(question)["answer"]}, baseline)
    assert (silent.failed, silent.means["evidence"]) == (True, 0)
    assert went(finder, baseline).means["answer"] == 0
    assert went(finder).means == {"evidence": 1}
    with pytest.raises(BadRequest, match="nothing to judge on 60 questions: boom"):
        went(lambda _: SystemReply(failure="boom"))
    some = went(lambda question: SystemReply(failure="boom") if "TownAa" in question else answer(question), baseline)
    assert (some.failures, some.worse[0].verdict.why, some.failed) == ({"boom": 1}, "failed", False)


def test_only_what_changed_is_asked_again(baseline: Baseline) -> None:
    found = cases()
    first = found.cases[0]
    changed = first.model_copy(update={"id": "new id", "answers": ("Nora New",)})
    picked = (changed, *found.cases[1:])
    asked = to_ask(picked, baseline)
    assert asked == (changed,)
    run = gate_run("towns", picked, {"new id": reply_of(answer(first.question))}, found.documents, baseline)
    assert (run.asked, run.carried, run.new) == (1, 59, 0)  # known by its words, as its id is new
    assert [one.verdict.id for one in run.worse] == ["new id"]
    moved = first.gold.facts[0][0].model_copy(update={"start": 7, "end": 9, "id": "other chunk"})
    same = first.model_copy(update={"gold": first.gold.model_copy(update={"facts": ((moved,),)})})
    assert to_ask((same,), baseline) == ()  # its sentence stands elsewhere now, and says the same


def test_a_release_salts_what_tells_of_the_evidence() -> None:
    one = cases(1).cases[0]
    salted, other = (one.model_copy(update={"salt": salt}) for salt in ("secret", "another"))
    assert len({one.digest, salted.digest, other.digest}) == 3
    assert salted.digest == one.model_copy(update={"salt": "secret"}).digest
    assert "secret" not in f"{salted!r}{salted.model_dump_json()}"


def test_questions_are_chosen_for_facts_of_their_own_and_stay() -> None:
    gold = cases(1).cases[0].gold
    many = [Case(id=f"q{n}", question=f"Q{n}?", answers=("a",), facts=(f"f{n % 40}",), gold=gold) for n in range(80)]
    first = chosen(many, 40, seed=1)
    assert len({one.facts for one in first}) == 40
    assert first == chosen(list(reversed(many)), 40, seed=1) != chosen(many, 40, seed=2)
    assert len(chosen(many, 60, seed=1)) == 60
    known = {one.question: one.about for one in first}
    more = [*many, Case(id="q new", question="Q new?", answers=("a",), facts=("f new",), gold=gold)]
    assert chosen(more, 40, 1, known) == first
    gone = first[0].model_copy(update={"id": "q other", "question": "Other words?", "about": ("a",)})
    assert gone in chosen([*many, gone], 40, 1, known | {"Gone?": ("a",)})
    kept = [one for one in first if one.id != first[0].id]
    assert {*kept} < {*chosen([one for one in many if one.id != first[0].id], 40, 1, known)}
    found = clusters({"a": ["1", "2"], "b": ["2", "3"], "c": ["3"], "d": ["4"]})
    assert found["a"] == found["b"] == found["c"] != found["d"]


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_chance_is_the_share_of_all_signs(drops: list[int]) -> None:
    sums = [
        sum(sign * one for sign, one in zip(signs, drops, strict=True)) for signs in product((1, -1), repeat=len(drops))
    ]
    assert drop_by_chance(drops) == pytest.approx(sum(one >= sum(drops) for one in sums) / len(sums))


@pytest.mark.parametrize(("clusters", "better"), [(60, 0), (150, 0), (150, 3), (150, 12), (20, 10)])
def test_power_is_what_trials_give(clusters: int, better: int) -> None:
    rng = random.Random(7)
    chance = min(better / clusters, 0.45)
    hits = 0
    for _ in range(2_000):
        drawn = [rng.random() for _ in range(clusters)]
        drops = [1 if one < chance + 0.1 else -1 if one < 2 * chance + 0.1 else 0 for one in drawn]
        hits += drop_by_chance(drops) <= 0.01
    assert power(clusters, better, 0.01) == pytest.approx(hits / 2_000, abs=0.03)
    assert power(0, 0, 0.01) == 0


def test_reports_hold_what_people_and_programs_need(baseline: Baseline) -> None:
    run = went(worse_at(9, lambda _: {"answer": "a | b\n<x>\0", "passages": []}), baseline)
    suite = ElementTree.fromstring(reports.junit(run))
    assert (suite.get("tests"), suite.get("failures")) == ("61", "10")
    failed = [case for case in suite if case.find("failure") is not None]
    assert failed[0].find("failure").get("type") == "retrieval missed"  # type: ignore[union-attr]
    assert "not found: TownAa.md" in failed[0].find("failure").text  # type: ignore[union-attr, operator]
    table = reports.markdown(run)
    assert "FAILED" in table
    assert "a \\| b &lt;x>" in table
    assert json.dumps(run.model_dump())
    within = ElementTree.fromstring(reports.junit(went(worse_at(1, lambda _: {"answer": "x"}), baseline)))
    assert (within.get("failures"), within.get("skipped")) == ("0", "1")


@pytest.mark.parametrize(("count", "fewest"), [(6, 8), (8, 0)])
def test_a_report_says_with_how_few_questions_it_cannot_fail(count: int, fewest: int) -> None:
    few = cases(count)
    replies = {one.id: reply_of(answer(one.question)) for one in few.cases}
    first = gate_run("towns", few.cases, replies, few.documents, None)
    none = {one.id: SystemReply(answer="", passages=()) for one in few.cases}
    lost = gate_run("towns", few.cases, none, few.documents, Baseline(head=HEAD, verdicts=first.verdicts))
    assert lost.failed == (not fewest)
    for run in (first, lost):
        assert (f"{fewest} are the fewest" in "\n".join(reports.lines(run))) == bool(fewest)
        assert ("so few questions" in reports.markdown(run)) == bool(fewest)
    said = list(reports.lines(first))
    assert (said[0], said[-1].split(":")[0]) == (f"towns: {count} questions", "PASSED")


def test_reports_keep_every_letter_that_xml_can_hold(baseline: Baseline) -> None:
    letters = "\ud7ff\ue000ﬁ\ufffd😀"  # ﬁ: one sign, as PDFs have it
    text = reports.junit(went(worse_at(9, lambda _: {"answer": f"{letters}|\x01\uffff"}), baseline))
    assert f"{letters}|\ufffd\ufffd" in text


def test_half_a_surrogate_pair_ends_no_run(baseline: Baseline) -> None:
    def fails(_: str) -> object:
        raise ValueError("x\ud800")

    [failed] = replies(opened("kgservice:x", 1, lambda _: fails), [("q", "Q?")], 1, lambda _: None)
    assert failed.failure == "ValueError: x?"
    run = went(worse_at(9, lambda _: {"answer": "a\ud800b"}), baseline)
    assert "| a?b |" in reports.markdown(run).encode().decode()


@pytest.mark.parametrize(("said", "wanted"), [
    ({"answer": "a", "passages": ["p", 3, {"document": "d", "start": 0, "end": 2}]}, ("a", 3)),
    ({"passages": []}, (None, 0)), ("a", ("a", 0)), (("a", ["p"]), ("a", 1)), ((None, ["p"]), (None, 1)), (["p"], (None, 1)),
    ([Document(page_content="p", metadata={"source": "d.md", "start_index": 5}), Document(page_content=" ")], (None, 1)),
    ({"answer": "a", "passages": ["p"] * 500}, ("a", 100)),
])  # fmt: skip
def test_replies_are_read(said: object, wanted: tuple[object, int]) -> None:
    reply = reply_of(said)
    assert (reply.answer, len(reply.passages)) == wanted


@pytest.mark.parametrize(
    "said", [None, 5, {}, {"answer": 5}, {"answer": "a", "passages": "p"}, {"passages": [None]}, {"passages": {}}]
)
def test_other_replies_are_refused(said: object) -> None:
    with pytest.raises(BadRequest):
        reply_of(said)


class Finder(BaseRetriever):
    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [Document(page_content=SENTENCES[town_of(query)], metadata={"source": f"/data/{town_of(query)}.md"})]


def test_langchain_and_llamaindex_are_systems() -> None:
    question = "Who is the mayor of TownAa?"
    right = reply_of(answer(question)).answer
    found = reply_of(as_function(Finder())(question))
    assert found.passages == (FoundPassage(text=SENTENCES["TownAa"], document="/data/TownAa.md"),)
    said = RunnableLambda(lambda given: AIMessage(f"{answer(given['input'])['answer']}"))
    chain = RunnablePassthrough.assign(context=(lambda given: given["input"]) | Finder()).assign(answer=said)
    chain = chain.with_types(input_type=dict[str, str])
    reply = reply_of(from_langchain(chain, question="input")(question))
    assert (reply.answer, len(reply.passages)) == (right, 1)
    assert reply_of(as_function(RunnableLambda(lambda text: str(answer(text)["answer"])))(question)).answer == right

    class Node:
        node = Document(page_content=SENTENCES["TownAa"], metadata={"file_path": "TownAa.md"})

    class Said:
        source_nodes = (Node(),)

        def __str__(self) -> str:
            return str(right)

    class Engine:
        def query(self, _: str) -> Said:
            return Said()

    reply = reply_of(as_function(Engine())(question))
    assert (reply.answer, reply.passages[0].document) == (right, "TownAa.md")
    with pytest.raises(BadRequest, match="no system"):
        as_function(5)


class Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        bad = {"TownAb": b"no JSON", "TownAc": b'{"reply": 1}', "TownAd": b"[" * 5_000_000}
        body = bad.get(town_of(given["question"]), json.dumps(answer(given["question"])).encode())
        self.send_response(500 if "TownAe" in given["question"] else 200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/ask?key=secret"
    server.shutdown()
    server.server_close()


def asked(target: str, number: int = 6, timeout: float = 20) -> list[SystemReply]:
    system = opened(target, timeout, lambda _: answer)
    try:
        return replies(system, [(one.id, one.question) for one in cases(number).cases], timeout, lambda _: None)
    finally:
        system.close()


COMMAND = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)["question"]
    town = question.split()[-1].strip("?")
    name = f"{town[::-1].title()} Lindqvist"
    if town == "TownAc":
        time.sleep(60)
    reply = {"answer": name, "passages": [f"The mayor of {town} is {name}, elected by the council."]}
    print("no JSON" if town == "TownAb" else json.dumps(reply), flush=True)
"""


def test_an_address_a_function_and_a_command_are_asked(address: str, tmp_path: Path) -> None:
    right = [reply_of(answer(one.question)) for one in cases(6).cases]
    assert asked("tests.unit.gated:answer") == right == asked("kgservice:graph")
    assert [one.failure for one in asked(address)] == [
        "", "the reply is not JSON", 'the reply has neither "answer" nor "passages"', "reply too long", "status 500", "",
    ]  # fmt: skip
    assert "secret" not in opened(address, 1, lambda _: answer).name
    program = tmp_path / "rag.py"
    program.write_text(COMMAND)
    found = asked(f"{sys.executable} {program}", timeout=8)
    assert found[0] == right[0]
    assert [one.failure for one in found[1:3]] == [NO_REPLY, "time-out"]
    assert found[3:] == right[3:]  # it is started again, and in step


LOGGED = """
import sys
print("Loading model ...", flush=True)
for line in sys.stdin:
    print('{"answer": "Ada"}', flush=True)
"""
LONG = """
import sys
for line in sys.stdin:
    print('{"answer": "' + "x" * 5_000_000 + '"}' if "TownAb" in line else '{"answer": "Ada"}', flush=True)
"""


def test_a_command_out_of_step_is_started_again_at_most_three_times(tmp_path: Path) -> None:
    program = tmp_path / "rag.py"
    program.write_text(LOGGED)
    failures = [one.failure for one in asked(f"{sys.executable} {program}")]
    assert failures[:4] == [NO_REPLY] * 4
    assert set(failures[4:]) == {"the command has ended with status -9: it was started again 3 times"}
    program.write_text(LONG)
    assert [(one.answer, one.failure) for one in asked(f"{sys.executable} {program}", 3)] == [
        ("Ada", ""), (None, "reply too long"), ("Ada", ""),
    ]  # fmt: skip
    program.write_text("print(5)")
    assert [one.failure for one in asked(f"{sys.executable} {program}", 1)] == [NO_REPLY]
    program.write_text("raise SystemExit(2)")
    assert not any(one.failure.startswith("time-out") for one in asked(f"{sys.executable} {program}", 20))


@pytest.mark.parametrize(("target", "error", "told"), [
    ("no.such:thing", NotFound, "no module 'no'"), ("tests.unit.gated:thing", NotFound, "thing"),
    ("/no/such/program", BadRequest, "cannot start"), ("tests.unit.gated:TOWNS", BadRequest, "no system"),
    ("", BadRequest, "cannot start"), ("http:///ask", BadRequest, "no address"),
])  # fmt: skip
def test_other_targets_are_refused(target: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        opened(target, 1, lambda _: answer)


@pytest.fixture
def towns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    """Make the towns what every corpus holds; no database is opened."""
    monkeypatch.setattr(whole, "_cases", lambda *_: cases())
    monkeypatch.chdir(tmp_path)
    return Settings(home=tmp_path)


def test_the_whole_gate(towns: Settings) -> None:
    def gate(target: str, **known: Any) -> GateRun:
        wanted = GateOptions(target=f"tests.unit.gated:{target}", **{"corpus": "towns"} | known)
        return whole.run(wanted, towns, lambda _: lambda _: None, lambda _: None)

    with pytest.raises(BadRequest, match="run the gate with --save once"):
        gate("answer")
    with pytest.raises(BadRequest, match="--changed compares"):
        gate("answer", changed=True, save=True)
    assert not gate("answer", save=True).failed
    assert gate("finder").failed
    again = gate("answer", changed=True)
    assert (again.asked, again.carried, again.failed) == (0, 60, False)
    with pytest.raises(BadRequest, match="is of corpus 'towns', not of corpus 'other'"):
        gate("answer", corpus="other")
    Path("kgservice-gate.jsonl").write_text("{}")
    with pytest.raises(BadRequest, match="is no baseline"):
        gate("answer")


pytest_plugins = ("pytester",)


def test_a_release_without_questions_is_refused(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    with archive.staging() as staging:
        empty = making().model_copy(update={"counts": making().counts.model_copy(update={"test": {}})})
        staging.write("public_questions.jsonl", ())
        staging.publish(empty)
    with pytest.raises(BadRequest, match=r"release 1.0.0 has 0 questions"):
        of_release(archive, archive.get("latest"))


def test_a_named_corpus_is_asked_about_its_own_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGS_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("mine", "other"):
        published(tmp_path / "releases", corpus=name, questions=['{"public_id": 0, "question": "Who is Ada Lind?"}'])
    (tmp_path / "page.txt").write_text("Nothing is here.")

    def said(*command: str) -> str:
        return CliRunner().invoke(app, command).stderr

    gate = ("gate", "tests.unit.gated:answer", "--save")
    assert "release 1.0.0 does not say where" in said(*gate, "--release", "latest", "-c", "mine")
    assert "release 1.1.0 does not say where" in said(*gate, "--release", "latest")
    assert "of corpus 'other', not of 'mine'" in said(*gate, "--release", "1.1.0", "-c", "mine")
    leaked = ("leaked", str(tmp_path / "page.txt"))
    assert "of corpus 'other', not of 'mine'" in said(*leaked, "--release", "1.1.0", "-c", "mine")
    assert "no release 'latest' of corpus 'else'" in said(*leaked, "-c", "else")


def test_the_gate_in_pytest(towns: Settings, pytester: pytest.Pytester) -> None:
    known = {"target": "tests.unit.gated:answer", "corpus": "towns"}
    whole.run(
        GateOptions(save=True, baseline=pytester.path / "base.jsonl", **known),
        towns,
        lambda _: lambda _: None,
        lambda _: None,
    )
    pytester.makepyfile("def test_other(): assert True")
    options = ("-p", "no:cacheprovider", "--kgservice-gate-corpus", "towns", "--kgservice-gate-baseline", "base.jsonl")
    ran = pytester.runpytest_inprocess("--kgservice-gate", "tests.unit.gated:answer", *options)
    ran.assert_outcomes(passed=62)
    ran.stdout.fnmatch_lines(["*PASSED: no question got worse*"])
    ran = pytester.runpytest_inprocess("--kgservice-gate", "tests.unit.gated:finder", *options)
    ran.assert_outcomes(passed=1, failed=61)
    ran.stdout.fnmatch_lines(["*kgservice gate: Who is the mayor of TownAa?*", "*expected: *", "*FAILED: worse than*"])
    ran = pytester.runpytest_inprocess("--kgservice-gate", "no.such:thing", *options)
    ran.stderr.fnmatch_lines(["*kgservice gate: no module 'no'*"])
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_texts_of_the_towns_hold_their_sentences() -> None:
    assert all(SENTENCES[name.removesuffix(".md")] in text for name, text in TEXT.items())


@pytest.mark.parametrize("install", ["kgservice", "-e .  kgservice-other==1.2\nanother"])
def test_the_action_installs_each_requirement(tmp_path: Path, install: str) -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    (step,) = (step["run"] for step in action["runs"]["steps"] if "pip" in step.get("run", ""))
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o700)
    known = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "INSTALL": install}
    script = ["bash", "-e", "-o", "pipefail", "-c", step]
    given = subprocess.run(script, env=known, capture_output=True, text=True, check=True).stdout.splitlines()
    assert given[-len(install.split()) - 1 :] == ["--disable-pip-version-check", *install.split()]
