"""The seeded corpus that every writer stores: stated documents with few hubs and many rare entities, and vectors."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise

from kgservice.core.records import Chunk, Document, StatedChunk, StatedDocument, Term, Triplet
from kgservice.names.local_entities import link

RELATIONS = 40
DIMENSION = 384
CHUNKS_A_DOCUMENT = 5
CLASSES = ("company", "person", "place", "product", None)


@dataclass(frozen=True)
class Workload:
    """Stated documents, and a vector a chunk in the order of documents and chunks."""

    documents: tuple[StatedDocument, ...]
    vectors: tuple[list[float], ...]


def workload(facts: int, entities: int, chunks: int, seed: int = 0) -> Workload:
    """Make `facts` different facts over exactly `entities` entities, each stated once, in `chunks` chunks."""
    rng = random.Random(seed)
    triplets = _triplets(facts, [_term(index) for index in range(entities)], rng)
    bounds = [facts * index // chunks for index in range(chunks + 1)]
    cut = [triplets[start:end] for start, end in pairwise(bounds)]
    documents = [
        _document(number, cut[start : start + CHUNKS_A_DOCUMENT])
        for number, start in enumerate(range(0, chunks, CHUNKS_A_DOCUMENT))
    ]
    return Workload(tuple(documents), tuple([rng.gauss(0.0, 0.05) for _ in range(DIMENSION)] for _ in range(chunks)))


def _term(index: int) -> Term:
    if index % 20 == 19:
        return Term(label=f"{index}.5 kg", kind="number", value=index + 0.5, unit="kg")
    return Term(label=f"Entity {index:05d}", kind="entity", type=CLASSES[index % len(CLASSES)])


def _triplets(count: int, terms: list[Term], rng: random.Random) -> list[Triplet]:
    """Every term is a subject once; all other ends are drawn by Zipf's law (exponent 0.8) over a shuffled order."""
    ranked = rng.sample(range(len(terms)), len(terms))
    weights = list(accumulate((rank + 1) ** -0.8 for rank in range(len(terms))))
    found: dict[tuple[int, int, int], Triplet] = {}
    ends = iter(rng.sample(range(len(terms)), len(terms)))
    while len(found) < count:
        first, second = rng.choices(ranked, cum_weights=weights, k=2)
        subject, relation = next(ends, first), min(rng.randrange(RELATIONS), rng.randrange(RELATIONS))
        s, o, name = terms[subject], terms[second], f"relation {relation}"
        sentence = f"{s.label} has {name} with {o.label} according to source {len(found)}."
        found.setdefault((subject, relation, second), Triplet(subject=s, relation=name, object=o, sentence=sentence))
    stated = list(found.values())
    rng.shuffle(stated)
    return stated


def _document(number: int, cut: list[list[Triplet]]) -> StatedDocument:
    texts = [" ".join(triplet.sentence for triplet in triplets) for triplets in cut]
    starts = list(islice(accumulate((len(text) + 2 for text in texts), initial=0), len(texts)))
    document = Document(
        source=f"document-{number}",
        text="\n\n".join(texts),
        title=f"Document {number}",
        triplets=tuple(triplet for triplets in cut for triplet in triplets),
    )
    stated = tuple(
        StatedChunk(chunk=_chunk(index, start, text), extracted=True, statements=link(triplets))
        for index, (start, text, triplets) in enumerate(zip(starts, texts, cut, strict=True))
    )
    return StatedDocument(document=document, content_hash=f"{number:020d}", recipe="benchmark", chunks=stated)


def _chunk(index: int, start: int, text: str) -> Chunk:
    return Chunk(
        index=index,
        kind="text",
        contains_table=False,
        section="",
        page=None,
        start=start,
        end=start + len(text),
        text=text,
        tokens=len(text.split()),
    )
