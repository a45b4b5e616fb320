"""RAGuard: claims checked without documents, with retrieved ones, and with each of their own (sections 2.4 and 4.1)."""

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

METHOD = "RAGuard 1"  # another number where a change makes other questions or scores
BATCH = 16  # claims whose verdicts are asked for at once, about nine each
KS = (1, 5, 10, 20)  # of figure 6

Condition: TypeAlias = Literal["zero-context", "rag-1", "rag-5", "oracle", "exam"]
Ended: TypeAlias = Literal["correct", "wrong", "out of scope", "failed"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
RETRIEVED: dict[Condition, int] = {"rag-1": 1, "rag-5": 5}


class ClaimVerdict(Record):
    """A verdict on a claim from these documents; `label` is that of the one document of oracle and exam."""

    condition: Condition
    documents: tuple[str, ...]
    label: Label = "unlabelled"
    answer: str
    reasoning: str
    failure: str
    ended: Ended


class CheckedClaim(RunLine):
    """A claim with every verdict on it, the documents found for it, best first, and how good that ranking is.

    `absent` are documents of the claim that the corpus does not hold.
    """

    claim: str
    truth: bool
    verdicts: tuple[ClaimVerdict, ...]
    found: tuple[str, ...]
    measures: dict[str, float]
    absent: tuple[str, ...]


class RaguardSystems(NamedTuple):
    """What is tested, what sits the exam that labels documents, and what finds them (None where nothing need)."""

    checker: Generator
    examiner: Generator
    retriever: Retriever | None


class _ClaimQuestion(NamedTuple):
    """A question about a claim: the condition, and the documents, by id, with their texts."""

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
    """Check every claim that the folder does not have yet, and write it there with its verdicts."""

    async def test(batch: list[Claim]) -> list[CheckedClaim]:
        prepared = [_prepared(graph, corpus, one, conditions, systems.retriever) for one in batch]
        return await _checked(prepared, systems)

    await folder.go_on(claims.units, test, BATCH, advance)


async def _checked(prepared: Sequence[_PreparedClaim], systems: RaguardSystems) -> list[CheckedClaim]:
    asked = [(one.claim, call) for one in prepared for call in one.calls]
    plain = [_asked(claim, call) for claim, call in asked if call.condition != "exam"]
    exams = [_asked(claim, call) for claim, call in asked if call.condition == "exam"]
    answers = iter(await systems.checker.answers(plain))
    examined = iter(await systems.examiner.answers(exams))
    verdicts: dict[str, list[ClaimVerdict]] = {one.claim.id: [] for one in prepared}
    for claim, call in asked:
        answer = next(examined if call.condition == "exam" else answers)
        verdicts[claim.id].append(_verdict(claim, call, answer))
    return [_tested(one, verdicts[one.claim.id]) for one in prepared]


def _prepared(
    graph: Graph, corpus: str, claim: Claim, conditions: Sequence[Condition], retriever: Retriever | None
) -> _PreparedClaim:
    ranked = ranked_documents(retriever, claim.text, max(KS)) if retriever else []
    looked_at = retriever is not None or {"oracle", "exam"} & {*conditions}
    own = [keys.document_key(corpus, one.id) for one in claim.documents if looked_at]
    rows = graph.read("read/document_texts", keys=sorted({*ranked, *own}))
    known = {row["key"]: (row["source"], passage(row["title"] or "", "\n\n".join(row["texts"]))) for row in rows}
    calls = list[_ClaimQuestion]()
    for condition in conditions:
        if condition == "zero-context":
            calls.append(_ClaimQuestion(condition, (), ()))
        elif condition in RETRIEVED:
            first = [known[key] for key in ranked[: RETRIEVED[condition]]]
            calls.append(_ClaimQuestion(condition, tuple(name for name, _ in first), tuple(text for _, text in first)))
        else:
            calls += [
                _ClaimQuestion(condition, (one.id,), (known[key][1],), one.label)
                for one, key in zip(claim.documents, own, strict=True)
                if key in known
            ]
    absent = tuple(one.id for one, key in zip(claim.documents, own, strict=False) if key not in known)
    return _PreparedClaim(claim, tuple(known[key][0] for key in ranked), calls, absent)


def _asked(claim: Claim, call: _ClaimQuestion) -> QuestionWithPassages:
    return QuestionWithPassages(unit=claim.id, question=claim.text, contexts=call.texts)


def _verdict(claim: Claim, call: _ClaimQuestion, answer: Generated) -> ClaimVerdict:
    said = verdict(answer.answer)
    ended: Ended = "correct" if said == claim.truth else "wrong"
    if answer.failure:
        ended = "failed"
    elif said is None:
        ended = "out of scope"
    return ClaimVerdict(
        condition=call.condition, documents=call.documents, label=call.label, answer=answer.answer,
        reasoning=answer.reasoning, failure=answer.failure, ended=ended,
    )  # fmt: skip


def _tested(one: _PreparedClaim, verdicts: Sequence[ClaimVerdict]) -> CheckedClaim:
    claim, scores = one.claim, dict[str, float]()
    if one.found and claim.documents:
        grades = {document.id: 1 for document in claim.documents}
        scores = measures(one.found, grades, KS, claim.labelled("misleading"))
        wanted = ("precision@", "recall@", "ndcg@", "misleading@")
        scores = {name: value for name, value in scores.items() if name.startswith(wanted)}
    return CheckedClaim(
        id=claim.id, claim=claim.text, truth=claim.truth, verdicts=tuple(verdicts), found=one.found, measures=scores,
        absent=one.absent,
    )  # fmt: skip
