"""Facts without a verb: "Apple CEO Tim Cook", "his wife Anna", "Oslo, Norway"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from kgservice.core.schema import packaged_schema
from kgservice.extraction.syntax.clauses import Clause, base, preposition
from kgservice.extraction.syntax.coreference import Focus, is_lone
from kgservice.extraction.syntax.name_spans import NOT_YET, OVER, PAST, POST, is_office, is_plain_word
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd, Names
from kgservice.extraction.syntax.rejection import KIN, nameless
from kgservice.names.countries import country, is_country, is_demonym
from kgservice.text.english import is_agent
from kgservice.text.inflection import participle

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_POSTS = frozenset(
    "ceo cfo coo cto president chairman chairwoman chair chief founder cofounder executive director manager coach "
    "captain quarterback striker midfielder defender goalkeeper forward winger receiver guard owner editor reporter "
    "correspondent columnist analyst economist strategist professor researcher scientist engineer minister secretary "
    "governor senator mayor spokesman spokeswoman spokesperson lawyer attorney boss head partner principal frontman "
    "singer drummer guitarist bassist rookie commissioner ambassador bishop king queen chancellor".split()
)
_LEADS = frozenset("in at near of from to".split())
_LESSER = frozenset("acting assistant associate deputy interim junior shadow vice".split())
_OF_STATES = frozenset("chancellor king minister president queen".split())
_OF_NO_PLACE = frozenset(  # who is named beside a place only lives or works there: "London analyst Ada Orr"
    "executive editor reporter correspondent columnist analyst economist strategist professor researcher scientist "
    "engineer lawyer attorney partner principal frontman singer drummer guitarist bassist".split()
)
_PLAIN = ("NOUN", "ADJ")
_OF_LANGUAGES = frozenset(("ambassador", "language", "literature", "professor", "teacher", "translator"))
_FOOTBALL = frozenset(("American", "Australian", "Canadian"))  # kinds of it
_LETS_IN = frozenset("hire inaugurate install promote swear".split())
APPOINTS = _LETS_IN | frozenset("appoint choose elect make name reappoint reelect".split())
_SUCCEEDS = frozenset(("replace", "succeed"))
_LEAVES = frozenset(("quit", "resign", "retire"))
_STEPS, _AWAY = frozenset(("stand", "step")), frozenset(("aside", "back", "down"))
UNTIL = frozenset(("until", "till"))
_PERIOD = re.compile(  # behind a post: "from March 631 to April 631", "between 1975 and 1980"
    r"\b(?:from|between)\s(?:\w+,?\s){0,3}\d{3,4},?\s?(?:to|and|until|till|through|-|–)\s?(?:\w+,?\s){0,3}\d{3,4}\b"
)
_HIS_DEATH = re.compile(r"\b(?:his|her) death\b")
_BESIDE_SOMEBODY = re.compile(r"\b(?:by|for|to|under|with) (?:the|his|her) (?P<noun>[a-z]+)\b")
ONCE = frozenset(("previously", "formerly", "once", "recently", "originally", "initially", "briefly"))
_WITHIN = frozenset(("compound", "conj", "flat", "nmod"))  # of words within a phrase
_PEOPLE = frozenset(("people", "person"))
MAX_POST = 3  # words
LISTED = 3  # names after the second one: nobody says of a place in so many steps where it is


@cache
def _roles() -> frozenset[str]:
    """The schema's nouns of several words."""
    relations = packaged_schema().relations.values()
    nouns = (noun for one in relations for noun in (one.label, *one.object_nouns, *one.subject_nouns))
    return frozenset(noun.lower() for noun in nouns if " " in noun)


@cache
def _of_numbers(*, counted: bool) -> frozenset[str]:
    """The schema's nouns of what is a number, or only those that it asks with "How many": "population", no "length"."""
    relations = packaged_schema().relations.values()
    of_numbers = [one for one in relations if tuple(one.range) == ("number",)]
    if counted:
        of_numbers = [one for one in of_numbers if any(asked.startswith("How many") for asked in one.ask_object)]
    return frozenset(noun.lower() for one in of_numbers for noun in (one.label, *one.object_nouns))


def is_number(noun: Token) -> bool:
    """Return whether a noun tells what a number is of something: "population", "length"."""
    return noun.lower_ in _of_numbers(counted=False)


