"""Worker processes of the extraction end with the process that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

PARENT = """
from multiprocessing import active_children
from kgservice.core.pools import ProcessPool

pool = ProcessPool(1)
pool.submit(int).result()
print(*(child.pid for child in active_children()), flush=True)
input()
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers
        parent.kill()
        try:
            parent.communicate(timeout=20)  # until none holds the pipe that they inherited
        except subprocess.TimeoutExpired:
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            raise
