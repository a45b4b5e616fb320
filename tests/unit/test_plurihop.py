"""PluriHop's systems and question files: answers put together by rules and by a model, Loong's layout, what is refused."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.answering import systems
from kgservice.answering.aggregate import FromDocument, Partial, PromptedAggregator, RuleAggregator
from kgservice.answering.document_question import narrowed
from kgservice.answering.document_reader import DocumentTask, PromptedReader
from kgservice.answering.generator import Generated, QuestionWithPassages, SystemAnswer
from kgservice.evaluation import library
from kgservice.evaluation.plurihop.questions import of_file
from kgservice.evaluation.plurihop.run import PluriHopQuestion
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer
from kgservice.evaluation.shared.run_folder import lines_of
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.llm.client import LLM
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.per_document import _best
from tests.llm_server import KEY, LLMServer, filled, form

SAID = {
    "Acme: report": "5 million USD",
    "Borea: report": "$6 million",
    "Cora: report": "no such info",
    "Dita": "7 tonnes",
}


def partial(question: str, said: Mapping[str, str] = SAID) -> Partial:
    parts = (FromDocument(document=f"d{at}", title=title, said=Generated(answer=answer))
             for at, (title, answer) in enumerate(said.items()))  # fmt: skip
    return Partial(asked=QuestionWithPassages(unit=question, question=question), documents=tuple(parts))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which firm is audited by Kite in the most documents, going by all reports from 2030 to 2033?", "Acme"),
        ("Name every firm that Kite audited in two or more documents, going by all reports?", "Acme; Borea"),
        ("In which years was Kite's income higher than in the year before, going by all reports?", "no such info"),
        ("Name every firm that Kite audited in four or more documents, going by all reports?", "no such info"),
    ],
)
def test_rules_count_the_documents_of_each_answer(question: str, answer: str) -> None:
    said = {
        "Report of 2030": "Acme",
        "2031": "acme",
        "2032": "Borea",
        "2033": "Acme",
        "2034": "Borea",
        "A report": "Cora",
    }
    if "2033" not in question:
        said |= {"Another report": "no such info"}
    found = asyncio.run(RuleAggregator().aggregated([partial(question, said)]))[0]
    assert found.answer == answer


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("Which player is the oldest?", ("31 years", "45 years"), "Bo"),
        ("Which player is the youngest?", ("31 years", "45 years"), "Ann"),
        ("Which house is the oldest?", ("1931", "1945"), "Ann"),
        ("Which house is the newest?", ("12 March 1931", "5 May 1945"), "Bo"),
    ],
)
def test_the_oldest_is_the_first_by_dates_and_the_last_by_age(
    question: str, said: tuple[str, str], answer: str
) -> None:
    named = dict(zip(("Ann: page", "Bo: page"), said, strict=True))
    assert asyncio.run(RuleAggregator().aggregated([partial(question, named)]))[0].answer == answer


def test_a_document_s_chunks_come_by_their_best_subquestion() -> None:
    def hit(chunk: str, score: float) -> Hit:
        return Hit(chunk=chunk, document="d", title="", score=score, text="", why={})

    hits = [hit("a", 0.9), hit("b", 0.8), hit("b", 0.7), hit("c", 0.6), hit("a", 0.1)]
    assert [(one.chunk, one.score) for one in _best(hits)] == [("a", 0.9), ("b", 0.8), ("c", 0.6)]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many firms have sales?", "3"),
        ("What is the number of firms that have sales?", "3"),
        ("How many firms have at least one sale?", "3"),
        ("What is the number of firms with at least 5 sales?", "3"),
        ("What is the number of firms with at most 7 sales?", "3"),
        ("What is the total number of firms that have sales?", "3"),
        ("What's the number of firms that have sales?", "3"),
        ("Tell me the number of firms that have sales.", "3"),
        ("How many firms have sales in every country?", "3"),
        ("How many firms have sales in each of the three countries?", "3"),
        ("How many firms state sales for each year?", "3"),
        ("For how many firms is it said what each sells?", "3"),
        ("For how many firms is it said who is the owner of each?", "3"),
        ("Which firm has the largest number of sales?", "Borea"),
        ("Which firm has the smallest number of sales?", "Acme"),
        (
            "What was the number of sales of each firm?",
            "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes",
        ),
        ("Which firm has the largest sales?", "Borea"),
        ("Which firm has the smallest sales?", "Acme"),
        ("How many sales does each firm have?", "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes"),
        ("How many sales were there in each firm?", "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes"),
        ("How many sales were made by each firm?", "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes"),
        ("Which firms have at least 5 sales?", "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes"),
        ("What are the sales of each firm?", "Acme: 5 million USD; Borea: $6 million; Dita: 7 tonnes"),
    ],
)
def test_rules_count_compare_and_list(question: str, answer: str) -> None:
    found = asyncio.run(RuleAggregator().aggregated([partial(question)]))[0]
    assert (found.answer, found.documents) == (answer, ("d0", "d1", "d3")), "Cora says nothing, tonnes are no sales"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What is the auditor of each firm, going by all reports of 2030?", "What is the auditor of the firm, going by all reports of 2030?"),
        ("How many firms have an auditor?", "What is the auditor?"),
        ("Which firm has Kite as its auditor in three or more documents?", "Which firm has Kite as its auditor?"),
        ("Which firm has the largest revenue?", "How much is the revenue?"),
        ("Which firm employs the smallest figure?", "How much employs?"),
        ("For how many firms is it said what each supplies?", "What supplies?"),
        ("In which years was the output of Alma higher than in the year before?", "What was the output of Alma?"),
        ("In which years was what Alma earned lower than in the year before?", "What Alma earned?"),
        ("Who founded Tolvane Motors?", "Who founded Tolvane Motors?"),
    ],
)  # fmt: skip
def test_one_document_is_asked_about_itself(question: str, asked: str) -> None:
    assert narrowed(question) == asked


def test_answers_are_said_of_what_the_sentence_names_and_of_the_year_that_is_asked_for() -> None:
    said = {
        "Economic survey of Velmora, 2031": ("4 percent", "Inflation in Velmora was 4 percent."),
        "Economic survey of Velmora, 2030": ("5 percent", "Inflation in Velmora was 5 percent."),
        "Housing plan for Isvik": ("6 percent", "The Riverbend Programme foresees 6 percent."),
    }
    parts = (FromDocument(document=title, title=title, said=Generated(answer=answer, reasoning=f"x → {sentence}"))
             for title, (answer, sentence) in said.items())  # fmt: skip
    asked = QuestionWithPassages(
        unit="q", question="What is the inflation of each country, going by all surveys of 2031?"
    )
    (found,) = asyncio.run(RuleAggregator().aggregated([Partial(asked=asked, documents=tuple(parts))]))
    assert found.answer == "Velmora: 4 percent; The Riverbend Programme: 6 percent"


@pytest.mark.parametrize(("way", "years"), [("higher", "2030; 2033"), ("lower", "2031")])
def test_rules_compare_the_figures_of_years(way: str, years: str) -> None:
    said = {
        "Report of 2029": "5 t",
        "2030": "7 t",
        "2031": "6 t",
        "2032": "6 t",
        "2033": "8 t",
        "2035": "9 t",
        "A": "1 t",
    }
    question = f"In which years was the output of Alma {way} than in the year before, going by all reports?"
    (found,) = asyncio.run(RuleAggregator().aggregated([partial(question, said)]))
    assert found.answer == years


def test_nothing_said_is_a_refusal_and_nothing_asked_a_failure() -> None:
    refused = partial("Who?", {"A": "no such info", "B": ""})
    parts = (FromDocument(document="d", title="A", said=Generated(failure="time-out")),)
    broken = Partial(asked=QuestionWithPassages(unit="x", question="Who?"), documents=parts)
    found = asyncio.run(RuleAggregator().aggregated([refused, broken]))
    assert [(one.answer, one.failure) for one in found] == [("no such info", ""), ("", "time-out")]


def test_what_the_budget_stopped_is_told_before_other_failures() -> None:
    reasons = ("time-out", "budget reached", "")
    parts = (FromDocument(document=why, title="A", said=Generated(failure=why)) for why in reasons)
    broken = Partial(asked=QuestionWithPassages(unit="x", question="Who?"), documents=tuple(parts))
    looked = systems._Looked(broken.asked, None, [])
    for answer, documents, told in (
        (SystemAnswer(answer="Ada"), broken.documents, "a document was not read: budget reached"),
        (SystemAnswer(failure="wrong form"), broken.documents, "a document was not read: budget reached"),
        (SystemAnswer(failure="wrong form"), broken.documents[:1], "wrong form"),
        (SystemAnswer(answer="Ada"), broken.documents[2:], ""),
    ):
        assert systems._ended(looked, broken.model_copy(update={"documents": documents}), answer).failure == told


def test_a_model_puts_together_what_documents_say(tmp_path: Path) -> None:
    def answer(request: Mapping[str, Any]) -> Any:
        user = request["messages"][1]["content"]
        if "Document 1" not in user:
            return filled(request)
        assert re.findall(r'Document \d: "(.*)"', user) == ["Acme: report", "Borea: report", "Dita"]
        return {"answer": "Borea", "relevant_documents": [2, 2, 9]}

    async def run(url: str) -> list[SystemAnswer]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            return await PromptedAggregator(llm).aggregated([partial("Nobody?", {"A": ""}), partial("Most?")])

    with LLMServer(answer) as server:
        nothing, found = asyncio.run(run(server.url))
    assert (nothing.answer, nothing.documents) == ("no such info", ())
    assert (found.answer, found.documents) == ("Borea", ("d1",)), "a document that does not exist counts for nothing"


def test_a_tuned_model_takes_questions_apart(tmp_path: Path) -> None:
    async def run(url: str) -> list[Any]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            reader = PromptedReader(llm, llm.beside(llm.address.model_copy(update={"model": "tuned"})))
            task = DocumentTask(unit="q", title="A", questions=("Who?",), contexts=("Ada leads A.",))
            await reader.read([task])
            return await reader.taken_apart([QuestionWithPassages(unit="q", question="Who leads each firm?")])

    with LLMServer(filled) as server:
        asyncio.run(run(server.url))
    assert list(dict.fromkeys(request["model"] for request in server.requests)) == ["test-model", "tuned"]


class Fixed:
    """A system that says the same each time."""

    name = "fixed"

    def __init__(self, **told: Any) -> None:
        self._told = told

    async def answers(self, asked: list[QuestionWithPassages]) -> list[SystemAnswer]:
        return [SystemAnswer(**self._told[one.unit]) for one in asked]


UNITS = (
    PluriHopQuestion(id="a", question="Which firms are there?", answer="Acme; Borea", statements=("Acme", "Borea"), gold=("d1", "d2"),
         groups={"kind": "list"}),
    PluriHopQuestion(id="b", question="Which firms are old?", answer="Cora", groups={"kind": "list"}, mark=True),
)  # fmt: skip


def test_a_run_by_hand(tmp_path: Path) -> None:
    system = Fixed(a={"answer": "Acme; Dita; Elma", "documents": ("d1", "d3")}, b={"answer": "no such info"})
    run = library.plurihop(
        EvaluationSet(units=UNITS, skipped={"not drawn": 3}), system, tmp_path / "run", repetitiveness={1: 0.9, 2: 0.8}
    )
    assert run.summary is not None
    assert run.summary.skipped == {"not drawn": 3}
    means = {name: (one.mean, one.of) for name, one in run.summary.measures.items()}
    assert means == {
        "precision": (pytest.approx(1 / 3, abs=1e-4), 1), "recall": (0.25, 2), "f1": (pytest.approx(0.4 / 2), 2),
        "document precision": (0.5, 1), "document recall": (0.5, 1), "document f1": (0.5, 1),
    }  # fmt: skip
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert "✗ Dita" in page
    assert "r@k" in page


def test_a_judge_splits_compares_and_marks(tmp_path: Path) -> None:
    def answer(request: Mapping[str, Any]) -> Any:
        fields = set((form(request) or {}).get("properties", {}))
        if fields == {"statements"}:
            return {"statements": ["one", "two"]}
        if fields == {"implied"}:
            return {"implied": [True, False]}
        return {"remark": "r", "score": 80} if "score" in fields else filled(request)

    system = Fixed(a={"answer": "Acme, I think"}, b={"answer": "", "failure": "time-out"})
    with LLMServer(answer) as server:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        model = LLM(server.url, SecretStr(KEY), "test-model", **files)
        run = library.plurihop(
            EvaluationSet(units=UNITS, skipped={}), system, tmp_path / "run", model=model, judge=True
        )
    first, second = lines_of(tmp_path / "run", MeasuredAnswer)
    assert (first.measures["precision"], first.measures["recall"], first.measures["f1"]) == (0.5, 0.5, 0.5)
    assert "mark" not in first.measures
    assert second.measures == {"recall": 0.0, "f1": 0.0, "mark": 1.0, "perfect": 0.0}
    assert run.summary is not None
    assert run.summary.failed == {"time-out": 1}


class Held:
    """A graph that holds some documents."""

    def __init__(self, *known: str) -> None:
        self._known = known

    def check_corpus(self, corpus: str) -> None:
        assert corpus == "c"

    def read(self, _: str, *, corpus: str, keys: list[str]) -> list[dict[str, str]]:
        from kgservice.core.keys import document_key

        return [{"key": key} for key in keys if key in {document_key(corpus, name) for name in self._known}]


def loong(key: str, **fields: Any) -> str:
    row = {"id": key, "level": "3", "set": "2", "length": "9", "type": "financial", "language": "en", "question": "Q?",
           "instruction": "I.", "prompt_template": "", "shuffle_doc": "True"}  # fmt: skip
    return json.dumps(row | fields) + "\n"


def test_loongs_questions_by_set_and_level(tmp_path: Path) -> None:
    file = tmp_path / "loong.jsonl"
    file.write_text(
        loong("1", doc="['A Corp', 'B Inc.']", answer={"high": ["A Corp", "B Inc."], "low": []})
        + loong("2", doc=["A Corp"], answer=["# First ", "# Second "], type="paper")
        + loong("3", doc=["gone"], answer="5") + loong("4", doc=["A Corp"], answer="$5 million"),
        encoding="utf-8",
    )  # fmt: skip
    found = of_file(Held("A Corp", "B Inc."), "c", file, None, 0)  # type: ignore[arg-type]
    assert found.skipped == {"a document is not in the corpus": 1}
    first, second, fourth = found.units
    assert first.groups == {"set": "2: 50K-100K", "level": "3 clustering", "type": "financial, en"}
    assert (first.question, first.statements, first.documents) == (
        "Q?",
        ("high: A Corp", "high: B Inc."),
        ("A Corp", "B Inc."),
    )
    assert (second.question, second.statements) == ("I.\n\nQ?", ("First", "Second"))
    assert (fourth.answer, fourth.statements, fourth.mark) == ("$5 million", (), True)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "the file is empty"),
        ("[1]\n", "line 1"),
        ("{\n", "a line is a question as a JSON object"),
        ('{"id": "1", "question": "Q?", "answer": "x", "documents": ["gone"]}\n', "1 a document is not in the corpus"),
        ('{"id": "1", "question": "Q?"}\n', "1 the reference says nothing"),
        ('{"id": "1", "question": "Q?", "answer": "x"}\n' * 2, "the id '1' occurs twice"),
    ],
)
def test_files_that_cannot_be_asked_are_named(tmp_path: Path, lines: str, words: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(lines, encoding="utf-8")
    with pytest.raises(Exception, match=words):
        of_file(Held(), "c", file, None, 0)  # type: ignore[arg-type]


def test_the_whole_of_loong_is_read(shared_data: Path) -> None:
    class Everything(Held):
        def read(self, _: str, *, corpus: str, keys: list[str]) -> list[dict[str, str]]:
            return [{"key": key} for key in keys]

    found = of_file(Everything(), "c", shared_data / "loong" / "loong_even.jsonl.gz", None, 0)  # type: ignore[arg-type]
    assert len(found.units) + sum(found.skipped.values()) == 800
    assert {unit.groups["set"] for unit in found.units} == {"1: 10K-50K", "2: 50K-100K", "3: 100K-200K", "4: 200K-250K"}


PAGE = "x" * 20_000
ASKED = ("Who audits it?", "Since when?")


def of_pages(request: Any) -> Any:
    """Reads a page by its first word, and joins what pages say."""
    told = request["messages"][1]["content"]
    if set((form(request) or {}).get("properties", {})) != {"answers"}:
        return filled(request)
    if "whole document" in told:
        return {"answers": [" and ".join(re.findall(r'name="part \d">\n(.*)\n</data', told)), "no such info"]}
    names = re.findall(r"\n(Kite|Lark|Nobody|Broken)", told)
    assert len(told) < 2 * len(PAGE), "a page a call"
    answers = {"Nobody": ["no such info", "Not mentioned."], "Broken": ["one"]}
    return {"answers": answers.get(names[0], [names[0], "no such info"])}


@pytest.mark.parametrize(
    ("pages", "answer", "failure", "calls"),
    [
        (("Kite", "Nobody", "Lark"), "Who audits it? Kite and Lark", "", 4),
        (("Kite", "Nobody"), "Who audits it? Kite", "", 2),
        (("Nobody", "Nobody "), "no such info", "", 2),
        (("Kite",), "Who audits it? Kite", "", 1),
        (("Kite", "Broken"), "", "not as many answers as questions", 2),
    ],
)
def test_long_documents_are_read_page_by_page(
    tmp_path: Path, pages: tuple[str, ...], answer: str, failure: str, calls: int
) -> None:
    async def run(url: str) -> Generated:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            contexts = tuple(f"{page}{PAGE}" for page in pages)
            task = DocumentTask(unit="q d", title="Report", questions=ASKED, contexts=contexts)
            (said,) = await PromptedReader(llm).read([task])
            assert llm.spending().stages["read documents"].calls == calls
            return said

    with LLMServer(of_pages) as server:
        said = asyncio.run(run(server.url))
    assert (said.answer, said.failure) == (answer, failure)
