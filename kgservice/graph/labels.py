"""Second labels: of an entity by its class, (:Entity:City), for Browser; of a chunk by its corpus, for its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def class_and_label(
    kind: str, given: Mapping[str, int], outgoing: Sequence[str], incoming: Sequence[str]
) -> tuple[str | None, str | None]:
    """Return the class and the label of an entity. A value has no label, and its facts say nothing of its class."""
    if kind != "entity":
        return class_of(given, (), ()), None
    type_ = class_of(given, outgoing, incoming)
    return type_, label_of(type_, outgoing, incoming)


def telling() -> list[str]:
    """Return the relations that tell something of an entity's class: others do nothing for its class and label."""
    schema = load_schema(DEFAULT)
    return list(schema.relations) if schema else []


def class_of(given: Mapping[str, int], outgoing: Iterable[str], incoming: Iterable[str]) -> str | None:
    """Return the class that most passages give an entity, of as many the alphabetically first.

    `given` counts the passages by class. A class is none if more facts contradict it than passages and facts bear it
    out: where thirty people are citizens is no team, whatever one sentence seems to say.
    """
    schema = load_schema(DEFAULT) if given else None
    required = list(_required(schema, outgoing, incoming)) if schema is not None else []
    for type_, passages in sorted(given.items(), key=lambda each: (-each[1], each[0])):
        fits = [schema.fit(type_, classes) for classes in required] if schema is not None else []
        if passages + sum(fit > 1 for fit in fits) >= fits.count(0):
            return type_
    return None


def class_by_relations(schema: Schema, outgoing: Iterable[str], incoming: Iterable[str]) -> str | None:
    """Return the widest class that most relations of an entity require of it, or None if no class has the most."""
    required = _required(schema, outgoing, incoming)
    votes = Counter(one for classes in required for one in {schema.widest(name) for name in classes} - VALUES)
    leading = [name for name, count in votes.items() if count == max(votes.values())]
    return leading[0] if len(leading) == 1 else None


def _required(schema: Schema, outgoing: Iterable[str], incoming: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the classes that each relation of an entity requires of it."""
    relations = schema.relations
    yield from (relations[id_].domain for id_ in outgoing if id_ in relations)
    yield from (relations[id_].range for id_ in incoming if id_ in relations)


def corpus_label(corpus: str) -> str:
    """Return the second label of the chunks of a corpus, which a full-text index of them alone is made for."""
    return f"Corpus_{keys.corpus_code(corpus)}"
