"""What a sentence names: names, values, and things that have none; how far each stands from a word in the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgservice.answering.reader.passage_statements import stem
from kgservice.text.matching import normalised, written_values
from kgservice.text.values import MONTHS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from kgservice.extraction.syntax.proper_names import NamedEnd

FAR = 6  # steps in a tree, from which on a word has nothing to do with another
THING = "thing"  # the kind of what has no name: "frozen shrimp"

_MONTHS = frozenset(MONTHS.split())
_MODIFIERS = ("amod", "compound", "nummod")


class NamedPart(NamedTuple):
    """A name, value or thing in a statement, as it is written and as it compares; of which kind, and its word."""

    label: str
    form: str
    kind: str
    at: int = -1


class NamedSentence(NamedTuple):
    """What a sentence names; of each word its stem and the word that it depends on."""

    names: tuple[NamedPart, ...]
    stems: tuple[str, ...]
    heads: tuple[int, ...]

    def apart(self, at: int, stems: Collection[str]) -> int:
        """Return the steps from a word to the nearest one with such a stem, FAR where there is none."""
        way = self._way(at)
        found = [FAR]
        for other in (index for index, known in enumerate(self.stems) if known in stems):
            back = {index: steps for steps, index in enumerate(self._way(other))}
            found.append(next((steps + back[index] for steps, index in enumerate(way) if index in back), FAR))
        return min(found)

    def _way(self, at: int) -> list[int]:
        """A word and those above it, up to the root."""
        way = [at]
        while self.heads[way[-1]] != way[-1]:
            way.append(self.heads[way[-1]])
        return way


def sentence(tree: Doc) -> NamedSentence:
    """Return what a parsed sentence names, each once; a common word that begins it is no name."""
    from kgservice.extraction.syntax.proper_names import Names

    names = Names(tree[:], "")
    found = {(one.start, one.end): one for one in map(names.of, tree) if one is not None}
    found = {span: one for span, one in found.items() if one.label.lower() not in _MONTHS}
    within = {index for start, end in found for index in range(start, end)}
    named = [_named(one, tree) for one in _places(sorted(found.values(), key=_start), tree) if not _opens(one, tree)]
    each = [*_values(tree), *named, *_things(tree, within)]
    once = {one.form: one for one in reversed(each) if one.form}
    kept = tuple(one for one in each if once.get(one.form) is one)
    return NamedSentence(kept, tuple(stem(token.lower_) for token in tree), tuple(token.head.i for token in tree))


def _start(one: NamedEnd) -> int:
    return one.start


def _places(names: Sequence[NamedEnd], tree: Doc) -> Iterator[NamedEnd]:
    """The names, of "St. Louis, Missouri" both as one."""
    at = 0
    while at < len(names):
        one = names[at]
        while (
            at + 1 < len(names)
            and one.type == names[at + 1].type == "place"
            and (names[at + 1].start == one.end + 1 and tree[one.end].text == ",")
        ):
            at, one = at + 1, one._replace(label=f"{one.label}, {names[at + 1].label}", end=names[at + 1].end)
        yield one
        at += 1


def _values(tree: Doc) -> Iterator[NamedPart]:
    """Numbers and dates with their units: "940 USD", "12 March 2032"; none that goes over a bracket: "2030 (USD)"."""
    upto = 0
    for label, (kind, _, _) in written_values(tree.text):
        start = tree.text.find(label, upto)
        span = tree.char_span(start, start + len(label), alignment_mode="expand") if start >= 0 else None
        if span is not None:
            upto = start
            yield NamedPart(label, normalised(label), kind, span.root.i)


def _named(one: NamedEnd, tree: Doc) -> NamedPart:
    kind = one.kind if one.kind != "entity" else one.type or "entity"
    return NamedPart(one.label, normalised(one.label), kind, tree[one.start : one.end].root.i)


def _opens(one: NamedEnd, tree: Doc) -> bool:
    """Whether a name is but the first word of the sentence, and a common one: "Employers contribute"."""
    from simplemma import is_known  # a dictionary, read at the first word

    return one.start == 0 and one.end == 1 and not one.type and is_known(tree[0].lower_, lang="en")


def _things(tree: Doc, within: Collection[int]) -> Iterator[NamedPart]:
    for token in tree:
        if token.pos_ == "NOUN" and token.i not in within and token.dep_ != "compound":
            start = min([token.i, *(child.i for child in token.lefts if _modifies(child, token))])
            label = tree[start : token.i + 1].text
            yield NamedPart(label, normalised(label), "number" if tree[start].pos_ == "NUM" else THING, token.i)


def _modifies(child: Token, noun: Token) -> bool:
    return child.dep_ in _MODIFIERS and all(word.dep_ in _MODIFIERS for word in noun.doc[child.i : noun.i])
