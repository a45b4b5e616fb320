"""Second labels: of an entity by its class, (:Entity:City), for Browser; of a chunk by its corpus, for its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kgservice.core import keys
from kgservice.core.schema import DEFAULT, VALUES, Schema, load_schema


def label_of(type_: str | None, outgoing: Iterable[str] = (), incoming: Iterable[str] = ()) -> str | None:
    """Return the label of an entity: the class of its type ("town" → "City"), else what its facts tell, or None.

    `outgoing` and `incoming` are the relations whose subject and whose object it is. The list of labels is that of the
    default schema's classes, and closed, as texts use thousands of words for types.
    """
    schema = load_schema(DEFAULT)
    if schema is None:
        return None
    own = schema.entity_class(type_)
    name = own if own and own not in VALUES else class_by_relations(schema, outgoing, incoming)
    return "".join(map(str.capitalize, name.split())) if name else None


def class_by_relations(schema: Schema, outgoing: Iterable[str], incoming: Iterable[str]) -> str | None:
    """Return the widest class that most relations of an entity require of it, or None if no class has the most."""
    relations = schema.relations
    required = [relations[id_].domain for id_ in outgoing if id_ in relations]
    required += [relations[id_].range for id_ in incoming if id_ in relations]
    votes = Counter(one for classes in required for one in {schema.widest(name) for name in classes} - VALUES)
    leading = [name for name, count in votes.items() if count == max(votes.values())]
    return leading[0] if len(leading) == 1 else None


def corpus_label(corpus: str) -> str:
    """Return the second label of the chunks of a corpus, which a full-text index of them alone is made for."""
    return f"Corpus_{keys.corpus_code(corpus)}"
