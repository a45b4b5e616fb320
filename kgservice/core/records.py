"""The records that pass between stages: frozen, validated, and the only thing a loader may import from kgservice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Kind: TypeAlias = Literal["entity", "number", "date"]
Scalar: TypeAlias = str | int | float | bool


class Record(BaseModel):
    """A frozen value; unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Term(Record):
    """One end of a triplet: a name as the source writes it, with its typed value where it is a number or a date.

    `kind` None means "read it off the label" (see kgservice.text.values); `value` is a float for a number and an ISO
    date ("2031", "2031-04", "2031-04-30") for a date; `type` is a class such as "company".
    """

    label: str = Field(min_length=1)
    kind: Kind | None = None
    value: float | str | None = None
    unit: str | None = None
    type: str | None = None


class Triplet(Record):
    """(subject, relation, object) with the verbatim sentence that states it ("" where the source gives none).

    Of a table the sentence is the row, and `cell` says where the value stands: "row 3, column 2", the header not
    counted, nor the names of the rows. `period` is when a figure of a report holds, "fiscal 2031", "" for always.
    """

    subject: Term
    relation: str = Field(min_length=1)
    object: Term
    sentence: str = ""
    cell: str = ""
    period: str = ""


class Problem(Record):
    """Something that did not get in. `reason` is short and countable; `detail` says what was seen and what to do."""

    source: str
    state: Literal["rejected", "failed"]
    reason: str
    detail: str = ""


class Document(Record):
    """What a loader yields: one source text and what is known about it.

    `source` names the document within a corpus: loading the same source again is a new version of it.
    `text` is plain text or Markdown; pipe tables are read as tables; pages are separated by a form feed.
    `triplets` are ready-made ones; None means "none were given: extract", () means "read, and there are none".
    `malformed` are ready-made triplets that could not be read. `stated` are those that a loader reads off the source
    where no sentence states them (a filing's cover), each with the lines that do; the text is read all the same.
    """

    source: str = Field(min_length=1)
    text: str
    title: str = ""
    doc_type: str = "text"
    url: str | None = None
    published: date | None = None
    domain: str | None = None
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    triplets: tuple[Triplet, ...] | None = None
    stated: tuple[Triplet, ...] = ()
    malformed: tuple[Problem, ...] = ()


class Chunk(Record):
    """A piece of a document, `text == document.text[start:end]`, with the triplets that it states.

    `tokens` counts words and punctuation marks; `page` starts at 1 and is None where the source has no pages.
    """

    index: int
    kind: Literal["text", "table", "triple"]
    contains_table: bool
    section: str
    page: int | None
    start: int
    end: int
    text: str
    tokens: int


class Entity(Record):
    """A term after linking: `id` is "Q90" for a Wikidata item and "local:Paris" for a name of this corpus alone."""

    id: str
    label: str
    kind: Kind
    value: float | str | None = None
    unit: str | None = None
    type: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()


class LinkedTriplet(Record):
    """A linked triplet: `relation` is the relation's id, `label` what people read; the rest as there.

    `said` are the source's words for the relation ("" where they are the label). `mirrored`: the relation is symmetric,
    so the source states it the other way round as well.
    `written` is (subject, relation, object) before names were linked, None where they are the labels and the relation.
    `novel`: whether the reference lacks the triple, None where nobody can tell (linking.novelty).
    """

    subject: Entity
    relation: str
    label: str
    object: Entity
    sentence: str
    cell: str = ""
    period: str = ""
    said: str = ""
    mirrored: bool = False
    written: tuple[str, str, str] | None = None
    novel: bool | None = None


class Decision(Record):
    """What a name stands for: entity `name` (an id) is entity `into`, or relation `name` is relation `into`.

    `label` is how `into` is called; `type` the class that the sources give the name, kept for a split. A split name
    stands for itself and is never merged again without a person; a withdrawn decision is forgotten.
    """

    kind: Literal["entity", "relation"]
    name: str = Field(min_length=1)
    into: str = Field(min_length=1)
    label: str = Field(min_length=1)
    by: Literal["exact", "lexical", "form", "vector", "context", "person"]
    score: float
    evidence: str
    state: Literal["merged", "split", "withdrawn"] = "merged"
    type: str | None = None


