"""The reader of Wikidata's items from files: a JSON dump, a response of its API, or a table.

A dump is `[`, an entity a line that ends with `,`, and `]` (https://doc.wikimedia.org/Wikibase, "JSON"). Its lines are
read one by one, so memory does not grow with it. A table (JSONL, or TSV and CSV with a header) has the columns id,
label, description, aliases, types, or those of triples: head, relation, tail.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

from kgservice.core.errors import BadRequest

MAX_WHOLE = 256 * 2**20  # characters of a file that is one JSON value: an answer of the API, not a dump
INSTANCE_OF = 31
Row: TypeAlias = Mapping[str, Any]

_ID = re.compile(r"([QP])([1-9]\d{0,17})")
_TRIPLE = (("head", "relation", "tail"), ("subject", "property", "object"))


class WikidataItem(NamedTuple):
    """An item (number 90 is Q90) or a property (-19 is P19) of a row. `claims` are (property, object)."""

    number: int
    label: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()
    types: tuple[int, ...] = ()
    sitelinks: int = 0
    claims: tuple[tuple[int, int], ...] = ()


class ItemClaim(NamedTuple):
    """A triple of the reference, by numbers."""

    subject: int
    property: int
    object: int


def number(name: object) -> int | None:
    """Return the number of an id, negative for a property, or None if it is none.



    >>> number("Q90"), number("P19"), number("L7")
    (90, -19, None)
    """
    match = _ID.fullmatch(name) if isinstance(name, str) else None
    return (int(match[2]) if match[1] == "Q" else -int(match[2])) if match else None


def name(number: int) -> str:
    """Return the id of a number."""
    return f"Q{number}" if number > 0 else f"P{-number}"


def read(path: Path, languages: Sequence[str], skip: int = 0) -> Iterator[WikidataItem | ItemClaim | str]:
    """Yield the item or claim of each row of a file after the first `skip`, or the reason why there is none.

    Raises BadRequest if the file cannot be read to its end.
    """
    try:
        with _opened(path) as stream:
            for row in _rows(stream, path, skip):
                yield row if isinstance(row, str) else _told(row, languages)
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
        raise BadRequest(
            f"{path} cannot be read to its end ({error}): fetch it again and repeat the command"
        ) from error


def _opened(path: Path) -> IO[str]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    if suffix == ".bz2":
        return bz2.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")


def _rows(stream: IO[str], path: Path, skip: int) -> Iterator[Row | str]:
    """Yield the rows of any layout, recognised by the first line. A line that cannot be read gives a reason."""
    first = next((line for line in stream if line.strip()), "").lstrip("\ufeff")
    start = first.lstrip()
    if not start:
        raise BadRequest(f"{path} is empty")
    if start[0] not in "[{":
        yield from islice(_table(first, stream, path), skip, None)
    elif start[0] == "[" or _json(start) is not None:
        lines = (line for part in ((first,), stream) for line in part if line.strip() not in ("", "[", "]"))
        for line in islice(lines, skip, None):
            yield from _line(line)
    else:
        yield from islice(_whole(first + stream.read(MAX_WHOLE), path), skip, None)


def _table(header: str, stream: IO[str], path: Path) -> Iterator[Row | str]:
    names = header.strip().lower().split("\t" if "\t" in header else ",")
    if "id" not in names and not any(set(triple) <= set(names) for triple in _TRIPLE):
        raise BadRequest(
            f"{path}: a table needs a header with id and label, or with head, relation, tail; it has {names[:9]}"
        )
    delimited = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if "\t" in header else {"delimiter": ","}
    for fields in csv.reader(stream, **delimited):
        yield dict(zip(names, fields, strict=True)) if len(fields) == len(names) else "wrong number of fields"


def _line(line: str) -> Iterator[Row | str]:
    row = _json(line.strip().removeprefix("[").removesuffix("]").rstrip().removesuffix(","))
    if row is None:
        yield "not JSON"
    elif isinstance(row.get("entities"), Mapping):
        yield from _entities(row)
    else:
        yield row


def _whole(text: str, path: Path) -> Iterator[Row | str]:
    row = _json(text)
    if row is None:
        raise BadRequest(
            f"{path} is neither a dump, an entity a line, nor one JSON value of at most {MAX_WHOLE} characters"
        )
    if "entities" not in row and "id" not in row:
        raise BadRequest(f"{path} holds no entities; it has {', '.join(sorted(row))[:80]}")
    yield from _entities(row) if "entities" in row else (row,)


def _entities(row: Row) -> Iterator[Row | str]:
    for entity in row["entities"].values():
        yield entity if isinstance(entity, Mapping) else "not JSON"


def _json(text: str) -> Row | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _told(row: Row, languages: Sequence[str]) -> WikidataItem | ItemClaim | str:
    for triple in _TRIPLE:
        if triple[0] in row:
            numbers = [number(row.get(column)) for column in triple]
            fits = all(numbers) and numbers[0] > 0 > numbers[1] and numbers[2] > 0  # type: ignore[operator]
            return ItemClaim(numbers[0], -numbers[1], numbers[2]) if fits else "not a triple of ids"  # type: ignore
    own = number(row.get("id"))
    if own is None:
        return "no Q or P id"
    if "missing" in row:
        return "missing entity"
    try:
        return _entity(own, row, languages) if isinstance(row.get("labels"), dict | list) else _listed(own, row)
    except (AttributeError, KeyError, TypeError, ValueError):
        return "unknown layout"


def _listed(own: int, row: Row) -> WikidataItem | str:
    """Return a row of a table. Several aliases or types are separated by "|". Types are claims, as in a dump."""
    types = tuple(type_number for field in _several(row.get("types")) if (type_number := number(field)))
    label = " ".join(str(row.get("label") or "").split())
    if not label and not types:
        return "no label"
    description = " ".join(str(row.get("description") or "").split())
    claims = tuple((INSTANCE_OF, field) for field in types) if own > 0 else ()
    return WikidataItem(
        own, label, description, _several(row.get("aliases")), types, int(row.get("sitelinks") or 0), claims
    )


def _several(field: Any) -> tuple[str, ...]:
    parts = field.split("|") if isinstance(field, str) else field or ()
    return tuple(dict.fromkeys(text for part in parts if (text := " ".join(str(part).split()))))


def _entity(own: int, row: Row, languages: Sequence[str]) -> WikidataItem | str:
    """Return an entity of a dump: label in the first language with one, all aliases, and the claims with items."""
    labels = [text for language in languages if (text := _value(row["labels"], language))]
    if not labels:
        return f"no label in {', '.join(languages)}"
    aliases = [*labels[1:]]
    for language in languages:
        aliases += [str(alias["value"]) for alias in _mapping(row.get("aliases")).get(language, ())]
    descriptions = (_value(row.get("descriptions"), language) for language in languages)
    claims = tuple(dict.fromkeys(_claims(_mapping(row.get("claims")))))
    return WikidataItem(
        own,
        labels[0],
        next((text for text in descriptions if text), ""),
        tuple(dict.fromkeys(text for alias in aliases if (text := " ".join(alias.split())) and text != labels[0])),
        tuple(obj for prop, obj in claims if prop == INSTANCE_OF),
        len(_mapping(row.get("sitelinks"))),
        claims if own > 0 else (),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a map, {} for the [] that PHP writes for an empty one."""
    return value if isinstance(value, dict) else {}


def _value(values: Any, language: str) -> str:
    entry = _mapping(values).get(language)
    return " ".join(str(entry["value"]).split()) if entry else ""


def _claims(claims: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the statements whose object is an item, preferred ones first, without deprecated ones."""
    for key, statements in claims.items():
        prop = number(key)
        for statement in sorted(statements, key=lambda entry: entry.get("rank") != "preferred"):
            value = statement.get("mainsnak", {}).get("datavalue", {})
            if prop is None or statement.get("rank") == "deprecated" or value.get("type") != "wikibase-entityid":
                continue
            object_ = value["value"]
            obj = number(
                object_.get("id") or (f"Q{object_['numeric-id']}" if object_.get("entity-type") == "item" else None)
            )
            if obj is not None and obj > 0:
                yield -prop, obj
