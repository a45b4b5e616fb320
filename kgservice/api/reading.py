"""Bodies of requests: read within the limit of their route, then parsed and checked once, in a thread.

A parser holds Python's lock (GIL) from its first byte to its last, wherever it runs. So the number of values is counted
first, by an expression that lets the lock go between two of them, and bodies that are not small take turns.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jiter
from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from kgservice.api.deps import caller_of
from kgservice.api.policy import declaration, sight_of
from kgservice.core.errors import BadRequest

MB = 1_000_000  # bytes
LIMIT = "x-max-body-bytes"  # its name in the OpenAPI document
VALUES = 50_000  # of one body: its objects, lists, and what stands in them
FAULTS = 1_000  # that are named; to list a hundred thousand takes seconds
EMPTY = {"type": "missing", "loc": ("body",), "msg": "the body is empty: send a JSON object, see /docs"}
SMALL = 64_000  # bytes, which are parsed in milliseconds whatever they hold
# A match ends after 64 kB at the latest, and so lets the lock go; possessive, so that no text makes it look twice.
_OUTSIDE = re.compile(rb'[^"\[{,]{0,65536}+(["\[{,])?')  # up to the next quote, comma or opening bracket
_STRING = re.compile(rb'(?:[^"\\]{1,4096}+|\\.){0,16}+(")?', re.DOTALL)  # up to the end of a string
_TURN = ThreadPoolExecutor(max_workers=1, thread_name_prefix="kgservice-bodies")


def body_of(size: int) -> dict[str, int]:
    """Return what a route says of its body (`openapi_extra`): that it has so many bytes at most."""
    return {LIMIT: size}


class ReadingRoute(APIRoute):
    """A route whose body becomes its model before FastAPI looks at it, which then has nothing left to do."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, given a request whose JSON is the model already."""
        answer = super().get_route_handler()
        if self.body_field is None:
            return answer
        limit: int = (self.openapi_extra or {})[LIMIT]  # a route that takes a body must say how much of it
        annotation: Any = self.body_field.field_info.annotation
        model: TypeAdapter[Any] = TypeAdapter(annotation)

        thing = declaration(self)

        async def handler(request: Request) -> Response:
            if thing is not None:  # before anything is read; FastAPI checks again, after the body
                sight_of(request.app, caller_of(request)).check(thing, request)
            data = await read_body(request, limit)
            if not data:
                raise RequestValidationError([EMPTY])
            if len(data) <= SMALL:
                value = await run_in_threadpool(parse, data, model)
            else:
                value = await asyncio.get_running_loop().run_in_executor(_TURN, parse, data, model)
            return await answer(_Parsed(request, data, value))

        return handler


class _Parsed(Request):
    """A request whose body was read and parsed."""

    def __init__(self, request: Request, data: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._body, self._value = data, value

    async def json(self) -> Any:
        return self._value


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body (HTTPException 413 for one over the limit, said or not, before it is in memory)."""
    size = request.headers.get("content-length", "")
    refusal = HTTPException(413, f"the body is over {limit:,} bytes, the most that {request.url.path} takes: send less")
    if size.isdigit() and int(size) > limit:
        raise refusal
    found = bytearray()
    try:
        async for piece in request.stream():
            found += piece
            if len(found) > limit:
                raise refusal
    except ClientDisconnect as error:  # nobody is there to read the answer; the log has it
        raise HTTPException(400, "the body did not come whole") from error
    return bytes(found)


def has_more_values(data: bytes, most: int) -> bool:
    """Say whether a JSON text has more than `most` commas and opening brackets outside strings."""
    if sum(data.count(mark) for mark in (b",", b"[", b"{")) <= most:  # those in strings among them
        return False
    count = at = 0
    pattern = _OUTSIDE
    while count <= most and (found := pattern.match(data, at)) and found.end() > at:
        at, mark = found.end(), found[1]
        if mark == b'"':
            pattern = _STRING if pattern is _OUTSIDE else _OUTSIDE
        elif mark:
            count += 1
    return count > most


def check_values(data: bytes) -> None:
    """Raise HTTPException 413 for a body of too many values."""
    if has_more_values(data, VALUES):
        raise HTTPException(413, f"the body has over {VALUES:,} values (fields and items): send fewer a request")


def parse(data: bytes, model: TypeAdapter[Any]) -> Any:
    """Return the value of a JSON text by its model.

    HTTPException 413 for too many values, BadRequest for a name twice in one object (the last would win in silence),
    RequestValidationError for what is no JSON or does not fit.
    """
    check_values(data)
    try:
        found = jiter.from_json(data, catch_duplicate_keys=True)
    except ValueError as error:
        told = ascii(str(error))[1:-1]
        if told.startswith("Detected duplicate key"):
            raise BadRequest(f"a name is repeated in one object: {told}") from error
        raise RequestValidationError([{"type": "json_invalid", "loc": ("body",), "msg": f"no JSON: {told}"}]) from error
    try:
        return model.validate_python(found)
    except ValidationError as error:
        raise RequestValidationError(_faults(error)) from error


def _faults(error: ValidationError) -> list[dict[str, Any]]:
    if (count := error.error_count()) > FAULTS:
        return [{"type": "too_many", "loc": ("body",), "msg": f"{count:,} faults: send one item, to see what is wrong"}]
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [{**one, "loc": ("body", *one["loc"])} for one in found]
