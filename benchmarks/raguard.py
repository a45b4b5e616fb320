"""RAGuard's protocol on real claims: how far a checker that knows them falls when it reads misleading documents.

The published documents are not at hand, so each claim gets three of ours: one that says what is true, one the contrary,
and another claim. The checker believes what it reads, and without documents it says what is true: it must fall from
the misleading documents, and must not from the supporting ones.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Silent, own_graph
from retrieval_sets import DATA

from kgservice.answering.generator import Generated, QuestionWithPassages
from kgservice.answering.verdicts import OverlapVerdicts
from kgservice.core.records import Document
from kgservice.evaluation import library
from kgservice.evaluation.raguard.questions import Associated, Claim, Label
from kgservice.evaluation.raguard.run import RaguardSystems
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.ingest.pipeline import Recipe, load
from kgservice.retrieval import retriever
from kgservice.vectors.embedder import Embedder

CLAIMS = "raguard/claims_even.jsonl.gz"


class ByHeart(OverlapVerdicts):
    """Knows every claim, and believes a document all the same."""

    name = "by heart"

    def __init__(self, known: dict[str, bool]) -> None:
        self._known = known

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return what is known where there is nothing to read, else what the documents say."""
        read = await super().answers(asked)
        return [
            said if one.contexts else Generated(answer=str(self._known[one.question]))
            for one, said in zip(asked, read, strict=True)
        ]


def main() -> None:
    """Check a sample of the claims under every condition, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=200, help="claims, drawn by seed")
    options = parser.parse_args()
    if not (DATA / CLAIMS).exists():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    with gzip.open(DATA / CLAIMS, "rt", encoding="utf-8") as file:
        rows = {row["Claim"]: str(row["Verdict"]) == "True" for row in map(json.loads, file)}
    texts = random.Random(0).sample(sorted(rows), options.limit)
    claims, documents = made(texts, rows)
    with own_graph() as graph, tempfile.TemporaryDirectory() as folder:
        load(graph, documents, "claims", Recipe(extract="none"), None, Silent())  # type: ignore[arg-type]  # BM25 needs no vectors
        embedder, checker = Embedder(), ByHeart(rows)
        systems = RaguardSystems(checker, checker, retriever("bm25", graph, "claims", embedder))
        setting = library.Setting(corpus="claims", retriever="bm25", embedding_model=embedder.name)
        conditions = ("zero-context", "rag-1", "rag-5", "oracle")
        run = library.raguard(graph, claims, conditions, systems, Path(folder), setting)
    print(json.dumps(figures(run)))


def made(texts: Sequence[str], truth: dict[str, bool]) -> tuple[EvaluationSet[Claim], list[Document]]:
    """Return the claims with what they are associated with, and these documents."""
    claims, documents = list[Claim](), list[Document]()
    for number, text in enumerate(texts):
        same, contrary = text, f"It is false that {text[0].lower()}{text[1:]}"
        labelled: dict[Label, str] = {
            "supporting": same if truth[text] else contrary,
            "misleading": contrary if truth[text] else same,
            "irrelevant": texts[number - 1],
        }
        names = {label: f"{number}-{label}" for label in labelled}
        documents += [
            Document(source=names[label], text=said) for label, said in labelled.items() if label != "irrelevant"
        ]
        names["irrelevant"] = f"{(number - 1) % len(texts)}-supporting"
        associated = tuple(Associated(id=name, label=label) for label, name in names.items())
        claims.append(Claim(id=str(number), text=text, truth=truth[text], documents=associated))
    return EvaluationSet(units=tuple(claims), skipped={}), documents


def figures(run: Any) -> dict[str, Any]:
    """Accuracies, drops, and how often something misleading is found."""
    found = run.ended
    return {
        "claims": found.claims,
        "absent": found.absent,
        "accuracy": {name: round(one.share, 3) for name, one in found.accuracy.items()},
        "by_label": {name: round(one.share, 3) for name, one in found.by_label.items()},
        "drop": {name: one.model_dump() for name, one in found.drop.items()},
        "misleading@5": found.retrieval.get("misleading@5"),
    }


if __name__ == "__main__":
    main()
