"""Runs commands in processes that are copied from one that has imported the program, which saves a second a start.

`serve SOCKET` answers at a Unix socket until standard input ends. `run SOCKET ARGUMENT…` is the command: it hands its
arguments, folder, environment and standard files over and exits as the copied process does.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any


def run(address: str, *arguments: str) -> int:
    """Have a command run and return what it exits with; it ends where this process is killed."""
    request = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
    with socket.socket(socket.AF_UNIX) as at:
        at.connect(address)
        socket.send_fds(at, [b" "], [0, 1, 2])
        at.sendall(json.dumps(request).encode() + b"\n")
        return int(at.makefile().readline() or 1)


def serve(address: str) -> int:
    """Run one command after another; what is made first is shared by all: the program, slow libraries, dictionaries.

    onnxruntime is not among them: it starts a thread that a copy lacks, and a command would wait for it for ever.
    """
    import scipy.stats  # noqa: F401

    import kgservice.answering.ask  # noqa: F401
    from kgservice.cli import Verbs
    from kgservice.core.schema import DEFAULT
    from kgservice.extraction.phrasebook import phrasebook
    from kgservice.ingest.text_quality import health

    list(Verbs().values())  # imports every verb and builds its command
    phrasebook(DEFAULT)
    health("This text loads the words of English.")
    sys.modules["torch"] = None  # type: ignore[assignment]  # spaCy would load it, for 2 s, and never use it
    import spacy  # noqa: F401

    del sys.modules["torch"]  # a command may
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.copied_workers import copy_workers

    copy_workers()
    del sys.path[0]
    gc.freeze()  # a copy looks for garbage among its own objects alone: all that is imported took 0.5 s at each end

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            with listening.accept()[0] as at:
                answer(at)
    return 0


def answer(at: socket.socket) -> None:
    """Run the command of a connection; kill its session where the caller is gone."""
    _, files, _, _ = socket.recv_fds(at, 1, 3)
    request = json.loads(at.makefile().readline())
    child = os.fork()
    if not child:
        end(command(request, files))
    for file in files:
        os.close(file)
    done = status = 0
    while not done:
        if select.select([at], [], [], 0.01)[0]:
            os.killpg(child, signal.SIGKILL)
        done, status = os.waitpid(child, os.WNOHANG)
    with suppress(BrokenPipeError):  # nobody waits for it
        at.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def end(code: Any) -> None:
    """End as Python does, but leave the modules as they are: to take them down copies all that the processes share."""
    threading._shutdown()
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


def command(request: dict[str, Any], files: list[int]) -> Any:
    """Be the command, with its folder, environment, files and a session of its own; return what it exits with."""
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["kgservice", *request["arguments"]]
    from kgservice.cli import app

    try:
        app()
    except SystemExit as ended:
        return ended.code
    except BaseException:  # noqa: BLE001 - as Python itself, at the end of a program
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    sys.exit({"serve": serve, "run": run}[sys.argv[1]](*sys.argv[2:]))
