"""A reply is read into the form that was asked for, or told what is wrong with it."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from pydantic import BaseModel

from kgservice.llm.answers import Reply
from kgservice.llm.form import Unfit, correction, read, schema_text


class Town(BaseModel):
    name: str
    people: int


class Towns(BaseModel):
    towns: list[Town]


ONE = '{"towns": [{"name": "Lun", "people": 3}]}'


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        f"```json\n{ONE}\n```",
        f"Sure! Here {{it}} is:\n\n{ONE}\nAnything else?",
        f'<think>{{"a": 1}} or {{"towns": 0}}?</think>{ONE}',
        '[{"name": "Lun", "people": 3}]',
        f"{ONE}\nNotes: [] none was left out.",
        '{"towns": [{"name": "Lun", "people": "3"}]}',
    ],
)
def test_an_answer_is_found_amid_other_words(text: str) -> None:
    assert read(Reply(text=text), Towns) == Towns(towns=[Town(name="Lun", people=3)])


@pytest.mark.parametrize(
    ("reply", "reason", "words"),
    [
        (Reply(text=ONE[:-4], finish="length", output_tokens=9), "cut off", "after 9 tokens"),
        (Reply(text="I do not know."), "not JSON", "no JSON object"),
        (Reply(text=""), "not JSON", "no JSON object"),
        (Reply(text='{"towns": [{"name": "Lun"}]}'), "wrong form", "towns.0.people: Field required"),
        (Reply(text='{"result": []}'), "wrong form", "none of the fields towns"),
        (Reply(text="{}"), "wrong form", "none of the fields towns"),
        (Reply(text=schema_text(Towns)), "schema given back", "the JSON schema itself"),
        (Reply(text="", refusal="No."), "refused by the model", "No."),
    ],
)
def test_what_is_wrong_is_named(reply: Reply, reason: str, words: str) -> None:
    with pytest.raises(Unfit, match=words) as caught:
        read(reply, Towns)
    assert caught.value.reason == reason
    assert caught.value.final == (reason == "refused by the model")
    assert words in correction(caught.value, Towns)
    assert schema_text(Towns) in correction(caught.value, Towns)


def test_of_an_answer_that_is_cut_off_nothing_is_taken() -> None:
    many = json.dumps({"towns": [{"name": "Lun", "people": n} for n in range(50)]})
    for end in range(1, len(many)):
        with pytest.raises(Unfit):
            read(Reply(text=many[:end], finish="length"), Towns)


def test_braces_without_end_are_read_in_time() -> None:
    with pytest.raises(Unfit):
        read(Reply(text="{[" * 20_000), Towns)


@pytest.mark.parametrize("text", ["[" * 3_000, '{"towns":' * 3_000, "[" * 3_000 + "]" * 3_000])
def test_an_answer_that_is_nested_too_deeply_is_a_fault(text: str) -> None:
    with pytest.raises(Unfit, match="nested too deeply") as caught:
        read(Reply(text=text), Towns)
    assert caught.value.reason == "nested too deeply"


def test_white_space_of_any_length_takes_linear_time() -> None:
    blanks = " " * 1_000_000
    assert read(Reply(text=f"{blanks}```json{blanks}{ONE}{blanks}```{blanks}"), Towns).towns
    with pytest.raises(Unfit):
        read(Reply(text=f"{blanks}`{blanks}"), Towns)


@pytest.mark.parametrize("broken", ["{x", "{\n", '{"', "x" * 20 + "{\n"])
def test_brackets_that_begin_no_json_take_linear_time(broken: str) -> None:
    assert broken == '{"' or read(Reply(text=f"{broken * 500}{ONE}"), Towns).towns
    began = time.process_time()
    with suppress(Unfit):
        read(Reply(text=f"{broken * 1_000_000}{ONE}"), Towns)
    assert time.process_time() - began < 20, "quadratic time would be hours"


def test_half_a_character_is_replaced() -> None:
    half = ONE.replace("Lun", r"L\ud800n \ud83d\ude00")
    (town,) = read(Reply(text=half), Towns).towns
    assert town.name == "L\ufffdn 😀"


@pytest.mark.parametrize("number", ["1" * 5_000, "-" + "9" * 5_000, "1e999", "NaN", "-Infinity"])
def test_a_number_that_is_none_is_a_fault(number: str) -> None:
    with pytest.raises(Unfit) as caught:
        read(Reply(text=ONE.replace("3", number)), Towns)
    assert caught.value.reason == "wrong form"
