"""Rules over the packaged parser: what becomes a fact, what does not and why, and that only the text decides."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.pools import ProcessPool
from kgservice.extraction.extractor import Passages, Read, check_method
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.extraction.workers import RuleExtractor

Facts = set[tuple[str, str, str]]


def facts(parser: Parser, text: str, title: str = "") -> Facts:
    return {
        (one.subject.label, one.relation, one.object.label)
        for doc in parser.parse(text)
        for one in extract(doc, title).triplets
    }


def dropped(parser: Parser, text: str) -> dict[str, int]:
    return extract(parser.parse(text)[0], "").dropped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Google acquired YouTube in 2006.",
            {("Google", "acquired", "YouTube"), ("YouTube", "was acquired in", "2006")},
        ),
        ("Ada Orr is being treated in Oslo.", {("Ada Orr", "is treated in", "Oslo")}),
        (  # who writes a work says nothing, and who writes to somebody does
            "Mira Stahl wrote Quiet Ledger in 1994. Kim Aster's partner Otto Blau wrote the novel Blue Salt. "
            "Peter Holm wrote to Anna Falk. Ada Orr wrote Acme a letter. Peter Holm wrote Anna Falk in 1920.",
            {("Mira Stahl", "wrote", "Quiet Ledger"), ("Otto Blau", "wrote", "Blue Salt")},
        ),
        (  # who comes to a post holds it
            "Boris Johnson was elected mayor of London in 2008. Emmanuel Macron became President of France in 2017. "
            "Mary Barra took over as chief executive of General Motors. Tim Cook was appointed CEO of Apple. "
            "Satya Nadella succeeded Steve Ballmer as chief executive of Microsoft.",
            {
                ("Boris Johnson", "was elected mayor of", "London"),
                ("Emmanuel Macron", "became president of", "France"),
                ("Mary Barra", "became chief executive of", "General Motors"),
                ("Tim Cook", "was appointed CEO of", "Apple"),
                ("Satya Nadella", "succeeded", "Steve Ballmer"),
                ("Satya Nadella", "became chief executive of", "Microsoft"),
            },
        ),
        (  # who gives a post to somebody does not hold it
            "King Harald appointed Ida Moen governor of Finnmark Province. Ada Kern made Bo Lind deputy mayor of Tarnow. "
            "They elected Jane Smith president of Peru. The board appoints Cy Berg as chief executive of Globex. "
            "Ada Kern appointed a governor of Finnmark Province.",
            {
                ("Ida Moen", "was appointed governor of", "Finnmark Province"),
                ("Bo Lind", "was made deputy mayor of", "Tarnow"),
                ("Jane Smith", "was elected president of", "Peru"),
                ("Cy Berg", "was appointed chief executive of", "Globex"),
            },
        ),
        (  # who leaves one held it
            "Ada Orr resigned as chief executive of Globex. Bo Lind stepped down as chairman of Initech.",
            {
                ("Ada Orr", "was formerly chief executive of", "Globex"),
                ("Bo Lind", "was formerly chairman of", "Initech"),
            },
        ),
        (  # what the tokenizer cuts is one word
            "Ada Orr was re-elected as mayor of Leeds in 2010. Bo Lind co-directed Lunsk Nights. Co-founder Cy Berg left "
            "Initech. Globex was co-founded in 1990. Microsoft co-founder Paul Allen lives in Oslo.",
            {
                ("Ada Orr", "was re-elected mayor of", "Leeds"),
                ("Bo Lind", "co-directed", "Lunsk Nights"),
                ("Cy Berg", "left", "Initech"),
                ("Globex", "was co-founded in", "1990"),
                ("Paul Allen", "is co-founder of", "Microsoft"),
            },
        ),
        (  # a post that somebody gives to somebody
            "The board of Microsoft elected Ada Orr president. The governor appointed Bo Lind ambassador to Peru. The party "
            "elected Eva Berg leader of the Labour Party. Nokia appointed Cy Holm as chief executive in 2019.",
            {
                ("Ada Orr", "was elected president of", "Microsoft"),
                ("Bo Lind", "was appointed ambassador to", "Peru"),
                ("Eva Berg", "was elected leader of", "Labour Party"),
                ("Cy Holm", "was appointed chief executive of", "Nokia"),
            },
        ),
        (
            "Ada Orr was elected deputy mayor of Leeds. Microsoft named Bo Lind CEO in 2019.",
            {("Ada Orr", "was elected deputy mayor of", "Leeds"), ("Bo Lind", "was named CEO of", "Microsoft")},
        ),
        (
            "Ex-Google engineer Ada Orr founded Globex.",
            {("Ada Orr", "founded", "Globex"), ("Ada Orr", "was formerly engineer of", "Google")},
        ),
        (  # two lands of one rank
            "Princess Irene of Greece and Denmark was born in Athens. Ada Orr was a daughter of King Karl of Sweden and Anna.",
            {
                ("Princess Irene of Greece and Denmark", "was born in", "Athens"),
                ("Ada Orr", "was daughter of", "King Karl of Sweden"),
            },
        ),
        (  # a genitive that belongs to a name
            "Steven Spielberg directed Schindler's List. Roman Polanski directed Rosemary's Baby. Bo Lind was born in St. Mary's, "
            "Ontario. Ada Orr played in the FIFA Women's World Cup. The Actors' Fund of Canada was founded in 1957.",
            {
                ("Steven Spielberg", "directed", "Schindler's List"),
                ("Roman Polanski", "directed", "Rosemary's Baby"),
                ("Bo Lind", "was born in", "St. Mary's"),
                ("Ada Orr", "played in", "FIFA Women's World Cup"),
                ("Actors' Fund of Canada", "was founded in", "1957"),
            },
        ),
        (  # one that does not: an owner, an office, kin
            "Germany's Angela Merkel met Bo Lind. Globex's Chairman Ada Orr lives in Oslo. Orr's Father died in Leeds.",
            {("Angela Merkel", "met", "Bo Lind"), ("Ada Orr", "lives in", "Oslo")},
        ),
        (  # a colon within a title
            "Mission: Impossible is a 1996 film directed by Brian De Palma.",
            {
                ("Mission: Impossible", "came out in", "1996"),
                ("Mission: Impossible", "was directed by", "Brian De Palma"),
            },
        ),
        (
            "Ada Orr sings in the film The Hobbit: The Desolation of Smaug, which was released in 2013.",
            {("The Hobbit: The Desolation of Smaug", "was released in", "2013")},
        ),
        (  # what a prize is for, not where it was given and to what
            "Ada Orr won the Nobel Prize in Physiology or Medicine. Bo Lind won the Pulitzer Prize for Moonfall, a novel about "
            "Lun. Eva Berg won the Hugo Award for Best Novel. Cy Holm won the Lunsk Medal in Velmora.",
            {
                ("Ada Orr", "won", "Nobel Prize in Physiology or Medicine"),
                ("Bo Lind", "won", "Pulitzer Prize"),
                ("Eva Berg", "won", "Hugo Award for Best Novel"),
                ("Cy Holm", "won", "Lunsk Medal"),
            },
        ),
        ("Note: Oslo is the capital of Norway.", {("Oslo", "is capital of", "Norway")}),
        (  # commas and an ampersand
            "David Crosby was a member of Crosby, Stills & Nash. Jim Carrey starred in Me, Myself & Irene. Ada Orr founded "
            "Harris, Forbes & Co. in 1911.",
            {
                ("David Crosby", "was member of", "Crosby, Stills & Nash"),
                ("Jim Carrey", "starred in", "Me, Myself & Irene"),
                ("Ada Orr", "founded", "Harris, Forbes & Co."),
            },
        ),
        (  # the marks of a title and of its sentence within quotes
            'Ada Orr produced "A Man Without Love." Bo Lind starred in "Duck, You Sucker!" in 1971. Cy Berg starred in '
            '"10 Things I Hate About You" in 1999. Ada Orr starred in "The Long Home," directed by Bo Lind.',
            {
                ("Ada Orr", "produced", "A Man Without Love"),
                ("Bo Lind", "starred in", "Duck, You Sucker!"),
                ("Cy Berg", "starred in", "10 Things I Hate About You"),
                ("Ada Orr", "starred in", "The Long Home"),
            },
        ),
        (
            "Ada Orr is the deputy mayor of Prague. Bo Lind is senior vice president of Globex.",
            {("Ada Orr", "is deputy mayor of", "Prague"), ("Bo Lind", "is senior vice president of", "Globex")},
        ),
        (  # a bare number is what its noun counts
            "The population of Oslo is 709,037. Norway's population is 5.4 million. Lun has a population of 1,200.",
            {
                ("Oslo", "has population", "709,037"),
                ("Norway", "has population", "5.4 million"),
                ("Lun", "has population", "1,200"),
            },
        ),
        (
            "LinkedIn became a subsidiary of Microsoft. Norway became a member of NATO in 1949.",
            {("LinkedIn", "became subsidiary of", "Microsoft"), ("Norway", "became member of", "NATO")},
        ),
        (  # for what a prize is given is part of its name, where and when are not
            "Marie Curie received the Nobel Prize in Physics and the Nobel Prize in Chemistry. Ada Orr was awarded the "
            "Nobel Prize in Stockholm. Bo Lind won a Grammy Award for Best New Artist in 1999.",
            {
                ("Marie Curie", "received", "Nobel Prize in Physics"),
                ("Marie Curie", "received", "Nobel Prize in Chemistry"),
                ("Ada Orr", "was awarded", "Nobel Prize"),
                ("Bo Lind", "won", "Grammy Award for Best New Artist"),
            },
        ),
        (  # what somebody is of a company is a role of the schema as a whole
            "Ada Orr is the chief financial officer of Google. Jane Doe is the chief executive of Siemens.",
            {
                ("Ada Orr", "is chief financial officer of", "Google"),
                ("Jane Doe", "is chief executive of", "Siemens"),
            },
        ),
        (  # a name is as long as it is written
            "Chiang Kai-shek died in Taipei in 1975.",
            {("Chiang Kai-shek", "died in", "Taipei"), ("Chiang Kai-shek", "died in", "1975")},
        ),
        (
            'Thomas "Bear" McEwen was born in 1923.',
            {('Thomas "Bear" McEwen', "was born in", "1923")},
        ),
        ("Australian Lynton Crosby was born in London.", {("Lynton Crosby", "was born in", "London")}),
        ("Deputy Chief Constable Rachel Swann was born in London.", {("Rachel Swann", "was born in", "London")}),
        ("Chief Fire Officer Maria Lopez was born in Oslo.", {("Maria Lopez", "was born in", "Oslo")}),
        ("Grace Hunter Young was born in Oslo.", {("Grace Hunter Young", "was born in", "Oslo")}),
        ("Flood\n\nCurtis Michael Hanson was born in Reno.", {("Curtis Michael Hanson", "was born in", "Reno")}),
        (  # a post, a party or a people before a name is none of its words
            "Labour MP George Galloway founded Respect in 2004.",
            {("George Galloway", "founded", "Respect"), ("Respect", "was founded in", "2004")},
        ),
        (
            "South African president Thabo Mbeki met Ada Orr.",
            {("Thabo Mbeki", "met", "Ada Orr"), ("Thabo Mbeki", "is president of", "South Africa")},
        ),
        (
            "Summer Orr sued U.S. President Donald Trump in January.",
            {("Summer Orr", "sued", "Donald Trump"), ("Donald Trump", "is president of", "U.S.")},
        ),
        (
            "Microsoft Chief Executive Satya Nadella met French President Emmanuel Macron.",
            {
                ("Satya Nadella", "met", "Emmanuel Macron"),
                ("Satya Nadella", "is chief executive of", "Microsoft"),
                ("Emmanuel Macron", "is president of", "France"),
            },
        ),
        (  # a branch is not the whole
            "Ada Orr, chairman of the American Chamber of Commerce in China, met Bo Lind.",
            {
                ("Ada Orr", "is chairman of", "American Chamber of Commerce in China"),
                ("Ada Orr", "met", "Bo Lind"),
            },
        ),
        (  # a deputy is not the chief executive
            "Ryanair deputy chief executive Michael Cawley lives in Dublin.",
            {("Michael Cawley", "lives in", "Dublin")},
        ),
        ("Samsung no longer owns Velmor Cables.", set()),
        ("Neither Samsung nor Intel acquired Bolt Labs in 2019.", set()),
        ("Kim Clijsters has denied reports that she bought Velmor Cables.", set()),
        (  # whom a speaker means, the text around does not tell
            'Emilio Butragueno lives in Madrid. "He was born in Oslo."',
            {("Emilio Butragueno", "lives in", "Madrid")},
        ),
        (  # "who" is no place
            "Ana Palomo is a swimmer from Spain, who competed at the Berlin Film Festival.",
            {("Ana Palomo", "is swimmer from", "Spain"), ("Ana Palomo", "competed at", "Berlin Film Festival")},
        ),
        ("Intel, which owns 44% of the Japanese carmaker, is based in Paris.", {("Intel", "is based in", "Paris")}),
        (  # who is a man in one sentence is no woman in the next
            "Bryan Mills lives in Rome with his daughter, Kim, and her mother Lenore.",
            {("Bryan Mills", "lives in", "Rome"), ("Kim", "is daughter of", "Bryan Mills")},
        ),
        (  # a nickname is no name
            '"Big Eye" Louis Nelson Delisle (28 January 1885 – 20 August 1949) was a clarinetist.',
            {
                ("Louis Nelson Delisle", "was born on", "28 January 1885"),
                ("Louis Nelson Delisle", "died on", "20 August 1949"),
            },
        ),
        ("Ada Orr appeared in 24 Hour Party People.", set()),
        ("Urartu was established in 860 BC.", set()),
        ("Ada Orr resigned after reports that she attended the Berlin Film Festival.", set()),
        (  # a year of its own is part of a name
            "Astrid Sandvik competed at the 1956 Winter Olympics.",
            {("Astrid Sandvik", "competed at", "1956 Winter Olympics")},
        ),
        (  # a post beside a place is not the place's
            "St. Louis advertising agency executive Lee Falk lives in Rome.",
            {("Lee Falk", "lives in", "Rome")},
        ),
        ("PBS is operated by the nation's 349 public television stations.", set()),
        (  # two participles share who did it
            "Casablanca was written and directed by Ada Orr.",
            {("Casablanca", "was written by", "Ada Orr"), ("Casablanca", "was directed by", "Ada Orr")},
        ),
        (  # a date before a name is none of its words
            "In March Dastan Gridworks acquired Velmor Cables.",
            {("Dastan Gridworks", "acquired", "Velmor Cables")},
        ),
        (  # one of many goes by its own name
            "The tenth Harbour Day, Harbour19, was held in Lisbon, Portugal.",
            {("Harbour19", "was held in", "Lisbon")},
        ),
        ("Rupert Georg von Trapp died in 1992.", {("Rupert Georg von Trapp", "died in", "1992")}),
        ("William the Silent was born in Dillenburg.", {("William the Silent", "was born in", "Dillenburg")}),
        (  # whatever the tagger takes the name in the middle for
            "Oscar Nathan Straus (6 March 1870 – 11 January 1954) was a composer.",
            {("Oscar Nathan Straus", "was born on", "6 March 1870")},
        ),
        ("Gjorgija (George) Atanasoski died in 1992.", {("Gjorgija (George) Atanasoski", "died in", "1992")}),
        ("Ada Orr died after 1815.", set()),
        ("Clara von Vegesack died in Mindelheim.", {("Clara von Vegesack", "died in", "Mindelheim")}),
        ("Casablanca was directed by Michael Curtiz.", {("Casablanca", "was directed by", "Michael Curtiz")}),
        ("Paris is the capital of France.", {("Paris", "is capital of", "France")}),
        ("Daniel Flynn (born 1961) is an English actor.", {("Daniel Flynn", "was born in", "1961")}),
        ("Mario Baccini (born 14 December 1957 in Rome) is a politician.", {("Mario Baccini", "was born in", "Rome")}),
        ("The Louvre Museum is in Paris.", {("Louvre Museum", "is in", "Paris")}),
        (
            "Lun Arena is owned and operated by Acme.",
            {("Lun Arena", "is owned by", "Acme"), ("Lun Arena", "is operated by", "Acme")},
        ),
        ("Intel invested $50,000 in 2001.", {("Intel", "invested", "$50,000")}),
        (
            "Marie Curie was born in Warsaw and died in France.",
            {("Marie Curie", "was born in", "Warsaw"), ("Marie Curie", "died in", "France")},
        ),
        ("Anna Smith died in Kingston upon Hull.", {("Anna Smith", "died in", "Kingston upon Hull")}),
        ("Anna Smith worked for Macy's until 2001.", {("Anna Smith", "worked for", "Macy's")}),
        ("Moody's Corporation was founded by John Moody.", {("Moody's Corporation", "was founded by", "John Moody")}),
        ("Christie's sold it. Ada Orr leads Christie's.", {("Ada Orr", "leads", "Christie's")}),
        ("Ada is a friend of Bell's. Bell's brother lives in Oslo. Bell died in Lun.", {("Bell", "died in", "Lun")}),
        ("Washington (CNN) Loretta Lynch lives in Oslo.", {("Loretta Lynch", "lives in", "Oslo")}),
        (
            "Anna Smith, a daughter of Peter Smith, was born in Oslo.",
            {("Anna Smith", "is daughter of", "Peter Smith"), ("Anna Smith", "was born in", "Oslo")},
        ),
    ],
)
def test_sentences_become_facts(parser: Parser, text: str, expected: Facts) -> None:
    assert expected <= facts(parser, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada Kern appointed a governor of Finnmark Province.", set()),
        (
            "Globex hired Cy Berg as director of Acme Labs.",
            {("Globex", "hired", "Cy Berg"), ("Cy Berg", "became director of", "Acme Labs")},
        ),
        # a bracket that is short for what stands before it is no agency
        ("Advanced Placement (AP) Physics is a course of Globex.", set()),
        ("Altoona, Pa. (AP) - Globex acquired Initech.", {("Globex", "acquired", "Initech")}),
        # only who steps down leaves a post, and who takes over comes to it
        ("Nils Braun stepped in as chief executive of Globex.", set()),
        ("Paula Rey stands as president of Norway.", set()),
        ("Bo Lind stood down as head of Globex.", {("Bo Lind", "was formerly head of", "Globex")}),
        ("Bo Lind took the oath as president of Peru.", set()),
        ("Bo Lind took office as mayor of Oslo.", {("Bo Lind", "became mayor of", "Oslo")}),
        ("Bo Lind took Lunsk as capital of Norway.", {("Bo Lind", "took", "Lunsk")}),
        # what has been so since then is so still
        ("Ada Orr has been head of Globex since 2014.", {("Ada Orr", "is head of", "Globex")}),
        ("Ada Orr has been head of Globex since winning an election.", {("Ada Orr", "is head of", "Globex")}),
        ("Ada Orr has been head of Globex ever since.", {("Ada Orr", "is head of", "Globex")}),
        ("Ada Orr has been head of Globex, which has since failed.", {("Ada Orr", "was head of", "Globex")}),
        ("Ada Orr has been head of Globex four times since 1990.", {("Ada Orr", "was head of", "Globex")}),
        ("Ada Orr has been a mayor of Oslo since retired.", {("Ada Orr", "was mayor of", "Oslo")}),
        # who has an office for a part of the world leads no whole body
        ("Ada Orr is CEO of Germany at Acme Foods.", {("Ada Orr", "works at", "Acme Foods")}),
        ("Petra Sand is CFO of Europe at Solveig Steel.", {("Petra Sand", "works at", "Solveig Steel")}),
        # a population is of all people of one place
        ("The Jewish population of Lun was 1,310.", set()),
        ("Bergen had a Jewish population of 300.", {("Bergen", "had", "Jewish population of 300")}),
        ("Lun County has a population of 300 bears.", {("Lun County", "has", "population of 300 bears")}),
        ("The population of Bergen and Oslo is 911,000.", set()),
        ("Bergen and Oslo have a population of 911,000.", set()),
        ("The population of Bergen was 18,000 in 1801.", {("Bergen", "had population", "18,000")}),
        ("The length of the Glomma is 600.", set()),
        ("The length of the Glomma is 600 km.", {("Glomma", "has length", "600 km")}),
    ],
)
def test_a_sentence_states_no_more(parser: Parser, text: str, expected: Facts) -> None:
    assert facts(parser, text) == expected


@pytest.mark.parametrize(("title", "expected"), [("tide-py", True), ("Castren", False), ("How to read tides", False)])
def test_this_library_is_the_program_of_the_title(parser: Parser, title: str, expected: bool) -> None:
    found = extract(parser.parse("This library is maintained by Ada Orr.", title)[0], title)
    assert any(one.subject.label == title for one in found.triplets) == expected


def test_pronouns_and_definite_nouns_mean_who_was_spoken_of(parser: Parser) -> None:
    text = "Twelfth Night is a 1955 film directed by Jan Fried. The film was released in Russia. It was produced by Lenfilm."
    found = facts(parser, text, "Twelfth Night (1955 film)")
    assert ("Twelfth Night", "was released in", "Russia") in found
    assert ("Twelfth Night", "was produced by", "Lenfilm") in found


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        ("", "The vote was close. Kurz studied at the University of Vienna.", ("Kurz", "studied at")),
        ("Sleep well", "Marlow was born in Oslo. It rained.", ("Marlow", "was born in")),
        ("Lun wins", "Ellison joined Globex in 2001. It rained.", ("Ellison", "joined")),
    ],
)
def test_a_surname_that_no_text_gives_in_full_names_nobody(
    parser: Parser, title: str, text: str, fact: tuple[str, str]
) -> None:
    whole = text.replace(fact[0], f"Ada {fact[0]}", 1)
    assert not any(found[:2] == fact for found in facts(parser, text, title))
    assert any(found[:2] == (f"Ada {fact[0]}", fact[1]) for found in facts(parser, whole, title))


@pytest.mark.parametrize(
    "text",
    [
        "Hotel Lun is situated six miles from Newark.",
        "Lun County is located 12 mi southwest of Denver.",
        "The Lun Company operated between Holtsville and Patchogue.",
    ],
)
def test_where_something_is_not_is_no_fact(parser: Parser, text: str) -> None:
    assert not facts(parser, text)


def test_a_surname_is_the_person_of_the_title(parser: Parser) -> None:
    text = "Alexander Korda was a British film director. Korda was born in Hungary."
    assert ("Alexander Korda", "was born in", "Hungary") in facts(parser, text, "Alexander Korda")


@pytest.mark.parametrize(
    ("text", "no"),
    [
        ("Orr's Father died in Leeds.", "Orr's Father"),
        ("“We Are in Oslo,” said Ada Orr.", "We Are in Oslo"),
    ],
)
def test_what_only_looks_like_a_name_is_none(parser: Parser, text: str, no: str) -> None:
    assert no not in {end for one in facts(parser, text) for end in one}


def test_a_quoted_title_is_longer_than_the_documents_own(parser: Parser) -> None:
    text = 'Lunsk Nights is a film. Ada Orr directed "Lunsk Nights 2" in 2004.'
    assert ("Ada Orr", "directed", "Lunsk Nights 2") in facts(parser, text, "Lunsk Nights")


def test_a_pronoun_of_the_other_sex_is_not_who_the_text_is_of(parser: Parser) -> None:
    text = "Anna Thorsdal (3 May 1911 – 9 May 1980) was a painter. She married Nils Brekke. In 1955 he moved to Bergen."
    found = facts(parser, text, "Anna Thorsdal")
    assert ("Anna Thorsdal", "married", "Nils Brekke") in found
    assert not any(subject == "Anna Thorsdal" and "moved" in relation for subject, relation, _ in found)


def test_a_platform_is_no_firm(parser: Parser) -> None:
    text = "Sunmere Cells is based in Temba Bay. Tidewell Dredging maintains the platform for ten years."
    assert not any(obj == "Sunmere Cells" for _, _, obj in facts(parser, text))


def test_a_headline_is_no_person(parser: Parser) -> None:
    text = "Jurgen Melzer beat Andre Agassi in the final. Melzer was born in Vienna."
    assert ("Jurgen Melzer", "was born in", "Vienna") in facts(parser, text, "Melzer shocks Agassi")
    headline, text = "How Ada Orr Became Ada Orr", "Ada Orr led Acme. Jim Ho succeeded Orr. Orr was born in Oslo."
    assert ("Ada Orr", "was born in", "Oslo") in facts(parser, text, "Ada Orr")
    assert headline not in {end for one in facts(parser, text, headline) for end in one}


def test_a_pronoun_after_another_person_is_whose_life_it_is_or_nobody(parser: Parser) -> None:
    text = "Dmytro Orr (born 28 September 1975) is a politician. The president, Petro Lind, met Orr. He is a graduate of Yale."
    found = facts(parser, text, "Dmytro Orr")
    assert not any(subject == "Petro Lind" and obj == "Yale" for subject, _, obj in found)


def test_the_first_name_alone_is_the_person_of_the_title(parser: Parser) -> None:
    text = "Clive Pearse is a British host. Clive moved to Los Angeles in 1997."
    assert ("Clive Pearse", "moved to", "Los Angeles") in facts(parser, text, "Clive Pearse")


def test_the_bracket_of_a_title_is_no_part_of_the_name(parser: Parser) -> None:
    text = "Benny Chan (film director)\n\nBenny Chan was a film director. He died in Hong Kong."
    assert ("Benny Chan", "died in", "Hong Kong") in facts(parser, text, "Benny Chan (film director)")


def test_a_class_is_read_off_the_text(parser: Parser) -> None:
    found = extract(parser.parse("Hard Case is a 1972 film directed by John Moxey.")[0], "Hard Case").triplets
    assert {one.subject.label: one.subject.type for one in found} == {"Hard Case": "film"}


@pytest.mark.parametrize(
    ("text", "class_"),
    [
        ("Blue Tide is the sixth studio album by the band Red Kites, released in 1999.", "album"),
        ("Blue Tide is Ada Kerr's second novel and was published in 1999.", "novel"),
        ("Blue Tide is an extended play by Ada Kerr, released in 1999.", "extended play"),
        ("Ada Kerr is an Icelandic actor, and theater and film director, and was born in 1999.", "actor"),
        ("Ada Kerr is the voice of the show and was born in 1999.", None),
    ],
)
def test_a_work_s_class_is_read_whatever_its_article(parser: Parser, text: str, class_: str | None) -> None:
    found = extract(parser.parse(text)[0], "").triplets
    assert {one.subject.type for one in found if one.subject.label in ("Blue Tide", "Ada Kerr")} == {class_}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Google did not acquire Yahoo in 2008.", "negated"),
        ("Google may acquire Yahoo.", "not asserted"),
        ("Ada Orr will become mayor of London.", "not asserted"),
        ("Google wants to buy Yahoo.", "unsure"),
        ("The company acquired YouTube.", "subject not named"),
        ("Google acquired a company.", "object not named"),
        ("The complaint alleges that Google acquired YouTube.", "only claimed"),
        ("Ann Lee plays chess and marry Peter Smith.", "not asserted"),
    ],
)
def test_what_is_no_fact_is_dropped_by_reason(parser: Parser, text: str, reason: str) -> None:
    assert facts(parser, text) == set()
    assert reason in dropped(parser, text)


def test_questions_headings_and_table_rows_state_nothing(parser: Parser) -> None:
    assert (
        facts(parser, "# Google acquired YouTube\n\nDid Google acquire YouTube?\n\n| Google | acquired | YouTube |")
        == set()
    )


def test_what_is_all_in_capitals_shows_no_names(parser: Parser) -> None:
    assert facts(parser, "BEOPEN MAKES NO REPRESENTATIONS OR WARRANTIES.") == set()
    assert facts(parser, "IBM was founded in 1911.") == {("IBM", "was founded in", "1911")}


def test_every_sentence_is_verbatim_and_holds_the_rules_of_relations(parser: Parser) -> None:
    text = "Berlin is the capital of Germany. In 1998, Ann Lee founded Acme Corp. in Boston with Tom Ray.\n\nOslo lies in Norway."
    for doc in parser.parse(text):
        for one in extract(doc, "").triplets:
            assert one.sentence in text
            assert 1 <= len(one.relation.split()) <= 4
            assert not any(character.isdigit() for character in one.relation)


HOSTILE = [
    "and ".join(f"Company{n} acquired Firm{n} " for n in range(2_500)) + ".",
    "Google, " * 10_000,
    "😀🎉 " * 3_000 + "Google acquired YouTube.",
    "\x01\x02\x7f\u200b\ufeff" * 2_000,
    "这是一个没有空格的句子。" * 1_000,
    "<div><p>" * 5_000,
    "((((" * 3_000 + "“" * 3_000,
    "A" * 50_000,
    "\n" * 20_000,
]


@pytest.mark.whole
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_takes_bounded_time(parser: Parser, text: str) -> None:
    started = time.process_time()
    for doc in parser.parse(text):
        extract(doc, "")
    assert time.process_time() - started < 60  # a guard against quadratic work, not a measure


@pytest.mark.whole
def test_a_long_text_is_parsed_in_pieces_that_lose_nothing(parser: Parser) -> None:
    sentences = [f"Oslo is the capital of Norway {n}." for n in range(1_300)]
    found = parser.parse(" ".join(sentences))
    assert len(found) > 1
    assert sum(len(list(doc.sents)) for doc in found) == 1_300


TEXTS = [
    Passages("Paris", ("Paris is the capital of France.",)),
    Passages("", ()),
    Passages("Korda", ("Alexander Korda was born in Hungary.", "He died in London.")),
]


@pytest.mark.whole
def test_a_text_is_parsed_alike_in_any_company(parser: Parser) -> None:
    texts = [
        (text, "") for text in (*HOSTILE[2:6], "Paris is the capital of France.", "Google acquired YouTube in 2006.")
    ]
    together = list(parser.parse_all(texts * 3))
    alone = [parser.parse(text) for text, _ in texts]
    for docs, each in zip(together, alone * 3, strict=True):
        for one, other in zip(docs, each, strict=True):
            assert (
                one.to_array(["HEAD", "DEP", "POS", "LEMMA", "ENT_TYPE"]).tolist()
                == other.to_array(["HEAD", "DEP", "POS", "LEMMA", "ENT_TYPE"]).tolist()
            )


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    """Two workers that start as a user's do."""
    with closing(ProcessPool(2)) as made:
        yield made


