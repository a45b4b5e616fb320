"""What a passage names, and when two names are written alike."""

from __future__ import annotations

import time

import pytest

from kgservice.names.mentions import form, mentions, places


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Nathan H. Juran", "Nathan Juran"),
        ("Sackville- West", "Sackville-West's"),
        ("The Adventures Of Priscilla, Queen Of The Desert", "Adventures of Priscilla – Queen of the Desert"),
        ("U.S. Route 66", "US Route 66"),
        ("Erik Hort (soccer)", "Erik Hort soccer"),
    ],
)
def test_names_written_alike_have_one_form(name: str, other: str) -> None:
    assert form(name) == form(other)


@pytest.mark.parametrize(
    ("name", "other"), [("Edward I", "Edward II"), ("Charles V of Spain", "Charles of Spain"), ("A", "B")]
)
def test_other_names_have_another_form(name: str, other: str) -> None:
    assert form(name) != form(other)


def named(title: str, text: str) -> dict[str, str | None]:
    """Label → how the text writes it; None for names that the title alone gives."""
    return {m.entity.label: None if m.start is None else text[m.start : m.end] for m in mentions(title, text)}


def test_a_section_of_a_manual_is_no_part_of_a_name() -> None:
    assert named("crontab(5)", "It runs jobs.") == {"crontab": None}


def test_names_of_title_and_text() -> None:
    text = (
        "The Boy Who Cried Werewolf is a 1973 horror film directed by Nathan H. Juran. It was shot on 3 May 1972 in the "
        "University of\nOslo's Old Library. There, Juran\n\nmet D. Fox, of 20th Century Fox."
    )
    assert named("The Boy Who Cried Werewolf (1973 film)", text) == {
        "The Boy Who Cried Werewolf (1973 film)": None,
        "The Boy Who Cried Werewolf": "The Boy Who Cried Werewolf",
        "Nathan H. Juran": "Nathan H. Juran",
        "University": "University",
        "University of Oslo": "University of\nOslo",
        "University of Oslo's Old Library": "University of\nOslo's Old Library",
        "Oslo": "Oslo",
        "Oslo's Old Library": "Oslo's Old Library",
        "Old Library": "Old Library",
        "D. Fox": "D. Fox",
        "20th Century Fox": "20th Century Fox",
    }


def test_a_surname_alone_means_the_name_that_ends_in_it() -> None:
    found = mentions("Alexander Korda", "Korda met Ann Lee and Bo. In Paris Lee left Korda.")
    assert [(mention.entity.label, mention.start) for mention in found] == [
        ("Alexander Korda", 0), ("Ann Lee", 10), ("Ann Lee and Bo", 10), ("Bo", 22), ("In Paris Lee", 26), ("Paris Lee", 29),
    ]  # fmt: skip
    assert "Lee" not in named("", "Ann Lee came. Then Lee went.")
    assert "Oslo" in named("", "The University of Oslo is in Oslo.")


def test_a_part_of_a_longer_name_does_not_stand_for_itself() -> None:
    text = (
        "The Jackson family met at the University of Oslo. Goods of the People's Republic of China went to King's College "
        "and Oslo. A university, they said. Jackson stayed."
    )
    found = {place.label: place.start for place in reversed(places(text))}
    assert {"University of Oslo", "Oslo", "China", "People's Republic of China", "King's College"} <= found.keys()
    assert not {"University", "Republic of China", "The Jackson", "King", "College"} & found.keys()
    assert found["Jackson"] == text.index("Jackson stayed")


@pytest.mark.parametrize(
    ("text", "name", "itself"),
    [("She was a Croatian violinist.", "Croatian", False), ("She spoke Croatian.", "Croatian", True),
     ("They teach the Croatian language.", "Croatian", True), ("Via the Red River it flows.", "Via", False),
     ("In 1988. Ten years later they met.", "Ten", False), ("It was on Ten and Nine.", "Nine", True),
     ("The North and South Gardens", "The North", False), ("He met Ann and Bo.", "Ann", True)],
)  # fmt: skip
def test_adjectives_and_common_words_that_begin_a_sentence_name_nothing(text: str, name: str, itself: bool) -> None:
    assert (name in {place.label for place in places(text)}) is itself


def test_a_title_with_a_comma_has_a_shorter_name() -> None:
    assert list(named("Matilda of Brabant, Countess of Holland (died 1267)", "")) == [
        "Matilda of Brabant, Countess of Holland (died 1267)",
        "Matilda of Brabant, Countess of Holland",
        "Matilda of Brabant",
    ]


@pytest.mark.parametrize(
    "text", ["", "...", "東京は日本の首都です", "no capital here", "A", "In 1949, on 3 May 1950 and May 3, 1951"]
)
def test_nothing_is_named(text: str) -> None:
    assert named("", text) == {}


@pytest.mark.parametrize("unit", ["Aa ", "A. ", "Aa of ", "Aa's ", "the ", "1 ", "'’.&/-", "Aa-", "May 1 "])
def test_any_text_takes_linear_time(unit: str) -> None:
    started = time.process_time()
    mentions(unit * 30, unit * 10_000)
    places(unit * 10_000)
    assert time.process_time() - started < 8
