"""The records that stages exchange: frozen and validated. Loaders may import nothing else of kgservice."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Kind: TypeAlias = Literal["entity", "number", "date"]
Scalar: TypeAlias = str | int | float | bool
_set = object.__setattr__
_DAY = re.compile(r"\s*\d{4}-\d{2}-\d{2}", re.ASCII)


def _written(given: object) -> object:
    if given is None or isinstance(given, date) or (isinstance(given, str) and _DAY.match(given)):
        return given
    raise ValueError("write 2031-03-14 or 2031-03-14T09:30:00Z")


# what a caller gives: pydantic alone takes 2031 and "20310314" for seconds since 1970
Day: TypeAlias = Annotated[date, BeforeValidator(_written)]
Moment: TypeAlias = Annotated[date | datetime, BeforeValidator(_written)]


class Record(BaseModel):
    """A frozen value. Unknown fields are an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **changed: object) -> Self:
        """Return a copy with some other values, which are not validated: `model_copy` in a third of its time."""
        made = self.__class__.__new__(self.__class__)
        _set(made, "__dict__", self.__dict__ | changed)
        _set(made, "__pydantic_fields_set__", self.__pydantic_fields_set__.union(changed))
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
        return made


class Term(Record):
    """One end of a triplet: a name as written in the source, with its typed value if it is a number or a date.

    `kind` None: read it from the label (see kgservice.text.values). `value` is a float for a number and an ISO date
    ("2031", "2031-04", "2031-04-30") for a date. `type` is a class such as "company".
    """

    label: str = Field(min_length=1)
    kind: Kind | None = None
    value: float | str | None = None
    unit: str | None = None
    type: str | None = None


class Triplet(Record):
    """(subject, relation, object) with the verbatim sentence that states it ("" if the source gives none).

    In a table the sentence is the row, and `cell` is the place of the value: "row 3, column 2", without the header and
    the column of names. `period` is the time of a report's figure, "fiscal 2031", "" for always. `doubted` is the
    relation of the packaged schema that the words mean but the relation reader does not believe: it stays open.
    `confidence` is how likely the statement is right, from 0 to 1: 1 if nobody judged it (tables, given triplets).
    """

    subject: Term
    relation: str = Field(min_length=1)
    object: Term
    sentence: str = ""
    cell: str = ""
    period: str = ""
    doubted: str | None = Field(None, exclude=True)
    confidence: float = Field(1.0, ge=0, le=1, exclude=True)


class Problem(Record):
    """A rejected or failed item. `reason` is short and countable, `detail` has the specifics and what to do."""

    source: str
    state: Literal["rejected", "failed"]
    reason: str
    detail: str = ""


class Document(Record):
    """A document from a loader: its text and its metadata.

    `source` names the document within a corpus. Loading the same source again makes a new version of it. `text` is
    plain text or Markdown with pipe tables, its pages separated by form feeds. `triplets` are ready-made ones: None
    means "none were given: extract", () means "there are none". `malformed` are ready-made triplets that could not be
    read. `stated` are facts that a loader read from the source (a filing's cover), each with the lines that state it.
    The text is extracted all the same.
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
    """A piece of a document, `text == document.text[start:end]`.

    `tokens` counts words and punctuation marks. `page` starts at 1, None if the source has no pages.
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

    def holds(self, start: int, end: int) -> bool:
        """Return whether a stretch of the document is in this piece from end to end."""
        return self.start <= start and end <= self.end


class Entity(Record):
    """A term after linking. `id` is "Q90" for a Wikidata item and "local:Paris" for a name of this corpus alone."""

    id: str
    label: str
    kind: Kind
    value: float | str | None = None
    unit: str | None = None
    type: str | None = None
    description: str | None = None
    aliases: tuple[str, ...] = ()


