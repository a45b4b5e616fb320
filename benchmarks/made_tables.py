"""The tables of Neo4j's import tool for a seeded Zipf graph, made by columns in two processes, without documents.

They have the shape that `load --bulk` gives them: ten facts a chunk, each in a sentence of its own, two chunks a
document, all counters, keys and mentions. They show what the import, the indexes and the patterns take at a size that
`load --bulk` does not reach in minutes. The loader, the checks and the report of a load are left out.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from kgservice.core import keys
from kgservice.graph.labels import corpus_label
from kgservice.ingest.bulk import CHUNK, ENTITY, FACT
from kgservice.managed_neo4j.backup import Table
from kgservice.names.mentions import form

RELATIONS, FACTS_A_CHUNK, CHUNKS_A_DOCUMENT, PROCESSES = 40, 10, 2, 2
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


class MadeTables:
    """The columns of a graph: of each fact its two ends and its relation as numbers, and its counters."""

    def __init__(self, corpus: str, facts: int) -> None:
        self.corpus = corpus
        rng, number = np.random.default_rng(0), int(0.37 * facts)
        weights = np.cumsum((np.arange(number) + 1.0) ** -0.8)
        codes = np.empty(0, dtype=np.int64)
        while len(codes) < facts:
            more = int(1.05 * (facts - len(codes))) + 100
            others = np.searchsorted(weights, rng.random(more) * weights[-1])
            drawn = (rng.integers(number, size=more) * number + others) * RELATIONS + rng.integers(RELATIONS, size=more)
            codes = np.unique(np.concatenate([codes, drawn]))
        codes = rng.permutation(codes)[:facts]
        ends, self.relation = np.divmod(codes, RELATIONS)
        self.subject, self.other = np.divmod(ends, number)
        self.objects = _counted(self.subject * RELATIONS + self.relation)
        self.subjects = _counted(self.other * RELATIONS + self.relation)
        self.degree = np.bincount(self.subject, minlength=number) + np.bincount(self.other, minlength=number)
        self.names = [f"relation {chr(97 + at % 26)}{at}" for at in range(RELATIONS)]
        self.codes = [keys.relation_code(name) for name in self.names]
        self.keys: list[str] = []

    def write(self, folder: Path) -> tuple[list[Table], list[Table]]:
        """Write the CSV files; return those of nodes and of relationships, as the import tool wants them."""
        global _made
        _made, files = self, {name: [folder / f"{name}-0.csv"] for name in TABLES}
        for name, (first, columns) in TABLES.items():
            files[name][0].write_text(",".join([first, *(f"{one}:{kind}" for one, kind in columns.items())]) + "\n")
        with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
            spans = _spans(len(self.degree), 1)
            done = pool.starmap(_entities, [(folder, at + 1, span) for at, span in enumerate(spans)])
            for made in done:
                self.keys += made
            files["entities"] += [folder / f"entities-{at + 1}.csv" for at in range(len(spans))]
        with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:  # anew: they see the keys
            spans = _spans(len(self.subject), FACTS_A_CHUNK * CHUNKS_A_DOCUMENT)
            pool.starmap(_facts, [(folder, at + 1, span) for at, span in enumerate(spans)])
        for name in TABLES.keys() - {"entities"}:
            files[name] += [folder / f"{name}-{at + 1}.csv" for at in range(len(spans))]
        label = f"Chunk:{corpus_label(self.corpus)}"
        nodes: list[Table] = [("Document", files["documents"]), (label, files["chunks"]), ("Entity", files["entities"])]
        return nodes, [(type_, files[name]) for name, type_ in TYPES.items()]


_made: MadeTables


def _counted(groups: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return for each item how many there are of its group."""
    _, place, number = np.unique(groups, return_inverse=True, return_counts=True)
    return number[place]


