"""How a system did at one question, and why where it did not do well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from kgservice.core.records import Record
from kgservice.gate.cases import Case
from kgservice.gate.replies import SystemReply
from kgservice.gold.coverage import found
from kgservice.gold.found_passage import FoundPassage
from kgservice.gold.gold_places import Documents
from kgservice.text.matching import match, matches

Why: TypeAlias = Literal["", "failed", "stale", "retrieval missed", "reader"]


class CaseVerdict(Record):
    """`found`: all evidence is in the passages; `right`: the answer is; None of a system that gives none of these.

    `why` it is not well: no reply came ("failed"); the answer or a passage is of an earlier version of the documents
    ("stale"); evidence is missing ("retrieval missed"); it is there, and the answer is wrong ("reader").
    """

    id: str
    question: str
    digest: str
    facts: tuple[str, ...]
    about: tuple[str, ...]
    found: bool | None
    right: bool | None
    why: Why = ""

    @property
    def outcomes(self) -> dict[str, bool]:
        """Return what is compared, by measure."""
        both = {"evidence": self.found, "answer": self.right}
        return {name: value for name, value in both.items() if value is not None}


class Told(Record):
    """What people read of a verdict: what was answered, and the sentences that were not found."""

    answer: str = ""
    wanted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    detail: str = ""


def judged(
    case: Case, reply: SystemReply, documents: Documents, *, finds: bool, answers: bool
) -> tuple[CaseVerdict, Told]:
    """Judge a reply; `finds` and `answers` say what the system gives at all."""
    known = {"id": case.id, "question": case.question, "digest": case.digest, "facts": case.facts, "about": case.about}
    if reply.failure:
        verdict = CaseVerdict(**known, found=False if finds else None, right=False if answers else None, why="failed")
        return verdict, Told(
            wanted=case.answers, missing=_sentences(case, range(len(case.facts))), detail=reply.failure
        )
    one = found(case.gold, reply.passages, documents)
    said = reply.answer or ""
    right = matches(said, case.answers) if answers else None
    missed = [number for number, rank in enumerate(one.ranks) if rank is None] if finds else []
    old = _stale(case, said, right=right) or (_stale_passage(case, reply.passages, documents) if missed else "")
    why: Why = "stale" if old else "retrieval missed" if missed else "reader" if right is False else ""
    verdict = CaseVerdict(**known, found=not missed if finds else None, right=right, why=why)
    return verdict, Told(answer=said, wanted=case.answers, missing=_sentences(case, missed), detail=old)


def _stale(case: Case, said: str, *, right: bool | None) -> str:
    old = next((answer for answer in case.former if right is False and match(said, answer)), "")
    return f"{old} is the answer of an earlier version of the documents" if old else ""


def _stale_passage(case: Case, passages: Sequence[FoundPassage], documents: Documents) -> str:
    """Name a document that holds evidence, and of which a passage says what is not in it any more."""
    gold = {place.document for fact in case.gold.facts for place in fact}
    for passage in passages:
        source = documents.source(passage.document) if passage.document else None
        if source in gold and passage.text.strip() and not documents.spans(passage, source):
            return f"a passage of {source} does not stand there any more"
    return ""


def _sentences(case: Case, facts: Sequence[int]) -> tuple[str, ...]:
    """Return the sentence of each of these facts, where it is stated first, with its document."""
    first = (case.gold.facts[number][0] for number in facts if case.gold.facts[number])
    return tuple(f"{place.document}: {' '.join(place.sentence.split())}" for place in first)
