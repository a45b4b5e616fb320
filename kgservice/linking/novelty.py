"""Novelty: facts that the reference, and so models, lack. DRAGON (section 4.1) keeps only those."""

from __future__ import annotations

from kgservice.core.records import LinkedTriplet
from kgservice.linking.wikidata_dump import number
from kgservice.linking.wikidata_index import Wikidata


def novel(statement: LinkedTriplet, index: Wikidata) -> bool | None:
    """Return whether the reference lacks a statement, or None if an end or the relation is not linked.

    Only the same triple counts as present, not another property and not the reverse direction.
    """
    ends = number(statement.subject.id), number(statement.object.id)
    prop = number(statement.relation)
    if ends[0] is None or ends[1] is None or prop is None or prop > 0:
        return None
    return -prop not in index.claims_between(ends[0], ends[1])
