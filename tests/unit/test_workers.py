"""Worker processes of the extraction end with the process that started them."""

from __future__ import annotations

import subprocess
import sys

import psutil

PARENT = """
from multiprocessing import active_children
from kgservice.extraction.extractor import Passages
from kgservice.extraction.workers import RuleExtractor

with RuleExtractor(processes=1) as extractor:
    list(extractor.read([Passages("", ("Paris is the capital of France.",))]))
    print(*(child.pid for child in active_children()), flush=True)
    input()
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
        assert workers
        parent.kill()
        _, alive = psutil.wait_procs(workers, timeout=20)
        for worker in alive:
            worker.kill()
        assert not alive
