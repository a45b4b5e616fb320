"""Perturbed queries (RARE, section 5.1 and appendix C.1), offline, seeded, all different from the question.

Names, numbers and dates do not change, and no word is replaced by one that identifies a fact. So a perturbed question
has the same answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice

import numpy as np
from rapidfuzz.distance import Levenshtein

from kgservice.core import keys
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Problem, Question, Record
from kgservice.evaluation.rare.corpus_words import CorpusWords
from kgservice.evaluation.rare.model_queries import Written
from kgservice.evaluation.rare.rephrase import rephrased
from kgservice.metrics.robustness import QUERIES, QueryKind
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.matching import match
from kgservice.vectors.embedder import Embedder

SHARE = 0.1  # share of characters mistyped or of words replaced (C.1), at least one
IN_WORD = 3  # letters of a word for each typo, so that it stays readable
LEAST_TYPED = 0.03  # least share of mistyped characters
DRIFT = 0.4  # least cosine of a query with the question
VARIANTS, GRAMMAR_VARIANTS = 5, 3  # most candidates drawn, of which one is kept
DRAWS = 40  # most draws for that many different candidates
PASSING = 0.85  # cosine with the question from which the first candidate is kept, else the closest one
SHORTEST = 4  # letters of a word that may change

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(r"[A-Za-z]+")
_FIXED = frozenset("who what which whom whose when where name every everyone everything that have does".split())
_OPENING = ARTICLES | PREPOSITIONS | frozenset("all both each few many most no one several some there two".split())
_FUNCTION = _FIXED | BE | AUXILIARIES | PREPOSITIONS | ARTICLES

Draw = Callable[[str, list[tuple[int, int]], random.Random], str]


class Variant(Record):
    """A query, its cosine with the question, and the number of candidates it was selected from.

    `changed`: edits a character of the longer of the two.
    """

    kind: QueryKind
    text: str
    similarity: float
    candidates: int
    changed: float = 0.0


class Perturber:
    """Perturbations of questions with the words and sentences of a corpus."""

    def __init__(self, corpus: CorpusWords, embedder: Embedder, seed: int = 0) -> None:
        self._corpus, self._embedder, self._seed = corpus, embedder, seed

    def variants(
        self, question: Question, domain: str, written: Written | None = None
    ) -> tuple[list[Variant], list[Problem]]:
        """Return the question itself and one query a perturbation, and the problems of those that failed.

        `written`: a model's queries, in place of those by rules.
        """
        text, names = question.question, names_in(question)
        free = _free(text, names)
        candidates: dict[QueryKind, list[str]] = {
            "original": [text],
            "characters": self._drawn(question, free, self._mistyped, "characters"),
            "words": self._drawn(question, free, self._other_words, "words"),
            "grammar": list(islice(rephrased(text, names), GRAMMAR_VARIANTS)) if written is None else [],
            "irrelevant": self._with_asides(question, domain) if written is None else [],
        }
        failed = {kind: one for kind, one in (written or {}).items() if isinstance(one, LLMFailure)}
        candidates |= {kind: [*one] for kind, one in (written or {}).items() if not isinstance(one, LLMFailure)}
        cosines = self._cosines(text, [candidate for texts in candidates.values() for candidate in texts])
        kept, lacking = list[Variant](), list[Problem]()
        for kind in QUERIES:
            if kind in failed:
                told, detail = f"writer: {failed[kind].reason}", failed[kind].detail
                lacking.append(Problem(source=question.id, state="failed", reason=told, detail=detail))
                continue
            made = _chosen(kind, candidates[kind], cosines, text) if candidates[kind] else None
            if made is not None and not (fault := _fault(made)):
                kept.append(made)
                continue
            reason = f"query takes no perturbation: {kind}" if made is None else fault
            lacking.append(Problem(source=question.id, state="rejected", reason=reason))
        return kept, lacking

    def _cosines(self, text: str, candidates: list[str]) -> dict[str, float]:
        """Return the cosine of each candidate with the question. All vectors are made in one batch."""
        each = list(dict.fromkeys((text, *candidates)))
        vectors = np.array(self._embedder.embed(each))
        return dict(zip(each, (vectors @ vectors[0]).tolist(), strict=True))

    def _drawn(self, question: Question, free: list[tuple[int, int]], draw: Draw, kind: str) -> list[str]:
        rng = self._random(question, kind)
        made = (draw(question.question, free, rng) for _ in range(DRAWS if free else 0))
        return list(islice(dict.fromkeys(text for text in made if text != question.question), VARIANTS))

    def _mistyped(self, text: str, free: list[tuple[int, int]], rng: random.Random) -> str:
        """Return the text with a neighbouring or a missing key at a tenth of the characters.

        No typo makes another word.
        """
        typos = max(1, round(SHARE * len(text)))
        typed = dict.fromkeys(free, 0)
        able = [span for span in free for _ in range(max(1, (span[1] - span[0]) // IN_WORD))]
        for span in rng.sample(able, min(typos, len(able))):
            typed[span] += 1
        for (start, end), number in sorted(typed.items(), reverse=True):
            word = _typed(text[start:end], number, rng)
            if word.lower() not in self._corpus.all:
                text = text[:start] + word + text[end:]
        return text

    def _other_words(self, text: str, free: list[tuple[int, int]], rng: random.Random) -> str:
        """Return the text with a tenth of the words replaced by neighbours in the embedding space."""
        able = [span for span in free if self._corpus.near(text[slice(*span)])]
        for start, end in sorted(_some(able, text, rng), reverse=True):
            text = text[:start] + rng.choice(self._corpus.near(text[start:end])[:VARIANTS]) + text[end:]
        return text

    def _with_asides(self, question: Question, domain: str) -> list[str]:
        """Return the question with a sentence of its domain as a clause, without words of its facts or the answer."""
        labels = {label for fact in question.facts for label in (fact.subject, fact.object)}
        words = {word.lower() for label in labels for word in _WORD.findall(label) if len(word) >= SHORTEST}
        asides = self._corpus.asides(domain)
        rng, texts = self._random(question, "irrelevant"), list[str]()
        for aside in rng.sample(asides, min(len(asides), DRAWS)):
            apart = words.isdisjoint(_WORD.findall(aside.lower())) and not any(match(aside, one) for one in labels)
            if apart and len(texts) < VARIANTS:
                texts.append(_woven(question.question, aside))
        return texts

    def _random(self, question: Question, kind: str) -> random.Random:
        return random.Random(keys.digest(20, self._seed, question.id, question.question, kind))


def _woven(question: str, aside: str) -> str:
    """Return the question with a sentence as its last clause: "Who leads Acme, given that the harbour was widened?"."""
    body, end = (question[:-1], question[-1]) if question[-1:] in ("?", ".") else (question, "?")
    first, _, rest = aside.rstrip(" .!?").partition(" ")
    clause = f"{first.lower() if first.lower() in _OPENING else first} {rest}"
    return f"{body}, given that {clause}{end}"


def _chosen(kind: QueryKind, candidates: list[str], cosines: Mapping[str, float], text: str) -> Variant:
    """Return the closest candidate, or for typos and synonyms the first one close enough."""
    best = max(candidates, key=lambda candidate: cosines[candidate])
    if kind in ("characters", "words"):
        best = next((candidate for candidate in candidates if cosines[candidate] >= PASSING), best)
    changed = round(Levenshtein.normalized_distance(text, best), 4)
    return Variant(
        kind=kind, text=best, similarity=round(cosines[best], 4), candidates=len(candidates), changed=changed
    )


def _fault(made: Variant) -> str:
    """Return why a query drifted or differs too little, or an empty string."""
    if made.similarity < DRIFT:
        return f"query drifts from the question: {made.kind}"
    return "query has too few typos" if made.kind == "characters" and made.changed < LEAST_TYPED else ""


def names_in(question: Question) -> tuple[str, ...]:
    """Return the ends of the question's facts that its text names."""
    labels = {label for fact in question.facts for label in (fact.subject, fact.object)}
    return tuple(sorted(label for label in labels if label in question.question))


