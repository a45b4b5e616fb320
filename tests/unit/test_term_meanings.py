"""What documents say that their terms mean: glossaries, abbreviations in brackets, sentences "X is a …"."""

import pytest

from kgservice.core.records import Document
from kgservice.extraction.tables.term_meanings import meaning_triplets
from kgservice.text.chunking import chunks

ABBREVIATION, DEFINITION = "abbreviation", "definition"


def _stated(text: str) -> set[tuple[str, str, str]]:
    document = Document(source="a", text=f"# Harbour handbook\n\n{text}", title="Harbour handbook")
    found = [triplet for chunk in chunks(document) for triplet in meaning_triplets(chunk, document)]
    assert all(one.sentence in document.text for one in found)
    return {(one.subject.label, one.relation, one.object.label) for one in found}


def test_an_entry_of_a_glossary_tells_a_full_name_and_what_it_is() -> None:
    text = "- **ADR** - Architecture Decision Record. A written note of choices\n  made by people who build software.\n"
    assert _stated(text) == {
        ("Architecture Decision Record", ABBREVIATION, "ADR"),
        ("ADR", DEFINITION, "a written note of choices made by people who build software"),
    }


@pytest.mark.parametrize(
    ("entry", "full", "short"),
    [
        ("- **MOU** - Memorandum of understanding.", "Memorandum of understanding", "MOU"),
        ("- **IaaS** – Infrastructure as a Service. Rented.", "Infrastructure as a Service", "IaaS"),
        ("- **CRM**: Customer Relationship Management software, which", "Customer Relationship Management", "CRM"),
        ("- **[TTS](https://x.example)** - The Tide Transformation Services aim to", "Tide Transformation Services", "TTS"),
        ("Whoever wants to talk with somebody from outside may call the Employee\nAssistance Program (EAP).", "Employee Assistance Program", "EAP"),
        ("See [Pier Safety Board (PSB)](https://x.example).", "Pier Safety Board", "PSB"),
        ("Store no personally identifiable information (PII).", "personally identifiable information", "PII"),
        ("Ask for an ATO (Authority to Operate) first.", "Authority to Operate", "ATO"),
        ("The Federal Risk and Authorization Management Program (FedRAMP) helps.",
         "Federal Risk and Authorization Management Program", "FedRAMP"),
        ("The Pier Travel Office's (PTO) list.", "Pier Travel Office", "PTO"),
        ("Ask the Equal Employment Opportunity (EEO) office.", "Equal Employment Opportunity", "EEO"),
    ],
)  # fmt: skip
def test_an_abbreviation_is_told_beside_its_full_name(entry: str, full: str, short: str) -> None:
    assert (full, ABBREVIATION, short) in _stated(entry)


@pytest.mark.parametrize(
    "text",
    [
        "Fly to Baltimore-Washington Airport (BWI).",  # a code: no word of the name begins with I
        "Send the form (PDF) today.",
        "The harbour master (Ada Orr) decides.",
        "- **CMS** - Content Management System.\n- **CMS** - Centers for Moored Ships.",  # it means two things
        "```\nPier Safety Board (PSB)\n```",
    ],
)
def test_other_brackets_and_entries_tell_no_full_name(text: str) -> None:
    assert _stated(text) == set()


@pytest.mark.parametrize(
    ("text", "term", "said"),
    [
        ("- **Moor** - The act of making a ship fast to a pier.", "Moor", "the act of making a ship fast to a pier"),
        ("- **Lead:** Someone who plans the work of a crew.", "Lead", "someone who plans the work of a crew"),
        ("- **SME** - Specialist with expertise in one subject.", "SME", "a specialist with expertise in one subject"),
        ("- **CMS** - Software for creating and publishing pages.", "CMS", "software for creating and publishing pages"),
        ("- **FAS** - The FAS is an office of the port that buys goods.", "FAS", "an office of the port that buys goods"),
        ("- **ATO** - Authority to Operate. It's a sign-off from a port official.", "ATO", "a sign-off from a port official"),
        ("HR Links is the system in which leave is requested.", "HR Links", "the system in which leave is requested"),
        ("A **fork** is a copy of the main project that goes its own way.", "fork",
         "a copy of the main project that goes its own way"),
        ("- Tide table: A list of the tides expected in a port.", "Tide table", None),  # it repeats "tide"
        ("- **Overview** - The manager reviews your plan every year.", "Overview", None),  # a clause
        ("- Amy Orr - Primary for contracts with all vendors.", "Amy Orr", None),
        ("- **What's going well:** Roles that are filled within 90 days.", "What's going well", None),
        ("Acme Piers is a remote-first firm, and staff work from many places.", "Acme Piers", None),
        ("- A dial for inputs — the work of everyone on the team", "A dial for inputs", None),
        ("- **Pier 4** - A pier that we opened for our guests.", "Pier 4", None),
        ("- **Slip** - A place like the one described above.", "Slip", None),
        ("Ada Orr is a painter who lives near the old harbour.", "Ada Orr", None),  # as many are
        ("Because Google Meet is a web application that needs no installation.", "Because Google Meet", None),
        ("Pier Works is the supplier of Acme Corp., its new owner.", "Pier Works", None),  # two names
        ("Availability is the share of days on which a service runs.", "Availability", None),  # no name
    ],
)  # fmt: skip
def test_what_a_term_is_can_be_understood_alone(text: str, term: str, said: str | None) -> None:
    found = {(one, what) for one, relation, what in _stated(text) if relation == DEFINITION}
    assert found == ({(term, said)} if said else set())


def test_two_terms_that_are_defined_alike_are_not_told_apart() -> None:
    assert _stated("- **Aft** - The back part of a ship.\n- **Poop** - A back part of the ship.") == set()


def test_an_article_without_headings_explains_no_terms() -> None:
    document = Document(source="a", text="Acme Piers is a firm that builds piers in Lun.", title="Piers")
    assert not any(meaning_triplets(chunk, document) for chunk in chunks(document))
