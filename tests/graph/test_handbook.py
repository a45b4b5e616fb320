"""What a handbook is asked about: its terms, labelled values, addresses, and the rows of its tables."""

from kgservice.core.records import Document
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store
from kgservice.questions.selection import Plan, generate
from tests.graph.test_refresh import NoJournal

HANDBOOK = """## Glossary

- **ADR** - Architecture Decision Record. A written note of choices made by people who build software.
- **Moor** - The act of making a ship fast to a pier.

## Medical insurance

- Employee-only cover: $96.05

Send an email to desk@acme.example if you lose your badge. You must sign up within 60 days of joining. You must have
at least one year of service to be eligible for leave.

## Links

| Benefit | Provider |
| --- | --- |
| Dental Care | Lunsk Dental |
| Vision Care | Norvia Life |
"""


def test_a_handbook_is_asked_about_what_it_says_in_its_own_way(graph: Graph, corpus: str) -> None:
    made = Document(source="a", title="Acme handbook", text=HANDBOOK)
    write_all(graph, [made], corpus, Recipe(extract="none"), LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]
    generate(graph, corpus, Plan(patterns=("single",)))
    active = {one.question: one.answers for one in question_store.questions(graph, corpus) if one.state == "active"}
    assert active == {
        "What does ADR stand for?": ("Architecture Decision Record",),
        "What is described as a written note of choices made by people who build software?": ("ADR",),
        "What is described as the act of making a ship fast to a pier?": ("Moor",),
        "What is given for the entry Employee-only cover in “Medical insurance, Acme handbook”?": ("$96.05",),
        "Which address do you send an email to if you lose your badge, according to “Medical insurance, Acme handbook”?": (
            "desk@acme.example",
        ),
        "Within how many days of joining must you sign up, according to “Medical insurance, Acme handbook”?": (
            "60 days",
        ),
        "How many years of service must you have to be eligible for leave, according to “Medical insurance, Acme "
        "handbook”?": ("at least one year",),
        "Who is the provider of the benefit Dental Care in “Links, Acme handbook”?": ("Lunsk Dental",),
        "Who is the provider of the benefit Vision Care in “Links, Acme handbook”?": ("Norvia Life",),
    }
