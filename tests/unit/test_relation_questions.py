"""Questions about relations of the schema are asked in its own words, whichever end is wanted."""

from __future__ import annotations

import pytest

from kgservice.core.records import Fact, Kind, Reading, Source, Subgraph
from kgservice.core.schema import load_schema
from kgservice.questions.filters import grammar, relation
from kgservice.questions.filters.cascade import rejection_reason
from kgservice.questions.wording.entity_classes import kind
from kgservice.questions.wording.relation_questions import relation_of, schema_in_use, worded_by
from kgservice.questions.wording.spoken_names import classed
from kgservice.questions.wording.templates import described, worded

SOLARIS, TARKOVSKY, WROCLAW = "Solaris", "Andrei Tarkovsky", "Wroclaw"

OWN = """
[classes]
person = {}
[relations.P19]
label = "cradle"
description = "where somebody began"
domain = ["person"]
range = ["person"]
ask_object = ["Where was the cradle of X?"]
ask_subject = ["Whose cradle was in Y?"]
"""


def fact(subject: str, property_: str, obj: str, *types: str | None, kind: Kind = "entity") -> Fact:
    schema = load_schema()
    assert schema is not None
    first, last = (*types, None, None)[:2]
    said = (Source(chunk="c", document="d", sentence=f"{subject} {obj}."),)
    known = {"subject_type": first, "object_type": last, "object_kind": kind}
    return Fact(
        key=f"{subject}{property_}{obj}",
        subject=subject,
        relation=schema.relations[property_].label,
        object=obj,
        statements=said,
        property=property_,
        **known,
    )  # type: ignore[arg-type]


def row(pattern: str, asked: str, named: str, answer: str, *facts: Fact) -> Subgraph:
    ends = [end for one in facts for end in (one.subject, one.object)]
    pivots = tuple(dict.fromkeys(end for end in ends if end not in (named, answer)))
    reading = Reading(pivots=pivots, facts=facts)
    relations = tuple(one.property for one in facts)
    return Subgraph(
        id="i",
        pattern=pattern,
        asked=asked,
        relations=relations,
        named=(named,),
        answers=(answer,),
        readings=(reading,),
    )


@pytest.mark.parametrize(
    ("of", "subject", "question"),
    [(fact(SOLARIS, "P57", TARKOVSKY), False, "Who directed Solaris?"),
     (fact(SOLARIS, "P57", TARKOVSKY), True, "What did Andrei Tarkovsky direct?"),
     (fact(SOLARIS, "P57", TARKOVSKY, "drama film"), True, "Which drama film did Andrei Tarkovsky direct?"),
     (fact(SOLARIS, "P57", TARKOVSKY, "selection"), True, "What did Andrei Tarkovsky direct?"),
     (fact("Ada", "P569", "1815", kind="date"), True, "Who was born in 1815?"),
     (fact("Ada", "P569", "10 December 1815", kind="date"), True, "Who was born on 10 December 1815?"),
     (fact("Ada", "P569", "1815", kind="date"), False, "When was Ada born?"),
     (fact("Ada", "P451", "Tom"), False, "Who is Ada in a relationship with?"),
     (fact("Acme", "kgs:auditor", "Smith LLP", "company"), False, "Who audits Acme?")],
)  # fmt: skip
def test_one_fact(of: Fact, subject: bool, question: str) -> None:
    named, answer = (of.object, of.subject) if subject else (of.subject, of.object)
    assert worded(row("single", "subject" if subject else "object", named, answer, of)) == question


@pytest.mark.parametrize(
    ("pattern", "asked", "facts", "question"),
    [("chain", "last", (fact(SOLARIS, "P57", TARKOVSKY), fact(TARKOVSKY, "P22", "Arseny")), "Who is the father of the director of Solaris?"),
     ("chain", "last", (fact("Norway", "P36", "Oslo"), fact("Oslo", "P6", "Ada Berg")), "Who leads the government of the capital of Norway?"),
     ("star", "last", (fact(SOLARIS, "P57", TARKOVSKY), fact(SOLARIS, "P86", "Artemyev")), "Who composed the work directed by Andrei Tarkovsky?"),
     ("star", "last", (fact("Ada Orr", "P19", WROCLAW), fact("Ada Orr", "P570", "1852", kind="date")), "When did the person born in Wroclaw die?"),
     ("inverted_star", "last", (fact("Ada Orr", "P20", WROCLAW), fact("Bo Lund", "P19", WROCLAW)), "Who was born in the place where Ada Orr died?"),
     ("chain", "last", (fact(SOLARIS, "P57", TARKOVSKY), fact(TARKOVSKY, "P27", "Norvia")), "Which country is the director of Solaris from?")],
)  # fmt: skip
def test_bridges_are_described_as_people_say_it(
    pattern: str, asked: str, facts: tuple[Fact, ...], question: str
) -> None:
    named, answer = {"chain": (facts[0].subject, facts[1].object), "star": (facts[0].object, facts[1].object),
                     "inverted_star": (facts[0].subject, facts[1].subject)}[pattern]  # fmt: skip
    asked_row = row(pattern, asked, named, answer, *facts)
    assert worded(asked_row) == question
    assert rejection_reason(asked_row, question) == ""


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ('It came out on her album "Blue Tide" in 1999.', "the artist who recorded the album Blue Tide"),
        ("Blue Tide (1999) is the fifth studio album by Ada Kerr.", "the artist who recorded the 1999 album Blue Tide"),
        ("Blue Tide is a film score by Ada Kerr.", "the artist who performed Blue Tide"),
        ("Blue Tide made Ada Kerr, who is an actress in film, known.", "the artist who performed Blue Tide"),
    ],
)
def test_a_work_is_called_what_its_sentence_calls_it(sentence: str, words: str) -> None:
    said = (Source(chunk="c", document="d", sentence=sentence),)
    told = fact("Blue Tide", "P175", "Ada Kerr", None, "person").model_copy(update={"statements": said})
    assert described(classed(told), False, "person") == words


@pytest.mark.parametrize(
    ("title", "sentence", "question"),
    [
        ("Blue Tide", 'The band\'s sixth album, "Blue Tide", came out in 1999.', "In which country was the album Blue Tide made?"),
        ("Blue Tide", "PokerRoom is a British game show of 1999. Blue Tide came out in 1999.", "In which country was Blue Tide made?"),
        ("Blue Tide", "Blue Tide is a British game show broadcast in 1999.", "In which country was the show Blue Tide made?"),
        ("Blue Tide", "Blue Tide is an extended play (EP) by Ada Kerr.", "In which country was the EP Blue Tide made?"),
        ("Blue Tide", 'Her second EP, "Blue Tide", came out in 1999.', "In which country was the EP Blue Tide made?"),
        ("Blue Tide", 'She wrote the novels "Gold" (1990), "Red" and "Blue Tide".', "In which country was the novel Blue Tide made?"),
        ("Blue Tide", 'Their best album is "Blue Tide", of 1999.', "In which country was the album Blue Tide made?"),
        ("Blue Tide", 'She produced "Blue Tide", a feature film directed by Bo.', "In which country was the film Blue Tide made?"),
        ("Blue Tide", "It was praised in Blue Tide, a film critic said.", "In which country was Blue Tide made?"),
        ("Blue Tide", 'The film "Blue Tide Rising" came out in 1999.', "In which country was Blue Tide made?"),
        ("Blue Tide", 'They play "Blue Tide" each year since 1999.', "In which country was Blue Tide made?"),
        ("Blue Tide", "Of the film, Blue Tide made little in 1999.", "In which country was Blue Tide made?"),
        ("Blue Tide (soundtrack)", "Blue Tide came out in 1999.", "In which country was the soundtrack Blue Tide made?"),
        ("Blue: Lun Records Soundtrack", 'The album "Blue: Lun Records Soundtrack" came out in 1999.',
         "In which country was Blue: Lun Records Soundtrack made?"),
        ("Lun English Dictionary", "Lun English Dictionary is a book of 1999.", "In which country was Lun English Dictionary made?"),
    ],
)  # fmt: skip
def test_every_question_calls_a_work_what_it_is(title: str, sentence: str, question: str) -> None:
    said = (Source(chunk="c", document="d", sentence=sentence),)
    made = fact(title, "P495", "Norway", None, "country").model_copy(update={"statements": said})
    asked = row("single", "object", title, "Norway", made)
    assert worded(asked) == question
    assert rejection_reason(asked, worded(asked)) == ""


