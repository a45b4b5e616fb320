"""Reads documents by a loader, in a process of its own: no file can take more than its share of time and memory.

What a loader does with a file is bounded here, for every loader: the child (`python -m kgservice.ingest.sources`) ends
at a limit of memory, and of processor time between two documents. A file that ends it costs only itself; the next child
goes on behind it. A loader says where it is by calling `begins(name, bytes)` before each file, and leaves out the files
in `passed` (`loaders.shared.loader.FileLoader`); of one that does not, a whole path is given up.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, NamedTuple

from pydantic import ValidationError

from kgservice.core.entry_points import entry_points
from kgservice.core.errors import NotFound
from kgservice.core.records import Document, Problem

ANY = "any"  # the loader that reads each file by what it holds
MAX_MEMORY = 2_000_000_000  # bytes of address space
SECONDS, SECONDS_PER_MB = 90, 10  # of processor time for one document, by the size of its file
PATIENCE = 60  # times as much on the clock: a loader that waits for something
SLOW = [-getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name)]  # there are none on Windows
DOCUMENT, PROBLEM, PATH, FILE, TOTAL, ERROR, END = (bytes([letter]) for letter in b"dpaftez")


class Order(NamedTuple):
    """What a child is to read: paths by a loader, from one on and without the files in `passed`, within limits."""

    loader: str
    paths: list[str]
    start: int
    follow_links: bool
    passed: list[str]
    memory: int
    seconds: float


class LoaderReading:
    """The documents and problems of paths, read by a loader (NotFound for no loader); iterate over it once."""

    def __init__(self, loader: str, paths: Iterable[Path], *, follow_links: bool = False) -> None:
        if loader not in names():
            raise NotFound(f"no loader {loader!r}: choose one of {', '.join(names())}")
        self._loader, self._paths, self._follow_links = loader, [str(path) for path in paths], follow_links
        self._child: Popen[bytes] | None = None
        self._path, self._file = 0, ""  # where the child is
        self._seen: dict[str, None] = {}  # the files that something was read of, or that ended a child

    def expected(self) -> int | None:
        """Return how many documents and problems there will be, where the loader can tell without reading them."""
        kind, line = self._next()
        return json.loads(line) if kind == TOTAL else None

    def __iter__(self) -> Iterator[Document | Problem]:
        try:
            while self._path < len(self._paths):
                kind, line = self._next()
                if kind == PATH:
                    self._path, self._file = json.loads(line), ""
                elif kind == FILE:
                    self._file = json.loads(line)
                elif kind in (DOCUMENT, PROBLEM):
                    self._seen[self._file] = None
                    yield _record(kind, line)
                elif kind == END:
                    return
                elif kind != TOTAL:
                    yield self._given_up(kind, line)
        finally:
            self._end()

    def _next(self) -> tuple[bytes, bytes]:
        """Return the next message of the child; of one that has died an empty one."""
        if self._child is None:
            self._child = self._started()
        assert self._child.stdout  # noqa: S101
        line = self._child.stdout.readline()
        return (line[:1], line[1:]) if line.endswith(b"\n") else (b"", b"")

    def _started(self) -> Popen[bytes]:
        command = [
            sys.executable,
            "-P",
            "-m",
            "kgservice.ingest.sources",
        ]  # -P: nothing in the working directory is imported
        child = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True)
        passed = list(filter(None, self._seen))
        order = Order(self._loader, self._paths, self._path, self._follow_links, passed, MAX_MEMORY, SECONDS)
        assert child.stdin  # noqa: S101
        with suppress(OSError):  # it is dead; then there is nothing to read
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
        return child

    def _given_up(self, kind: bytes, line: bytes) -> Problem:
        """Return what became of the file that ended the child; the next child goes on behind it."""
        source = self._file or self._paths[self._path]
        status = self._end()
        if self._file:
            self._seen[self._file] = None
        else:
            self._path += 1
        self._file = ""
        if kind == ERROR:
            return Problem.model_validate(json.loads(line) | {"source": source})
        if status in SLOW:
            detail = "reading stopped where it took too long; is it damaged? split it, or save it anew"
            return Problem(source=source, state="rejected", reason="too slow", detail=detail)
        detail = f"the process that read it died (status {status}), perhaps for want of memory"
        return Problem(source=source, state="failed", reason="unreadable", detail=detail)

    def _end(self) -> int | None:
        """End the child with what it has started; return its exit status."""
        if self._child is None:
            return None
        child, self._child = self._child, None
        if child.poll() is None or child.returncode < 0:
            _kill(child.pid)
        child.communicate()
        return child.returncode


def each_path(given: Iterable[str | Path | Iterable[str | Path]]) -> list[Path]:
    """Return paths that are given one by one, or several in a list."""
    lists = ([one] if isinstance(one, str | Path) else one for one in given)
    return [Path(path) for found in lists for path in found]


def read(loader: str, paths: Iterable[Path]) -> Iterator[Document | Problem]:
    """Yield the documents and problems of each path; a plain LangChain loader works too (NotFound for no loader)."""
    return iter(LoaderReading(loader, paths))


def names() -> list[str]:
    """Return the names of the installed loaders."""
    return sorted({entry.name for entry in entry_points("kgservice.loaders")})


def _record(kind: bytes, line: bytes) -> Document | Problem:
    try:
        return Document.model_validate_json(line) if kind == DOCUMENT else Problem.model_validate_json(line)
    except ValidationError as error:  # of a loader of somebody else: a number that JSON does not have, say
        source = str(json.loads(line).get("source") or "?")
        return Problem(source=source, state="failed", reason="could not be read", detail=str(error)[:300])


def serve() -> None:
    """Run the child: take an order and answer with messages of a line, a letter and JSON."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a loader prints is no message
    order = Order(*json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_follow, daemon=True).start()
    _bound_memory(order.memory)

    def send(kind: bytes, line: str) -> None:
        sink.write(kind + line.encode() + b"\n")
        sink.flush()

    try:
        _read(order, send)
        send(END, "")
    except Exception as error:  # noqa: BLE001 - a loader may raise anything on a damaged file
        reason, state = ("too large", "rejected") if isinstance(error, MemoryError) else ("unreadable", "failed")
        detail = f"needs more than {order.memory:,} bytes of memory; split it"
        if not isinstance(error, MemoryError):
            detail = f"{type(error).__name__}: {error}"[:300]
        send(ERROR, json.dumps({"state": state, "reason": reason, "detail": detail}))


