"""The material of perturbations from a corpus: its words, their near-synonyms, and irrelevant sentences."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from kgservice.core import keys
from kgservice.core.records import Question
from kgservice.graph.store import Graph
from kgservice.text.english import BASE_VERBS, PREPOSITIONS
from kgservice.text.inflection import base
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder

PAGE, CHUNKS = 1_000, 5_000  # chunks read at a time, and in all; keys are hashes, so these are a random sample
WORDS = 2_000  # the most frequent ones
CANDIDATES = 50  # neighbours of a word (RARE, appendix C.1: max_candidates)
NEAR = 0.68  # least cosine of words that may replace each other
OPPOSITES = (
    "more less", "larger smaller", "higher lower", "earlier later", "first last", "north south east west", "new old",
    "rise fall", "increase decrease", "import export", "buy sell", "open close", "start end", "begin finish",
    "win lose", "before after", "above below", "male female", "man woman", "father mother", "son daughter",
    "brother sister", "husband wife", "birth death", "bear die", "annual monthly weekly daily quarterly",
    "gain loss", "asset liability", "revenue profit income sale cost expense debt deficit surplus margin",
    "public private", "urban rural", "minimum maximum", "borrow lend", "supply demand", "predecessor successor",
    "day week month quarter year decade century", "gross net", "join leave", "found dissolve",
)  # fmt: skip

_WORD = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")
_ASIDE = re.compile(r"[A-Z][\w'’-]*(?: [\w'’,%-]+){5,19}\.")  # one plain sentence of 6 to 20 words
_LEANING = frozenset(  # openings that refer to an earlier sentence
    "it its he his she her they their this that these those such both another other others but and so then also "
    "here there we our however instead one some many most all each yet still neither".split()
)


class CorpusWords:
    """Words and sentences of a corpus. `said`: words that identify a fact, so none of them may replace another."""

    def __init__(self, texts: Iterable[tuple[str, str]], said: Collection[str], embedder: Embedder) -> None:
        counts: Counter[str] = Counter()
        self._asides: dict[str, list[str]] = defaultdict(list)
        for text, domain in texts:
            counts.update(_WORD.findall(text))
            self._asides[domain] += _plain(text)
        self.words = tuple(word for word, _ in sorted(counts.items(), key=lambda known: (-known[1], known[0]))[:WORDS])
        self.all = frozenset(counts)
        self._said = {base(word) for word in said}
        self._embedder = embedder
        self._near: dict[str, tuple[str, ...]] = {}

    def asides(self, domain: str) -> list[str]:
        """Return the distinct plain sentences of a domain, or of all domains if it has none."""
        sentences = self._asides.get(domain) or [sentence for known in self._asides.values() for sentence in known]
        return list(dict.fromkeys(sentences))

    def near(self, word: str) -> tuple[str, ...]:
        """Return the words that may replace one, nearest first: with the same ending, not opposite, not in `said`."""
        if word not in self._near:
            self._near[word] = tuple(self._neighbours(word))
        return self._near[word]

    def _neighbours(self, word: str) -> Iterator[str]:
        cosines = self._vectors @ np.array(self._embedder.embed([word])[0], np.float32)
        order = sorted(range(len(self.words)), key=lambda at: (-cosines[at], at))[:CANDIDATES]
        stem, end = base(word), _end(word)
        for neighbour in (self.words[at] for at in order if cosines[at] >= NEAR):
            other = base(neighbour)
            if other != stem and _end(neighbour) == end and other not in self._said and not _opposite(stem, other):
                yield neighbour

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        return np.array(self._embedder.embed(list(self.words)) or np.zeros((0, self._embedder.dimension)), np.float32)


def corpus_words(graph: Graph, corpus: str, questions: Iterable[Question], embedder: Embedder) -> CorpusWords:
    """Read the words of a corpus. `questions` are its questions, whose words and relations must stay distinct."""
    texts = (
        text for question in questions for text in (question.question, *(fact.relation for fact in question.facts))
    )
    identifying = {word for text in texts for word in re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))}
    return CorpusWords(islice(_texts(graph, corpus), CHUNKS), identifying, embedder)


def _texts(graph: Graph, corpus: str) -> Iterator[tuple[str, str]]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/texts", after=after, until=code + "~", limit=PAGE):
        yield from ((row["text"], row["domain"]) for row in rows)
        after = rows[-1]["key"]


def _plain(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        sentence = text[start:end]
        if _ASIDE.fullmatch(sentence) and sentence.split()[0].lower() not in _LEANING:
            yield sentence


def _end(word: str) -> str:
    """Return the ending that words of the same form share."""
    if word in BASE_VERBS:
        return "verb"
    return next((end for end in ("ing", "ed", "ly", "s") if word.endswith(end) and not word.endswith("ss")), "")


def _opposites() -> Mapping[str, frozenset[str]]:
    groups = [frozenset(group.split()) for group in OPPOSITES]
    return {word: group for group in groups for word in group}


_OPPOSITE = _opposites()


def _opposite(one: str, two: str) -> bool:
    return two in _OPPOSITE.get(one, ()) or one in PREPOSITIONS or two in PREPOSITIONS
