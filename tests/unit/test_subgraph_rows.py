"""What the rows of a pattern say of a fact's time."""

from __future__ import annotations

import pytest

from kgservice.graph.subgraph_rows import _is_past


@pytest.mark.parametrize(
    ("said", "relation", "past"),
    [
        ("operated by", "P137", False),  # of "is owned and operated by"
        ("managed by", "P137", False),
        ("owned by", "P127", False),
        ("was operated by", "P137", True),
        ("operated", "P137", True),
        ("is operated by", "P137", False),
        ("chaired", "P488", True),
    ],
)
def test_a_participle_alone_has_no_tense(said: str, relation: str, past: bool) -> None:
    assert _is_past(said, relation) is past