def counts(noun: Token) -> bool:
    """Return whether a noun tells what a bare number counts: "population", no "length", whose number has a unit."""
    return noun.lower_ in _of_numbers(counted=True)


def figure(number: Token) -> Token | None:
    """Return the number of people in "1,200" and "1.2 million inhabitants"; None for "300 bears"."""
    if number.pos_ != "NOUN":
        return number
    people = number.lemma_.lower() in _PEOPLE or counts(number)
    return next((child for child in number.lefts if base(child) == "nummod"), None) if people else None


def role(noun: Token) -> str:
    """Return the words up to a noun that are a role of the schema ("chief financial officer"), "" if none are."""
    starts = range(max(noun.sent.start, noun.i - MAX_POST), noun.i)
    known = (noun.doc[start : noun.i + 1].text.lower() for start in starts)
    return next((words for words in known if words in _roles()), "")


def held(past: str) -> str:
    """Return the verb of a role: "is", "was" of the late one, "was formerly" of a former one.

    >>> held(""), held("late"), held("former")
    ('is', 'was', 'was formerly')
    """
    return "was formerly" if past in OVER else "was" if past else "is"


def is_whole(word: Token) -> bool:
    """Return False for the second half of "deep-water" and the first of "co-founder"."""
    doc, after = word.doc, word.i + 1
    goes_on = after < len(doc) and doc[after].text == "-" and not word.whitespace_
    return not goes_on and (word.i == 0 or word.nbor(-1).text != "-")


def form_of_be(clause: Clause) -> str:
    """Return "was" of a clause in the past, else "is", as of what "has been so since 2014"."""
    told = {word.lower_ for word in clause.words}
    lasts = not told.isdisjoint(("has", "have", "'s", "’s")) and any(
        _lasts_since(word, clause.verb) for word in clause.verb.subtree if word.lower_ == "since"
    )
    return "was" if told & {"was", "were"} or ("been" in told and not lasts) else "is"


def _lasts_since(since: Token, verb: Token) -> bool:
    """Return whether "since" tells from when on a predicate holds: "since 2014", "since she won", "ever since".

    "four times since 1990", "mayor of Lun, which has since grown" and "a mayor since retired" do not.
    """
    begins, over = since.head, []
    if since.dep_ == "advmod":
        return begins == verb and any(child.lower_ == "ever" for child in since.children)
    if since.dep_ == "mark":
        past = begins.i == since.i + 1 and begins.morph.get("Tense", []) == ["Past"]
        return begins.head == verb and not past
    while begins.head not in (begins, verb):
        begins = begins.head
        over.append(base(begins))
    return _WITHIN.issuperset(over)


def role_words(clause: Clause, noun: Token) -> list[str]:
    """Return the words of what somebody is: "is chief executive", "was formerly prison guard", "served as mayor"."""
    of_office = ("NOUN", "PROPN") if is_office(noun.text) else ("NOUN",)
    kind = [
        c.lower_
        for c in noun.children
        if base(c) == "compound" and c.i < noun.i and c.text.isalpha() and c.pos_ in of_office and is_whole(c)
        if c.ent_type_ != "PER"  # "named Ada Orr CEO"
    ]
    past = next((child.lower_ for child in noun.lefts if child.lower_ in PAST), "")
    own = (known,) if (known := role(noun)) else (*kind[-1:], noun.text if noun.text.isupper() else noun.lower_)
    lesser = next((child.lower_ for child in noun.lefts if child.lower_ in _LESSER), "")
    if lesser and (own[0] == lesser or lesser not in own[0].split()):  # "deputy mayor" is one, whatever the tree says
        own = own[own[0] == lesser :]
        own = (f"{lesser} {own[0]}", *own[1:])
    if _is_over(clause) or (not past and _has_ended(clause, noun)):
        return [held("former"), *(preposition(noun).split() if clause.nominal else ()), *own]
    if not clause.nominal:
        if any(word.dep_ == "compound:prt" for word in clause.words) or succeeds(clause.verb):
            return ["became", *own]  # "was sworn in as"
        verb = clause.verb.lemma_.lower()
        if verb in _LETS_IN:
            return ["became", *own]  # "was hired as": nobody "was hired director"
        if clause.passive or verb in APPOINTS:  # whoever is told to hold the post was chosen for it
            chosen = clause.verb.lower_ if clause.passive else participle(verb, clause.verb.lower_)
            return ["was", chosen, *own] if len(own) == 1 else ["became", *own]
        led = preposition(noun) or (preposition(noun.head) if noun.dep_ == "conj" else "")
        return [clause.verb.lower_, *led.split(), *own]
    return [held(past) if past else form_of_be(clause), *preposition(noun).split(), *own]