@pytest.mark.parametrize(
    ("title", "type_", "sentence", "said"),
    [
        ("Tor Cray (Harbour Lane)", "character", "Tor Cray is a character.", "the Harbour Lane character Tor Cray"),
        ("Gold (Harbour Lane)", None, '"Gold" is the eighth episode of a show.', "the Harbour Lane episode Gold"),
        ("Tor Cray (Harbour Lane)", None, 'The soap opera "Harbour Lane" has Tor Cray.', "Tor Cray of Harbour Lane"),
        (
            "Lun Springs (short story collection)",
            None,
            "Lun Springs is a collection of short stories.",
            "the short story collection Lun Springs",
        ),
        ("Rask (dye)", None, "Rask is a red, natural dye from Lun.", "the dye Rask"),
        ("Tor (Muppet)", None, "Tor is a blue Muppet who sings.", "the Muppet Tor"),
        ("The Tide (miniseries)", None, "The Tide is there.", "the miniseries The Tide"),
        ("The Tide (U.S. season 11)", None, "The Tide is there.", "U.S. season 11 of The Tide"),
        ("The Tide (series 4)", None, "The Tide is there.", "series 4 of The Tide"),
    ],
)
def test_a_bracket_is_said_in_words(title: str, type_: str | None, sentence: str, said: str) -> None:
    stated = (Source(chunk="c", document="d", sentence=sentence),)
    told = fact(title, "P170", "Ada Kerr", type_, "person").model_copy(update={"statements": stated})
    asked = row("single", "object", title, "Ada Kerr", told)
    assert worded(asked) == f"Who created {said}?"
    assert rejection_reason(asked, worded(asked)) == ""


@pytest.mark.parametrize(
    ("title", "sentence", "reason"),
    [
        ("Tor Cray (Harbour Lane)", "Tor Cray is there.", "a title's bracket"),
        ("Tree (set theory)", "Tree is known in set theory.", "a title's bracket"),
        ("Rock (on a Sunday)", "Rock was written there.", "a title's bracket"),
        ("Gold (Red Kite)", "Gold (Red Kite) is there.", ""),
    ],
)
def test_no_bracket_that_only_a_title_has_is_asked_with(title: str, sentence: str, reason: str) -> None:
    stated = (Source(chunk="c", document="d", sentence=sentence),)
    told = fact(title, "P170", "Ada Kerr", None, "person").model_copy(update={"statements": stated})
    asked = row("single", "object", title, "Ada Kerr", told)
    assert rejection_reason(asked, worded(asked)) == reason


def test_what_both_things_of_a_comparison_are_is_said_once() -> None:
    films = [
        fact(title, "P577", year, "film", kind="date") for title, year in (("Solaris", "1972"), ("Mirror", "1975"))
    ]
    asked = row("comparison", "earlier", "Solaris", "Mirror", *films)
    assert worded(asked) == "Which film was released first, Solaris or Mirror?"


def test_no_name_repeats_what_both_things_are() -> None:
    titles = (("Low Water (novel)", "1972"), ("Mirror", "1975"))
    novels = [fact(title, "P577", year, "novel", kind="date") for title, year in titles]
    asked = row("comparison", "later", titles[0][0], "Mirror", *novels)
    assert worded(asked) == "Which novel was published later, Low Water or Mirror?"


@pytest.mark.parametrize(
    ("property_", "asked", "types", "question"),
    [
        ("P2043", "larger", ("bridge", "bridge"), "Which bridge is longer, Lun Span or Ost Span?"),
        ("P2044", "smaller", ("lake", "lake"), "Which lake is lower, Lun Span or Ost Span?"),
        ("P1082", "larger", ("town", "town"), "Which town has the larger population, Lun Span or Ost Span?"),
        ("P569", "later", ("singer", "poet"), "Who was born later, Lun Span or Ost Span?"),
    ],
)
def test_two_things_are_compared_in_words_of_their_relation(
    property_: str, asked: str, types: tuple[str, str], question: str
) -> None:
    kind = "date" if property_ == "P569" else "number"
    facts = [
        fact(name, property_, value, type_, kind=kind)
        for name, value, type_ in zip(("Lun Span", "Ost Span"), ("1950", "1961"), types, strict=True)
    ]
    assert worded(row("comparison", asked, "Lun Span", "Ost Span", *facts)) == question


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        ((fact("Low Water", "P915", "Lun"), fact("Ada Kerr", "P937", "Lun")),
         "In which place was Low Water filmed and did Ada Kerr work?"),
        ((fact("Acme", "P159", "Lun", "company", "city"), fact("Ada Kerr", "P19", "Lun", "person", "city")),
         "In which city is Acme headquartered and was Ada Kerr born?"),
    ],
)  # fmt: skip
def test_two_conditions_of_a_place_are_one_question(facts: tuple[Fact, Fact], question: str) -> None:
    conditions = row("conditional_inverted_star", "pivot", facts[0].subject, "Lun", *facts)
    assert worded(conditions) == question


@pytest.mark.parametrize(
    ("pattern", "asked", "facts", "question"),
    [
        ("conditional_chain", "pivot", [fact("Cy Berg", "P3373", "Ada Orr"), fact("Ada Orr", "P40", "Bo Orr")],
         "Which parent of Bo Orr is a sibling of Cy Berg?"),
        ("conditional_chain", "pivot", [fact("Bo Orr", "P40", "Ada Orr"), fact("Ada Orr", "P54", "Lun Rovers", "person", "team")],
         "Which child of Bo Orr played for Lun Rovers?"),
        ("conditional_star", "pivot", [fact("Blue Tide", "P57", "Bo Lund", "film"), fact("Blue Tide", "P58", "Ada Orr", "film")],
         "Which film was directed by Bo Lund and written by Ada Orr?"),
        ("conditional_chain", "pivot", [fact("Ada Orr", "P463", "Red Kites", "person", "band"), fact("Red Kites", "P740", "Lun", "band", "city")],
         "Which band was formed in Lun and has had Ada Orr as a member?"),
        ("conditional_inverted_star", "pivot", [fact("Ada Orr", "P463", "Red Kites", "person", "band"), fact("Low Water", "P175", "Red Kites", "album", "band")],
         "Which band has had Ada Orr as a member and recorded the album Low Water?"),
        ("conditional_chain", "pivot", [fact("Low Water", "P123", "Kitely", "game"), fact("Kitely", "P112", "Ada Orr")],
         "Which organization was founded by Ada Orr and published the game Low Water?"),
        ("conditional_star", "pivot", [fact("Ada Orr", "P463", "Red Kites"), fact("Ada Orr", "P800", "Low Water", None, "album")],
         "Who has been a member of Red Kites and is known for the album Low Water?"),
        ("conditional_star", "pivot", [fact("Low Water", "P264", "Red Kite Records", "album"), fact("Low Water", "P577", "2007", "album", kind="date")],
         "Which album was released by Red Kite Records in 2007?"),
        ("conditional_star", "pivot", [fact("Low Water", "P162", "Bo Lund", "album"), fact("Low Water", "P577", "2007", "album", kind="date")],
         "Which album was produced by Bo Lund and released in 2007?"),
        ("chain", "last", [fact("Blue Tide", "P361", "Low Water", None, "album"), fact("Low Water", "P162", "Ada Orr", "album")],
         "Who produced the album with Blue Tide?"),
        ("chain", "last", [fact("Blue Tide (The Red Kites song)", "P361", "Low Water", "song", "album"), fact("Low Water", "P162", "Ada Orr", "album")],
         "Who produced the album with the Red Kites song Blue Tide?"),
        ("chain", "last", [fact("Blue Tide", "P175", "Jet", "EP"), fact("Jet", "P571", "2001", kind="date")],
         "When was the band that recorded the EP Blue Tide formed?"),
        ("chain", "last", [fact("Blue Tide", "P361", "Low Water", "song", "album"), fact("Low Water", "P162", "Ada Orr", "album")],
         "Who produced the album with the song Blue Tide?"),
    ],
)  # fmt: skip
def test_facts_that_are_joined_share_what_they_say(pattern: str, asked: str, facts: list[Fact], question: str) -> None:
    assert worded(row(pattern, asked, facts[0].subject, facts[-1].object, *facts)) == question


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Low Water is a 1973 album by Ada Orr.", "the 1973 album Low Water"),
        ('"Low Water" (1973) was recorded by Ada Orr.', "the 1973 album Low Water"),
        ("Low Water is the fifth album by Ada Orr, released on July 1, 1973.", "the 1973 album Low Water"),
        ("Low Water is an album released by Ada Orr in July 1973.", "the 1973 album Low Water"),
        ('Blue Tide is on Ada Orr\'s 1973 album "Low Water".', "the 1973 album Low Water"),
        ("Low Water is an album by Ada Orr, from her 1973 tour.", "the album Low Water"),
        ("Low Water was recorded by Ada Orr, who was born in 1973.", "the album Low Water"),
        ("Blue Tide (1973) is by the maker of Low Water, Ada Orr.", "the album Low Water"),
    ],
)
def test_a_work_that_leads_to_a_bridge_has_its_year(sentence: str, name: str) -> None:
    told = fact("Low Water", "P175", "Ada Orr", "album", "person")
    told = told.model_copy(update={"statements": (Source(chunk="c", document="d", sentence=sentence),)})
    born = fact("Ada Orr", "P569", "1951", "person", kind="date")
    asked = row("chain", "last", "Low Water", "1951", told, born)
    assert worded(asked) == f"When was the artist who recorded {name} born?"
    assert worded(row("single", "object", "Low Water", "Ada Orr", told)) == "Who recorded the album Low Water?"


