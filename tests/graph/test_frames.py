"""FRAMES over a real graph: the context of each condition, the recall of its articles, a model that searches, going on."""

from __future__ import annotations

import asyncio
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.answering.llm_generator import FRAMES, PromptedGenerator
from kgservice.answering.remote import RemoteGenerator
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Document
from kgservice.evaluation.frames.article_sets import drawn_sets, named_set
from kgservice.evaluation.frames.questions import Framed, articles, read_questions
from kgservice.evaluation.frames.run import (
    CONDITIONS,
    AnsweredQuestion,
    Condition,
    FramedAnswer,
    FramesEvaluation,
    FramesSystems,
    SearchBounds,
    conditions_of,
)
from kgservice.evaluation.shared.run_folder import RunFolder
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import loaded
from tests.llm_server import KEY, LLMServer, filled, form
from tests.unit.test_claims import IDENTITY
from tests.unit.test_generators import system  # noqa: F401 - a fixture

WIKI = "https://en.wikipedia.org/wiki/"
TEXTS = {
    "Vellmar Bridge": "The Vellmar Bridge was drawn by Irena Kost. It is a bridge of Norland.",
    "Irena Kost": "Irena Kost was born in Lunford in 1961.",
    "Lunford": "Lunford is a town with two harbours.",
    "Norland": "Norland is a country of many bridges, and of one harbour.",
    "Isvik": "Isvik has a bridge, and a mayor.",
}
ROWS = [
    (
        "1",
        "In which year did she who drew the Vellmar Bridge, in a town of that country, see the light of day?",
        "1961",
        ["Vellmar_Bridge", "Irena_Kost"],
    ),
    ("2", "Which town lies beside Norland?", "Lunford", ["Lunford", "Atlantis"]),
]


@pytest.fixture(scope="module")
def wiki(graph: Graph) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    texts = (Document(source=f"a/{title}.txt", title=title, text=text) for title, text in TEXTS.items())
    loaded(graph, name, texts, extract="none")
    yield name
    graph.remove_corpus(name)


@pytest.fixture
def questions(tmp_path: Path) -> EvaluationSet[Framed]:
    rows = [
        {"id": name, "question": text, "answer": answer, "reasoning_types": ["Temporal"], "wiki_links": [WIKI + one for one in links]}
        for name, text, answer, links in ROWS
    ]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return read_questions(tmp_path / "q.jsonl")


class Reader:
    """Knows the answer where the passage is there."""

    name = "reader"

    def __init__(self) -> None:
        self.asked: list[QuestionWithPassages] = []

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        self.asked += asked
        known = ["1961" if any("1961" in text for text in one.contexts) else REFUSAL for one in asked]
        return [Generated(answer=answer) for answer in known]


def evaluated(
    graph: Graph, corpus: str, questions: EvaluationSet[Framed], folder: Path, systems: FramesSystems,
    conditions: Sequence[Condition] = CONDITIONS, bounds: SearchBounds | None = None,
) -> dict[str, dict[str, FramedAnswer]]:  # fmt: skip
    opened = RunFolder(folder, IDENTITY, AnsweredQuestion)

    async def run() -> None:
        evaluation = FramesEvaluation(graph, corpus, Embedder(), systems, conditions, bounds)
        going = evaluation.run(questions, opened)
        if systems.searcher is None:
            await going
            return
        async with systems.searcher:
            await going

    asyncio.run(run())
    return {line.id: {one.condition: one for one in line.answers} for line in opened.done()}


def test_links_lead_to_articles_by_name_address_or_title(graph: Graph, wiki: str) -> None:
    found = articles(graph, wiki, [WIKI + "Irena_Kost", "a/Isvik.txt", WIKI + "Atlantis"])
    assert list(found) == [WIKI + "Irena_Kost", "a/Isvik.txt"]
    assert len(set(found.values())) == 2


def test_a_search_adds_articles_and_not_passages_of_one(
    graph: Graph, questions: EvaluationSet[Framed], tmp_path: Path
) -> None:
    name = f"test-{uuid.uuid4().hex}"
    passages = [f"Passage {at}: the town beside Norland. " + f"Word{at} is here. " * 250 for at in range(5)]
    texts = {"Lunford": "\n\n".join(passages), "Isvik": "A town that has a bridge and a mayor."}
    loaded(graph, name, (Document(source=f"a/{one}.txt", title=one, text=text) for one, text in texts.items()), extract="none")  # fmt: skip
    systems = FramesSystems(Reader(), BM25Retriever, None, None)
    found = evaluated(graph, name, questions, tmp_path / "run", systems, ("bm25-2", "multistep-2"), SearchBounds(1, 1))
    graph.remove_corpus(name)
    assert found["2"]["multistep-2"].documents == found["2"]["bm25-2"].documents
    assert len(found["2"]["multistep-2"].documents) == 2