def _has_ended(clause: Clause, noun: Token) -> bool:
    """Return whether a period that has ended is told of a post itself, not of what its sentence tells besides.

    "Ada Orr is chairman of Globex, whose revenue doubled from 2010 to 2015" is chairman still. Nothing
    ends what somebody "is", but a second post: "is a politician and the mayor of Lun from 2001 to 2009".
    """
    sentence = noun.sent
    told = {word.lower_ for word in clause.words}
    now = bool(told & {"is", "are", "'s", "’s", "am"}) and "been" not in told
    for found in _PERIOD.finditer(sentence.text, noun.idx - sentence.start_char):
        first = next((word for word in sentence if word.idx - sentence.start_char == found.start()), None)
        if first is None:
            continue
        for word in (first, *first.ancestors):
            if word in (noun, clause.verb):
                if not now or noun != clause.verb:
                    return True
                break
            if word.pos_ in ("VERB", "AUX") or any(child.dep_ in ("cop", "nsubj") for child in word.children):
                break
    return False


def succeeds(verb: Token) -> bool:
    """Return whether a verb tells that somebody comes to a post: "succeeded Bo Lind as", "took over as"."""
    taken = verb.lemma_ == "take" and any(child.lower_ in ("office", "over") for child in verb.rights)
    return taken or verb.lemma_ in _SUCCEEDS


def leaves(verb: Token) -> bool:
    """Return whether a verb tells that somebody leaves a post: "resigned as", "stepped down as", no "stepped in as"."""
    steps = verb.lemma_ in _STEPS and any(child.lower_ in _AWAY for child in verb.rights)
    return steps or verb.lemma_ in _LEAVES


def _is_over(clause: Clause) -> bool:
    """Return whether a clause says that what it tells is over: "resigned as", "served until 2004", "briefly worked".

    So does what came next: "before joining Acme", "worked for Acme before founding Lunex".
    """
    if leaves(clause.verb) or is_once(clause.verb):
        return True
    led = [given.preposition.split()[:1] for given in clause.arguments]
    if any(UNTIL.intersection(words) for words in led):
        return True
    verb = clause.verb
    next_ = [child for child in verb.rights if base(child) == "advcl" and child.left_edge.i > verb.i]
    return any(child.left_edge.lower_ in ("prior", "before") for child in (*verb.lefts, *next_))


def is_once(word: Token) -> bool:
    """Return whether a word is said of a time that is over: "formerly based", "once a mayor"."""
    return any(child.lower_ in ONCE for child in word.children)


def was_placed(verb: Token) -> bool:
    """Return whether a verb tells where something was and may be no longer: "originally located".

    Who "was based" somewhere is asked of no more, but who "was located" there is: a place has several.
    """
    return verb.lemma_ in ("locate", "situate") and is_once(verb)


def ended(words: list[str], last: Token) -> list[str]:
    """Return the words of a post, of a former one where "until" follows: "the head of Acme until last year"."""
    if words[0] in ("is", "was") and last.i + 1 < len(last.doc) and last.nbor(1).lower_ in UNTIL:
        return [held("former"), *words[1:]]
    return words


def may_be_of_another(between: str, *, names_somebody: bool) -> bool:
    """Return whether "his death" may be that of somebody else than the subject `between` which and a date words stand.

    So it is behind another person: "worked for the queen until her death in", "was married to Bo Lind until his death
    in". `names_somebody`: the words have a person's name.
    """
    death = _HIS_DEATH.search(between)
    if death is None:
        return False
    schema = packaged_schema()
    nouns = (found["noun"] for found in _BESIDE_SOMEBODY.finditer(between[: death.start()]))
    classes = (schema.entity_class(noun) for noun in nouns)
    return names_somebody or any(class_ is None or schema.widest(class_) == "person" for class_ in classes)


def class_named(noun: Token) -> str:
    """Return the widest class that a noun means by the schema ("film": "work"), "person" of an agent, else ""."""
    schema = packaged_schema()
    known = schema.entity_class(noun.lower_)
    if known is None:
        return "person" if is_agent(noun.lower_) else ""
    return schema.widest(known)


