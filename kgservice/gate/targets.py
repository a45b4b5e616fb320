"""The system under test: an address, a command, a function of a module, or one of our own retrievers.

Whatever it does wrong is a failure with a reason and ends no run.
"""

from __future__ import annotations

import asyncio
import json
import queue
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Protocol

import httpx

from kgservice.answering.callables import called
from kgservice.answering.generator import Generated, writable
from kgservice.core.errors import BadRequest, NotFound
from kgservice.gate.adapters import as_function
from kgservice.gate.replies import SystemReply, reply_of

LONGEST = 4_000_000  # bytes of a reply that are read
AT_ONCE = 4  # questions that an address is asked at a time
LATE = 5.0  # seconds beyond the time-out after which a thread is left behind
RESTARTS = 3  # times that a command is started again
NO_REPLY = "the command printed a line that is no reply: print logs to stderr"
_FUNCTION = re.compile(r"[^\W\d]\w*(?:\.\w+)*:[^\W\d]\w*(?:\.\w+)*")


class Target(Protocol):
    """A system: `name` stands in reports."""

    name: str
    at_once: int

    def ask(self, key: str, question: str) -> object:
        """Return a reply, as `reply_of` reads it, or raise."""

    def close(self) -> None:
        """End what was opened for it."""


def opened(target: str, timeout: float, ours: Callable[[str], Callable[[str], object]]) -> Target:
    """Return the system at http://…, of module:function or kgservice:RETRIEVER, or a command's (BadRequest, NotFound).

    `ours` makes a function of one of our retrievers by name.
    """
    if target.startswith(("http://", "https://")):
        return Address(target, timeout)
    if target.startswith("kgservice:"):
        return Function(target, ours(target.partition(":")[2]))
    if _FUNCTION.fullmatch(target):
        return Function(target, as_function(_named(target)))
    return Command(target, timeout)


def replies(
    target: Target, questions: Sequence[tuple[str, str]], timeout: float, advance: Callable[[int], None]
) -> list[SystemReply]:
    """Ask (id, question) one by one, or some at a time, and return the replies in their order."""

    def reply(key: str, question: str) -> SystemReply:
        try:
            return reply_of(target.ask(key, question))
        except Exception as error:  # noqa: BLE001 - of the system under test, whatever it is
            return SystemReply(failure=writable(_failure(error)))
        finally:
            advance(1)

    said = asyncio.run(called(reply, questions, timeout + LATE, target.at_once))
    return [SystemReply(failure=one.failure) if isinstance(one, Generated) else one for one in said]


class Address:
    """POST {"id", "question"}, and {"answer", "passages"} comes back."""

    at_once = AT_ONCE

    def __init__(self, url: str, timeout: float) -> None:
        try:
            known = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise BadRequest(f"{url!r} is no address: {error}") from error
        if not known.host:
            raise BadRequest(f"{url!r} is no address: it names no host")
        self.name = str(known.copy_with(username=None, password=None, query=None))
        self._url, self._client = known, httpx.Client(timeout=timeout)

    def ask(self, key: str, question: str) -> object:
        """Return the reply's JSON."""
        plain = {"accept-encoding": "identity"}  # what is packed may grow without end before it can be counted
        body = {"id": key, "question": question}
        with self._client.stream("POST", self._url, json=body, headers=plain) as response:
            if response.status_code != httpx.codes.OK:
                raise BadRequest(f"status {response.status_code}")
            found = bytearray()
            for part in response.iter_raw():
                found += part
                if len(found) > LONGEST:
                    raise BadRequest("reply too long")
        return _json(bytes(found))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class Function:
    """A function of a question."""

    at_once = 1

    def __init__(self, name: str, function: Callable[[str], object]) -> None:
        self.name, self._function = name, function

    def ask(self, key: str, question: str) -> object:
        """Return what the function returns."""
        return self._function(question)

    def close(self) -> None:
        """Do nothing: a function is not opened."""


class Command:
    """A program that reads {"id", "question"} a line and writes {"answer", "passages"} a line.

    It is stopped when it is out of step, and started again for the next question.
    """

    at_once = 1

    def __init__(self, command: str, timeout: float) -> None:
        self._command, self._timeout, self._left = command, timeout, RESTARTS
        self._process, self._lines = self._started()
        self.name = Path(shlex.split(command)[0]).name

    def ask(self, key: str, question: str) -> object:
        """Write the question and wait for a line. A time-out or another line than a reply stops the command."""
        if self._process.poll() is not None:
            self._start_again()
        assert self._process.stdin  # noqa: S101
        self._process.stdin.write(json.dumps({"id": key, "question": question}).encode() + b"\n")
        self._process.stdin.flush()
        try:
            line = self._lines.get(timeout=self._timeout)
        except queue.Empty as error:
            self._stop()
            raise TimeoutError("time-out; the command was stopped") from error
        if not line:
            self._stop()
            raise BadRequest("the command ended without a reply")
        if len(line) == LONGEST and not line.endswith(b"\n"):
            self._stop()
            raise BadRequest("reply too long")
        with suppress(BadRequest):
            if isinstance(reply := _json(line), dict):
                return reply
        self._stop()
        raise BadRequest(NO_REPLY)

    def close(self) -> None:
        """End the program."""
        with suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(LATE)
        except subprocess.TimeoutExpired:
            self._stop()

    def _started(self) -> tuple[subprocess.Popen[bytes], queue.SimpleQueue[bytes]]:
        """Start the program, and return it with the lines that it writes."""
        try:
            process = subprocess.Popen(shlex.split(self._command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except (ValueError, IndexError, OSError) as error:
            raise BadRequest(
                f"cannot start {self._command!r}: {error}; give http://…, module:function or a command"
            ) from error
        assert process.stdout  # noqa: S101
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_hand_on, args=(process.stdout, lines), daemon=True).start()
        return process, lines

    def _start_again(self) -> None:
        if not self._left:
            status = self._process.returncode
            raise BadRequest(f"the command has ended with status {status}: it was started again {RESTARTS} times")
        self._stop()
        self._left -= 1
        self._process, self._lines = self._started()

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # what it has not read is lost
            if self._process.stdin:
                self._process.stdin.close()


def _hand_on(out: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Put lines into the queue as they come, and an empty one at the end."""
    with out:
        while line := out.readline(LONGEST):
            lines.put(line)
    lines.put(b"")


def _named(target: str) -> object:
    """Import what module:name means; modules of the working directory come first."""
    module, _, path = target.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        found: object = import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except ModuleNotFoundError as error:
        raise NotFound(f"no module {error.name!r}: run where it can be imported, or install it") from error
    except AttributeError as error:
        raise NotFound(f"{target}: {error}") from error
    return found


def _json(text: bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRequest("the reply is not JSON") from error


def _failure(error: Exception) -> str:
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "time-out"
    if isinstance(error, BadRequest):
        return str(error)
    told = str(error).splitlines()
    return f"{type(error).__name__}: {told[0][:200]}" if told else type(error).__name__