@pytest.mark.whole
def test_the_same_text_gives_the_same_triplets_in_any_process_and_order(pool: ProcessPool) -> None:
    extractor = RuleExtractor(pool=pool)
    there = list(extractor.read(TEXTS * 3))
    back = list(extractor.read(list(reversed(TEXTS * 3))))
    assert there == list(reversed(back)) == there[:3] * 3
    first = there[0]
    assert isinstance(first, Read)
    assert [one.object.label for one in first.triplets[0]] == ["France"]


@pytest.mark.whole
def test_an_unknown_way_or_pipeline_is_refused(pool: ProcessPool) -> None:
    with pytest.raises(BadRequest, match=r"rules\+reader, .*none"):
        check_method("magic", [])
    with pytest.raises(BadRequest, match="no spaCy pipeline"):
        list(RuleExtractor("rules:en_no_such", pool).read([Passages("", ("A text.",))]))


@pytest.mark.whole
def test_a_worker_that_dies_costs_nothing() -> None:
    import psutil

    others = psutil.Process().children(recursive=True)
    long = Passages("", ("Paris is the capital of France. " * 50,))
    with closing(ProcessPool(1)) as pool, RuleExtractor(pool=pool) as extractor:
        assert list(extractor.read(TEXTS))
        reading = extractor.read([long, TEXTS[2]])
        for child in set(psutil.Process().children(recursive=True)) - set(others):
            if child.status() != psutil.STATUS_ZOMBIE and "spawn_main" in " ".join(child.cmdline()):
                child.kill()
        found = list(reading)
        again = list(extractor.read(TEXTS))
    assert all(isinstance(one, Read) for one in found)
    assert found[1] == again[2]


