"""From the trees of spaCy's en_core_web models (CLEAR style) to Universal Dependencies, which the rules read.

In CLEAR style a preposition heads its phrase and "is" heads "the mayor of Lun"; in Universal Dependencies the noun
heads both. What the rules do not ask for (subtypes of modifiers, where punctuation hangs) is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span

if TYPE_CHECKING:
    from spacy.tokens import Token

CLEAR = {"dobj", "pobj", "prep"}  # labels that tell the style
NAMES = {"PERSON": "PER", "ORG": "ORG", "GPE": "LOC", "LOC": "LOC", "FAC": "LOC"}  # other classes are no names of these
_RENAMED = {
    "dobj": "obj",
    "dative": "iobj",
    "nsubjpass": "nsubj:pass",
    "csubjpass": "csubj:pass",
    "auxpass": "aux:pass",
    "poss": "nmod:poss",
    "relcl": "acl:relcl",
    "neg": "advmod",
    "prt": "compound:prt",
    "npadvmod": "obl:unmarked",
    "quantmod": "advmod",
    "oprd": "xcomp",
    "acomp": "xcomp",
    "attr": "xcomp",
    "pcomp": "advcl",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "intj": "discourse",
    "meta": "dep",
    "prep": "advmod",
    "agent": "obl:agent",
    "pobj": "obl",
}
_NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM", "SYM", "DET"))


@Language.component("universal_dependencies")
def universal_dependencies(doc: Doc) -> Doc:
    """Return the document with its tree and its classes of names turned into those that the rules know."""
    tree = _Tree(doc)
    for token in reversed(doc):
        if token.dep_ in ("prep", "agent", "dative") or (token.dep_ == "conj" and token.pos_ == "ADP"):
            tree.turn_preposition(token)
    for token in doc:
        if token.lemma_ == "be" and not token.dep_.startswith("aux"):
            tree.turn_copula(token)
    tree.turn_lists()
    heads = np.array([head - at for at, head in enumerate(tree.heads)], np.int64).astype(np.uint64)
    names = [doc.vocab.strings.add(name) for name in tree.renamed()]
    entities = [Span(doc, _start(one), one.end, NAMES[one.label_]) for one in doc.ents if one.label_ in NAMES]
    doc.from_array(["HEAD", "DEP"], np.stack([heads, np.array(names, np.uint64)], axis=1))  # type: ignore[arg-type]
    doc.set_ents(entities)
    return doc


def _clear_label(token: Token) -> str:
    """Return a relation, in CLEAR style but for what only the word itself can tell."""
    if token.tag_ == "TO":
        return "mark"
    if token.dep_ == "npadvmod" and token.text == "%":  # "rose 12%"
        return "dobj"
    return "compound" if token.dep_ == "nmod" else token.dep_  # a noun before its noun


def _start(name: Span) -> int:
    """Return where a name begins without its article: "the Louvre" is marked whole, and nobody is called so."""
    return name.start + int(len(name) > 1 and name[0].lower_ in ("the", "a", "an"))


class _Tree:
    """A tree that is being turned: the head and the relation of each word, by its place."""

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self.heads = [token.head.i for token in doc]
        self._names = [_clear_label(token) for token in doc]
        self._children: list[set[int]] = [set() for _ in doc]
        for at, head in enumerate(self.heads):
            if at != head:
                self._children[head].add(at)

    def renamed(self) -> list[str]:
        """Return the words' relations in Universal Dependencies."""
        return [_RENAMED.get(name, name) for name in self._names]

    def turn_preposition(self, token: Token) -> None:
        """Let the noun or verb after a preposition take its place: "in Oslo", "after leaving", "because of rain"."""
        at = token.i
        inner = sorted(child for child in self._children[at] if child > at)
        parts = [child for child in inner if self._names[child] in ("prep", "pcomp") and self._doc[child].pos_ == "ADP"]
        below = [
            child for child in inner if self._names[child] in ("pobj", "pcomp", "obl", "nmod") and child not in parts
        ]
        if not below:
            return
        noun, head = below[0], self.heads[at]
        verb = self._doc[noun].pos_ in ("VERB", "AUX")
        if self._names[at] == "conj":
            name = "conj"
        elif self._names[at] == "agent":
            name = "obl:agent"
        else:
            nominal = self._doc[head].pos_ in _NOMINAL
            name = ("acl" if nominal else "advcl") if verb else ("nmod" if nominal else "obl")
        if name == "conj" and self._names[head] == "case":  # "in Oslo and in Lun": of what the first one belongs to
            head = self.heads[head]
        self._replace(at, noun, "mark" if verb else "case", head, name)
        for part in parts:
            self._move(part, at, "fixed")

    def turn_copula(self, token: Token) -> None:
        """Let what somebody is take the place of "is"; "there is" keeps its verb."""
        at = token.i
        own = sorted(self._children[at])
        said = [child for child in own if self._names[child] in ("attr", "acomp")]
        if any(self._names[child] == "expl" for child in own):
            for child in said[:1]:
                self._names[child] = "nsubj"
            return
        if not said:  # "is in Oslo"
            placed = [child for child in own if child > at and self._names[child] == "obl"]
            said = placed if not any(self._names[child] in ("ccomp", "xcomp") for child in own) else []
        if said:
            self._replace(at, said[0], "cop", self.heads[at], self._names[at])

    def turn_lists(self) -> None:
        """Hang all members of a list on its first one, and "and" on the member behind it."""
        for at, name in enumerate(self._names):
            if name == "cc":
                after = [
                    child for child in self._children[self.heads[at]] if child > at and self._names[child] == "conj"
                ]
                if after:
                    self._move(at, min(after), "cc")
        for at, name in enumerate(self._names):
            while name == "conj" and self._names[self.heads[at]] == "conj":
                self._move(at, self.heads[self.heads[at]], "conj")

    def _replace(self, at: int, by: int, name: str, head: int, above: str) -> None:
        """Exchange a word with one below it, which takes its head, its relation and its other children."""
        root = head == at
        self._move(by, by if root else head, above)
        for child in list(self._children[at] - {by}):
            self._move(child, by, self._names[child])
        self._move(at, by, name)

    def _move(self, at: int, head: int, name: str) -> None:
        self._children[self.heads[at]].discard(at)
        self.heads[at], self._names[at] = head, name
        if head != at:
            self._children[head].add(at)
