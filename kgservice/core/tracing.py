"""Spans by OpenTelemetry's GenAI conventions, if a program has set OpenTelemetry up.

A span never has a question, passage or answer. It has names of corpora and models, counts and durations.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

Attribute: TypeAlias = str | int | float | bool


class SpanNotes(Protocol):
    """A span to which attributes and events can be added."""

    def set_attribute(self, key: str, value: Attribute) -> None:
        """Add an attribute."""

    def add_event(self, name: str, attributes: Mapping[str, Attribute]) -> None:
        """Add an event."""


class _Unseen:
    """A span that is not recorded."""

    def set_attribute(self, key: str, value: Attribute) -> None: ...

    def add_event(self, name: str, attributes: Mapping[str, Attribute]) -> None: ...


_UNSEEN = _Unseen()


@contextmanager
def operation(name: str, about: str, known: Mapping[str, Attribute] | None = None) -> Iterator[SpanNotes]:
    """Yield a span for an operation of GenAI ("retrieval", "embeddings", "chat") on a corpus or by a model."""
    api = tracing()
    if api is None:
        yield _UNSEEN
        return
    kind = api.SpanKind.CLIENT
    attributes = {"gen_ai.operation.name": name, "gen_ai.provider.name": "kgservice", **(known or {})}
    with _span(api, f"{name} {about}", kind, attributes) as span:
        yield span


@contextmanager
def stage(name: str, known: Mapping[str, Attribute] | None = None) -> Iterator[SpanNotes]:
    """Yield a span for a stage of our own: "load", "load vectors"."""
    api = tracing()
    if api is None:
        yield _UNSEEN
        return
    with _span(api, f"kgservice {name}", api.SpanKind.INTERNAL, known or {}) as span:
        yield span


def tracing() -> Any:
    """Return OpenTelemetry's API if the program has imported it, else None."""
    return sys.modules.get("opentelemetry.trace")


@contextmanager
def _span(api: Any, name: str, kind: Any, attributes: Mapping[str, Attribute]) -> Iterator[Any]:
    tracer = api.get_tracer("kgservice")
    with tracer.start_as_current_span(name, kind=kind, attributes=attributes) as span:
        try:
            yield span
        except Exception as error:
            span.set_attribute("error.type", type(error).__qualname__)
            raise
