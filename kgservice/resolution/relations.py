"""Relation normalisation (RARE, section 3.2): "manufactures" and "produces" are one, "founder of" and "founded by" not.

Two relations are one if they have the same words in another tense or number ("was born in", "born in"). They are also
one if they differ in one word, their vectors are similar and both have the same direction. The last word of a relation
("by", "of", "in", no preposition) tells the direction. Opposites and converses ("father", "son") are never one, however
similar. Leaders are chosen as in `resolution.same_name`. Each merge is a decision that can be undone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from kgservice.core import keys
from kgservice.core.records import Decision
from kgservice.core.schema import OPEN, known_id
from kgservice.extraction.phrasebook import NAMING, words
from kgservice.graph.store import Graph
from kgservice.names.mentions import MAX_LABEL
from kgservice.resolution.decisions import decision_of
from kgservice.resolution.same_name import BATCH, Resolved
from kgservice.text.english import PREPOSITIONS
from kgservice.vectors.embedder import Embedder

ALIKE = 0.8  # cosine; from 0.75 no pair of PARAREL's first half is wrong, but some real facts are
ROWS = 1_000  # vectors compared at a time

_CONVERSE = tuple(
    frozenset(group.split())
    for group in (
        "father mother parent son daughter child brother sister sibling husband wife spouse uncle aunt nephew niece "
        "grandfather grandmother grandson cousin friend",
        "north south east west northern southern eastern western northeast northwest southeast southwest central",
        "high low highest lowest large small largest smallest maximum minimum most few fewest more less long short",
        "best worst first second third last populous water land music lyric lyrics standard narrow broad amateur",
        "professional amateur undergraduate graduate previously now formerly currently originally important",
        "open close begin end start finish found dissolve establish disband join leave enter exit initiate",
        "give grant get receive obtain take send accept declare win lose award",
        "buy sell lend borrow import export teach learn study employ work lead follow precede succeed head",
        "before after predecessor successor",
        "score concede attack defend support oppose increase decrease rise fall appear disappear attempt apply",
        "write direct produce edit star play sing compose perform narrate record release publish distribute design",
        "bear die marry divorce live bury raise grow kill",
        "captain coach manager player president governor mayor minister secretary chairman senator king queen director",
        "city town village county district state province country region continent river lake sea mountain",
        "day week month year annual monthly daily weekly january february march april may june july august september "
        "october november december spring summer autumn fall winter warm cold hot cool wet dry",
    )
)
_NOT = frozenset("not no never without former formerly ex".split())
_PLACE = {"at": "in", "within": "in", "inside": "in"}


def may_be_one(one: str, other: str) -> bool:
    """Return whether two relations have one direction and differ in at most one word, no number and no opposite.



    >>> may_be_one("is manufactured by", "produced by"), may_be_one("founder of", "founded by")
    (True, False)
    """
    left, right = ([_PLACE.get(word, word) for word in words(each)] for each in (one, other))
    apart = [(a, b) for a, b in zip(left, right, strict=False) if a != b]
    if len(left) != len(right) or len(apart) > 1:
        return False
    return not any(
        not (a + b).isalpha() or (PREPOSITIONS | _NOT | NAMING) & {a, b} or _are_converse(a, b) for a, b in apart
    )


def _are_converse(one: str, other: str) -> bool:
    return any(one in group and other in group for group in _CONVERSE)


def normalised(relations: Iterable[str], embedder: Embedder, alike: float = ALIKE) -> list[Decision]:
    """Return the merges among these relations. The shortest of each group is the leader."""
    ordered = sorted({relation for relation in relations if words(relation) and len(relation) <= MAX_LABEL}, key=_rank)
    if not ordered:
        return []
    vectors = np.array(embedder.embed(ordered), dtype=np.float32)
    by_words: dict[tuple[str, ...], int] = {}
    leads: list[bool] = []
    made: list[Decision] = []
    for start in range(0, len(ordered), ROWS):
        cosines = vectors[start : start + ROWS] @ vectors[: start + ROWS].T
        for at in range(start, min(start + ROWS, len(ordered))):
            relation = ordered[at]
            leader = by_words.setdefault(words(relation), at)
            score, by = 1.0, "lexical"
            if leader == at:
                leader, score = _nearest(ordered, leads, at, cosines[at - start, :at], alike)
                by = "vector"
            leads.append(leader == at)
            if leader != at:
                by_words[words(relation)] = leader if by == "vector" else by_words[words(relation)]
                made.append(_merged(relation, ordered[leader], by, score))
    return made


def resolve(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    *,
    dry_run: bool = False,
    advance: Callable[[str, int], None] = lambda stage, count: None,
) -> Resolved:
    """Merge relations of a corpus and update their facts. Decisions of people stay.

    Returns the counts. Raises NotFound if the corpus does not exist.
    """
    graph.check_corpus(corpus)
    code = keys.corpus_code(corpus)
    rows = graph.read("read/relations_decided", code=code, until=code + "~")
    stored = {item.name: item for item in (decision_of(row["decision"]) for row in rows)}
    own = {item.name for item in stored.values() if item.by == "person"}
    relations = {row["relation"] for row in graph.read("read/relations", code=code, until=code + "~")}
    relations |= stored.keys() | {item.into for item in stored.values()}
    free = {item for item in relations if item.startswith(OPEN) or not known_id(item)}
    advance("names", len(free))
    meant = {item for item in free - own if not item.startswith(OPEN)}
    merged = [*_open(free - own - meant, embedder), *normalised(meant, embedder)]
    wanted = {item.name: item for item in merged}
    changed = [item for item in merged if stored.get(item.name) != item]
    gone = [item for name, item in stored.items() if name not in wanted and item.by != "person"]
    changed += [item.model_copy(update={"state": "withdrawn"}) for item in gone]
    changed.sort(key=lambda item: (item.state != "withdrawn", item.name))
    chunks, dropped = 0, set[str]()
    for start in range(0, 0 if dry_run else len(changed), BATCH):
        batch = changed[start : start + BATCH]
        decided = graph.decide(corpus, batch)
        chunks += decided.chunks
        dropped |= {item.name for item in batch} - {item.name for item in decided.decisions}
        advance("decisions", len(batch))
    merged, changed, gone = ([item for item in each if item.name not in dropped] for each in (merged, changed, gone))
    return _report(free, own, merged, changed, len(gone), chunks)


def _open(relations: Iterable[str], embedder: Embedder) -> Iterator[Decision]:
    """Yield the merges among open relations."""
    for decision in normalised((decision.removeprefix(OPEN) for decision in relations), embedder):
        yield decision.model_copy(update={"name": OPEN + decision.name, "into": OPEN + decision.into})


def _report(
    free: set[str], own: set[str], merged: list[Decision], changed: Sequence[Decision], gone: int, chunks: int
) -> Resolved:
    by_person = len(free & own)
    return Resolved(
        names=len(free),
        merged=len(merged),
        alone=len(free) - len(merged) - by_person,
        by_person=by_person,
        by=dict(sorted(Counter(decision.by for decision in merged).items())),
        left={},
        new=len(changed) - gone,
        withdrawn=gone,
        chunks=chunks,
        decisions=tuple(changed),
    )


def _nearest(
    ordered: Sequence[str], leads: Sequence[bool], at: int, cosines: np.ndarray, alike: float
) -> tuple[int, float]:
    """Return the most similar leader with the same direction and its cosine, or the relation itself and 1."""
    near: list[int] = np.flatnonzero(cosines >= alike).tolist()
    for other in sorted(near, key=lambda other: (-cosines[other], other)):
        if leads[other] and may_be_one(ordered[other], ordered[at]):
            return other, round(float(cosines[other]), 3)
    return at, 1.0


def _merged(relation: str, other: str, by: str, score: float) -> Decision:
    evidence = "the same words" if by == "lexical" else "one word apart, vectors alike"
    fields = {"name": relation, "into": other, "label": other, "by": by, "score": score, "evidence": evidence}
    return Decision.model_validate(fields | {"kind": "relation"})


def _rank(relation: str) -> tuple[int, bool, int, str]:
    parts = relation.split()
    return len(parts), bool(_PLACE.keys() & set(parts)), len(relation), relation
