"""The relation schema: relations, the classes of their ends, their wordings and questions (relations.toml).

A schema is one TOML file. `default` is the packaged one, `none` is none, anything else is a path.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import Field, ValidationError

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record

DEFAULT, NONE = "default", "none"
OPEN = "open:"
"""What the id of a relation begins with that is not in the schema: the words of a text."""
Side: TypeAlias = Literal["one", "one at a time", "many", "several"]
"""How many: one for ever, one at a time, or many."""

_ID = re.compile(r"P[1-9]\d*|[a-z][a-z0-9]*:[a-z][a-z0-9_]*")
_END = re.compile(r"\b[XY]\b")
VALUES = frozenset(("number", "date"))


class EntityClass(Record):
    """A class of entities: the classes above it ("is" in the file), other words for it, and nouns of its names."""

    above: tuple[str, ...] = Field((), alias="is")
    words: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Relation(Record):
    """A relation X → Y. The top of relations.toml describes the fields."""

    id: str = Field(pattern=_ID.pattern)
    label: str = Field(min_length=1)
    description: str = Field(min_length=1)
    domain: tuple[str, ...] = Field(min_length=1)
    range: tuple[str, ...] = Field(min_length=1)
    without: tuple[str, ...] = ()
    objects: Side = "many"
    subjects: Side = "many"
    inverse: str | None = None
    wider_inverse: str | None = None
    symmetric: bool = False
    usual: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    noun: str | None = None
    noun_of: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    called: str = ""
    object_nouns: tuple[str, ...] = ()
    subject_nouns: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    said_of: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    said_without: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    ask_object: tuple[str, ...] = Field(min_length=1)
    ask_subject: tuple[str, ...] = Field(min_length=1)
    ask_object_of: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    ask_subject_of: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    compared: tuple[str, str] | None = None

    def __hash__(self) -> int:  # a mapping among the fields has none
        return hash(self.id)

    @property
    def worded_by_class(self) -> tuple[Mapping[str, tuple[str, ...]], ...]:
        """Return phrases, what Y is called, questions for Y and questions for X, each by the class of X."""
        return self.said_of, self.noun_of, self.ask_object_of, self.ask_subject_of

    @property
    def forms(self) -> Iterator[tuple[str, str]]:
        """Yield every way to ask, with the end that it names: X where Y is asked for."""
        for named, ways, by_class in (
            ("X", self.ask_object, self.ask_object_of),
            ("Y", self.ask_subject, self.ask_subject_of),
        ):
            yield from ((named, each) for each in (*ways, *(form for forms in by_class.values() for form in forms)))


class Schema(Record):
    """Relations by id, in the order of their file, and classes by name."""

    classes: Mapping[str, EntityClass]
    relations: Mapping[str, Relation]

    @cached_property
    def class_of(self) -> Mapping[str, str]:
        """Return the class of each word in small letters, with the classes' own names."""
        own = {name: name for name in self.classes}
        return {word.lower(): name for name, entry in self.classes.items() for word in entry.words} | own

    @cached_property
    def _class_of_names(self) -> Mapping[str, str]:
        return {noun: name for name, entry in self.classes.items() for noun in entry.names}

    @cached_property
    def _above(self) -> Mapping[str, frozenset[str]]:
        """Return each class with itself and all classes above it."""
        above_of: dict[str, frozenset[str]] = {}

        def climb(name: str) -> frozenset[str]:
            if name not in above_of:
                above_of[name] = frozenset((name,)).union(*(climb(above) for above in self.classes[name].above))
            return above_of[name]

        for name in self.classes:
            climb(name)
        return above_of

    def entity_class(self, type_: str | None) -> str | None:
        """Return the class of a type ("town" → "city"), or None if the schema does not have it."""
        word = (type_ or "").lower().replace("_", " ")
        return self.class_of.get(word) or self.class_of.get(word.split(" ")[-1])

    def named_class(self, label: str) -> str | None:
        """Return the class that the noun of a name tells ("Bank of England" → "company"), or None."""
        first, of, _ = label.partition(" of ")
        noun = first.split()[-1:]
        if not noun or not noun[0][0].isupper() or not (of or " " in label):
            return None
        return self._class_of_names.get(noun[0].lower())

    def widest(self, name: str) -> str:
        """Return the topmost class above a class, along the first of several."""
        while above := self.classes[name].above:
            name = above[0]
        return name

    def fit(self, type_: str | None, classes: Iterable[str]) -> int:
        """Return how well a type fits classes: 0 it cannot be one, 1 unknown, from 2 on it is one.

        The narrower the class, the better the fit: a country is a place (2), but better a country (3). A class above
        one of them ("place" if a country is required) is unknown. A class that the schema has not fits nothing.
        """
        own = self.entity_class(type_)
        if own is None:
            return 0 if VALUES.issuperset(classes) else 1
        fits = [2 + len(self._above[name]) - 1 for name in classes if name in self._above[own]]
        return max(fits, default=int(any(own in self._above.get(name, ()) for name in classes)))

    def broadest(self, type_: str | None) -> tuple[str, ...]:
        """Return the topmost classes of a type ("town" → "place"), () if it is unknown."""
        own = self.entity_class(type_)
        return tuple(sorted(name for name in self._above[own] if not self.classes[name].above)) if own else ()

    def joins(self, subject: str | None, obj: str | None) -> Iterator[Relation]:
        """Yield the relations that may hold between entities of these types."""
        for relation in self.relations.values():
            if self.fit(subject, relation.domain) and self.fit(obj, relation.range):
                yield relation

    def stored(self, id_: str) -> tuple[str, bool]:
        """Return the relation under which facts are stored, and whether their ends are swapped for it.

        Of two inverse relations it is the first in the file.
        """
        inverse = self.relations[id_].inverse
        if inverse is None:
            return id_, False
        first = next(name for name in self.relations if name in (id_, inverse))
        return first, first != id_

    def one_way(self, subject: str, label: str, obj: str) -> tuple[str, str, str]:
        """Return a triple in the one form that all ways to state it have: "Bea, father, Ada" and "Ada, child, Bea".

        `label` is a relation's label. The ends of a symmetric relation come in order.
        """
        relation = self._by_label.get(label.lower())
        if relation is None:
            return subject, label, obj
        id_, swapped = (relation.wider_inverse, True) if relation.wider_inverse else self.stored(relation.id)
        if swapped or (relation.symmetric and obj < subject):
            subject, obj = obj, subject
        return subject, label if id_ == relation.id else self.relations[id_].label, obj

    @cached_property
    def _by_label(self) -> Mapping[str, Relation]:
        return {relation.label.lower(): relation for relation in self.relations.values()}

    def relation(self, name: str) -> Relation:
        """Return a relation by id or label. Raises NotFound if there is none."""
        match = self.relations.get(name) or self._by_label.get(name.lower())
        if match is None:
            raise NotFound(f"no relation {name!r} in the schema: `kgservice schema show` lists them")
        return match


