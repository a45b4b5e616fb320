"""A ready-made triplet from [s, r, o] or {"subject", "relation", "object", "sentence", …}."""

from __future__ import annotations

import json
import re
from typing import Literal

from kgservice.core.records import Kind, Triplet
from loaders.shared.fields import Json, Refused, folded, is_scalar

PARTS = ("subject", "relation", "object")
FIELDS = ("type", "kind", "value", "unit")  # of an end, beside its name
OPTIONAL = {part: {f"{part}_{field}": field for field in FIELDS} for part in ("subject", "object")}
ISO = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
KINDS: dict[str, Kind] = {"entity": "entity", "number": "number", "date": "date"}


def read_triplet(shape: object) -> Triplet:
    """Return the triplet. Raises Refused with "not three parts", "empty end", "not text" or "unknown shape"."""
    if isinstance(shape, list):
        if len(shape) != len(PARTS):
            raise Refused("not three parts", _seen(shape))
        record: Json = dict(zip(PARTS, shape, strict=True))
    elif isinstance(shape, dict):
        record = shape
        if not all(part in record for part in PARTS):
            raise Refused("not three parts", _seen(shape))
    else:
        raise Refused("unknown shape", _seen(shape))
    sentence = record.get("sentence")
    if sentence is not None and not isinstance(sentence, str):
        raise Refused("not text", f"sentence: {_seen(sentence)}")
    fields = {
        "subject": _term(record, "subject"),
        "relation": _name(record, "relation"),
        "object": _term(record, "object"),
        "sentence": (sentence or "").replace("\r\n", "\n").replace("\r", "\n").strip(),
    }
    return Triplet.model_validate(fields)  # with its ends, in two thirds of the time of three calls


def _seen(shape: object) -> str:
    return json.dumps(shape, ensure_ascii=False)[:160]


def _name(record: Json, part: str) -> str:
    value = record[part]
    if isinstance(value, str) and (name := folded(value)):  # as most
        return name
    if (
        not isinstance(value, str)
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and is_scalar(value)
    ):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise Refused("not text", f"{part}: {_seen(value)}")
    if not (name := folded(value)):
        raise Refused("empty end", f"{part} of {_seen(record)}")
    return name


def _term(record: Json, part: Literal["subject", "object"]) -> Json:
    """Return the fields of an end, a Term."""
    label = _name(record, part)
    if record.keys().isdisjoint(OPTIONAL[part]):  # as most
        return {"label": label}
    optional = {field: record.get(name) for name, field in OPTIONAL[part].items()}
    if not any(value is not None for value in optional.values()):
        return {"label": label}
    for field in ("type", "unit"):
        if not isinstance(optional[field], str | None):
            raise Refused("not text", f"{part}_{field}: {_seen(optional[field])}")
    kind, value = _typed(optional["kind"], optional["value"], part)
    more = {"unit": optional["unit"] or None, "type": optional["type"] or None}
    return {"label": label, "kind": kind, "value": value, **more}


def _typed(kind: object, value: object, part: str) -> tuple[Kind | None, float | str | None]:
    """Return the kind and its value: a finite number, or an ISO date. Raises Refused if they do not fit."""
    if kind is not None and not (isinstance(kind, str) and kind in KINDS):
        raise Refused("unknown shape", f'{part}_kind: {_seen(kind)}; write "entity", "number" or "date"')
    if value is None:
        return KINDS[kind] if kind else None, None
    if is_scalar(value) and isinstance(value, int | float) and not isinstance(value, bool) and kind in (None, "number"):
        return "number", float(value)
    if isinstance(value, str) and ISO.fullmatch(value) and kind in (None, "date"):
        return "date", value
    raise Refused("unknown shape", f"{part}_value: {_seen(value)} does not fit the kind {_seen(kind)}")