def test_no_condition_is_that_somebody_is_known_for_a_work() -> None:
    known = fact("Bo Lund", "P800", "Low Water", "person", "film")
    stars = fact("Low Water", "P161", "Ana Sela", "film", "actress")
    conditions = row("conditional_chain", "pivot", "Ana Sela", "Low Water", known, stars)
    assert grammar.rejection_reason(conditions, worded(conditions)) == "a condition that nobody says so"


@pytest.mark.parametrize(
    ("title", "relation", "type_", "reason"),
    [
        ("Blue Tide (1914 film)", "P50", None, "an end of two classes"),
        ("Blue Tide", "P50", "documentary", "an end of two classes"),
        ("Blue Tide", "P57", "novel", "an end of two classes"),
        ("Blue Tide", "P110", "song", "an end of two classes"),
        ("Blue Tide", "P123", "film", "an end of two classes"),
        ("Blue Tide", "P676", "novel", "an end of two classes"),
        ("Blue Tide", "P50", "song", ""),
        ("Blue Tide", "P50", "play", ""),
        ("Blue Tide", "P57", "musical", ""),
        ("Blue Tide (1914 film)", "P58", None, ""),
        ("Blue Tide (novel)", "P50", None, ""),
    ],
)
def test_a_work_is_not_asked_for_what_its_class_has_not(
    title: str, relation: str, type_: str | None, reason: str
) -> None:
    asked = row("single", "object", title, "Ada Orr", fact(title, relation, "Ada Orr", type_, "person"))
    assert rejection_reason(asked, worded(asked)) == reason


@pytest.mark.parametrize(
    ("relation", "of", "type_", "words"),
    [
        ("P272", "film", "organization", "the company that produced the film Blue Tide"),
        ("P272", "film", None, "the company that produced the film Blue Tide"),
        ("P272", "film", "studio", "the studio that produced the film Blue Tide"),
        ("P750", "film", "organization", "the company that distributed the film Blue Tide"),
        ("P264", "song", None, "the company that released the song Blue Tide"),
        ("P449", "series", None, "the network that aired the series Blue Tide"),
    ],
)
def test_who_makes_a_work_is_called_what_the_relation_tells(
    relation: str, of: str, type_: str | None, words: str
) -> None:
    told, lies = fact("Blue Tide", relation, "Coral", of, type_), fact("Coral", "P159", "Lun", type_, "city")
    assert described(told, False, kind(((told, False), (lies, True)))) == words


def test_where_a_band_of_several_comes_from_is_asked_in_the_plural() -> None:
    formed, lies = fact("The Red Kites", "P740", "Lun", "band", "city"), fact("Lun", "P17", "Norvia")
    asked = row("chain", "last", formed.subject, "Norvia", formed, lies)
    assert worded(asked) == "In which country were The Red Kites formed?"


def test_an_event_takes_place_where_its_name_tells_it() -> None:
    held, lies = fact("2008 Summer Olympics", "P276", "Lun"), fact("Lun", "P17", "Norvia")
    asked = row("chain", "last", held.subject, "Norvia", held, lies)
    assert worded(asked) == "In which country did the 2008 Summer Olympics take place?"


def test_a_symmetric_fact_is_asked_about_from_its_subject() -> None:
    married = fact("Ada Orr", "P26", "Bo Lund")
    assert (
        rejection_reason(row("single", "subject", "Bo Lund", "Ada Orr", married), "Whom did Bo Lund marry?")
        == "asked the other way round"
    )
    asked = "Whom did Ada Orr marry?"
    assert rejection_reason(row("single", "object", "Ada Orr", "Bo Lund", married), asked) == ""
    half = row("single", "object", "Ada", "Bo Lund", fact("Ada", "P26", "Bo Lund"))
    assert rejection_reason(half, "Whom did Ada marry?") == "named entity is a first name or surname alone"


def test_a_name_that_many_go_by_singles_out_nobody() -> None:
    child = row("single", "object", "Hugh II", "Ada Orr", fact("Hugh II", "P40", "Ada Orr"))
    assert rejection_reason(child, "Who is a child of Hugh II?") == "named entity is a first name or surname alone"
    facts = fact(SOLARIS, "P57", "John"), fact("John", "P20", WROCLAW)
    died = row("chain", "last", SOLARIS, WROCLAW, *facts)
    assert rejection_reason(died, worded(died)) == "bridge is a first name or surname alone"
    whole = row("chain", "last", SOLARIS, WROCLAW, fact(SOLARIS, "P57", TARKOVSKY), fact(TARKOVSKY, "P20", WROCLAW))
    assert rejection_reason(whole, worded(whole)) == ""


def test_what_many_share_is_not_asked_about_by_a_value_alone() -> None:
    born = fact("Ada", "P569", "1815", kind="date")
    assert (
        rejection_reason(row("single", "subject", "1815", "Ada", born), "Who was born in 1815?")
        == "asked by a value alone"
    )


def test_a_schema_of_ones_own_words_its_relations_before_the_default_one() -> None:
    born = row("single", "object", "Ada", WROCLAW, fact("Ada", "P19", WROCLAW, "person"))
    plain = worded(born)
    with worded_by(OWN):
        assert worded(born) == "Where was the cradle of Ada?"
        assert relation_of("P57") is not None  # what it lacks is the default's
    assert worded(born) == plain


def test_no_end_is_of_two_classes() -> None:
    wrote, came_out = fact("Whit", "P50", "Iain Orr"), fact("Iain Orr", "P577", "1995", kind="date")
    asked = "When did the person who wrote Whit come out?"
    assert rejection_reason(row("chain", "last", "Whit", "1995", wrote, came_out), asked) == "an end of two classes"


def test_an_end_is_what_the_corpus_calls_it() -> None:
    makes = fact("Lodar", "P1056", "Tollywood").model_copy(update={"object_type": "industry"})
    assert rejection_reason(row("single", "subject", "Tollywood", "Lodar", makes), "Who makes Tollywood?")
    soap = makes.model_copy(update={"object_type": "brand"})
    assert not rejection_reason(row("single", "subject", "Tollywood", "Lodar", soap), "Who makes Tollywood?")


def test_at_most_two_words_follow_a_description() -> None:
    born, governs = fact("Ada Orr", "P19", "Lun"), fact("Norvia", "P36", "Lun")
    asked = worded(
        row("chain", "last", "Ada Orr", "Norvia", born, governs).model_copy(update={"pattern": "inverted_star"})
    )
    assert asked == "Of which place is the birthplace of Ada Orr the capital?"


@pytest.mark.parametrize("country", ["Norvia", "Estmark", "Oria", "the Lorn Islands"])
def test_a_country_is_no_nationality(country: str) -> None:
    asked = worded(row("single", "object", "Ada Orr", country, fact("Ada Orr", "P27", country)))
    assert asked in ("Which country is Ada Orr from?", "Which country is Ada Orr a citizen of?")


def told(sentence: str, *given: str | None) -> Fact:
    """Return a fact (subject, relation, object, classes) as its sentence says it."""
    source = Source(chunk="c", document="d", sentence=sentence)
    return fact(*given).model_copy(update={"statements": (source,)})  # type: ignore[arg-type]


LIFE = "Ada Orr (1 May 1923 – 9 May 2002) was a Danish actress."
WAS = "The Orr Berg Band (OBB) was a rock supergroup from Oria led by Ada Orr."


