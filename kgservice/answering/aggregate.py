"""What documents say to a question, put together into one answer (PluriHop, Algorithm 1, line 18)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from typing import Protocol

from pydantic import BaseModel

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages, SystemAnswer
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.names.mentions import mentions
from kgservice.text.matching import match
from kgservice.text.refusal import refuses
from kgservice.text.values import read_value

STAGE, PROMPT = "aggregate answers", "aggregate_answers"
LONGEST = 2_000  # characters of a document's answer that a model is shown

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_COUNT = re.compile(r"(?i)\bhow many\b|\bnumber of\b")
_LARGEST = re.compile(r"(?i)\b(?:larg|high|great|bigg|lat|new)est\b|\b(?:most|maximum)\b")
_SMALLEST = re.compile(r"(?i)\b(?:small|low|short|earli|old|few)est\b|\b(?:least|minimum)\b")


class FromDocument(Record):
    """What one document says; `document` is its key."""

    document: str
    title: str
    said: Generated


class Partial(Record):
    """A question with what each document says to it."""

    asked: QuestionWithPassages
    documents: tuple[FromDocument, ...]

    @property
    def answering(self) -> list[FromDocument]:
        """Those that say something."""
        return [one for one in self.documents if one.said.answer.strip() and not refuses(one.said.answer)]


class Aggregator(Protocol):
    """Puts the documents' answers together, question by question; `documents` of an answer are those it rests on."""

    name: str

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]: ...


class RuleAggregator:
    """Counts, compares or lists, as the question's words ask; documents of another year than it are left out."""

    name = "put together by rules"

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]:
        """Return an answer a question; REFUSAL where no document says anything."""
        return [_by_rules(one) for one in partial]


class Aggregated(BaseModel):
    """A model's answer and the numbers of the documents that it rests on."""

    answer: str
    relevant_documents: list[int]


class PromptedAggregator:
    """Has a model write the answer (PluriHop, appendix A.3, in our words)."""

    def __init__(self, llm: LLM) -> None:
        self.name, self._llm = f"put together by {llm.model}", llm

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]:
        """Return an answer a question; what the model failed at carries the reason."""
        open_to = [one for one in partial if one.answering]
        async with aclosing(gather(self._llm, map(_ask, open_to))) as replies:
            told = {one.asked.unit: _told(one, await anext(replies)) for one in open_to}
        return [told.get(one.asked.unit) or _nothing(one) for one in partial]


def _ask(one: Partial) -> Ask:
    parts = [(part.title, part.said.answer[:LONGEST]) for part in one.answering]
    return Ask(prompt(PROMPT, question=one.asked.question, parts=parts), Aggregated, STAGE, one.asked.unit)


def _told(one: Partial, reply: BaseModel | LLMFailure) -> SystemAnswer:
    if not isinstance(reply, Aggregated):
        return SystemAnswer(failure=reply.reason if isinstance(reply, LLMFailure) else "no answer")
    known = dict(enumerate((part.document for part in one.answering), 1))
    used = dict.fromkeys(known[number] for number in reply.relevant_documents if number in known)
    return SystemAnswer(answer=reply.answer, documents=tuple(used))


def _by_rules(one: Partial) -> SystemAnswer:
    question = one.asked.question
    parts = [part for part in one.answering if _of_the_time(part.title, question)]
    if not parts:
        return _nothing(one)
    documents = tuple(part.document for part in parts)
    if _COUNT.search(question):
        return SystemAnswer(answer=str(len({_called(part) for part in parts})), documents=documents)
    for words, sign in ((_LARGEST, -1), (_SMALLEST, 1)):
        if words.search(question) and (found := _extreme(parts, sign)):
            return SystemAnswer(answer=_called(found), reasoning=found.said.answer, documents=documents)
    lines = dict.fromkeys(f"{_called(part)}: {part.said.answer}" for part in parts)
    return SystemAnswer(answer="; ".join(lines), documents=documents)


def _nothing(one: Partial) -> SystemAnswer:
    """A refusal, or why the documents could not be asked."""
    failures = Counter(part.said.failure for part in one.documents if part.said.failure)
    if failures and failures.total() == len(one.documents):
        return SystemAnswer(failure=failures.most_common(1)[0][0])
    return SystemAnswer(answer=REFUSAL)


def _of_the_time(title: str, question: str) -> bool:
    """Whether a document may be meant: not one that is called by another year than the question's."""
    asked, told = ({*_YEAR.findall(text)} for text in (question, title))
    return not asked or not told or bool(asked & told)


def _called(part: FromDocument) -> str:
    """What a document's answer is said of: a name of its title, first one that the sentence read there has too."""
    before, colon, _ = part.title.partition(":")
    sentence = part.said.reasoning.rpartition(" → ")[2]
    there = [name for name in _names(sentence) if not match(part.said.answer, name)]
    both = next((name for name in there if name in part.title), "")
    return both or (before.strip() if colon else "") or next(iter(there), "") or part.title or part.document


def _names(text: str) -> list[str]:
    return [text[one.start : one.end] for one in mentions("", text) if one.start is not None]


def _extreme(parts: Sequence[FromDocument], sign: int) -> FromDocument | None:
    """The document with the largest (-1) or smallest (1) value, of those with the commonest unit."""
    read = [(part, *read_value(part.said.answer)[1:]) for part in parts]
    units = Counter((type(value), unit) for _, value, unit in read if value is not None)
    if not units:
        return None
    common = units.most_common(1)[0][0]
    found = [(value, part) for part, value, unit in read if (type(value), unit) == common]
    ordered = sorted(found, key=lambda pair: pair[0])  # type: ignore[arg-type, return-value]
    return ordered[0 if sign > 0 else -1][1]
