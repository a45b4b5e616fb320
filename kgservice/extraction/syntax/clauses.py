"""From a Universal Dependencies tree to clauses: who does what to whom, where and when (one predicate, n arguments)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Token

_OBJECTS = ("obj", "iobj")
_UNSURE = frozenset(
    "want try plan hope expect seek intend fail refuse wish need agree attempt aim decline ask seem".split()
)
_INTRANSITIVE = frozenset(
    "die live go come become remain serve work move return retire appear arrive grow stay".split()
)
_MODAL = frozenset("will would may might could can should shall must 'll 'd ca wo".split())
PLACED = frozenset(("locate", "situate", "base", "headquarter"))
MAX_SHARED, MAX_JOINED = 4, 30  # verbs that hand on one subject, members of a list: bounds work on endless sentences
_REPORTED = ("ccomp", "csubj", "parataxis")
_UNIVERSAL: dict[int, str] = {}  # of the hash of a relation, which is the same everywhere
_NO_PREDICATES = frozenset("aux cop amod compound fixed case mark cc".split())


class Argument(NamedTuple):
    """What a predicate is said of besides its subject; `preposition` is empty for an object."""

    head: Token
    preposition: str
    role: str  # object, oblique, agent, complement


class _Subject(NamedTuple):
    head: Token
    passive: bool
    doubts: tuple[str, ...]


class Clause(NamedTuple):
    """A predicate with its subject and arguments, heads of their phrases; `doubts` say what makes it uncertain.

    `verb` is the verb that the arguments belong to, or the noun or adjective of "is the capital of" (then `nominal`);
    `words` are the predicate's: the verb with its auxiliaries and particles, or the copula.
    """

    subject: Token
    verb: Token
    words: tuple[Token, ...]
    arguments: tuple[Argument, ...]
    passive: bool
    nominal: bool
    doubts: tuple[str, ...]


def clauses(sentence: Sequence[Token]) -> Iterator[Clause]:
    """Yield the clauses of a parsed sentence's words in the order of their predicates."""
    tokens = [(token, base(token)) for token in sentence]
    copied = {token.head.i for token, relation in tokens if relation == "cop" and token.dep_ == "cop"}
    for token, relation in tokens:
        if relation in _NO_PREDICATES:
            continue
        if token.i in copied:
            yield from _nominal(token)
            continue
        if token.pos_ == "VERB" and (found := _subject(token)) is not None:
            yield from _verbal(token, *found)
        if (relation == "appos" or _beside(token)) and token.head.i < token.i:
            yield from _apposition(token)


def _beside(noun: Token) -> bool:
    """ "Satya Nadella, chairman and chief executive of Microsoft": what trees join to him is what he is."""
    if noun.dep_ != "conj" or noun.pos_ != "NOUN" or noun.head.pos_ != "PROPN":
        return False
    if any(child.dep_ == "nmod:poss" for child in noun.lefts):  # "August, and his wife": somebody else
        return False
    joined = any(child.dep_ == "cc" for child in noun.lefts)
    first = next((child for child in noun.head.rights if child.dep_ == "conj"), noun) if joined else noun
    if first.pos_ == "PROPN":  # "Ada Orr, Bo Lind and striker Cy Berg": a list of people
        return False
    return first.left_edge.i > noun.sent.start and first.left_edge.nbor(-1).text == ","


def base(token: Token) -> str:
    """The universal relation of a word to its head, without the language's own part."""
    relation = token.dep
    if relation not in _UNIVERSAL:
        _UNIVERSAL[relation] = token.dep_.split(":", maxsplit=1)[0]
    return _UNIVERSAL[relation]


def conjuncts(head: Token) -> list[Token]:
    """The head of a phrase and those joined to it by "and" or "or"; "Lyon, France" is no such list."""
    joined = [head]
    for one in joined:
        if len(joined) < MAX_JOINED:
            joined += [child for child in one.children if child.dep_ == "conj"]
    return joined if any(base(child) == "cc" for one in joined for child in one.children) else [head]


def preposition(head: Token) -> str:
    """The preposition before a phrase ("in", "because of"); "" if there is none."""
    for child in head.children:
        if child.dep_ != "case" or child.i > head.i or child.lower_ in ("'s", "’s", "'"):
            continue
        first_name = child.text.istitle() and not child.is_sent_start and child.nbor().ent_type_ == "PER"
        if not first_name:  # "drummer Per Lind"
            return " ".join(word.lower_ for word in (child, *(f for f in child.children if f.dep_ == "fixed")))
    first = head.left_edge  # "by Redis Inc.": of the last word, though the tree may put it to another of the name
    return first.lower_ if first.dep_ == "case" and first.head.dep_ == "compound" and first.head.head == head else ""


