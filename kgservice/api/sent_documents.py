"""Documents as a client sends them, and how they become the documents of a load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated

from pydantic import Field, JsonValue

from kgservice.core.records import Document, Moment, Problem, Record, Scalar, Term, Triplet

# the bound is never met; having one makes pydantic refuse lone surrogates, which JSON can write and no database holds
Text = Annotated[str, Field(max_length=2**31)]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)] | Annotated[float, Field(allow_inf_nan=False)]

EXAMPLE: JsonValue = {
    "corpus": "demo",
    "documents": [
        {
            "id": "novosel-2031",
            "title": "Novosel",
            "text": "Novosel is the capital of Varnia. It was founded in 1204.",
            "published": "2031-03-14",
            "triplets": [
                {
                    "subject": "Novosel",
                    "relation": "capital of",
                    "object": "Varnia",
                    "sentence": "Novosel is the capital of Varnia.",
                }
            ],
        }
    ],
}


class GivenTriplet(Record):
    """A ready-made triplet; an end is a name, or a term with its kind, value, unit or type."""

    subject: Text | Term
    relation: Text
    object: Text | Term
    sentence: Text = ""


class GivenDocument(Record):
    """A document; `id` names it within the corpus. `triplets` null: extract; []: read already, and there are none."""

    id: str = Field(min_length=1, pattern=r"\S")
    text: Text
    title: Text = ""
    published: Moment | None = None
    url: Text | None = None
    doc_type: Text = "text"
    domain: Text | None = None
    metadata: dict[Text, Text | bool | Number] = Field(default_factory=dict, max_length=1_000)
    triplets: list[GivenTriplet] | None = Field(None, max_length=20_000)


def read(given: Iterable[GivenDocument]) -> Iterator[Document | Problem]:
    """Yield the documents of a load; one without text is a Problem, a triplet with an empty end is in `malformed`."""
    for item in given:
        triplets, malformed = _triplets(item)
        text = item.text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.strip():
            yield Problem(source=item.id, state="rejected", reason="no text", detail="give the document's text")
            continue
        metadata: dict[str, Scalar] = dict(item.metadata)
        yield Document(
            source=item.id.strip(),
            text=text,
            title=_folded(item.title),
            doc_type=_folded(item.doc_type) or "text",
            url=item.url,
            published=item.published.date() if isinstance(item.published, datetime) else item.published,
            domain=item.domain,
            metadata=metadata,
            triplets=triplets,
            malformed=malformed,
        )


def _triplets(item: GivenDocument) -> tuple[tuple[Triplet, ...] | None, tuple[Problem, ...]]:
    if item.triplets is None:
        return None, ()
    good, malformed = [], []
    for given in item.triplets:
        subject, relation, obj = _term(given.subject), _folded(given.relation), _term(given.object)
        if subject is None or obj is None or not relation:
            detail = given.model_dump_json()[:160]
            malformed.append(Problem(source=item.id, state="rejected", reason="empty end", detail=detail))
        else:
            good.append(Triplet(subject=subject, relation=relation, object=obj, sentence=given.sentence.strip()))
    return tuple(good), tuple(malformed)


def _term(end: str | Term) -> Term | None:
    term = Term(label=end or " ") if isinstance(end, str) else end
    label = _folded(term.label)
    return term.model_copy(update={"label": label}) if label else None


def _folded(text: str) -> str:
    return " ".join(text.split())
