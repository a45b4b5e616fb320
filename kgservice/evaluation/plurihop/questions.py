"""Questions over many documents: of a corpus, of Loong, and of files in our format."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from kgservice.core import keys
from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Document, Problem, Question, Record
from kgservice.evaluation.plurihop.run import PluriHopQuestion
from kgservice.evaluation.retrieval.questions import lines
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.questions import question_store
from kgservice.questions.selection import ORDER

LEVELS = {"1": "1 spotlight", "2": "2 comparison", "3": "3 clustering", "4": "4 chain of reasoning"}
SETS = {"1": "1: 10K-50K", "2": "2: 50K-100K", "3": "3: 100K-200K", "4": "4: 200K-250K"}  # tokens (table 4)


class FileQuestion(Record):
    """A question of a file with an answer or its statements. `documents` are the ids of the documents behind it."""

    id: str
    question: str = Field(min_length=1)
    answer: str = ""
    statements: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    groups: dict[str, str] = Field(default_factory=dict)


def of_corpus(graph: Graph, corpus: str, limit: int | None, seed: int) -> EvaluationSet[PluriHopQuestion]:
    """Return the active pluri_hop questions of a corpus, or a seeded sample of `limit`.

    Raises NotFound if the corpus does not exist, BadRequest if it has no such question.
    """
    graph.check_corpus(corpus)
    questions = list(question_store.questions(graph, corpus, pattern="pluri_hop", state="active"))
    if not questions:
        run = command(f"questions generate --patterns {','.join(ORDER)},pluri_hop", corpus)
        raise BadRequest(f"corpus {corpus!r} has no questions over many documents: run {run}, or give --questions")
    return _chosen([_unit(question) for question in questions], Counter(), limit, seed)


def of_file(graph: Graph, corpus: str, path: Path, limit: int | None, seed: int) -> EvaluationSet[PluriHopQuestion]:
    """Return the questions of a file, Loong's or ours, whose documents the corpus holds.

    Raises NotFound if the corpus does not exist, BadRequest if no question is left.
    """
    graph.check_corpus(corpus)
    first = _first(path)
    units, problems = _of_loong(path) if "level" in first else (list(_written(path, corpus)), Counter[str]())
    able = []
    for unit in units:
        if not (unit.answer.strip() or unit.statements):
            problems["the reference says nothing"] += 1
        elif _absent(graph, corpus, unit):
            problems["a document is not in the corpus"] += 1
        else:
            able.append(unit)
    if not able:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in problems.items())
        raise BadRequest(f"no question of {path} can be asked of corpus {corpus!r}: {reasons or 'the file is empty'}")
    return _chosen(able, problems, limit, seed)


def _chosen(
    questions: list[PluriHopQuestion], skipped: Counter[str], limit: int | None, seed: int
) -> EvaluationSet[PluriHopQuestion]:
    units, left_out = drawn(sorted(questions, key=lambda unit: unit.id), skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def _unit(question: Question) -> PluriHopQuestion:
    """Return a question of the graph: its answers are the statements, its facts' documents the gold."""
    return PluriHopQuestion(
        id=question.id,
        question=question.question,
        answer="; ".join(question.answers),
        statements=question.answers,
        groups={"kind": question.asked},
        gold=question.document_keys,
    )


def _absent(graph: Graph, corpus: str, unit: PluriHopQuestion) -> bool:
    wanted = {*unit.gold, *(keys.document_key(corpus, name) for name in unit.documents)}
    stored = {row["key"] for row in graph.read("read/document_keys", corpus=corpus, keys=sorted(wanted))}
    return not wanted <= stored


def _first(path: Path) -> dict[str, Any]:
    line = next(lines(path), (0, ""))[1]
    try:
        row = json.loads(line or "{}")
    except ValueError as error:
        raise BadRequest(f"{path}: a line is a question as a JSON object ({error})") from error
    return row if isinstance(row, dict) else {}


def _written(path: Path, corpus: str) -> Iterator[PluriHopQuestion]:
    seen = set[str]()
    for number, line in lines(path):
        try:
            question = FileQuestion.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            raise BadRequest(f"{path}, line {number}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
        if question.id in seen:
            raise BadRequest(f"{path}, line {number}: the id {question.id!r} occurs twice")
        seen.add(question.id)
        yield PluriHopQuestion(
            id=question.id, question=question.question,
            answer=question.answer or "; ".join(question.statements), statements=question.statements,
            groups=question.groups, gold=tuple(keys.document_key(corpus, name) for name in question.documents),
        )  # fmt: skip


def _of_loong(path: Path) -> tuple[list[PluriHopQuestion], Counter[str]]:
    questions, problems = list[PluriHopQuestion](), Counter[str]()
    for document in read("loong", [path]):
        if isinstance(document, Problem):
            problems[document.reason] += 1
        else:
            questions.append(_loong(document))
    return questions, problems


def _loong(document: Document) -> PluriHopQuestion:
    """Return a question of Loong. On papers the instruction is the question, as Loong's "question" is a title."""
    fields = {name: str(document.metadata[name]) for name in ("instruction", "level", "set", "type", "language")}
    answer = str(document.metadata["answer"])
    alone = fields["type"] == "financial" and document.text != fields["instruction"]
    return PluriHopQuestion(
        id=document.source, question=document.text if alone else f"{fields['instruction']}\n\n{document.text}".strip(),
        answer="; ".join(statements := tuple(_statements(answer))) or answer, statements=statements,
        groups={
            "set": SETS.get(fields["set"], fields["set"]), "level": LEVELS.get(fields["level"], fields["level"]),
            "type": f"{fields['type']}, {fields['language']}",
        },
        documents=tuple(_names(str(document.metadata["doc"]))), mark=True,
    )  # fmt: skip


def _statements(answer: str) -> Iterator[str]:
    """Yield the statements of a reference: "group: member" for a group, an item for a list, none for plain text."""
    value = answer.split("; ") if answer.startswith("# ") else _value(answer)  # titles, as the loader joins a list
    groups = value if isinstance(value, dict) else {"": value if isinstance(value, list) else []}
    for name, members in groups.items():
        for member in members if isinstance(members, list) else [members]:
            yield f"{name}: {_said(member)}" if name else _said(member)


def _said(member: object) -> str:
    return str(member).strip("# \n")


def _names(listed: str) -> Sequence[str]:
    value = _value(listed)
    return [str(name) for name in value] if isinstance(value, list) else listed.split("; ")


def _value(text: str) -> Any:
    """Return a value written as JSON or as a Python literal, or the text itself."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text) if text[:1] in ("[", "{") else text
        except (ValueError, SyntaxError):
            continue
    return text
