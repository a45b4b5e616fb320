"""Perturbed queries (RARE, section 5.1 and appendix C.1), offline, seeded, each other than the question.

Names, numbers and dates stay as they are, and no word takes the place of one that says which fact is meant: a
perturbed question has the answer of the question.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice

import numpy as np
from rapidfuzz.distance import Levenshtein

from kgservice.core import keys
from kgservice.core.records import Problem, Question, Record
from kgservice.evaluation.rare.corpus_words import CorpusWords
from kgservice.evaluation.rare.rephrase import rephrased
from kgservice.metrics.robustness import QUERIES, QueryKind
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.matching import match
from kgservice.vectors.embedder import Embedder

SHARE = 0.1  # of the characters are mistyped, of the words replaced (C.1); one at least
IN_WORD = 3  # letters of a word for each that is mistyped, so that it can be read
LEAST_TYPED = 0.03  # of the characters: a question with less is as good as typed right
DRIFT = 0.4  # cosine with the question below which a query is no form of it
VARIANTS, GRAMMAR_VARIANTS = 5, 3  # drawn at most, of which one is kept
DRAWS = 40  # until there are so many different ones
PASSING = 0.85  # cosine with the question: the first typo or synonym that has it is kept, else the closest one
SHORTEST = 4  # letters of a word that is changed

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_WORD = re.compile(r"[A-Za-z]+")
_FIXED = frozenset("who what which whom whose when where name every everyone everything that have does".split())
_FUNCTION = _FIXED | BE | AUXILIARIES | PREPOSITIONS | ARTICLES

Draw = Callable[[str, list[tuple[int, int]], random.Random], str]


class Variant(Record):
    """A query as it is asked, its cosine with the question, and of how many candidates it was chosen.

    `changed`: edits a character of the question.
    """

    kind: QueryKind
    text: str
    similarity: float
    candidates: int
    changed: float = 0.0


class Perturber:
    """Perturbs questions with what a corpus has to offer."""

    def __init__(self, corpus: CorpusWords, embedder: Embedder, seed: int = 0) -> None:
        self._corpus, self._embedder, self._seed = corpus, embedder, seed

    def variants(self, question: Question, domain: str) -> tuple[list[Variant], list[Problem]]:
        """Return the question as it is and one query a perturbation, and which ones it does not take."""
        text, names = question.question, names_in(question)
        free = _free(text, names)
        found: dict[QueryKind, list[str]] = {
            "original": [text],
            "characters": self._drawn(question, free, self._mistyped, "characters"),
            "words": self._drawn(question, free, self._other_words, "words"),
            "grammar": list(islice(rephrased(text, names), GRAMMAR_VARIANTS)),
            "irrelevant": self._with_asides(question, domain),
        }
        cosines = self._cosines(text, [one for texts in found.values() for one in texts])
        kept, lacking = list[Variant](), list[Problem]()
        for kind in QUERIES:
            made = _chosen(kind, found[kind], cosines, text) if found[kind] else None
            if made is not None and not (fault := _fault(made)):
                kept.append(made)
                continue
            reason = f"query takes no perturbation: {kind}" if made is None else fault
            lacking.append(Problem(source=question.id, state="rejected", reason=reason))
        return kept, lacking

    def _cosines(self, text: str, candidates: list[str]) -> dict[str, float]:
        """The cosines of all candidates with the question, whose vectors are made at once."""
        each = list(dict.fromkeys((text, *candidates)))
        vectors = np.array(self._embedder.embed(each))
        return dict(zip(each, (vectors @ vectors[0]).tolist(), strict=True))

    def _drawn(self, question: Question, free: list[tuple[int, int]], draw: Draw, kind: str) -> list[str]:
        rng = self._random(question, kind)
        made = (draw(question.question, free, rng) for _ in range(DRAWS if free else 0))
        return list(islice(dict.fromkeys(text for text in made if text != question.question), VARIANTS))

    def _mistyped(self, text: str, free: list[tuple[int, int]], rng: random.Random) -> str:
        """Strike a neighbouring key, or miss one, at a tenth of the characters; never so that a word comes out."""
        left = max(1, round(SHARE * len(text)))
        typed = dict.fromkeys(free, 0)
        able = [span for span in free for _ in range(max(1, (span[1] - span[0]) // IN_WORD))]
        for span in rng.sample(able, min(left, len(able))):
            typed[span] += 1
        for (start, end), number in sorted(typed.items(), reverse=True):
            word = _typed(text[start:end], number, rng)
            if word.lower() not in self._corpus.all:
                text = text[:start] + word + text[end:]
        return text

    def _other_words(self, text: str, free: list[tuple[int, int]], rng: random.Random) -> str:
        """Put a neighbour in the embedding space in the place of a tenth of the words."""
        able = [span for span in free if self._corpus.near(text[slice(*span)])]
        for start, end in sorted(_some(able, text, rng), reverse=True):
            text = text[:start] + rng.choice(self._corpus.near(text[start:end])[:VARIANTS]) + text[end:]
        return text

    def _with_asides(self, question: Question, domain: str) -> list[str]:
        """The question after a sentence of its domain that has nothing of its facts and not the answer."""
        labels = {label for fact in question.facts for label in (fact.subject, fact.object)}
        words = {word.lower() for label in labels for word in _WORD.findall(label) if len(word) >= SHORTEST}
        asides = self._corpus.asides(domain)
        rng, found = self._random(question, "irrelevant"), list[str]()
        for aside in rng.sample(asides, min(len(asides), DRAWS)):
            apart = words.isdisjoint(_WORD.findall(aside.lower())) and not any(match(aside, one) for one in labels)
            if apart and len(found) < VARIANTS:
                found.append(f"{aside} {question.question}")
        return found

    def _random(self, question: Question, kind: str) -> random.Random:
        return random.Random(keys.digest(20, self._seed, question.id, question.question, kind))


def _chosen(kind: QueryKind, candidates: list[str], cosines: Mapping[str, float], text: str) -> Variant:
    """The closest candidate, of typos and synonyms the first that is close enough."""
    best = max(candidates, key=lambda one: cosines[one])
    if kind in ("characters", "words"):
        best = next((one for one in candidates if cosines[one] >= PASSING), best)
    changed = round(Levenshtein.distance(text, best) / (len(text) or 1), 4)
    return Variant(
        kind=kind, text=best, similarity=round(cosines[best], 4), candidates=len(candidates), changed=changed
    )


def _fault(made: Variant) -> str:
    """Why a query is no form of the question, or none that differs, "" if it is fine."""
    if made.similarity < DRIFT:
        return f"query drifts from the question: {made.kind}"
    return "query has too few typos" if made.kind == "characters" and made.changed < LEAST_TYPED else ""


def names_in(question: Question) -> tuple[str, ...]:
    """Return the ends of the question's facts that its text names."""
    labels = {label for fact in question.facts for label in (fact.subject, fact.object)}
    return tuple(sorted(label for label in labels if label in question.question))


