"""The sentences that the relation reader is trained on, with other names (training/exchanged_names.py)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = "Ada Lovelace met Charles Babbage in London in 1833, and Lovelace admired him."
NAMED = {"Ada Lovelace": "person", "Charles Babbage": "person", "London": "place", "1833": "date", "him": "pronoun"}


@pytest.mark.parametrize("made_up", [False, True])
def test_ends_keep_their_places_and_parts_of_names_stay_parts(made_up: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "training"))
    from exchanged_names import NameExchange
    from reader_data import Example

    places = [(TEXT.index(name), TEXT.index(name) + len(name), kind) for name, kind in NAMED.items()]
    again = TEXT.rindex("Lovelace")
    ends = tuple(sorted([*places, (again, again + len("Lovelace"), "name")]))
    example = Example("a", TEXT, ends, {(0, 1): frozenset(("P737",))}, {}, frozenset(), False, ())
    known = Example("b", "Niels Bohr and Lise Meitner left Lund.", (
        (0, 10, "person"), (15, 27, "person"), (33, 37, "place"),
    ), {}, {}, frozenset(), False, ())  # fmt: skip
    names, draw = NameExchange([example, known]), random.Random(1)
    for _ in range(20):
        other = names.exchanged(example, made_up, draw)
        said = [other.text[start:end] for start, end, _ in other.ends]
        assert [kind for *_, kind in other.ends] == [kind for *_, kind in example.ends]
        assert said[3] == "1833" and said[5] == "him"
        assert said[4] == said[0].split()[-1]
        assert other.text == f"{said[0]} met {said[1]} in {said[2]} in 1833, and {said[4]} admired him."
        assert other.facts == example.facts
