"""FRAMES' questions as published, links to articles, and its scores worked out by hand."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgservice.core.errors import BadRequest
from kgservice.evaluation.frames.questions import read_questions, title_of
from kgservice.evaluation.frames.report import FramesRun, page, summary
from kgservice.evaluation.frames.run import AnsweredQuestion, Condition, FramedAnswer
from kgservice.evaluation.frames.searches import ClauseQueries, PromptedQueries, shown
from kgservice.evaluation.shared.report_page import rendered
from kgservice.llm.budget import tokens_of
from kgservice.llm.prompts import Prompt
from kgservice.metrics.robustness import Outcome
from kgservice.retrieval.followups import EntityQueries
from kgservice.retrieval.hit import Hit
from tests.unit.test_claims import IDENTITY


@pytest.mark.parametrize(
    ("link", "title"),
    [
        ("https://en.wikipedia.org/wiki/James_A._Garfield", "James A. Garfield"),
        ("https://en.wikipedia.org/wiki/Bront%C3%AB_family#Anne", "Brontë family"),
        ("https://en.m.wikipedia.org/wiki/AC/DC", "AC/DC"),
        ("m17", "m17"),
    ],
)
def test_titles_of_links(link: str, title: str) -> None:
    assert title_of(link) == title


def test_questions_as_published(shared_data: Path, tmp_path: Path) -> None:
    found = read_questions(shared_data / "frames" / "questions_even.jsonl.gz")
    assert (len(found.units), found.skipped) == (412, {})
    kinds = {kind for one in found.units for kind in one.types}
    assert {"Numerical reasoning", "Tabular reasoning", "Multiple constraints", "Temporal reasoning"} <= kinds
    assert min(len(one.links) for one in found.units) >= 1
    assert len(read_questions(shared_data / "frames" / "questions_even.jsonl.gz", 10, 1).units) == 10
    row = {"id": "1", "question": "Who?", "answer": " ", "reasoning_types": [], "wiki_links": []}
    (tmp_path / "q.jsonl").write_text(json.dumps(row) + "\n{}\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=r"no question of FRAMES' layout \(1 no answer, 1 unknown shape\)"):
        read_questions(tmp_path / "q.jsonl")


def test_the_published_table_is_read(tmp_path: Path) -> None:
    """test.tsv: an index without a name, links as Python prints a list, types between bars."""
    columns = ["", "Prompt", "Answer", "wikipedia_link_1", "wikipedia_link_2", "reasoning_types", "wiki_links"]
    one = "https://en.wikipedia.org/wiki/Charlotte_Bront%C3%AB"
    two = "https://en.wikipedia.org/wiki/Queen%27s_Gate;_London"
    three = "Brontës; a life.html"  # the name of a document from its loader
    rows = [
        [
            "0",
            'Who wrote "Jane Eyre",\nand when?',
            "Brontë",
            one,
            two,
            "Multiple constraints | Temporal reasoning",
            str([one, two, three]),
        ],
        ["1", "Which?", "x", "", "", "Tabular reasoning", "__import__('os')"],
        ["2", "Which?", "x", "", "", "Tabular reasoning", "3"],
    ]
    with (tmp_path / "test.tsv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter="\t").writerows([columns, *rows])
    found = read_questions(tmp_path / "test.tsv")
    assert found.skipped == {"unknown shape": 2}
    [asked] = found.units
    assert (asked.id, asked.text, asked.answer) == ("0", 'Who wrote "Jane Eyre",\nand when?', "Brontë")
    assert asked.types == ("Multiple constraints", "Temporal reasoning")
    assert [title_of(link) for link in asked.links] == ["Charlotte Brontë", "Queen's Gate; London", three]


def answer(condition: Condition, outcome: Outcome, recall: float | None = None, documents: int = 0) -> FramedAnswer:
    failure = "time-out" if outcome == "failed" else ""
    return FramedAnswer(
        condition=condition, documents=("d",) * documents, recall=recall, answer="x", reasoning="", failure=failure,
        how="", outcome=outcome,
    )  # fmt: skip


def question(name: str, links: int, types: Sequence[str], *answers: FramedAnswer) -> AnsweredQuestion:
    return AnsweredQuestion(
        id=name, question="<i>Who</i>?", truth="Lun", types=tuple(types), links=links, absent=(), answers=answers
    )


def test_table_3_and_figure_3_by_hand() -> None:
    answered = [
        question("1", 2, ["Numerical", "Temporal"], answer("naive", "refused", 0), answer("oracle", "correct", 1, 2)),
        question("2", 12, ["Temporal", "4 hops"], answer("naive", "correct", 0), answer("oracle", "unjudged", 0.5, 6)),
        question("3", 2, [], answer("naive", "failed", 0), answer("oracle", "wrong", 1, 2)),
    ]
    found = summary(answered, {"not drawn": 1})
    assert {name: (one.correct, one.of) for name, one in found.accuracy.items()} == {"naive": (1, 3), "oracle": (1, 2)}
    assert found.recall == {"naive": 0, "oracle": 0.8333}
    assert found.articles == {"naive": 0, "oracle": 3.3}
    by_type = {name: (one.correct, one.of) for name, one in found.by_type["naive"].items()}
    assert by_type == {"4 hops": (1, 1), "Numerical": (0, 1), "Temporal": (1, 2)}
    assert {name: one.of for name, one in found.by_articles["naive"].items()} == {"11+": 1, "2": 2}
    assert found.ended["oracle"] == {"correct": 1, "unjudged": 1, "wrong": 1}
    assert (found.failed, found.links) == ({"time-out": 1}, 16)
    run = FramesRun(identity=IDENTITY, summary=found)
    shown = page(run, answered)
    rows = {table.title: [row.name for row in table.rows] for table in shown.tables}
    assert rows["By reasoning type"] == ["4 hops", "Numerical", "Temporal"]
    assert rows["By number of articles that the answer needs"] == ["2", "11+"]
    html = rendered(shown, run)
    assert "&lt;i&gt;Who&lt;/i&gt;?" in html
    assert "http" not in html


class Found(EntityQueries):
    def __init__(self) -> None: ...

    def _mentions(self, context: Sequence[Hit]) -> list[tuple[str, str]]:
        return [("Irena Kost", "Irena Kost drew the bridge.")]


def test_a_plan_searches_for_each_clause_and_then_for_what_was_found() -> None:
    asked: list[str] = []
    told = "Who drew the bridge that Isvik opened in 2009, and where was the mayor of Lunford born?"
    while (query := ClauseQueries(Found()).next_query(told, (), asked)) is not None:
        asked.append(query)
    assert asked[:4] == [told, "drew the bridge", "Isvik opened in 2009", "was the mayor of Lunford born"]
    assert asked[4].startswith("Irena Kost")
    assert len(asked) == len(set(asked)) == 5


def hit(at: int, rank: int, text: str) -> Hit:
    return Hit(chunk=f"c{at}", document=f"d{at}", title=f"T{at}", score=1.0, text=text, why={"rank": rank})


def test_a_model_is_shown_the_best_and_newest_passages_and_the_titles_of_the_rest() -> None:
    found = [hit(at, 1 + at % 2, "x" * 9_000) for at in range(40)]
    passages, titles = shown(found)
    assert [text[: text.index("\n")] for text in passages] == [f"T{at}" for at in range(20, 40, 2)]
    assert sum(map(tokens_of, passages)) <= 8_000
    assert len(titles) == 30
    assert shown(found[:3]) == ([f"T{at}\n{'x' * 3_000}" for at in range(3)], [])
    long = shown([hit(at, at, "x" * 3_000) for at in range(250)])
    assert sum(map(tokens_of, (*long[0], *long[1]))) < 9_000


class Searching:
    """A model that always has new queries, more than it is asked for; `told` are the prompts."""

    def __init__(self) -> None:
        self.told: list[Prompt] = []

    async def ask(self, told: Prompt, form: Any, **_: object) -> Any:
        self.told.append(told)
        return form(queries=["again", "", *(f"query {len(self.told)}.{at}" for at in range(7))])


def test_a_step_is_one_call_for_several_queries() -> None:
    model, asked = Searching(), list[str]()

    def search(loop: asyncio.AbstractEventLoop) -> None:
        searching = PromptedQueries(model, loop, "q", planned=False, steps=2, queries=3)  # type: ignore[arg-type]
        while (query := searching.next_query("Who?", [hit(1, 1, "text")], asked)) is not None:
            asked.append(query)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, search, loop)

    asyncio.run(run())
    assert asked == ["again", "query 1.0", "query 1.1", "query 2.0", "query 2.1", "query 2.2"]
    assert ["searched:" in told.user for told in model.told] == [False, True]