class Mention(Record):
    """A name in a chunk's text, `text[start:end]`; without a place it is a name of the document's title."""

    entity: Entity
    start: int | None
    end: int | None


class StatedChunk(Record):
    """A chunk with what it states and names; `extracted` is False where no extractor has read it."""

    chunk: Chunk
    extracted: bool
    statements: tuple[LinkedTriplet, ...]
    mentions: tuple[Mention, ...] = ()


class StatedDocument(Record):
    """A document ready to be written; `content_hash` covers its text, its metadata, its triplets and the recipe."""

    document: Document
    content_hash: str
    recipe: str
    chunks: tuple[StatedChunk, ...]


class Source(Record):
    """Where a fact is stated: chunk and document keys, the verbatim sentence; of a table its row and the cell."""

    chunk: str
    document: str
    sentence: str
    cell: str = ""


class Fact(Record):
    """A canonical fact as people read it, with everything that states it.

    `property` is the relation's id; `period` is when it holds, "" for always.
    """

    key: str
    subject: str
    relation: str
    object: str
    period: str = Field("", exclude_if=lambda period: not period)
    statements: tuple[Source, ...]
    property: str = Field("", exclude=True)
    subject_type: str | None = Field(None, exclude=True)
    object_type: str | None = Field(None, exclude=True)
    object_kind: Kind = Field("entity", exclude=True)


class Reading(Record):
    """One way to put entities on a pattern's nodes: its bridges (never named in a question) and its facts."""

    pivots: tuple[str, ...]
    facts: tuple[Fact, ...]


class Subgraph(Record):
    """One question's worth of a pattern: what is named, what is asked, the only answer, and every way to reach it.

    `either_end`: of a single one, that its other end could be asked for as well.
    """

    id: str
    pattern: str
    asked: str
    relations: tuple[str, ...]
    named: tuple[str, ...]
    answers: tuple[str, ...]
    readings: tuple[Reading, ...]
    entities: tuple[str, ...] = Field((), exclude=True, description="keys of the named and answering entities")
    either_end: bool = Field(False, exclude=True)


class Rival(Record):
    """What may be another answer of a question, in a sentence that no fact comes from; "" where it is no name."""

    answer: str
    sentence: str
    chunk: str
    document: str


class Question(Record):
    """A question with its answer and evidence (files: design section 6).

    `facts` are those of every reading; `state` is active, retired or rejected, `reason` says why not active, `cause`
    which documents ended it, where it was active before ("changed: report.md"). `rivals`: what may be other answers,
    where the question is withheld for them.
    """

    id: str
    corpus: str
    pattern: str
    asked: str
    question: str
    answers: tuple[str, ...]
    facts: tuple[Fact, ...]
    chunk_ids: tuple[str, ...]
    document_keys: tuple[str, ...]
    metadata: dict[str, Scalar] = Field(default_factory=dict)
    release: str | None = None
    state: Literal["active", "retired", "rejected"] = "active"
    reason: str = ""
    cause: str = ""
    rivals: tuple[Rival, ...] = Field((), exclude_if=lambda rivals: not rivals)
    entities: tuple[str, ...] = Field((), exclude=True)


class Version(Record):
    """What is stored of a document: enough to tell whether the one at hand is new, the same, newer or older."""

    content_hash: str
    published: date | None


class Totals(Record):
    """How much a corpus holds."""

    documents: int
    chunks: int
    facts: int
    entities: int


class Loader(Protocol):
    """Reads sources one by one; whatever cannot be read becomes a Problem and the rest goes on."""

    def read(self) -> Iterator[Document | Problem]: ...
