"""The values that items of lists give behind their labels."""

from kgservice.core.records import Document
from kgservice.extraction.tables.labelled_values import labelled_triplets
from kgservice.text.chunking import chunks

BENEFITS = """## Medical insurance

Each month:

* Employee-only cover: $96.05
* **Desk:** [desk@acme.example](mailto:desk@acme.example)
- Phone: 1-800-555-0364
- Office hours: 1 p.m.–5 p.m.
- Status: Full Time
- Note: ask your manager before you choose a plan, as it holds for a year.
- Answer: Check "Yes"
- Is it for free?: No
- Plan: [Everything about plans](https://acme.example)
- See examples: Acme Dental
- Box 10: N/A
- Lead: _Qualified Lead:_
- Desk lead: Ada Orr)

## Dental insurance

- Provider: Acme Dental
- Provider: Lun Dental
- Address: a street that goes on
  in the next line
"""


def _given(document: Document) -> set[tuple[str, str]]:
    found = [triplet for chunk in chunks(document) for triplet in labelled_triplets(chunk, document)]
    assert all(one.sentence in document.text and one.relation == "value given" and one.cell for one in found)
    return {(one.subject.label, one.object.label) for one in found}


def test_items_give_values_and_are_told_by_their_place() -> None:
    place = "Medical insurance, Acme benefits"
    assert _given(Document(source="a", text=BENEFITS, title="Acme benefits")) == {
        (f"Employee-only cover (entry) of “{place}”", "$96.05"),
        (f"Desk (entry) of “{place}”", "desk@acme.example"),
        (f"Phone (entry) of “{place}”", "1-800-555-0364"),
        (f"Office hours (entry) of “{place}”", "1 p.m.–5 p.m."),
        (f"Status (entry) of “{place}”", "Full Time"),
    }


def test_the_lists_of_a_companys_report_are_its_own() -> None:
    assert not _given(Document(source="a", text=BENEFITS, title="Acme benefits", metadata={"company": "Acme"}))
