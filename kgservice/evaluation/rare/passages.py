"""Perturbed passages (RARE, section 5.2 and appendix C.2), each checked for the answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq

from kgservice.core.errors import LLMFailure
from kgservice.core.records import Problem, Question, Record
from kgservice.evaluation.rare.rewording import Rewording
from kgservice.graph.contexts import Context
from kgservice.metrics.robustness import PassageKind
from kgservice.text.matching import match
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder, passage

LEAST = 0.25  # least share of changed words in passages that a model rewords
DRIFT = 0.7  # least cosine of reworded passages with the ground truth
PART = 20  # least characters of a part of a statement that counts as it, if sentences are split differently

Made = Literal["ground truth", "reworded", "answer deleted"]


class PassageSet(Record):
    """The passages of a question, their cosine with the ground truth, and their share of changed words.

    Both numbers are means over the passages.
    """

    kind: PassageKind
    texts: tuple[str, ...]
    similarity: float
    changed: float = 0.0


class PassagePerturber:
    """Perturbations of the ground truth. The third one, retrieval, is done by the retriever."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._rewording = embedder, Rewording()
        self._true: dict[str, list[float]] = {}  # vectors of chunks, which many questions share

    def variants(
        self, question: Question, gold: Sequence[Context], back: Mapping[str, str | LLMFailure] | None = None
    ) -> tuple[list[PassageSet], list[Problem]]:
        """Return the ground truth with its perturbations, and the problems of those that failed.

        Without the answer in the ground truth nothing can be measured, and no set is returned. `back` maps passages to
        a model's paraphrases, or to its failures. None: rules reword.
        """
        true = tuple(passage(context.title, context.text) for context in gold)
        if lacking := _absent(true, question):
            return [], [self._problem(question, "the passages do not have the answer", lacking)]
        made: dict[Made, tuple[str, ...]] = {
            "ground truth": true,
            "reworded": self._reworded(true, question, back),
            "answer deleted": tuple(passage(*without_answer(context, question)) for context in gold),
        }
        kept, problems = list[PassageSet](), list[Problem]()
        if failed := [one for text in true if isinstance(one := (back or {}).get(text), LLMFailure)]:
            del made["reworded"]
            told, detail = f"translator: {failed[0].reason}", failed[0].detail
            problems.append(Problem(source=question.id, state="failed", reason=told, detail=detail))
        for kind, texts in made.items():
            reason = _fault(kind, texts, true, question)
            if not reason:
                passages = PassageSet(
                    kind=kind, texts=texts, similarity=self._similarity(texts, true), changed=changed(texts, true)
                )
                reason = _bounded(passages, 0.0 if back is None else LEAST)
            if reason:
                problems.append(self._problem(question, reason))
            else:
                kept.append(passages)
        return kept, problems

    def _reworded(
        self, true: Sequence[str], question: Question, back: Mapping[str, str | LLMFailure] | None
    ) -> tuple[str, ...]:
        if back is not None:
            return tuple(one if isinstance(one := back.get(text, ""), str) else "" for text in true)
        names = {label for fact in question.facts for label in (fact.subject, fact.object)}
        return tuple(self._rewording.reworded(text, names) for text in true)

    def _similarity(self, texts: tuple[str, ...], true: tuple[str, ...]) -> float:
        if texts == true:
            return 1.0
        pairs = [(new, old) for new, old in zip(texts, true, strict=True) if new.strip()]
        if unseen := [old for _, old in pairs if old not in self._true]:
            self._true = dict(zip(unseen, self._embedder.embed(unseen), strict=True)) | self._true
        made = self._embedder.embed([new for new, _ in pairs])
        cosines = [float(np.dot(vector, self._true[old])) for vector, (_, old) in zip(made, pairs, strict=True)]
        return round(fmean(cosines), 4)

    def _problem(self, question: Question, reason: str, detail: str = "") -> Problem:
        return Problem(source=question.id, state="rejected", reason=reason, detail=detail)


def changed(texts: Sequence[str], true: Sequence[str]) -> float:
    """Return the share of words that moved or changed, the mean over the passages."""
    pairs = [(new.split(), old.split()) for new, old in zip(texts, true, strict=True) if old.strip()]
    same = [LCSseq.similarity(new, old) / max(len(new), len(old)) for new, old in pairs]
    return round(1 - fmean(same), 4) if same else 0.0


def without_answer(context: Context, question: Question) -> tuple[str, str]:
    """Return title and text without the sentences that state the answer's facts or contain the answer."""
    stated = {
        " ".join(source.sentence.split())
        for fact in question.facts
        for source in fact.statements
        if source.chunk == context.chunk and source.sentence and {fact.subject, fact.object} & {*question.answers}
    }
    kept, upto = list[str](), 0
    for start, end in sentences(context.text):
        if not _tells(context.text[start:end], stated, question.answers):
            kept.append(context.text[upto:end])
        upto = end
    title = "" if any(match(context.title, answer) for answer in question.answers) else context.title
    return title, "".join(kept).strip()


def _tells(sentence: str, stated: Collection[str], answers: Sequence[str]) -> bool:
    flat = " ".join(sentence.split())
    if any(statement in flat or (flat in statement and len(flat) >= PART) for statement in stated):
        return True
    return any(match(sentence, answer) for answer in answers)


def _absent(texts: Sequence[str], question: Question) -> str:
    """Return the first answer that no passage has, "" if all are present."""
    whole = "\n".join(texts)
    return next((answer for answer in question.answers if not _has(whole, answer)), "")


def _has(whole: str, answer: str) -> bool:
    """Return whether a text has an answer, by value or literally."""
    literal = rf"(?<![\w.,]){re.escape(answer)}(?!\w|[.,]\d)"
    return bool(match(whole, answer)) or re.search(literal, whole) is not None


def _fault(kind: Made, texts: tuple[str, ...], true: tuple[str, ...], question: Question) -> str:
    """Return the reason why passages are invalid for their kind, or an empty string."""
    whole = "\n".join(texts)
    if kind == "reworded":
        if not all(texts):
            return "passages were not translated"
        if texts == true:
            return "passages take no perturbation: reworded"
        return "reworded passages lost the answer" if _absent(texts, question) else ""
    if kind == "answer deleted":
        if not whole.strip():
            return "nothing is left without the answer"
        return "the answer stays in other words" if any(_has(whole, answer) for answer in question.answers) else ""
    return ""


def _bounded(made: PassageSet, least: float) -> str:
    """Return why reworded passages changed too little or too much, or an empty string."""
    if made.kind != "reworded":
        return ""
    if made.changed < least:
        return f"reworded passages changed too little (under {least:.0%} of the words)"
    return f"reworded passages drifted (cosine under {DRIFT})" if made.similarity < DRIFT else ""
