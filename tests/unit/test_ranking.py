"""Measures of rankings equal trec_eval's; the papers' own are what their definitions say."""

from __future__ import annotations

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.metrics.ranking import mean, measures
from tests.conftest import examples

KS = (1, 2, 3, 5, 10, 20)
THEIRS = {"precision": "P", "recall": "recall", "ndcg": "ndcg_cut", "map": "map_cut", "hit_rate": "success"}

documents = st.sampled_from([f"d{index}" for index in range(14)])
rankings = st.lists(documents, unique=True, max_size=14)
judged = st.dictionaries(documents, st.integers(-1, 4), min_size=1).filter(lambda grades: max(grades.values()) > 0)


@given(ranked=rankings, grades=judged)
@settings(max_examples=examples(200), deadline=None)
def test_measures_are_trec_evals(ranked: list[str], grades: dict[str, int]) -> None:
    ours = measures(ranked, grades, KS)
    cuts = ",".join(map(str, KS))
    wanted = {f"{name}.{cuts}" for name in THEIRS.values()}
    scores = {document: float(len(ranked) - rank) for rank, document in enumerate(ranked)} or {"nothing": 1.0}
    theirs = pytrec_eval.RelevanceEvaluator({"q": grades}, wanted).evaluate({"q": scores})["q"]
    for name, their in THEIRS.items():
        for k in KS:
            assert ours[f"{name}@{k}"] == pytest.approx(theirs[f"{their}_{k}"], abs=1e-9), (name, k)
    for k in KS:  # trec_eval's reciprocal rank knows no k: give it the first k only
        cut = {document: scores[document] for document in ranked[:k]} or {"nothing": 1.0}
        found = pytrec_eval.RelevanceEvaluator({"q": grades}, {"recip_rank"}).evaluate({"q": cut})["q"]
        assert ours[f"mrr@{k}"] == pytest.approx(found["recip_rank"], abs=1e-9)


@given(ranked=rankings, grades=judged, k=st.integers(1, 20))
@settings(deadline=None)
def test_all_found_is_full_recall(ranked: list[str], grades: dict[str, int], k: int) -> None:
    found = measures(ranked, grades, [k])
    assert (found[f"all@{k}"] == 1.0) == (found[f"recall@{k}"] == 1.0)


def test_misleading_retrieval_recall_is_the_share_of_claims_with_a_misleading_document() -> None:
    claims = [
        (["m1", "g1"], {"g1": 1}, {"m1"}),
        (["g2", "m2"], {"g2": 1}, {"m2"}),
        (["g3", "x"], {"g3": 1}, {"m3"}),
        (["g4", "x"], {"g4": 1}, set()),  # nothing can mislead here
    ]
    rows = [measures(ranked, grades, [1, 2], misleading) for ranked, grades, misleading in claims]
    found = mean(rows)
    assert found["misleading@1"] == pytest.approx(1 / 3)
    assert found["misleading@2"] == pytest.approx(2 / 3)
    assert found["recall@1"] == pytest.approx(3 / 4)
