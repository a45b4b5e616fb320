"""RAGuard: claims checked without documents, with retrieved ones, and with each of their own (sections 2.4 and 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

from kgservice import keys
from kgservice.embedding import passage
from kgservice.evaluation.chosen import Chosen
from kgservice.evaluation.claims import Claim, Label
from kgservice.evaluation.ranking import measures
from kgservice.evaluation.run_folder import Advance, Line, RunFolder
from kgservice.evaluation.runs import ranked_documents
from kgservice.generation.generator import Asked, Generated, Generator
from kgservice.generation.verdicts import verdict
from kgservice.graph.store import Graph
from kgservice.model import Record
from kgservice.retrieval.retriever import Retriever

METHOD = "RAGuard 1"  # another number where a change makes other questions or scores
BATCH = 16  # claims whose verdicts are asked for at once, about nine each
KS = (1, 5, 10, 20)  # of figure 6

Condition: TypeAlias = Literal["zero-context", "rag-1", "rag-5", "oracle", "exam"]
Ended: TypeAlias = Literal["correct", "wrong", "out of scope", "failed"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)
RETRIEVED: dict[Condition, int] = {"rag-1": 1, "rag-5": 5}


class Verdict(Record):
    """A verdict on a claim from these documents; `label` is that of the one document of oracle and exam."""

    condition: Condition
    documents: tuple[str, ...]
    label: Label = "unlabelled"
    answer: str
    reasoning: str
    failure: str
    ended: Ended


class CheckedClaim(Line):
    """A claim with every verdict on it, the documents found for it, best first, and how good that ranking is.

    `absent` are documents of the claim that the corpus does not hold.
    """

    claim: str
    truth: bool
    verdicts: tuple[Verdict, ...]
    found: tuple[str, ...]
    measures: dict[str, float]
    absent: tuple[str, ...]


class Systems(NamedTuple):
    """What is tested, what sits the exam that labels documents, and what finds them (None where nothing need)."""

    checker: Generator
    examiner: Generator
    retriever: Retriever | None


class _Planned(NamedTuple):
    """A question about a claim: the condition, and the documents, by id, with their texts."""

    condition: Condition
    documents: tuple[str, ...]
    texts: tuple[str, ...]
    label: Label = "unlabelled"


class _Prepared(NamedTuple):
    claim: Claim
    found: tuple[str, ...]
    calls: list[_Planned]
    absent: tuple[str, ...]


async def run(
    graph: Graph,
    corpus: str,
    claims: Chosen[Claim],
    conditions: Sequence[Condition],
    systems: Systems,
    folder: RunFolder[CheckedClaim],
    advance: Advance = lambda _: None,
) -> None:
    """Check every claim that the folder does not have yet, and write it there with its verdicts."""

    async def test(batch: list[Claim]) -> list[CheckedClaim]:
        prepared = [_prepared(graph, corpus, one, conditions, systems.retriever) for one in batch]
        return await _checked(prepared, systems)

    await folder.go_on(claims.units, test, BATCH, advance)


async def _checked(prepared: Sequence[_Prepared], systems: Systems) -> list[CheckedClaim]:
    asked = [(one.claim, call) for one in prepared for call in one.calls]
    plain = [_asked(claim, call) for claim, call in asked if call.condition != "exam"]
    exams = [_asked(claim, call) for claim, call in asked if call.condition == "exam"]
    answers = iter(await systems.checker.answers(plain))
    examined = iter(await systems.examiner.answers(exams))
    verdicts: dict[str, list[Verdict]] = {one.claim.id: [] for one in prepared}
    for claim, call in asked:
        answer = next(examined if call.condition == "exam" else answers)
        verdicts[claim.id].append(_verdict(claim, call, answer))
    return [_tested(one, verdicts[one.claim.id]) for one in prepared]


def _prepared(
    graph: Graph, corpus: str, claim: Claim, conditions: Sequence[Condition], retriever: Retriever | None
) -> _Prepared:
    ranked = ranked_documents(retriever, claim.text, max(KS)) if retriever else []
    looked_at = retriever is not None or {"oracle", "exam"} & {*conditions}
    own = [keys.document_key(corpus, one.id) for one in claim.documents if looked_at]
    rows = graph.read("read/document_texts", keys=sorted({*ranked, *own}))
    known = {row["key"]: (row["source"], passage(row["title"] or "", "\n\n".join(row["texts"]))) for row in rows}
    calls = list[_Planned]()
    for condition in conditions:
        if condition == "zero-context":
            calls.append(_Planned(condition, (), ()))
        elif condition in RETRIEVED:
            first = [known[key] for key in ranked[: RETRIEVED[condition]]]
            calls.append(_Planned(condition, tuple(name for name, _ in first), tuple(text for _, text in first)))
        else:
            calls += [
                _Planned(condition, (one.id,), (known[key][1],), one.label)
                for one, key in zip(claim.documents, own, strict=True)
                if key in known
            ]
    absent = tuple(one.id for one, key in zip(claim.documents, own, strict=False) if key not in known)
    return _Prepared(claim, tuple(known[key][0] for key in ranked), calls, absent)


def _asked(claim: Claim, call: _Planned) -> Asked:
    return Asked(unit=claim.id, question=claim.text, contexts=call.texts)


def _verdict(claim: Claim, call: _Planned, answer: Generated) -> Verdict:
    said = verdict(answer.answer)
    ended: Ended = "correct" if said == claim.truth else "wrong"
    if answer.failure:
        ended = "failed"
    elif said is None:
        ended = "out of scope"
    return Verdict(
        condition=call.condition, documents=call.documents, label=call.label, answer=answer.answer,
        reasoning=answer.reasoning, failure=answer.failure, ended=ended,
    )  # fmt: skip


def _tested(one: _Prepared, verdicts: Sequence[Verdict]) -> CheckedClaim:
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
