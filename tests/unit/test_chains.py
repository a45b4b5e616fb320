"""The extractive reader: what passages and tables state, and chains that lead from name to name."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import numpy as np
import pytest

from kgservice.answering.extractive import ExtractiveGenerator, ReaderWeights
from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.answering.reader.chains import Follower, NamedPart
from kgservice.answering.reader.passage_statements import passage_statements, stems
from kgservice.text.matching import match
from kgservice.vectors.embedder import Embedder

REPORT = (
    "Corvane Homes\nCorvane Homes builds houses of timber. Its plant is large.\n\n"
    "| Segment | 2029 | 2028 |\n|---|---|---|\n| Timber panels | 141.0 million USD | 138.2 million USD |\n"
    "| Fit-out | 40.6 million USD | 44.9 million USD |\n"
)
BRIDGE = "Vellmar Bridge\nThe Vellmar Bridge was drawn by Irena Kost. It was opened in 2009."
PERSON = "Irena Kost\nIrena Kost was born in Lunford in 1961. She plays chess."
TOWN = "Lunford\nLunford has a harbour. The mayor of Lunford is Dagny Holt."
FUNDS = (
    "Lindgrove Foundation\nThe Lindgrove Foundation is headquartered in Isvik.",
    "Riverbend\nThe Riverbend Homes Programme is funded by the Lindgrove Foundation and by the Meridian Development Bank.",
    "Meridian Development Bank\nThe Meridian Development Bank is headquartered in Castren.",
)


class Words(Embedder):
    """Vectors of words, so that no model is loaded: the cosine tells how many words two texts share."""

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def embed_query(self, query: str) -> list[float]:
        return self._vector(query)

    def _vector(self, text: str) -> list[float]:
        vector = np.zeros(512)
        for word in re.findall(r"\w+", text.lower()):
            vector[self._places.setdefault(word, len(self._places)) % 512] += 1
        return [float(value) for value in vector / (np.linalg.norm(vector) or 1)]


@pytest.fixture(scope="module")
def reader() -> ExtractiveGenerator:
    return ExtractiveGenerator(Words(), ReaderWeights(threshold=0.1))  # the cosines of words alone are lower


def read(reader: ExtractiveGenerator, question: str, *contexts: str) -> Generated:
    (found,) = asyncio.run(reader.answers([QuestionWithPassages(unit="q", question=question, contexts=contexts)]))
    return found


def test_sentences_and_cells_are_stated() -> None:
    found = passage_statements([REPORT])
    assert [(one.text, one.cell) for one in found] == [
        ("Corvane Homes builds houses of timber.", ""), ("Its plant is large.", ""),
        ("Timber panels, 2029: 141.0 million USD", "141.0 million USD"),
        ("Timber panels, 2028: 138.2 million USD", "138.2 million USD"),
        ("Fit-out, 2029: 40.6 million USD", "40.6 million USD"), ("Fit-out, 2028: 44.9 million USD", "44.9 million USD"),
    ]  # fmt: skip
    assert {one.title for one in found} == {"Corvane Homes"}
    assert "corva" in found[1].stems, "a sentence is about what its title says"
    assert stems("Who is the director of it?") == stems("directed")


@pytest.mark.parametrize("text", ["", " \n ", "|", "|-|-|", "| a |\n| b |", "T\n\n\n", "# H", "|||\n|||"])
def test_odd_passages_state_what_they_can(text: str) -> None:
    assert all(one.text for one in passage_statements([text]))


def test_a_cell_answers(reader: ExtractiveGenerator) -> None:
    for segment, year, value in (("Timber panels", 2029, "141.0 million USD"), ("Fit-out", 2028, "44.9 million USD")):
        found = read(reader, f"What was the revenue of the {segment} segment of Corvane Homes in {year}?", REPORT)
        assert match(found.answer, value), found


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Which option of ferrywatch suppresses the messages of progress?", "ferrywatch --quiet"),
        ("What is the default value of ferrywatch --port?", "8650"),
        ("Which option of ferrywatch deletes an account?", REFUSAL),
    ],
)
def test_an_entry_of_a_manual_answers(reader: ExtractiveGenerator, asked: str, answer: str) -> None:
    manual = "ferrywatch\n\n--quiet\n\nSuppress all messages of progress.\n\n--port\n\nThe port. The default is 8650.\n"
    assert reader.read(QuestionWithPassages(unit="a", question=asked, contexts=(manual,))).answer == answer


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What is Corvane Homes?", "a builder of timber houses, founded in 1990"),
        ("Who was Irena Kost?", "an engineer (of bridges)"),
        ("what is the Vellmar Bridge?", "one of the bridges of Lunford"),
        ("Who is Dagny Holt?", REFUSAL),
        ("Who is the mayor of Lunford?", "Dagny Holt"),
        ("What's the Bank of Lunford?", "a bank"),
    ],
)
def test_what_a_thing_is_is_answered_by_the_sentence_that_says_it(
    reader: ExtractiveGenerator, asked: str, answer: str
) -> None:
    texts = (
        "Corvane Homes (Ltd) is a builder of timber houses, founded in 1990.\nIts plant is large.",
        "Irena Kost was an engineer (of bridges). The Vellmar Bridge is one of the bridges of Lunford.",
        "Lunford\nThe mayor of Lunford is Dagny Holt. Dagny Holt is from Isvik. The Bank of Lunford is a bank.",
    )
    assert reader.read(QuestionWithPassages(unit="a", question=asked, contexts=texts)).answer == answer


def test_two_and_three_hops_are_followed(reader: ExtractiveGenerator) -> None:
    two = read(reader, "In which city was the person who drew the Vellmar Bridge born?", BRIDGE, PERSON, TOWN)
    assert match(two.answer, "Lunford"), two
    assert two.reasoning == ("The Vellmar Bridge was drawn by Irena Kost. → Irena Kost was born in Lunford in 1961.")
    asked = "Name the mayor of the town in which the person who drew the Vellmar Bridge was born?"
    assert match(read(reader, asked, TOWN, PERSON, BRIDGE).answer, "Dagny Holt")


@pytest.mark.parametrize(
    ("page", "answer"),
    [
        ("Board of Alva Foods\nAlva Foods was founded by Rita Hale in 1990. Sam Poole was born in Leeds.", REFUSAL),
        ("Board of Alva Foods\nAlva Foods was founded by Rita Hale. Sam Poole was born in Leeds. Rita Hale was born in "
         "Galway.", "Galway"),
    ],
)  # fmt: skip
def test_a_title_joins_no_two_people_of_its_page(reader: ExtractiveGenerator, page: str, answer: str) -> None:
    asked = "Where was the founder of Alva Foods born?"
    assert reader.read(QuestionWithPassages(unit="q", question=asked, contexts=(page,))).answer == answer


def test_a_title_joins_a_sentence_that_refers_to_it(reader: ExtractiveGenerator) -> None:
    page = "Solaris Works\nThe firm was founded by Ann Roe. It is based in Leeds. Poole Mills is based in York."
    assert read(reader, "Where is the company that was founded by Ann Roe based?", page).answer == "Leeds"


def test_of_two_conditions_the_one_that_meets_both_is_the_answer(reader: ExtractiveGenerator) -> None:
    asked = "Which fund funds the Riverbend Homes Programme and is headquartered in Isvik?"
    assert match(read(reader, asked, *FUNDS).answer, "Lindgrove Foundation")


def test_a_thing_told_by_its_post_is_not_the_answer_to_what_is_asked_of_it(reader: ExtractiveGenerator) -> None:
    pages = (
        "Bahram Dastan\nBahram Dastan is married to Leyla Orun.",
        "Orun Shipping\nLeyla Orun is the CEO of Orun Shipping.",
    )
    asked = QuestionWithPassages(unit="q", question="Whom did the CEO of Orun Shipping marry?", contexts=pages)
    assert reader.read(asked).answer == "Bahram Dastan"


@pytest.mark.parametrize("contexts", [(), ("",), ("The canteen serves soup on Fridays.",), (TOWN,)])
def test_what_the_passages_do_not_have_is_refused(reader: ExtractiveGenerator, contexts: tuple[str, ...]) -> None:
    assert read(reader, "Who wrote the opera Solaris?", *contexts).answer == REFUSAL


def test_a_chain_goes_on_only_where_it_says_more_of_the_question() -> None:
    statements = passage_statements([BRIDGE, PERSON])
    names = {
        "The Vellmar Bridge was drawn by Irena Kost.": NamedPart("Irena Kost", "irena kost", "person"),
        "Irena Kost was born in Lunford in 1961.": NamedPart("Lunford", "lunford", "place"),
    }
    cosines = dict.fromkeys(range(len(statements)), 0.5)
    asked = "In which city was the person who drew the Vellmar Bridge born?"
    follower = Follower(asked, statements, cosines, lambda one: [names[one.text]] if one.text in names else [])
    chains = {chain.path: chain for chain in follower.chains()}
    longer = [chain for chain in chains.values() if len(chain.path) > 1]
    assert all(chain.shared > chains[chain.path[:-1]].shared for chain in longer)
    way = next(chain for chain in longer if [statements[at].text for at in chain.path] == list(names))
    assert way.bridges == ("irena kost",)
    assert {one.label for one in follower.ends(way)} == {"Lunford"}
