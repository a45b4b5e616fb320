"""The coreference reader: whom pronouns of plain texts mean, where nobody is meant, and what facts make of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.extraction.readers import coreference_reader, relation_reader, statement_reader
from kgservice.extraction.readers.coreference_reader import MAX_ENDS, pieces, window
from kgservice.extraction.readers.sentence_encoder import MAX_PIECES
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.fact_ends import Met
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract, resolver_of
from kgservice.text.periods import NO_CALENDAR
from tests.conftest import examples

MEGABYTES = 40
PLAIN = (
    ("Ada Orr met Bo Lind in Lun. She is a singer.", "She", "Ada Orr"),
    ("Acme hired Ada Orr in 1999. It makes bicycles.", "It", "Acme"),
    ("Solaris is a 1972 film by Andrei Tarkovsky. The film was shot in Moscow.", "film", "Solaris"),
    ("Microsoft bought GitHub in 2018. The deal gave the company many users. It paid 7.5 billion.", "company", "Microsoft"),
    ("Mr. Lind spoke to Ada Orr. He said that her firm was for sale.", "her", "Ada Orr"),
)  # fmt: skip


def read(parser: Parser, text: str, title: str = "", company: str = "") -> Reader:
    reader = Reader(parser.parse(text, title)[0], title, company, NO_CALENDAR, ends=True)
    list(reader.weighed())
    return reader


def meant(parser: Parser, text: str, word: str, title: str = "") -> tuple[str, float] | None:
    """Return what the last pronoun of these letters means, and how likely."""
    reader = read(parser, text, title)
    resolver = resolver_of(reader, "")
    assert resolver is not None
    found = [
        (at, end)
        for at, met in enumerate(reader.met)
        for end in (*met.ends, *met.nouns)
        if end.kind == "pronoun" and met.text[end.start - met.start : end.end - met.start] == word
    ]
    known = resolver.meant(*found[-1])
    return (known.name.label, known.probability) if known is not None else None


def test_the_weights_fit_the_repository() -> None:
    folders = [reader.FOLDER for reader in (coreference_reader, relation_reader, statement_reader)]
    folders.append(statement_reader.OF_REPORTS)
    assert sum(path.stat().st_size for folder in folders for path in Path(folder).iterdir()) < MEGABYTES * 2**20


@pytest.mark.parametrize(("text", "word", "name"), PLAIN)
def test_plain_pronouns_mean_who_is_meant(parser: Parser, text: str, word: str, name: str) -> None:
    known = meant(parser, text, word)
    assert known is not None
    assert known[0] == name
    assert known[1] > 0.5


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Acme sold Lindia in 1999. It is said that prices rose.", "It"),
        ("Ada Orr lives in Oslo. It rained for days.", "It"),
        ("Oslo has many parks. They say that nobody visits them.", "They"),
    ],
)
def test_where_nothing_is_named_nothing_is_meant(parser: Parser, text: str, word: str) -> None:
    known = meant(parser, text, word)
    assert known is None or known[1] < 0.5


def test_a_title_is_a_name_that_may_be_meant(parser: Parser) -> None:
    known = meant(parser, "She was born in Lun and moved to Oslo.", "She", "Ada Orr (singer)")
    assert known is not None
    assert known[0] == "Ada Orr"


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("Ada Orr founded Lind Holdings in 1999. It was bought by Acme. She was born in Oslo.", "Oslo", "Ada Orr"),
        (
            "Acme bought the startup Lindsoft in 2019. The startup, founded by Bo Lind, is based in Oslo.",
            "Oslo",
            "Lindsoft",
        ),
    ],
)
@pytest.mark.usefixtures("low_bar")
def test_a_fact_is_said_of_whom_its_pronoun_means(parser: Parser, text: str, place: str, name: str) -> None:
    doc = parser.parse(text)[0]
    found = extract(doc, "", pairs=relation_reader.packaged()).triplets
    surest = max((one for one in found if one.object.label == place), key=lambda one: one.confidence)
    assert surest.subject.label == name


def test_a_report_speaks_of_its_company(parser: Parser) -> None:
    reader = read(parser, "We bought Lindia. Our stores are in Oslo.", company="Acme Corp.")
    assert resolver_of(reader, "Acme Corp.") is None
    assert not any(met.nouns for met in reader.met)


def test_what_follows_a_sentence_changes_nothing_in_it(parser: Parser) -> None:
    text = "Ada Orr met Bo Lind in Lun. She is a singer."
    assert meant(parser, text, "She") == meant(parser, f"{text} Cy Berg sings too.", "She")


@settings(max_examples=examples(30))
@given(st.lists(st.integers(1, 90), min_size=1, max_size=12), st.integers(0, 60))
def test_a_window_holds_no_more_than_the_encoder_reads(words: list[int], title: int) -> None:
    met = [Met("word " * count, 0, (), "", None) for count in words]  # type: ignore[arg-type]
    for at, one in enumerate(met):
        seen = window(pieces, "title " * title, met, at)
        assert one.text.strip() in seen.text
        assert pieces(seen.text) <= max(MAX_PIECES, pieces(one.text) + title + 1)


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.sampled_from("He she it The company Ada Orr Acme was . , born in Oslo 1999".split()), max_size=40))
def test_any_text_is_read(parser: Parser, words: list[str]) -> None:
    reader = read(parser, " ".join(words) or "She.")
    resolver = resolver_of(reader, "")
    assert resolver is not None
    for at, met in enumerate(reader.met):
        assert len(met.ends) + len(met.nouns) <= MAX_ENDS * 10
        for end in (*met.ends, *met.nouns):
            known = resolver.meant(at, end)
            assert known is None or 0 <= known.probability <= 1


def test_a_text_about_a_name_is_about_nobody_of_that_name(parser: Parser) -> None:
    text = (
        "Gabriela Liz (born 1961), Argentine field hockey player. Manuel Liz (born 1989), Portuguese footballer. "
        "Víctor Liz (born 1986), Dominican basketball player."
    )
    doc = parser.parse(text, "Liz (surname)")[0]
    found = {one.subject.label for one in extract(doc, "Liz (surname)", pairs=relation_reader.packaged()).triplets}
    assert found
    assert "Liz" not in found


def test_a_text_about_a_firm_is_about_it_whatever_its_products_are_called(parser: Parser) -> None:
    text = (
        "Apple Watch, Apple Music, Apple Arcade and Apple Pay are its products. It was founded in 1976 by Steve Jobs."
    )
    assert read(parser, text, "Apple").title == "Apple"


def test_dates_of_life_are_of_the_name_before_them_in_a_list(parser: Parser) -> None:
    doc = parser.parse(
        "Ann Orr (born 1975), a painter ; Bo Orr (born 1980), a footballer ; Cy Orr (born 1928), a poet"
    )[0]
    assert {(one.subject.label, one.object.label) for one in extract(doc, "").triplets} >= {("Bo Orr", "1980")}
    assert not {("Ann Orr", "1980"), ("Ann Orr", "1928")} & {
        (one.subject.label, one.object.label) for one in extract(doc, "").triplets
    }
