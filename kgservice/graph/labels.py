"""The second label of an entity, by its type: (:Entity:City), so that Neo4j Browser distinguishes classes."""

from __future__ import annotations

from functools import lru_cache

from kgservice.core.schema import DEFAULT, VALUES, load_schema


@lru_cache(maxsize=10_000)
def label_of(type_: str | None) -> str | None:
    """Return the label of a type: its class in the default schema ("town" → "City"), or None.

    The list is closed, as texts use thousands of words for types. It depends on the type alone, so on no order of
    loads.
    """
    schema = load_schema(DEFAULT)
    name = schema.entity_class(type_) if schema else None
    return "".join(map(str.capitalize, name.split())) if name and name not in VALUES else None
