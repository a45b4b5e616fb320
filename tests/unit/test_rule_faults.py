"""Faults of rules that sentences with all their facts marked have shown: what a text does not say, and what it does."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract

Fact = tuple[str, str, str]
ADAPTED = 'Blue Sun is a 1979 film adaptation of Mark Falk\'s "The Red Harbour of Time", directed by Bo Lind.'
CADETS = (
    "Brother Orr is a 1938 American comedy film about cadets at Virginia Military Institute in Lexington, Virginia, "
    "directed by William Orr."
)


def read(parser: Parser, text: str) -> set[Fact]:
    return {
        (one.subject.label, one.relation, one.object.label)
        for doc in parser.parse(text)
        for one in extract(doc, "").triplets
    }


@pytest.mark.parametrize(
    ("text", "fact"),
    [  # part of a people has another country or none
        ("Tim Orr (born 2 May 1960) is a Northern Irish footballer.", ("Tim Orr", "is citizen of", "Ireland")),
        ("Anna Orr is a Native American painter.", ("Anna Orr", "is citizen of", "United States")),
        ("Situated 245 kilometres northeast of Riga, Tartu lies on the Emajõgi.", ("Riga", "is in", "Tartu")),
        ("Tyre is the capital of southern Lebanon.", ("Tyre", "is capital of", "Lebanon")),
        ("Ada Orr was queen of ancient Egypt.", ("Ada Orr", "was queen of", "Egypt")),
        ("It sails for German shipbuilder Tim Orr, which left Oslo.", ("Tim Orr", "is citizen of", "Germany")),
        ("Tim Orr is an Australian rules footballer.", ("Tim Orr", "is citizen of", "Australia")),
        # what somebody is doing at a moment
        ("Bo Lind was driving a Volvo through Oslo.", ("Bo Lind", "was driving", "Volvo")),
        ("Anna Berg, who is backing Peter Orr in singles, won.", ("Anna Berg", "is backing", "Peter Orr")),
        ("Acme Bank is suing Globex Motors.", ("Acme Bank", "is suing", "Globex Motors")),
        # words of a post are no body
        ("Acme’s Consumer Content Editor Tim Orr said so.", ("Tim Orr", "is editor of", "Consumer Content")),
        ("Acme's Digital Services Manager Tim Orr said so.", ("Tim Orr", "is manager of", "Digital Services")),
        ("Lunsk’s Public Safety Director Anna Berg left.", ("Anna Berg", "is director of", "Public Safety")),
        ("The song was recorded by Welsh singer Anna Orr.", ("Anna Orr", "is singer of", "Wales")),
        # the last of a list of people is not the first
        ("The cast has Anna Berg, Peter Orr and Danish actress Ida.", ("Anna Berg", "is citizen of", "Denmark")),
        # a language is no name of what is written in it
        ("Lunsk ( ; French: ] ) (officially Lunsk), is a suburb of Ottawa.", ("French", "is suburb of", "Ottawa")),
        # who did something has a name
        ('"The Lunsk Road" was supported by the release of two singles.',
         ("The Lunsk Road", "was supported by", "release of two singles")),
        ("Nightfall was released by British musician, painter and producer Tim Orr.",
         ("Nightfall", "was released by", "British musician")),
        # a capital before a name is of it
        ("The All Blacks beat France in Paris.", ("Blacks", "beat", "France")),
        ("He bought the song from No Doubt bassist Tim Orr.", ("Tim Orr", "is bassist of", "Doubt")),
        # a phrase is no class of a name that follows, and no list cut
        ('Anna Orr directed the 1944 propaganda film "The Silent Harbour".',
         ("Anna Orr", "directed", "1944 propaganda film")),
        ("Acme Bank has 44 banking locations in Iowa, Minnesota and Florida.",
         ("Acme Bank", "has", "44 banking locations in Iowa")),
        # a participle after a comma is said of the film, not of the place
        (CADETS, ("Virginia Military Institute", "was directed by", "William Orr")),
        # a day of no year is none, and half of a word no post
        ("Tim Orr died on July 25.", ("Tim Orr", "died on", "July 25")),
        ("Tim Orr was fired on Sept. 18.", ("Tim Orr", "was fired on", "Sept. 18")),
        ("The plan is ideal, said Tim Orr, Hatch’s co-founder.", ("Tim Orr", "is co of", "Hatch")),
        # a period that is told of something else ends no post
        ("Ada Orr is chairman of Globex, whose revenue doubled from 2010 to 2015.",
         ("Ada Orr", "was formerly chairman of", "Globex")),
        # what is told of the first of a list right behind it is not told of the next
        ('They made two films: "Red Moon", directed by Ada Orr; and "Blue Sun", directed by Bo Lind.',
         ("Blue Sun", "was directed by", "Ada Orr")),
        # who is only acting, or a deputy, does not hold the post
        ("On Monday the acting FBI Director Tim Orr left.", ("Tim Orr", "is director of", "FBI")),
        ("The bill was read by deputy NASA chief Anna Orr.", ("Anna Orr", "is chief of", "NASA")),
        # the state of a mayor's town is no post
        ("Ada Orr also served as the 41st Mayor of Atlanta, Georgia from 1916 to 1919.", ("Ada Orr", "served as", "Georgia")),
        # a participle after the title of another work is said of the film
        (ADAPTED, ("The Red Harbour of Time", "was directed by", "Bo Lind")),
    ],
)  # fmt: skip
def test_what_is_not_said(parser: Parser, text: str, fact: Fact) -> None:
    assert fact not in read(parser, text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Tim Orr (born 2 May 1960) is an Irish footballer.", ("Tim Orr", "is citizen of", "Ireland")),
        ("Beirut is the capital of Lebanon.", ("Beirut", "is capital of", "Lebanon")),
        # what lies in a part of a country lies in it
        ("Tarn is a village in southern Bulgaria.", ("Tarn", "is village in", "Bulgaria")),
        # what follows a place and its state is no list
        ("Lunlight is a punk band from New Brunswick, New Jersey formed in 2002.", ("New Brunswick", "is in", "New Jersey")),
        ("Anna Orr lives in Gothenburg, Sweden's second city.", ("Gothenburg", "is in", "Sweden")),
        # whom a firm is taken for is no matter
        ("It was denied by Yukos spokesman Mike Orr.", ("Mike Orr", "is spokesman of", "Yukos")),
        # a name may be two words of the dictionary
        ("Locked Doors is a 1925 film directed by Tim Orr.", ("Locked Doors", "was directed by", "Tim Orr")),
        # a name may end in a small letter, and its words may be of two kinds
        ("Il sogno di un giorno is a 1916 Italian film.", ("Il sogno di un giorno", "is from", "Italy")),
        ("Tim Orr is a correspondent for Yahoo Finance.", ("Tim Orr", "is correspondent for", "Yahoo Finance")),
        ("It was built by German painter Tim Orr, who left Oslo.", ("Tim Orr", "is citizen of", "Germany")),
        ("Anna Berg joined Acme Bank.", ("Anna Berg", "joined", "Acme Bank")),
        ("Portugal's U.N. ambassador, Tim Orr, said so.", ("Tim Orr", "is ambassador of", "Portugal")),
        ("Nigeria's U.N. Ambassador Tim Orr said so.", ("Tim Orr", "is ambassador of", "Nigeria")),
        ("Twitter is partnering with Bloomberg Media.", ("Twitter", "is partnering with", "Bloomberg Media")),
        ("Young American actor Tim Orr founded a theatre.", ("Tim Orr", "is citizen of", "United States")),
        ("Anna Orr met French President Emmanuel Macron.", ("Emmanuel Macron", "is president of", "France")),
        ("Nightfall was released by Acme Records in 1999.", ("Nightfall", "was released by", "Acme Records")),
        ("Acme is a division of Bolt Holdings, based in Oslo.", ("Bolt Holdings", "is based in", "Oslo")),
        ("Anna Orr played for the Connecticut Sun of the WNBA.", ("Anna Orr", "played for", "Connecticut Sun")),
        ("Anna Orr is a member of the House of Representatives.",
         ("Anna Orr", "is member of", "House of Representatives")),
        (CADETS, ("Brother Orr", "was directed by", "William Orr")),
        # the state behind a politician is no part of the name
        ("Anna Orr of California founded Acme Bank.", ("Anna Orr", "founded", "Acme Bank")),
        (ADAPTED, ("Blue Sun", "was directed by", "Bo Lind")),
        ("Ada Orr is chairman of Globex, whose revenue doubled from 2010 to 2015.",
         ("Ada Orr", "is chairman of", "Globex")),
        ("Ada Orr is a professor at Lun University and served in the army from 1990 to 1994.",
         ("Ada Orr", "is professor at", "Lun University")),
        ("Globex, previously headquartered in Oslo, makes pumps.",
         ("Globex", "was headquartered in", "Oslo")),
        ("Ada Orr founded Globex before joining Initech.", ("Ada Orr", "founded", "Globex")),
        ("Ada Orr is a retired bishop of Oslo.", ("Ada Orr", "was formerly bishop of", "Oslo")),
        ("Lun Mill is a museum once located in Oslo.", ("Lun Mill", "was formerly located in", "Oslo")),
        ("Ada Orr was chairman of Globex between 1975 and 1980.", ("Ada Orr", "was formerly chairman of", "Globex")),
        ("Bo Lind Orr(born 1970) is a Danish painter.", ("Bo Lind Orr", "was born in", "1970")),  # a blank is lost
        # a title is no part of two names, and of one it is
        ("Dr. Ada Orr founded Acme Bank.", ("Ada Orr", "founded", "Acme Bank")),
        ("Bishop Karl Orr was born in Oslo.", ("Karl Orr", "was born in", "Oslo")),
        ("Dr. Seuss was born in Springfield.", ("Dr. Seuss", "was born in", "Springfield")),
        # a first name that is a preposition too
        ("Per Orr founded Acme Bank.", ("Per Orr", "founded", "Acme Bank")),
        ("Nightfall was directed by Per Orr.", ("Nightfall", "was directed by", "Per Orr")),
        # whose role it is owns it
        ("Hartwell Group's chairman is Victor Orr.", ("Victor Orr", "is chairman of", "Hartwell Group")),
        ("Norway's finance minister is Tea Wolf.", ("Tea Wolf", "is finance minister of", "Norway")),
        ("Ada Orr's successor Bo Lind founded Lind Optics.", ("Bo Lind", "is successor of", "Ada Orr")),
        ("Bo Lind is Ada Orr's brother.", ("Bo Lind", "is brother of", "Ada Orr")),
    ],
)  # fmt: skip
def test_what_is_said(parser: Parser, text: str, fact: Fact) -> None:
    assert fact in read(parser, text)
