"""The options of `kgservice subgraphs` become a choice, or an error that names the option; what it prints of a row."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from typer.testing import CliRunner

from kgservice.cli import app
from kgservice.cli.subgraphs import described, subgraph_options
from kgservice.core.errors import BadRequest
from kgservice.core.records import Fact, Reading, Source, Subgraph
from kgservice.questions.patterns import SubgraphOptions

DEFAULTS = SubgraphOptions().model_dump(exclude={"type"}) | {"entity_type": None, "open_facts": False}


def test_options_become_a_choice() -> None:
    given = DEFAULTS | {"entity_type": "city", "published_since": datetime(2030, 1, 5), "pattern": "chain"}
    assert subgraph_options(given) == SubgraphOptions(type="city", published_since=date(2030, 1, 5))


@pytest.mark.parametrize(("name", "option"), [("relation", "--relation"), ("entity_type", "--type")])
def test_an_empty_filter_is_named(name: str, option: str) -> None:
    with pytest.raises(BadRequest, match=f"{option}: "):
        subgraph_options(DEFAULTS | {name: ""})


@pytest.mark.parametrize(
    ("cell", "confidence", "printed"),
    [
        ("", 1, "”"), ("", 0.834, "” (confidence .83)"), ("", 0.999, "” (confidence .99)"), ("", 0, "” (confidence .00)"),
        ("row 3", 1, "” (row 3)"), ("row 3", 0.7, "” (row 3) (confidence .70)"),
    ],
)  # fmt: skip
def test_a_sentence_that_may_be_misread_has_its_confidence(cell: str, confidence: float, printed: str) -> None:
    source = Source(chunk="c", document="d", sentence="Ada rules Lun.", cell=cell, confidence=confidence)
    fact = Fact(key="f", subject="Ada", relation="rules", object="Lun", statements=(source,))
    known = {"relations": ("r",), "named": ("Ada",), "answers": ("Lun",)}
    row = Subgraph(id="s", pattern="single", asked="object", readings=(Reading(pivots=(), facts=(fact,)),), **known)
    assert described(row).splitlines()[-1] == f"        “Ada rules Lun.{printed}"


@pytest.mark.parametrize("verb", ["list", "export"])
def test_a_state_or_pattern_that_there_is_not_is_refused_with_the_choices(verb: str) -> None:
    for option, choice in (
        ("--state", "'active', 'retired', 'rejected'"),
        ("--pattern", "no pattern 'nosuch': choose one of "),
    ):
        path = ("out.jsonl",) if verb == "export" else ()
        done = CliRunner(env={"COLUMNS": "400"}).invoke(app, ["questions", verb, *path, option, "nosuch"])
        assert done.exit_code == 2
        assert choice in done.stderr
