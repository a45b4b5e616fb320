"""The tables of Neo4j's import tool for a seeded Zipf graph, made by columns in two processes, without documents.

They have the shape that `load --bulk` gives them: ten facts a chunk, each in a sentence of its own, two chunks a
document, all counters, keys and mentions. They show what the import, the indexes and the patterns take at a size that
`load --bulk` does not reach in minutes. The loader, the checks and the report of a load are left out.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np

from kgservice.core import keys
from kgservice.graph.labels import corpus_label
from kgservice.ingest.import_files import CHUNK, ENTITY, FACT
from kgservice.managed_neo4j.backup import Table
from kgservice.names.mentions import form

T = TypeVar("T")
# without digits: no question is asked about a relation that has one
RELATIONS = [f"relation {chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(40)]
FACTS_A_CHUNK, CHUNKS_A_DOCUMENT, PROCESSES = 10, 2, 2
SYLLABLES = [one + two for one in "bdfgklmnprstvz" for two in "aeiou"]
PAIRS = [one + two for one in SYLLABLES for two in SYLLABLES]
DOCUMENT = {"corpus": "string", "source": "string", "doc_type": "string", "title": "string", "content_hash": "string",
            "version": "long", "state": "string"}  # fmt: skip
NAMED = {"surface": "string", "start": "long", "end": "long"}
TABLES = {
    "documents": ("key:ID(Document)", DOCUMENT),
    "chunks": ("key:ID(Chunk)", CHUNK),
    "entities": ("key:ID(Entity)", ENTITY),
    "part_of": (":START_ID(Chunk),:END_ID(Document)", {}),
    "next": (":START_ID(Chunk),:END_ID(Chunk)", {}),
    "mentions": (":START_ID(Chunk),:END_ID(Entity)", NAMED),
    "facts": (":START_ID(Entity),:END_ID(Entity)", FACT),
}
TYPES = {"part_of": "PART_OF", "next": "NEXT", "mentions": "MENTIONS", "facts": "FACT"}


def entity_name(at: int) -> str:
    """Return the name of the entity of a number, below 24 millions: one word of four syllables."""
    return (PAIRS[at // len(PAIRS)] + PAIRS[at % len(PAIRS)]).capitalize()


class MadeTables:
    """The columns of a graph: of each fact its two ends and its relation as numbers, and its counters.

    Entities are numbered in the order of their keys, relations in that of their codes, and facts lie in the order of
    their `sr`, in which `load --bulk` writes them. `drawn` are the facts as they come in the documents.
    """

    def __init__(self, corpus: str, facts: int) -> None:
        self.corpus = corpus
        rng, number = np.random.default_rng(0), int(0.37 * facts)
        weights = np.cumsum((np.arange(number) + 1.0) ** -0.8)
        codes = np.empty(0, dtype=np.int64)
        while len(codes) < facts:
            more = int(1.05 * (facts - len(codes))) + 100
            others = np.searchsorted(weights, rng.random(more) * weights[-1])
            drawn = (rng.integers(number, size=more) * number + others) * len(RELATIONS) + rng.integers(
                len(RELATIONS), size=more
            )
            codes = np.unique(np.concatenate([codes, drawn]))
        codes = rng.permutation(codes)[:facts]
        ends, relation = np.divmod(codes, len(RELATIONS))
        self.codes, self.names = zip(*sorted((keys.relation_code(name), name) for name in RELATIONS), strict=True)
        made = self._in_processes(_entity_keys, _spans(number, 1))
        self.label = np.argsort(np.concatenate(made))
        self.keys = [key.decode() for key in np.concatenate(made)[self.label]]
        rank = np.argsort(self.label)
        subject, other = rank[ends // number], rank[ends % number]
        place = np.lexsort((relation, subject))
        self.subject, self.other, self.relation = subject[place], other[place], relation[place]
        self.drawn = np.argsort(place)
        self.objects = _counted(self.subject * len(RELATIONS) + self.relation)
        self.subjects = _counted(self.other * len(RELATIONS) + self.relation)
        self.degree = np.bincount(subject, minlength=number) + np.bincount(other, minlength=number)

    def write(self, folder: Path) -> tuple[list[Table], list[Table]]:
        """Write the CSV files; return those of nodes and of relationships, as the import tool wants them."""
        self.folder, files = folder, {name: [folder / f"{name}-0.csv"] for name in TABLES}
        for name, (first, columns) in TABLES.items():
            files[name][0].write_text(",".join([first, *(f"{one}:{kind}" for one, kind in columns.items())]) + "\n")
        entities, facts = _spans(len(self.degree), 1), _spans(len(self.subject), 1)
        documents = _spans(len(self.subject), FACTS_A_CHUNK * CHUNKS_A_DOCUMENT)
        self._in_processes(_entities, entities)
        made = self._in_processes(_documents, documents)
        chunks, found = (np.concatenate(part) for part in zip(*made, strict=True))
        place = np.argsort(self.drawn)
        self.fact_keys, self.chunk_keys = found[place], chunks[place // FACTS_A_CHUNK]
        self._in_processes(_facts, facts)
        for name in TABLES:
            spans = {"entities": entities, "facts": facts}.get(name, documents)
            files[name] += [folder / f"{name}-{at + 1}.csv" for at in range(len(spans))]
        label = f"Chunk:{corpus_label(self.corpus)}"
        nodes: list[Table] = [("Document", files["documents"]), (label, files["chunks"]), ("Entity", files["entities"])]
        return nodes, [(type_, files[name]) for name, type_ in TYPES.items()]

    def forget(self) -> None:
        """Let go of the columns."""
        self.__dict__.clear()

    def _in_processes(self, work: Callable[[int, tuple[int, int]], T], spans: Sequence[tuple[int, int]]) -> list[T]:
        """Run work on each range, with its number, in new processes: they see the columns that are there by now."""
        global _made  # noqa: PLW0603 - what a fork sees is not pickled
        _made = self
        with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
            return pool.starmap(work, [(at + 1, span) for at, span in enumerate(spans)], chunksize=1)


_made: MadeTables


def _counted(groups: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return for each item how many there are of its group."""
    _, place, number = np.unique(groups, return_inverse=True, return_counts=True)
    return number[place]


