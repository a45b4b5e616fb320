"""Where an abbreviation's stop ends a sentence: the parser tells where both sides are clauses of their own.

"Jane Doe is the chief executive of Acme Corp. Berlin is the capital of Germany." is two sentences, "Apple Inc.
President Tim Cook resigned" is one: no list of words knows that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from kgservice.extraction.syntax.clauses import base
from kgservice.text.sentences import doubtful

if TYPE_CHECKING:
    from collections.abc import Callable

    from spacy.tokens import Doc

MAX_PLACES = 20  # of one sentence: a list of companies has many, and each side is parsed on its own


def boundaries(text: str, spans: list[tuple[int, int]], parse: Callable[[str], Doc]) -> Iterator[int]:
    """Yield where further sentences begin inside of `spans`, after stops that `sentences` takes for abbreviations'."""
    for start, end in spans:
        places = [start, *doubtful(text, start, end)[:MAX_PLACES], end]
        if len(places) == 2:
            continue
        parts = [parse(text[first:last]) for first, last in pairwise(places)]
        said = _says(parts[0])
        for place, part in zip(places[1:], parts[1:], strict=False):
            if said and _is_clause(part):
                yield place
            said = said or _says(part)


def _says(doc: Doc) -> bool:
    """True if there is a verb, whatever the tree makes of it: "Apple Inc. President Tim" has none so far."""
    return any(word.pos_ in ("VERB", "AUX") and word.morph.get("VerbForm", []) != ["Inf"] for word in doc)


def _is_clause(doc: Doc) -> bool:
    """True if a main verb is finite and has its subject before it."""
    for head in doc:
        if head.head != head and not (head.dep_ in ("conj", "parataxis", "ccomp") and head.head.head == head.head):
            continue
        own = [(child, base(child)) for child in head.children]
        verbs = (head, *(child for child, relation in own if relation in ("aux", "cop")))
        if any(relation in ("nsubj", "csubj", "expl") and child.i < head.i for child, relation in own) and any(
            verb.morph.get("VerbForm", []) == ["Fin"] for verb in verbs
        ):
            return True
    return False