def _free(text: str, names: Collection[str]) -> list[tuple[int, int]]:
    """The words that may be changed: no part of a name, no function word, in lower case, of four letters at least."""
    taken = [found.span() for name in names for found in re.finditer(re.escape(name), text)]
    return [span for span in _plain_words(text) if not any(span[0] < end and start < span[1] for start, end in taken)]


def _plain_words(text: str) -> Iterator[tuple[int, int]]:
    for found in re.finditer(r"(?<![\w'’-])[a-z]+(?![\w'’-])", text):
        if len(found[0]) >= SHORTEST and found[0] not in _FUNCTION:
            yield found.span()


def _some(free: list[tuple[int, int]], text: str, rng: random.Random) -> list[tuple[int, int]]:
    return rng.sample(free, min(len(free), max(1, round(SHARE * len(text.split())))))


def _typed(word: str, number: int, rng: random.Random) -> str:
    """A word with so many letters struck wrongly, or missed; people get the first one right."""
    for at in sorted(rng.sample(range(1, len(word)), number), reverse=True):
        word = word[:at] + ("" if rng.random() < 0.5 else rng.choice(_beside(word[at]))) + word[at + 1 :]
    return word


def _beside(sign: str) -> str:
    """The keys beside one on a QWERTY keyboard, in its row and the rows next to it."""
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