def _country_of(people: Token) -> NamedEnd | None:
    """Return the country of a people before a noun, None of a name's first word, "Swiss-born" and American football.

    Part of a people has another country or none: "Northern Irish", "Native American", "Belizean-American".
    """
    known, after = country(people.text), people.nbor(1)
    before = people.nbor(-1) if not people.is_sent_start else None
    joined = after.text == "-" or (before is not None and (before.text[-1] in "-–/" or _is_of_people(before)))
    football = people.text in _FOOTBALL and after.lower_ in ("football", "rules")
    if known is None or joined or after.text[0].isupper() or football or after.lower_ in _OF_LANGUAGES:
        return None
    return NamedEnd(known.name, "entity", "place", people.i, people.i + 1)


def _owns_no_post(name: NamedEnd, post: Token) -> bool:
    """Return whether a name before a post owns none: "Monday", "Welsh" of a singer, "Irish Anglican" of a bishop."""
    people = is_demonym(name.label.split()[0])
    lives = post.lower_ in _OF_NO_PLACE or (name.type is None and " " in name.label)
    return nameless(name) or (people and lives)


def _is_of_people(word: Token) -> bool:
    """Return whether a word before a people's belongs to it: the "Northern" of "Northern Irish"."""
    kinds = ("PROPN",) if word.is_sent_start else ("ADJ", "PROPN")  # "Young American actor Bo Lind"
    return word.text.istitle() and word.pos_ in kinds and country(word.text) is None


