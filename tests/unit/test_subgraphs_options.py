"""The options of `kgservice subgraphs` become a choice, or an error that names the option."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from kgservice.cli.subgraphs import subgraph_options
from kgservice.core.errors import BadRequest
from kgservice.questions.patterns import SubgraphOptions

DEFAULTS = SubgraphOptions().model_dump(exclude={"type"}) | {"entity_type": None, "open_facts": False}


def test_options_become_a_choice() -> None:
    given = DEFAULTS | {"entity_type": "city", "published_since": datetime(2030, 1, 5), "pattern": "chain"}
    assert subgraph_options(given) == SubgraphOptions(type="city", published_since=date(2030, 1, 5))


@pytest.mark.parametrize(("name", "option"), [("relation", "--relation"), ("entity_type", "--type")])
def test_an_empty_filter_is_named(name: str, option: str) -> None:
    with pytest.raises(BadRequest, match=f"{option}: "):
        subgraph_options(DEFAULTS | {name: ""})
