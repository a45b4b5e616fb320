"""Classes of English words for wording. inflection.py has the forms of words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgservice.text.inflection import base, indefinite, is_participle, is_past, may_be_verb, participle, past, present

PREPOSITIONS = frozenset(
    """
    about above across after against along among around as at atop before behind below beside between beyond by
    during for from in inside into like near of off on onto outside over past since through throughout to toward
    towards under underneath until upon via with within without
    """.split()
)
ARTICLES = frozenset(("a", "an", "the", "one"))
DETERMINERS = ARTICLES | {"her", "his", "its", "my", "our", "their", "whose"}
BE = frozenset("is are was were".split())
AUXILIARIES = frozenset("can could did do does may might must shall should will would".split())
BASE_VERBS = frozenset(
    """
    allow appear apply become begin belong border consist contain cover create depend differ enable exceed exist
    feature flow govern hold include involve lease live make occur offer operate oppose own play prefer proceed
    produce provide receive remain require seek sell serve succeed take tend understand use
    """.split()
)
ADVERBS = frozenset("also first formerly later most now often once originally previously soon still then".split())
NO_ADVERBS = frozenset("family italy assembly monthly weekly daily early only".split())
INTRANSITIVE = frozenset(  # verbs without a passive: X died in Y, never X is died in Y
    """
    act agree aim apologize appeal appear apply argue arrive aspire become begin belong border campaign cease
    climb collaborate collapse collide come comment compete conflict consist contribute convert cooperate
    correspond culminate date deal debut decline depart depend derive die differ disappear dominate dwell elope
    emerge emigrate end enlist enrol enroll evolve excel exist expand experiment expire fight finish flee flow fly
    focus function go graduate grow happen immigrate increase insist interact invest join labor last lead lie live
    lobby look lose march marry merge migrate move occur operate originate participate pass peak perform persist
    play point practice preach preside prevail proceed profit protest qualify race range reach react refer reign
    rejoin rely remain reply report reside resign resort respond result retire retreat return rise rule run sail
    score serve settle sing sit sleep speak specialise specialize stand start stay stop struggle study succeed
    suffer surrender swim sympathize talk teach testify tour train travel turn vary visit volunteer vote wait walk
    win wish work write yield
    """.split()
)
STATES = frozenset(  # participles that still hold: X is located in Y, but X was founded in Y
    """
    accompanied adapted administered affiliated aligned associated attached bordered called classified composed
    connected considered contained dedicated divided drained equipped governed headquartered held inhabited
    inspired known licensed limited linked listed located made managed named nicknamed operated owned related
    rooted served situated subdivided supported surrounded titled twinned used
    """.split()
)
ADJECTIVE_ENDS = re.compile(r"(ible|able|ous|ful|less|ish|ese)$")
ADJECTIVES = frozenset(
    """
    absent active adjacent afraid aware capable central certain close common critical crucial defunct dependent
    different essential familiar famous fond free guilty distinct downstream due east effective equal equivalent
    exclusive exempt full higher independent indigenous innate integral larger longer lower loyal native next
    north older parallel perpendicular popular present prior proud relevant reminiscent short shorter significant
    similar smaller south subject superior typical unaware unique upstream west younger
    """.split()
)
BARE = frozenset("part home heir host".split())  # nouns that take no article after "is"
DEFINITE = frozenset(  # nouns of unique roles, which take "the"
    """
    birthplace capital center centre ceo cfo chair daughter-in-law father headquarters husband mother namesake
    predecessor seat spouse successor widow wife
    """.split()
)
ONE_OF = frozenset("most first last only second third chief president".split())  # words that begin a unique role
PEOPLE = frozenset(
    """
    actor actress ancestor archbishop architect astronaut athlete aunt bishop bride brother businessperson captain
    chairman chairperson chairwoman chancellor chef chief child co-founder coach cofounder composer cosmonaut count
    countess cousin daughter descendant director duchess duke emperor empress executive father founder general
    governor granddaughter grandfather grandmother grandson head heir heiress husband journalist king leader mayor
    minister missionary monarch monk mother nephew niece nun parent person poet politician pope prelate premier
    president prince princess principal queen rector saint scholar secretary senator servant sibling sister soldier
    son spouse student sultan treasurer uncle victim widow wife writer
    """.split()
)
PLAYED = frozenset(  # sports whose people are players
    one.replace("_", " ")
    for one in """
    badminton baseball basketball bridge cricket chess darts field_hockey football futsal golf handball hockey
    ice_hockey lacrosse netball polo rugby rugby_league rugby_union snooker soccer softball squash table_tennis
    tennis volleyball water_polo
    """.split()
)
KIN = frozenset(
    """
    ancestor aunt brother child cousin daughter descendant father granddaughter grandfather grandmother grandson
    husband mother nephew niece parent sibling sister son spouse uncle widow wife
    """.split()
)
NOUN_ENDS = re.compile(r"(er|or|ist|man|woman|ian)$")
NOT_PEOPLE = frozenset(
    """
    after auditor barrier border broadcaster carrier center centre chapter character cluster color colour computer
    contractor contributor corner counter cover danger developer disorder distributor ever factor floor flower
    glacier harbor harbour indicator letter manufacturer matter member motor never newspaper number observer offer
    operator order other over owner paper parameter partner per poker power predecessor producer publisher quarter
    registrar river sector server sister snooker soccer successor supplier tender tenor theater theatre tower
    transformer trigger
    under war water weather winter
    """.split()
)
PARTIES = frozenset(  # words of NOT_PEOPLE for persons as well as firms
    """
    broadcaster contractor developer distributor manufacturer operator owner partner producer publisher supplier
    """.split()
)
NOUNS_IN_S = re.compile(
    r"(ss|us|is|ics|ness|sales|assets|earnings|revenues|employees|exports|imports|costs|reserves|headquarters|residents|"
    r"inhabitants|arrivals|injuries|members|homes|units|people|runs|goals|points|votes|series|species|news|status|goods|"
    r"services|wages|taxes|savings|liabilities|deposits|loans|profits|shares|hotels|households|pupils|patients|vehicles|jobs|"
    r"workers|students|cases|deaths|births|passengers|tonnes|hours|dwellings|permits|visitors)$"
)


COUNTABLE = frozenset(  # nouns with an article between a verb and a preposition: "operates a plant in"
    """
    affair agreement alliance appearance award base border branch citizen concert contract deal degree dispute
    dividend factory game goal hub interview lawsuit match medal meeting member message partnership plant record
    relationship role seat stake station stoppage store studio symbol terminal title tour treaty visit
    """.split()
)
_MADE = re.compile(r"[a-z][A-Z]|\d|_|\w[./]\w|\(\)|(?<!\S)--?[a-z]")
SOFTWARE_WORDS = frozenset(
    "package library project module program tool framework plugin software utility application".split()
)
_JOINED_VERB = re.compile(r"\b(?:and|or|then) ([a-z]+)\b")
_SET = re.compile(r"An? \w|The (?:[a-z]|[A-Z]{2})|(?:Whether|How|Which|What|Where) [a-z]")  # "The URL", not "The Hague"
_TITLE_PARTS = re.compile(r"(\s+[-–—|]{1,2}\s+|:\s|\s+(?=Manual\b|Reference\b|Documentation\b))")
THEN = {"is": "was", "are": "were", "has": "had", "have": "had", "does": "did", "do": "did"}
_BEEN = re.compile(r"\bhas( [XY])? been\b")
_PERFECT = re.compile(r"\bhas ([XY]) (\w+)")
_ASKED = re.compile(rf"\b(?:{'|'.join(sorted(BE | AUXILIARIES | {'has', 'have', 'had'}))})\b")
_OF_SUBJECT = re.compile(r"((?:Whom? or what|Who|What|Which (?:\w+ or )?\w+) )(\w+)")
_PROGRAM = re.compile(r"[A-Za-z][\w.+-]*")
_DEED = re.compile(  # nouns of actions on the thing after "of", which take "the": "completed the acquisition of"
    r"[a-z]{3,}(?:[st]ion|ment|ance|ence|[ei]val|osal)|closing|defen[cs]e|launch|merger|opening|purchase|release|"
    r"repurchase|sale|takeover|transfer"
)
_NO_DEEDS = frozenset("distance element fraction mention population portion position section".split())
_LIGHT = frozenset("gain get give have hold lose make obtain play receive remove take".split())  # "took possession of"
NO_PASSIVE = frozenset("be become cost equal feature have include join lack mean resemble star weigh".split())
GOES_BY = frozenset("come die go live pass stand stop swear".split())  # "died by" is no passive


def is_wordless(label: str) -> bool:
    """Return whether a label has no letter and no digit, like a dash or a lone bracket."""
    return not any(sign.isalnum() for sign in label)


def is_made(name: str) -> bool:
    """Return whether a name is written as no word is: "max_size", "log.level", "S3Path", "utf8", "--jobs"."""
    return _MADE.search(name) is not None


def is_distinct(name: str) -> bool:
    """Return whether a title's first word is no plain word with a capital: "pgbench" and "PyYAML", not "Usage"."""
    return name[:1].islower() or is_made(name)


