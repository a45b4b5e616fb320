"""How much, how many and how long, as rules of a document say."""

import pytest

from kgservice.core.records import Document
from kgservice.extraction.tables.stated_amounts import amount_triplets
from kgservice.text.chunking import chunks


def _stated(said: str, **metadata: str) -> list[tuple[str, str]]:
    document = Document(source="a", text=f"# Leave\n\n{said}", title="Acme handbook", metadata=metadata)
    found = [triplet for chunk in chunks(document) for triplet in amount_triplets(chunk, document)]
    assert all(one.sentence in document.text for one in found)
    place = ", according to “Leave, Acme handbook”"
    assert all(one.object.label.endswith(place) for one in found)
    return [(one.subject.label, one.object.label.removesuffix(place)) for one in found]


@pytest.mark.parametrize(
    ("said", "amount", "asked"),
    [
        ("You must sign up within 60 days of joining.", "60 days", "within how many days of joining must you sign up"),
        ("- Employees may take up to eight weeks for the birth, adoption or placement of a child.", "up to eight weeks",
         "how many weeks may employees take for the birth, adoption or placement of a child"),
        ("To be eligible for leave, you must have at least one year of service.", "at least one year",
         "how many years of service must you have to be eligible for leave"),
        ("Your award leave will expire one year after the listed date.", "one year",
         "how many years after the listed date will your award leave expire"),
        ("Acme Corp offers 20 days of vacation every summer.", "20 days",
         "how many days of vacation every summer does Acme Corp offer"),
        ("You receive $50 for each day of travel, and you need no receipts.", "$50",
         "how much do you receive for each day of travel"),
        ("The company will pay 75% of the premium.", "75%", "what percentage of the premium will the company pay"),
        ("You need to sign up within 60 days of joining.", "60 days", "within how many days of joining do you need to sign up"),
        ("Submit your report within three business days of your return.", "three business days",
         "within how many business days of your return should you submit your report"),
        ("Your deadline should be at least five business days out, preferably longer.", "at least five business days",
         "how many business days out should your deadline be"),
        ("Employees are eligible for shares after two years of work.", "two years",
         "after how many years of work are employees eligible for shares"),
    ],
)  # fmt: skip
def test_a_rule_turns_into_the_question_that_its_amount_answers(said: str, amount: str, asked: str) -> None:
    assert _stated(said) == [(amount, asked)]


@pytest.mark.parametrize(
    "said",
    [
        "It can take up to three weeks to complete.",
        "Bitcoin is up by over 2% after a rollercoaster of a week.",
        "People purchasing tickets then will receive 5-15 percent discount.",
        "Members buying early will receive 15 percent discount.",
        "Put the pan back in the oven for another 5 minutes.",
        "People buying tickets then will pay about 20 percent of the price.",
        "To keep costs low, you can try to use chargers with about 10 percent of charge.",
        "You can take two weeks in May and three weeks in July.",
        "You should not work more than 40 hours per week.",
        "You must sign up within 60 days of joining unless you are a contractor.",
        "You can email us within two days or within one week by post.",
        "You must sign up within 60 days of joining, after a move, or during the autumn.",
        "The counselors can help beyond the six sessions on your plan.",
        "Each day of our week can be shorter than 8 hours.",
        "Some posts may be written by two people of the team.",
        "The new room is next to the office that will open in two years.",
        "That leaves up to 20% of your time to be spent on tests.",
        "The video should be 5-7 minutes and focused on one area.",
        "The share of the day is the number of good calls minus the number of bad calls divided by 100 hours.",
        "Send invites 3-4 weeks ahead of the event.",
        "The DATE refers to 30 days after the release of a version.",
        "Acme Corp gives support for 5 years, or longer if it is paid for.",
        "Send an invoice due within 30 days.",
        "Tidewell Dredging is headquartered in Port Ambrel and employs 300 people.",
        "This will take two weeks to complete for most people.",
        "He will undergo training for about eight months.",
    ],
)
def test_other_sentences_state_no_amount(said: str) -> None:
    assert _stated(said) == []


@pytest.mark.parametrize("verb", ["said Ada Orr", "says the council", "the mayor told Globex"])
def test_a_text_that_reports_what_people_say_has_no_rules(verb: str) -> None:
    assert not _stated(f"The port will pay $2 million for a new quay. It is a start, {verb}.")
    assert not _stated(f"The fee will rise by 12 percent in May. The shops are angry, {verb}.")


def test_a_long_document_may_report_something_once() -> None:
    others = " ".join(f"Write to desk {number} early." for number in range(30))
    said = f"{others} You must sign up within 60 days of joining. Ada Orr said so."
    assert _stated(said) == [("60 days", "within how many days of joining must you sign up")]


def test_a_companys_report_has_figures_of_its_own() -> None:
    assert not _stated("You must sign up within 60 days of joining.", company="Acme Corp")
