"""Facts without a verb: "Apple CEO Tim Cook", "his wife Anna", "Oslo, Norway"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgservice.extraction.faults import KIN
from kgservice.extraction.focus import Focus
from kgservice.extraction.names import POST, Found, Names

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_POSTS = frozenset(
    "ceo cfo coo cto president chairman chairwoman chair chief founder cofounder executive director manager coach "
    "captain quarterback striker midfielder defender goalkeeper forward winger receiver guard owner editor reporter "
    "correspondent columnist analyst economist strategist professor researcher scientist engineer minister secretary "
    "governor senator mayor spokesman spokeswoman spokesperson lawyer attorney boss head partner principal frontman "
    "singer drummer guitarist bassist rookie commissioner ambassador bishop king queen".split()
)
MAX_POST = 3  # words


class Roles:
    """Reads what stands side by side: a name, a post and a name; a noun of kin and a name; two places."""

    def __init__(self, names: Names, focus: Focus) -> None:
        self._names, self._focus = names, focus

    def read(self, sentence: Span) -> Iterator[Found]:
        """Yield the facts of a sentence that no verb states."""
        for token in sentence:
            if token.lower_ in KIN:
                yield from self._kin(token)
            elif token.lower_ in _POSTS or POST.fullmatch(token.text):
                yield from self._post(token)
            elif token.text == "," and token.i > sentence.start:
                yield from self._place(token)

    def _post(self, post: Token) -> Iterator[Found]:
        """ "Chelsea manager Mauricio Pochettino": he is manager of Chelsea."""
        doc, first = post.doc, post.i
        if post.i + 1 >= len(doc) or self._names.of(post) is not None:
            return
        person = self._names.starting(post.i + 1)
        while first > post.sent.start and post.i - first < MAX_POST and self._plain(doc[first - 1]):
            first -= 1
        at = first - 1
        if at >= post.sent.start and doc[at].text in ("'s", "’s", "'", "’"):
            at -= 1
        owner = self._names.of(doc[at]) if at >= post.sent.start else None
        if person is None or owner is None or owner.end > first or "person" in (owner.type, ) or len(person.label.split()) < 2:
            return
        if person.type in ("place", "organization") or owner.kind != "entity":
            return
        words = [doc[index].lower_ if not doc[index].text.isupper() else doc[index].text for index in range(first, post.i + 1)]
        if all(word.isalpha() for word in words):
            yield Found(person, " ".join(["is", *words[-2:], "of"]), owner, 0.85)

    def _plain(self, word: Token) -> bool:
        return word.pos_ in ("NOUN", "ADJ") and word.text.islower() and word.text.isalpha() and word.text != "former"

    def _kin(self, noun: Token) -> Iterator[Found]:
        """ "his wife Anna Berg" and "Ibsen's wife, Suzannah": she is wife of him."""
        doc, after = noun.doc, noun.i + 1
        if noun.i == noun.sent.start or after >= len(doc):
            return
        after += doc[after].text == ","
        before = noun.nbor(-1)
        before = before if before.text not in ("'s", "’s") or before.i == 0 else before.nbor(-1)
        relative = self._names.starting(after) if after < noun.sent.end else None
        owner, doubts = self._focus.resolved(before)
        if relative is None or owner is None or owner.end > noun.i or "Plur" in noun.morph.get("Number", []):
            return
        if before.i == noun.i - 1 and before.dep_ != "nmod:poss" or owner.kind != "entity" or relative.kind != "entity":
            return
        if owner.label != relative.label and not {"place", "organization"} & {owner.type, relative.type}:
            yield Found(relative, f"is {noun.lower_} of", owner, 0.8)

    def _place(self, comma: Token) -> Iterator[Found]:
        """ "in Oslo, Norway": the first is in the second, if both are seen to be places."""
        if comma.i + 1 >= comma.sent.end or comma.ent_type_:
            return
        first, second = self._names.of(comma.nbor(-1)), self._names.starting(comma.i + 1)
        if first is None or second is None or first.end != comma.i:
            return
        after = comma.doc[second.end] if second.end < comma.sent.end else None
        listed = after is not None and (after.lower_ in ("and", "or", "&", "'s", "’s") or self._names.of(after) is not None)
        if after is not None and after.text == "," and after.i + 1 < comma.sent.end:
            listed |= self._names.starting(after.i + 1) is not None or after.nbor().lower_ in ("and", "or")
        before = comma.doc[first.start - 1] if first.start > comma.sent.start else None
        led = before is not None and before.pos_ == "ADP"
        placed = all(word.ent_type_ == "LOC" for one in (first, second) for word in comma.doc[one.start : one.end])
        if led and not listed and placed:
            yield Found(first, "is in", second, 0.8)
