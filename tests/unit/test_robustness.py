"""RARE-Met worked out by hand: each cell of table 3, the four scores of table 4, the z-test of appendix G.3."""

from __future__ import annotations

import asyncio
from itertools import product
from pathlib import Path

import pytest

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.cli.evaluation.rare import _lines
from kgservice.core.errors import BadRequest
from kgservice.core.records import Problem
from kgservice.evaluation.compare import compared_runs
from kgservice.evaluation.rare.passages import PassageSet
from kgservice.evaluation.rare.perturb import Variant
from kgservice.evaluation.rare.report import page, summary
from kgservice.evaluation.rare.run_records import JudgedQuestion as Asked
from kgservice.evaluation.rare.run_records import RareRun
from kgservice.evaluation.shared.report_page import rendered
from kgservice.evaluation.shared.run_folder import Identity, RunFolder, saved_run
from kgservice.metrics.robustness import PASSAGES, QUERIES, TABLE_3, JudgedAnswer, Outcome, PassageKind, robust, scores
from kgservice.metrics.significance import proportion_interval, proportions

IDENTITY = Identity(
    kgservice="1", evaluation="RARE-Met", corpus="c", generator="extractive", retriever="bm25", k=5,
    embedding_model="m", judge="strings", seed=0, limit=None, prompts={}, data="d",
)  # fmt: skip


@pytest.mark.parametrize(
    ("knows", "perturbed", "passages", "right"),
    [  # c: correct is robust, r: a refusal is
        (True, False, "ground truth", "c"), (True, True, "ground truth", "c"),
        (True, False, "reworded", "c"), (True, True, "reworded", "c"),
        (True, False, "answer deleted", "cr"), (True, True, "answer deleted", "cr"),
        (True, False, "retrieved", "cr"), (True, True, "retrieved", "cr"),
        (False, False, "ground truth", "c"), (False, True, "ground truth", "c"),
        (False, False, "reworded", "c"), (False, True, "reworded", "c"),
        (False, False, "answer deleted", "r"), (False, True, "answer deleted", "r"),
        (False, False, "retrieved", "cr"), (False, True, "retrieved", "cr"),
    ],
)  # fmt: skip
def test_each_cell_of_table_3(knows: bool, perturbed: bool, passages: PassageKind, right: str) -> None:
    ended: dict[Outcome, bool] = {"correct": "c" in right, "refused": "r" in right, "wrong": False, "failed": False}
    found = {outcome: robust(passages, outcome, knows=knows, perturbed=perturbed) for outcome in ended}
    assert found == ended
    assert len(TABLE_3) == 2 * 2 * 4


def cell(query: str, passages: str, outcome: Outcome, *, is_robust: bool) -> JudgedAnswer:
    return JudgedAnswer(
        query=query, passages=passages, answer="x", reasoning="", outcome=outcome, robust=is_robust,
        failure="time-out" if outcome == "failed" else "",
    )  # fmt: skip


def cells(weak: set[tuple[str, str]]) -> tuple[JudgedAnswer, ...]:
    return tuple(
        cell(query, kind, "wrong" if (query, kind) in weak else "correct", is_robust=(query, kind) not in weak)
        for query, kind in product(QUERIES, PASSAGES)
    )


def test_the_four_scores_of_table_4() -> None:
    found = scores(cells({("words", "ground truth"), ("original", "retrieved"), ("grammar", "reworded")}))
    assert [(name, one.robust, one.of) for name, one in found] == [
        ("overall", 17, 20), ("query", 3, 4), ("document", 2, 3), ("retrieval", 0, 1),
    ]  # fmt: skip


def test_what_no_judge_judged_does_not_count_and_what_failed_does() -> None:
    found = scores(
        [
            cell("original", "retrieved", "unjudged", is_robust=False),
            cell("original", "retrieved", "failed", is_robust=False),
        ]
    )
    assert (found.retrieval.robust, found.retrieval.of, found.query.of) == (0, 1, 0)


def test_two_shares_by_hand() -> None:
    found = proportions((60, 100), (50, 100))
    assert found.z == pytest.approx(0.1 / (0.55 * 0.45 * 0.02) ** 0.5)  # 1.4213
    assert found.p == pytest.approx(0.155218, abs=1e-6)
    assert proportions((50, 100), (60, 100)).z == pytest.approx(-found.z)
    assert (proportions((5, 5), (7, 7)).z, proportions((5, 5), (7, 7)).p) == (0, 1)
    published = proportions((56, 70), (48, 80))  # Newcombe (1998), table II, (a), method 10
    assert (published.low, published.high) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    assert proportion_interval(0, 0) == (0, 1)
    assert proportion_interval(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)  # Wilson's own formula
    with pytest.raises(BadRequest, match="share of nothing"):
        proportions((0, 0), (1, 2))


