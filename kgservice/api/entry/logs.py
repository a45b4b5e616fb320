"""The service's log: a line an event, as JSON for programs or text for people, with the request's id."""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from kgservice.core.terminal import harmless

Form: TypeAlias = Literal["json", "text"]
REQUEST: ContextVar[str] = ContextVar("request", default="")  # the id of the present request
TOLD = "told"  # the attribute of a log record that holds more fields


class JsonLines(logging.Formatter):
    """A formatter of one JSON object a line: at, level, logger, message, request, other fields, traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request"] = request
        line |= getattr(record, TOLD, {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return harmless(json.dumps(line, ensure_ascii=False, default=str))


class TextLines(logging.Formatter):
    """A formatter of a line of text an event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return harmless(super().format(record))


def configure(form: Form) -> None:
    """Write the log of this process to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    text = TextLines("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")
    handler.setFormatter(JsonLines() if form == "json" else text)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("kgservice", "uvicorn"):
        logging.getLogger(name).setLevel(logging.INFO)
    logging.getLogger("neo4j").setLevel(logging.ERROR)
