"""What keeps a statement from becoming a fact, whatever else speaks for it (`confidence.py` weighs the others).

The bounds are RARE's (appendix A.2): one to four words of relation, no dates in it, nothing vague at either end.
"""

from __future__ import annotations

import re

from kgservice.extraction.syntax.clauses import PLACED, Clause, base
from kgservice.extraction.syntax.proper_names import NamedEnd
from kgservice.text.values import MONTHS

MAX_WORDS = 4  # RARE, appendix A.2
REFUSED = ("negated", "not asserted", "unsure")
_SAYING = frozenset(
    "say tell add report claim argue suggest believe think know mean note explain ask write warn".split()
)
_EMPTY = frozenset("be have do get go come make take include use see become seem put give want need like".split())
_ALLEGING = frozenset(
    "accuse allege argue assert believe charge claim contend deny expect fear insist predict speculate suggest suspect "
    "think".split()
)
_ALLEGATIONS = frozenset("accusation allegation claim report rumor rumour speculation suggestion".split())
KIN = frozenset("wife husband son daughter mother father brother sister child widow grandson granddaughter".split())
_EVENTS = frozenset(
    "die live retire graduate debut open close start begin launch end happen occur premiere resign emigrate arrive "
    "disband form appear marry abdicate reign".split()
)
_CHOSEN = frozenset("elect appoint promote name nominate select reappoint reelect".split())
_OWNERS = frozenset("its his her their our my your".split())
_COMMON = frozenset(
    "church school university college house army court council committee board party hospital top company "
    "notes assets liabilities framework registrant inc. corp. corporation company week days plan policy opinions "
    "agreement agreements board management savings officer president chairman director directors gpu gpus cpu asp ai "
    "it pc pcs api tv gdp llm llms r&d hpc gaap esg ceo ciso cio class".split()
)
_BODIES = frozenset(("board of directors", "audit committee", "executive vice president", "vice president"))
_NO_ROLES = frozenset("first second third last one sale work result same such able forecast part law subject".split())
_LOOSE = frozenset(
    "without unlike like than between despite including via based per amid before after north south east west".split()
)
_LOOSE_PAIRS = frozenset(("as of", "such as", "due to", "prior to", "as with", "along with", "rather than", "up to"))
_WHEN = frozenset("in on since from until by around of".split())
_DURATION = re.compile(r".*\b(?:second|minute|hour|day|week|month|season|year)s?", re.IGNORECASE)
_SINGLE = re.compile(r"[A-Z]?\.?|[^\w]+|[a-z]+|[IVXL]+|BCE?|CE|AD")
_POST = re.compile(
    r"(?:Chief|Senior|Executive|General|Vice|Board)(?: \w+)* (?:Officer|President|Manager|Director|Chair)"
)
_ACRONYM = re.compile(r"[A-Z]{2,4}")
_YEAR, _SHORTS = re.compile(r"\b(?:19|20)\d\d\b"), re.compile(r"[A-Z]{2,5}s|ASU|CISO|CIO|RSU|RSA")
UNSCALED = re.compile(r"\$ ?\d{1,3}(?:,\d{3})?")  # of a report in millions, as like as not
_SCALELESS = re.compile(
    r"\$ ?\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\d.,]*\d)(?! ?(?:hundred|thousand|million|billion|trillion|per|an?) ?)"
)
_POLICIES = frozenset(  # what a report says that its company does, or expects, as a rule
    "assess believe consider expect anticipate recognize record evaluate measure account estimate determine review "
    "monitor include define calculate classify report present test require intend depend rely face continue seek use "
    "provide perform apply strive encourage support conduct maintain".split()
)
_DEFINED = frozenset(  # the last words of terms that a report defines for itself
    "stock shares notes bonds strategy mission vision debtor debtors plaintiff plaintiffs defendants plan plans "
    "program programs policy agreement agreements facility case code standards guidelines directors officers board "
    "committee date event warrants units".split()
)
_SHORT_DAYS = frozenset(
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun".split()
)
_DAY_NUMBER = re.compile(r"\b\d\d?(?:st|nd|rd|th)?\b")
DAYS = frozenset(f"monday tuesday wednesday thursday friday saturday sunday christmas {MONTHS}".split())