def _read(order: Order, send: Callable[[bytes, str], None]) -> None:
    made = next(entry for entry in entry_points("kgservice.loaders") if entry.name == order.loader).load()
    clock = _Clock(order.seconds)

    def begins(name: str, size: int) -> None:
        send(FILE, json.dumps(name))
        clock.allow(size)

    loaders = [_made(made, Path(path), order, begins) for path in order.paths]
    if not order.passed and not order.start:
        counts = [loader.count() if hasattr(loader, "count") else None for loader in loaders]
        send(TOTAL, json.dumps(None if None in counts else sum(filter(None, counts))))
    for at in range(order.start, len(loaders)):
        send(PATH, str(at))
        for item in clock.timed(_items(loaders[at], order.paths[at])):
            send(*_message(item))


def _message(item: Document | Problem) -> tuple[bytes, str]:
    try:
        return DOCUMENT if isinstance(item, Document) else PROBLEM, item.model_dump_json()
    except ValueError as error:  # half a surrogate pair, which nothing can store
        source, detail = (text.encode("utf-8", "replace").decode() for text in (item.source, str(error)[:300]))
        problem = Problem(source=source, state="failed", reason="could not be read", detail=detail)
        return PROBLEM, problem.model_dump_json()


def _made(made: Any, path: Path, order: Order, begins: Callable[[str, int], None]) -> Any:
    if not hasattr(made, "read"):
        return made(str(path))
    loader = made(path)
    loader.follow_links, loader.passed, loader.begins = order.follow_links, frozenset(order.passed), begins
    return loader


def _items(loader: Any, path: str) -> Iterator[Document | Problem]:
    """Yield what a loader yields; a plain LangChain loader works too."""
    if hasattr(loader, "read"):
        yield from loader.read()
        return
    for index, item in enumerate(loader.lazy_load()):
        scalars = {key: value for key, value in item.metadata.items() if isinstance(value, str | int | float | bool)}
        source = str(item.id or scalars.get("source") or path) + (f"#{index}" if not item.id else "")
        yield Document(source=source, text=item.page_content, title=str(scalars.get("title", "")), metadata=scalars)


class _Clock:
    """Ends the process where the next item of a loader takes too long; while the reader of items waits it stands."""

    def __init__(self, least: float) -> None:
        self._least, self._running = least, False
        self.allow(0)

    def allow(self, size: int) -> None:
        """Allow what a file of so many bytes may take, from now on."""
        self._seconds = self._least + SECONDS_PER_MB * size / 1_000_000
        if self._running:
            self._set(self._seconds)

    def timed(self, items: Iterator[Document | Problem]) -> Iterator[Document | Problem]:
        """Yield the items."""
        while True:
            self._running = True
            self._set(self._seconds)
            item = next(items, None)
            self._running = False
            self._set(0)
            if item is None:
                return
            yield item

    def _set(self, seconds: float) -> None:
        if hasattr(signal, "setitimer"):  # the signals end the process, whatever it does
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)


def _bound_memory(limit: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # where memory cannot be limited, time still is
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _follow() -> None:
    """End with the parent, however it ends, and with everything that a loader has started."""
    sys.stdin.buffer.read()
    _kill(os.getpid())


def _kill(leader: int) -> None:
    """Kill a child and what it has started, where the system knows groups of processes."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:
            os.kill(leader, signal.SIGTERM)


if __name__ == "__main__":
    serve()
    gc.freeze()  # else Python looks for garbage among all that was imported: 0.1 s of each reading