def known_id(relation: str) -> bool:
    """Return whether a relation has the form of a schema's id (P19, kgs:auditor) rather than words."""
    return _ID.fullmatch(relation) is not None


@lru_cache(maxsize=8)
def load_schema(name: str = DEFAULT) -> Schema | None:
    """Return the default schema, None for `none`, or the schema of a file.

    Raises BadRequest with the first fault.
    """
    if name == NONE:
        return None
    schema, faults = read_schema(text_of(name))
    if schema is None or faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise BadRequest(f"schema {name}: {faults[0]}{more}; `kgservice schema check {name}` lists all")
    return schema


def packaged_schema() -> Schema:
    """Return the default schema."""
    schema = load_schema()
    assert schema is not None  # noqa: S101
    return schema


@lru_cache(maxsize=8)
def fingerprint(name: str) -> str:
    """Return the hash of a schema, "" for none. Documents are read again if it changes."""
    return "" if name == NONE else hashlib.blake2b(text_of(name).encode(), digest_size=4).hexdigest()


def read_schema(text: str) -> tuple[Schema | None, list[str]]:
    """Return the schema of a file's text, if it can be made, and all its faults."""
    try:
        rows = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [f"no TOML: {error}"]
    if unknown := sorted(rows.keys() - {"classes", "relations"}):
        return None, [f"unknown table [{unknown[0]}]: a schema has [classes] and [relations.ID] alone"]
    faults: list[str] = []
    classes = _records(rows.get("classes", {}), "class", EntityClass, faults)
    relations = _records(rows.get("relations", {}), "relation", Relation, faults)
    if not relations and not faults:
        faults.append('it has no relation: add a table [relations.P19] or [relations."my:id"]')
    if faults:
        return None, faults
    schema = Schema(classes=classes, relations=relations)
    return schema, [*_class_faults(classes), *_relation_faults(schema)]


