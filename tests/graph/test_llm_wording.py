"""Questions worded by a model on a real graph: counts add up, refusals free their place, nothing is paid twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.cli.questions import _split
from kgservice.cli.up import _no_question
from kgservice.core.errors import LLMFailure, SettingsError
from kgservice.core.records import Question
from kgservice.evaluation.frames.questions import articles, read_questions
from kgservice.graph.store import Graph
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.questions import question_store
from kgservice.questions.export.layouts import exported, write_dragon, write_frames, write_rare
from kgservice.questions.export.tuning_examples import TuningExample, estimate_examples, examples, write_examples
from kgservice.questions.llm_wording import BATCH, CHANGED, RECENT, WORDED, Judging, WordingReport, ask, forecast
from kgservice.questions.review import ReviewDecision, find, review
from kgservice.questions.selection import Plan, generate, refresh
from tests.graph.test_refresh import Arc, put, spread, whole_run
from tests.llm_server import FAULTS, KEY, LLMServer
from tests.unit.wording_model import answered

TOWNS = ("Alma", "Boro", "Cora", "Dita", "Enzo", "Fado", "Gora", "Hela", "Ikon", "Juno")
ARCS: list[Arc] = [(f"{town[::-1].title()} Works", "headquartered in", town) for town in TOWNS]
ARCS += [(town, "mayor", f"{town[0]}ane Orr") for town in TOWNS]
PLAN = Plan(patterns=("chain", "single"))
BRIEF = Judging(votes=2)


def model(server: LLMServer, folder: Path, **options: Any) -> LLM:
    kept = {"answers": folder / "answers.sqlite", "ledger": folder / "calls.jsonl"}
    options = {"first_wait": 0.01, "timeout": 10.0} | options  # a busy machine is no fault of the endpoint's
    return LLM(server.url, SecretStr(KEY), "test-model", **kept, **options)


def active(graph: Graph, corpus: str) -> list[Any]:
    return list(question_store.questions(graph, corpus, state="active"))


def checked(done: WordingReport) -> WordingReport:
    assert done.given == done.worded + sum(done.rejected.values()) + sum(done.failed.values())
    table = {one.filter: one for one in done.filters}
    left = done.given
    for one in list(table.values())[2:]:  # after those proved by the query
        if one.how == "run":
            assert left == one.passed + sum(one.rejected.values()) + sum(one.failed.values()), one.filter
            left = one.passed
    assert left == done.worded
    return done


def test_every_question_is_worded_sifted_and_judged(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    with LLMServer(answered) as server:
        done = checked(ask(graph, corpus, PLAN, model(server, tmp_path), BRIEF))
        before = sum(server.paid.values())
        assert done.worded == done.given == len(active(graph, corpus)) == 2 * len(TOWNS)
        for question in active(graph, corpus):
            assert question.metadata["worded_by"] == "test-model"
            assert question.metadata["template"] == question.question
            assert question.metadata["judge: RARE, largest variance"] == 0.0
        judged = {one.filter: one.variance for one in done.filters if one.filter.startswith("judge")}
        assert set(judged.values()) == {0.0}
        assert next(one for one in done.filters if one.filter == WORDED).variance is None
        again = ask(graph, corpus, PLAN, model(server, tmp_path), BRIEF)
        assert again.given == 0
        assert sum(server.paid.values()) == before
    assert refresh(graph, corpus).added == 0
    assert whole_run(graph, corpus).retired == {}
    assert all(question.metadata["worded_by"] == "test-model" for question in active(graph, corpus))


def test_a_pattern_whose_wordings_are_all_refused_is_stopped(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, [(f"Town {n}", "mayor", f"Jane Orr {n}") for n in range(150)])
    refusing = {"question": "", "answers": []}
    with LLMServer(lambda request: refusing if "Draft:" in str(request["messages"]) else answered(request)) as server:
        plan = Plan(patterns=("single",), limit=140)
        done = checked(ask(graph, corpus, plan, model(server, tmp_path), BRIEF))
        assert list(done.stopped) == ["single"]
        assert RECENT <= done.given < RECENT + BATCH
        assert sum(server.paid.values()) < 2 * (RECENT + BATCH)
        assert done.questions.short == {} or done.worded == 0
    assert len(active(graph, corpus)) > 0


def test_what_a_person_decides_while_a_model_is_asked_stays(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    generate(graph, corpus, PLAN)
    edited, dropped, *_ = active(graph, corpus)
    decided: list[Question] = []

    def meanwhile(request: Mapping[str, Any]) -> Any:
        if not decided:
            edit = ReviewDecision(decision="edit", by="ada", question="Who leads it?")
            decided.append(review(graph, corpus, edited.id, edit))
            decided.append(review(graph, corpus, dropped.id, ReviewDecision(decision="drop", by="ada")))
        return answered(request)

    with LLMServer(meanwhile) as server:
        done = checked(ask(graph, corpus, PLAN, model(server, tmp_path, concurrency=1), BRIEF))
    assert done.failed[CHANGED] >= 2
    assert [find(graph, corpus, one.id) for one in decided] == decided
    assert question_store.plan(graph, corpus)[1]


def test_a_refused_question_frees_its_place(graph: Graph, corpus: str, tmp_path: Path) -> None:
    def choosy(request: Mapping[str, Any]) -> Any:
        user = request["messages"][1]["content"]
        said = answered(request)
        return {"question": "", "answers": []} if 'Draft: "Who is the mayor' in user else said

    spread(graph, corpus, ARCS)
    plan = PLAN.model_copy(update={"patterns": ("chain",), "limit": len(TOWNS)})
    with LLMServer(choosy) as server:
        done = checked(ask(graph, corpus, plan, model(server, tmp_path), Judging(votes=1, rare=False, dragon=False)))
    refused = done.rejected["model: left empty by the model"]
    assert refused > 0
    assert len(active(graph, corpus)) == len(TOWNS)  # others took their places
    kept = [question.reason for question in question_store.questions(graph, corpus, state="rejected")]
    assert kept.count("model: left empty by the model") == refused, "what was refused cannot be looked up"
    assert next(one for one in done.filters if one.filter == WORDED).rejected == {"left empty by the model": refused}
    assert {one.how for one in done.filters if one.filter.startswith("judge")} == {"not run: left out"}
    everything = plan.model_copy(update={"limit": None})
    assert generate(graph, corpus, everything).rejected["model: left empty by the model"] == refused
    full = plan.model_copy(update={"limit": 100})
    assert generate(graph, corpus, full).short["chain"]["model: left empty by the model"] == refused


def test_the_report_counts_what_the_model_took_away(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS[:1] + ARCS[len(TOWNS) :][:1])
    before = generate(graph, corpus, PLAN)
    refusing = {"question": "", "answers": []}
    with LLMServer(lambda request: refusing if "Draft:" in str(request["messages"]) else answered(request)) as server:
        done = checked(ask(graph, corpus, PLAN, model(server, tmp_path), BRIEF))
    assert (done.questions.added, done.questions.kept) == (0, 0)
    assert before.added > 0
    assert done.questions.retired == {"model: left empty by the model": before.added}
    assert f"all were rejected. Why: `kgservice questions list --state rejected -c {corpus}" in _no_question(
        graph, corpus
    )


def test_what_a_model_says_passes_the_filters(graph: Graph, corpus: str, tmp_path: Path) -> None:
    def careless(request: Mapping[str, Any]) -> Any:
        said = answered(request)
        if "question" in said and "Orob Works" in said["question"]:
            said["question"] = "Who is the mayor of Boro, where Orob Works is?"
        if "answer" in said and "Aroc" in request["messages"][1]["content"]:
            said["answer"] = "Cane Orr"
        if "reasonableness" in said and "Atid" in request["messages"][1]["content"]:
            said["clarity"] = 3
        return said

    spread(graph, corpus, ARCS)
    with LLMServer(careless) as server:
        done = checked(ask(graph, corpus, Plan(patterns=("chain",)), model(server, tmp_path), BRIEF))
    assert done.rejected.keys() == {
        "model: bridge named in the question", "model: closed book: answerable without context",
        "model: judge: RARE: low clarity",
    }  # fmt: skip


def test_faults_leave_the_templates_and_a_second_run_pays_for_the_rest_alone(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    spread(graph, corpus, ARCS)
    with LLMServer(answered, rates=dict.fromkeys(FAULTS, 0.03), hang=1.0, seed=3) as server:
        done = checked(ask(graph, corpus, PLAN, model(server, tmp_path, timeout=0.5), BRIEF))
        worded = {question.id for question in active(graph, corpus) if "template" in question.metadata}
        assert len(worded) == done.worded
        assert len(active(graph, corpus)) == done.worded + sum(done.failed.values())
        again = checked(ask(graph, corpus, PLAN, model(server, tmp_path, timeout=0.5, retry_failed=True), BRIEF))
        assert again.given == sum(done.failed.values()) > 0
        assert not any("template" in q.metadata for q in active(graph, corpus) if q.id not in worded) or again.worded


def test_a_budget_stops_the_asking_and_it_goes_on_later(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    generate(graph, corpus, PLAN)
    with LLMServer(answered) as server:
        foreseen = forecast(graph, corpus, PLAN, model(server, tmp_path), BRIEF)
        assert foreseen.calls == len(active(graph, corpus)) * (1 + 1 + 3 * 2)
        part = forecast(graph, corpus, PLAN.model_copy(update={"limit": 3}), model(server, tmp_path), BRIEF)
        assert part.calls == 3 * (1 + 1 + 3 * 2)  # chains: they use every fact, so no single question is active
        assert not server.asked
        bound = Budget.read("25000tokens")
        done = checked(ask(graph, corpus, PLAN, model(server, tmp_path, budget=bound), BRIEF))
        assert done.failed.keys() == {"budget reached"}
        paid = sum(server.paid.values())
        rest = checked(ask(graph, corpus, PLAN, model(server, tmp_path), BRIEF))
        assert not rest.failed
        assert rest.worded == len(active(graph, corpus)) - done.worded
        assert sum(server.paid.values()) - paid == sum(one.calls for one in rest.llm.stages.values())
        assert max(server.paid.values()) <= BRIEF.votes


def test_words_survive_a_change_elsewhere_and_fall_with_their_facts(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    with LLMServer(lambda r: _otherwise(answered(r))) as server:
        ask(graph, corpus, PLAN, model(server, tmp_path), BRIEF)
    before = {question.id: question.question for question in active(graph, corpus)}
    assert all(text.startswith("As of 2031, ") for text in before.values())
    put(graph, corpus, {"other": [("Kilo Works", "headquartered in", "Kilo")], "more": [("Alma", "mayor", "Zane Orr")]})
    refresh(graph, corpus)
    after = {question.id: question.question for question in active(graph, corpus)}
    gone = before.keys() - after.keys()
    assert gone and all("Amla" in before[key] or "Aane" in before[key] for key in gone)
    assert all(after[key] == before[key] for key in before.keys() & after.keys())
    assert not any(text.startswith("As of") for key, text in after.items() if key not in before)


def _otherwise(said: Any) -> Any:
    if isinstance(said, dict) and said.get("question"):
        said["question"] = f"As of 2031, {said['question'][0].lower()}{said['question'][1:]}"
    return said


def test_an_estimate_needs_no_questions(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    with LLMServer() as server:
        before = forecast(graph, corpus, PLAN, model(server, tmp_path), BRIEF)
        assert active(graph, corpus) == []
        generate(graph, corpus, PLAN)
        after = forecast(graph, corpus, PLAN, model(server, tmp_path), BRIEF)
        assert not server.asked, "an estimate asks nothing"
    assert before.calls >= after.calls > 0, "the selection takes no more than there is"
    assert before.input_tokens > 0


def _fact_keys(found: list[Question], folder: Path) -> set[str]:
    """The facts of the questions in a folder."""
    rows = [json.loads(line) for path in folder.iterdir() for line in path.read_text().splitlines()]
    ids = {row["id"] for row in rows}
    return {fact.key for question in found if question.id in ids for fact in question.facts}


def test_layouts(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    generate(graph, corpus, PLAN)
    found = active(graph, corpus)
    rare = dict(write_rare(graph, found, tmp_path / "rare"))
    assert rare == {
        "single_hop.jsonl": sum(question.pattern == "single" for question in found),
        "multi_hop.jsonl": sum(question.pattern == "chain" for question in found),
    }
    first = json.loads((tmp_path / "rare" / "multi_hop.jsonl").read_text().splitlines()[0])
    assert len(first["ground_truth_chunks"]) == len(first["triplets"]) == 2
    assert all(
        sentence in chunk
        for sentence, chunk in zip(first["source_sentences"], first["ground_truth_chunks"], strict=True)
    )
    split = {file.name: file.lines for file in _split(graph, found, tmp_path / "split")}
    sides = [tmp_path / "split" / side for side in ("train", "test")]
    keys = [_fact_keys(found, side) for side in sides]
    assert not keys[0] & keys[1] and keys[0] | keys[1]
    assert split["train/single_hop.jsonl"] + split["test/single_hop.jsonl"] == split["single_hop.jsonl"]
    dragon = dict(write_dragon(graph, found, tmp_path / "dragon"))
    assert dragon["public_questions.jsonl"] == dragon["private_qa.jsonl"] == len(found)
    assert dragon["public_texts.jsonl"] == dragon["private_texts_mapping.jsonl"]
    public = (tmp_path / "dragon" / "public_questions.jsonl").read_text()
    assert not any(key in public for question in found for key in (question.id, *question.chunk_ids))
    answers = [json.loads(line) for line in (tmp_path / "dragon" / "private_qa.jsonl").read_text().splitlines()]
    assert [one["answer"] for one in answers] == [", ".join(question.answers) for question in found]
    assert exported(found[0])["id"] == found[0].id
    framed = write_frames(graph, found, tmp_path / "frames.jsonl")
    back = read_questions(tmp_path / "frames.jsonl").units
    assert len(back) == framed.lines > 0
    assert all(articles(graph, corpus, item.links).keys() == set(item.links) for item in back)


def test_examples_for_a_decomposer(graph: Graph, corpus: str, tmp_path: Path) -> None:
    spread(graph, corpus, ARCS)
    generate(graph, corpus, PLAN)
    found = [question for question in active(graph, corpus) if question.pattern == "chain"]

    async def made() -> list[TuningExample | LLMFailure]:
        async with model(server, tmp_path) as llm:
            return [one async for one in examples(llm, graph, found, 12, seed=1)]

    with LLMServer(answered) as server:
        pairs = asyncio.run(made())
        told = [one for one in pairs if isinstance(one, TuningExample)]
        assert len(told) == len(pairs) == 12
        assert len({(one.question_id, one.document) for one in told}) == 12
        assert len({one.question_id for one in told}) == min(12, len(found))  # every question has its turn first
        by_id = {question.id: question for question in found}
        assert all(one.document in by_id[one.question_id].document_keys for one in told)
        server.asked.clear()
        foreseen = estimate_examples(model(server, tmp_path), graph, found, number=14, seed=1)
        assert (foreseen.calls, foreseen.kept, len(server.asked)) == (2, 12, 0)
        file = tmp_path / "chat.jsonl"
        made_all = write_examples(model(server, tmp_path), graph, found, file, number=14, seed=1, layout="chat")
        done = asyncio.run(made_all)
        before = file.read_bytes()
        (tmp_path / "poor").mkdir()
        poor = model(server, tmp_path / "poor", budget=Budget.read("10tokens"))
        with pytest.raises(SettingsError, match="budget reached"):
            asyncio.run(write_examples(poor, graph, found, file, number=14, seed=1))
    assert file.read_bytes() == before
    assert not list(tmp_path.glob(".*"))
    assert (done.asked, done.written, done.llm.stages["decompose"].kept) == (14, 14, 12)
    first = json.loads(file.read_text(encoding="utf-8").splitlines()[0])["messages"]
    assert [message["role"] for message in first] == ["system", "user", "assistant"]
    assert by_id[told[0].question_id].question in first[1]["content"]
    assert json.loads(first[2]["content"])["questions"] == list(told[0].questions)
