"""Perturbed passages (RARE, section 5.2 and appendix C.2), each checked for the answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from rapidfuzz.distance import LCSseq

from kgservice.core.records import Problem, Question, Record
from kgservice.evaluation.rare.rewording import Rewording
from kgservice.graph.contexts import Context
from kgservice.metrics.robustness import PassageKind
from kgservice.text.matching import match
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder, passage

LEAST = 0.25  # of the words of passages that a model rewords change
DRIFT = 0.7  # cosine with the ground truth below which reworded passages say something else
PART = 20  # characters of a statement that count as it, where sentences are cut in another way

Made = Literal["ground truth", "reworded", "answer deleted"]


class PassageSet(Record):
    """What a question is to be answered from, its cosine with the ground truth, and the share of its words changed.

    Both are means over the passages.
    """

    kind: PassageKind
    texts: tuple[str, ...]
    similarity: float
    changed: float = 0.0


class PassagePerturber:
    """Perturbs the ground truth of questions; retrieval, the third perturbation, is not made but done."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._rewording = embedder, Rewording()
        self._true: dict[str, list[float]] = {}  # vectors of chunks, which many questions share

    def variants(
        self, question: Question, gold: Sequence[Context], back: Mapping[str, str] | None = None
    ) -> tuple[list[PassageSet], list[Problem]]:
        """Return the ground truth and what it was made into, and why something else could not be made of it.

        Without the ground truth's answer nothing can be measured: then there are none at all. `back` has passages in a
        model's words; None: rules reword.
        """
        true = tuple(passage(one.title, one.text) for one in gold)
        if lacking := _absent(true, question):
            return [], [self._problem(question, "the passages do not have the answer", lacking)]
        names = {label for fact in question.facts for label in (fact.subject, fact.object)}
        made: dict[Made, tuple[str, ...]] = {
            "ground truth": true,
            "reworded": tuple(
                self._rewording.reworded(text, names) if back is None else back.get(text, "") for text in true
            ),
            "answer deleted": tuple(passage(*without_answer(one, question)) for one in gold),
        }
        kept, problems = list[PassageSet](), list[Problem]()
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

    def _similarity(self, texts: tuple[str, ...], true: tuple[str, ...]) -> float:
        if texts == true:
            return 1.0
        pairs = [(new, old) for new, old in zip(texts, true, strict=True) if new.strip()]
        if unseen := [old for _, old in pairs if old not in self._true]:
            self._true = dict(zip(unseen, self._embedder.embed(unseen), strict=True)) | self._true
        made = self._embedder.embed([new for new, _ in pairs])
        cosines = [float(np.dot(one, self._true[old])) for one, (_, old) in zip(made, pairs, strict=True)]
        return round(fmean(cosines), 4)

    def _problem(self, question: Question, reason: str, detail: str = "") -> Problem:
        return Problem(source=question.id, state="rejected", reason=reason, detail=detail)


def changed(texts: Sequence[str], true: Sequence[str]) -> float:
    """Return the share of words that are not where they were, the mean over the passages."""
    pairs = [(new.split(), old.split()) for new, old in zip(texts, true, strict=True) if old.strip()]
    same = [LCSseq.similarity(new, old) / max(len(new), len(old)) for new, old in pairs]
    return round(1 - fmean(same), 4) if same else 0.0


def without_answer(one: Context, question: Question) -> tuple[str, str]:
    """Return title and text without the sentences that state the answer's facts, nor any other that has the answer."""
    stated = {
        " ".join(source.sentence.split())
        for fact in question.facts
        for source in fact.statements
        if source.chunk == one.chunk and source.sentence and {fact.subject, fact.object} & {*question.answers}
    }
    kept, upto = list[str](), 0
    for start, end in sentences(one.text):
        if not _tells(one.text[start:end], stated, question.answers):
            kept.append(one.text[upto:end])
        upto = end
    title = "" if any(match(one.title, answer) for answer in question.answers) else one.title
    return title, "".join(kept).strip()


def _tells(sentence: str, stated: Collection[str], answers: Sequence[str]) -> bool:
    flat = " ".join(sentence.split())
    if any(told in flat or (flat in told and len(flat) >= PART) for told in stated):
        return True
    return any(match(sentence, answer) for answer in answers)


def _absent(texts: Sequence[str], question: Question) -> str:
    """The answer that no passage has, "" if all are there."""
    whole = "\n".join(texts)
    return next((answer for answer in question.answers if not _has(whole, answer)), "")


def _has(whole: str, answer: str) -> bool:
    """Whether a text has an answer: by value where it is one, or letter for letter."""
    literal = rf"(?<![\w.,]){re.escape(answer)}(?!\w|[.,]\d)"
    return bool(match(whole, answer)) or re.search(literal, whole) is not None


def _fault(kind: Made, texts: tuple[str, ...], true: tuple[str, ...], question: Question) -> str:
    """Why passages are not what they should be, "" if they are."""
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
        return "the answer stays in other words" if any(_has(whole, one) for one in question.answers) else ""
    return ""


def _bounded(made: PassageSet, least: float) -> str:
    """Why reworded passages changed too little or too much, "" if they did neither."""
    if made.kind != "reworded":
        return ""
    if made.changed < least:
        return f"reworded passages changed too little (under {least:.0%} of the words)"
    return f"reworded passages drifted (cosine under {DRIFT})" if made.similarity < DRIFT else ""
