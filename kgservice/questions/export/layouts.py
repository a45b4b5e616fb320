"""Questions as files: our exchange format (design, section 6), and the layouts of RARE-Set, DRAGON and FRAMES."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from kgservice.core import keys
from kgservice.core.records import Question
from kgservice.graph.contexts import Context, chunk_contexts
from kgservice.graph.store import Graph
from kgservice.questions.export.frames_rows import frames_rows
from kgservice.questions.patterns import DIAGNOSTIC
from kgservice.questions.question_record import REVIEW

Layout: TypeAlias = Literal["jsonl", "rare", "dragon", "frames", "trec", "parquet", "ragas"]
PAGE = 500
TYPES = {  # DRAGON's names, and five of ours for what it does not have
    "single": "simple", "set_of_objects": "set", "set_of_subjects": "set", "comparison": "comparison",
    "pluri_hop": "pluri-hop", "unanswerable": "unanswerable", "false_premise": "false premise", "conflict": "conflict",
}  # fmt: skip


class WrittenFile(NamedTuple):
    """A file and its number of lines."""

    name: str
    lines: int


def exported(item: Question) -> dict[str, object]:
    """Return a question in the exchange format; one that is not active says why, none who reviewed it."""
    facts = [
        {
            "subject": fact.subject,
            "relation": fact.relation,
            "object": fact.object,
            **({"period": fact.period} if fact.period else {}),
            "chunk_ids": [source.chunk for source in fact.statements],
            "sentences": [source.sentence for source in fact.statements],
        }
        for fact in item.facts
    ]
    ended = set() if item.state != "active" else {"state", "reason", "cause"}
    known = {name: value for name, value in item.metadata.items() if name not in REVIEW}
    return item.model_dump(exclude={"facts", *ended}) | {"metadata": known, "facts": facts}


def write_jsonl(questions: Iterable[Question], file: Path) -> WrittenFile:
    """Write a question a line."""
    return _lines(file, (exported(item) for item in questions))


def write_rare(graph: Graph, questions: Iterable[Question], folder: Path) -> list[WrittenFile]:
    """Write RARE-Set's layout: single-hop and multi-hop questions, each with its chunks and their source sentences.

    What it has no place for, the patterns that test a system, is a third part, if there are such questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = list(questions)
    parts = {
        "single_hop": [item for item in found if item.pattern == "single"],
        "multi_hop": [item for item in found if item.pattern not in ("single", *DIAGNOSTIC)],
    }
    if diagnostic := [item for item in found if item.pattern in DIAGNOSTIC]:
        parts["diagnostic"] = diagnostic
    return [_lines(folder / f"{name}.jsonl", _paged(graph, part, _rare)) for name, part in parts.items()]


def write_frames(graph: Graph, questions: Iterable[Question], file: Path) -> WrittenFile:
    """Write FRAMES' fields a line, as `evaluate frames` reads them, for the questions that need several documents."""
    found = list(questions)
    wanted = sorted({key for item in found for key in item.document_keys})
    sources = {row["key"]: row["source"] for row in graph.read("read/document_sources", keys=wanted)}
    return _lines(file, frames_rows(found, sources))


def write_dragon(graph: Graph, questions: Iterable[Question], folder: Path) -> list[WrittenFile]:
    """Write DRAGON's four sets (section 3): public texts and questions, private mapping of texts and private answers.

    The texts are all of the questions' corpora, as a release has them: a system has to find those that matter.

    Public ids are numbers in order of our keys, so that they say nothing; what tells which text answers is private.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = dict(enumerate(questions))
    texts = [
        (row["chunk"], row["title"], row["text"])
        for corpus in sorted({item.corpus for item in found.values()})
        for row in _every_text(graph, corpus)
    ]
    public = {chunk: number for number, chunk in enumerate(sorted(chunk for chunk, _, _ in texts))}
    return [_lines(folder / f"{name}.jsonl", rows) for name, rows in dragon_sets(found, public, texts).items()]


def dragon_sets(
    questions: Mapping[int, Question], public: Mapping[str, int], texts: Iterable[tuple[str, str, str]]
) -> dict[str, Iterable[dict[str, Any]]]:
    """Return the rows of DRAGON's four sets by name; `public` numbers the texts, which are (chunk, title, text)."""
    answers = (
        {
            "public_id": number,
            "id": item.id,
            "type": TYPES.get(item.pattern, "conditional" if item.asked == "pivot" else "multi-hop"),
            "answer": ", ".join(item.answers),
            "answers": list(item.answers),
            "text_ids": sorted(public[chunk] for chunk in item.chunk_ids),
            "triplets": [[fact.subject, fact.relation, fact.object] for fact in item.facts],
        }
        for number, item in questions.items()
    )
    return {
        "public_texts": ({"public_id": public[chunk], "title": title, "text": text} for chunk, title, text in texts),
        "public_questions": ({"public_id": number, "question": item.question} for number, item in questions.items()),
        "private_texts_mapping": ({"id": chunk, "public_id": number} for chunk, number in public.items()),
        "private_qa": answers,
    }


def _every_text(graph: Graph, corpus: str) -> Iterator[dict[str, Any]]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("release/texts", after=after, until=code + "~", limit=PAGE):
        yield from map(dict, rows)
        after = rows[-1]["chunk"]


def _rare(item: Question, known: dict[str, Context]) -> dict[str, Any]:
    chunks = [known[chunk] for chunk in item.chunk_ids if chunk in known]
    sources: dict[str, dict[str, None]] = {chunk.chunk: {} for chunk in chunks}  # sentences by chunk, each once
    for source in (source for fact in item.facts for source in fact.statements if source.chunk in sources):
        sources[source.chunk][source.sentence] = None
    return {
        "id": item.id,
        "question": item.question,
        "answer": "; ".join(item.answers),
        "query_type": "single-hop" if item.pattern == "single" else item.pattern,
        "triplets": [
            {"entity_1": fact.subject, "relation": fact.relation, "entity_2": fact.object} for fact in item.facts
        ],
        "answer_chunk_ids": [chunk.chunk for chunk in chunks],
        "ground_truth_chunks": [chunk.text for chunk in chunks],
        "source_sentences": [sentence for told in sources.values() for sentence in told],
        "source_sentence_chunk_ids": [chunk for chunk, told in sources.items() for _ in told],
        "file_metadata": [dict(chunk.about) | {"title": chunk.title} for chunk in chunks],
    }


def _paged(
    graph: Graph, questions: list[Question], made: Callable[[Question, dict[str, Context]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(questions), PAGE):
        page = questions[start : start + PAGE]
        known = chunk_contexts(graph, sorted({chunk for item in page for chunk in item.chunk_ids}))
        yield from (made(item, known) for item in page)


def _lines(file: Path, rows: Iterable[object]) -> WrittenFile:
    file.parent.mkdir(parents=True, exist_ok=True)
    number = 0
    with file.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            number += 1
    return WrittenFile(file.name, number)
