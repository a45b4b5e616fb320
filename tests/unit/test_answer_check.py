"""What the extractive reader refuses when one asks: another thing than named, another type, and its own words."""

from __future__ import annotations

import pytest

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import REFUSAL, QuestionWithPassages
from kgservice.answering.reader.answer_check import AnswerCheck
from kgservice.answering.reader.fact_question import asked_facts, asked_figures
from kgservice.answering.reader.naming import NamedPart
from kgservice.answering.reader.passage_statements import passage_statements
from kgservice.vectors.embedder import Embedder


@pytest.fixture(scope="module")
def reader() -> ExtractiveGenerator:
    return ExtractiveGenerator(Embedder())


def said(reader: ExtractiveGenerator, question: str, *passages: str) -> str:
    return reader.read(QuestionWithPassages(unit="q", question=question, contexts=passages)).answer


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Who is the CFO of Norrholt Bank?", "Carla Ruiz is the CFO of Harbour Freight Systems."),
        ("Who founded Dastan Gridworks?", "Ilse Vantorp is the chair of Dastan Gridworks."),
        ("Who is the auditor of Borea Inc.?", "Borea Inc. was audited in 2031."),
        ("What was the revenue of Acme Corp in 2029?", "Acme Corp had a revenue of $5.2 million in 2031."),
        ("Who opened the harbour of Isvik in 1999?", "Dag Holt opened the harbour of Isvik in March 1954."),
        ("How long is the Lun Bridge?", "The Lun Bridge carries 12,000 cars a day."),
        ("How high is Mount Lun?", "Mount Lun, a high one, was closed for 30 years."),
        ("How old is Ada Orr?", "Ada Orr, an old woman, is 2 metres tall."),
        ("How much does the Lun Pass cost?", "The Lun Pass, which has a cost, is valid for 12 days."),
        ("How much does the Lun Pass cost?", "The Lun Pass, which has a cost, is used by 300 people."),
        ("How much will the Lun Tunnel cost in 2031?", "The Lun Tunnel, at a cost, is dug to 12% in 2031."),
        ("Who is the mayor of Lun?", "The mayor of Lun took office on 15 June 2027."),
        ("What was the revenue of Acme Corp?", "The 2031 revenue of Acme Corp rose by 12.3 percent."),
        ("How much profit did Acme Corp make?", "The profit of Acme Corp rose by 12.3 percent."),
        ("What was the profit of Acme Corp?", "Acme Corp sold 3 million barrels at a profit."),
        ("What was the growth of Acme Corp?", "The growth of Acme Corp was 5 million kroner."),
        ("What was the revenue growth of Acme Corp?", "Acme Corp had a growth of revenue to $5.2 million."),
    ],
)
def test_what_the_passages_do_not_say_is_refused(reader: ExtractiveGenerator, question: str, passage: str) -> None:
    assert said(reader, question, passage) == REFUSAL


@pytest.mark.parametrize(("year", "answer"), [("2031", "$5.2 million"), ("2029", "$4.8 million"), ("2027", REFUSAL)])
@pytest.mark.parametrize(
    "passage",
    [
        "Acme Corp had a revenue of $5.2 million in 2031 and of $4.8 million in 2029.",
        "In 2031 the revenue of Acme Corp was $5.2 million, and in 2029 it was $4.8 million.",
        "The revenue of Acme Corp rose to $5.2 million in 2031 from $4.8 million in 2029.",
    ],
)
def test_a_value_is_of_the_year_that_is_asked_for(
    reader: ExtractiveGenerator, passage: str, year: str, answer: str
) -> None:
    assert said(reader, f"What was the revenue of Acme Corp in {year}?", passage) == answer


