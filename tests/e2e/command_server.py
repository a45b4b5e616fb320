"""Runs commands in processes that are copied from one that has imported the program, which saves a second a start.

Reads requests from standard input, a line of JSON each (arguments, environment, files for both outputs, seconds),
and answers each with its return code, null where it ran out of time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any


def serve() -> None:
    """Answer requests until standard input ends; what is imported first is shared by all commands."""
    import kgservice.cli  # noqa: F401

    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            sys.exit(run(request))
        print(json.dumps(finished(child, request["seconds"])), flush=True)


def run(request: dict[str, Any]) -> Any:
    """Be the command, with its environment, outputs and a session of its own; return what it exits with."""
    os.setsid()
    for number, name in ((0, os.devnull), (1, request["out"]), (2, request["err"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["kgservice", *request["arguments"]]
    from kgservice.cli import app

    try:
        app()
    except SystemExit as end:
        return end.code
    return 0


def finished(child: int, seconds: float) -> int | None:
    """Wait for a command; kill its session where it takes longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


if __name__ == "__main__":
    serve()