def test_each_condition_has_its_context(
    graph: Graph, wiki: str, questions: EvaluationSet[Framed], tmp_path: Path
) -> None:
    reader = Reader()
    found = evaluated(graph, wiki, questions, tmp_path / "run", FramesSystems(reader, BM25Retriever, None, None))
    one, two = found["1"], found["2"]
    assert list(one) == list(CONDITIONS)
    assert (one["naive"].documents, one["naive"].recall, one["naive"].outcome) == ((), 0, "refused")
    assert one["oracle"].documents == ("a/Vellmar Bridge.txt", "a/Irena Kost.txt")
    assert (one["oracle"].recall, one["oracle"].outcome, one["oracle"].how) == (1, "correct", "exact")
    assert (two["oracle"].documents, two["oracle"].recall) == (("a/Lunford.txt",), 0.5)
    assert [len(one[name].documents) for name in ("bm25-2", "bm25-4")] == [2, 4]
    assert one["multistep-2"].recall == 1, "the bridge's article names whom to search for"
    assert any("Irena Kost" in query for query in one["multistep-2"].queries[1:])
    assert set(one["bm25-2"].documents) <= set(one["multistep-10"].documents)
    naive = next(asked for asked in reader.asked if asked.unit == "1")
    assert naive.contexts == ()

    again = Reader()
    evaluated(graph, wiki, questions, tmp_path / "run", FramesSystems(again, BM25Retriever, None, None))
    assert again.asked == [], "what was done is asked again"


def test_every_query_is_in_the_trace_and_searches_are_bounded(
    graph: Graph, wiki: str, questions: EvaluationSet[Framed], tmp_path: Path
) -> None:
    def said(request: dict[str, Any]) -> Any:
        fields, told = set((form(request) or {}).get("properties", {})), request["messages"][1]["content"]
        if "queries" in fields:
            number = told.count("searched:")
            return {"queries": [f"bridge of Norland {number}", f"Norland bridge {number}", "one too many"]}
        if "Articles of an encyclopedia are given" in request["messages"][0]["content"]:
            return {"reasoning": "r", "answer": "1961"}
        return {"answer": "1961"} if fields == {"answer"} else filled(request)

    with LLMServer(said) as server:
        llm = LLM(
            server.url,
            SecretStr(KEY),
            "test-model",
            answers=tmp_path / "answers.sqlite",
            ledger=tmp_path / "calls.jsonl",
        )
        systems = FramesSystems(PromptedGenerator(llm, FRAMES), BM25Retriever, None, llm)
        found = evaluated(
            graph,
            wiki,
            questions,
            tmp_path / "run",
            systems,
            ["naive", "multistep-1"],
            SearchBounds(steps=3, queries=2),
        )
    one = found["1"]["multistep-1"]
    assert len(one.queries) == 6, "three steps of two queries, though most bring nothing new"
    assert len(one.documents) < 6
    assert one.outcome == found["1"]["naive"].outcome == "correct", (
        "answered by FRAMES' prompts, with articles and none"
    )
    assert not any("not from memory" in prompt for prompt in server.asked), "RARE's prompt allows no memory"


def test_conditions_are_read_by_their_numbers() -> None:
    assert conditions_of("naive, multistep-7,naive,bm25-3") == ["naive", "multistep-7", "bm25-3"]
    for wrong in ("", "bm25", "bm25-0", "oracle-2", "multistep-x"):
        with pytest.raises(BadRequest, match="no condition"):
            conditions_of(wrong)


def test_a_model_searches_answers_and_rates(
    graph: Graph, wiki: str, questions: EvaluationSet[Framed], tmp_path: Path
) -> None:
    def said(request: dict[str, Any]) -> Any:
        fields, told = set((form(request) or {}).get("properties", {})), request["messages"][1]["content"]
        if "queries" in fields:
            name = "Irena Kost" if "drawn by" in told else "Vellmar Bridge"
            queries = [] if "Irena Kost was born" in told else [name, name, " "]
            return {"queries": queries} | ({"reasoning": "r"} if "reasoning" in fields else {})
        if fields == {"reasoning", "answer"}:
            return {"reasoning": "r", "answer": "the year 61 of that century" if "1961" in told else "no such info"}
        if fields == {"refused"}:
            return {"refused": False}
        if fields == {"explanation", "same"}:
            return {"explanation": "the same year", "same": "61 of" in told}
        return {"answer": "no such info"} if fields == {"answer"} else filled(request)

    with LLMServer(said) as server:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        llm = LLM(server.url, SecretStr(KEY), "test-model", **files)
        systems = FramesSystems(PromptedGenerator(llm), BM25Retriever, llm, llm)
        found = evaluated(graph, wiki, questions, tmp_path / "run", systems)  # more searches at once than threads
        assert max(server.paid.values()) == 1
    for condition in ("multistep-2", "planned-2"):
        one = found["1"][condition]
        assert (one.recall, one.outcome, one.how) == (1, "correct", "")
        assert len(one.queries) <= 2
    assert found["1"]["naive"].outcome == "refused"


