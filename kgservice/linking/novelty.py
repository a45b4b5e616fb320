"""What the world's knowledge bases, and so the models, hold already: DRAGON (section 4.1) keeps only what they lack."""

from __future__ import annotations

from kgservice.core.records import LinkedTriplet
from kgservice.linking.wikidata_dump import number
from kgservice.linking.wikidata_index import Wikidata


def novel(statement: LinkedTriplet, index: Wikidata) -> bool | None:
    """Return whether the reference lacks a statement; None where an end or the relation is not linked: nobody can tell.

    Only the same triple counts: what another property says, or the same one from object to subject, is no match.
    """
    ends = number(statement.subject.id), number(statement.object.id)
    known = number(statement.relation)
    if ends[0] is None or ends[1] is None or known is None or known > 0:
        return None
    return -known not in index.claims_between(ends[0], ends[1])