class Roles:
    """Reads what stands side by side: a name, a post and a name; a noun of kin and a name; two places."""

    def __init__(self, names: Names, focus: Focus) -> None:
        self._names, self._focus = names, focus

    def read(self, sentence: Span) -> Iterator[FactCandidate]:
        """Yield the facts of a sentence that no verb states."""
        for at in range(sentence.start, sentence.end):
            form = self._names.forms[at]
            lower = form.lower()
            if lower in KIN:
                yield from self._kin(self._names.words[at])
            elif lower.removeprefix("co-") in _POSTS or POST.fullmatch(form):
                yield from self._post(self._names.words[at])
            elif lower == "death":
                yield from self._death(self._names.words[at])
            elif form[0].isupper() and at + 2 < sentence.end and is_demonym(form):
                yield from self._citizen(self._names.words[at], sentence)
            elif form == "," and at > sentence.start:
                yield from self._place(self._names.words[at], sentence)

    def _post(self, post: Token) -> Iterator[FactCandidate]:
        """ "Chelsea manager Mauricio Pochettino": he is manager of Chelsea."""
        doc, first = post.doc, post.i
        if post.i + 1 >= len(doc) or self._names.of(post) is not None:
            return
        after = post.i + 1 + (doc[post.i + 1].text == ",")
        person = self._names.starting(after) if after < post.sent.end else None
        while first > post.sent.start and post.i - first < MAX_POST and self._plain(doc[first - 1]):
            first -= 1
        owner = self._owner(post, first)
        if person is None or owner is None or owner.end > first or len(person.label.split()) < 2:
            return
        if person.type != "person" and self._focus.reports:
            return
        if owner.kind != "entity" or not all(word[0].isupper() for word in person.label.split()):
            return
        words = [
            doc[index].lower_ if not doc[index].text.isupper() else doc[index].text
            for index in range(first, post.i + 1)
        ]
        if all(word.replace("-", "").isalpha() for word in words):
            before = doc[max(owner.start - 2, post.sent.start) : owner.start]  # "former Tesla", "ex - Tesla"
            past = next((word.lower_.rstrip("-") for word in before if word.lower_.rstrip("-") in PAST), "")
            whole = role(post)
            said = [held(past), *([whole] if whole else words[-2:]), "of"]
            lesser = doc[owner.start - 1].lower_ if owner.start > post.sent.start else ""  # "acting FBI director"
            beside = {lesser, *" ".join(words).removesuffix(" ".join(said[1:-1])).split()}
            if _LESSER.isdisjoint(beside) and NOT_YET.isdisjoint(word.lower_ for word in before):
                yield FactCandidate(person, " ".join(said), owner, "post")

    def home(self, noun: Token) -> NamedEnd | None:
        """Return the country whose people is named before a noun: "a former Danish handball player", "a Soviet film".

        Two peoples, "Swiss-born" and American football tell of none.
        """
        told = {word for child in noun.lefts for word in (child, *child.subtree) if is_demonym(word.text)}
        if len(told) != 1:
            return None
        (word,) = told
        return _country_of(word) if word.head == noun else None

    def _citizen(self, word: Token, sentence: Span) -> Iterator[FactCandidate]:
        """ "Brazilian journalist Ada Orr": she is a citizen of Brazil."""
        doc, at = word.doc, word.i + 1
        while at < sentence.end and at - word.i <= MAX_POST and doc[at].text.islower() and doc[at].pos_ in _PLAIN:
            at += 1
        person, noun = self._names.starting(at) if word.i + 1 < at < sentence.end else None, doc[at - 1]
        if person is None or person.type != "person" or len(person.label.split()) < 2:
            return
        behind = [each.lower_ for each in doc[person.end : min(person.end + 2, sentence.end)]]
        if behind == [",", "which"]:  # "German shipbuilder Meyer Werft, which": a company
            return
        home = _country_of(word)
        if home is not None and class_named(noun) == "person":
            yield FactCandidate(person, "is citizen of", home, "post")

    def _death(self, noun: Token) -> Iterator[FactCandidate]:
        """ "until her death in 2007" and "Ibsen's death on 23 May 1906": when somebody died."""
        doc, after = noun.doc, noun.i + 1
        if noun.i == noun.sent.start or after + 1 >= noun.sent.end or doc[after].lower_ not in ("in", "on"):
            return
        before = noun.nbor(-1)
        before = before if before.text not in ("'s", "’s") or before.i == 0 else before.nbor(-1)
        day = self._names.starting(after + 1)
        owner = self._focus.resolved(before)[0] if before.dep_ == "nmod:poss" else None
        named = owner is not None and owner.kind == "entity" and owner.type not in ("place", "organization")
        beside = (one.type == "person" for one in map(self._names.of, doc[owner.end : noun.i]) if one) if owner else ()
        if owner is None or may_be_of_another(doc[owner.end : noun.i + 1].text, names_somebody=any(beside)):
            return
        if named and day is not None and day.kind == "date" and not self._focus.partial(owner):
            yield FactCandidate(owner, f"died {doc[after].lower_}", day, "life")

    def _owner(self, post: Token, first: int) -> NamedEnd | None:
        """Return the name before a post, "Chelsea's" or a people's: "French president" is of France."""
        doc, begin, at = post.doc, post.sent.start, first - 1
        if at >= begin and doc[at].text in ("'s", "’s", "'", "’"):
            at -= 1
        owner = self._names.of(doc[at]) if at >= begin else None
        state = country(doc[at].text) if owner is None and at >= begin and post.lower_ in _OF_STATES else None
        if state is not None and state.how == "demonym":  # "French President Emmanuel Macron"
            return NamedEnd(state.name, "entity", "place", at, first)
        if owner is None or _owns_no_post(owner, post) or owner.label.lower() in _LESSER:  # "Vice president"
            return None
        if len(role(post).split()) > post.i + 1 - owner.end:  # "Chief executive Ada Orr": no company called Chief
            return None
        if owner.type == "place" and post.lower_ in _OF_NO_PLACE and not role(post):
            return None
        longer = doc[max(owner.start - 1, begin) : owner.end].text
        label = longer if is_demonym(longer) else owner.label  # "South African president"
        known = country(label)
        if known is not None and known.how == "demonym":
            return owner._replace(label=known.name)
        cut = self._names.is_cut(owner) and doc[owner.start - 1].text.isalpha()  # "Liberal Democrat chief executive"
        owned = owner.start > begin + 1 and doc[owner.start - 1].text in ("'s", "’s")
        if owned and all(is_plain_word(word.lower_) for word in doc[owner.start : owner.end]):
            cut = True  # "Acme's Consumer Content Editor"
        return (self._sender(post, owner) if owned else None) or (None if cut else owner)

    def _sender(self, post: Token, owner: NamedEnd) -> NamedEnd | None:
        """Return the country whose ambassador somebody is to a body: "Peru's U.N. ambassador"."""
        sender = self._names.of(post.doc[owner.start - 2])
        sends = post.lower_ == "ambassador" and sender is not None and sender.type == "place"
        return sender if sends else None

    def _plain(self, word: Token) -> bool:
        small = word.pos_ in ("NOUN", "ADJ") and word.text.islower()
        large = word.pos_ == "PROPN" and self._names.of(word) is None  # "Microsoft Chief Executive Satya Nadella"
        return (small or large) and word.text.isalpha() and word.lower_ not in PAST | NOT_YET

    def _kin(self, noun: Token) -> Iterator[FactCandidate]:
        """ "his wife Anna Berg" and "Ibsen's wife, Suzannah": she is wife of him."""
        doc, after = noun.doc, noun.i + 1
        if noun.i == noun.sent.start or after >= len(doc):
            return
        after += doc[after].text == ","
        before = noun.nbor(-1)
        before = before if before.text not in ("'s", "’s") or before.i == 0 else before.nbor(-1)
        relative = self._names.starting(after) if after < noun.sent.end else None
        owner = self._joined(before) or self._focus.resolved(before)[0]
        if relative is None or owner is None or owner.end > noun.i or "Plur" in noun.morph.get("Number", []):
            return
        if (
            (before.i == noun.i - 1 and before.dep_ != "nmod:poss")
            or owner.kind != "entity"
            or relative.kind != "entity"
        ):
            return
        sides = ((relative, owner), (owner, relative))
        if any(self._focus.partial(one, person=not is_lone(other)) for one, other in sides):
            return  # "Pfeifer and his wife Julia"
        if owner.label != relative.label and not {"place", "organization"} & {owner.type, relative.type}:
            yield FactCandidate(relative, f"is {noun.lower_} of", owner, "kin")

    def _joined(self, before: Token) -> NamedEnd | None:
        """ "the son of John Berg and (of) his wife Anna": she is John's."""
        doc, at = before.doc, before.i - 1
        at -= at > before.sent.start and doc[at].pos_ == "ADP"
        if before.lower_ not in ("his", "her") or at <= before.sent.start or doc[at].lower_ != "and":
            return None
        at -= 1
        if doc[at].text == ")":  # "John Berg (1801–1870) and his wife Anna"
            at = next((index for index in range(at, before.sent.start, -1) if doc[index].text == "("), at) - 1
        name = self._names.of(doc[at])
        return name if name is not None and name.kind == "entity" and name.type != "place" else None

    def _place(self, comma: Token, sentence: Span) -> Iterator[FactCandidate]:
        """ "in Oslo, Norway": the first is in the second, if both are seen to be places; no list is."""
        if comma.i + 1 >= sentence.end or comma.ent_type_:
            return
        first, second = self._names.of(comma.nbor(-1)), self._names.starting(comma.i + 1)
        if (
            first is None
            or second is None
            or first.end != comma.i
            or {"person", "organization"} & {first.type, second.type}
        ):
            return
        before = comma.doc[first.start - 1] if first.start > sentence.start else None
        led = before is not None and (before.text.lower() in _LEADS or before.text == "the" or self._chained(before))
        placed = all(word.ent_type_ == "LOC" for one in (first, second) for word in comma.doc[one.start : one.end])
        alike = first.label == second.label or first.label.isupper() or second.label in ("DC", "D.C.")
        alike = alike or (is_country(first.label) and is_country(second.label))
        acts = comma.doc[second.start : second.end].root.dep_.startswith("nsubj")  # "north of Riga, Tartu lies"
        if led and placed and not alike and not acts and not self._listed(second):
            yield FactCandidate(first, "is in", second, "place")

    def _chained(self, before: Token) -> bool:
        """True for the comma of "in Boulder, Colorado", after which one more place may stand."""
        outer = self._names.of(before.nbor(-1)) if before.text == "," and before.i > before.sent.start else None
        return outer is not None and outer.type == "place" and before.doc[max(outer.start - 1, 0)].lower_ in _LEADS

    def _listed(self, place: NamedEnd) -> bool:
        """True if more names follow up to an "and": "in France, Italy and Japan"."""
        doc, at, more = self._names.doc, place.end, 0
        while at < len(doc) and not doc[at].is_sent_start:
            if doc[at].lower_ in ("and", "or", "&"):
                return True
            name = self._names.of(doc[at])
            if name is None and doc[at].text not in (",", "the"):
                return False
            more += name is not None
            if more == LISTED:
                return True
            at = name.end if name is not None else at + 1
        return False