def is_set(words: str) -> bool:
    """Return whether words name what a setting sets ("The port to listen on", "Whether to wait") and no action."""
    return _SET.match(words) is not None


def does(words: str, doer: str = "", named: str = "determines") -> str:
    """Return words that begin with a verb, or name what is set, as what something does: "prints the version".

    Where a later verb may be a noun too, `doer` is made to do it: "makes it print the version and exit". `named`: the
    verb before what is named.

    >>> does("Do not wait for locks"), does("Whether to wait"), does("Wait and retry", "it")
    ('does not wait for locks', 'determines whether to wait', 'makes it wait and retry')
    """
    first, _, rest = words.partition(" ")
    verb = first.lower()
    if is_set(words):
        return f"{named} {verb} {rest}"
    if verb != base(verb):
        return f"{verb} {rest}"
    if doer and verb == "do":
        return f"makes {doer} {rest}"
    if doer and any(may_be_verb(word) for word in _JOINED_VERB.findall(rest)):
        return f"makes {doer} {verb} {rest}"
    return f"does {rest}" if verb == "do" else f"{present(verb)} {rest}"


def program(title: str) -> str:
    """Return the program that a title names, "" if it names none.

    >>> program("git-worktree(1) Manual Page"), program("Boto3 - The SDK"), program("xarray: labeled arrays")
    ('git-worktree', 'Boto3', 'xarray')
    >>> program("Applause 👏"), program("Analysis: the vote"), program("A day out")
    ('Applause', '', '')
    """
    first, sign, *_ = *_TITLE_PARTS.split(title.strip(), maxsplit=1), ""
    name = re.sub(r"\(\d\w*\)$|\s+[^\w\s]+$", "", first.strip())  # a manual's section, a picture sign
    told = sign.strip() != ":" or is_distinct(name)
    return name if told and _PROGRAM.fullmatch(name) else ""


