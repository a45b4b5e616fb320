"""The files of a release: DRAGON's four sets, the train part, BEIR's formats; which of them are private."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kgservice.core.records import Question
from kgservice.questions.export.layouts import dragon_sets, exported

EXCHANGE = "private/questions.jsonl"
QRELS = "query-id\tcorpus-id\tscore"


class TextRow(NamedTuple):
    """A passage of the corpus; `source` is what its loader called the document, `start` where it begins there."""

    chunk: str
    document: str
    title: str
    text: str
    source: str
    start: int


class ReleaseFile(NamedTuple):
    """A file to be written."""

    name: str
    lines: Iterable[str]
    private: bool = False


def counted(questions: Iterable[Question]) -> dict[str, int]:
    """Count questions by pattern."""
    return dict(sorted(Counter(one.pattern for one in questions).items()))


def asked_files(
    questions: Mapping[int, Question], public: Mapping[str, int], texts: Sequence[TextRow]
) -> Iterator[ReleaseFile]:
    """Yield the files of the questions that are asked, by public id."""
    for file in _sets(questions, public, texts):
        yield file._replace(name=f"private/{file.name}") if file.private else file
    yield ReleaseFile("private/questions.jsonl", map(_line, map(exported, questions.values())), private=True)
    corpus = ({"_id": str(public[text.chunk]), "title": text.title, "text": text.text} for text in texts)
    yield ReleaseFile("beir/corpus.jsonl", map(_line, corpus))
    asked = ({"_id": str(number), "text": one.question} for number, one in questions.items())
    yield ReleaseFile("beir/queries.jsonl", map(_line, asked))
    named = ((str(number), one) for number, one in questions.items())
    yield ReleaseFile("private/beir/qrels/test.tsv", _qrels(named, public), private=True)


def train_files(questions: Sequence[Question], public: Mapping[str, int]) -> Iterator[ReleaseFile]:
    """Yield the files of the questions that are given away: a question's own id names it, public ids its texts."""
    yield ReleaseFile("train.jsonl", map(_line, map(exported, questions)))
    yield ReleaseFile("beir/train/queries.jsonl", (_line({"_id": one.id, "text": one.question}) for one in questions))
    yield ReleaseFile("beir/train/qrels/train.tsv", _qrels(((one.id, one) for one in questions), public))


def sandbox_files(
    questions: Mapping[int, Question], public: Mapping[str, int], texts: Sequence[TextRow]
) -> Iterator[ReleaseFile]:
    """Yield the four sets of the sandbox, all of them public."""
    for file in _sets(questions, public, sorted(texts, key=lambda text: public[text.chunk])):
        yield ReleaseFile(f"sandbox/{file.name}", file.lines)


def _sets(
    questions: Mapping[int, Question], public: Mapping[str, int], texts: Iterable[TextRow]
) -> Iterator[ReleaseFile]:
    rows = dragon_sets(questions, public, ((text.chunk, text.title, text.text) for text in texts))
    for name, found in rows.items():
        yield ReleaseFile(f"{name}.jsonl", map(_line, found), private=name.startswith("private"))


def _qrels(questions: Iterable[tuple[str, Question]], public: Mapping[str, int]) -> Iterator[str]:
    yield QRELS
    for name, one in questions:
        yield from (f"{name}\t{number}\t1" for number in sorted(public[chunk] for chunk in one.chunk_ids))


def _line(row: object) -> str:
    return json.dumps(row, ensure_ascii=False)
