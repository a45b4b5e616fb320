"""Which address a document tells its reader to write to, and what for: "Email travel@acme.example to change a booking."

Read are sentences that begin with a verb of writing or asking, behind "please", "you can" or what the address is for
("For questions about leave, contact …"), with one address of mail. The rest of the sentence, in the order of a
question, is what the address is for, with the heading and the document under which it stands: "email to change a
booking, according to “Travel, Acme handbook”". A sentence that names no purpose, another way ("or call …") or what only
other text tells ("this form", "them") is left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Chunk, Document, Term, Triplet
from kgservice.extraction.tables.cells import clean
from kgservice.extraction.tables.descriptions import MARK, hangs, without_code
from kgservice.extraction.tables.lists import find_place, section_at
from kgservice.text.inflection import base
from kgservice.text.sentences import sentences

CONTACT = "contact for"
FEWEST, OF_ITSELF, MOST = 3, 6, 28  # words of a purpose, of what is sent if no purpose is told, of both
_ADDRESS = re.compile(r"<?(?P<address>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>?")
_LED = re.compile(r"(?P<lead>(?:If|For|To|When|Once|After|Before|In case) .+?), (?=[^,]*$)")
_CLAUSE = re.compile(
    r"(?:[Pp]lease |[Ff]eel free to |(?:[Yy]ou (?:can|may|should|must|will need to|need to)|[Yy]ou[’']ll need to|"
    r"[Mm]ake sure to) |also )*"
    r"(?P<asked>(?i:ask|call|contact|direct|e-?mail|forward|mail|message|notify|reach|refer|report|send|submit|write)\b.*)"
)
_PASSIVE = re.compile(
    r"(?P<what>[A-Z].+?) (?:can|may|must|should) be "
    r"(?P<done>addressed|directed|e-?mailed|forwarded|mailed|reported|sent|submitted) to"
)
_ANOTHER = re.compile(  # way, as a telephone's number, or thing
    r"\bor (?:at|by|in|on|via|call|contact|e-?mail|send|write)\b|\b(?:them|him|her|it|cc)\b|[,;:#]|slack|"
    r"\d[\d. ()-]{5,}\d",
    re.I,
)
_PURPOSE = re.compile(r"(?:about|as soon as|before|for|if|in order to|once|regarding|so that|to|when|with|within)\b")
_MORE = re.compile(r"(?:^|,? )(?:and|without) .*$|, .*$")  # what happens then: "and they will approve it"
_ELSEWHERE = re.compile(r"\b(?:[Oo]ur|us|we|them|it|here|there|they)\b")


class _Contact(NamedTuple):
    """An address, what it is for in the words of a question, and where its sentence is."""

    address: str
    asked: str
    start: int
    end: int


def contact_triplets(chunk: Chunk, document: Document) -> list[Triplet]:
    """Return which addresses a document gives within a chunk, and what for."""
    return [
        Triplet(
            subject=Term(label=one.address, kind="entity"),
            relation=CONTACT,
            object=Term(label=one.asked, kind="entity"),
            sentence=document.text[one.start : one.end],
        )
        for one in _contacts(document.text, document.title)
        if chunk.holds(one.start, one.end)
    ]


@lru_cache(maxsize=8)
def _contacts(text: str, title: str) -> tuple[_Contact, ...]:
    if "@" not in text:
        return ()
    bare = without_code(text)
    found = list[_Contact]()
    for start, end in sentences(bare):
        said = " ".join(clean(MARK.sub("", bare[start:end])).split()).rstrip(" .!*_")
        places = list(_ADDRESS.finditer(said))
        if len(places) == 1 and bare[start] not in "|#" and (asked := _asked(said, places[0])):
            place = find_place(section_at(bare, start), title, text, start).said  # another part has another address
            if place:
                found.append(_Contact(places[0]["address"], f"{asked}, according to “{place}”", start, end))
    return tuple(found)


def _asked(said: str, place: re.Match[str]) -> str:
    """Return what an address is for, as it follows "Which address do you", "" if the sentence does not say it so."""
    before, after = said[: place.start()].strip(), said[place.end() :].strip()
    if re.match(r"or\b|[;:]", after):
        return ""
    led, after = _LED.match(before), _MORE.sub("", after)
    lead = f"{led['lead'][0].lower()}{led['lead'][1:]}" if led else ""
    clause = _clause(before[led.end() if led else 0 :])
    if not clause or _ANOTHER.search(clause):
        return ""
    asked = re.sub(r"\bto to\b", "to in order to", " ".join(filter(None, (clause, after, lead))))
    told = (_PURPOSE.match(after) or lead) and len(f"{after} {lead}".split()) >= FEWEST
    sent = not after and len(clause.split()) >= OF_ITSELF
    hanging = hangs(asked) or _ELSEWHERE.search(asked) is not None or asked.count("(") != asked.count(")")
    return "" if hanging or not (told or sent) or len(asked.split()) > MOST else asked


def _clause(words: str) -> str:
    """Return how an address is reached, from the verb on: "send an email to", also of "mails should be sent to"."""
    if passive := _PASSIVE.fullmatch(words):
        return f"{base(passive['done'])} {passive['what'][0].lower()}{passive['what'][1:]} to"
    found = _CLAUSE.fullmatch(words.strip())
    return found["asked"][0].lower() + found["asked"][1:] if found else ""
