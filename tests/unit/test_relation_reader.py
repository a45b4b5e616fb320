"""The relation reader: its arithmetic, the packaged weights on plain sentences, and what it leaves alone."""

from __future__ import annotations

import math
import subprocess
import sys
from functools import cache
from importlib.resources import files
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.schema import DEFAULT, load_schema
from kgservice.extraction import end_pairs
from kgservice.extraction.end_pairs import _is_over, joined
from kgservice.extraction.phrasebook import DOUBTED, phrasebook
from kgservice.extraction.readers import statement_reader
from kgservice.extraction.readers.relation_reader import FOLDER, RelationReader, packaged
from kgservice.extraction.readers.sentence_encoder import (
    DISTANCES,
    MAX_PIECES,
    Encoded,
    SentenceEncoder,
    States,
    encode,
    steps,
    vocabulary,
)
from kgservice.extraction.readers.statement_reader import FARTHEST
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax import confidence
from kgservice.extraction.syntax.confidence import weights
from kgservice.extraction.syntax.fact_ends import KINDS
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract, reader_features, resolver_of
from kgservice.names.local_entities import link
from kgservice.text.periods import NO_CALENDAR
from tests.conftest import examples

MEGABYTES = 40
WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from kgservice.extraction.workers import _read
from kgservice.extraction.extractor import Passages
(read,) = _read("reader", "", [Passages("", ("Marie Curie was born in Warsaw.",))])
print(*(one.relation for one in read.triplets[0]))
"""
PLAIN = (
    ("Marie Curie was born in Warsaw.", ("Marie Curie", "P19", "Warsaw")),
    ("Angela Merkel studied at Leipzig University.", ("Angela Merkel", "P69", "Leipzig University")),
    ("Siemens is headquartered in Munich.", ("Siemens", "P159", "Munich")),
    ("Lyon is a city in France.", ("Lyon", "P17", "France")),
    ("Johann Sebastian Bach died on 28 July 1750.", ("Johann Sebastian Bach", "P570", "28 July 1750")),
)


def read(parser: Parser, text: str, title: str = "") -> set[tuple[str, str, str]]:
    """What the relation reader alone finds."""
    found = [
        one for doc in parser.parse(text, title) for one in extract(doc, title, pairs=packaged(), way="reader").triplets
    ]
    assert all(one.sentence in text for one in found)
    return {(one.subject.label, one.relation, one.object.label) for one in found}


def test_the_weights_fit_the_repository_and_the_schema() -> None:
    folder = Path(str(files("kgservice.extraction.readers") / "relations"))
    assert sum(path.stat().st_size for path in folder.iterdir()) < MEGABYTES * 2**20
    taught, schema = packaged().taught, load_schema()
    assert schema is not None
    assert set(taught.relations) <= set(schema.relations)
    assert len({len(one) for one in (taught.relations, taught.dated, taught.symmetric, taught.offsets)}) == 1
    for name, dated, symmetric in zip(taught.relations, taught.dated, taught.symmetric, strict=True):
        assert dated == ("date" in schema.relations[name].range), name
        assert symmetric == schema.relations[name].symmetric, name


@pytest.mark.parametrize(("text", "fact"), PLAIN)
def test_plain_sentences_are_read_one_way_round(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    found = read(parser, text)
    assert any((one[0], one[1]) == fact[:2] and one[2].startswith(fact[2]) for one in found)
    assert (fact[2], fact[1], fact[0]) not in found


@pytest.mark.parametrize(
    "text",
    [
        "Marie Curie was not born in Paris.", "Marie Curie saw Paris.", "Who was born in Warsaw?", "Warsaw.",
        "Charles Scribner's Sons, New York, 1903.", "8. AGGREGATION WITH INDEPENDENT WORKS",
    ],
)  # fmt: skip
def test_what_is_not_stated_is_not_read(parser: Parser, text: str) -> None:
    assert not read(parser, text)


@pytest.mark.parametrize(
    "text",
    [
        "Hahn Metals was founded before 1990.", "Hahn Metals was founded by the end of 1990.",
        "Hahn Metals was founded around 1985 in Lund.", "Hahn Metals was founded circa 1985.",
        "Ada Orr was born no later than 1950.", "Hahn Metals was founded in or around 1985.",
        "Hahn Metals was founded in 1987 or 1988.", "Hahn Metals was founded either in 1989 or in 1990.",
        "Ada Orr died between 1987 and 1988.", "Ada Orr was born in June or July 1950.",
        "Hahn Bridge was built from 1987 to 1988.",
    ],
)  # fmt: skip
def test_a_bound_is_no_date(parser: Parser, text: str) -> None:
    (doc,) = parser.parse(text)
    assert not [one for one in extract(doc, "", pairs=packaged()).triplets if one.object.kind == "date"]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Hahn Metals was founded in 1990 and sold in 2001.", "1990"),
        ("Ada Orr was born in 1950 to Bo Orr and Eva Lind.", "1950"),
        ("Hahn Metals was founded from the ruins of Lind Works in 1990.", "1990"),
    ],
)
def test_a_date_beside_other_words_is_one(parser: Parser, text: str, date: str) -> None:
    (doc,) = parser.parse(text)
    assert date in {one.object.label for one in extract(doc, "", pairs=packaged()).triplets}


@pytest.mark.parametrize(
    "day",
    ["Mar 3, 1988", "Jan. 5, 1990", "5 Dec 1990", "3 Jun. 1988", "3rd of June, 1988", "3 JUNE 1988", "Sept. 3, 1988"],
)
def test_a_day_keeps_its_month_however_that_is_written(parser: Parser, day: str) -> None:
    for text in (f"Ada Orr was born on {day}.", f"Hahn Metals was founded on {day} in Lund."):
        (doc,) = parser.parse(text)
        for way in ("rules", "reader"):
            dates = {one.object.label for one in extract(doc, "", pairs=packaged(), way=way).triplets}
            assert day in dates


def test_a_life_in_brackets_has_a_short_month(parser: Parser) -> None:
    (doc,) = parser.parse("Ada Orr (born Jan. 5, 1950) is a Danish writer.")
    assert "Jan. 5, 1950" in {one.object.label for one in extract(doc, "", way="rules").triplets}


def test_a_sentence_is_read_alike_in_any_company() -> None:
    reader = packaged()
    sentences = [
        ("Marie Curie was born in Warsaw.", ((0, 11, "person"), (24, 30, "place"))),
        ("Bach was a member of the court of Weimar in 1708.", ((0, 4, "person"), (34, 40, "place"), (44, 48, "date"))),
        ("Siemens, founded by Werner von Siemens, is based in Munich.", ((0, 7, "organization"), (20, 38, "person"))),
    ]

    def scores(text: str, ends: tuple[tuple[int, int, str], ...]) -> np.ndarray:
        encoded = encode(vocabulary()[0], text, ends)
        return reader.likely(encoded, list(permutations(range(len(ends)), 2)))

    first = [scores(*one) for one in sentences]
    again = [scores(*one) for one in (sentences[2], sentences[0], sentences[1])]
    for before, after in zip(first, (again[1], again[2], again[0]), strict=True):
        assert (before == after).all()
    another = RelationReader(Path(str(files("kgservice.extraction.readers") / "relations")))
    assert another.read(*sentences[0], 0.9) == reader.read(*sentences[0], 0.9)


@pytest.mark.whole
def test_workers_read_without_torch() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    assert "P19" in done.stdout.split()


def test_ends_are_names_dates_and_who_is_meant(parser: Parser) -> None:
    text = "Marie Curie was born in Warsaw. She was Director of Radium Institute on 4 July 1934."
    (doc,) = parser.parse(text)
    reader = Reader(doc, "", "", NO_CALENDAR, ends=True)
    list(reader.weighed())
    met = {text[end.start : end.end]: end.name.label if end.name else None for one in reader.met for end in one.ends}
    assert met["She"] == "Marie Curie"
    assert met["4 July 1934"] == "4 July 1934"
    assert "Director" not in str(met["Radium Institute"])


ORR = (
    "Ada Orr (born 4 July 1951 in Lun, Sweden) is a Swedish writer and the founder of Acme Foods. She studied at the "
    "University of Lun and was a member of the Green Party. Her husband, Bo Lind, is the chief executive of Globex, which "
    "was founded by his father in Oslo. He played for Lun United, and it won the Lun Cup in 1970. Solaris, her first "
    "novel, won the Orr Prize and was made into a film by Cy Berg, a director from Malmö."
)


def test_what_cannot_be_kept_by_its_belief_would_not_be_kept(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(parser.parse(ORR)[0], "", "", NO_CALENDAR, ends=True)
    list(reader.weighed())
    bar = confidence.least_likely({}, "reader")
    found = [(one.triplet, one.meant) for one in joined(packaged(), reader, resolver_of(reader, ""), bar)]
    monkeypatch.setattr(end_pairs, "least_belief", lambda _: -math.inf)
    every = [(one.triplet, one.meant) for one in joined(packaged(), reader, resolver_of(reader, ""), bar)]
    assert len(every) > 5
    assert found == every


def test_the_statement_reader_is_not_asked_of_what_it_cannot_keep(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(parser.parse("Ada Orr praised Bo Lind in 1999.")[0], "", "", NO_CALENDAR, ends=True)
    said, told, places = next(iter(tuple(reader.weighed())))
    unlikely = told | {"object before verb": 20.0}
    monkeypatch.setattr(statement_reader, "belief", lambda *_, **__: {"asked": 1.0})
    for known, features in ((None, {"asked": 1.0}), (told, {"asked": 1.0}), (unlikely, {confidence.BELIEF: FARTHEST})):
        assert reader_features(packaged(), reader.met, said, places, known)[0] == features
    surest = confidence.probability(unlikely | {confidence.BELIEF: FARTHEST})
    assert surest < confidence.least_likely(unlikely, confidence.way_of(unlikely))


@cache
def _encoder() -> SentenceEncoder:
    return SentenceEncoder(FOLDER)


@settings(max_examples=examples(50), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_the_head_scores_each_pair_as_if_it_were_alone(seed: int, ends: int) -> None:
    draw, encoder = np.random.default_rng(seed), _encoder()
    spans = [(3 * at, 3 * at + 1 + at % 2) for at in range(ends)]
    encoded = Encoded([0] * 3 * ends, [0] * 3 * ends, spans, list(range(ends)))
    states = States(*(draw.normal(size=(3 * ends, width)).astype(np.float32) for width in (384, 768)))
    pairs = list(permutations(range(ends), 2))
    found = encoder.scores(encoded, pairs, states)
    alone = np.concatenate([encoder.scores(encoded, [pair], states) for pair in pairs])
    assert np.abs(found - alone).max() < 0.1 * np.abs(alone - alone.mean(axis=0)).max()  # 8 bits, one scale for all


@settings(max_examples=examples(50), deadline=None)
@given(st.text(max_size=300), st.lists(st.tuples(st.integers(0, 300), st.integers(1, 40)), max_size=30))
def test_any_text_and_places_become_numbers(text: str, places: list[tuple[int, int]]) -> None:
    ends = [(start, start + length, KINDS[length % len(KINDS)]) for start, length in places]
    encoded = encode(vocabulary()[0], text, ends)
    assert len(encoded.ids) == len(encoded.kinds) <= MAX_PIECES
    assert len(encoded.spans) == len(encoded.ends)
    assert all(0 <= first < last <= len(encoded.ids) for first, last in encoded.spans)


@given(st.integers(0, 100), st.integers(1, 5), st.integers(0, 60))
def test_distances_are_told_apart_by_side(first: int, length: int, gap: int) -> None:
    one, other = (first, first + length), (first + length + gap, first + length + gap + 1)
    assert 0 <= steps(one, other) <= len(DISTANCES) < steps(other, one) <= 2 * len(DISTANCES) + 1


@pytest.mark.parametrize(
    ("text", "fact", "relation"),
    [
        ("Mara Lind joined Google in 2010.", ("Mara Lind", "joined", "Google"), None),
        ("Ada Orr came from Oslo.", None, "P740"),
    ],
)
@pytest.mark.usefixtures("low_bar")
def test_the_reader_doubts_what_rules_take_for_a_relation(
    parser: Parser, text: str, fact: tuple[str, str, str] | None, relation: str | None
) -> None:
    stated = [one for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged(), way="rules").triplets]
    assert {one.doubted for one in stated} == {relation}
    mapped, counts = phrasebook(DEFAULT).put(link(stated))  # type: ignore[union-attr]
    assert [one.relation.startswith("open:") for one in mapped] == [relation is not None] * len(stated)
    assert counts[DOUBTED] == len(stated) * (relation is not None)
    if fact is not None:
        assert fact in {(one.subject.label, one.said, one.object.label) for one in mapped}


@pytest.mark.parametrize(
    ("text", "higher"),
    [
        ("Veltrin was founded by Ada Orr in 1987.", True),
        ("Ada Orr came from Oslo.", False),
        ("The median rent in Oslo is 310 USD.", None),  # outside of the schema, and of no clause
    ],
)
@pytest.mark.usefixtures("low_bar")
def test_what_the_reader_thinks_counts_in_the_confidence_of_a_rule(
    parser: Parser, text: str, higher: bool | None
) -> None:
    alone, asked = (
        [one for doc in parser.parse(text) for one in extract(doc, "", pairs=pairs, way="rules").triplets]
        for pairs in (None, packaged())
    )
    found = {one.confidence > other.confidence for one, other in zip(asked, alone, strict=True)}
    assert found == ({higher} if higher is not None else {False})
    assert all(0 < one.confidence < 1 for one in asked)
    assert (asked == alone) == (higher is None)


def test_of_two_names_that_a_rule_joins_the_reader_says_nothing(parser: Parser) -> None:
    (doc,) = parser.parse("Veltrin is a subsidiary of Aldane Foods.")
    assert {one.relation for one in extract(doc, "", pairs=packaged(), way="reader").triplets} >= {"P749", "P127"}
    assert [one.relation for one in extract(doc, "", pairs=packaged()).triplets] == ["is subsidiary of"]
    (doc,) = parser.parse("Ada Orr was the chief executive of Acme from 1990 to 1995.")
    assert "P169" in {one.relation for one in extract(doc, "", pairs=packaged(), way="reader").triplets}
    both = {one.relation for one in extract(doc, "", pairs=packaged()).triplets}
    assert "was formerly chief executive of" in both
    assert "P169" not in both


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Ada Orr is a retired pilot with Acme and flies.", "Ada Orr", "Acme"),
        ("It was a firm originally located in Lun.", "It", "Lun"),
        ("Acme, based in Lun, once hired Ada Orr.", "Acme", ""),
        ("Ada Orr is the wife of former mayor Lun.", "Ada Orr", ""),
    ],
)
def test_words_of_the_past_beside_two_ends_end_what_joins_them(text: str, first: str, second: str) -> None:
    one, other = first, second or "Lun"
    places = [(text.index(each), text.index(each) + len(each), "name") for each in (one, other)]
    assert _is_over(text, *places) == bool(second)


def both(parser: Parser, text: str, title: str = "") -> set[tuple[str, str, str]]:
    """What rules and the relation reader find."""
    found = [one for doc in parser.parse(text, title) for one in extract(doc, title, pairs=packaged()).triplets]
    return {(one.subject.label, one.relation, one.object.label) for one in found}


AFTERLIFE = (
    "Afterlife is a 2008 play by Michael Frayn. It tells the life of Max Reinhardt. It draws from Hugo von Hofmannsthal's "
    "1911 play Jedermann (based on the sixteenth-century English morality play, Everyman), which Reinhardt directed at "
    "the Salzburg Festival for many years."
)
MARKET = (
    "Dover Street Market is a high fashion company and multi-brand retailer originally located on Dover Street, in "
    "Mayfair, London."
)


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        # where something was is not where it is
        ("", MARKET, ("Dover Street Market", "P131", "Mayfair")),
        ("", MARKET, ("Dover Street Market", "is retailer in", "Mayfair")),
        ("", "Initech was initially located in the town of Lun, in Norway.", ("Initech", "P131", "Norway")),
        # a clause after a bracket is not said of a noun in it
        ("Afterlife (play)", AFTERLIFE, ("Max Reinhardt", "directed", "Afterlife")),
    ],
)  # fmt: skip
def test_no_fact_joins_what_a_sentence_parts(parser: Parser, title: str, text: str, fact: tuple[str, str, str]) -> None:
    assert fact not in both(parser, text, title)


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        ("", "Ada Holm (3 May 1901 – 9 June 1970), known as Ida Lund, was a Danish painter.",
         ("Ida Lund", "P569", "3 May 1901")),
        ("Plies", "Algernod Washington (born July 1, 1976), also known as Plies, is a rapper.",
         ("Plies", "was born on", "July 1, 1976")),
        ("Manon (novel)", 'Manon is a novel. The book "Manon" was published in 1731.',
         ("Manon", "was published in", "1731")),
        ("Tommy (film)", "Tommy is a film based on the opera Tommy. The film was directed by Ken Orr.",
         ("Tommy", "was directed by", "Ken Orr")),
        ("Cy Berg", 'His novels are "Red Moon", published in 1950; "Blue Sun", published in 1960; and "Grey Sea".',
         ("Blue Sun", "P50", "Cy Berg")),
    ],
)  # fmt: skip
def test_a_fact_joins_what_nothing_parts(parser: Parser, title: str, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in both(parser, text, title)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Washington starter Bo Lind played just 11 minutes.", ("Bo Lind", "P54", "Washington")),
        ("The Ducks (21-15) were led by Keeshawn Barthelemy, who posted 15 points and six rebounds.",
         ("Keeshawn Barthelemy", "P54", "Ducks")),
        ("The Pirates' roster move came because catcher Francisco Cervelli was nursing a sore foot, and no one was more "
         "surprised.", ("Francisco Cervelli", "P54", "Pirates")),
        # what is told of kin
        ("Angelo Genell, whose family has owned Arcaro & Genell since 1962, jokes.",
         ("Arcaro & Genell", "P127", "Angelo Genell")),
        ("Ada Orr, whose father founded Acme Corp in 1962, left.", ("Acme Corp", "P112", "Ada Orr")),
        ("Ada Orr, whose family owns Acme Corp, left.", ("Acme Corp", "P127", "Ada Orr")),
        # a condition states nothing
        ("If Helix Space acquires Orbit Nine, Dina Roth will become its chief executive.",
         ("Dina Roth", "kgs:acquired", "Orbit Nine")),
        # a people is no place
        ("Tove Rask, born in 1970 in Aldmoor, is a Swedish-born Canadian violinist.", ("Tove Rask", "P19", "Swedish")),
        # and of whoever else is called by somebody's name
        ("Nora Wieck's teacher Anton Falk composed the Winter Symphony.", ("Winter Symphony", "P86", "Nora Wieck")),
        ("Liv Aster's rival Petra Strand won the Golden Oar.", ("Golden Oar", "P1346", "Liv Aster")),
        ("Ole Brandt, Marta Kessen's colleague, received the Orlen Prize for his novel The Long Ebb.",
         ("Marta Kessen", "P166", "Orlen Prize")),
        ("Ole Brandt, Marta Kessen's colleague, received the Orlen Prize for his novel The Long Ebb.",
         ("Long Ebb", "P50", "Marta Kessen")),
    ],
)  # fmt: skip
def test_the_ends_are_those_that_are_meant(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact not in both(parser, text)


@pytest.mark.parametrize(
    "said",
    ["worked for the BBC until his death", "lived in Oslo until his death", "wrote for the newspaper until his death"],
)
def test_whoever_stands_alone_before_his_death_died(parser: Parser, said: str) -> None:
    assert ("Bo Lind", "died in", "1997") in both(parser, f"Bo Lind {said} in 1997.")


@pytest.mark.parametrize("said", ["worked for the queen", "wrote with the singer", "was married to Ada Orr"])
def test_whoever_stands_before_somebody_else_need_not_have_died(parser: Parser, said: str) -> None:
    facts = both(parser, f"Bo Lind, who {said} until her death in 1997, said so.")
    assert ("Bo Lind", "died in", "1997") not in facts


@pytest.mark.parametrize("before", ["", "Ada Orr lived in Leeds. ", "Ada Orr never lived in Leeds. "])
def test_what_one_sentence_says_of_two_names_keeps_nothing_out_of_another(parser: Parser, before: str) -> None:
    assert ("Ada Orr", "P20", "Leeds") in both(parser, f"{before}Ada Orr committed suicide in Leeds in 1999.")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{} Globex adviser Ada Orr spoke on Monday.", "Former"),
        ("The move was backed by {} Globex director Ada Orr.", "incoming"),
        ("Ada Orr, Globex's {} chief of staff and a general, spoke.", "former"),
        ("It was too late, {} Globex chief counsel Ada Orr told Axios.", "former"),
        ("{} Globex secretary Ada Orr spoke on Monday.", "Incoming"),
    ],
)
def test_who_has_held_a_post_or_will_hold_it_has_no_such_employer(parser: Parser, text: str, word: str) -> None:
    def joins(word: str) -> bool:
        read = " ".join(text.format(word).split())
        found = both(parser, read[:1].upper() + read[1:])
        return any(
            "Ada Orr" in (one, other) and "Globex" in one + other
            for one, said, other in found
            if "formerly" not in said
        )

    assert joins("")
    assert not joins(word)


def test_a_teacher_who_was_so_may_hold_a_post_now(parser: Parser) -> None:
    assert ("Ada Orr", "is CEO of", "Globex") in both(parser, "Former teacher Ada Orr is the CEO of Globex.")


@pytest.mark.parametrize("former", ["former ", "onetime ", "ex-", "incoming "])
def test_a_post_that_is_over_is_not_present(parser: Parser, former: str) -> None:
    text = "The testimony came from Alameda Research's {}CEO Caroline Ellison."
    assert not both(parser, text.format(former))
    assert both(parser, text.format(""))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Liberty Square (Russian: Ploshchad) is a park in the Russian city of Tolyatti.", "Russia"),
        ("Lun Park is a park in the German city of Bonn.", "Germany"),
    ],
)
def test_an_adjective_of_a_country_means_the_country(parser: Parser, text: str, state: str) -> None:
    objects = {obj for _, relation, obj in both(parser, text) if relation == "P17"}
    assert objects == {state}


def test_what_a_rule_calls_former_the_reader_does_not_call_present(parser: Parser) -> None:
    assert ("West Germany", "P36", "Bonn") not in both(parser, "Bonn is the former capital of West Germany.")


def test_what_the_reader_means_is_kept_by_the_score_of_facts(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    (doc,) = parser.parse("Marie Curie was born in Warsaw.")
    (found,) = extract(doc, "", pairs=packaged(), way="reader").triplets
    known = weights()
    assert known.bars["reader"] <= found.confidence < 1
    monkeypatch.setattr(
        confidence, "weights", lambda: known.model_copy(update={"bars": {"reader": found.confidence + 0.01}})
    )
    assert not extract(doc, "", pairs=packaged(), way="reader").triplets


def test_a_sentence_with_markup_is_evidence_as_it_is_written() -> None:
    text = "**Marta Klein** was born in [Vienna](https://example.org/vienna), and she founded Veltrin in 1987."
    plain = "Marta Klein was born in Vienna, and she founded Veltrin in 1987."
    found, bare = (
        [one for doc in Parser().parse(given) for one in extract(doc, "", pairs=packaged()).triplets]
        for given in (text, plain)
    )
    assert {one.sentence for one in found} == {text}
    assert [(one.subject, one.relation, one.object) for one in found] == [
        (one.subject, one.relation, one.object) for one in bare
    ]


def test_what_a_text_calls_an_end_refuses_relations_that_it_cannot_have(parser: Parser) -> None:
    title, text = "Marta Klein", "Marta Klein was born in Vienna, Austria."
    assert ("Marta Klein", "P19", "Vienna") in read(parser, text, title)
    assert not {one for one in read(parser, f"Marta Klein is a film. {text}", title) if one[1] == "P19"}


def test_a_day_of_one_office_of_several_is_no_fact(parser: Parser) -> None:
    def days(text: str, company: str = "") -> list[str]:
        (doc,) = parser.parse(text)
        found = extract(doc, "", company, pairs=packaged()).triplets
        return [one.object.label for one in found if one.relation in ("kgs:took_office", "took office on")]

    assert days("Ada Orr was appointed General Manager in 1993, Vice President in 1998 and President in 2001.") == []
    assert days("Ada Orr has served as our President since June 2012.", "Acme Corp.") == []
    assert days("Ada Orr, the mayor of Lun, took office on 15 June 2027.") == ["15 June 2027"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Marta Klein was born in Vienna, Austria.", {"Vienna"}),
        ("Ada Orr lived in Paris, London and Rome.", {"Paris", "London", "Rome"}),
    ],
)
def test_a_place_after_another_only_says_where_that_is(parser: Parser, text: str, places: set[str]) -> None:
    assert {other for _, relation, other in read(parser, text) if relation in ("P19", "P551")} == places


@pytest.mark.parametrize(
    ("text", "stated", "not_stated"),
    [
        (
            "Marta Klein was born in Vienna, Austria.",
            ("Marta Klein", "P19", "Vienna"),
            ("Marta Klein", "P27", "Vienna"),
        ),
        (
            "Esther Goldfrank married the historian Karl Wittfogel after the death of her first husband, Walter Goldfrank.",
            None,
            ("Karl Wittfogel", "P26", "Walter Goldfrank"),
        ),
        (
            "Adelina of Holland was a daughter of Arnulf, Count of Holland.",
            None,
            ("Count of Holland", "P40", "Adelina of Holland"),
        ),
        (
            "Ada Orr, the founder of Veltrin, moved to Paris.",
            ("Veltrin", "P112", "Ada Orr"),
            ("Ada Orr", "P108", "Veltrin"),
        ),
        (  # which comes after which, it cannot tell
            'Her novels include the prize-winning "Bone Dance" and the urban fantasy "War for the Oaks".',
            None,
            ("War for the Oaks", "P155", "Bone Dance"),
        ),
    ],
)
def test_what_the_reader_cannot_be_sure_of_is_not_stated(
    parser: Parser, text: str, stated: tuple[str, str, str] | None, not_stated: tuple[str, str, str]
) -> None:
    found = read(parser, text)
    assert not_stated not in found and not_stated[::-1] not in found
    assert stated is None or stated in found


@pytest.mark.parametrize(
    ("text", "fact", "left"),
    [
        ("Bahram Dastan met Karl Voss in Lund. He is married to Leyla Orun.", "Leyla Orun", 1),
        ("Orun Shipping is a company. Hahn Metals was bought by it in 1999. It is based in Galway.", "Galway", 0),
    ],
)
@pytest.mark.usefixtures("low_bar")
def test_what_the_other_reader_states_is_not_lost(parser: Parser, text: str, fact: str, left: int) -> None:
    (doc,) = parser.parse(text)
    rules, both = (extract(doc, "", pairs=packaged(), way=way) for way in ("rules", "rules+reader"))
    assert fact in {one.object.label for one in both.triplets}
    assert rules.dropped["subject not named"] > both.dropped.get("subject not named", 0)
    assert len(both.lost) == left


def test_who_attended_a_festival_did_not_study_there(parser: Parser) -> None:
    found = both(parser, "Kate Moss attended the Glastonbury Festival in 2005.")
    assert not any(relation == "P69" for _, relation, _ in found)
