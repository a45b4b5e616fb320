"""The public face: a corpus in one object, from files to questions and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

import kgservice
from kgservice import Corpus, Settings
from kgservice.answering.fact_answer import fact_answer
from kgservice.answering.fact_rows import FactAnswer
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.journal import loads
from kgservice.core.pools import ProcessPool
from kgservice.extraction.extractor import Read
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import FolderCounts
from kgservice.questions.selection import Plan
from tests.conftest import Address

MAYOR = "Port Ambrel elected Ada Brune as its mayor."


@pytest.fixture
def opened(address: Address, graph: Graph, corpus: str, tmp_path: Path) -> Iterator[Corpus]:
    settings = Settings(
        home=tmp_path / "home", neo4j_uri=address.uri, neo4j_user=address.user, neo4j_password=address.password
    )
    with Corpus.open(corpus, settings) as found:
        yield found


def test_load_ask_refresh_and_hand_over(opened: Corpus, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"# Port Ambrel\n\nPort Ambrel was founded in 1702. {MAYOR}\n")
    (tmp_path / "b.txt").write_text("Ada Brune was born in Kasharra in 1961.\n")
    assert opened.load(tmp_path / "a.md", tmp_path / "b.txt").documents.stored == 2
    assert opened.ask("Who was elected mayor of Port Ambrel?").answer == "Ada Brune"
    assert opened.retrieve("mayor", "bm25", k=1)[0].text.strip().endswith(MAYOR)
    assert [hit.page_content for hit in opened.as_retriever("bm25", k=1).invoke("Kasharra")] == [
        "Ada Brune was born in Kasharra in 1961."
    ]
    made = opened.generate(Plan(patterns=("single",)))
    assert made.added == len(opened.questions()) > 0
    assert next(iter(opened.subgraphs("single", limit=1))).pattern == "single"

    row = next(row for row in opened.rows() if "Kasharra" in row["answers"])
    assert row["sentences"] == ["Ada Brune was born in Kasharra in 1961."]
    (graded,) = [row for row in opened.ragas_rows() if row["reference"] == "Kasharra"]
    assert graded["reference_contexts"] == ["Ada Brune was born in Kasharra in 1961."]

    assert opened.evaluate(opened.as_retriever("bm25")).measures["recall@5"] == 1
    assert opened.evaluate(lambda _: ["Nothing of this kind."]).measures["recall@5"] == 0
    measures = opened.evaluate(lambda _: ["Ada Brune was born in Kasharra"], k=1).measures
    assert measures["recall@1"] == 2 / 3  # where and when she was born, not since when she is mayor

    (tmp_path / "b.txt").write_text("Ada Brune likes to read.\n")
    opened.load(tmp_path / "b.txt")
    assert "fact withdrawn" in opened.refresh().retired
    assert not [row for row in opened.rows() if "Kasharra" in row["answers"]]
    assert opened.totals().documents == 2


def test_a_function_is_told_by_what_it_does(opened: Corpus, tmp_path: Path) -> None:
    (tmp_path / "quaycast.md").write_text(
        "# Quaycast\n\n## Functions\n\nread_tide(place)\n\nRead the tide of a place from the harbour's gauge.\n\n"
        "drop_tide(place)\n\nRemove the tide of a place from the table.\n\n"
        "count_ships(quay, day)\n\nCount the ships that moored at a quay on a day.\n"
    )
    opened.load(tmp_path / "quaycast.md")
    assert opened.ask("Which function removes the tide of a place from the table?").answer == "drop_tide"
    found = opened.ask("What does count_ships do?")
    assert found.answer == "Count the ships that moored at a quay on a day"
    assert "moored" in found.evidence[0].sentence


def test_a_figure_that_no_document_states_is_not_there(opened: Corpus, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ferrow Castings was acquired by Dastan Gridworks in 2031.")
    opened.load(tmp_path / "a.txt")
    for question in ("How many plants does Dastan Gridworks have?", "What is the share price of Dastan Gridworks?"):
        assert opened.ask(question).answer == ""


def test_a_row_of_a_table_is_not_answered_by_the_whole(opened: Corpus, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# Annual report of Lun Gridworks for 2031\n\n## Review\n\nIn 2031 revenue of Lun Gridworks grew by 12.3 percent to "
        "521.5 million USD, led by transformers.\n\nTable 1. Revenue of Lun Gridworks by product, fiscal years 2030 and "
        "2031 (million USD)\n\n| Product | 2030 | 2031 | Growth (%) |\n|---|---|---|---|\n| Transformers | 244.7 | 281.6 "
        "| 15.1 |\n| Switchgear | 158.2 | 169.9 | 7.4 |\n| Services | 61.5 | 70.0 | 13.8 |\n"
    )
    opened.load(tmp_path / "a.md")
    for words in (
        "Lun Gridworks' {} for the product Transformers",
        "the {} of the product Transformers of Lun Gridworks",
        'the {} of the product Transformers in "Lun Gridworks"',
    ):
        assert opened.ask(f"What was {words.format('total revenue')} in fiscal 2031?").answer == "281.6 million USD"
        assert opened.ask(f"What was {words.format('revenue growth')} in fiscal 2031?").answer == "15.1 %"
        assert opened.ask(f"What was {words.format('revenue growth')} in fiscal 2027?").answer == ""
    compared = "For which product was Lun Gridworks' total revenue higher in fiscal 2031, Services or Switchgear?"
    assert opened.ask(compared).answer == "Switchgear"


def test_every_member_is_named(opened: Corpus, tmp_path: Path) -> None:
    firms = [f"{name} Pumps" for name in ("Borea", "Isvik", "Kell", "Lunsk", "Norvia", "Orlo")]
    (tmp_path / "a.txt").write_text(" ".join(f"{firm} was audited by Achterveld Noor." for firm in firms))
    opened.load(tmp_path / "a.txt")
    answer = opened.ask("Name every organization that is audited by Achterveld Noor.")
    assert sorted(answer.answer.split(", ")) == firms
    assert len(answer.evidence) == len(firms)


def test_documents_that_disagree_are_both_heard(opened: Corpus, tmp_path: Path) -> None:
    sentences = {"a": "The mayor of Isvik is Ada Lind.", "b": "Bo Falk is the mayor of Isvik."}
    for name, sentence in sentences.items():
        (tmp_path / f"{name}.txt").write_text(sentence)
    opened.load(*(tmp_path / f"{name}.txt" for name in sentences))
    answer = opened.ask("Who is the mayor of Isvik?")
    assert set(answer.answer.split(" or ")) == {"Ada Lind", "Bo Falk"}
    assert {one.sentence for one in answer.evidence} == {*sentences.values()}


def test_questions_of_several_facts_are_answered_by_the_graph(opened: Corpus, tmp_path: Path) -> None:
    texts = (
        "Borea Pumps is headquartered in Isvik.", "The mayor of Isvik is Ada Lind.", "Ada Lind was born in Lunsk.",
        "Borea Pumps was audited by Achterveld Noor.", "Castren Pumps is headquartered in Isvik.",
        "Tolvane Pumps was audited by Achterveld Noor.", "Norvia Pumps was founded by Bo Falk and Ida Moen.",
        "Bo Falk was born in Lunsk.", "Tolvane Foods is headquartered in Lanex.",
        "Rose Field was elected mayor of Lanex in 2014 and was replaced by Clara Nunn in 2018.",
    )  # fmt: skip
    for at, text in enumerate(texts):
        (tmp_path / f"{at}.txt").write_text(text)
    opened.load(*(tmp_path / f"{at}.txt" for at in range(len(texts))))
    for question, right, behind in (
        ("Who is the mayor of the city where Borea Pumps is based?", "Ada Lind", (0, 1)),
        ("Where was the mayor of the place where Borea Pumps is headquartered born?", "Lunsk", (0, 1, 2)),
        ("Which company is headquartered in Isvik and was audited by Achterveld Noor?", "Borea Pumps", (4, 3)),
    ):
        answer = opened.ask(question)
        assert answer.answer == right
        assert answer.evidence[-1].sentence == texts[behind[-1]]
        assert len(answer.evidence) == len(behind)
    for question in (
        "Where was the founder of Norvia Pumps born?",  # one of two
        "Who was born in Isvik and founded Norvia Pumps?",
        "Which company is headquartered in Isvik and was founded by Bo Falk?",
    ):
        assert fact_answer(opened.graph, opened.name, question) is None
    left = fact_answer(opened.graph, opened.name, "Who is the mayor of the city where Tolvane Foods is based?")
    assert left == FactAnswer("", ())


def test_what_compares_two_things_is_answered_by_the_graph(opened: Corpus, tmp_path: Path) -> None:
    texts = {
        "Ada Lind": "Ada Lind was born on 4 May 1970.", "Bo Falk": "Bo Falk was born in 1969. Bo Falk died in 2001.",
        "Ida Moen (poet)": "Ida Moen was a poet. Ida Moen was born in 1980.", "Kai Lind": "Kai Lind was born in 1970.",
        "Borea Pumps": "Borea Pumps was founded in 1901.", "Castren Pumps": "Castren Pumps was founded in May 1911.",
        "Low Water (1975 film)": "Low Water is a 1975 film.", "Trick or Treat": "Trick or Treat is a 1986 film.",
    }  # fmt: skip
    for at, (title, text) in enumerate(texts.items()):
        (tmp_path / f"{at}.md").write_text(f"# {title}\n\n{text}\n")
    opened.load(tmp_path, vectors=False)
    for question, right in (
        ("Who was born first, Ada Lind or Bo Falk?", "Bo Falk"),
        ("Who was born later, Ada Lind or the poet Ida Moen?", "Ida Moen (poet)"),
        ("Which company was founded later, Borea Pumps or Castren Pumps?", "Castren Pumps"),
        ("Which company is older, Castren Pumps or Borea Pumps?", "Borea Pumps"),
        ("Which film was released first, the 1975 film Low Water or Trick or Treat?", "Low Water (1975 film)"),
    ):
        found = fact_answer(opened.graph, opened.name, question)
        assert found and found.answer == right
        assert len(found.places) == 2
    assert fact_answer(opened.graph, opened.name, "Who died first, Ada Lind or Bo Falk?") is None  # one has not
    assert fact_answer(opened.graph, opened.name, "Who was born first, Ada Lind or Kai Lind?") is None  # in one year


def test_files_that_are_gone_are_named(opened: Corpus, tmp_path: Path) -> None:
    (folder := tmp_path / "texts").mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(f"This is the text of {name}.")
    opened.load(folder, extract="none", vectors=False)
    (lost := folder / "b.txt").unlink()
    left = opened.load(folder, extract="none", vectors=False).leftovers
    assert left and left.folders == FolderCounts(given=2, on_disk=1, gone=(str(lost),))
    last, _ = loads(opened.settings.home, opened.name, 2)
    assert last.report["leftovers"]["folders"]["gone"] == [str(lost)]


def test_files_that_did_not_get_in_are_named_with_why(opened: Corpus, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n")
    (tmp_path / "b.md").write_bytes("# Café".encode("cp1252"))
    (tmp_path / "c.md").write_text("This is a text.")
    given = [tmp_path / name for name in ("a.py", "b.md", "c.md")]  # in a list, or each for itself
    found = opened.load(given, extract="none", vectors=False).left_out
    names = [(Path(one.source).name, one.state, one.reason) for one in found]
    assert names == [("b.md", "failed", "encoding"), ("a.py", "rejected", "format not read")]
    (last,) = loads(opened.settings.home, opened.name, 1)
    assert "left_out" not in last.report  # it is in the lines above


class Reading(ProcessPool):
    """Reads here, finds nothing, and counts the texts."""

    texts = 0

    def submit(self, work: Any, *given: Any) -> Future[Any]:
        done: Future[Any] = Future()
        Reading.texts += sum(len(passages.texts) for passages in given[-1])
        done.set_result([Read([[] for _ in passages.texts]) for passages in given[-1]])
        return done


def test_a_load_that_ends_in_its_first_batch_keeps_what_was_read(
    opened: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgservice.extraction.workers.ProcessPool", Reading)
    (tmp_path / "b.txt").write_text("Ada Brune was born in Kasharra in 1961.\n")
    with monkeypatch.context() as patch, pytest.raises(TypeError, match="not callable"):
        patch.setattr(Graph, "write", None)
        opened.load(tmp_path / "b.txt", vectors=False)
    assert opened.load(tmp_path / "b.txt", vectors=False).documents.stored == 1
    assert Reading.texts == 1
    assert list((tmp_path / "home" / "readings").iterdir()) == []


def test_a_path_that_is_not_there_is_named(opened: Corpus) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        opened.load("nowhere/")


def test_a_corpus_has_a_name(kgs: Callable[..., Result], tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="the name of the corpus is empty"):
        Corpus.open("")
    (tmp_path / "a.txt").write_text(MAYOR)
    done = kgs("load", tmp_path / "a.txt", "-c", "", "--no-vectors", "--extract", "none")
    assert done.exit_code == 2
    assert "the name of the corpus is empty" in done.stderr


def test_an_option_that_does_not_fit_is_named(opened: Corpus) -> None:
    with pytest.raises(BadRequest, match=r"^unknown option foo: choose of asked, max_pivot_degree, "):
        opened.subgraphs("chain", foo=3)
    with pytest.raises(BadRequest, match=r"^max_set: Input should be greater than"):
        opened.subgraphs("set_of_objects", max_set=1)


def test_every_name_of_the_public_face_is_there() -> None:
    assert all(getattr(kgservice, name) for name in kgservice.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = kgservice.Nothing
