"""Which address a document tells its reader to write to, and what for."""

import pytest

from kgservice.core.records import Document
from kgservice.extraction.tables.contact_addresses import contact_triplets
from kgservice.text.chunking import chunks

DESK = "desk@acme.example"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (f"Send an email to [{DESK}](mailto:{DESK}) if you lose your badge.", "send an email to if you lose your badge"),
        (f"For questions about leave, please contact {DESK}.", "contact for questions about leave"),
        (f"- If you have no locker, reach out to {DESK} and they will find one.", "reach out to if you have no locker"),
        (f"If a reporter calls, forward the message to {DESK} without answering.", "forward the message to if a reporter calls"),
        (f"To check on an order, you can email <{DESK}>.", "email to check on an order"),
        (f"Requests for a new laptop should be sent to {DESK}.", "send requests for a new laptop to"),
        (f"Email the filled out tax form to {DESK}.", "email the filled out tax form to"),
        (f"To order, send the signed form to {DESK}.", ""),  # a purpose of two words
        (f"To place an order, send a form to {DESK}.", "send a form to in order to place an order"),
        (f"Contact {DESK}.", ""),  # what for?
        (f"Email {DESK} to start this process.", ""),
        (f"If you lose your badge, email {DESK} or call the desk.", ""),
        (f"Please contact +1.650.555.0100 or send email to {DESK} for questions about leave.", ""),
        (f"Email them at {DESK} if you lose your badge.", ""),
        (f"Send an email to {DESK} and help@acme.example if you lose your badge.", ""),
        (f"The team answers mails to {DESK} within a day of their arrival.", ""),
        (f"```\nSend an email to {DESK} if you lose your badge.\n```", ""),
    ],
)  # fmt: skip
def test_an_address_is_told_with_its_purpose(said: str, asked: str) -> None:
    document = Document(source="a", text=f"# Help\n\n{said}", title="Acme handbook")
    found = [triplet for chunk in chunks(document) for triplet in contact_triplets(chunk, document)]
    assert all(one.sentence in document.text for one in found)
    assert [(one.subject.label, one.object.label) for one in found] == (
        [(DESK, f"{asked}, according to “Help, Acme handbook”")] if asked else []
    )