@pytest.mark.parametrize(
    ("passage", "answer", "of", "not_of"),
    [
        ("In 2031 Acme Corp, founded in 1999, had a revenue of $5 million.", "$5 million", "2031", "1999"),
        ("Acme Corp was founded in 1999 and had a revenue of $5 million in 2031.", "$5 million", "2031", "1999"),
        ("Acme Corp (founded 1999) had in 2031 a revenue of $5 million.", "$5 million", "2031", "1999"),
        ("In 2031 Acme Corp, which moved in 2020, had a revenue of $5 million.", "$5 million", "2031", "2020"),
        ("In 2031 Acme Corp had a revenue of $5 million, more than in 2020.", "$5 million", "2031 2020", ""),
        ("From 2019 to 2021 Acme Corp had a revenue of $5 million.", "$5 million", "2019 2020 2021", "2022"),
        ("Acme Corp had a revenue of $5 million between 2019 and 2021.", "$5 million", "2019 2020 2021", "2022"),
        ("In 2019, 2020 and 2022 Acme Corp had a revenue of $5 million.", "$5 million", "2019 2020 2022", "2021"),
        ("In the 1998–99 season Acme Corp had a revenue of $5 million.", "$5 million", "1998 1999 1998/99", "1999–2000"),
        ("Revenue of Acme Corp grew 25% from $4 million in 2030 to $5 million in 2031.", "$5 million", "2031", ""),
        ("In 2019/20 Acme Corp had a revenue of $5 million.", "$5 million", "2019 2020", "2021"),
        ("In 2031 Acme Corp had 7 mines and a revenue of $5 million, against $4 million in 2029.", "$4 million", "2029", ""),
    ],
)  # fmt: skip
def test_ranges_lists_and_years_of_a_founding_keep_no_value_back(
    reader: ExtractiveGenerator, passage: str, answer: str, of: str, not_of: str
) -> None:
    asked = "What was the revenue of Acme Corp in {}?"
    assert {said(reader, asked.format(year), passage) for year in of.split()} == {answer}
    assert {said(reader, asked.format(year), passage) for year in not_of.split()} <= {REFUSAL}


@pytest.mark.parametrize(("kind", "fits"), [("person", False), ("place", True), ("entity", True)])
def test_no_person_is_a_place(kind: str, fits: bool) -> None:
    check = AnswerCheck("What is the birthplace of the spouse of Acme?", ("spous",))
    statements = passage_statements(["The spouse of Acme is Leyla Orun."])
    assert check.passes(NamedPart("Leyla Orun", "leyla orun", kind, 5), statements) == fits


def test_the_thing_that_is_named_is_answered(reader: ExtractiveGenerator) -> None:
    assert said(reader, "Who is the CFO of Harbour Freight Systems?", "Carla Ruiz is the CFO of Harbour Freight Systems.") == "Carla Ruiz"  # fmt: skip


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        ("How long is the Lun Bridge?", "The Lun Bridge is 340 metres long and carries 12,000 cars.", "340 metres"),
        ("How much does the Lun Pass cost?", "The Lun Pass is valid for 12 days at a cost of 40 EUR.", "40 EUR"),
        ("How old is Ada Orr?", "Ada Orr is 54 years old.", "54 years"),
        (
            "What was the revenue of Acme?",
            "The 2031 revenue of Acme rose by 12 percent to $5.2 million.",
            "$5.2 million",
        ),
        (
            "What was the revenue growth of Acme?",
            "At $5.2 million, Acme had a revenue growth of 12 percent.",
            "12 percent",
        ),
        ("How much did Lun Steel reduce its costs?", "Lun Steel reduced its costs by 12%.", "12%"),
        ("How much did the cost of living in Lun rise?", "The cost of living in Lun rose by 12%.", "12%"),
        ("How much will the Lun Tunnel cost?", "The Lun Tunnel will cost 4 billion kroner.", "4 billion kroner"),
        (
            "How much did the Lun Tunnel cost?",
            "The Lun Tunnel cost 4 billion Danish kroner.",
            "4 billion Danish kroner",
        ),
        ("How much profit did Lun Steel make?", "Lun Steel made a profit of 5 million kroner.", "5 million kroner"),
        ("What is the income of Lun Steel?", "The income of Lun Steel is 4.5 bn rupees.", "4.5 bn rupees"),
        (
            "What was the revenue of Acme?",
            "Acme has 40 staff and a revenue of 3 million Swiss francs.",
            "3 million Swiss francs",
        ),
        ("How high was the inflation of Lun in 2030?", "The inflation of Lun was 7% in 2030.", "7%"),
        ("How far did the shares of Lun Steel fall?", "The shares of Lun Steel may fall by 12%.", "12%"),
        ("How high was the revenue of Lun Steel?", "The revenue of Lun Steel was $7 million.", "$7 million"),
        ("How high was the temperature of Lun?", "The temperature of Lun was 40 °C.", "40 °C"),
        ("How long is the ride to Lun?", "The ride to Lun is 90 min long.", "90 min"),
        ("How long is the ride to Lun?", "The ride to Lun is 5 h long.", "5 h"),
        ("How long is the timeout of Lun Server?", "The timeout of Lun Server is 30 ms.", "30 ms"),
        ("How long will the strike in Lun last?", "The strike in Lun will last three weeks.", "three weeks"),
        ("How far is Lun Star from Earth?", "Lun Star is as far as 12 light-years from Earth.", "12 light-years"),
    ],
)
def test_a_measure_has_the_unit_that_is_asked_for(
    reader: ExtractiveGenerator, question: str, passage: str, answer: str
) -> None:
    assert said(reader, question, passage).startswith(answer)