def _verbal(verb: Token, subject: Token, passive: bool, doubts: tuple[str, ...]) -> Iterator[Clause]:
    arguments = tuple(_arguments(verb))
    words = _words(verb)
    doubts += tuple(_mood(verb))
    inner = next((c for c in verb.children if c.dep_ == "xcomp" and c.i > verb.i), None)
    if inner is not None and inner.pos_ == "VERB" and inner.morph.get("VerbForm", []) in (["Inf"], ["Ger"]):
        doubts += ("unsure",) if verb.lemma_ in _UNSURE else ("complex",)
        marks = tuple(child for child in inner.children if child.dep_ == "mark" and child.i < inner.i)
        words += (*marks, *_words(inner))
        arguments += tuple(_arguments(inner))
    elif inner is not None:
        arguments += (Argument(inner, preposition(inner), "complement"),)
    last = inner if inner is not None and inner.pos_ == "VERB" and inner in words else verb
    yield Clause(subject, last, words, tuple(sorted(arguments, key=lambda a: a.head.i)), passive, False, doubts)


def _words(verb: Token) -> tuple[Token, ...]:
    kept = [c for c in verb.children if base(c) == "aux" or c.dep_ == "compound:prt" or _negates(c)]
    return tuple(sorted([*kept, verb], key=lambda word: word.i))


def _arguments(verb: Token) -> Iterator[Argument]:
    antecedent = _antecedent(verb)
    if antecedent is not None:  # "the credit that X received from Y": from Y he received the credit, not he Y
        yield antecedent
        return
    for child in verb.children:
        relation = base(child)
        bare = child.dep_ == "nmod:unmarked" and child.i > verb.i  # a name after its verb, as the parser often has it
        if _relative(child) or not (relation in (*_OBJECTS, "obl") or bare):
            continue
        case = preposition(child)
        if relation != "obl" and not case:  # what has a preposition is no object, whatever the tree says
            yield Argument(child, "", "object")
        else:
            role = "agent" if case == "by" and (child.dep_ == "obl:agent" or _passive(verb)) else "oblique"
            yield Argument(child, case, role)
    yield from _shared_agent(verb)


def _shared_agent(verb: Token) -> Iterator[Argument]:
    """In "was written and directed by X" X did both, whichever of the two the tree gives him to."""
    second = verb if verb.dep_ == "conj" else next((child for child in verb.rights if child.dep_ == "conj"), None)
    first = second.head if second is not None else verb
    if second is None or not _passive(first) or second.morph.get("VerbForm", []) != ["Part"]:
        return
    if any(word.dep_ not in ("cc", "conj") and not word.is_punct for word in verb.doc[first.i + 1 : second.i]):
        return
    other = first if verb == second else second
    by = [child for child in other.children if base(child) in (*_OBJECTS, "obl") and preposition(child) == "by"]
    yield from (Argument(child, "by", "agent") for child in by if child.i > second.i)


def _antecedent(verb: Token) -> Argument | None:
    """In "the ship that X built" the ship is the object of built."""
    if verb.dep_ != "acl:relcl":
        return None
    own = [child for child in verb.children if _relative(child) and base(child) == "obj"]
    bare = not any(_relative(child) or base(child) == "obj" for child in verb.children)
    subject = any(base(child) == "nsubj" and not _relative(child) for child in verb.children)
    placed = any(child.lower_ in ("where", "when", "why") for child in verb.children)
    if subject and not placed and (own or bare):
        return Argument(verb.head, "", "object")
    return None


def _nominal(noun: Token) -> Iterator[Clause]:
    found = _subject(noun)
    if found is None or noun.pos_ not in ("NOUN", "PROPN", "ADJ", "NUM"):
        return
    subject, _, doubts = found
    doubts += tuple(_mood(noun))
    words = tuple(c for c in noun.children if base(c) in ("aux", "cop") or _negates(c))
    arguments = [Argument(noun, preposition(noun), "complement")] if noun.pos_ != "ADJ" else []
    arguments += [Argument(c, preposition(c), "oblique") for c in noun.children if base(c) in ("nmod", "obl")]
    yield Clause(subject, noun, words, tuple(a for a in arguments if a.head.dep_ != "nmod:poss"), False, True, doubts)


def _apposition(noun: Token) -> Iterator[Clause]:
    """ "Tim Cook, chief executive of Apple": the first is the second."""
    arguments = [Argument(noun, "", "complement")]
    arguments += [Argument(c, preposition(c), "oblique") for c in noun.children if c.dep_ == "nmod"]
    yield Clause(noun.head, noun, (), tuple(arguments), False, True, ("apposition",))


