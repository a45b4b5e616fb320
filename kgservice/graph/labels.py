"""Second labels: of an entity by its type, (:Entity:City), for Browser; of a chunk by its corpus, for its index."""

from __future__ import annotations

from functools import lru_cache

from kgservice.core import keys
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


def corpus_label(corpus: str) -> str:
    """Return the second label of the chunks of a corpus, which a full-text index of them alone is made for."""
    return f"Corpus_{keys.corpus_code(corpus)}"