def asked(name: str, **known: object) -> Asked:
    queries = tuple(Variant(kind=kind, text=f"{kind}?", similarity=0.9, candidates=1) for kind in QUERIES)
    made = tuple(PassageSet(kind=kind, texts=("t",), similarity=0.8) for kind in PASSAGES[:3])
    values: dict[str, object] = {
        "id": name, "pattern": "single", "domain": "news", "question": "<b>Who</b>?", "answer": "Lun", "knows": False,
        "probe": "no such info", "queries": queries, "passages": made, "cells": cells({("words", "ground truth")}), "lacking": (),
    }  # fmt: skip
    return Asked.model_validate(values | known)


@pytest.mark.parametrize(
    ("kind", "knows", "wanted"),
    [
        ("ground truth", False, "Lun"),
        ("reworded", True, "Lun"),
        ("answer deleted", False, "a refusal"),
        ("answer deleted", True, "Lun or a refusal"),
        ("retrieved", False, "Lun or a refusal"),
    ],
)
def test_the_page_says_what_would_be_robust(kind: str, knows: bool, wanted: str) -> None:
    wrong = asked("a", knows=knows, cells=(cell("original", kind, "wrong", is_robust=False),))
    run = RareRun(identity=IDENTITY, summary=summary([wrong], {}))
    assert [one.wanted for one in page(run, [wrong]).examples] == [wanted]


def test_a_summary_counts_every_answer_and_the_page_shows_it() -> None:
    found = summary([asked("a"), asked("b", domain="finance"), asked("c", cells=())], {"not drawn": 2})
    assert (found.questions, found.answers, found.skipped) == (2, 40, {"not drawn": 2})
    assert sum(sum(counts.values()) for counts in found.outcomes.values()) == 40
    assert sum(one.of for row in found.by_cell.values() for one in row.values()) == 40
    assert found.by_cell["words"]["ground truth"].robust == 0
    assert set(found.by_domain) == {"news", "finance"}
    assert found.similarity["query: words"] == 0.9
    problems = [Problem(source="d", state="failed", reason="writer: time-out"),
                Problem(source="d", state="rejected", reason="query takes no perturbation: words")]  # fmt: skip
    told = summary([asked("d", lacking=problems)], {})
    assert (told.failed, told.lacking) == ({"writer: time-out": 1}, {"query takes no perturbation: words": 1})
    run = RareRun(identity=IDENTITY, summary=found)
    html = rendered(page(run, [asked("a")]), run)
    assert "38 of 40" in html
    assert "2 of 2 questions" in html
    assert "In no score" not in html
    assert "words?" in html
    assert "http" not in html.replace("http-equiv", ""), "the page needs something from elsewhere"


def test_a_perturbation_that_no_question_takes_is_named() -> None:
    without = tuple(one for one in asked("a").queries if one.kind != "words")
    found = summary([asked("a", queries=without), asked("b", queries=without[:-1])], {})
    assert {name: number for name, number in found.made.items() if number < 2} == {
        "query: words": 0,
        "query: irrelevant": 1,
    }
    told = "In no score, as no question takes it: query: words."
    run = RareRun(identity=IDENTITY, summary=found)
    assert told in rendered(page(run, [asked("a")]), run)
    printed = list(_lines(run))
    assert told in printed
    assert any(line.startswith("query: irrelevant") and line.endswith("1 of 2 questions") for line in printed)