def content(lower: Sequence[str]) -> list[str]:
    """Return the words from the first one that is no adverb."""
    at = next((place for place, word in enumerate(lower) if not _is_adverb(word.lower())), len(lower))
    return [word.lower() for word in lower[at:]]


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (re.search(r"\w{2}ly$", word) is not None and word not in NO_ADVERBS)


def is_kin(role: str) -> bool:
    """Return whether a noun is a relative: "brother", "half-brother"."""
    return role.removeprefix("half-").removeprefix("step") in KIN


def is_finite(word: str, *, alone: bool) -> bool:
    """Return whether a word looks like a verb in the third person. `alone`: it is the whole relation."""
    return re.search(r"[a-z]{2}s$", word) is not None and (not NOUNS_IN_S.search(word) or (alone and word == "runs"))


def is_intransitive(verb: str) -> bool:
    """Return whether a verb in the past tense has no passive, like "died"."""
    return base(verb) in INTRANSITIVE


def is_adjective(word: str) -> bool:
    """Return whether a word is known as or looks like an adjective that takes a preposition."""
    return word in ADJECTIVES or ADJECTIVE_ENDS.search(word) is not None


def auxiliary(finite: str, infinitive: str) -> str:
    """Return the form of "do" for questions with a finite verb."""
    verb = finite.rsplit(maxsplit=1)[-1]
    if verb == infinitive.rsplit(maxsplit=1)[-1] and not is_past(verb):
        return "do"
    return "does" if re.search(r"s$", verb) and not is_past(verb) else "did"


def asked_then(question: str) -> str:
    """Return a question with its first verb in the past.

    >>> asked_then("Where is X headquartered?"), asked_then("Who plays for Y?"), asked_then("Where has X lived?")
    ('Where was X headquartered?', 'Who played for Y?', 'Where did X live?')
    >>> asked_then("What has X been a member of?"), asked_then("Who has been a member of Y?")
    ('What was X a member of?', 'Who was a member of Y?')
    """
    if been := _BEEN.search(question):
        return f"{question[: been.start()]}was{been[1] or ''}{question[been.end() :]}"
    if (perfect := _PERFECT.search(question)) and is_participle(perfect[2]):
        return f"{question[: perfect.start()]}did {perfect[1]} {base(perfect[2])}{question[perfect.end() :]}"
    if auxiliary := _ASKED.search(question):
        then = THEN.get(auxiliary[0], auxiliary[0])
        return f"{question[: auxiliary.start()]}{then}{question[auxiliary.end() :]}"
    finite = _OF_SUBJECT.match(question)
    acts = finite is not None and present(finite[2]) == finite[2]
    return f"{finite[1]}{past_of(finite[2])}{question[finite.end() :]}" if finite and acts else question


def past_of(finite: str) -> str:
    """Return the past tense of a verb in the present: "played" of "plays", "had" of "has"."""
    return past(participle(base(finite)))


def lacking(verb: str, noun: Sequence[str], preposition: str) -> str:
    """Return the article that a noun phrase lacks between a verb's infinitive and a preposition, "" for none.

    "acquired stake in" lacks "a", "completed acquisition of" lacks "the".
    """
    if not noun or not preposition or noun[0] in DETERMINERS:
        return ""
    if noun[-1] in COUNTABLE:
        return article(noun)
    deed = preposition == "of" and noun[-1] not in _NO_DEEDS and _DEED.fullmatch(noun[-1]) is not None
    return "the" if deed and verb not in _LIGHT else ""


def is_agent(noun: str) -> bool:
    """Return whether a noun names a person or party by their act or relation: "director", "wife"."""
    last = next(reversed(noun.lower().replace("-", " ").split()), "")
    return last in PEOPLE or (NOUN_ENDS.search(last) is not None and last not in NOT_PEOPLE)


def article(noun: Sequence[str]) -> str:
    """Return the article of a noun phrase as a predicate: "a", "an" or "the"."""
    lower = [word.lower() for word in noun]
    first = next(iter(lower), "")
    if re.search(r"[a-z]{2}est$", first) or first in ONE_OF:
        return "the"
    if any(word in DEFINITE for word in lower):
        return "the"
    return indefinite(" ".join(noun))