def test_a_system_that_misbehaves_is_recorded_and_the_run_goes_on(
    graph: Graph,
    wiki: str,
    questions: EvaluationSet[Framed],
    tmp_path: Path,
    system: str,  # noqa: F811
) -> None:
    wishes = ("well", "hang", "huge", "garbage", "half a pair", "broken")
    asked = tuple(questions.units[0].model_copy(update={"id": wish, "text": wish, "links": ()}) for wish in wishes)
    told = questions.model_copy(update={"units": asked})
    systems = FramesSystems(RemoteGenerator(system, timeout=3), BM25Retriever, None, None)
    found = evaluated(graph, wiki, told, tmp_path / "run", systems, ["naive"])
    assert {name: one["naive"].failure for name, one in found.items()} == {
        "well": "", "hang": "time-out", "huge": "answer too long", "garbage": "not JSON", "half a pair": "",
        "broken": "status 503",
    }  # fmt: skip
    assert (found["well"]["naive"].outcome, found["well"]["naive"].recall) == ("wrong", None)
    assert found["half a pair"]["naive"].answer == "a?b"


def test_articles_are_drawn_that_lead_to_one_another(graph: Graph, wiki: str) -> None:
    pairs = list(drawn_sets(graph, wiki, 2, 10, seed=1))
    assert {frozenset(one.source[2:-4] for one in pair.articles) for pair in pairs} == {
        frozenset(("Vellmar Bridge", "Irena Kost")), frozenset(("Vellmar Bridge", "Norland")),
        frozenset(("Irena Kost", "Lunford")),
    }  # fmt: skip
    assert all(set(pair.names) < {"Irena Kost", "Norland", "Lunford"} for pair in pairs), "each links by a title"
    assert list(drawn_sets(graph, wiki, 2, 10, seed=1)) == pairs
    assert list(drawn_sets(graph, wiki, 2, 1, seed=1)) == pairs[:1]
    (whole,) = drawn_sets(graph, wiki, 4, 3, seed=0)
    assert "a/Isvik.txt" not in {one.source for one in whole.articles}, "no name leads there"
    assert list(drawn_sets(graph, wiki, 5, 3, seed=0)) == []
    chosen = named_set(graph, wiki, ["Isvik", "a/Norland.txt", "Isvik"])
    assert [one.title for one in chosen.articles] == ["Isvik", "Norland"]
    with pytest.raises(NotFound, match="Atlantis"):
        named_set(graph, wiki, ["Isvik", "Atlantis"])


def test_a_model_writes_questions_that_are_asked_of_their_articles(
    graph: Graph, wiki: str, kgs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(request: dict[str, Any]) -> Any:
        if "questions" not in (form(request) or {}).get("properties", {}):
            return filled(request)
        texts = re.findall(r'name="article \d">\n(.*?)\n</data', request["messages"][1]["content"], re.DOTALL)
        first = [{"article": place, "sentence": text.split(". ")[0]} for place, text in enumerate(texts, 1)]
        one = {"reasoning": "r", "answer": "1961", "types": ["Temporal reasoning"], "evidence": first}
        named = " and ".join(text.split()[0] for text in texts)
        invented = [first[0] | {"sentence": "It opened in 1961."}, *first[1:]]
        return {
            "questions": [
                one | {"question": f"When was {named} so?"},
                one | {"question": "When?", "evidence": invented},
            ]
        }

    file = tmp_path / "written.jsonl"
    with LLMServer(said) as server:
        for name, value in (("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "test-model")):
            monkeypatch.setenv(f"KGS_LLM_{name}", value)
        foreseen = json.loads(
            kgs("evaluate", "frames-set", file, "-c", wiki, "-k", 2, "-n", 3, "--dry-run", "--json").stdout
        )
        assert (foreseen["calls"], foreseen["kept"], sum(server.paid.values())) == (3, 0, 0)
        done = kgs("evaluate", "frames-set", file, "-c", wiki, "-k", 2, "-n", 3)
        assert done.exit_code == 0, done.output
        assert "in 6 = written 3 + rejected 3; sets failed 0" in done.output
        assert "rejected: 3 evidence that is not in its article" in done.output
        given = kgs("evaluate", "frames-set", file, "-c", wiki, "--article", "Isvik", "--article", "Norland", "--json")
        report = json.loads(given.stdout.splitlines()[-1])
        assert (report["sets"], report["written"], report["articles"]) == (1, 1, {"2": 1})
        none = kgs("evaluate", "frames-set", file, "-c", wiki, "-k", 3, "-n", 1, "--budget", "10tokens")
        assert f"0 questions written ({file} is left as it was), of 1 sets" in none.output
        assert "no 5 articles" in kgs("evaluate", "frames-set", file, "-c", wiki, "-k", 5).output
    written = read_questions(file)
    found = evaluated(
        graph, wiki, written, tmp_path / "own", FramesSystems(Reader(), BM25Retriever, None, None), ["oracle"]
    )
    ((answers,),) = (tuple(found.values()),)
    assert set(answers["oracle"].documents) == {"a/Isvik.txt", "a/Norland.txt"}
    assert answers["oracle"].recall == 1
