"""Aggregation of the answers of documents into one answer (PluriHop, Algorithm 1, line 18)."""

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
from kgservice.text.matching import match, normalised
from kgservice.text.refusal import refuses
from kgservice.text.values import read_value

STAGE, PROMPT = "aggregate answers", "aggregate_answers"
LONGEST = 2_000  # characters of a document's answer in a prompt

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_YEARS = re.compile(r"\bfrom ((?:1\d|20)\d\d) to ((?:1\d|20)\d\d)\b")
_OFTEN = re.compile(r"(?i)\bin (?:the (most)|(\w+) or more) documents\b")
_NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
_TREND = re.compile(r"(?i)\bin which years\b.*\b(?:(higher)|lower) than in the year before\b")
_COUNT = re.compile(r"(?i)\bhow many\b")
_NUMBER = re.compile(  # a count, or each one's number
    r"(?i)\b(?:what(?: (?:is|was)|[’']s)|tell me|give(?: me)?|state) the (?:(?:total|overall|exact|whole) )?number of\b"
)
_EACH = re.compile(r"(?i)\b(?:each|every)\b")
_OF_EACH = re.compile(  # "how many does each firm employ", "how many work at each"; not "have an office in each city"
    r"(?i)(?<!\bfor )\bhow many\b(?:.*\b(?:do|does|did|has|have|had|is|are|was|were|will|would|can) (?:each|every)|"
    r"(?:(?: [\w-]+){1,2}|.* (?:is|are|was|were)(?: there)?(?: [\w-]+)?) (?:at|by|for|in|of) each)\b"
)
_LARGEST = re.compile(r"(?i)\b(?:larg|high|great|bigg|lat|new|young)est\b|\b(?:(?<!\bat )most|maximum)\b")
_BY_AGE = re.compile(r"(?i)\b(?:old|new|young)est\b")  # by dates; the oldest by years of age has the most of them
_SMALLEST = re.compile(r"(?i)\b(?:small|low|short|earli|old|few)est\b|\b(?:(?<!\bat )least|minimum)\b")


class FromDocument(Record):
    """The answer of one document, by its key."""

    document: str
    title: str
    said: Generated


class Partial(Record):
    """A question with the answer of each document."""

    asked: QuestionWithPassages
    documents: tuple[FromDocument, ...]

    @property
    def answering(self) -> list[FromDocument]:
        """Return the documents that have an answer."""
        return [part for part in self.documents if part.said.answer.strip() and not refuses(part.said.answer)]


class Aggregator(Protocol):
    """An aggregator of documents' answers, a question at a time. An answer names the documents it rests on."""

    name: str

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]: ...


class RuleAggregator:
    """A count, comparison or list, by the words of the question. Documents of another year than it are dropped."""

    name = "put together by rules"

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]:
        """Return an answer a question, REFUSAL if no document has one."""
        return [_by_rules(question) for question in partial]


class Aggregated(BaseModel):
    """A model's answer and the numbers of the documents that it rests on."""

    answer: str
    relevant_documents: list[int]


class PromptedAggregator:
    """Aggregation by a model (PluriHop, appendix A.3, in our words)."""

    def __init__(self, llm: LLM) -> None:
        self.name, self._llm = f"put together by {llm.name}", llm

    async def aggregated(self, partial: Sequence[Partial]) -> list[SystemAnswer]:
        """Return an answer a question. An answer that the model failed at has the reason as its `failure`."""
        answered = [question for question in partial if question.answering]
        async with aclosing(gather(self._llm, map(_ask, answered))) as replies:
            answers = {question.asked.unit: _answer(question, await anext(replies)) for question in answered}
        return [answers.get(question.asked.unit) or _nothing(question) for question in partial]


def _ask(partial: Partial) -> Ask:
    parts = [(part.title, part.said.answer[:LONGEST]) for part in partial.answering]
    return Ask(prompt(PROMPT, question=partial.asked.question, parts=parts), Aggregated, STAGE, partial.asked.unit)


def _answer(partial: Partial, reply: BaseModel | LLMFailure) -> SystemAnswer:
    if not isinstance(reply, Aggregated):
        return SystemAnswer(failure=reply.reason if isinstance(reply, LLMFailure) else "no answer")
    documents = dict(enumerate((part.document for part in partial.answering), 1))
    used = dict.fromkeys(documents[number] for number in reply.relevant_documents if number in documents)
    return SystemAnswer(answer=reply.answer, documents=tuple(used))