def test_no_extraction_reads_nothing_and_starts_nothing() -> None:
    with RuleExtractor("none") as extractor:
        assert not extractor.reads


def test_a_pipeline_with_other_labels_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    import spacy

    folder = tmp_path_factory.mktemp("pipeline") / "clear"
    spacy.blank("en").to_disk(folder)
    with pytest.raises(BadRequest, match="Universal Dependencies"):
        Parser(str(folder))


def test_we_and_the_company_are_who_reports(parser: Parser) -> None:
    def said(text: str) -> set[tuple[str, str, str]]:
        found = [one for doc in parser.parse(text) for one in extract(doc, "", "Acme Corp.").triplets]
        return {(one.subject.label, one.relation, one.object.label) for one in found}

    text = "We acquired Lumen Labs in 2031. The Company acquired Aqua-Chem in May 2030."
    assert {("Acme Corp.", "acquired", "Lumen Labs"), ("Acme Corp.", "acquired", "Aqua-Chem")} <= said(text)
    auditor = "Basis for Opinion. We acquired Lumen Labs in 2031."
    assert all(subject != "Acme Corp." for subject, _, _ in said(auditor))
    assert not any(name == "Company" for row in said("The Company acquired Aqua-Chem in May 2030.") for name in row)


def test_a_report_states_no_habits_and_none_of_its_own_terms(parser: Parser) -> None:
    text = "We assess Lumen Labs. The Debtor sued Lumen Labs in 2031. Common Stock is listed on Nasdaq."
    (found,) = [extract(doc, "", "Acme Corp.") for doc in parser.parse(text)]
    assert not found.triplets
    assert {"a habit", "a defined term"} <= set(found.dropped)


