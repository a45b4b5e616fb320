"""The facts of a parsed text: what rules state and small trained models read, where it is likely enough.

See rules.py and readers/. What is left out is counted by its reason.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from kgservice.core.records import Triplet
from kgservice.extraction.end_pairs import joined, opinion, resolved
from kgservice.extraction.fact_checks import Lost
from kgservice.extraction.rules import Reader, unmapped
from kgservice.extraction.syntax.confidence import confidence, least_likely, probability, way_of, weights
from kgservice.extraction.syntax.fact_ends import Met, StatementPlaces
from kgservice.text.periods import NO_CALENDAR, Calendar

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgservice.extraction.readers.coreference_reader import Resolver
    from kgservice.extraction.readers.relation_reader import RelationReader


class Extraction(NamedTuple):
    """What a text states and what was not taken for a fact, in its order."""

    triplets: tuple[Triplet, ...]
    lost: tuple[Lost, ...]

    @property
    def dropped(self) -> dict[str, int]:
        """How many statements were dropped by reason."""
        return dict(sorted(Counter(one.reason for one in self.lost).items()))


def extract(
    doc: Doc,
    title: str,
    company: str = "",
    years: Calendar = NO_CALENDAR,
    pairs: RelationReader | None = None,
    way: str = "rules+reader",
) -> Extraction:
    """Return the facts of a parsed text; `title` is its document's, which pronouns may mean at the start.

    `company` is whose report it is, if it is one: who "we" and "the Company" are; `years` are those that it reports on.
    `pairs` reads what joins two ends of a sentence; what it thinks of a rule's statement counts in its confidence, and
    where it has no opinion, what the statement reader thinks. What the rules did not take is not lost if it reads a
    statement between the same ends. Where it is given, the coreference reader says whom pronouns mean, but in a report.
    `way` is rules, reader or both; without `pairs` rules read alone.
    """
    reader = Reader(doc, title, company, years, ends=pairs is not None)
    kept: dict[tuple[str, ...], Triplet] = {}
    stated, joins = list(reader.weighed()), set[tuple[str, frozenset[str]]]()
    resolver = resolver_of(reader, company) if pairs is not None else None
    for said, told, places in stated if "rules" in way else ():
        believed, doubted = dict[str, float](), None
        if pairs is not None:
            believed, doubted = reader_features(pairs, reader.met, said, places, told, report=bool(company))
        judged_by, read_by = told | believed, way_of(told, doubted=doubted is not None, report=bool(company))
        least = least_likely(told, read_by) if pairs is not None else weights().threshold
        triplet, sure = said, probability(judged_by)
        if sure >= least:
            triplet, meant = resolved(resolver, reader, said)
            sure = probability(judged_by, meant)
        pair = triplet.sentence, frozenset((triplet.subject.label, triplet.object.label))
        if "formerly" in triplet.relation.split():  # kept or not: what is over, the reader takes for what is
            joins.add(pair)
        if sure >= least:
            key = (triplet.subject.label, triplet.relation, triplet.period, triplet.object.label)
            known = {"confidence": round(confidence(sure, told, read_by), 3), "doubted": doubted}
            kept.setdefault(key, triplet.model_copy(update=known))
            if not (unmapped(triplet) or doubted):
                joins.add(pair)
        else:
            reader.lost.append(Lost("low confidence", _quoted(triplet), triplet.sentence, pair[1]))
    read = defaultdict[str, list[frozenset[str]]](list)
    bar = least_likely({}, "report" if company else "reader")
    for triplet, told, meant in joined(pairs, reader, resolver, bar) if pairs is not None and "reader" in way else ():
        if (triplet.sentence, frozenset((triplet.subject.label, triplet.object.label))) in joins:
            continue  # "is headquartered in": no "located in" beside it
        read[triplet.sentence].append(frozenset((triplet.subject.label, triplet.object.label)))
        key = (triplet.subject.label, triplet.relation, "", triplet.object.label)
        worth = confidence(probability(told, meant), told, way_of(told, report=bool(company)))
        kept.setdefault(key, triplet.model_copy(update={"confidence": round(worth, 3)}))
    lost = (one for one in reader.lost if not one.ends or not any(one.ends <= ends for ends in read.get(one.text, ())))
    return Extraction(tuple(kept.values()), tuple(lost))


def reader_features(
    pairs: RelationReader,
    met: list[Met],
    said: Triplet,
    places: StatementPlaces | None,
    told: dict[str, float] | None = None,
    *,
    report: bool = False,
) -> tuple[dict[str, float], str | None]:
    """Return what the trained readers think of a rule's statement, for its confidence, and the relation they doubt.

    `report` is whether its text is a company's report. With `told`, what else is known of the statement, the statement
    reader counts as sure of one that is dropped even so, and is not asked.
    """
    from kgservice.extraction.readers.statement_reader import FARTHEST, belief, belief_of, reader_input

    if view := opinion(pairs, met, said):
        return view.features, view.doubted
    if places is None:
        return {}, None
    surest = {belief_of(report=report): FARTHEST}
    if told is not None and probability(told | surest) < least_likely(told, way_of(told, report=report)):
        return surest, None
    return belief(reader_input(met, places), report=report), None


def resolver_of(reader: Reader, company: str) -> Resolver | None:
    """Return what says whom the pronouns of a text mean; None in a report, whose "we" and "it" are the company."""
    from kgservice.extraction.readers.coreference_reader import Resolver, packaged

    return None if company else Resolver(packaged(), reader.met, reader.title)


def _quoted(triplet: Triplet) -> str:
    return f"({triplet.subject.label}, {triplet.relation}, {triplet.object.label}): {triplet.sentence}"
