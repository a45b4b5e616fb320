"""What a tool is given and what it gives back: small records, as an agent pays for each word of them."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from kgservice.core.records import Kind, Record
from kgservice.gold.cited_facts import Citation, CitedFact
from kgservice.questions.patterns import PATTERNS

Words = Annotated[str, Field(min_length=1, max_length=1_000)]  # a bound makes pydantic refuse lone surrogates too
Id = Annotated[str, Field(min_length=1, max_length=300)]
After = Annotated[str, Field(max_length=100, description="`next` of the page before")]
Few = Annotated[int, Field(ge=1, le=50)]
Pattern = Annotated[str, Field(max_length=100, json_schema_extra={"enum": [*PATTERNS]})]


class ToolForm(Record):
    """The arguments of a tool that asks about one corpus."""

    corpus: Id = Field("default", description="a name from the tool `corpora`")


class NoForm(Record):
    """A tool without arguments."""


class EntityForm(ToolForm):
    """Words of a name."""

    name: Words
    limit: Few = 10


class NeighbourhoodForm(ToolForm):
    """A thing."""

    entity: Id = Field(description="key, id or exact name")
    limit: Few = 10
    after: After = ""


class FactsForm(ToolForm):
    """Ends of facts, by key, id or exact name: one of them at least."""

    subject: Id | None = None
    object: Id | None = None
    relation: Id | None = None
    limit: Few = 10
    after: After = ""


class RetrieveForm(ToolForm):
    """A search."""

    query: Words
    k: Annotated[int, Field(ge=1, le=50)] = 5
    retriever: Id = Field("graph", description="bm25, dense, hybrid or graph")


class AskForm(ToolForm):
    """A question."""

    question: Words


class SubgraphsForm(ToolForm):
    """A pattern."""

    pattern: Pattern
    limit: Few = 5
    after: After = ""


class QuestionsForm(ToolForm):
    """Which questions."""

    pattern: Pattern | None = None
    limit: Few = 5
    after: After = ""


class NewText(Record):
    """A document; `id` names it within its corpus, and loading the id again replaces it."""

    id: Annotated[str, Field(min_length=1, max_length=300, pattern=r"\S")]
    text: Annotated[str, Field(min_length=1, max_length=5_000_000, description="plain text or Markdown")]
    title: Annotated[str, Field(max_length=1_000)] = ""
    published: date | None = None


class LoadForm(ToolForm):
    """Documents, whole: no file and no address is read."""

    documents: list[NewText] = Field(min_length=1, max_length=1_000)


class JobForm(Record):
    """A load."""

    id: Id
    wait: Annotated[float, Field(ge=0, le=30, description="seconds to wait for its end")] = 0


class ListedCorpus(Record):
    """A corpus; `facts` is left out where the caller may not know it."""

    corpus: str
    documents: int
    facts: int | None = Field(None, exclude_if=lambda facts: facts is None)


class ListedCorpora(Record):
    """The corpora in order of name."""

    corpora: tuple[ListedCorpus, ...]


class FoundThing(Record):
    """A thing by its name; `facts` counts its facts."""

    key: str
    name: str
    kind: Kind
    type: str | None = Field(None, exclude_if=lambda type_: type_ is None)
    facts: int


class FoundThings(Record):
    """Things, the best connected first; `more`: there are others."""

    things: tuple[FoundThing, ...]
    more: bool


class FactPage(Record):
    """Facts in order of key; `next` leads to the page after this one."""

    facts: tuple[CitedFact, ...]
    next: str | None = Field(None, exclude_if=lambda next_: next_ is None)


class ThingWithFacts(FactPage):
    """A thing, its other names, and the facts about it, in and out."""

    thing: FoundThing
    aliases: tuple[str, ...] = Field((), exclude_if=lambda aliases: not aliases)
    description: str | None = Field(None, exclude_if=lambda description: description is None)


class FoundText(Record):
    """A passage: characters `start` to `end` of a document."""

    document: str
    title: str
    start: int
    end: int
    page: int | None = Field(None, exclude_if=lambda page: page is None)
    published: str | None = Field(None, exclude_if=lambda published: published is None)
    score: float
    text: str


class FoundTexts(Record):
    """Passages, best first."""

    passages: tuple[FoundText, ...]


class CitedAnswer(Record):
    """An answer with the sentences it rests on; `answer` is "" where the documents do not say it."""

    answer: str
    stated: tuple[Citation, ...]


class CitedSubgraph(Record):
    """A pattern's place in the graph: what a question would name, what it would ask for, and the facts between."""

    id: str
    named: tuple[str, ...]
    answers: tuple[str, ...]
    facts: tuple[CitedFact, ...]


class CitedSubgraphs(Record):
    """Subgraphs in order of id."""

    subgraphs: tuple[CitedSubgraph, ...]
    next: str | None = Field(None, exclude_if=lambda next_: next_ is None)


class CitedQuestion(Record):
    """A question of the corpus with its answers and evidence."""

    id: str
    pattern: str
    question: str
    answers: tuple[str, ...]
    facts: tuple[CitedFact, ...]


class CitedQuestions(Record):
    """Questions in order of id."""

    questions: tuple[CitedQuestion, ...]
    next: str | None = Field(None, exclude_if=lambda next_: next_ is None)
