"""Queries in other grammar or with an irrelevant detail, written by a model (RARE, appendix C.1), and checked.

A query that loses a name, a number or another word of the question, or has its answer, is dropped: a model must not
change what is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import TypeAlias

from pydantic import BaseModel

from kgservice.answering.reader.passage_statements import stems
from kgservice.core import keys
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Question
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.metrics.robustness import QueryKind
from kgservice.text.matching import match
from kgservice.text.sentences import sentences

STAGE = "perturb queries"
PROMPTS: Mapping[QueryKind, str] = {"grammar": "perturb_grammar", "irrelevant": "perturb_irrelevant"}
LEAST_ADDED, MOST_ADDED = 2, 25  # stems that an irrelevant detail has
ASKED_WITH = stems("please tell me do you know can could would like know answer say give want question")

Written: TypeAlias = Mapping[QueryKind, Sequence[str] | LLMFailure]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class PerturbedQuestions(BaseModel):
    """The questions, three of them."""

    questions: list[str]


async def written(llm: LLM, questions: Iterable[tuple[Question, str]]) -> Mapping[str, Written]:
    """Return a model's queries of questions and their domains, by question id and kind, those alone that are sound.

    There is an LLMFailure in place of those that the model failed at.
    """
    wanted = [(kind, question, domain) for question, domain in questions for kind in PROMPTS]
    asks = [
        Ask(prompt(PROMPTS[kind], text=question.question, domain=domain), PerturbedQuestions, STAGE,
            keys.digest(12, kind, question.id))
        for kind, question, domain in wanted
    ]  # fmt: skip
    found: dict[str, dict[QueryKind, Sequence[str] | LLMFailure]] = {question.id: {} for _, question, _ in wanted}
    async with aclosing(gather(llm, asks)) as replies:
        for kind, question, _ in wanted:
            reply = await anext(replies)
            if isinstance(reply, LLMFailure):
                found[question.id][kind] = reply
                continue
            texts = reply.questions if isinstance(reply, PerturbedQuestions) else []
            folded = dict.fromkeys(" ".join(text.split()) for text in texts)
            found[question.id][kind] = [text for text in folded if not fault(question, kind, text)]
    return found


def fault(question: Question, kind: QueryKind, text: str) -> str:
    """Return why a query does not ask what the question asks, or an empty string."""
    asked = question.question
    names = {label for fact in question.facts for label in (fact.subject, fact.object)}
    named = [name for name in names if name in asked]
    if text == asked:
        return "nothing changed"
    if any(name not in text for name in named) or any(match(text, name) for name in names.difference(named)):
        return "other names"
    lost, added = stems(asked) - stems(text), stems(text) - stems(asked) - ASKED_WITH
    if lost:
        return "words lost"
    if kind == "grammar":
        same = sorted(_NUMBER.findall(asked)) == sorted(_NUMBER.findall(text))
        return "" if same and not added else "words added"
    if not LEAST_ADDED <= len(added) <= MOST_ADDED:
        return "no detail, or a long one"
    return "a sentence of its own" if len(list(sentences(text))) > len(list(sentences(asked))) else ""