def test_the_owner_of_a_companys_stock_does_not_own_the_company(parser: Parser) -> None:
    text = (
        "Lumen America is the sole owner of the Company's authorized redeemable preferred stock, $1 par value, which is "
        "redeemable at the option of Lumen America or the Company at par value aggregating $0.3 million."
    )
    (found,) = [extract(doc, "", "Acme Corp.") for doc in parser.parse(text)]
    assert not found.triplets
    (found,) = [extract(doc, "", "Acme Corp.") for doc in parser.parse("Ada Lun is the Company's president.")]
    assert [(one.relation, one.object.label) for one in found.triplets] == [("is president of", "Acme Corp.")]


def test_a_lost_full_stop_ends_a_sentence(parser: Parser) -> None:
    text = "Epic Games beat Google in court On Monday, a jury sided with Epic Games after a short trial."
    sentences = [sentence.text for doc in parser.parse(text) for sentence in doc.sents]
    assert sentences == [text[: text.index("On")].strip(), text[text.index("On") :]]


def test_what_is_in_a_state_keeps_its_preposition(parser: Parser) -> None:
    assert ("Anna Smith", "is in charge of", "Acme Corp.") in facts(parser, "Anna Smith is in charge of Acme Corp.")


@pytest.mark.parametrize(
    "aside",
    [
        "(French: Parti rouge du Canada, PRC / RCC)",
        "(Serbian Cyrillic: Црвена партија; French: Parti rouge)",
        "(/ɹɛd ˈpɑːti/)",
        "(pronounced red party)",
        "( )",
    ],
)
def test_how_a_name_is_said_elsewhere_is_not_read(parser: Parser, aside: str) -> None:
    text = f"The Red Party of Norvia {aside} is a party in Lun founded in 1921."
    found = [one for doc in parser.parse(text) for one in extract(doc, "").triplets]
    assert {one.subject.label for one in found} == {"Red Party of Norvia"}
    assert {one.sentence for one in found} == {text}