@pytest.mark.parametrize(
    ("place", "answer"), [("Canada", "203 stores"), ("Australia", "404 stores"), ("the United States", "2,915 stores")]
)
def test_of_several_numbers_the_one_of_the_name_is_given(reader: ExtractiveGenerator, place: str, answer: str) -> None:
    passage = "GameStop has 4,169 stores across the world: 2,915 stores in the United States, 203 stores in Canada and 404 stores in Australia."  # fmt: skip
    check = AnswerCheck(f"How many stores does GameStop operate in {place}?", ())
    (statement,) = passage_statements([passage])
    numbers = [one for one in reader._named(statement) if one.kind == "number"]
    assert {one.label for one in numbers if check._is_of_its_name(one, statement)} == {answer}


def test_a_link_is_read_as_its_words(reader: ExtractiveGenerator) -> None:
    answer = said(reader, "Who made Gabbi?", "Gabbi was made by [Ada Orr](https://ada.example/a_(b)) in 2031.")
    assert answer == "Ada Orr"


@pytest.mark.parametrize(
    ("question", "name", "relation", "of_subject"),
    [
        ("Who audits Acme Corp.?", "Acme Corp.", "kgs:auditor", True),
        ("Who is Acme's CEO?", "Acme", "P169", True),
        ("Who directed the film Solaris?", "Solaris", "P57", True),
        ("What did Ada Orr direct?", "Ada Orr", "P57", False),
        ("When was Ada Orr born?", "Ada Orr", "P569", True),
        ("Where was Ada Orr born?", "Ada Orr", "P19", True),
        ("Name every organization that is audited by Lun Noor.", "Lun Noor", "kgs:auditor", False),
        ("Name every company that Acme acquired.", "Acme", "kgs:acquired", True),
        ("Name every organization that has Ada Orr as its chief executive officer.", "Ada Orr", "P169", False),
        ("Name every chief executive officer of Acme.", "Acme", "P169", True),
        ("Name every place where Ada Orr studied.", "Ada Orr", "P69", True),
        ("Name everyone who founded Acme.", "Acme", "P112", True),
        ("Name every exchange on which Acme is listed.", "Acme", "P414", True),
    ],
)
def test_the_schema_says_what_is_asked_of_a_name(question: str, name: str, relation: str, of_subject: bool) -> None:
    assert (name, relation, of_subject) in [
        (one.name, one.relation.id, one.of_subject) for one in asked_facts(question)
    ]


@pytest.mark.parametrize("name", ["Acme Group", "Acme Bank", "Port of Lun"])
def test_a_class_in_a_name_is_not_what_is_asked_for(name: str) -> None:
    asked = asked_figures(f"What was {name}'s net income in 2030?")
    assert (name, {"net", "income"}, "2030") in [(one.name, one.label, one.year) for one in asked]
    assert (name, "P159") in [(one.name, one.relation.id) for one in asked_facts(f"What is {name}'s head office?")]


def test_a_figure_is_asked_by_its_label_and_year() -> None:
    (first, *_) = asked_figures("What were Acme's total net sales in fiscal 2031?")
    assert (first.name, first.label, first.year) == ("Acme", {"total", "net", "sale"}, "2031")
    assert not asked_figures("Who leads Acme?")