class LinkedTriplet(Record):
    """A triplet after linking: `relation` is the relation's id, `label` its name for people.

    `said` are the source's words for the relation ("" if they are the label). `mirrored`: the relation is symmetric, so
    the reverse is stated too. `doubted` and `confidence` are the triplet's. `written` is (subject, relation, object)
    before linking, None if they are the labels and the relation. `novel`: whether the reference lacks the triple, None
    if unknown (linking.novelty).
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
    doubted: str | None = None
    confidence: float = 1.0
    written: tuple[str, str, str] | None = None
    novel: bool | None = None


class Decision(Record):
    """The meaning of a name: entity `name` (an id) is entity `into`, or relation `name` is relation `into`.

    `label` is the name of `into`, `type` the sources' class of the name, kept for a split. A split name stands for
    itself, and only a person can merge it again. A withdrawn decision is deleted.
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
    """A name in a chunk's text, `text[start:end]`, or in the document's title if it has no place."""

    entity: Entity
    start: int | None
    end: int | None


class StatedChunk(Record):
    """A chunk with its statements and mentions. `extracted` is False if no extractor has read it."""

    chunk: Chunk
    extracted: bool
    statements: tuple[LinkedTriplet, ...]
    mentions: tuple[Mention, ...] = ()


class StatedDocument(Record):
    """A document ready to be written. `content_hash` covers its text, its metadata, its triplets and the recipe."""

    document: Document
    content_hash: str
    recipe: str
    chunks: tuple[StatedChunk, ...]


class Source(Record):
    """The source of a fact: chunk and document keys, and the verbatim sentence, or a table's row and cell.

    Of a sentence that states the fact twice, `confidence` is the greater one.
    """

    chunk: str
    document: str
    sentence: str
    cell: str = ""
    confidence: float = Field(
        1.0, ge=0, le=1, description="how likely the statement is right, from 0 to 1: 1 if nobody judged it"
    )


class Fact(Record):
    """A canonical fact for people, with all its sources.

    `property` is the relation's id. `period` is the time when it holds, "" for always. What is excluded is for the
    making of questions: no JSON has it, so over HTTP it is empty.
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
    is_past: bool = Field(False, exclude=True, description="whether all sources say it of the past: was, became")


class Reading(Record):
    """One assignment of entities to a pattern's nodes: its bridges (never named in a question) and its facts."""

    pivots: tuple[str, ...]
    facts: tuple[Fact, ...]


class Subgraph(Record):
    """An instance of a pattern: the named and asked ends, the only answer, and every reading that leads to it.

    `either_end`: the other end of a single could be asked for too.
    """

    id: str
    pattern: str
    asked: str
    relations: tuple[str, ...]
    named: tuple[str, ...]
    answers: tuple[str, ...]
    readings: tuple[Reading, ...]
    dates: tuple[str, ...] = Field(
        (), exclude_if=lambda dates: not dates, description="conflict: the date of the newest document of each answer"
    )
    entities: tuple[str, ...] = Field((), exclude=True, description="keys of the named and answering entities")
    either_end: bool = Field(False, exclude=True)


class Rival(Record):
    """A possible other answer of a question, in a sentence without a fact. `answer` is "" if it is no name."""

    answer: str
    sentence: str
    chunk: str
    document: str


class Question(Record):
    """A question with its answer and evidence (files: design section 6).

    `facts` are those of every reading. `state` is active, retired or rejected, `reason` is why it is not active,
    `cause` the documents that ended it after it was active ("changed: report.md"). `rivals` are possible other answers
    of a question that is withheld because of them.
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
    """The stored version of a document, to decide whether another is new, equal, newer or older."""

    content_hash: str
    published: date | None


class Totals(Record):
    """The counts of a corpus."""

    documents: int
    chunks: int
    facts: int
    entities: int


class ReadServerState(Record):
    """What a copy of the database holds. Only `state` is shown to who is no curator.

    `behind`: the database has newer writes of these corpora, which are read there; `away`: the copy does not answer.
    """

    state: Literal["current", "behind", "away"]
    address: str | None = None
    behind: tuple[str, ...] | None = Field(None, description="the corpora")
    last_write: datetime | None = Field(None, description="the newest that it holds")