def _subject(verb: Token, depth: int = 0) -> _Subject | None:
    """The subject of a predicate, its own or the one it shares."""
    for child in verb.children:
        if base(child) == "nsubj" and child.dep_ != "nsubj:outer":
            if not _relative(child):
                return _Subject(child, _passive(verb), ())
            told = _antecedent_of(child, verb)
            return _Subject(told, _passive(verb), ("relative clause",)) if told is not None else None
    form = verb.morph.get("VerbForm", [])
    past = verb.morph.get("Tense", []) == ["Past"]
    if verb.dep_ == "acl" and verb.pos_ == "VERB" and verb.i > verb.head.i and form in (["Ger"], ["Part"]):
        return _Subject(_participle_subject(verb), form == ["Part"] and past, ("participle",))
    shared = _subject(verb.head, depth + 1) if verb.dep_ in ("conj", "advcl") and depth < MAX_SHARED else None
    if shared is None:
        return None
    if verb.dep_ == "conj":
        passive = _passive(verb) or _shares_passive(verb, shared.passive and verb.head.lower_ != "born")
        return _Subject(shared.head, passive, (*shared.doubts, "shared subject"))
    bare = form in (["Ger"], ["Part"]) and not any(child.dep_ == "mark" for child in verb.children)
    return _Subject(shared.head, past, (*shared.doubts, "adverbial")) if bare else None


def _participle_subject(verb: Token) -> Token:
    """Return the noun that a participle is said of: in "a film by Ada Orr, starring Bo Lind" it is no person.

    Nor is it the band in "a single by the band Lun, released in 1995".
    """
    name, opens = verb.head, verb.left_edge.i
    after_comma = opens > name.i and verb.doc[opens - 1].text == ","
    title = " " in name.text  # a work's, merged to one word, which the tree may take for anything
    if not after_comma or not (name.pos_ == "PROPN" or title) or base(name) in ("nsubj", "obj", "root"):
        return name
    if name.ent_type_ != "PER" and verb.lemma_ in PLACED:  # "a part of Acme, based in Oslo"
        return name
    return _noun_over(name)


def _antecedent_of(pronoun: Token, verb: Token) -> Token | None:
    """Return what "who" or "which" means; None where the tree gives it to what cannot be meant."""
    head = verb.head
    if verb.dep_ != "acl:relcl":
        return None
    if pronoun.lower_ == "which" and head.ent_type_ == "PER":
        return None  # "a film about Magic Johnson, which received": not he
    placed = pronoun.lower_ == "who" and head.ent_type_ == "LOC"
    return _noun_over(head) if placed else head  # "a swimmer from Spain, who"


def _noun_over(name: Token) -> Token:
    """Return the noun that a sentence says somebody or something is, of which a name is told; else the name."""
    nouns = (word for word in name.ancestors if word.pos_ == "NOUN")
    return next((noun for noun in nouns if any(child.dep_ == "cop" for child in noun.children)), name)


def _shares_passive(verb: Token, before: bool) -> bool:
    """ "was built and opened": the second participle has no auxiliary of its own."""
    own = any(base(child) in ("aux", "obj") for child in verb.children)
    return before and not own and verb.lemma_ not in _INTRANSITIVE and verb.morph.get("VerbForm", []) == ["Part"]


def _passive(verb: Token) -> bool:
    return any(child.dep_ == "aux:pass" for child in verb.children)


def _relative(token: Token) -> bool:
    return token.lower_ in ("who", "which", "that", "whom", "whose") and token.pos_ in ("PRON", "DET", "SCONJ")


def _negates(token: Token) -> bool:
    return token.lower_ in ("not", "n't", "never", "n’t", "no") and base(token) in ("advmod", "det")


def is_asserted(verb: Token) -> bool:
    """Return whether a predicate has neither a modal verb nor "if", "whether" or "unless"."""
    return "not asserted" not in _mood(verb)


def _is_first_name(modal: Token) -> bool:
    """Return whether a modal verb stands as a first name: "Will Orr was a poet"."""
    after = modal.nbor(1) if modal.i + 1 < len(modal.doc) else modal
    return modal.text[0].isupper() and after.pos_ == "PROPN"


def _mood(verb: Token) -> Iterator[str]:
    """What keeps a predicate from being asserted."""
    own = [(child, base(child)) for child in verb.children]
    near = [child for child, _ in own]
    beside = [child for child, relation in own if relation in ("aux", "cop", "nsubj", "advmod")]
    near += [word for one in beside for word in one.children]  # "neither A nor B", "no longer"
    if any(_negates(child) or child.lower_ in ("no", "nor", "neither") for child in near):
        yield "negated"
    if any(relation == "aux" and c.lower_ in _MODAL and not _is_first_name(c) for c, relation in own):
        yield "not asserted"
    if any(c.dep_ == "mark" and c.lower_ in ("if", "whether", "unless") for c, _ in own):
        yield "not asserted"
    if any(word.dep_ in _REPORTED for word in (verb, *verb.ancestors)):
        yield "reported"
