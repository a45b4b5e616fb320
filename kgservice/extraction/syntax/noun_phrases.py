"""Which phrases that are no names may end a fact: "33% of worldwide volume", "seven counts of wire fraud".

A phrase is worth an end if it tells one thing from others (RARE, appendix A.2: nothing vague at either end): it holds a
name or a number, or has a word beside its noun and none that only points or measures ("this", "key", "part").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgservice.extraction.syntax.clauses import base, conjuncts, preposition
from kgservice.extraction.syntax.proper_names import NamedEnd, Names

if TYPE_CHECKING:
    from spacy.tokens import Token

MAX_WORDS = 8
_BEFORE = frozenset(("amod", "compound", "nummod", "det", "nmod", "flat", "punct", "advmod"))
_QUOTES = frozenset('"“‘')
_INNER = frozenset(("of", "for", "in", "against", "on", "to"))
_ARTICLES = frozenset(("a", "an", "the"))
_OWNERS = frozenset("its his her their our my your".split())
_POINTING = frozenset(
    "this that these those such any no some each every all both which what other another own same certain various "
    "several many much more most few less least additional further next last previous prior first following above "
    "key major significant important strong good great better best new big large small high low entire whole full "
    "different similar possible potential real right wrong long short early late little only single numerous multiple "
    "particular specific general overall substantial considerable material current future recent former applicable "
    "related respective necessary appropriate reasonable available increased unique likely able due huge massive "
    "serious tough hard easy fresh rare top average daily clear double final special total extra main "
    "earlier later free ready simple wide broad critical essential favorable adverse continued ongoing".split()
)
EMPTY = frozenset(
    "part role number way step place time lot lead effort ability use opportunity impact effect question decision "
    "attention position chance thing something anything nothing everything one kind sort type form matter fact case "
    "point end start beginning rest series set range variety amount level degree extent basis manner course view sense "
    "reason result change difference issue problem idea interest need right responsibility commitment focus look move "
    "day week month year season decade minute hour moment night morning half side hand eye face term condition factor "
    "job work help support access control care control notice note line hold people person man woman someone anyone "
    "game play win loss run shot yard contact word message call deal bit couple pair majority plenty sign track "
    "statement information estimate assumption amendment item value benefit risk judgment approach process practice "
    "discussion motion complaint example share advantage record success power life world story experience".split()
)


def phrase(head: Token, names: Names, *, bare: bool) -> NamedEnd | None:
    """What a phrase that is no name denotes, without its article or owner; None if it is too vague.

    `bare` lets phrases through that hold neither a name nor a number: in news, not in what a report says of policies.
    """
    if head.pos_ not in ("NOUN", "PROPN", "SYM", "NUM"):
        return None
    start = min((c.left_edge.i for c in head.children if c.i < head.i and base(c) in _BEFORE), default=head.i)
    number = names.number(head)
    end = _end(head, max(head.i + 1, number.end if number else 0), names)
    owned = False
    while start < head.i and (word := head.doc[start]).lower_ in _ARTICLES | _OWNERS | {"’s", "'s"}:
        owned |= word.lower_ in _OWNERS
        start += 1
    if number is not None:
        start = min(start, number.start)
        if end <= number.end:
            return None  # a number alone is a value, not a phrase
    words = [head.doc[index] for index in range(start, end)]
    if end < len(head.doc) and not head.doc[end].is_sent_start and _goes_on(head.doc[end]):
        return None
    telling = _tells(words, head, names, bare=bare and not owned)
    return NamedEnd(_label(words), "entity", None, start, end) if telling else None


def _end(head: Token, end: int, names: Names) -> int:
    """Where the phrase ends: with what "of", "for" or "in" joins to its noun, as long as it is short."""
    for child in head.children:
        inner = child.left_edge.i
        if inner != end or base(child) != "nmod" or preposition(child) not in _INNER:
            continue
        if len(conjuncts(child)) > 1:  # "44 branches in Iowa, Ohio and Utah" are not in Iowa alone
            continue
        number = names.number(child)
        after = max(child.i + 1, number.end if number else 0)
        if all(base(c) in _BEFORE or base(c) == "case" for c in child.children if c.i < child.i):
            end = after
    return end


def _goes_on(after: Token) -> bool:
    """True if a phrase is cut or names no more than a class: "12 office | and shop floors", "the film | “Lun”"."""
    named = after.text in _QUOTES and after.i + 1 < len(after.doc) and after.nbor().text[:1].isupper()
    return named or after.pos_ in ("NOUN", "PROPN") or after.lower_ in ("of", "'s", "’s", "-", "/", "and", "or", "&")


def _tells(words: list[Token], head: Token, names: Names, *, bare: bool) -> bool:
    """True if a phrase tells one thing from others."""
    if not 1 < len(words) <= MAX_WORDS or words[0].pos_ not in ("NOUN", "ADJ", "PROPN", "NUM", "SYM"):
        return False
    if any(_points(word) or _is_spoken_of(word, names) for word in words) or head.lemma_.lower() in EMPTY:
        return False
    if any(sign.isdigit() for word in words for sign in word.text) or any(names.of(word) for word in words):
        return True
    content = [word for word in words if word.pos_ in ("NOUN", "ADJ", "PROPN") and word.text.isalpha()]
    telling = [word for word in content if word.pos_ != "ADJ" or word.text[0].isupper()]  # a Dutch navy, no fine one
    return bare and len(telling) > 1 and not any(word.lemma_.lower() in EMPTY for word in content)


def _is_spoken_of(word: Token, names: Names) -> bool:
    """True where a text speaks of something without its name: "44% of the carmaker", "the nation's stations"."""
    article = word.lower_ == "the" and word.head.pos_ == "NOUN" and names.of(word.head) is None
    return article or (word.dep_ == "nmod:poss" and word.pos_ == "NOUN" and names.of(word) is None)


def _points(word: Token) -> bool:
    """True for what only points or measures, and for what no phrase of nouns holds."""
    stray = word.pos_ in ("VERB", "AUX", "PUNCT") and word.text != "-"
    pronoun = word.pos_ == "PRON" and word.lower_ not in ("our", "its")
    determiner = word.pos_ == "DET" and word.lower_ not in _ARTICLES | _OWNERS
    bracket = any(sign in word.text for sign in '()[]“”"')
    ordinal = word.pos_ == "ADJ" and word.like_num and word.text.isalpha()
    return word.lower_ in _POINTING or ordinal or stray or pronoun or determiner or bracket


def _label(words: list[Token]) -> str:
    """The words without owners: "33% of our volume" is "33% of volume"."""
    return " ".join("".join(w.text_with_ws for w in words if w.lower_ not in _OWNERS).split())
