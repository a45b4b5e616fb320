"""The link stage for `--link wikidata`: names in triplets and mentions become items of the index, or stay names.

The meaning of a name depends on its chunk, its document's title and the index alone, not on the order of loads or the
rest of the corpus. Ends of facts are looked up in every way, other mentions by exact form only.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple, Self, TypeAlias

from pydantic import BaseModel

from kgservice.core import keys
from kgservice.core.errors import LLMFailure
from kgservice.core.records import StatedChunk, StatedDocument
from kgservice.linking.candidate_score import ScoredCandidate, Sought, contending, prospects, ranked, read, weights
from kgservice.linking.candidates import Candidates, ItemCandidate
from kgservice.linking.llm_choice import Choice, choice_prompt, chosen_candidate
from kgservice.linking.relation_properties import Properties
from kgservice.linking.rewrite import ChunkMeanings, linkable, rewritten
from kgservice.linking.wikidata_index import IndexedItem, Wikidata
from kgservice.llm.client import LLM, Ask, gather
from kgservice.names.mentions import BRACKET, places
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder

AROUND = 150  # characters on each side of a name in a long sentence
BESIDE = 20  # names of a chunk that are context of another one
LIKELY = 0.3  # least probability of a property that is context of its ends
DOUBT = (0.03, 0.97)  # between these probabilities a model decides, if one is configured

_Answer: TypeAlias = BaseModel | LLMFailure


class _Place(NamedTuple):
    """A name in a chunk, `label`, decided there once for each type. `sought` has it without a title's bracket.

    `wide` for an end of a fact. `alone`: it occurs outside longer names that the index has. `found`: its candidates.
    """

    label: str
    unit: str
    title: str
    sought: Sought
    wide: bool
    relation: str = ""
    alone: bool = True
    found: tuple[ItemCandidate, ...] = ()


class WikidataLinker:
    """The linker of triplets and mentions, a context manager.

    `counts`: names by result. `llm`: the model for doubts.
    """

    def __init__(self, index: Wikidata, embedder: Embedder, llm: LLM | None = None) -> None:
        self.index, self.llm, self.counts = index, llm, Counter[str]()
        self._candidates = Candidates(index, embedder)
        self._properties = Properties(index, self._candidates)

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner()
        return self

    def __exit__(self, *_: object) -> None:
        if self.llm:
            self._runner.run(self.llm.close())
        self._runner.close()

    @property
    def name(self) -> str:
        """Return the identity of the linker, a part of every document's content hash."""
        by = f" by {self.llm.model}" if self.llm else ""
        return f"{self.index.fingerprint} {self._candidates.by} {keys.digest(6, weights().model_dump(mode='json'))}{by}"

    def link(self, stated: Sequence[StatedDocument]) -> list[StatedDocument]:
        """Return the documents with linked statements and mentions."""
        names = [self._named(document, chunk) for document in stated for chunk in document.chunks]
        self._candidates.look_up(
            (place.sought.name, place.wide) for several in names for place in several if place.alone
        )
        self._properties.learn(
            one.said or one.relation for stated_ in stated for chunk in stated_.chunks for one in chunk.statements
        )
        places = [[self._searched(place, several) for place in several] for several in names]
        decided = iter(self._decided([place for several in places for place in several]))
        meant = iter([{_key(place): next(decided) for place in several} for several in places])
        return [self._document(document, [next(meant) for _ in document.chunks]) for document in stated]

    def _named(self, document: StatedDocument, chunk: StatedChunk) -> list[_Place]:
        """Return the names of a chunk, ends of facts first, each at its first place, once for each type."""
        title, text = document.document.title, chunk.chunk.text
        unit = f"{document.document.source} chunk {chunk.chunk.index + 1}"
        names: dict[tuple[str, str | None], _Place] = {}
        for one in chunk.statements:
            for end, subject in ((one.subject, True), (one.object, False)):
                if linkable(end):
                    sought = Sought(*_told(end.label, one.sentence or text[: 2 * AROUND]), end.type, subject=subject)
                    fact_end = _Place(end.label, unit, title, sought, True, one.said or one.relation)
                    names.setdefault((end.label, end.type), fact_end)
        stated = {label for label, _ in names}
        spans, standing = sentences(text), self._standing(text)
        for named in chunk.mentions:
            label = named.entity.label
            if linkable(named.entity) and label not in stated:
                surface = " ".join(text[named.start : named.end].split())
                place = 0 if named.start is None else standing.get(surface, standing.get(label))
                sought = Sought(*_told(label, "" if place is None else _around(text, spans, place)))
                names.setdefault((label, None), _Place(label, unit, title, sought, False, alone=place is not None))
        return list(names.values())

    def _standing(self, text: str) -> dict[str, int]:
        """Return the first place of each name outside longer names that the index has."""
        first: dict[str, int] = {}
        mentions = places(text)
        longer = [one for one in mentions if " " in one.label and self._candidates.exact(one.label)]
        for one in mentions:
            size = one.end - one.start
            if not any(of.start <= one.start and one.end <= of.end and of.end - of.start > size for of in longer):
                first.setdefault(one.label, one.start)
        return first

    def _searched(self, place: _Place, several: Sequence[_Place]) -> _Place:
        """Return a place with its candidates, its property and the items of the names beside it."""
        if not place.alone:
            return place
        others = sorted({other.sought.name for other in several if other.alone} - {place.sought.name})[:BESIDE]
        beside = tuple(sorted({item for name in others for item in self._candidates.exact(name)}))
        meant = self._properties.of(place.relation) if place.relation else None
        likely = -meant.property.number if meant and meant.probability >= LIKELY else 0
        candidates = tuple(self._candidates.of(place.sought.name, wide=place.wide))
        return place._replace(sought=place.sought._replace(beside=beside, property=likely), found=candidates)

    def _decided(self, places: Sequence[_Place]) -> list[IndexedItem | LLMFailure | None]:
        """Return the meaning of each name: the most probable candidate, a model's choice if in doubt, or None."""
        least = weights().threshold
        doubts = [DOUBT if self.llm and place.wide else (least, least) for place in places]
        contenders = [
            contending(prospects(place.sought, place.found, self.index), doubt)
            for place, doubt in zip(places, doubts, strict=True)
        ]
        self._candidates.learn(
            text for place, some in zip(places, contenders, strict=True) for text in read(place.sought, some)
        )
        scored = [ranked(place.sought, some, self._candidates) for place, some in zip(places, contenders, strict=True)]
        asks = {
            at: choice_prompt(place.sought, place.title, ranking, self.index, place.unit)
            for at, (place, ranking, doubt) in enumerate(zip(places, scored, doubts, strict=True))
            if ranking and doubt[0] < ranking[0].probability < doubt[1]
        }
        answers = dict(zip(asks, self._runner.run(self._answers(list(asks.values()))), strict=True)) if asks else {}
        return [self._chosen(place, scored[at], answers.get(at)) for at, place in enumerate(places)]

    async def _answers(self, asks: Sequence[Ask]) -> list[_Answer]:
        answers: AsyncIterator[_Answer] = gather(self.llm, asks)  # type: ignore[arg-type]
        return [answer async for answer in answers]

    def _chosen(
        self, place: _Place, candidates: Sequence[ScoredCandidate], answer: _Answer | None
    ) -> IndexedItem | LLMFailure | None:
        """Return the meaning of a name, and count the result."""
        best, state = candidates[0] if candidates else None, "linked"
        if best is None:
            state = "none likely enough" if place.found else "no candidate" if place.alone else "part of a longer name"
        elif isinstance(answer, Choice):
            best = chosen_candidate(candidates, answer)
            state = "linked" if best else "none, says the model"
        elif isinstance(answer, LLMFailure):
            state = f"model failed: {answer.reason}"
        elif best.probability < weights().threshold:
            best, state = None, "none likely enough"
        self.counts[state] += 1
        return answer if isinstance(answer, LLMFailure) else best.candidate.item if best else None

    def _document(
        self, document: StatedDocument, meant: Sequence[dict[tuple[str, str | None], IndexedItem | LLMFailure | None]]
    ) -> StatedDocument:
        """Return a document with rewritten chunks.

        Its content hash changes if a model failed, so the next load links it again.
        """
        chunks = []
        for chunk, names in zip(document.chunks, meant, strict=True):
            items = {name: item for name, item in names.items() if isinstance(item, IndexedItem)}
            chunks.append(rewritten(chunk, ChunkMeanings(items, self._property, self.index)))
        failed = any(isinstance(item, LLMFailure) for names in meant for item in names.values())
        content = keys.digest(20, document.content_hash, "links in part") if failed else document.content_hash
        return document.model_copy(update={"chunks": tuple(chunks), "content_hash": content})

    def _property(self, relation: str) -> IndexedItem | None:
        meant = self._properties.of(relation)
        return meant.property if meant and meant.probability >= weights().relation_threshold else None


def _key(place: _Place) -> tuple[str, str | None]:
    return place.label, place.sought.type


def _told(label: str, sentence: str) -> tuple[str, str]:
    """Return a name without its title's bracket, and the sentence, prefixed with the whole name if it had one."""
    bare = BRACKET.sub("", label)
    return (bare, f"{label}: {sentence}") if bare and bare != label else (label, sentence)


def _around(text: str, spans: Sequence[tuple[int, int]], place: int) -> str:
    """Return the sentence at a place, or the part of a long sentence around it. So names in a sentence share a text."""
    start, end = next((span for span in spans if place < span[1]), (0, len(text)))
    return text[start:end] if end - start <= 2 * AROUND else text[max(0, place - AROUND) : place + AROUND]