@pytest.mark.parametrize(
    ("pattern", "asked", "facts", "question"),
    [
        ("single", "object", [told("Ada Orr (1923–2002) was a Danish actress in the NFL.", "Ada Orr", "P118", "NFL", "person")],
         "In which league did Ada Orr play?"),
        ("single", "object", [told("Ada Maria Orr (c. 1923 in Lun – 9 May 2002 in Kell) joined Acme.", "Ada Orr", "P108", "Acme", "person", "company")],
         "For which company did Ada Orr work?"),
        ("single", "object", [told("She was a Danish teacher.", "Ada Orr", "P1412", "Danish", "person")], "Which language did Ada Orr speak?"),
        ("single", "subject", [told(LIFE, "Ada Orr", "P463", "Red Guild", "person")], "Who was a member of Red Guild?"),
        ("single", "object", [told("The Lun Vipers were a football team based in Lun.", "Lun Vipers", "P159", "Lun", "team")],
         "Where were the Lun Vipers based?"),
        ("single", "object", [told(LIFE, "Ada Orr", "P119", "Lun")], "Where is Ada Orr buried?"),  # she still is
        ("single", "object", [told(LIFE, "Ada Orr", "P22", "Tom Orr")], "Who is the father of Ada Orr?"),
        ("single", "object", [told(LIFE, "Ada Orr", "P800", "Solaris")], "For which work is Ada Orr known?"),
        ("single", "object", [told("Ada Orr (1990–1994) heads Acme.", "Ada Orr", "P118", "NFL", "person")], "In which league does Ada Orr play?"),
        ("single", "object", [told("Ada Orr was a player when Lun joined the NFL.", "Ada Orr", "P118", "NFL", "person")], "In which league does Ada Orr play?"),
        ("conditional_chain", "pivot", [told("Ada Orr formed Acme.", "Acme", "P112", "Ada Orr"), told(WAS, "Ada Orr", "P463", "Orr–Berg Band", None, "band")],
         "Who was a member of the Orr–Berg Band and founded Acme?"),
        ("chain", "last", [told("Solaris.", SOLARIS, "P57", "Ada Orr"), told(LIFE, "Ada Orr", "P1412", "Danish")],
         "Which language did the director of Solaris speak?"),
        ("chain", "last", [told(LIFE, "Ada Orr", "P463", "Red Guild", "person"), told("Red Guild.", "Red Guild", "P159", "Lun", "organization")],
         "Where are the headquarters of the organization of which Ada Orr was a member?"),
        ("star", "last", [told("She died in 2002.", "Ada Orr", "P20", "Kell"), told("She spoke it.", "Ada Orr", "P1412", "Danish")],
         "Which language did the person who died in Kell speak?"),
    ],
)  # fmt: skip
def test_what_is_over_is_asked_in_the_past(pattern: str, asked: str, facts: list[Fact], question: str) -> None:
    assert worded(row(pattern, asked, facts[0].subject, facts[-1].object, *facts)) == question


BY_TWO, BY_EACH = "Gold and Rust are written by Ada Orr and Bo Lind.", "Gold and Rust have lyrics by Ada Orr."
BASED = "Jet is a Lun, Norvia based quartet."


@pytest.mark.parametrize(
    ("pattern", "asked", "facts", "question"),
    [
        ("conditional_inverted_star", "pivot", [told(BY_TWO, "Gold", "P676", "Ada Orr", "song"), told("Rust was scored by Ada Orr.", "Rust", "P86", "Ada Orr", "film")],
         "Who wrote the song Gold and the music for the film Rust?"),
        ("conditional_inverted_star", "pivot", [told(BY_TWO, "Gold", "P676", "Ada Orr", "song"), told(BY_TWO, "Rust", "P86", "Ada Orr", "song")],
         "Who wrote the song Gold and the song Rust?"),
        ("conditional_inverted_star", "pivot", [told(BY_EACH, "Gold", "P676", "Ada Orr", "song"), told("Ada Orr composed Rust.", "Rust", "P86", "Ada Orr", "song")],
         "Who wrote the lyrics for the song Gold and composed the song Rust?"),
        ("chain", "last", [told(BY_TWO, "Gold", "P676", "Ada Orr", "song"), told(".", "Ada Orr", "P19", "Lun")], "Where was the person who wrote the song Gold born?"),
        ("chain", "last", [told(BY_TWO, "Gold", "P86", "Ada Orr", "song"), told(".", "Ada Orr", "P19", "Lun")], "Where was the person who wrote the song Gold born?"),
        ("chain", "last", [told(BY_EACH, "Gold", "P676", "Ada Orr", "song"), told(".", "Ada Orr", "P19", "Lun")], "Where was the lyricist of the song Gold born?"),
        ("conditional_star", "pivot", [told(".", "Ada Orr", "P361", "Red Kites", None, "band"), told(".", "Ada Orr", "P463", "Grey Vipers", None, "band")],
         "Who is part of Red Kites and has been a member of Grey Vipers?"),
        ("single", "subject", [told(".", "Ada Orr", "P361", "Red Kites", None, "band")], "Who is part of Red Kites?"),
        ("single", "object", [told(".", "Red Kites", "P527", "Ada Orr", "band")], "Who belongs to Red Kites?"),
        ("single", "object", [told("Their label is Acme.", "Red Kites", "P264", "Acme", "band")], "To which record label was Red Kites signed?"),
        ("chain", "last", [told(BASED, "Jet", "P159", "Lun"), told(BASED, "Lun", "P17", "Norvia")], "In which country is Jet based?"),
        ("chain", "last", [told("Jet has its headquarters in Lun.", "Jet", "P159", "Lun"), told(BASED, "Lun", "P17", "Norvia")], "In which country is Jet headquartered?"),
        ("chain", "last", [told("Jet was a drugstore chain in Lun.", "Jet", "P159", "Lun"), told(BASED, "Lun", "P17", "Norvia")], "In which country was Jet headquartered?"),
        ("single", "object", [told("Jet is a drugstore chain in Lun.", "Jet", "P159", "Lun", "company")], "Where is Jet headquartered?"),
    ],
)  # fmt: skip
def test_a_question_says_no_more_than_the_text(pattern: str, asked: str, facts: list[Fact], question: str) -> None:
    assert worded(row(pattern, asked, facts[0].subject, facts[-1].object, *facts)) == question


def test_what_every_sentence_says_of_the_past_is_asked_so() -> None:
    owned = fact("Lun Vipers", "P127", "Acme", "team", "company").model_copy(update={"is_past": True})
    assert worded(row("single", "object", "Lun Vipers", "Acme", owned)) == "Who owned the Lun Vipers?"
    song = fact("Blue Tide", "P361", "Grey Hills", "song").model_copy(update={"is_past": True})  # "was the single from"
    assert worded(row("single", "object", "Blue Tide", "Grey Hills", song)) == "On which album is the song Blue Tide?"
    paper = fact("Lun Post", "P98", "Ada Orr", "newspaper", "person").model_copy(update={"is_past": True})  # "former"
    assert worded(row("single", "subject", "Ada Orr", "Lun Post", paper)) == "Which newspaper did Ada Orr edit?"


def test_a_condition_by_a_symmetric_relation_is_said_from_the_answer() -> None:
    facts = fact("Ada Orr", "P26", "Bo Lund"), fact("Bo Lund", "P27", "Norvia")
    conditions = row("conditional_chain", "pivot", "Ada Orr", "Bo Lund", *facts)
    assert worded(conditions) == "Who is a citizen of Norvia and married Ada Orr?"


@pytest.mark.parametrize(
    ("told", "asked", "question"),
    [
        (fact("Ada Orr", "P102", "Reform Party", "person", "party"), fact("Reform Party", "P112", "Otto Brand", "party", "person"),
         "Who founded the party of Ada Orr?"),
        (fact("Lun", "P206", "Lake Orrel", "city", "lake"), fact("Lake Orrel", "P138", "Otto Brand", "lake", "person"),
         "After whom or what is the lake on which Lun lies named?"),
        (fact("Tor Cray", "P1441", "Silent Tide", "character", "film"), fact("Silent Tide", "P57", "Ada Orr", "film", "person"),
         "Who directed the film in which Tor Cray appears?"),
        (fact("Blue Tide", "P175", "Red Kites", "song", "band"), fact("Red Kites", "P17", "Norvia", "band", "country"),
         "Which country is the band that recorded the song Blue Tide from?"),
        (fact("Lun Games", "P276", "Lun Park", "tournament", "stadium"), fact("Lun Park", "P84", "Ada Orr", "stadium", "person"),
         "Who designed the stadium that hosted Lun Games?"),
    ],
)  # fmt: skip
def test_a_bridge_is_called_by_a_noun_or_a_clause(told: Fact, asked: Fact, question: str) -> None:
    assert worded(row("chain", "last", told.subject, asked.object, told, asked)) == question