def _free(text: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Return the spans of words that may change: lower-case, four letters or more, no name and no function word."""
    taken = [name_span.span() for name in names for name_span in re.finditer(re.escape(name), text)]
    return [span for span in _plain_words(text) if not any(span[0] < end and start < span[1] for start, end in taken)]


def _plain_words(text: str) -> Iterator[tuple[int, int]]:
    for word in re.finditer(r"(?<![\w'’-])[a-z]+(?![\w'’-])", text):
        if len(word[0]) >= SHORTEST and word[0] not in _FUNCTION:
            yield word.span()


def _some(free: list[tuple[int, int]], text: str, rng: random.Random) -> list[tuple[int, int]]:
    return rng.sample(free, min(len(free), max(1, round(SHARE * len(text.split())))))


def _typed(word: str, number: int, rng: random.Random) -> str:
    """Return a word with so many wrong or missing letters. The first letter stays, as people type it right."""
    for at in sorted(rng.sample(range(1, len(word)), number), reverse=True):
        word = word[:at] + ("" if rng.random() < 0.5 else rng.choice(_beside(word[at]))) + word[at + 1 :]
    return word


def _beside(sign: str) -> str:
    """Return the keys next to one on a QWERTY keyboard, in its row and the adjacent rows."""
    row, place = next((row, keys_.index(sign)) for row, keys_ in enumerate(_KEYS) if sign in keys_)
    around = [
        (row, place - 1),
        (row, place + 1),
        (row - 1, place),
        (row - 1, place + 1),
        (row + 1, place - 1),
        (row + 1, place),
    ]
    return "".join(_KEYS[at][to] for at, to in around if 0 <= at < len(_KEYS) and 0 <= to < len(_KEYS[at]))
