"""Every error a user can meet; the message says what to do.

KgserviceError
├── SettingsError         a setting or an option cannot be used
├── ServerError           the managed Neo4j could not be installed, started or stopped
├── GraphUnavailable      no Neo4j answers at the configured address
├── StorageError          the data folder cannot be written, or no more files can be opened
│   └── StorageFull       no space is left on its disk
├── NotFound              no such corpus, document, entity, question, pattern, retriever
├── BadRequest            a parameter is out of range or does not fit the others
│   ├── Forbidden         a service over HTTP wants a key, or one that may do more
│   ├── TooMuch           a statement wants more time or memory than the database allows
│   ├── TooMany           too many requests in a time; `wait` is the number of seconds to wait
│   └── BadRows           some rows of a request do not fit, each with its reason
└── LLMFailure            a language model gave no usable answer; recorded for its unit, the run goes on
"""

import shlex


def command(words: str, corpus: str) -> str:
    """Return a command for a corpus, to be named in a message: "`kgservice questions generate -c mine`"."""
    return f"`kgservice {words} -c {shlex.quote(corpus)}`"


class KgserviceError(Exception):
    """Base of all errors raised on purpose."""


class SettingsError(KgserviceError):
    """A setting or an option cannot be used."""


class ServerError(KgserviceError):
    """The managed Neo4j could not be installed, started or stopped."""


class GraphUnavailable(KgserviceError):  # noqa: N818
    """No Neo4j answers at the configured address."""


class StorageError(KgserviceError):
    """The data folder cannot be written, or no more files can be opened."""


class StorageFull(StorageError):  # noqa: N818
    """No space is left on the disk."""


class NotFound(KgserviceError):  # noqa: N818
    """No such corpus, document, entity, question, pattern or retriever."""


class BadRequest(KgserviceError):  # noqa: N818
    """A parameter is out of range or does not fit the others."""


class Forbidden(BadRequest):
    """A service over HTTP wants a key, or one that may do more."""


class TooMuch(BadRequest):
    """A statement needs more time or memory than the database allows."""


class TooMany(BadRequest):
    """Too many requests in a time. `wait` is in seconds."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class BadRows(BadRequest):
    """Some rows of a request do not fit. `rows` are (row, reason)."""

    def __init__(self, message: str, rows: tuple[tuple[str, str], ...]) -> None:
        super().__init__(message)
        self.rows = rows


class LLMFailure(KgserviceError):  # noqa: N818
    """A language model gave no usable answer. `reason` is short and countable, `detail` has the specifics."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason, self.detail = reason, detail


def interrupted(error: BaseException | None) -> bool:
    """Return whether an error is an interrupt (Ctrl-C) or was raised while one unwound, as a driver's may be."""
    seen = set[int]()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