@pytest.mark.parametrize(
    ("given", "asked", "question"),
    [
        (fact("Holm Bridge", "P571", "1889", "bridge", kind="date"), "object", "When was Holm Bridge built or opened?"),
        (fact("Holm Works", "P571", "1889", "company", kind="date"), "object", "When was Holm Works founded?"),
        (fact("Holm", "P571", "1889", kind="date"), "object", "When was Holm established?"),
        (fact("Dorr Palace", "P576", "1889", "palace", kind="date"), "object", "When was Dorr Palace closed or demolished?"),
        (fact("Ada Orr", "P264", "Coral Records", "singer", "company"), "subject", "Which artist recorded for Coral Records?"),
        (fact("Ada Orr", "P69", "University of Lun", "person"), "object", "Which university did Ada Orr attend?"),
        (fact("Ada Orr", "P69", "Lun College", "person"), "object", "Which college did Ada Orr attend?"),
        (fact("Ada Orr", "P69", "Lun Academy of Art", "person", "art school"), "object", "Which art school did Ada Orr attend?"),
        (fact("Ada Orr", "P69", "Dorrington", "person"), "object", "Where did Ada Orr study?"),
        (fact("Ada Orr", "P102", "Reform Party", "person"), "object", "To which party does Ada Orr belong?"),
        (fact("Ada Orr", "P1344", "2008 Lun Olympics", "person"), "object", "What did Ada Orr take part in?"),
        (fact("Ada Orr", "P463", "Lun Airlines", "person"), "object", "What has Ada Orr been a member of?"),
        (fact("Bolt", "P749", "Acme", None, "company"), "subject", "Which organization is a subsidiary of Acme?"),
        (fact("Bank of Lun", "P749", "Acme", None, "company"), "subject", "Which bank is a subsidiary of Acme?"),
        (fact("The Vipers", "P264", "Coral Records", "band", "company"), "subject", "Which band was signed to Coral Records?"),
        (told("Ada Orr, the mayor of Lun, resigned.", "Lun", "P6", "Ada Orr", "city", "person"), "object", "Who is the mayor of Lun?"),
        (told("Prime Minister Bo Lind met Ada Orr, the mayor of Lun.", "Lun", "P6", "Ada Orr", "city", "person"), "object", "Who is the mayor of Lun?"),
        (fact("Lun", "P6", "Ada Orr", "city", "person"), "object", "Who leads the government of Lun?"),
        (fact("Blue Tide", "P361", "Low Water", "song"), "object", "On which album is the song Blue Tide?"),
        (fact("Blue Tide", "P527", "Ada Orr", "band", "person"), "subject", "To which band does Ada Orr belong?"),
        (fact("Mira Lisa", "P276", "Lun Museum", "painting", "museum"), "object", "Where is the painting Mira Lisa?"),
        (fact("Mystic River", "P57", "Ada Orr", "film", "person"), "object", "Who directed the film Mystic River?"),
        (fact("Blue Tide", "P175", "Ada Orr", "compilation", "person"), "object", "Who recorded the compilation Blue Tide?"),
        (fact("Blue Tide", "P175", "Ada Orr", "song", "person"), "subject", "Which song did Ada Orr record?"),
        (fact("Blue Tide", "P175", "Ada Orr", "series", "person"), "object", "Who starred in the series Blue Tide?"),
        (fact("Blue Tide", "P175", "Ada Orr", None, "person"), "object", "Who performed Blue Tide?"),
        (fact("Frank Ocean", "P569", "1 May 1980", "singer", kind="date"), "object", "When was Frank Ocean born?"),
        (fact("The Detroit Lions", "P118", "NFL", "team", "league"), "object", "In which league do the Detroit Lions play?"),
        (fact("Mystic River", "P403", "Lake Orrel", "river", "lake"), "object", "Into what does the Mystic River flow?"),
    ],
)  # fmt: skip
def test_the_class_of_a_thing_decides_how_it_is_asked_about(given: Fact, asked: str, question: str) -> None:
    ends = (given.subject, given.object)[:: 1 if asked == "object" else -1]
    assert worded(row("single", asked, *ends, given)) == question


def test_the_schema_in_use_is_the_corpus_s() -> None:
    before = schema_in_use()
    with worded_by(OWN):
        own = schema_in_use()
        assert own is not None
        assert set(own.relations) != set(before.relations if before else ())
    assert schema_in_use() is before


def test_an_event_that_is_held_again_and_again_is_named_with_its_year() -> None:
    won = fact("PGA Championship", "P1346", "Brooks Koepka", "tournament", "person")
    reason = "a competition of no year"
    assert (
        rejection_reason(row("single", "object", won.subject, won.object, won), "Who won the PGA Championship?")
        == reason
    )
    for edition in ("2018 PGA Championship", "Super Bowl LII"):
        one = won.model_copy(update={"subject": edition})
        assert rejection_reason(row("single", "object", edition, won.object, one), f"Who won the {edition}?") != reason


@pytest.mark.parametrize(
    ("told", "subject", "words"),
    [
        (fact("Ada Kerr", "P140", "Islam", "person"), True, "the person who follows Islam"),
        (fact("Norway", "P140", "Islam", "country"), True, "the country whose religion is Islam"),
        (fact("Red Kites", "P264", "Coral Records", "band", "company"), True, "the band signed to Coral Records"),
        (fact("Red Kites", "P264", "Coral Records", "band", "company"), False, "the record label of Red Kites"),
        (fact("Blue Tide", "P264", "Coral Records", "song", "company"), False, "the company that released the song Blue Tide"),
        (fact("Grey Hills", "P179", "Lorn Saga", "book"), True, "the book that is part of the series Lorn Saga"),
        (fact("Blue Tide", "P175", "Red Kites", "album", "band"), False, "the band that recorded the album Blue Tide"),
        (fact("Blue Tide", "P175", "Ada Kerr", "show", "person"), True, "the show that starred Ada Kerr"),
        (fact("Blue Tide", "P175", "Ada Kerr", "EP", "person"), True, "the EP recorded by Ada Kerr"),
        (fact("Grey Hills", "P179", "Lorn Saga", "episode"), False, "the series with the episode Grey Hills"),
        (fact("Grey Hills", "P179", "Lorn Saga"), False, "the series of Grey Hills"),
        (fact("Red Kites", "P740", "Lun", "band", "city"), True, "the band formed in Lun"),
        (fact("Red Kites", "P159", "Lun", "band", "city"), True, "the band based in Lun"),
        (fact("Harbour Act", "P571", "1908", "law", kind="date"), True, "the law passed in 1908"),
        (fact("Mira Lisa", "P276", "Lun", "painting", "city"), True, "the painting that is in Lun"),
        (fact("Orbix", "P61", "Ada Kerr", "product"), True, "the product invented by Ada Kerr"),
        (fact("Ada Kerr", "P410", "General"), True, "the person who held the rank of General"),
        (fact(SOLARIS, "P86", "Ada Kerr", "film"), False, "the composer of the film Solaris"),
        (fact(SOLARIS, "P86", "Ada Kerr", "film"), True, "the film whose composer is Ada Kerr"),
        (fact(SOLARIS, "P674", "Tor Cray", "film", "character"), False, "the character that appears in the film Solaris"),
        (fact("Druze", "P807", "Islam", "religion", "religion"), False, "the religion from which Druze separated"),
        (fact("Ada Kerr", "P22", "Tom Vale"), False, "the father of Ada Kerr"),
        (fact("Ada Kerr", "P22", "Tom Vale"), True, "the child of Tom Vale"),
        (fact("Tom Vale", "P40", "Ada Kerr"), False, "the child of Tom Vale"),
        (fact("Blue Tide", "P175", "Ada Kerr", "song", "person"), False, "the artist who recorded the song Blue Tide"),
        (fact("Blue Tide", "P175", "Ada Kerr", "song", "singer"), False, "the singer who recorded the song Blue Tide"),
        (fact("Grey Hills", "P50", "Ada Kerr", "novel"), False, "the author of the novel Grey Hills"),
        (fact("The Grey Novel", "P50", "Ada Kerr", "novel"), False, "the author of The Grey Novel"),
        (fact("Blue Tide", "P50", "Ada Kerr", "song"), False, "the writer of the song Blue Tide"),
        (fact("Blue Tide", "P50", "Ada Kerr", "play"), False, "the author of the play Blue Tide"),
        (fact("Acme", "P112", "Ada Kerr", "company", "person"), False, "the founder of Acme"),
        (fact("Acme", "P112", "Bolt Inc.", "company", "company"), False, "the company that founded Acme"),
        (fact("Ada Kerr", "P19", "Lun"), False, "the birthplace of Ada Kerr"),
        (fact("Ada Kerr", "P19", "Lun", "person", "city"), False, "the city in which Ada Kerr was born"),
        (fact("Ada Kerr", "P54", "Lun Rovers", "person", "team"), False, "the team for which Ada Kerr played"),
        (fact("Acme", "P138", "Ada Kerr", "company", "person"), False, "the person after whom Acme was named"),
        (fact("Norway", "P35", "Ada Kerr", "country", "person"), False, "the head of state of Norway"),
        (fact("Acme", "P1128", "1,200", "company", kind="number"), True, "the company that has 1,200 employees"),
        (fact("Holm Bridge", "P2048", "80 m", "bridge", kind="number"), True, "the bridge that has a height of 80 m"),
        (fact("The Alps", "P17", "Estmark", "mountain range", "country"), False, "the country in which the Alps are located"),
    ],
)  # fmt: skip
def test_a_description_says_what_the_fact_says_of_a_subject_of_its_class(told: Fact, subject: bool, words: str) -> None:
    assert described(told, subject, kind(((told, subject),))) == words


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        ((fact("Lun Vipers", "P118", "Northern League", "team", "league"), fact("Northern League", "P859", "Acme", "league", "company")),
         "Which team plays in the league sponsored by Acme?"),
        ((fact("Ada Kerr", "P39", "Mayor", "person", "position"), fact("Mayor", "P1001", "Norway", "position", "country")),
         "Who held the position that has jurisdiction over Norway?"),
        ((fact("Red Kites", "P264", "Coral", "band", "company"), fact("Coral", "P169", "Tom Vale", "company", "person")),
         "Which band recorded for the company whose chief executive officer is Tom Vale?"),
        ((fact("Grey Hills", "P179", "Lorn Saga", "book", "series"), fact("Lorn Saga", "P170", "Tom Vale", "series", "person")),
         "What is a part of the series created by Tom Vale?"),
    ],
)  # fmt: skip
def test_a_description_needs_no_noun_before_it(facts: tuple[Fact, Fact], question: str) -> None:
    asked = row("chain", "first", facts[1].object, facts[0].subject, *facts)
    assert worded(asked) == question and rejection_reason(asked, question) == ""


