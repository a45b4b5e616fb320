"""A set like RAGuard's built from rated claims and a corpus of posts (sections 3.1 and 3.2).

A rating of six becomes one of two, a claim becomes keywords, and the posts that these find are its documents. The exam
(3.3; condition `exam` of `evaluate raguard`) labels them.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel

from kgservice.core.errors import BadRequest, LLMFailure
from kgservice.core.records import Problem, Record
from kgservice.evaluation.raguard.questions import Associated, Claim, write_claims
from kgservice.evaluation.retrieval.run import ranked_documents
from kgservice.evaluation.shared.sample import EvaluationSet, drawn
from kgservice.extraction.grounding import cleaned
from kgservice.graph.store import Graph
from kgservice.ingest import sources
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.ledger import Spending
from kgservice.llm.prompts import prompt
from kgservice.names.mentions import spans
from kgservice.retrieval.bm25 import words
from kgservice.retrieval.retriever import Retriever

STAGE, PROMPT = "claim keywords", "claim_keywords"
MOST_KEYWORDS, MOST_WORDS = 12, 6  # of a claim, and of a keyword
LONGEST_POST = 100_000  # characters; readers of CSV take 131,072 in a field
SCALE = {  # PolitiFact's, by their letters, with its older names; half-true is true in the published set
    "true": True, "mostlytrue": True, "halftrue": True,
    "mostlyfalse": False, "barelytrue": False, "false": False, "pantsonfire": False, "pantsfire": False,
}  # fmt: skip

HalfTrue: TypeAlias = Literal["true", "drop"]
Keywords: TypeAlias = tuple[str, ...]


class RatedClaim(Record):
    """A claim with its rating as the file has it, and what that is on a scale of two."""

    id: str
    text: str
    rating: str
    truth: bool


class ClaimKeywords(BaseModel):
    """The keywords, five to ten."""

    keywords: list[str]


class ClaimSetReport(Record):
    """What came of claims: claims = written + left out; `skipped` are those of the file that were not taken.

    `attached` counts pairs of claim and post, `documents` posts.
    """

    claims: int
    written: int
    true: int
    left_out: dict[str, int]
    skipped: dict[str, int]
    attached: int
    documents: int
    failed: dict[str, int]
    llm: Spending | None


def read_rated(
    path: Path, limit: int | None = None, seed: int = 0, half_true: HalfTrue = "true"
) -> EvaluationSet[RatedClaim]:
    """Read claims with one of six ratings, from "Original Verdict" or else "Verdict", or a seeded sample of `limit`.

    Raises BadRequest if the file has no such claim.
    """
    claims, skipped = list[RatedClaim](), Counter[str]()
    for item in sources.read("raguard", [path]):
        if isinstance(item, Problem):
            skipped[item.reason] += 1
            continue
        rating = str(item.metadata.get("original_verdict") or item.metadata.get("verdict") or "")
        level = re.sub(r"[^a-z]", "", rating.lower())
        if level not in SCALE:
            skipped["no rating of the six"] += 1
        elif level == "halftrue" and half_true == "drop":
            skipped["half true"] += 1
        else:
            claims.append(RatedClaim(id=item.source, text=item.text, rating=rating, truth=SCALE[level]))
    if not claims:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in skipped.items())
        raise BadRequest(f"{path} has no rated claim ({reasons or 'it is empty'}): see docs/evaluation.md")
    units, left_out = drawn(claims, skipped, limit, seed)
    return EvaluationSet(units=units, skipped=left_out)


def own_keywords(claim: str) -> Keywords:
    """Return the names of a claim, then its other words that are no stop words."""
    from spacy.lang.en.stop_words import STOP_WORDS

    names = [place.label for place in spans(claim)]
    used = {word for name in names for word in words(name)} | STOP_WORDS
    others = (re.sub("['’]s?$", "", word.strip("'.’")) for word in words(claim))
    return tuple(dict.fromkeys([*names, *(word for word in others if word not in used)]))


async def expanded(llm: LLM, claims: Sequence[RatedClaim]) -> Mapping[str, Keywords | LLMFailure]:
    """Return a model's keywords by claim, or its failure, and close the model."""
    asks = (Ask(prompt(PROMPT, claim=claim.text), ClaimKeywords, STAGE, claim.id) for claim in claims)
    async with llm, aclosing(gather(llm, asks)) as replies:
        return {claim.id: _sound(await anext(replies)) for claim in claims}


def build_set(
    graph: Graph,
    rated: EvaluationSet[RatedClaim],
    keywords: Mapping[str, Keywords | LLMFailure],
    retriever: Retriever,
    folder: Path,
    *,
    posts: int,
    spent: Spending | None = None,
) -> ClaimSetReport:
    """Write claims.csv and documents.csv of the claims that find a post: of each at most `posts`, the best first.

    Documents are numbered in the order in which claims find them. Labels are left to the exam.
    """
    left_out, failed, found = Counter[str](), Counter[str](), dict[str, list[str]]()
    for claim in rated.units:
        given = keywords[claim.id]
        if isinstance(given, LLMFailure):
            left_out["no keywords"] += 1
            failed[given.reason] += 1
        elif documents := ranked_documents(retriever, " ".join(given), posts) if given else []:
            found[claim.id] = documents
        else:
            left_out["no post found"] += 1
    numbers = {key: str(place) for place, key in enumerate(dict.fromkeys(k for own in found.values() for k in own), 1)}
    kept = [claim for claim in rated.units if claim.id in found]
    folder.mkdir(parents=True, exist_ok=True)
    write_claims(
        folder / "claims.csv",
        [
            Claim(id=one.id, text=one.text, truth=one.truth,
                  documents=tuple(Associated(id=numbers[key], label="unlabelled") for key in found[one.id]))
            for one in kept
        ],
    )  # fmt: skip
    _write_documents(graph, folder / "documents.csv", numbers, found)
    return ClaimSetReport(
        claims=len(rated.units), written=len(kept), true=sum(one.truth for one in kept),
        left_out=dict(sorted(left_out.items())), skipped=rated.skipped, attached=sum(map(len, found.values())),
        documents=len(numbers), failed=dict(sorted(failed.items())), llm=spent,
    )  # fmt: skip


def _write_documents(graph: Graph, path: Path, numbers: Mapping[str, str], found: Mapping[str, Sequence[str]]) -> None:
    """Write posts as published, each with the first claim that found it. A post of its own has no label."""
    first: dict[str, str] = {}
    for claim, documents in found.items():
        for key in documents:
            first.setdefault(key, claim)
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(("Document ID", "Title", "Full Text", "Claim ID", "Document Label", "Link"))
        for key, number in numbers.items():
            (row,) = graph.read("read/document_texts", keys=[key])
            text = "\n\n".join(row["texts"])[:LONGEST_POST]
            rows.writerow((number, row["title"], text, first[key], "", row["url"]))


def _sound(reply: BaseModel | LLMFailure) -> Keywords | LLMFailure:
    if not isinstance(reply, ClaimKeywords):
        return reply if isinstance(reply, LLMFailure) else LLMFailure("wrong form", str(reply))
    folded = dict.fromkeys(cleaned(keyword) for keyword in reply.keywords)
    kept = [keyword for keyword in folded if words(keyword) and len(keyword.split()) <= MOST_WORDS]
    return tuple(kept[:MOST_KEYWORDS]) or LLMFailure("no keyword that can be searched for")