def text_of(name: str) -> str:
    """Return the TOML text of the default schema or of a file. Raises BadRequest if it cannot be read."""
    if name == DEFAULT:
        return (files("kgservice.core") / "relations.toml").read_text("utf-8")
    try:
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"schema {name!r} cannot be read ({error}): give default, none or a TOML file") from error


def check_file(name: str) -> tuple[Schema | None, list[str]]:
    """Return the schema of a file, or `default`, with all its faults. Raises BadRequest if it cannot be read."""
    return read_schema(text_of(name))


def _records(rows: Any, kind: str, made: type[Any], faults: list[str]) -> dict[str, Any]:
    records: dict[str, Any] = {}
    if not isinstance(rows, dict):
        faults.append(f"[{kind}] is no table")
        return records
    for name, row in rows.items():
        if not isinstance(row, dict):
            faults.append(f"{kind} {name}: it is no table")
            continue
        try:
            records[name] = made.model_validate(row | ({"id": name} if kind == "relation" else {}))
        except ValidationError as error:
            faults += [f"{kind} {name}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    return records


def _class_faults(classes: Mapping[str, EntityClass]) -> Iterator[str]:
    words: dict[str, str] = {}
    for name, entry in classes.items():
        for above in entry.above:
            if above not in classes:
                yield f"class {name}: there is no class {above!r} that it could belong to"
        for word in entry.words:
            if word in words or word in classes:
                yield f"class {name}: the word {word!r} is that of class {words.get(word, word)!r} already"
            words[word] = name
        if _rings(name, classes):
            yield f"class {name}: it belongs to itself in the end"


def _rings(name: str, classes: Mapping[str, EntityClass]) -> bool:
    seen: set[str] = set()
    todo = list(classes[name].above)
    while todo:
        at = todo.pop()
        if at == name:
            return True
        if at not in seen and at in classes:
            seen.add(at)
            todo += classes[at].above
    return False


def _relation_faults(schema: Schema) -> Iterator[str]:
    labels: dict[str, str] = {}
    for relation in schema.relations.values():
        ends = {*relation.domain, *relation.range, *relation.without, *relation.within, *relation.usual}
        for unknown in sorted(ends.union(*relation.worded_by_class) - schema.classes.keys()):
            yield f"relation {relation.id}: there is no class {unknown!r}"
        if other := labels.get(relation.label.lower()):
            yield f"relation {relation.id}: {other} has the label {relation.label!r} too"
        labels[relation.label.lower()] = relation.id
        if relation.id.startswith((OPEN, "local:")):
            yield f"relation {relation.id}: ids that begin so are given to what is in no schema"
        yield from _side_faults(relation, schema)
        yield from _wording_faults(relation)


def _side_faults(relation: Relation, schema: Schema) -> Iterator[str]:
    if relation.symmetric and (
        relation.inverse or relation.objects != relation.subjects or set(relation.domain) != set(relation.range)
    ):
        yield f"relation {relation.id}: symmetric, but its two sides are not alike"
    if relation.wider_inverse is not None and relation.wider_inverse not in schema.relations:
        yield f"relation {relation.id}: its wider inverse {relation.wider_inverse} is not there"
    if relation.inverse is None:
        return
    other = schema.relations.get(relation.inverse)
    if other is None or other.inverse != relation.id:
        id_, inverse = relation.id, relation.inverse
        yield f"relation {id_}: its inverse {inverse} is not there, or does not name it as its own inverse"
    elif (relation.objects, relation.subjects) != (other.subjects, other.objects):
        yield f"relation {relation.id}: its inverse {relation.inverse} has other functional sides"


def _wording_faults(relation: Relation) -> Iterator[str]:
    others = (*relation.said_of.values(), *relation.said_without.values())
    for phrase in (*relation.phrases, *(one for said in others for one in said)):
        if sorted(_END.findall(phrase)) != ["X", "Y"]:
            yield f"relation {relation.id}: the phrase {phrase!r} needs X and Y, once each"
    for named, form in relation.forms:
        if _END.findall(form) != [named] or not form.endswith("?"):
            yield f"relation {relation.id}: the question {form!r} needs {named} once, not the other end, and a '?'"