@pytest.mark.parametrize(
    ("given", "asked", "question"),
    [
        (fact("Lun Vipers", "P118", "Premier League", "team", "league"), "subject", "Which team plays in the Premier League?"),
        (fact("Ada Kerr", "P135", "Harlem Renaissance", "person"), "subject", "Who belongs to the Harlem Renaissance?"),
        (fact("Ada Kerr", "P106", "actor", "person"), "subject", "Who is an actor?"),
        (fact("Ada Kerr", "P412", "alto", "person"), "subject", "Which singer is an alto?"),
        (fact("Acme", "P31", "airline", "company"), "subject", "Which company is an airline?"),
        (fact(SOLARIS, "P166", "Palme d'Or", "film"), "subject", "Which film received Palme d'Or?"),
        (fact("2018 World Cup", "P641", "football", "tournament"), "object", "In which sport is the 2018 World Cup held?"),
        (fact("Lun Vipers", "P641", "football", "team"), "subject", "Which team plays football?"),
        (fact("Royal Tanks", "P241", "British Army", "armed force"), "object", "To which force does Royal Tanks belong?"),
        (fact("Acme Group", "P527", "Ada Kerr", "company", "person"), "object", "Who belongs to Acme Group?"),
        (fact("Holm Bridge", "P2048", "80 m", "bridge", kind="number"), "object", "How tall is Holm Bridge?"),
        (fact("The Alps", "P30", "Europe", "mountain range", "continent"), "object", "On which continent are the Alps?"),
        (fact("The Great Lakes", "P30", "America", "lake", "continent"), "object", "On which continent are the Great Lakes?"),
        (fact("The Thames", "P403", "North Sea", "river", "sea"), "object", "Into what does the Thames flow?"),
    ],
)  # fmt: skip
def test_articles_number_and_question_words_go_with_the_ends(given: Fact, asked: str, question: str) -> None:
    ends = (given.subject, given.object)[:: 1 if asked == "object" else -1]
    assert worded(row("single", asked, *ends, given)) == question


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        ((fact("Lun Final", "P710", "Ada Kerr", "event", "person"), fact("Lun Final", "P276", "Kell", "event", "city")),
         "Which event featured Ada Kerr and took place in Kell?"),
        ((fact("Lun", "P1376", "Estmark", "city", "state"), fact("Lun", "P112", "Ada Kerr", "city", "person")),
         "Which city is the capital of Estmark and was founded by Ada Kerr?"),
        ((fact("Lun Tales", "P725", "Ada Kerr", "series", "person"), fact("Lun Tales", "P170", "Bo Lind", "series", "person")),
         "Which series features the voice of Ada Kerr and was created by Bo Lind?"),
        ((fact("Tom Vale", "P1366", "Ada Kerr", "person", "person"), fact("Tom Vale", "P19", "Lun", "person", "city")),
         "Who was replaced by Ada Kerr and born in Lun?"),
    ],
)  # fmt: skip
def test_a_condition_is_a_clause_whatever_its_label(facts: tuple[Fact, Fact], question: str) -> None:
    asked = row("conditional_star", "pivot", facts[0].object, facts[0].subject, *facts)
    assert worded(asked) == question


@pytest.mark.parametrize(
    ("members", "question"),
    [
        ((fact("Ada Kerr", "P512", "doctorate", "person"), fact("Ada Kerr", "P512", "master", "person")),
         "Name every academic degree of Ada Kerr."),
        ((fact("Solaris", "P407", "French", "film", "language"), fact("Solaris", "P407", "Russian", "film", "language")),
         "Name every language of the film Solaris."),
    ],
)  # fmt: skip
def test_every_member_of_a_set_is_called_by_its_noun(members: tuple[Fact, Fact], question: str) -> None:
    readings = tuple(Reading(pivots=(), facts=(one,)) for one in members)
    named = members[0].subject
    asked = row("set_of_objects", "members", named, members[0].object, *members).model_copy(
        update={"readings": readings}
    )
    assert worded(asked) == question and rejection_reason(asked, question) == ""


@pytest.mark.parametrize(
    ("composer", "words"),
    [("person", "Who was signed to Coral Records and composed the song Blue Tide?"),
     ("singer", "Which singer was signed to Coral Records and composed the song Blue Tide?")],
)  # fmt: skip
def test_what_a_fact_calls_somebody_words_the_others(composer: str, words: str) -> None:
    composed = fact("Blue Tide", "P86", "Ada Kerr", "song", composer)
    for unknown in (None, "artist"):  # no class of the schema
        facts = composed, fact("Ada Kerr", "P264", "Coral Records", unknown)
        assert worded(row("conditional_chain", "pivot", "Blue Tide", "Ada Kerr", *facts)) == words


def test_no_set_is_asked_for_whose_members_nothing_calls() -> None:
    poet = fact("Ada Kerr", "P31", "poet", "person", "genre")
    asked = row("set_of_objects", "members", "Ada Kerr", "poet", poet)
    assert rejection_reason(asked, worded(asked)) == "no noun for the answers"


@pytest.mark.parametrize(
    ("relation", "reason"), [("P488", "may be over"), ("P26", "")]
)  # chairs; whom somebody married
def test_no_set_is_asked_of_those_who_came_after_each_other(relation: str, reason: str) -> None:
    facts = tuple(fact("Acme Lun", relation, name, "company", "person") for name in ("Ada Kerr", "Bo Lind"))
    readings = tuple(Reading(pivots=(), facts=(one,)) for one in facts)
    asked = row("set_of_objects", "members", "Acme Lun", "Ada Kerr", *facts).model_copy(update={"readings": readings})
    assert (rejection_reason(asked, worded(asked)) == "may be over") == bool(reason)


def test_persons_and_organizations_of_a_set_are_everyone() -> None:
    facts = fact("Acme", "P112", "Ada Kerr", "company", "person"), fact("Acme", "P112", "Borel", "company")
    readings = tuple(Reading(pivots=(), facts=(one,)) for one in facts)
    asked = row("set_of_objects", "members", "Acme", "Ada Kerr", *facts).model_copy(update={"readings": readings})
    assert worded(asked) == "Name everyone who founded Acme."
    invested = [one.model_copy(update={"property": "P1951", "relation": "investor"}) for one in facts]
    asked = row("set_of_objects", "members", "Acme", "Ada Kerr", *invested).model_copy(
        update={"readings": tuple(Reading(pivots=(), facts=(one,)) for one in invested)}
    )
    assert worded(asked) == "Name everyone who invested in Acme."


