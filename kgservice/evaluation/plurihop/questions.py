"""Questions over many documents: a corpus's own, Loong's, and those of a file in our words."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Problem, Question, Record
from kgservice.evaluation.plurihop.run import PluriHopQuestion
from kgservice.evaluation.retrieval.questions import lines
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.questions import question_store

LEVELS = {"1": "1 spotlight", "2": "2 comparison", "3": "3 clustering", "4": "4 chain of reasoning"}
SETS = {"1": "1: 10K-50K", "2": "2: 50K-100K", "3": "3: 100K-200K", "4": "4: 200K-250K"}  # tokens (table 4)


class FileQuestion(Record):
    """A question of a file: an answer, or its statements; `documents` are the ids of those that it rests on."""

    id: str
    question: str = Field(min_length=1)
    answer: str = ""
    statements: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    groups: dict[str, str] = Field(default_factory=dict)


def of_corpus(graph: Graph, corpus: str, limit: int | None, seed: int) -> EvaluationSet[PluriHopQuestion]:
    """Return the active pluri_hop questions of a corpus, a seeded sample of `limit` (BadRequest: there are none)."""
    graph.check_corpus(corpus)
    found = list(question_store.questions(graph, corpus, pattern="pluri_hop", state="active"))
    if not found:
        raise BadRequest(
            f"corpus {corpus!r} has no questions over many documents: run `kgservice questions generate -c {corpus} "
            "--patterns pluri_hop`, or give --questions"
        )
    return _chosen([_unit(one) for one in found], Counter(), limit, seed)


def of_file(graph: Graph, corpus: str, path: Path, limit: int | None, seed: int) -> EvaluationSet[PluriHopQuestion]:
    """Return the questions of a file, Loong's or ours, whose documents the corpus holds (BadRequest: none)."""
    graph.check_corpus(corpus)
    first = _first(path)
    found, problems = _of_loong(path) if "level" in first else (list(_written(path, corpus)), Counter[str]())
    able = []
    for unit in found:
        if not (unit.answer.strip() or unit.statements):
            problems["the reference says nothing"] += 1
        elif _absent(graph, corpus, unit):
            problems["a document is not in the corpus"] += 1
        else:
            able.append(unit)
    if not able:
        told = ", ".join(f"{number:,} {reason}" for reason, number in problems.items())
        raise BadRequest(f"no question of {path} can be asked of corpus {corpus!r}: {told or 'the file is empty'}")
    return _chosen(able, problems, limit, seed)


def _chosen(
    found: list[PluriHopQuestion], skipped: Counter[str], limit: int | None, seed: int
) -> EvaluationSet[PluriHopQuestion]:
    units, left_out = drawn(sorted(found, key=lambda unit: unit.id), skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def _unit(one: Question) -> PluriHopQuestion:
    """A question of the graph: its answers are its statements, its facts' documents those that it rests on."""
    return PluriHopQuestion(
        id=one.id,
        question=one.question,
        answer="; ".join(one.answers),
        statements=one.answers,
        groups={"kind": one.asked},
        gold=one.document_keys,
    )


def _absent(graph: Graph, corpus: str, unit: PluriHopQuestion) -> bool:
    wanted = {*unit.gold, *(keys.document_key(corpus, name) for name in unit.documents)}
    known = {row["key"] for row in graph.read("read/document_keys", corpus=corpus, keys=sorted(wanted))}
    return not wanted <= known


def _first(path: Path) -> dict[str, Any]:
    line = next(lines(path), (0, ""))[1]
    try:
        found = json.loads(line or "{}")
    except ValueError as error:
        raise BadRequest(f"{path}: a line is a question as a JSON object ({error})") from error
    return found if isinstance(found, dict) else {}


def _written(path: Path, corpus: str) -> Iterator[PluriHopQuestion]:
    seen = set[str]()
    for number, line in lines(path):
        try:
            one = FileQuestion.model_validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            raise BadRequest(f"{path}, line {number}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from error
        if one.id in seen:
            raise BadRequest(f"{path}, line {number}: the id {one.id!r} stands there twice")
        seen.add(one.id)
        yield PluriHopQuestion(
            id=one.id, question=one.question, answer=one.answer or "; ".join(one.statements), statements=one.statements,
            groups=one.groups, gold=tuple(keys.document_key(corpus, name) for name in one.documents),
        )  # fmt: skip


def _of_loong(path: Path) -> tuple[list[PluriHopQuestion], Counter[str]]:
    found, problems = list[PluriHopQuestion](), Counter[str]()
    for one in read("loong", [path]):
        if isinstance(one, Problem):
            problems[one.reason] += 1
        else:
            found.append(_loong(one))
    return found, problems


def _loong(one: Document) -> PluriHopQuestion:
    """A question of Loong; on papers the instruction asks, and what is called the question is a title."""
    told = {name: str(one.metadata[name]) for name in ("instruction", "level", "set", "type", "language")}
    answer = str(one.metadata["answer"])
    alone = told["type"] == "financial" and one.text != told["instruction"]
    return PluriHopQuestion(
        id=one.source, question=one.text if alone else f"{told['instruction']}\n\n{one.text}".strip(),
        answer="; ".join(found := tuple(_statements(answer))) or answer, statements=found,
        groups={
            "set": SETS.get(told["set"], told["set"]), "level": LEVELS.get(told["level"], told["level"]),
            "type": f"{told['type']}, {told['language']}",
        },
        documents=tuple(_names(str(one.metadata["doc"]))), mark=True,
    )  # fmt: skip


def _statements(answer: str) -> Iterator[str]:
    """A reference in statements: a member of a group is "group: member", one of a list itself; none of plain text."""
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
    """A value written as JSON, or as Python writes it; the text itself if it is neither."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text) if text[:1] in ("[", "{") else text
        except (ValueError, SyntaxError):
            continue
    return text