def _by_rules(partial: Partial) -> SystemAnswer:
    question = partial.asked.question
    parts = [part for part in partial.answering if _of_the_time(part.title, question)]
    if not parts:
        return _nothing(partial)
    documents = tuple(part.document for part in parts)
    if often := _OFTEN.search(question):
        return _by_number(parts, _NUMBERS.get(often[2] or "", 0))
    if trend := _TREND.search(question):
        return SystemAnswer(answer=_changed(parts, 1 if trend[1] else -1) or REFUSAL, documents=documents)
    others = any(asks.search(question) for asks in (_EACH, _LARGEST, _SMALLEST))
    counted = _COUNT.search(question) and not _OF_EACH.search(question)
    if counted or (_NUMBER.search(question) and not others):
        return SystemAnswer(answer=str(len({_called(part) for part in parts})), documents=documents)
    for words, sign in ((_LARGEST, -1), (_SMALLEST, 1)):
        if words.search(question) and (extreme := _extreme(parts, sign, by_age=bool(_BY_AGE.search(question)))):
            return SystemAnswer(answer=_called(extreme), reasoning=extreme.said.answer, documents=documents)
    lines = dict.fromkeys(f"{_called(part)}: {part.said.answer}" for part in parts)
    return SystemAnswer(answer="; ".join(lines), documents=documents)


def _by_number(parts: Sequence[FromDocument], least: int) -> SystemAnswer:
    """Return the answers of at least so many documents; with 0 the one that most documents have."""
    said: dict[str, list[FromDocument]] = {}
    for part in parts:
        said.setdefault(normalised(part.said.answer), []).append(part)
    most = max(map(len, said.values()))
    groups = [group for group in said.values() if len(group) >= (least or most)]
    answers = "; ".join(group[0].said.answer for group in groups)
    documents = tuple(part.document for group in groups for part in group)
    return SystemAnswer(answer=answers or REFUSAL, documents=documents)


def _changed(parts: Sequence[FromDocument], sign: int) -> str:
    """Return the years, as in titles, whose number is larger (1) or smaller (-1) than that of the year before."""
    said: dict[int, float] = {}
    for part in parts:
        kind, value, _ = read_value(part.said.answer)
        if kind == "number" and (year := _YEAR.search(part.title)):
            said[int(year[0])] = float(value or 0)
    steps = ((year, value - said[year - 1]) for year, value in sorted(said.items()) if year - 1 in said)
    return "; ".join(str(year) for year, change in steps if change * sign > 0)


def _nothing(partial: Partial) -> SystemAnswer:
    """Return a refusal, or the commonest failure if every document failed."""
    failures = Counter(part.said.failure for part in partial.documents if part.said.failure)
    if failures and failures.total() == len(partial.documents):
        return SystemAnswer(failure=failures.most_common(1)[0][0])
    return SystemAnswer(answer=REFUSAL)


def _of_the_time(title: str, question: str) -> bool:
    """Return whether a document may be meant: its title has a year of the question, or one of the two has none."""
    wanted, years = ({*_YEAR.findall(text)} for text in (question, title))
    for first, last in _YEARS.findall(question):
        wanted.update(map(str, range(int(first), int(last))))
    return not wanted or not years or bool(wanted & years)


def _called(part: FromDocument) -> str:
    """Return the name of a document's answer: preferably one in both the title and the sentence behind the answer."""
    before, colon, _ = part.title.partition(":")
    sentence = part.said.reasoning.rpartition(" → ")[2]
    names = [name for name in _names(sentence) if not match(part.said.answer, name)]
    both = next((name for name in names if name in part.title), "")
    return both or (before.strip() if colon else "") or next(iter(names), "") or part.title or part.document


def _names(text: str) -> list[str]:
    return [text[mention.start : mention.end] for mention in mentions("", text) if mention.start is not None]


def _extreme(parts: Sequence[FromDocument], sign: int, *, by_age: bool) -> FromDocument | None:
    """Return the document with the largest (-1) or smallest (1) value among those with the commonest unit.

    `by_age`: the sign is that of dates, and numbers are ages.
    """
    read = [(part, *read_value(part.said.answer)[1:]) for part in parts]
    units = Counter((type(value), unit) for _, value, unit in read if value is not None)
    if not units:
        return None
    common = units.most_common(1)[0][0]
    values = [(value, part) for part, value, unit in read if (type(value), unit) == common]
    ordered = sorted(values, key=lambda pair: pair[0])  # type: ignore[arg-type, return-value]
    return ordered[0 if (sign > 0) != (by_age and common[0] is float) else -1][1]
