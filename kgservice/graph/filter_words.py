"""Documents, relations and types as people write them: by key or id, by id or label, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kgservice.core import keys
from kgservice.core.errors import NotFound
from kgservice.core.schema import OPEN, Relation
from kgservice.graph.schema_terms import corpus_schema
from kgservice.graph.store import Graph
from kgservice.text.near_names import nearest

NAMED = 10  # types and relations in a message


def find_document(graph: Graph, name: str, corpus: str | None, *, removed: bool = False) -> tuple[str, str]:
    """Return a document's key and its corpus; without `corpus` `name` is a key, which tells it.

    `removed`: also of one that is removed and of which former versions or questions are left. Raises NotFound.
    """
    if corpus is not None:
        graph.check_corpus(corpus)
    if holder := corpus if corpus is not None else graph.corpus_of(name):
        named = [name, keys.document_key(holder, name)]
        if rows := graph.read("read/document_keys", corpus=holder, keys=named):
            return str(rows[0]["key"]), holder
        code = keys.corpus_code(holder)
        left = [one for one in named if keys.is_key(one) and one.startswith(code)] if removed else []
        if rows := graph.read("read/remembered_documents", code=code, until=code + "~", keys=left) if left else []:
            return str(rows[0]["key"]), holder
    where = f"in corpus {corpus!r}" if corpus is not None else "with this key (for an id, give its corpus too)"
    raise NotFound(f"no document {name!r} {where}; see `kgservice documents list`, or GET /documents")


def check_type(graph: Graph, corpus: str, given: str) -> None:
    """Raise NotFound if no entity of the corpus has the type; the message has the nearest one, else what there is."""
    code = keys.corpus_code(corpus)
    types = {row["type"]: row["type"] for row in graph.read("read/types", code=code, until=code + "~")}
    if given not in types:
        raise NotFound(f"no entity of type {given!r} in corpus {corpus!r}: {_meant(given, types)}")


def relation_id(graph: Graph, corpus: str, given: str) -> str:
    """Return the id of a relation of the corpus from its id or its label: P112 for "founded by".

    It reads all facts of the corpus. Raises NotFound if no fact has the relation; the message has the nearest one.
    """
    code = keys.corpus_code(corpus)
    stored = {row["relation"]: row["label"] for row in graph.read("read/relations", code=code, until=code + "~")}
    if given in stored:
        return given
    schema = corpus_schema(graph, code)
    known = {id_: schema.relations[id_] for id_ in sorted(stored) if schema and id_ in schema.relations}
    if named := _labelled(given, stored, known):
        return named
    raise NotFound(f"no relation {given!r} in corpus {corpus!r}: {_meant(given, _words(stored, known))}")


def _labelled(given: str, stored: Mapping[str, str], known: Mapping[str, Relation]) -> str | None:
    """Return the relation of a label, whatever its case; one of the schema comes before an open one of the same words.

    `stored` are the labels of the corpus's relations by id, `known` those of its relations that its schema has.
    """
    word = given.casefold()
    schema = (id_ for id_, one in known.items() if one.label.casefold() == word)
    facts = (id_ for id_, label in stored.items() if word in (label.casefold(), id_.removeprefix(OPEN).casefold()))
    return next(schema, None) or min(facts, key=lambda id_: (id_.startswith(OPEN), id_), default=None)


def _words(stored: Iterable[str], known: Mapping[str, Relation]) -> dict[str, str]:
    """Return the relations of a corpus, as a message names them, by id, by noun ("mayor") and by label."""
    words = {id_.removeprefix(OPEN): id_ for id_ in sorted(stored)}
    for names in ("object_nouns", "subject_nouns"):
        words |= {noun: f"{one.id} ({one.label})" for one in known.values() for noun in getattr(one, names)}
    return words | {name: f"{one.id} ({one.label})" for one in known.values() for name in (one.id, one.label)}


def _meant(given: str, words: Mapping[str, str]) -> str:
    """Return the end of a message: what is likely meant, else what there is."""
    near = nearest(given, words)
    if near is not None:
        return f"did you mean {words[near]}?"
    there = list(dict.fromkeys(words.values()))
    more = f" and {len(there) - NAMED} more" if len(there) > NAMED else ""
    return f"it has {', '.join(there[:NAMED]) or 'none'}{more}"
