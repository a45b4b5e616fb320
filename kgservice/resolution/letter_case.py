"""Names that differ in letter case alone, "PORT AMBREL" and "Port Ambrel", are one thing: merged as they are loaded.

So are those that differ in how an apostrophe or a hyphen is written: "Tarek O'Brien" and "Tarek O’Brien".
It is the surest part of the resolution of names, and by the names alone: no vector, no fact and no text is looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kgservice.core import keys
from kgservice.core.records import Decision
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.names.mentions import form
from kgservice.names.spelling import forbidden, is_vague, name, rank
from kgservice.resolution.similar_names import label

_WRITTEN = str.maketrans("’‐‑", "'--")  # another apostrophe, and two more hyphens
BATCH = 200  # decisions carried out in one transaction


def merge_letter_case(graph: Graph, corpus: str, names: Iterable[str]) -> int:
    """Merge names (ids) into the names of the corpus that differ from them in letter case alone; return how many.

    Of several spellings that in mixed case stays. A name that somebody decided about keeps its decision.
    """
    forms = sorted({keys.form_key(corpus, form(label(id_))) for id_ in names})
    pairs = [pair for row in graph.read_each("read/names_of_forms", "forms", forms) for pair in _pairs(row["names"])]
    wanted = [_merged(*pair) for pair in _undecided(graph, corpus, pairs)]
    batches = (wanted[start : start + BATCH] for start in range(0, len(wanted), BATCH))
    return sum(len(graph.decide(corpus, batch).decisions) for batch in batches)


def _pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, the name that it stands for) of names of one form."""
    alike: dict[str, list[str]] = defaultdict(list)
    for id_ in names:
        if id_.startswith(LOCAL):
            alike[label(id_).casefold().translate(_WRITTEN)].append(id_)
    for group in alike.values():
        first, *others = sorted(group, key=lambda id_: rank(name(label(id_))))
        spelt = name(label(first))
        for other in others:
            if not forbidden(name(label(other)), spelt) and not is_vague(name(label(other)), spelt):
                yield other, first


def _undecided(graph: Graph, corpus: str, pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of names of one class that nobody has decided about."""
    rows = [
        {"name": id_, "entity": keys.entity_key(corpus, id_), "decision": keys.decision_key(corpus, "entity", id_)}
        for id_ in sorted({end for pair in pairs for end in pair})
    ]
    known = {row["name"]: row for row in graph.read("read/names_known", rows=rows)} if rows else {}
    for one, other in pairs:
        types = {known[end]["type"] for end in (one, other)} - {None}
        if known[one]["decision"] is None and len(types) < 2:
            yield one, other


def _merged(one: str, other: str) -> Decision:
    same = label(one).casefold() == label(other).casefold()
    evidence = "the same letters in another case" if same else "the same letters with another apostrophe or hyphen"
    return Decision(kind="entity", name=one, into=other, label=label(other), by="exact", score=1.0, evidence=evidence)