def rejection_reason(
    subject: NamedEnd | None, words: list[str], obj: NamedEnd | None, doubts: tuple[str, ...], clause: Clause
) -> str | None:
    """Why a statement does not become a fact; None if it may."""
    refused = next((reason for reason in REFUSED if reason in doubts), None)
    if refused or not words:
        return refused or "no relation"
    if _bare(clause) or _alleged(clause):
        return "not asserted" if _bare(clause) else "only claimed"
    if subject is None or obj is None:
        return "subject not named" if subject is None else "object not named"
    checks = (
        (subject.kind != "entity", "subject is a value"),
        (subject.label == obj.label, "about itself"),
        (len(words) > MAX_WORDS, "relation too long"),
        (not all(word.isascii() and re.sub("[- ]", "", word).isalpha() for word in words), "relation not plain"),
        (bool(_OWNERS.intersection(words)), "relation not plain"),
        (not clause.nominal and clause.verb.lemma_ in _SAYING and not _written(words, obj, clause), "saying"),
        (clause.nominal and obj.kind == "date", "a role and a date"),
        (clause.nominal and clause.verb.lower_ in _NO_ROLES, "no role"),
        (_is_day(obj.label), "a day without a year"),
        (obj.label[0] == "$" and UNSCALED.fullmatch(obj.label) and _ends(clause, obj), "part of a number"),
        (obj.kind == "number" and _DURATION.fullmatch(obj.label) is not None, "a duration"),
        (
            words[-1] in _LOOSE
            or (clause.verb.lemma_ in PLACED and words[-1] in ("from", "of"))  # how far from there
            or " ".join(words[-2:]) in _LOOSE_PAIRS
            or (obj.kind == "date" and words[-1] not in _WHEN),
            "loosely joined",
        ),
        (any(name.label.lower() in _COMMON or name.label.endswith("-") for name in (subject, obj)), "part of a name"),
        (any(name.label.lower() in _BODIES for name in (subject, obj)), "whose is not said"),
        (any(_POST.fullmatch(name.label) for name in (subject, obj)), "whose is not said"),
        (any(c.dep_ == "xcomp" and c.pos_ == "ADJ" for c in clause.verb.children), "vague"),
        (bool(KIN.intersection(words)) and subject.type in ("organization", "place"), "no person"),
        (_vague(words, obj, clause), "vague"),
        (any(word.text.istitle() and word.i > word.sent.start for word in clause.words), "a heading"),
        (not _agree(subject, clause), "no agreement"),
        (words[0] in ("include", "includes", "included", "including"), "a list"),
        (any(name.kind == "entity" and _SINGLE.fullmatch(name.label) for name in (subject, obj)), "name too short"),
    )
    return next((reason for wrong, reason in checks if wrong), None)


def _is_day(label: str) -> bool:
    """True for a day or a month of no year: "Monday", "July 25"."""
    words = [word.rstrip(".") for word in _DAY_NUMBER.sub("", label.lower()).replace(",", " ").split()]
    return bool(words) and all(word in DAYS or word in _SHORT_DAYS for word in words)


def nameless(name: NamedEnd) -> bool:
    """True for what names nothing of itself: "Monday", "the board", "Vice President", a letter."""
    plain = name.label.lower()
    short = name.kind == "entity" and _SINGLE.fullmatch(name.label) is not None
    whose = plain in _BODIES or _POST.fullmatch(name.label) is not None
    return _is_day(plain) or plain in _COMMON or name.label.endswith("-") or short or whose


def _written(words: list[str], obj: NamedEnd, clause: Clause) -> bool:
    """ "was written by X", "wrote Y" and "was known as Y" say what is so, not what somebody says or to whom."""
    if clause.passive:
        return (clause.verb.lemma_, words[-1]) in (("write", "by"), ("know", "as"))
    texts = [child for child in clause.verb.children if base(child) in ("obj", "iobj", "ccomp")]
    of_text = [base(child) == "obj" and obj.start <= child.i < obj.end for child in texts] == [True]
    return clause.verb.lemma_ == "write" and len(words) == 1 and of_text and obj.type != "person"


def _bare(clause: Clause) -> bool:
    """ "encouraged X to learn from Y", "Enter your address": nobody is said to have done it."""
    first = clause.words[0] if clause.words else clause.verb
    return not clause.nominal and (first.morph.get("VerbForm", []) == ["Inf"] or first.morph.get("Mood", []) == ["Imp"])