def _spans(number: int, of: int) -> list[tuple[int, int]]:
    """Return ranges that begin at multiples of a number, four a process."""
    ends = np.linspace(0, -(-number // of), 4 * PROCESSES + 1, dtype=int) * of
    return [(int(first), min(int(last), number)) for first, last in pairwise(ends) if first < number]


def _entities(folder: Path, part: int, span: tuple[int, int]) -> list[str]:
    own = []
    with (folder / f"entities-{part}.csv").open("w") as out:
        for at in range(*span):
            label, key = f"e{at}", keys.entity_key(_made.corpus, f"local:e{at}")
            own.append(key)
            known = {"degree": _made.degree[at], "label": label, "kind": "entity", "corpus": _made.corpus}
            known |= {"id": f"local:{label}", "form": keys.form_key(_made.corpus, form(label))}
            out.write(_line([key, *(known.get(name) for name in ENTITY)]))
    return own


def _facts(folder: Path, part: int, span: tuple[int, int]) -> None:
    """Write the documents, chunks, mentions and facts of a range."""
    step, corpus = FACTS_A_CHUNK * CHUNKS_A_DOCUMENT, _made.corpus
    with ExitStack() as stack:
        named = [name for name in TABLES if name != "entities"]
        out = {name: stack.enter_context((folder / f"{name}-{part}.csv").open("w")) for name in named}
        for start in range(*span, step):
            source = f"d{start // step}"
            document = keys.document_key(corpus, source)
            version = [document, corpus, source, "text", source, keys.digest(20, source), 1, "stored"]
            out["documents"].write(_line(version))
            own = [
                _chunk(out, document, source, index, range(first, min(first + FACTS_A_CHUNK, span[1])))
                for index, first in enumerate(range(start, min(start + step, span[1]), FACTS_A_CHUNK))
            ]
            out["next"].writelines(_line(pair) for pair in pairwise(own))


def _chunk(out: Mapping[str, TextIO], document: str, source: str, index: int, facts: range) -> str:
    made, at, text, rows = _made, 0, list[str](), list[tuple[str, str, int, str, str, str]]()
    places: dict[int, int] = {}  # of each entity, where it is named first
    for fact in facts:
        subject, relation, other = int(made.subject[fact]), int(made.relation[fact]), int(made.other[fact])
        name = made.names[relation]
        sentence = f"e{subject} has {name} e{other}."
        places.setdefault(subject, at)
        places.setdefault(other, at + len(sentence) - len(f"e{other}."))
        text.append(sentence)
        at += len(sentence) + 1
        rows.append((made.keys[subject], made.keys[other], fact, name, made.codes[relation], sentence))
    content = keys.digest(20, text)
    chunk = keys.chunk_key(document, content, 0)
    found = []
    for start, end, fact, name, code, sentence in rows:
        key = keys.fact_key(made.corpus, start, name, end)
        found.append(key)
        out["facts"].write(
            f'"{start}","{end}","{made.objects[fact]}","{made.subjects[fact]}","{name}","{chunk}","{key}",'
            f'"{start}{code}","{end}{code}","{name}",,"{sentence}",,,"{name}",\n'
        )
    for entity, place in places.items():
        out["mentions"].write(f'"{chunk}","{made.keys[entity]}","e{entity}","{place}","{place + len(f"e{entity}")}"\n')
    whole = " ".join(text)
    known = {
        "corpus": made.corpus, "corpus_code": keys.corpus_code(made.corpus), "title": source, "content_hash": content,
        "section": "", "text": whole, "kind": "text", "contains_table": "false", "extracted": "true", "index": index,
        "start": 0, "end": len(whole), "tokens": 6 * len(facts), "fact_keys": "\x1f".join(sorted(found)),
    }  # fmt: skip
    out["chunks"].write(_line([chunk, *(known.get(name) for name in CHUNK)]))
    out["part_of"].write(_line([chunk, document]))
    return chunk


def _line(row: Sequence[object]) -> str:
    return ",".join(["" if value is None else f'"{value}"' for value in row]) + "\n"
