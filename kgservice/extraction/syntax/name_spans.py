"""Runs of words that make one name, small words and all: "University of Oslo", "Acme, Inc.", "William II"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kgservice.extraction.syntax.clauses import base
from kgservice.names.countries import country, is_demonym, is_province
from kgservice.names.mentions import is_common
from kgservice.names.persons import HONORIFICS, RANKS
from kgservice.text.english import is_agent, is_kin
from kgservice.text.values import MONTHS

if TYPE_CHECKING:
    from spacy.tokens import Token

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_JOINING = frozenset(("of", "upon", "the", "and", "or", "&", "for", "in", "on"))
_PARTICLES = frozenset(  # of family names, which taggers take for words of any kind: "Otto von Bismarck"
    "af al ap av bin bint da dal de degli del della den der di dos du el ferch ibn la le ten ter van vom von zu".split()
)
_FOREIGN = frozenset("das do e i op y zum zur".split())  # particles that are much else: between two capitals alone
_PAIR = re.compile(r"1?\d{1,2}[-–]1?\d{1,2}")
_PLAY = frozenset(
    "beat defeat draw edge game hammer lose loss match outscore overcome play rout score thrash tie triumph victory "
    "win".split()
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "(": ")"}
NICKNAME = 3  # words, in brackets one: "Gjorgija (George) Atanasoski"
EPITHET = 2  # words before it: "Albert I the Bear"
SUFFIXES = frozenset("Inc. Inc Ltd. Ltd LLC L.L.C. Corp. Corp Co. LLP N.A. plc Jr. Sr.".split())  # after a comma too
POST = re.compile(r"C[A-Z]O|[QRW]B|VP|EVP|SVP")
_PARTS = re.compile(rf"{POST.pattern}|M[ES]?P")  # among the capitals of a run, two names: "Labour MP Ada Orr"
AREAS = frozenset("Province County Region State Department Municipality Prefecture Governorate".split())
OFFICES = frozenset(  # no part of a name, though many write them with a capital: "Chairman of Acme"
    "bishop ceo cfo chairman chairperson chairwoman chair chancellor cio cofounder commissioner coo counsel cto dean "
    "director founder governor head manager mayor minister officer partner premier president principal professor "
    "secretary senator treasurer".split()
)
_OF_OFFICES = frozenset(
    "acting and & assistant associate chief co deputy executive financial first general group interim legal lieutenant "
    "managing marketing operating prime senior technical technology the vice".split()
)
_OF_PARTS = frozenset(  # offices that are as often of a department, a task or a subject as of a body: "Head of Sales"
    "commissioner dean director head manager minister officer professor secretary".split()
)
_LED_BY_OFFICES = frozenset(("at", "for", "of"))
_LEADS_ON = _PARTICLES | frozenset(("of", "-", "'s"))
PAST = frozenset(("former", "ex", "then", "late", "onetime", "retired"))
OVER = PAST - {"late"}  # the late president may have died in office
NOT_YET = frozenset(("designate", "incoming", "nominated", "prospective"))
_OF_HOLDERS = OVER | NOT_YET | {"acting", "interim"}  # no part of a name, as the first word of a sentence either
_AWARDS = frozenset("Award Medal Prize".split())
_PART_OF_NAME = RANKS | frozenset("Pope Saint St".split())
_TITLES = frozenset("Adm Capt Cmdr Col Gen Gov Lt Maj Rep Sen Sgt".split())  # offices, and no part of a name
_DAY = re.compile(r"\d\d?(?:st|nd|rd|th)?")
_DAYS = frozenset(f"{MONTHS} monday tuesday wednesday thursday friday saturday sunday".split())
_REGNAL = re.compile(r"[IVX]{1,5}")
GENITIVE = frozenset(("'s", "’s"))
_APOSTROPHES = frozenset(("'", "’"))  # genitives of plurals
_SAINTS = frozenset(("St.", "St", "Saint"))
_LINKS = frozenset(("-", "–", "'", "’", ".", "/", "&"))


def runs(doc: Sequence[Token], forms: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of proper nouns with the small words inside them, as (first, after the last); `forms`: the words' texts."""
    at = 0
    while at < len(doc):
        small = forms[at].islower()
        ordinal = (
            small and at + 1 < len(doc) and _ORDINAL.fullmatch(forms[at]) and doc[at + 1].pos_ == "PROPN"
        )  # 20th Century Fox
        holds = doc[at].is_sent_start and forms[at].lower() in _OF_HOLDERS
        if holds or (not ordinal and (small or not _proper(doc[at]))):
            at += 1
            continue
        last = at + 1
        while (longer := _longer(doc, at, last)) > last:
            last = longer
        for first, end in _parted(doc, at, last):
            if any(doc[index].text[:1].isupper() or doc[index].text[:1].isdigit() for index in range(first, end)):
                yield first, end
        at = last