def _spans(number: int, of: int) -> list[tuple[int, int]]:
    """Return ranges that begin at multiples of a number, four a process."""
    ends = np.linspace(0, -(-number // of), 4 * PROCESSES + 1, dtype=int) * of
    return [(int(first), min(int(last), number)) for first, last in pairwise(ends) if first < number]


def _entity_keys(_: int, span: tuple[int, int]) -> np.ndarray[Any, Any]:
    return np.array(
        [keys.entity_key(_made.corpus, f"local:{entity_name(at)}") for at in range(*span)], dtype=f"S{keys.KEY}"
    )


def _entities(part: int, span: tuple[int, int]) -> None:
    of = slice(*span)
    with (_made.folder / f"entities-{part}.csv").open("w") as out:
        for key, at, degree in zip(_made.keys[of], _made.label[of].tolist(), _made.degree[of].tolist(), strict=True):
            known = {"degree": degree, "label": entity_name(at), "kind": "entity", "corpus": _made.corpus}
            known |= {"id": f"local:{entity_name(at)}", "form": keys.form_key(_made.corpus, form(entity_name(at)))}
            out.write(_line([key, *(known.get(name) for name in ENTITY)]))


def _stated(facts: Any) -> Iterator[tuple[str, str, int, str, str, str]]:
    """Yield of each fact the keys of its ends, its relation, the labels of its ends and its sentence."""
    subject, other, relation = _made.subject[facts], _made.other[facts], _made.relation[facts].tolist()
    labels = _made.label[subject].tolist(), _made.label[other].tolist()
    for start, end, by, one, two in zip(subject.tolist(), other.tolist(), relation, *labels, strict=True):
        first, second = entity_name(one), entity_name(two)
        yield _made.keys[start], _made.keys[end], by, first, second, f"{first} has {_made.names[by]} {second}."


def _documents(part: int, span: tuple[int, int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Write the documents, chunks and mentions of a range of drawn facts; return keys, of chunks and of facts."""
    corpus, chunks, found = _made.corpus, list[str](), list[str]()
    stated = _stated(_made.drawn[slice(*span)])
    with ExitStack() as stack:
        named = [name for name in TABLES if name not in ("entities", "facts")]
        out = {name: stack.enter_context((_made.folder / f"{name}-{part}.csv").open("w")) for name in named}
        for start in range(*span, FACTS_A_CHUNK * CHUNKS_A_DOCUMENT):
            source = f"d{start // (FACTS_A_CHUNK * CHUNKS_A_DOCUMENT)}"
            document = keys.document_key(corpus, source)
            version = [document, corpus, source, "text", source, keys.digest(20, source), 1, "stored"]
            out["documents"].write(_line(version))
            own = list[str]()
            for index in range(CHUNKS_A_DOCUMENT):
                if facts := list(islice(stated, FACTS_A_CHUNK)):
                    chunk, known = _chunk(out, document, source, index, facts)
                    own.append(chunk)
                    found += known
            out["next"].writelines(_line(pair) for pair in pairwise(own))
            chunks += own
    return np.array(chunks, dtype=f"S{keys.CHUNK}"), np.array(found, dtype=f"S{keys.KEY}")


def _chunk(
    out: Mapping[str, TextIO],
    document: str,
    source: str,
    index: int,
    facts: Sequence[tuple[str, str, int, str, str, str]],
) -> tuple[str, list[str]]:
    """Write a chunk and what it mentions; return its key and those of its facts."""
    made, at, places = _made, 0, dict[str, tuple[str, int]]()  # of each entity, its label and where it is named first
    for start, end, _, subject, other, sentence in facts:
        places.setdefault(start, (subject, at))
        places.setdefault(end, (other, at + len(sentence) - len(other) - 1))
        at += len(sentence) + 1
    text = [fact[-1] for fact in facts]
    content = keys.digest(20, text)
    chunk = keys.chunk_key(document, content, 0)
    for entity, (label, place) in places.items():
        out["mentions"].write(f'"{chunk}","{entity}","{label}","{place}","{place + len(label)}"\n')
    found = [keys.fact_key(made.corpus, start, made.names[by], end) for start, end, by, *_ in facts]
    whole = " ".join(text)
    known = {
        "corpus": made.corpus, "corpus_code": keys.corpus_code(made.corpus), "title": source, "content_hash": content,
        "section": "", "text": whole, "kind": "text", "contains_table": "false", "extracted": "true", "index": index,
        "start": 0, "end": len(whole), "tokens": 6 * len(facts), "fact_keys": "\x1f".join(sorted(found)),
    }  # fmt: skip
    out["chunks"].write(_line([chunk, *(known.get(name) for name in CHUNK)]))
    out["part_of"].write(_line([chunk, document]))
    return chunk, found


def _facts(part: int, span: tuple[int, int]) -> None:
    of = slice(*span)
    counted = (column[of].tolist() for column in (_made.objects, _made.subjects, _made.fact_keys, _made.chunk_keys))
    with (_made.folder / f"facts-{part}.csv").open("w") as out:
        for (start, end, by, _, _, sentence), objects, subjects, key, chunk in zip(_stated(of), *counted, strict=True):
            name, code = _made.names[by], _made.codes[by]
            out.write(
                f'"{start}","{end}","{objects}","{subjects}","{name}","{chunk.decode()}","{key.decode()}",'
                f'"{start}{code}","{end}{code}","{name}",,"{sentence}",,,"{name}",,\n'
            )


def _line(row: Sequence[object]) -> str:
    return ",".join(["" if value is None else f'"{value}"' for value in row]) + "\n"