def test_two_runs_are_compared_by_pattern_and_domain_too(tmp_path: Path) -> None:
    weak, strong = asked("a"), asked("a", cells=cells(set()))
    for name, one in (("weak", weak), ("strong", strong)):
        folder = RunFolder(tmp_path / name, IDENTITY, Asked)
        folder.write([one, asked("b", pattern="chain", domain="finance", cells=one.cells)])
        folder.finish(RareRun(identity=IDENTITY, summary=summary(folder.done(), {})), "")
    found = compared_runs(tmp_path / "strong", tmp_path / "weak")
    assert (found.scores["query"].a, found.scores["query"].b) == (1.0, 0.75)
    assert found.by_pattern.keys() == {"single", "chain"}
    assert found.by_domain.keys() == {"news", "finance"}
    assert found.by_pattern["chain"]["query"] == proportions((4, 4), (3, 4))
    query = compared_runs(tmp_path / "strong", tmp_path / "weak", ["query"])
    assert query.scores == {"query": found.scores["query"]}
    assert query.by_domain == {name: {"query": each["query"]} for name, each in found.by_domain.items()}
    with pytest.raises(BadRequest, match="RARE has no score 'exact': choose of overall, query"):
        compared_runs(tmp_path / "strong", tmp_path / "weak", ["exact"])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"judge": "gpt"}, "judged by strings and by gpt"),
        ({"seed": 1}, "perturbed with seed 0 and with seed 1"),
        ({"options": {"per_pattern": 5, "queries by": "gpt"}}, "perturbed with seed 0 and with seed 0, queries by gpt"),
        ({"options": {"per_pattern": 5}}, ""),
    ],
)
def test_runs_of_rare_are_judged_and_perturbed_alike(tmp_path: Path, changed: dict[str, object], words: str) -> None:
    for name, identity in (("a", IDENTITY), ("b", IDENTITY.model_copy(update=changed))):
        folder = RunFolder(tmp_path / name, identity, Asked)
        folder.write([asked("a")])
        folder.finish(RareRun(identity=identity, summary=summary(folder.done(), {})), "")
    if not words:
        assert compared_runs(tmp_path / "a", tmp_path / "b", ["query"]).queries == 1
        return
    with pytest.raises(BadRequest, match=words):
        compared_runs(tmp_path / "a", tmp_path / "b", ["query"])


def test_a_run_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run", IDENTITY, Asked)
    assert folder.done() == []
    folder.write([asked("a"), asked("b")])
    with (tmp_path / "run" / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "c", "patt')
    again = RunFolder(tmp_path / "run", IDENTITY, Asked)
    assert [one.id for one in again.done()] == ["a", "b"]
    again.write([asked("c")])
    assert [one.id for one in again.done()] == ["a", "b", "c"]
    with pytest.raises(BadRequest, match=r"another run \(seed 0, not 1\)"):
        RunFolder(tmp_path / "run", IDENTITY.model_copy(update={"seed": 1}), Asked)
    changed = IDENTITY.model_copy(update={"generator": ExtractiveGenerator.name})  # of a reader that reads otherwise
    with pytest.raises(BadRequest, match=r"another run \(generator 'extractive', not 'extractive \d+'\)"):
        RunFolder(tmp_path / "run", changed, Asked)
    assert saved_run(tmp_path / "run", RareRun).summary is None
    with pytest.raises(BadRequest, match="holds no such run"):
        saved_run(tmp_path, RareRun)


def test_what_failed_or_was_stopped_by_the_budget_is_asked_again(tmp_path: Path) -> None:
    def stopped(reason: str, *, state: str = "failed") -> tuple[Problem, ...]:
        return (Problem.model_validate({"source": "q", "state": state, "reason": reason, "detail": ""}),)

    late, unjudged = (cell("original", "retrieved", one, is_robust=False) for one in ("failed", "unjudged"))
    unjudged = unjudged.model_copy(update={"failure": "judge: budget reached"})
    lines = [
        asked("well"), asked("late", cells=(late,)), asked("unjudged", cells=(unjudged,)),
        asked("probe", lacking=stopped("probe unjudged")), asked("writer", lacking=stopped("writer: budget reached")),
        asked("plain", lacking=stopped("characters: nothing to change", state="rejected")),
    ]  # fmt: skip
    names = [line.id for line in lines]
    RunFolder(tmp_path, IDENTITY, Asked).write(lines)

    def again(*, retry_failed: bool) -> list[str]:
        repeated: list[str] = []

        async def test(batch: list[Asked]) -> list[Asked]:
            repeated.extend(one.id for one in batch)
            return [next(line for line in lines if line.id == one.id) for one in batch]

        folder = RunFolder(tmp_path, IDENTITY, Asked, retry_failed=retry_failed)
        asyncio.run(folder.go_on(lines, test, 2))
        assert [one.id for one in folder.done()] == names, "the lines are where they were"
        return repeated

    assert again(retry_failed=False) == ["unjudged", "writer"]
    assert again(retry_failed=True) == ["late", "unjudged", "probe", "writer"]
