"""RAGuard: verdicts without documents, with retrieved ones, and with each of the claim's own (sections 2.4 and 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from kgservice.answering.generator import Generated, Generator, QuestionWithPassages
from kgservice.answering.verdicts import verdict
from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.evaluation.raguard.questions import Claim, Label
from kgservice.evaluation.retrieval.run import ranked_documents
from kgservice.evaluation.shared.run_folder import Advance, RunFolder, RunLine
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.graph.store import Graph
from kgservice.metrics.ranking import measures
from kgservice.retrieval.retriever import Retriever
from kgservice.vectors.embedder import passage

METHOD = "RAGuard 2"  # count up when questions or scores change
BATCH = 16  # claims checked at once, with about nine verdicts each
KS = (1, 5, 10, 20)  # of figure 6

Condition: TypeAlias = Literal["zero-context", "rag-1", "rag-5", "oracle", "exam"]
Ended: TypeAlias = Literal["correct", "wrong", "out of scope", "failed"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
RETRIEVED: dict[Condition, int] = {"rag-1": 1, "rag-5": 5}


class ClaimVerdict(Record):
    """A verdict on a claim from these documents. `label` is that of the single document of oracle and exam."""

    condition: Condition
    documents: tuple[str, ...]
    label: Label = "unlabelled"
    answer: str
    reasoning: str
    failure: str
    ended: Ended


def conditions(condition: str, label: str) -> tuple[str, ...]:
    """Return the conditions under which a verdict counts: none for the exam, which labels documents.

    misleading-only is a part of oracle.
    """
    if condition == "exam":
        return ()
    return (condition, "misleading-only") if label == "misleading" else (condition,)


class CheckedClaim(RunLine):
    """A claim with every verdict on it, its retrieved documents, best first, and the measures of that ranking.

    `absent` are documents of the claim that the corpus does not hold.
    """

    claim: str
    truth: bool
    verdicts: tuple[ClaimVerdict, ...]
    found: tuple[str, ...]
    measures: dict[str, float]
    absent: tuple[str, ...]

    def failures(self) -> tuple[str, ...]:
        """Return why verdicts failed."""
        return tuple(one.failure for one in self.verdicts if one.failure)


class RaguardSystems(NamedTuple):
    """The system under test, the examiner that labels documents, and the retriever (None if no condition needs it)."""

    checker: Generator
    examiner: Generator
    retriever: Retriever | None


class _ClaimQuestion(NamedTuple):
    """A question about a claim: the condition, and the documents by id with their texts."""

    condition: Condition
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    label: Label = "unlabelled"


class _PreparedClaim(NamedTuple):
    claim: Claim
    found: tuple[str, ...]
    calls: list[_ClaimQuestion]
    absent: tuple[str, ...]


async def run(
    graph: Graph,
    corpus: str,
    claims: EvaluationSet[Claim],
    conditions: Sequence[Condition],
    systems: RaguardSystems,
    folder: RunFolder[CheckedClaim],
    advance: Advance = lambda _: None,
) -> None:
    """Check every claim that the folder lacks, and write it there with its verdicts."""

    async def test(batch: list[Claim]) -> list[CheckedClaim]:
        prepared = [_prepared(graph, corpus, claim, conditions, systems.retriever) for claim in batch]
        return await _checked(prepared, systems)

    await folder.go_on(claims.units, test, BATCH, advance)


async def _checked(prepared: Sequence[_PreparedClaim], systems: RaguardSystems) -> list[CheckedClaim]:
    calls = [(item.claim, call) for item in prepared for call in item.calls]
    plain = [_asked(claim, call) for claim, call in calls if call.condition != "exam"]
    exams = [_asked(claim, call) for claim, call in calls if call.condition == "exam"]
    answers = iter(await systems.checker.answers(plain))
    examined = iter(await systems.examiner.answers(exams))
    verdicts: dict[str, list[ClaimVerdict]] = {item.claim.id: [] for item in prepared}
    for claim, call in calls:
        answer = next(examined if call.condition == "exam" else answers)
        verdicts[claim.id].append(_verdict(claim, call, answer))
    retrieved = systems.retriever is not None
    return [_tested(item, verdicts[item.claim.id], retrieved=retrieved) for item in prepared]


def _prepared(
    graph: Graph, corpus: str, claim: Claim, conditions: Sequence[Condition], retriever: Retriever | None
) -> _PreparedClaim:
    ranked = ranked_documents(retriever, claim.text, max(KS)) if retriever else []
    needs_texts = retriever is not None or {"oracle", "exam"} & {*conditions}
    own = [keys.document_key(corpus, document.id) for document in claim.documents if needs_texts]
    rows = graph.read("read/document_texts", keys=sorted({*ranked, *own}))
    stored = {row["key"]: (row["source"], passage(row["title"] or "", "\n\n".join(row["texts"]))) for row in rows}
    calls = list[_ClaimQuestion]()
    for condition in conditions:
        if condition == "zero-context":
            calls.append(_ClaimQuestion(condition, (), ()))
        elif condition in RETRIEVED:
            first = [stored[key] for key in ranked[: RETRIEVED[condition]]]
            calls.append(_ClaimQuestion(condition, tuple(name for name, _ in first), tuple(text for _, text in first)))
        else:
            calls += [
                _ClaimQuestion(condition, (document.id,), (stored[key][1],), document.label)
                for document, key in zip(claim.documents, own, strict=True)
                if key in stored
            ]
    absent = tuple(document.id for document, key in zip(claim.documents, own, strict=False) if key not in stored)
    return _PreparedClaim(claim, tuple(stored[key][0] for key in ranked), calls, absent)


def _asked(claim: Claim, call: _ClaimQuestion) -> QuestionWithPassages:
    return QuestionWithPassages(unit=claim.id, question=claim.text, contexts=call.texts)


def _verdict(claim: Claim, call: _ClaimQuestion, answer: Generated) -> ClaimVerdict:
    truth = verdict(answer.answer)
    ended: Ended = "correct" if truth == claim.truth else "wrong"
    if answer.failure:
        ended = "failed"
    elif truth is None:
        ended = "out of scope"
    return ClaimVerdict(
        condition=call.condition, documents=call.documents, label=call.label, answer=answer.answer,
        reasoning=answer.reasoning, failure=answer.failure, ended=ended,
    )  # fmt: skip


def _tested(prepared: _PreparedClaim, verdicts: Sequence[ClaimVerdict], *, retrieved: bool) -> CheckedClaim:
    claim, scores = prepared.claim, dict[str, float]()
    if retrieved and claim.documents:  # where nothing was found, recall is 0
        grades = {document.id: 1 for document in claim.documents}
        scores = measures(prepared.found, grades, KS, claim.labelled("misleading"))
        wanted = ("precision@", "recall@", "ndcg@", "misleading@")
        scores = {name: value for name, value in scores.items() if name.startswith(wanted)}
    return CheckedClaim(
        id=claim.id, claim=claim.text, truth=claim.truth, verdicts=tuple(verdicts), found=prepared.found,
        measures=scores, absent=prepared.absent,
    )  # fmt: skip
