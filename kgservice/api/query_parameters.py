"""Refuses query parameters that a route does not read: with a misspelt filter a list would show everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from kgservice.text.near_names import did_you_mean


async def known(request: Request) -> None:
    """Refuse a request with a query parameter that its route does not read (422); a dependency of the whole app."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    names = sorted({*_names(route.dependant)})
    faults = [
        {"loc": ("query", name), "msg": _advice(name, names), "type": "extra_forbidden"}
        for name in dict.fromkeys(request.query_params)
        if name not in names
    ]
    if faults:
        raise RequestValidationError(faults)


def _names(dependant: Any) -> Iterator[str]:
    """Yield the query parameters of a route and of its dependencies; a model stands for its fields."""
    for field in dependant.query_params:
        yield from getattr(field.field_info.annotation, "model_fields", None) or (field.alias,)
    for inner in dependant.dependencies:
        yield from _names(inner)


def _advice(name: str, names: list[str]) -> str:
    meant = did_you_mean(name, names) or f"; there are: {', '.join(names) or 'none'}"
    return f"no such parameter{meant}"
