"""The names, values and unnamed things of a sentence, and their distance from its words in the parse tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgservice.answering.reader.passage_statements import stem
from kgservice.text.english import PREPOSITIONS
from kgservice.text.matching import normalised, written_values
from kgservice.text.values import MONTHS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from kgservice.extraction.syntax.proper_names import NamedEnd

FAR = 6  # steps in a tree from which words count as unrelated
THING = "thing"  # kind of a phrase without a name: "frozen shrimp"

_MONTHS = frozenset(MONTHS.split())
_MODIFIERS = ("amod", "compound", "nummod")


class NamedPart(NamedTuple):
    """A name, value or thing in a statement: as written, normalised, its kind, and the index of its root word."""

    label: str
    form: str
    kind: str
    at: int = -1


class NamedSentence(NamedTuple):
    """The names in a sentence, and for each word its stem and the index of its head."""

    names: tuple[NamedPart, ...]
    stems: tuple[str, ...]
    heads: tuple[int, ...]

    def apart(self, at: int, stems: Collection[str]) -> int:
        """Return the steps in the tree from a word to the nearest one with such a stem, at most FAR."""
        way = self._way(at)
        distances = [FAR]
        for other in (index for index, known in enumerate(self.stems) if known in stems):
            back = {index: steps for steps, index in enumerate(self._way(other))}
            distances.append(next((steps + back[index] for steps, index in enumerate(way) if index in back), FAR))
        return min(distances)

    def _way(self, at: int) -> list[int]:
        """Return the index of a word and of those above it, up to the root."""
        way = [at]
        while self.heads[way[-1]] != way[-1]:
            way.append(self.heads[way[-1]])
        return way


def sentence(tree: Doc) -> NamedSentence:
    """Return the names in a parsed sentence, each once. A common word at its beginning is no name."""
    from kgservice.extraction.syntax.proper_names import Names

    names = Names(tree[:], "")
    ends = {(name.start, name.end): name for name in map(names.of, tree) if name is not None}
    ends = {span: name for span, name in ends.items() if name.label.lower() not in _MONTHS}
    within = {index for start, end in ends for index in range(start, end)}
    named = [_named(name, tree) for name in _places(sorted(ends.values(), key=_start), tree) if not _opens(name, tree)]
    values, things = list(_values(tree)), list(_things(tree, within))
    each = [*values, *(name for name in named if not _begins(name, (*values, *things))), *things]
    once = {name.form: name for name in reversed(each) if name.form}
    kept = tuple(name for name in each if once.get(name.form) is name)
    return NamedSentence(kept, tuple(stem(token.lower_) for token in tree), tuple(token.head.i for token in tree))


def _start(one: NamedEnd) -> int:
    return one.start


def _places(names: Sequence[NamedEnd], tree: Doc) -> Iterator[NamedEnd]:
    """Yield the names, "St. Louis, Missouri" as one."""
    at = 0
    while at < len(names):
        name = names[at]
        while (
            at + 1 < len(names)
            and name.type == names[at + 1].type == "place"
            and (names[at + 1].start == name.end + 1 and tree[name.end].text == ",")
        ):
            at, name = at + 1, name._replace(label=f"{name.label}, {names[at + 1].label}", end=names[at + 1].end)
        yield name
        at += 1


def _values(tree: Doc) -> Iterator[NamedPart]:
    """Yield numbers and dates with their units: "940 USD", "12 March 2032". None crosses a bracket: "2030 (USD)"."""
    upto = 0
    for written, (kind, _, _) in written_values(tree.text):
        first, _, last = written.rpartition(" ")
        label = first if first and last.lower() in PREPOSITIONS else written  # "4,169 stores across"
        start = tree.text.find(label, upto)
        span = tree.char_span(start, start + len(label), alignment_mode="expand") if start >= 0 else None
        if span is not None:
            upto = start
            yield NamedPart(label, normalised(label), kind, span.root.i)


def _named(name: NamedEnd, tree: Doc) -> NamedPart:
    kind = name.kind if name.kind != "entity" else name.type or "entity"
    return NamedPart(name.label, normalised(name.label), kind, tree[name.start : name.end].root.i)


def _opens(name: NamedEnd, tree: Doc) -> bool:
    """Return whether a name is only the common first word of the sentence: "Employers contribute"."""
    from simplemma import is_known  # a dictionary, read at the first word

    return name.start == 0 and name.end == 1 and not name.type and is_known(tree[0].lower_, lang="en")


def _begins(name: NamedPart, values: Iterable[NamedPart]) -> bool:
    """Return whether a number goes on in a value: "5 million" in "5 million Danish kroner"."""
    return name.kind == "number" and any(one.label.startswith(f"{name.label} ") for one in values)


def _things(tree: Doc, within: Collection[int]) -> Iterator[NamedPart]:
    """Yield the nouns without a name, with what stands before them: "frozen shrimp", "5 million Danish kroner"."""
    for token in tree:
        if token.pos_ == "NOUN" and token.i not in within and token.dep_ != "compound":
            start = min([token.i, *(child.i for child in token.lefts if _modifies(child, token))])
            while start and tree[start].pos_ == tree[start - 1].pos_ == "NUM" and tree[start - 1].head.i == start:
                start -= 1
            label = tree[start : token.i + 1].text
            yield NamedPart(label, normalised(label), "number" if tree[start].pos_ == "NUM" else THING, token.i)


def _modifies(child: Token, noun: Token) -> bool:
    return child.dep_ in _MODIFIERS and all(word.dep_ in _MODIFIERS for word in noun.doc[child.i : noun.i])
