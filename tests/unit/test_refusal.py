"""What is a refusal where no model judges: a list that the model was not made from (training/refusals.py)."""

from pathlib import Path

import pytest

from kgservice.answering.generator import REFUSAL, Generated
from kgservice.metrics.judge import Judgement
from kgservice.metrics.outcomes import outcome
from kgservice.text.refusal import refuses

ROOT = Path(__file__).parents[2]


def _listed(path: str) -> list[tuple[str, bool]]:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return [(text, kind == "refusal") for kind, text in (line.split("\t") for line in lines)]


def test_refusals_are_told_from_answers() -> None:
    rows = _listed("tests/data/refusals.tsv")
    for kind in (True, False):
        texts = [text for text, refusal in rows if refusal == kind]
        wrong = [text for text in texts if refuses(text) != kind]
        assert len(texts) >= 60
        assert len(wrong) <= 0.05 * len(texts), wrong


def test_what_the_model_was_made_from_is_not_what_judges_it() -> None:
    made, judged = (
        {text.lower().rstrip(".") for text, _ in _listed(path)}
        for path in ("training/refusals.tsv", "tests/data/refusals.tsv")
    )
    both = made & judged
    assert both <= {"no such info", "n/a", "unknown", "no"}, "short phrases that every list of them has"


@pytest.mark.parametrize("said", [REFUSAL, "No such info.", "I cannot find that information"])
def test_the_papers_phrases_are_refusals(said: str) -> None:
    assert refuses(said)


@pytest.mark.parametrize("said", ["No", "No.", "None", "0", "Lun", "Unknown Pleasures", ""])
def test_short_answers_are_none(said: str) -> None:
    assert not refuses(said)


def test_an_outcome_goes_by_the_judgement() -> None:
    refused = Judgement(right=False, how="", refused=True)
    assert outcome(Generated(answer="The archive keeps quiet."), refused) == "refused"
    assert outcome(Generated(answer="I don't know"), Judgement(right=True, how="", votes=(True,))) == "correct"