def test_what_else_a_bracket_says_is_read(parser: Parser) -> None:
    text = "Ada Orr (German: Ada Ohr; born 4 May 1950 in Lun) is a painter. Bo Lind (Photo: Eli Ray) founded Acme Inc."
    found = {(one.subject.label, one.object.label) for doc in parser.parse(text) for one in extract(doc, "").triplets}
    assert {("Ada Orr", "4 May 1950"), ("Bo Lind", "Acme Inc.")} <= found
    assert all("Ray" in "".join(map(str, doc)) for doc in parser.parse(text))


def test_each_life_of_a_list_is_of_the_name_before_it(parser: Parser) -> None:
    text = "Ada Orr (3 May 1901 – 4 June 1980), Karl Voss (7 July 1902 – 8 May 1990) and Bo Lind (born 9 May 1890) painted."
    found = {(one.subject.label, one.object.label) for doc in parser.parse(text) for one in extract(doc, "").triplets}
    assert {("Ada Orr", "3 May 1901"), ("Karl Voss", "7 July 1902"), ("Bo Lind", "9 May 1890")} <= found
    assert ("Ada Orr", "7 July 1902") not in found


def test_a_country_is_of_no_other_class(parser: Parser) -> None:
    text = "Guyana is a state on the coast. Guyana borders Brazil."
    found = [one for doc in parser.parse(text) for one in extract(doc, "").triplets]
    assert {one.subject.type for one in found if one.subject.label == "Guyana"} == {"country"}


def test_markup_is_no_words_and_stays_in_the_sentence(parser: Parser) -> None:
    text = (
        "# Notes\n\n[![badge](http://x/b.svg)](http://x)\n\n```pip```\n\n````\nAcme founded Bolt.\n```\n````\n\n"
        "**Acme** was founded by [Marta Klein](https://example.org/klein) in 1987."
    )
    found = [one for doc in parser.parse(text) for one in extract(doc, "").triplets]
    assert {(one.subject.label, one.object.label) for one in found} >= {("Acme", "Marta Klein")}
    assert not any(one.subject.label == "Acme" and one.object.label == "Bolt" for one in found)
    assert {one.sentence for one in found} == {text.rpartition("\n\n")[2]}