def _alleged(clause: Clause) -> bool:
    """ "claiming that X made Y", "denied reports that X made Y": somebody only claims it."""
    over = [(word, word.head) for word in (clause.verb, *clause.verb.ancestors)]
    claims = [head for word, head in over if word.dep_ in ("ccomp", "csubj")]
    nouns = [head for word, head in over if word.dep_ == "acl" and any(c.lower_ == "that" for c in word.lefts)]
    claims += [head.head for head in nouns if base(head) == "obj"]
    return any(head.lemma_ in _ALLEGING for head in claims) or any(head.lemma_ in _ALLEGATIONS for head in nouns)


def is_passing(clause: Clause) -> bool:
    """Return whether a clause tells what somebody is doing at a moment: "was driving a Jeep", "is backing Bo Lind"."""
    of_be = any(word.lemma_ == "be" for word in clause.words)
    return of_be and not clause.nominal and not clause.passive and clause.verb.lower_.endswith("ing")


def _ends(clause: Clause, obj: NamedEnd) -> bool:
    """ "led the $8", where the text lost "5 million round" with its full stops."""
    return clause.verb.sent.text.rstrip().endswith(obj.label)


def _agree(subject: NamedEnd, clause: Clause) -> bool:
    """False for a lone name before a plural verb of the present: what is taken for a verb is none ("goalie")."""
    verb = clause.words[0] if clause.words else clause.verb
    present = verb.morph.get("Tense", []) == ["Pres"] and verb.morph.get("VerbForm", []) == ["Fin"]
    plural = subject.label.endswith("s") or clause.subject.pos_ == "PRON" or any(clause.subject.conjuncts)
    lone = subject.start == clause.subject.i or subject.start < clause.subject.i < subject.end
    return clause.nominal or not present or plural or not lone or verb.lower_.endswith("s") or verb.pos_ == "AUX"


def unfit(own: bool, subject: NamedEnd, words: list[str], obj: NamedEnd, clause: Clause) -> str | None:
    """Why a statement of a company's report is none of its facts: a habit, a number of a list; None if it is one."""
    amount = obj.label[0].isdigit() or "$" in obj.label
    text = clause.verb.sent.text
    if amount and ("respectively" in text or (own and "$" in obj.label and len(set(_YEAR.findall(text))) > 1)):
        return "a list of numbers"  # read as a whole: reported_figures.py
    if _SHORTS.fullmatch(obj.label):
        return "a class"
    if UNSCALED.fullmatch(obj.label) or (own and _SCALELESS.search(obj.label)):
        return "an amount without its scale"
    if any(_defined(name) for name in (subject, obj)):
        return "a defined term"
    if _possesses(obj, clause):
        return "something that it has"
    past = "Past" in clause.verb.morph.get("Tense", []) or clause.passive or clause.nominal
    habit = not amount and words[-1] in ("in", "on", "from", "for", "across", "upon", "as", "at")
    habit = own and not past and (habit or clause.verb.lemma_ in _POLICIES)
    return "a habit" if habit else None


def _defined(name: NamedEnd) -> bool:
    """ "Common Stock", "the Debtor", "RSF": what a report means by it, only the report says."""
    unknown = name.kind == "entity" and name.type is None and name.label[0].isupper()
    return unknown and (name.label.split()[-1].lower() in _DEFINED or _ACRONYM.fullmatch(name.label) is not None)


def _possesses(name: NamedEnd, clause: Clause) -> bool:
    """ "is owner of the Company's preferred stock": of the stock, wherever the tree hangs the company."""
    doc = clause.verb.doc
    follows = doc[name.end].lower_ if 0 < name.end < len(doc) else ""
    return follows in ("'s", "’s", "'", "’") and doc[name.end - 1].dep_ != "nmod:poss"  # the Company's own auditor is


def _vague(words: list[str], obj: NamedEnd, clause: Clause) -> bool:
    """ "left in 1996", "makes with Apple": what was left or made is not said."""
    if clause.passive and obj.kind == "date" and clause.verb.lemma_ in _CHOSEN:  # "was promoted in 2002": to what
        return True
    said = [word for word in words if word not in ("is", "are", "was", "were")]
    if clause.nominal or clause.passive or len(said) != 2 or any(item.role == "object" for item in clause.arguments):
        return False
    verb = clause.verb.lemma_
    empty = verb in _EMPTY and verb not in ("become", "come", "go", "be")
    won = verb in ("win", "lose", "vote") and words[-1] in ("in", "on", "at", "for")
    return (obj.kind == "date" and verb not in _EVENTS) or empty or won