def _parted(doc: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The names of a run: "OpenAI CEO Sam Altman" is two and a post."""
    if first + 2 < last and doc[first].lower_ == "ex" and doc[first + 1].text == "-":  # "Ex-Google engineer Ada Orr"
        first += 2
    first = _after_office(doc, _after_date(doc, first, last), last)
    for index in range(first, last):
        if _PARTS.fullmatch(doc[index].text):
            if index > first:
                yield first, index
            first = index + 1
            while first < last and doc[first].lower_ in _JOINING:
                first += 1
    begins = _person_begins(doc, first, last)
    yield from _owner_of_post(doc, first, begins)
    first = begins
    if first < last and not _generic(doc, first, last):
        yield first, last


def _owner_of_post(doc: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The name or the people before a post and a person: "U.S." of "U.S. President Donald Trump"."""
    titled = (
        doc[at].text.rstrip(".") in _TITLES or doc[at].lower_.rstrip(".") in HONORIFICS for at in range(first, last)
    )
    end = next((at for at, title in enumerate(titled, first) if title or not doc[at].ent_type_), last)
    if end < last and is_demonym(doc[end].text):  # "pro-Kremlin Ukrainian President"
        yield end, end + 1
    elif first < end:
        yield first, end


def _person_begins(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where a person's name begins behind a people, a post or whose it is: "Australian Lynton Crosby", "Actress
    Sandra Dee", "U.S. President Donald Trump"."""
    at = last
    while at > first and doc[at - 1].ent_type_ == "PER":
        at -= 1
    rank = max(_after_rank(doc, first, last), _after_title(doc, first, last))
    at = max(at, rank)
    lone = last - at - (doc[last - 1].text in SUFFIXES) < 2  # "Taylor Jr." is no whole name either
    if lone or at == first or doc[at - 1].text in _PART_OF_NAME:
        return first
    before = (word.ent_type_ or is_demonym(word.text) or _is_post(without_co(word)) for word in doc[first:at])
    return at if at == rank or all(said and said != "PER" for said in before) else first


def _is_post(word: str) -> bool:
    """Whether a word is of a post or a faith, not a first name that is in the dictionary with a capital: "curtis"."""
    return word.isalpha() and _is_listed(word) and (is_common(word) or is_agent(word))


def _after_rank(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where a person's name begins behind a post of two words and more, as far as the recogniser may take these
    for the person's: "Deputy Chief Constable Rachel Swann"; `first` if it has none."""
    at = first
    while at < last - 2 and is_common(doc[at].lower_) and doc[at].text not in RANKS:
        at += 1
    post = at - first > 1 and any(
        is_agent(word.lower_) or word.lower_ in OFFICES | _OF_OFFICES for word in doc[first:at]
    )
    return at if post and all(word.ent_type_ == "PER" for word in doc[at:last]) else first


def _after_title(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where a person's name begins behind a short title: "Michigan Democratic Rep. Ada Orr"; `first` if none.

    Honorifics before two names and more are of no name: "Sir Alan Orr", "Rev. Dr. Ada Orr", but "Sir Galahad".
    """
    after = max((at + 1 for at in range(first, last) if doc[at].text.rstrip(".") in _TITLES), default=first)
    while after < last and doc[after].lower_.rstrip(".") in HONORIFICS:
        after += 1
    names = [word for word in doc[after:last] if word.text not in SUFFIXES]
    titled = after > first and doc[after - 1].text.rstrip(".") in _TITLES
    whole = titled or all(word.ent_type_ == "PER" for word in names)  # no "Dr. Ada Orr Hospital"
    return after if len(names) > 1 and whole else first


def _after_date(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where the name of a run begins that opens with a date: "In March Acme", "On May 6th Ada"."""
    at = first
    if first and doc[first - 1].pos_ in ("ADP", "SCONJ") and doc[first].lower_ in _DAYS:  # "Since Monday Acme"
        at += 1
    if at and at < last and doc[at - 1].lower_ in _DAYS and _DAY.fullmatch(doc[at].text):
        at += 1
    return at if at < last else first


def _after_office(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where a name begins whose run opens with an office: "Chairman of Acme", "Secretary of State for Wales".

    It is `last` where none follows: "President and CEO", "Professor of Physics".
    """
    at, office = first + bool(_ORDINAL.fullmatch(doc[first].text)), ""  # "the 45th President of Peru"
    while at < last and (plain := without_co(doc[at])) in OFFICES | _OF_OFFICES:
        office = plain if plain in OFFICES else ""
        at += 1
    if not office or (at < last and doc[at].lower_ not in _LED_BY_OFFICES):
        return first
    while at < last and (doc[at].lower_ in _LED_BY_OFFICES | _JOINING or _leads_on(doc, at, last)):
        at += 1
    rest = doc[at:last]
    told = any(word.ent_type_ for word in rest) and (len(rest) > 1 or office not in _OF_PARTS)  # "Chairman of Ford"
    named = any(not is_plain_word(word.lower_) or word.ent_type_ == "LOC" or _is_country(word.text) for word in rest)
    return at if told or named else last


def _is_country(word: str) -> bool:
    known = country(word)
    return known is not None and known.how == "name"


def _leads_on(doc: Sequence[Token], at: int, last: int) -> bool:
    """Whether a plain word of an office is followed by whose it is: the "State" of "Secretary of State for Wales"."""
    return at + 1 < last and doc[at + 1].lower_ in _LED_BY_OFFICES and is_plain_word(doc[at].lower_)


def without_co(word: Token) -> str:
    """Return a word in small letters, without what it shares: "founder" of "Co-founder"."""
    return word.lower_.removeprefix("co-")


def is_office(word: str) -> bool:
    """Return whether a word is an office with a capital, as in "is Chairman of Acme"."""
    return word[:1].isupper() and word.lower().removeprefix("co-") in OFFICES


def _generic(doc: Sequence[Token], first: int, last: int) -> bool:
    """True for a short title, and for a common noun that opens a sentence or is written large: "Gamers"."""
    word = doc[first]
    if last - first > 1:
        return False
    if word.text in _TITLES:  # "Lt" of "Lt. Ada Orr"
        return True
    if word.is_sent_start and not word.ent_type_ and "Plur" in word.morph.get("Number", []):
        return word.text.isalpha() and (_is_listed(word.lower_) or is_demonym(word.text))
    return word.pos_ == "NOUN" and not word.ent_type_ and word.text[1:].islower()


def _longer(doc: Sequence[Token], first: int, last: int) -> int:
    """Where the name `doc[first:last]` ends with the next word that belongs to it; `last` if none does."""
    after = last
    if _inside(doc, last + 1) and doc[last].text == "," and doc[last + 1].text in SUFFIXES:
        return last + 2
    longer = max(_nicknamed(doc, last), _with_genitive(doc, first, last))
    if longer > last or _has_numbered_title(doc, first, last):
        return max(longer, last + 3 * _has_numbered_title(doc, first, last))
    while _inside(doc, after) and after - last < 3 and _joins(doc[after], doc[after - 1]):
        after += 1
    if not _inside(doc, after):
        return last
    if after == last and _REGNAL.fullmatch(doc[after].text) and doc[last - 1].text[1:].islower():
        return after + 1  # "William II", whatever the tagger makes of the numeral
    token = doc[after]
    hyphened = after == last + 1 and doc[last].text == "-" and _is_name_part(token.text)
    if hyphened or (_proper(token) and (after == last or _tied(doc, first, last, after))):
        return after + 1
    numbered = after == last and token.pos_ == "NUM" and token.text.isdigit() and token.head.i in range(first, last)
    return last + 1 if numbered and not opens_pair(token) else last


def opens_pair(word: Token) -> bool:
    """Return whether a word opens two figures that a dash joins: a match's score, a model or a range."""
    numeral = word.text[0].isdigit()
    return numeral and _PAIR.fullmatch(word.doc[word.i : word.i + 1 + 2 * word.text.isdigit()].text) is not None


def is_score(word: Token) -> bool:
    """Return whether a word opens the score of a match: of "beat Arsenal 3–0", but not of "won a Saab 9-3"."""
    if not opens_pair(word):
        return False
    play = next((over for over in word.ancestors if over.pos_ not in ("PROPN", "NUM")), word)
    one = any(child.lower_ in ("a", "an") for child in word.head.lefts)
    return play.lemma_ in _PLAY and (play.pos_ == "NOUN" or (play.i < word.i and not one))


def _with_genitive(doc: Sequence[Token], first: int, last: int) -> int:
    """Return where a name ends that keeps its genitive, `last` if it keeps none.

    "Macy's was founded", which owns nothing, "Moody's Corporation", "Women's World Cup", "Schindler's List".
    """
    if not _inside(doc, last) or doc[last].text not in GENITIVE | _APOSTROPHES:
        return last
    mark, owner, after = doc[last], doc[last - 1], doc[last + 1 : last + 2]
    if mark.text in _APOSTROPHES and after and mark.ent_iob_ == after[0].ent_iob_ == "I":  # "Dunkin' Brands"
        return last + 2 * (after[0].text.istitle() and country(after[0].text) is None)
    if mark.pos_ == "PART" and _names_with(doc, first, last):
        return last + 2
    if mark.text not in GENITIVE or mark.pos_ != "PART" or _is_of_kin(doc, last + 1):
        return last
    if owner.dep_ == "nmod:poss":
        whole = mark.ent_type_ == owner.ent_type_ == "ORG" and _inside(doc, last + 1) and after[0].ent_iob_ == "I"
        return last + whole
    double = owner.ent_type_ == "PER" and any(child.lower_ == "of" for child in owner.lefts)  # "a friend of Ada's"
    return last + (mark.ent_type_ == "ORG" or (last - first - (doc[first].text in _SAINTS) == 1 and not double))


def _is_of_kin(doc: Sequence[Token], at: int) -> bool:
    """Whether kin stands behind a genitive, whatever the tree says: "Garbo's great-nephew", "Voss's late wife"."""
    while _inside(doc, at) and (doc[at].text == "-" or doc[at].pos_ == "ADJ") and not is_kin(doc[at].lower_):
        at += 1
    return _inside(doc, at) and is_kin(doc[at].lower_)


def _names_with(doc: Sequence[Token], first: int, last: int) -> bool:
    """Whether a word with a capital makes one name with the genitive before it, and neither an owner's office nor what
    somebody else has named: "Women's World Cup", "Rosemary's Baby", "St. Mary's Hospital", no "Canada's Parliament"."""
    owner, after = doc[last - 1], doc[last + 1] if _inside(doc, last + 1) else None
    if after is None or not after.text.istitle() or after.pos_ == "ADJ" or not is_plain_word(after.lower_):
        return False  # no "Sony's German branch"
    if after.lower_ in OFFICES | _OF_OFFICES or after.text in RANKS or after.ent_type_ in ("PER", "LOC"):
        return False
    if doc[first].text in _SAINTS:
        return True
    if owner.ent_type_ == "" and is_plain_word(owner.lower_):
        return True
    alone = last - first == 1 and not (_inside(doc, last + 2) and doc[last + 2].text[:1].isupper())
    alone = alone and not is_kin(after.lower_)
    return alone and owner.ent_type_ in ("", "PER") and owner.lower_ not in _DAYS and country(owner.text) is None


def _has_numbered_title(doc: Sequence[Token], first: int, last: int) -> bool:
    """Whether a title with a number belongs to a name, the first of several: "John Lyon, 4th Lord Glamis"."""
    if not _inside(doc, last + 2) or doc[last].text != "," or any(_ORDINAL.fullmatch(w.text) for w in doc[first:last]):
        return False
    return _ORDINAL.fullmatch(doc[last + 1].text) is not None and doc[last + 2].text in RANKS


def _nicknamed(doc: Sequence[Token], last: int) -> int:
    """Return where a name ends that goes on with a nickname in quotes, as 'Tom "Bear" McEwen'; `last` if none does."""
    if not _inside(doc, last + 3) or doc[last].text not in _QUOTES:
        return last
    closing = _QUOTES[doc[last].text]
    for at in range(last + 1, last + NICKNAME + 1):
        if _inside(doc, at + 2) and doc[at + 1].text == closing:
            inner, after = doc[last + 1 : at + 1], doc[at + 2]
            one = closing != ")" or (len(inner) == 1 and not inner[0].text.isupper())  # "Washington (CNN) Ada Orr"
            capitals = one and all(word.text[:1].isupper() for word in (*inner, after))
            return at + 3 if capitals and after.text.isalpha() and not after.is_stop else last
    return last


def _is_name_part(word: str) -> bool:
    """Whether a word after a hyphen may be of the name before it: "Bankman-Fried", "Kai-shek", but not "Oslo-based"."""
    return word[0].isupper() or (word.isalpha() and not is_plain_word(word))


def is_plain_word(word: str) -> bool:
    """Return whether a word is a common one without a capital, and none that joins the words of a name.

    "germany" is none: the dictionary has it with a capital alone.
    """
    return word.islower() and word not in _JOINING | _PARTICLES | _FOREIGN and is_common(word)


def _is_listed(word: str) -> bool:
    """Return whether a word is of the dictionary with or without a capital, as peoples and faiths are: "buddhist"."""
    from simplemma import is_known  # read at the first word

    return word not in _JOINING | _PARTICLES | _FOREIGN and is_known(word, lang="en")


def _inside(doc: Sequence[Token], index: int) -> bool:
    return index < len(doc) and not doc[index].is_sent_start


def _proper(token: Token) -> bool:
    if token.pos_ == "PROPN" or _is_before_surname(token):
        return any(c.isalnum() for c in token.text) and not opens_pair(token)
    capital = token.text[:1].isupper()
    if token.is_sent_start:  # "Countess Anna of Anhalt", but not "Former minister"
        if sum(sign.isupper() for sign in token.text) > 1 and base(token) in ("nsubj", "nmod"):  # "PCM started in 1987"
            return True
        if not capital or token.i + 1 >= len(token.doc):
            return False
        if token.nbor().pos_ != "PROPN":
            return _is_first_name(token)
        one = token.ent_type_ == "PER" or (token.ent_type_ and token.ent_type_ == token.nbor().ent_type_)
        return token.dep_ in ("compound", "flat", "nmod:desc") or bool(one) or _is_first_name(token)
    named = token.ent_type_ != "" or token.pos_ in ("NOUN", "ADJ", "X")
    return capital and base(token) != "root" and (named or not is_common(token.lower_))


def _is_first_name(token: Token) -> bool:
    """Whether a word that opens a sentence before a capital is in no dictionary: "Rupert Georg von Trapp"."""
    unknown = token.text.isalpha() and not token.is_stop and not is_plain_word(token.lower_)
    return unknown and token.nbor().text.istitle()


def _is_before_surname(token: Token) -> bool:
    """Whether a first name looks like a preposition: "drummer Per Lind", "Per Lind is", no "Interview With Ada Orr"."""
    if token.pos_ != "ADP" or not token.text.istitle() or token.i + 1 == len(token.doc):
        return False
    after = token.nbor()
    if after.is_sent_start or after.ent_type_ != "PER" or after.pos_ != "PROPN":
        return False
    if token.is_sent_start:  # what leads to no noun and no clause
        return base(after) == "nsubj" and token.dep_ not in ("case", "mark")
    return not token.nbor(-1).text[:1].isupper()


def _joins(word: Token, before: Token) -> bool:
    if word.text in _LINKS and not before.whitespace_:
        return not word.whitespace_ or word.text == "&" or (word.text == "." and len(before) == 1)
    if word.text in _PARTICLES or _is_foreign(word):
        return True
    return word.lower_ in _JOINING and word.pos_ in ("ADP", "SCONJ", "DET", "CCONJ", "PROPN", "X", "SYM")


def _is_foreign(word: Token) -> bool:
    """Whether a word joins two names as in "Maria do Rosario": a particle between words with a capital."""
    if word.text not in _FOREIGN or not 0 < word.i < len(word.doc) - 1 or word.is_sent_start:
        return False
    before, after = word.nbor(-1), word.nbor()
    return before.text.istitle() and after.text.istitle() and before.pos_ == "PROPN" and not after.is_sent_start


def _epithet(doc: Sequence[Token], start: int, last: int, after: Token) -> bool:
    """Whether a common word ends a short name: "William the Silent", but not "gave Curie the Nobel Prize"."""
    goes_on = _inside(doc, after.i + 1) and doc[after.i + 1].text[:1].isupper()
    return last - start <= EPITHET and is_common(after.lower_) and not goes_on and doc[last - 1].text[:1].isupper()


def _are_two(doc: Sequence[Token], start: int, last: int, after: Token) -> bool:
    """True for "Kotayk Province of Armenia" and, where the recogniser saw two bodies, "the Lunsk Lions of the NFL".

    So are a person of two names and a state: "Bo Lind of California".
    """
    named = [doc[index].ent_type_ for index in range(max(start, last - 2), last)]
    if named == ["PER", "PER"] and is_province(after.text) and not any(word.text in RANKS for word in doc[start:last]):
        return True
    if last - start > 1 and doc[last - 1].text in AREAS and after.ent_type_ == "LOC":
        return True
    if any(doc[index].lower_ == "of" for index in range(start, last)):  # "Board of Governors of the Lunsk Union"
        return False
    bodies = [{doc[index].ent_type_ for index in range(start, last)}, {doc[last].ent_type_}, {after.ent_type_}]
    return bodies == [{"ORG"}, {""}, {"ORG"}] and doc[last + 1].lower_ == "the"


def _is_field(word: Token, award: Token, after: Token) -> bool:
    """Whether a word begins what an award is given for: "Prize in Physics", but not "Prize in Oslo".

    Nor is it a work: "the Pulitzer Prize for Moonfall, a novel".
    """
    if award.text not in _AWARDS or word.lower_ not in ("for", "in"):
        return False
    if word.lower_ == "for" and after.text == "Best":  # "Award for Best Actress"
        return after.i + 1 < len(after.doc) and after.nbor().pos_ in ("NOUN", "PROPN")
    told_more = after.i + 1 < len(after.doc) and after.nbor().text == ","
    known = is_common(after.lower_) and award in (after.head, after.head.head)
    return known and not (word.lower_ == "for" and told_more) and after.lower_ not in _DAYS


def _is_second_field(doc: Sequence[Token], start: int, last: int, after: Token) -> bool:
    """Whether a word is the other field of an award: "the Nobel Prize in Physiology or Medicine"."""
    award = next((at for at in range(start, last - 1) if doc[at].text in _AWARDS), None)
    return award is not None and doc[award + 1].lower_ in ("for", "in") and is_common(after.lower_)


def _is_second_land(doc: Sequence[Token], start: int, last: int, after: Token) -> bool:
    """Whether a word is the second land of somebody's rank: "Princess Irene of Greece and Denmark"."""
    ranked = doc[last - 2].lower_ == "of" and any(doc[at].text in RANKS for at in range(start, last - 2))
    goes_on = _inside(doc, after.i + 1) and (
        doc[after.i + 1].text[:1].isupper() or doc[after.i + 1].lower_ in _LEADS_ON
    )
    somebody = after.text in RANKS or (after.ent_type_ == "PER" and after.ent_iob_ == "B")
    return ranked and not goes_on and not somebody


def _tied(doc: Sequence[Token], start: int, last: int, reach: int) -> bool:
    """True if the small words between make one name: "University of Oslo", not "Norway and Sweden"."""
    words = [doc[index] for index in range(last, reach)]
    after = doc[reach]
    if all(word.text in _LINKS or word.text in _PARTICLES | _FOREIGN for word in words):  # "Saad al-Kaabi"
        return True
    kinds = {doc[index].ent_type_ for index in range(start, reach + 1)}
    whole = len(kinds) == 1 and kinds != {""}
    if words[0].lower_ in ("and", "or", "&", "for", "in", "on", "upon"):
        river = words[0].lower_ == "upon" and kinds - {""} == {"LOC"}  # trees have "was born upon Tyne"
        field = len(words) == 1 and _is_field(words[0], doc[last - 1], after)
        lands = len(words) == 1 and words[0].lower_ == "and" and _is_second_land(doc, start, last, after)
        field = field or (words[0].lower_ == "or" and _is_second_field(doc, start, last, after))
        either = words[0].lower_ == "or" and not field
        tied = words[0].lower_ == "&" or whole or field or lands or (river and after.dep_ != "nmod:poss")
        return tied and not either
    if words[0].lower_ == "the":
        return len(words) == 1 and _epithet(doc, start, last, after)
    if words[0].lower_ == "of" and _are_two(doc, start, last, after):
        return False
    if words[0].lower_ == "of" and whole:  # "House of Representatives Judiciary Committee", whatever the tree says
        return True
    return after.head.i in range(start, last) or after.head.head.i in range(start, last) or words[0].lower_ != "of"
