"""The measures of a benchmark's results, by hand and against the library."""

from __future__ import annotations

import json

import pytest
from rouge_score.rouge_scorer import RougeScorer

from kgservice.metrics.result_scores import Expected, Result, ceiling, expected, score
from kgservice.releases.best_sentence import BestSentence

WANTED = [
    Expected(public_id=0, type="simple", answers=("Isvik",), text_ids=(2,)),
    Expected(public_id=1, type="multi-hop", answers=("Ada Lind",), text_ids=(0, 1)),
    Expected(public_id=2, type="multi-hop", answers=("Lun", "Orlo"), text_ids=(1,)),
]


def test_by_hand() -> None:
    results = {
        0: Result(found_ids=(5, 2, 2), model_answer="It is in Isvik."),
        1: Result(found_ids=(1, 1, 0), model_answer="ada lind"),
    }
    found = score(WANTED, results)
    assert found.questions == 3
    assert found.measures == pytest.approx(
        {
            "hit_rate@10": 2 / 3,
            "mrr@10": (1 / 2 + 1) / 3,
            "rouge2": 1 / 3,  # a name of one word has no pair of words
            "rougeL": (2 * (1 / 4) / (1 + 1 / 4) + 1) / 3,
            "exact": 1 / 3,
            "match": 2 / 3,
            "retrieval": (2 / 3 + 1 / 2) / 2,
            "generation": (1 / 3 + (0.4 + 1) / 3) / 2,
            "total": ((2 / 3 + 1 / 2) / 2 + (1 / 3 + 1.4 / 3) / 2) / 2,
        },
        abs=1e-4,
    )
    assert found.by_type["simple"]["mrr@10"] == 0.5
    assert found.by_type["multi-hop"]["match"] == 0.5


def test_sets_need_all_their_members() -> None:
    for said, matched in (("Orlo and Lun", 1.0), ("Lun", 0.0), ("", 0.0), ("I don't know", 0.0)):
        found = score(WANTED[2:], {2: Result(found_ids=(), model_answer=said)})
        assert (found.measures["match"], found.measures["hit_rate@10"]) == (matched, 0.0)
    assert score(WANTED[2:], {2: Result(found_ids=(), model_answer="Lun, Orlo")}).measures["exact"] == 1.0


@pytest.mark.parametrize(
    ("said", "answers", "exact", "match"),
    [
        ("5", ["-5"], 0, 0), ("£3.2 billion", ["$3.2 billion"], 0, 0), ("-2.1%", ["2.1%"], 0, 0), ("$5", ["5%"], 0, 0),
        ("10.5", ["10-5"], 0, 0), ("5, 7", ["5", "-7"], 0, 0), ("5, 7", ["$5", "£7"], 0, 1), ("5, 7", ["5", "7"], 1, 1),
        ("$5 million.", ["$5 million"], 1, 1), ("5", ["$5"], 0, 1), ("−5", ["-5"], 1, 1), ("lun, Orlo.", ["Lun", "Orlo"], 1, 1),
        ("the", ["a"], 0, 0), ("", ["Lun"], 0, 0),
        ("2019; 2021", ["2019", "2021"], 1, 1), ("Lun; 2021", ["Lun", "2021"], 1, 1), ("5; 7", ["$5", "£7"], 0, 1),
        ("lun, ost; 7%.", ["Lun, Ost", "7%"], 1, 1), ("2019; 2021; 2022", ["2019", "2021"], 0, 1), ("lun; Orlo", ["Lun", "Orlo"], 1, 1),
        ("$5 million; 4 May, 2031", ["$5 million", "4 May, 2031"], 1, 1), ("10 30", ["10:30"], 0, 1), ("10:30.", ["10:30"], 1, 1),
        ("2019 2021", ["2019-2021"], 0, 1), ("2019–2021", ["2019-2021"], 1, 1), ("Covid 19", ["COVID-19"], 1, 1),
    ],
)  # fmt: skip
def test_exact_and_match_go_by_value_and_unit(said: str, answers: list[str], exact: float, match: float) -> None:
    wanted = Expected(public_id=0, type="simple", answers=tuple(answers), text_ids=(0,))
    found = score([wanted], {0: Result(model_answer=said)}).measures
    assert (found["exact"], found["match"]) == (exact, match)


def test_rouge_is_that_of_the_library_and_knows_other_scripts() -> None:
    scorer = RougeScorer(["rouge2", "rougeL"])
    for wanted, said in (("the port of Isvik", "Isvik's old port, the port of Isvik"), ("a b c d", "a c b d c d")):
        one = Expected(public_id=0, type="simple", answers=(wanted,), text_ids=(0,))
        found = score([one], {0: Result(found_ids=(0,), model_answer=said)}).measures
        library = scorer.score(wanted, said)
        assert found["rouge2"] == pytest.approx(library["rouge2"].fmeasure, abs=1e-4)
        assert found["rougeL"] == pytest.approx(library["rougeL"].fmeasure, abs=1e-4)
    one = Expected(public_id=0, type="simple", answers=("Большой театр",), text_ids=(0,))
    assert score([one], {0: Result(found_ids=(), model_answer="большой театр")}).measures["rouge2"] == 1.0


def test_answers_are_read_whatever_else_their_rows_say() -> None:
    row = {
        "public_id": 3,
        "id": "x",
        "type": "set",
        "answer": "a\u2028, b",
        "answers": ["a\u2028", "b"],
        "text_ids": [1],
    }
    assert expected(json.dumps(row, ensure_ascii=False).encode())[0].answers == ("a\u2028", "b")


def test_best_sentence() -> None:
    texts = [
        (7, "Ports", "Isvik has a port. Its harbour master is Ada Lind."),
        (3, "Towns", "Orlo is a town. Nobody sails there."),
        (5, "Rivers", "The river Sel flows through Isvik."),
    ]
    answer, found = BestSentence(texts)("Who is the harbour master?")
    assert answer == "Its harbour master is Ada Lind."
    assert found[0] == 7
    assert BestSentence(texts, k=1)("river Isvik")[1] == [5]
    assert BestSentence(texts)("?") == ("", [])
    assert BestSentence([])("anything") == ("", [])


def test_a_perfect_system_has_no_bigram_of_one_word() -> None:
    wanted = [
        Expected(public_id=0, type="simple", answers=("Isvik",), text_ids=(1,)),
        Expected(public_id=1, type="set", answers=("Irena Kost", "Ann Weld"), text_ids=(2, 3)),
    ]
    plain, judged = ceiling(wanted), ceiling(wanted, judged=True)
    assert (plain.total_of, judged.total_of) == (2, 3)
    assert plain.measures["rouge2"] == 0.5
    assert (plain.measures["total"], judged.measures["total"]) == (0.875, pytest.approx(0.9167, abs=1e-4))
    assert score(wanted, {}).total_of == 2
