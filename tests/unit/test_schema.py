"""The relation schema: the file that comes with the project is sound, and a wrong one is told everything about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from kgservice.cli import app
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.schema import DEFAULT, NONE, Schema, check_file, load_schema, read_schema


def default() -> Schema:
    found = load_schema(DEFAULT)
    assert found is not None
    return found


RELATIONS = sorted(default().relations)
CLASSES = sorted(default().classes)


def test_the_packaged_schema_is_sound_and_large_enough() -> None:
    schema, faults = check_file(DEFAULT)
    assert faults == []
    assert schema is not None and len(schema.relations) >= 120
    assert load_schema(NONE) is None


@pytest.mark.parametrize(
    ("type_", "classes", "fit"),
    [("town", ["place"], 2), ("town", ["city"], 3), ("place", ["country"], 1), ("person", ["place"], 0),
     ("country", ["organization"], 0), ("organization", ["place"], 0), (None, ["person"], 1), (None, ["date"], 0),
     ("date", ["date"], 2), ("country", ["place", "country"], 3), ("number", ["place"], 0), ("never heard of", ["film"], 1), ("indie rock band", ["band"], 3),
     ("STOCK_EXCHANGE", ["company"], 3)],
)  # fmt: skip
def test_types_fit_classes(type_: str | None, classes: list[str], fit: int) -> None:
    assert default().fit(type_, classes) == fit


@pytest.mark.parametrize("side", ["objects", "subjects"])
def test_whoever_has_a_partner_has_several_over_the_years(side: str) -> None:
    assert getattr(default().relations["P451"], side) == "several"


@pytest.mark.parametrize(("relation", "side"), [("P179", "subjects"), ("P361", "subjects"), ("P527", "objects")])
def test_a_whole_has_several_parts(relation: str, side: str) -> None:
    assert getattr(default().relations[relation], side) == "several"


@settings(deadline=None)  # the first example reads the file
@given(st.sampled_from(RELATIONS))
def test_a_relation_and_its_inverse_are_stored_as_one(name: str) -> None:
    schema = default()
    inverse = schema.relations[name].inverse
    stored, turned = schema.stored(name)
    assert schema.stored(stored) == (stored, False)
    if inverse is None:
        assert (stored, turned) == (name, False)
    else:
        assert schema.stored(inverse) == (stored, not turned)


@pytest.mark.parametrize("name", ["Universal Pictures", "Coral Studios", "Lun Productions", "Ada Orr Entertainment"])
def test_who_makes_films_is_a_company_by_its_name(name: str) -> None:
    schema = load_schema()
    assert schema is not None and schema.named_class(name) == "company"


@settings(deadline=None)  # the first example reads the file
@given(st.sampled_from(CLASSES), st.sampled_from(CLASSES))
def test_a_class_fits_itself_and_what_is_above_it(one: str, other: str) -> None:
    schema = default()
    assert schema.fit(one, [one]) >= 2
    assert (schema.fit(one, [other]) == 0) == (schema.fit(other, [one]) == 0)


def test_pairs_of_types_are_joined_by_the_relations_that_fit_them() -> None:
    joined = {one.id for one in default().joins("person", "date")}
    assert {"P569", "P570"} <= joined and not {"P19", "P577"} & joined


WRONG = """
[classes]
person = { is = ["human"], words = ["woman"] }
city = { words = ["woman"] }
a = { is = ["b"] }
b = { is = ["a"] }
[relations.P1]
label = "one"
description = "d"
domain = ["person"]
range = ["planet"]
symmetric = true
inverse = "P2"
wider_inverse = "P3"
phrases = ["X is Y of Y"]
ask_object = ["Where is Y"]
ask_subject = ["Who is Y?"]
said_of = { nonsense = ["X is of Y"] }
said_without = { star = ["Y is with Y"] }
ask_object_of = { woman = ["Whose is X?"] }
ask_subject_of = { star = ["Who has Y?"] }
[relations.P2]
label = "One"
description = "d"
domain = ["city"]
range = ["city"]
ask_object = ["What is X?"]
ask_subject = ["What is Y?"]
"""


def test_everything_that_is_wrong_is_told_at_once() -> None:
    told = "\n".join(read_schema(WRONG)[1])
    for said in (
        "no class 'human'", "the word 'woman'", "class a: it belongs to itself", "no class 'planet'",
        "no class 'nonsense'", "no class 'woman'", "no class 'star'", "not alike", "its inverse P2", "its wider inverse P3",
        "'X is Y of Y' needs X and Y", "'Y is with Y' needs X and Y", "'Where is Y' needs X", "P1 has the label",
    ):  # fmt: skip
        assert said in told


@pytest.mark.parametrize(
    ("text", "said"),
    [("[[", "no TOML"), ("x = 1", "unknown table"), ("", "no relation"), ("relations = 3", "no table"),
     ("[relations.P1]\nlabel = 3", "label"), ("[relations]\nP1 = 3", "no table"), ("[relations.1]\n", "id"),
     ("[classes]\na = { colour = 'red' }", "colour")],
)  # fmt: skip
def test_a_file_that_is_no_schema_is_refused_in_words(text: str, said: str) -> None:
    schema, faults = read_schema(text)
    assert schema is None and any(said in one for one in faults)


def test_names_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="give default, none or a TOML file"):
        load_schema(str(tmp_path / "none.toml"))
    with pytest.raises(NotFound, match="schema show"):
        default().relation("no such relation")
    assert default().relation("Place of Birth").id == "P19"


def test_the_command_shows_and_checks(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["schema", "show", "P19", "--json"])
    assert json.loads(shown.stdout)["label"] == "place of birth"
    assert len(CliRunner().invoke(app, ["schema", "show"]).stdout.splitlines()) == len(RELATIONS)
    file = tmp_path / "mine.toml"
    file.write_text(WRONG)
    checked = CliRunner().invoke(app, ["schema", "check", str(file), "--json"])
    assert checked.exit_code == 1 and len(json.loads(checked.stdout)["faults"]) >= 9
    assert CliRunner().invoke(app, ["schema", "check", DEFAULT]).exit_code == 0


def test_a_relation_is_a_key() -> None:
    schema = load_schema()
    assert schema is not None
    assert len(set(schema.relations.values())) == len(schema.relations)