@pytest.mark.parametrize(
    ("of", "subject", "question"),
    [
        (told("The Lorn was a militia in Norvia formed in 1992.", "The Lorn", "P571", "1992"), False, "When was The Lorn formed?"),
        (told("It was built in 1950 by Acme and moved in 1960.", "Red Dipper", "P571", "1950", "roller coaster"), False,
         "When was Red Dipper built?"),
        (told("Founded in 1819 by Ada Orr, LU was opened in 1825.", "LU", "P571", "1819", "university"), False, "When was LU founded?"),
        (told("The bridge dates from 1894.", "Lun Bridge", "P571", "1894", "bridge"), False, "When was Lun Bridge built or opened?"),
        (told('"Gold" was written by Ada Orr.', "Gold", "P86", "Ada Orr", "song"), False, "Who wrote the song Gold?"),
        (told('Ada Orr composed "Gold" in 1990.', "Gold", "P86", "Ada Orr", "song"), False, "Who composed the song Gold?"),
        (told("Gold has music by Ada Orr.", "Gold", "P86", "Ada Orr", "song"), False, "Who composed the song Gold?"),
        (told("It originated in Lun with its host plant.", "Stephanitis lornii", "P740", "Lun"), False,
         "Where does Stephanitis lornii come from?"),
        (told("It originated in Lun.", "Lornball", "P740", "Lun", "firm"), False, "Where was Lornball founded?"),
        (told("It was established in Lun.", "Lornball", "P740", "Lun"), False, "Where was Lornball established?"),
        (told("Lorn was invented by Ada Orr.", "Lorn", "P61", "Ada Orr"), False, "Who invented Lorn?"),
        (told("The convention was held in Lun.", "2008 Lorn", "P276", "Lun"), False, "Where was the 2008 Lorn held?"),
        (told('It is the sequel to "Red Kite".', "Red Kite 2", "P155", "Red Kite", "film", "film"), True,
         "What is the sequel to the film Red Kite?"),
        (told("Bo Lind is the widow of Ada Orr, the 10th president of Norvia.", "Norvia", "P35", "Ada Orr"), True,
         "Which country has Ada Orr been the president of?"),
        (told('"Fat Beard" is an episode of the series "Red Kite".', "Fat Beard", "P361", "Red Kite", None, "series"), False,
         "Which series does the episode Fat Beard belong to?"),
        (told("Métal is a magazine of 1974.", "Métal", "P577", "1974", "magazine"), False, "When did the magazine Métal first appear?"),
        (told("Ada is engaged to Tom Berg.", "Ada Orr", "P451", "Tom Berg"), False, "Who is Ada Orr engaged to?"),
        (told("Boyfriend Tom Berg came.", "Ada Orr", "P451", "Tom Berg"), False, "Who is Ada Orr in a relationship with?"),
        (told("Lun Mayor Ada Orr said so.", "Lun", "P6", "Ada Orr"), True, "Where has Ada Orr been the mayor?"),
        (told("Lun Mayor Ada Orr said so.", "Lun", "P6", "Ada Orr", "city"), True, "Which city has Ada Orr been the mayor of?"),
        (told("LBI Director Ada Orr said so.", "LBI", "P1037", "Ada Orr"), True, "Which organization has Ada Orr been director of?"),
        (told("Choir Director Ada Orr.", "Lun Choir", "P1037", "Ada Orr", "choir"), True, "Which choir has Ada Orr been director of?"),
        (told("Its chair is Ada Orr.", "House Lun Committee", "P488", "Ada Orr"), True, "Which committee has Ada Orr chaired?"),
        (told("Its chair is Ada Orr.", "Lun Commission", "P488", "Ada Orr"), True, "Which commission has Ada Orr chaired?"),
        (told("Its chair is Ada Orr.", "Globex Holdings", "P488", "Ada Orr"), True, "Which organization has Ada Orr chaired?"),
        (told("It ran in the Lun Derby in Lorn.", "Lun Derby", "P276", "Lorn"), False, "Where did the Lun Derby take place?"),
        (told("He fell at the annual Lun Gala in Lorn.", "Lun Gala", "P276", "Lorn"), False, "Where did the Lun Gala take place?"),
        (told("It ran in this weekend's Lun Regatta in Lorn.", "Lun Regatta", "P276", "Lorn"), False, "Where is the Lun Regatta?"),
        (told("He spoke at this year's Lun Week in Lorn.", "Lun Week", "P276", "Lorn"), False, "Where is Lun Week?"),
        (told("Near the old Lun Bijou Theater built in 1882.", "Lun Bijou Theater", "P571", "1882"), False,
         "When was the Lun Bijou Theater built?"),
        (told("Lun is the capital of Norway.", "Norway", "P36", "Lun"), True, "Which country is Lun the capital of?"),
        (told("Lun is the capital of Lornia.", "Lornia", "P36", "Lun"), True, "Which place is Lun the capital of?"),
        (told("It came out through Acme.", "Gold", "P264", "Acme", "album"), False, "Which record label released the album Gold?"),
        (told("It is based on a novel.", "Gold", "P144", "Red", "film", "novel"), False, "What is the film Gold based on?"),
        (told("Bo Lind is the editor-in-chief of Métal.", "Métal", "P98", "Bo Lind", "magazine"), True, "Which magazine does Bo Lind edit?"),
    ],
)  # fmt: skip
def test_a_question_takes_the_words_of_its_text(of: Fact, subject: bool, question: str) -> None:
    of = of.model_copy(update={"object_kind": "date"}) if of.object.isdigit() else of
    named, answer = (of.object, of.subject) if subject else (of.subject, of.object)
    assert worded(row("single", "subject" if subject else "object", named, answer, of)) == question


