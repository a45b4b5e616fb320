"""RAGuard's claims from their loader: a verdict, and documents with the label of their effect on it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Problem, Record
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.ingest import sources

Label: TypeAlias = Literal["supporting", "misleading", "irrelevant", "unlabelled"]
LABELS: tuple[Label, ...] = get_args(Label)
PUBLISHED = {"unrelated": "irrelevant"}  # the files' word, the paper's word
IN_FILES = {paper: published for published, paper in PUBLISHED.items()}


class Associated(Record):
    """A document of a claim, by its id from the loader."""

    id: str
    label: Label


class Claim(Record):
    """A claim with its truth and its documents."""

    id: str
    text: str
    truth: bool
    documents: tuple[Associated, ...]

    def labelled(self, label: Label) -> tuple[str, ...]:
        """Return the ids of the documents with this label."""
        return tuple(document.id for document in self.documents if document.label == label)


def read_claims(path: Path, limit: int | None = None, seed: int = 0) -> EvaluationSet[Claim]:
    """Read claims from claims.csv or JSONL, also .gz, or a seeded sample of `limit`.

    Raises BadRequest if the file has no claim.
    """
    claims, skipped = list[Claim](), Counter[str]()
    for item in sources.read("raguard", [path]):
        claim = item if isinstance(item, Problem) else _claim(item)
        if isinstance(claim, Problem):
            skipped[claim.reason] += 1
        else:
            claims.append(claim)
    if not claims:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
        raise BadRequest(
            f"{path} has no claim of RAGuard's layout ({reasons or 'it is empty'}): see docs/evaluation.md"
        )
    units, left_out = drawn(claims, skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def write_claims(path: Path, claims: Iterable[Claim]) -> None:
    """Write claims.csv as published, which `read_claims` reads back. Without labels their list is empty."""
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("Claim ID", "Claim", "Verdict", "Document IDs", "Document Labels"))
        for claim in claims:
            labels = [IN_FILES.get(one.label, one.label) for one in claim.documents]
            names = f"[{', '.join(one.id for one in claim.documents)}]"
            rows.writerow((claim.id, claim.text, claim.truth, names, [] if "unlabelled" in labels else labels))


def _claim(document: Document) -> Claim | Problem:
    fields = document.metadata
    names, labels = _list(fields.get("document_ids")), _list(fields.get("document_labels"))
    truth = {"true": True, "false": False}.get(str(fields.get("verdict", "")).casefold())
    reason = ""
    if "verdict" not in fields:
        reason = "no claim"  # a document of the knowledge base
    elif truth is None:
        reason = "verdict is neither True nor False"
    elif labels and len(labels) != len(names):
        reason = "as many labels as documents are needed"
    elif unknown := set(map(_label, labels)) - {*LABELS}:
        reason = f"no label {min(unknown)!r}"
    if reason or truth is None:
        return Problem(source=document.source, state="rejected", reason=reason)
    pairs: Iterable[tuple[str, str]] = zip(names, labels or ["unlabelled"] * len(names), strict=True)
    associated = [Associated.model_validate({"id": name, "label": _label(label)}) for name, label in pairs]
    return Claim(id=document.source, text=document.text, truth=truth, documents=tuple(associated))


def _list(value: object) -> list[str]:
    return [part for part in str(value or "").split("; ") if part]


def _label(label: str) -> str:
    return PUBLISHED.get(label.casefold(), label.casefold())
