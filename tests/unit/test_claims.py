"""RAGuard's files as published, and its scores worked out by hand."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path
from typing import Any

import pytest

from kgservice.answering.verdicts import OverlapVerdicts
from kgservice.core.errors import BadRequest
from kgservice.evaluation.raguard import run as raguard
from kgservice.evaluation.raguard.claim_set import own_keywords, read_rated
from kgservice.evaluation.raguard.questions import Associated, Claim, Label, read_claims, write_claims
from kgservice.evaluation.raguard.report import RaguardRun, drops, examined, page, relabelled, summary
from kgservice.evaluation.raguard.run import CheckedClaim, ClaimVerdict, Condition, Ended, RaguardSystems
from kgservice.evaluation.shared.report_page import rendered
from kgservice.evaluation.shared.run_folder import Identity, RunFolder
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.retrieval.hit import Hit
from loaders.benchmarks.raguard import RaguardLoader
from tests.unit.loading import reasons, sorted_out

DATA = Path(__file__).parents[1] / "data" / "raguard"
IDENTITY = Identity(
    kgservice="1", evaluation="RAGuard", corpus="c", generator="extractive", retriever="bm25", k=20,
    embedding_model="m", judge="strings", seed=0, prompts={}, data="d",
)  # fmt: skip


def test_documents_and_claims_as_published(tmp_path: Path) -> None:
    documents, problems = sorted_out(RaguardLoader(DATA / "documents.csv"))
    assert problems == {}
    known = {one.source: one for one in documents}
    assert len(known) == 14
    assert known["2"].text.endswith("\n\nHe drove over it with a cart.")
    assert known["9"].text == known["9"].title == "Anyone for chess?"
    assert (known["1"].url, known["1"].metadata) == (
        "https://example.org/1",
        {"claim_id": "1", "document_label": "supporting"},
    )
    claims = read_claims(DATA / "claims.csv")
    assert claims.skipped == {"verdict is neither True nor False": 1}
    first = claims.units[0]
    assert (first.id, first.truth, first.labelled("misleading")) == ("1", True, ("2",))
    assert first.documents[2] == Associated(id="3", label="irrelevant")  # the file's "unrelated"
    assert len(read_claims(DATA / "claims.csv", limit=2, seed=1).units) == 2

    with (DATA / "documents.csv").open(encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == 14
    (tmp_path / "bad.csv").write_text("Document ID,Title,Full Text\n1,,\n", encoding="utf-8")
    assert reasons(RaguardLoader(tmp_path / "bad.csv")) == {"no text": 1}
    with pytest.raises(BadRequest, match=r"no claim of RAGuard's layout \(1 no text\)"):
        read_claims(tmp_path / "bad.csv")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('7,It rains.,True,"[1, 2]","[\'supporting\']"', "as many labels as documents are needed"),
        ("7,It rains.,True,[1],['fishy']", "no label 'fishy'"),
        ("7,It rains.,half,[1],['misleading']", "verdict is neither True nor False"),
    ],
)
def test_claims_that_cannot_be_checked_are_counted(tmp_path: Path, row: str, reason: str) -> None:
    head = "Claim ID,Claim,Verdict,Document IDs,Document Labels"
    (tmp_path / "c.csv").write_text(f"{head}\n{row}\n8,It snows.,False,[],[]\n", encoding="utf-8")
    found = read_claims(tmp_path / "c.csv")
    assert found.skipped == {reason: 1}
    assert [one.id for one in found.units] == ["8"]


def test_written_claims_are_read_back(tmp_path: Path) -> None:
    claims = read_claims(DATA / "claims.csv").units
    unlabelled = claims[0].model_copy(
        update={"id": "u", "text": 'He said "no",\nin 2009.', "documents": (Associated(id="3", label="unlabelled"),)}
    )
    write_claims(tmp_path / "claims.csv", [*claims, unlabelled])
    assert read_claims(tmp_path / "claims.csv").units == (*claims, unlabelled)
    assert "['supporting', 'misleading', 'unrelated']" in (tmp_path / "claims.csv").read_text(encoding="utf-8")


def test_a_scale_of_six_becomes_two_as_in_the_published_set(shared_data: Path) -> None:
    path = shared_data / "raguard" / "claims_even.jsonl.gz"
    truth = {claim.id: claim.truth for claim in read_claims(path).units}
    rated = read_rated(path)
    assert {claim.id: claim.truth for claim in rated.units} == truth
    assert len({claim.rating for claim in rated.units}) == 6
    dropped = read_rated(path, half_true="drop")
    assert (len(dropped.units), dropped.skipped) == (1324 - 248, {"half true": 248})
    assert len(read_rated(path, limit=5, seed=1).units) == 5


def test_rated_claims_need_no_documents(tmp_path: Path) -> None:
    rows = ["1,It rains.,Pants on Fire!", "2,It snows.,Barely True", "3,It hails.,perhaps", "4,Fog.,MOSTLY-TRUE"]
    (tmp_path / "rated.csv").write_text("\n".join(["Claim ID,Claim,Verdict", *rows]), encoding="utf-8")
    found = read_rated(tmp_path / "rated.csv")
    assert [(one.id, one.truth) for one in found.units] == [("1", False), ("2", False), ("4", True)]
    assert found.skipped == {"no rating of the six": 1}
    with pytest.raises(BadRequest, match=r"no rated claim \(14 no rating of the six\)"):
        read_rated(DATA / "documents.csv")


def test_a_claims_own_keywords_are_its_names_and_words() -> None:
    assert own_keywords("He says Mayor Dagny Holt has closed Isvik's public library, the library of Isvik, in 2031.") == (
        "Mayor Dagny Holt", "Isvik", "says", "closed", "public", "library", "2031",
    )  # fmt: skip


def test_published_claims(shared_data: Path) -> None:
    found = read_claims(shared_data / "raguard" / "claims_even.jsonl.gz")
    assert (len(found.units), found.skipped) == (1324, {})
    assert {one.label for claim in found.units for one in claim.documents} == {
        "supporting",
        "misleading",
        "irrelevant",
    }


def verdict(condition: Condition, ended: Ended, label: Label = "unlabelled") -> ClaimVerdict:
    answer = "" if ended == "failed" else "x"
    failure = "time-out" if ended == "failed" else ""
    return ClaimVerdict(
        condition=condition, documents=("9",), label=label, answer=answer, reasoning="", failure=failure, ended=ended
    )


def claim(name: str, truth: bool, *verdicts: ClaimVerdict, **scores: float) -> CheckedClaim:
    return CheckedClaim(
        id=name, claim="<b>It</b> rains.", truth=truth, verdicts=verdicts, found=(), measures=scores, absent=()
    )


class NoGraph:
    """A corpus without documents."""

    def read(self, _: str, **__: object) -> list[Any]:
        return []


class Nothing:
    """A retriever that finds nothing."""

    def hits(self, _: str) -> list[Hit]:
        return []

    def model_copy(self, update: object) -> Nothing:
        return self


@pytest.mark.parametrize(("finds", "recall"), [(Nothing(), 0.0), (None, None)])
def test_a_claim_for_which_nothing_is_found_counts(tmp_path: Path, finds: Any, recall: float | None) -> None:
    one = Claim(id="1", text="It rains.", truth=True, documents=(Associated(id="9", label="misleading"),))
    claims = EvaluationSet(units=(one, one.model_copy(update={"id": "2", "documents": ()})), skipped={})
    graph: Any = NoGraph()
    folder = RunFolder(tmp_path, IDENTITY, CheckedClaim)
    systems = RaguardSystems(OverlapVerdicts(), OverlapVerdicts(), finds)
    asyncio.run(raguard.run(graph, "c", claims, ["zero-context"], systems, folder))
    found, without_documents = folder.done()
    assert (found.measures.get("recall@5"), found.measures.get("misleading@1")) == (recall, recall)
    assert without_documents.measures == {}, "nothing could be found for it"


def test_table_4_by_hand() -> None:
    checked = [
        claim(
            "1", True, verdict("zero-context", "correct"), verdict("rag-1", "wrong"), verdict("rag-5", "correct"),
            verdict("oracle", "correct", "supporting"), verdict("oracle", "wrong", "misleading"),
            verdict("oracle", "out of scope", "irrelevant"), verdict("exam", "wrong", "supporting"),
            **{"misleading@1": 1.0, "recall@1": 0.5, "recall@5": 1.0},
        ),
        claim(
            "2", False, verdict("zero-context", "out of scope"), verdict("rag-1", "failed"),
            verdict("rag-5", "correct"), verdict("oracle", "correct", "misleading"), verdict("exam", "failed", "misleading"),
            **{"recall@1": 0.25},
        ),
    ]  # fmt: skip
    found = summary(checked, {"not drawn": 3})
    assert {name: (one.correct, one.of) for name, one in found.accuracy.items()} == {
        "zero-context": (1, 2), "rag-1": (0, 2), "rag-5": (2, 2), "oracle": (2, 4), "misleading-only": (1, 2),
    }  # fmt: skip
    assert {name: (one.absolute, one.relative) for name, one in found.drop.items()} == {
        "rag-1": (0.5, 1.0), "rag-5": (-0.5, -1.0), "oracle": (0.0, 0.0), "misleading-only": (0.0, 0.0),
    }  # fmt: skip
    assert drops({"rag-1": found.accuracy["rag-1"]}) == {}
    assert drops({"zero-context": found.accuracy["rag-1"], "rag-5": found.accuracy["rag-5"]})["rag-5"].relative is None
    assert {name: (one.correct, one.of) for name, one in found.by_label.items()} == {
        "irrelevant": (0, 1), "misleading": (1, 2), "supporting": (1, 1),
    }  # fmt: skip
    assert (found.by_truth["rag-1"]["True"].of, found.by_truth["rag-5"]["False"].correct) == (1, 1)
    assert found.retrieval == {"misleading@1": 1.0, "recall@1": 0.375, "recall@5": 1.0}  # nothing misleads claim 2
    assert found.exam == {"supporting": {"misleading": 1}, "misleading": {"unlabelled": 1}}
    assert (found.verdicts, found.failed) == (12, {"time-out": 2})
    assert [one.document_labels for one in relabelled(examined(checked))] == [("misleading",)]
    run = RaguardRun(identity=IDENTITY, summary=found)
    shown = page(run, checked)
    assert [(one.title, [curve.name for curve in one.curves]) for one in shown.charts] == [
        ("Retrieval by k", ["recall"])
    ]
    html = rendered(shown, run)
    assert "&lt;b&gt;It&lt;/b&gt; rains." in html
    assert "misleading-only" in html
    assert "Drop from zero-context" in html and "50.0 points" in html
    assert "http" not in html