@pytest.mark.parametrize(
    ("of", "question"),
    [
        (told("Bo Lind is the widow of Norvian dictator Karl Orr.", "Karl Orr", "P102", "Lun Party", "person"),
         "To which party did Karl Orr belong?"),
        (told("The house was bought in 1870 by the astronomer Karl Orr.", "Karl Orr", "P27", "Norvia", "person"),
         "Which country was Karl Orr from?"),
        (told("The house was bought in 1970 by the astronomer Karl Orr.", "Karl Orr", "P27", "Norvia", "person"),
         "Which country is Karl Orr from?"),
        (told("Lun ASA, until 1997 Lun Norvian & Far East Airtransport A/S and trading since the year 1950 as Lun SAFE, was an airline.",
              "Lun", "P17", "Norvia", "airline"), "In which country was Lun based?"),
        (told("He played for the Lorn Leafs in the NHL.", "Lorn Leafs", "P118", "NHL"), "In which league do the Lorn Leafs play?"),
        (told("The Lions entered the season under coach Bo Lind.", "Lorn Lions", "P286", "Bo Lind", "team"), "Who coaches the Lorn Lions?"),
        (told("The bridge was built in 1894.", "Red Bridge (Norvia)", "P137", "Acme", "bridge"), "Who operates Red Bridge in Norvia?"),
        (told("The house is run by Acme.", "Redburn (Lun, Mississippi)", "P137", "Acme"), "Who operates Redburn in Lun, Mississippi?"),
        (told("It came out in 1994.", "Rock (Awww Baby)", "P162", "Bo Lind", "song"), "Who produced the song Rock (Awww Baby)?"),
        (told("Bo Orr was born in Lun.", "Bo Orr (Lun, Florida)", "P19", "Lun"), "Where was Bo Orr of Lun, Florida born?"),
        (told("He played for the Lun Reds and Lorn Stars in the NHL.", "Lorn Stars", "P286", "Bo Lind", "team"), "Who coaches the Lorn Stars?"),
        (told("It began on 11 July.", "2009–10 Lun League", "P276", "Lun", "competition"), "Where did the 2009–10 Lun League take place?"),
        (told("It came out late.", "2009 Lun", "P162", "Bo Lind", "film"), "Who produced the film 2009 Lun?"),
        (told("Lorn Rovers are led by Bo Lind.", "Lorn Rovers", "P286", "Bo Lind", "team"), "Who coaches Lorn Rovers?"),
        (told("The 1st Lun Battery fought in Lorn.", "The 1st Lun Battery", "P241", "Lun Army"),
         "In which military branch did the 1st Lun Battery serve?"),
        (told('"Gold" was written by Bo Lind.', "Gold", "P676", "Bo Lind", "song"), "Who wrote the song Gold?"),
        (told('"Gold" has lyrics by Bo Lind.', "Gold", "P676", "Bo Lind", "song"), "Who wrote the lyrics of the song Gold?"),
        (told("Bo Orr was born in Lun.", "Bo Orr (tennis)", "P19", "Lun"), "Where was the tennis player Bo Orr born?"),
        (told("Ada Orr was born in Lun.", "Ada Orr (astronaut)", "P19", "Lun"), "Where was the astronaut Ada Orr born?"),
        (told("Muse is read by many.", "Muse (children's magazine)", "P123", "Acme"), "Who published the children's magazine Muse?"),
        (told('It is the last of the "Red Kite Trilogy" by Bo Lind.', "Red Kite Trilogy", "P50", "Bo Lind"), "Who wrote the Red Kite Trilogy?"),
        (told("He is known for his Karl Orr and Bo Voss series.", "Karl Orr", "P50", "Bo Lind"), "Who wrote the Karl Orr series?"),
        (told('Eva shot eight "Karl Orr" films.', "Karl Orr", "P57", "Eva Lind"), "Who directed the Karl Orr films?"),
        (told("He plays in the Lunsk-based rock band Jet which formed in 2001.", "Jet", "P159", "Lunsk"), "Where is the band Jet based?"),
        (told("Lorn is a rock band from Lun.", "Lorn", "P159", "Lun"), "Where is Lorn based?"),
        (told("Lorn is a pale lager made by Acme.", "Lorn", "P176", "Acme", "lager"), "Who makes Lorn?"),
        (told("Raiders of Lun (also known as Ada and the Raiders of Lun) is a film.", "Raiders of Lun", "P57", "Bo Lind", "film"),
         "Who directed the film Raiders of Lun?"),
        (told("Ada Bea, Countess Palatine of Lun (1607–1648) was a duchess.", "Ada Bea", "P19", "Lorn"),
         "Where was Ada Bea, Countess Palatine of Lun born?"),
        (told("Sir Bo Orr, 3rd Baronet (1607–1648) was a judge.", "Bo Orr", "P19", "Lorn"), "Where was Bo Orr, 3rd Baronet born?"),
        (told("Ada Bea, King Olaf's niece, was born in Lorn.", "Ada Bea", "P19", "Lorn"), "Where was Ada Bea born?"),
        (told("Low Water( original title: Kam( Cantonese)), known as Kam, is a 1979 kung fu film by Bo Lind.", "Low Water", "P57", "Bo Lind"),
         "Who directed the film Low Water?"),
    ],
)  # fmt: skip
def test_a_name_and_its_tense_are_what_the_text_tells(of: Fact, question: str) -> None:
    said = worded(row("single", "object", of.subject, of.object, of))
    assert said == question


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (
            told("US Post Office is in Lun, United States.", "US Post Office", "P17", "United States", "building"),
            "answer in the question",
        ),
        (
            told("Royal Norwegian Bank is in Oslo, Norway.", "Royal Norwegian Bank", "P17", "Norway", "building"),
            "answer in the question",
        ),
        (told("Post Office Lun is in Norway.", "Post Office Lun", "P17", "Norway", "building"), ""),
        (
            told("Colonel Farr's wife is Mary Noyes.", "Colonel Farr", "P26", "Mary Noyes"),
            "named entity is a first name or surname alone",
        ),
        (
            told("Officer Van Lind was born in Lun.", "Officer Van Lind", "P19", "Lun"),
            "named entity is a first name or surname alone",
        ),
        (told("Colonel Ada Farr was born in Lun.", "Colonel Ada Farr", "P19", "Lun"), ""),
        (
            told("Bo Lind replaced Mars in 1990.", "Mars", "P1366", "Bo Lind"),
            "named entity is a first name or surname alone",
        ),
        (
            told("The force was led by Bo Lind, future Governor of Tennessee.", "Tennessee", "P6", "Bo Lind"),
            "may be over",
        ),
        (
            told("The Orrs consists of Bo Lind and Ada Voss.", "Bo Lind", "P361", "The Orrs"),
            "classes of a part and its whole not known",
        ),
        (told("The Lun Guard is part of the Lun Army.", "The Lun Guard", "P361", "Lun Army"), ""),
        (
            told("The force was led by Bo Lind, Governor of Tennessee.", "Tennessee", "P6", "Bo Lind"),
            "an office passes on",
        ),
    ],
)
def test_what_tells_its_answer_or_may_be_another_is_not_asked(of: Fact, reason: str) -> None:
    asked = row("single", "object", of.subject, of.object, of)
    assert rejection_reason(asked, worded(asked)) == reason


def test_no_form_loses_words_before_an_article() -> None:
    served = fact("the 1st Lun Battery", "P241", "Norvian Army", "battery")
    for name in ("Ada Orr", "the 1st Lun Battery"):
        of = served.model_copy(update={"subject": name, "subject_type": None})
        assert worded(row("single", "object", name, of.object, of)) == f"In which military branch did {name} serve?"


def sentence(one: Fact, said: str) -> Fact:
    return one.model_copy(update={"statements": (Source(chunk="c", document="d", sentence=said),)})


@pytest.mark.parametrize(
    ("said", "condition", "asked_back"),
    [
        ("Low Water stars Ada Orr.", "stars Ada Orr", "starred in Low Water"),
        ("Ada Orr co-starred in Low Water.", "stars Ada Orr", "starred in Low Water"),
        ("Ada Orr had a small role in Low Water.", "features Ada Orr", "appeared in Low Water"),
        ("She is known for films such as Low Water.", "features Ada Orr", "appeared in the film Low Water"),
        ("The cast of Low Water includes Ada Orr.", "features Ada Orr", "appeared in Low Water"),
    ],
)
def test_who_appeared_in_a_film_did_not_star_in_it(said: str, condition: str, asked_back: str) -> None:
    cast = sentence(fact("Low Water", "P161", "Ada Orr", None, "actress"), said)
    directed, born = fact("Low Water", "P57", "Bo Lind"), fact("Ada Orr", "P19", "Lun", "actress")
    text = worded(row("conditional_star", "pivot", "Ada Orr", "Low Water", cast, directed))
    assert condition in text
    text = worded(row("conditional_chain", "pivot", "Low Water", "Ada Orr", cast, born))
    assert asked_back in text


@pytest.mark.parametrize(
    ("facts", "answer", "text"),
    [
        (
            (
                fact("Low Water", "P57", "Ada Orr (director)", "film"),
                fact("Low Water", "P577", "2013", "film", kind="date"),
            ),
            "Low Water",
            "Which film was directed by Ada Orr and released in 2013?",
        ),
        (
            (
                fact("Low Water", "P50", "Bo Lind (writer)", "novel"),
                fact("Low Water", "P577", "2013", "novel", kind="date"),
            ),
            "Low Water",
            "Which novel was written by Bo Lind and published in 2013?",
        ),
        (
            (
                fact("Red Kite", "P749", "Acme", "subsidiary"),
                fact("Red Kite", "P571", "1998", "subsidiary", kind="date"),
            ),
            "Red Kite",
            "Which company is a subsidiary of Acme and was founded in 1998?",
        ),
        (
            (fact("Low Water", "P674", "Ada", "series"), fact("Low Water", "P725", "Bo Lind", "series")),
            "Low Water",
            "Which series features the character Ada and the voice of Bo Lind?",
        ),
        (
            (
                fact("Lun University", "P571", "1614", "university", kind="date"),
                fact("Bo Lind", "P108", "Lun University"),
            ),
            "Lun University",
            "Which university was founded in 1614 and employed Bo Lind?",
        ),
    ],
)
def test_two_conditions_say_nothing_twice(facts: tuple[Fact, ...], answer: str, text: str) -> None:
    pattern = "conditional_star" if all(one.subject == answer for one in facts) else "conditional_chain"
    facts = facts if pattern == "conditional_star" else facts[::-1]
    assert worded(row(pattern, "pivot", "x", answer, *facts)) == text


def test_a_subsidiary_is_called_a_company_where_it_is_asked_whose_it_is() -> None:
    asked = row("single", "subject", "Acme", "Red Kite", fact("Red Kite", "P749", "Acme", "subsidiary"))
    assert worded(asked) == "Which company is a subsidiary of Acme?"


@pytest.mark.parametrize("type_", [None, "label", "imprint", "company"])
def test_a_bridge_of_an_unknown_type_is_what_the_question_calls_it(type_: str | None) -> None:
    told, asked = fact("Low Water", "P264", "Red Kite", "album", type_), fact("Red Kite", "P17", "Norvia", type_)
    text = worded(row("chain", "last", "Low Water", "Norvia", told, asked))
    assert text == "In which country is the company that released the album Low Water based?"


def test_a_book_has_no_cast_whichever_fact_calls_it_a_book() -> None:
    facts = fact("Low Water", "P161", "Ada Orr"), fact("Low Water", "P50", "Bo Lind", "book")
    asked = row("conditional_star", "pivot", "Ada Orr", "Low Water", *facts)
    assert relation.rejection_reason(asked, worded(asked)) == "an end of two classes"
    film = row(
        "conditional_star", "pivot", "Ada Orr", "Low Water", facts[0], fact("Low Water", "P57", "Bo Lind", "film")
    )
    assert relation.rejection_reason(film, worded(film)) == ""
