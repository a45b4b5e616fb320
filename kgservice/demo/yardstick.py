"""How many of the facts that the demo's authors wrote down were read from its texts: a measure, never an input."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kgservice.core import keys
from kgservice.core.records import Document, Record
from kgservice.core.schema import OPEN
from kgservice.graph.store import Graph
from kgservice.text.matching import normalised
from kgservice.text.values import read_value

ALL = 100_000  # facts or entities; the demo has some hundreds
READ_AS = {  # what the authors call a relation: how the reading may call it, by id or by the words of an open relation
    "acquired": ("kgs:acquired",),
    "administered by": ("P137",),
    "auditor": ("kgs:auditor",),
    "born in": ("P19",),
    "borders": ("P47",),
    "capital": ("P36",),
    "central bank governor": ("bank governor",),
    "chief executive": ("P169",),
    "chief financial officer": ("kgs:chief_financial_officer", "P2828"),  # is a corporate officer
    "contractor": ("kgs:supplier", "P193", "contractor"),
    "currency": ("P38",),
    "director": ("kgs:president", "P1037"),  # the texts say "head of", "led by"
    "finance minister": ("kgs:minister",),
    "founded in": ("P571",),
    "founder": ("P112",),
    "funds": ("P859", "P1951"),
    "headquartered in": ("P159",),
    "housing target": ("housing target",),
    "inflation rate": ("inflation rate",),
    "invests in": ("P1951",),
    "largest export": ("largest export",),
    "launched on": ("P571", "P580", "P619"),
    "listed on": ("P414",),
    "located in": ("P131", "P17", "P276"),
    "main trading partner": ("trading partner",),
    "manufactures": ("P1056", "P176"),
    "mayor": ("P6",),
    "median rent": ("rent",),
    "member of": ("P463",),
    "operates plant in": ("kgs:office", "plant"),
    "operates terminal in": ("kgs:office", "terminal"),
    "partner of": ("P2652",),
    "population": ("P1082",),
    "revenue": ("P2139",),
    "studied at": ("P69",),
    "subsidiary": ("P749",),
    "supplies": ("kgs:supplier",),
    "took office on": ("kgs:took_office",),
    "vacancy rate": ("vacancy rate",),
    "workforce": ("P1128",),
}


class Yardstick(Record):
    """What was read beside what is known: `read` of the `known` facts, and `right` of the `compared` facts.

    Compared are the facts of the graph between ends that a known fact joins. Of others nobody has written down
    whether they are true.
    """

    known: int
    read: int
    compared: int
    right: int


def measure(graph: Graph, corpus: str, documents: Iterable[Document]) -> Yardstick:
    """Compare the facts of a corpus with the triplets that come with its documents, whichever end is the subject."""
    known: dict[frozenset[str], set[str]] = defaultdict(set)
    for item in documents:
        for one in item.triplets or ():
            known[_pair(one.subject.label, one.object.label)].add(one.relation)
    code = keys.corpus_code(corpus)
    bounds = {"after": code, "until": code + "~", "limit": ALL}
    labels = {row["key"]: row["entity"]["label"] for row in graph.read("release/entities", **bounds)}
    read, right, compared = set[tuple[frozenset[str], str]](), 0, 0
    for row in graph.read("release/facts", **bounds):
        pair = _pair(labels[row["subject"]], labels[row["object"]])
        said = {(pair, one) for one in known.get(pair, ()) if _says(row["relation"], one)}
        read |= said
        compared += pair in known
        right += bool(said)
    return Yardstick(known=sum(map(len, known.values())), read=len(read), compared=compared, right=right)


def _pair(one: str, other: str) -> frozenset[str]:
    return frozenset((_form(one), _form(other)))


def _form(end: str) -> str:
    """Return an end without articles and case, a number by its value: "9.4 million people" is "9.4 million"."""
    kind, value, _ = read_value(end)
    return str(value) if kind == "number" else normalised(end)


def _says(relation: str, known: str) -> bool:
    is_open = relation.startswith(OPEN)
    return any(one in relation if is_open else one == relation for one in READ_AS[known])
