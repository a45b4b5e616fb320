"""Every error as application/problem+json (RFC 9457). An unexpected one reveals nothing about the code."""

from __future__ import annotations

import logging
import math
import re
import sqlite3
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from neo4j.exceptions import TransientError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import BaseRoute

from kgservice.core.errors import (
    BadRequest,
    BadRows,
    GraphUnavailable,
    KgserviceError,
    NotFound,
    ServerError,
    SettingsError,
    StorageError,
    StorageFull,
    TooMany,
)
from kgservice.core.storage import storage_error

log = logging.getLogger("kgservice")

STATUS: dict[type[KgserviceError], int] = {
    NotFound: 404,
    TooMany: 429,
    BadRequest: 400,
    SettingsError: 409,  # the request conflicts with the service's settings, e.g. its embedding model
    GraphUnavailable: 503,
    StorageFull: 507,
    StorageError: 503,
    ServerError: 503,
}


class ProblemDetail(BaseModel):
    """An error (RFC 9457). `errors` names each wrong field of a request."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no corpus 'demo2'; there are: demo"])
    errors: list[dict[str, Any]] | None = None


def problem(
    status: int, detail: str, *, errors: list[dict[str, Any]] | None = None, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return a problem as a response."""
    body = ProblemDetail(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors)
    return JSONResponse(
        body.model_dump(exclude_none=True), status, headers=headers, media_type="application/problem+json"
    )


def forbidden(detail: str) -> HTTPException:
    """Return the error for a known caller without permission."""
    return HTTPException(403, detail)


def handle_problems(app: FastAPI) -> None:
    """Turn every error of the app into a problem."""
    app.add_exception_handler(KgserviceError, _known)
    app.add_exception_handler(StarletteHTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(TransientError, _transient)
    app.add_exception_handler(OSError, _system)
    app.add_exception_handler(sqlite3.Error, _system)
    app.add_exception_handler(Exception, _unexpected)


def _known(_: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 500)
    if status == 503:  # where the database is, and what is wrong with it, concerns the operator
        log.warning("%s: %s", type(error).__name__, error)
        return problem(status, "the database does not answer: try again", headers={"Retry-After": "5"})
    rows = error.rows if isinstance(error, BadRows) else ()
    headers = {"Retry-After": str(math.ceil(error.wait))} if isinstance(error, TooMany) else None
    return problem(
        status, str(error), errors=[{"field": row, "error": why} for row, why in rows] or None, headers=headers
    )


def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, StarletteHTTPException)  # noqa: S101 - registered for this class only
    headers = dict(error.headers or {})
    if error.status_code == 405 and (allowed := _methods(request)):
        headers["Allow"] = ", ".join(allowed)
    detail = str(error.detail)
    if error.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase and (below := _paths_below(request)):
        detail = f"nothing is at {request.url.path}: ask {' or '.join(below)}"
    return problem(error.status_code, detail, headers=headers)


def _paths_below(request: Request) -> list[str]:
    """Return the paths of the routes that lack one parameter at the end of a path."""
    one_more = re.compile(re.escape(request.url.path.rstrip("/")) + r"/\{[^/]+\}")
    routes = (route for route in every_route(request.app) if isinstance(route, APIRoute) and route.include_in_schema)
    return sorted({route.path for route in routes if one_more.fullmatch(route.path)})


def _methods(request: Request) -> list[str]:
    """Return the methods of a path. Each is a separate route, and Starlette names those of the first only."""
    routes = [route for route in every_route(request.app) if isinstance(route, APIRoute)]
    path = next((route.path for route in routes if route.path_regex.match(request.url.path)), None)
    return sorted({method for route in routes if route.path == path for method in route.methods or ()})


def every_route(app: FastAPI) -> list[BaseRoute]:
    """Return the routes of an app, with those of its routers."""
    return [
        inner for route in app.routes for inner in getattr(getattr(route, "original_router", None), "routes", [route])
    ]


def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class only
    fields = [{"field": ".".join(str(part) for part in item["loc"]), "error": item["msg"]} for item in error.errors()]
    detail = "; ".join(f"{item['field']}: {item['error']}" for item in fields[:3])
    return problem(422, detail or "the request is not valid", errors=fields[:100])


def _transient(_: Request, error: Exception) -> JSONResponse:
    log.warning("%s: %s", type(error).__name__, error)
    return problem(503, "Neo4j is too busy right now: try again", headers={"Retry-After": "5"})


def _system(request: Request, error: Exception) -> JSONResponse:
    """Return the problem of a data folder that cannot be written.

    The file's name goes to the log, for the operator.
    """
    storage = storage_error(error)
    if storage is None:
        return _unexpected(request, error)
    log.error("%s %s: %s", request.method, request.url.path, storage)
    full = isinstance(storage, StorageFull)
    detail = "the service's disk is full: nothing was done" if full else "the service cannot write its files: try again"
    return problem(STATUS[type(storage)], detail, headers={"Retry-After": "60"})


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    headers = {"X-Request-ID": request.state.id} if hasattr(request.state, "id") else None
    return problem(500, "something unexpected went wrong; it is in the service's log", headers=headers)
