"""The LLM server of the tests as a program of its own, for runs by hand and for benchmarks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.llm_server import FAULTS, Answer, LLMServer, answered


@contextmanager
def served(*options: str) -> Iterator[str]:
    """Run this program with its options, in a process of its own; yield the server's address."""
    root = str(Path(__file__).resolve().parent.parent)
    command = [sys.executable, "-m", "tests.llm_program", *options]
    environment = os.environ | {"PYTHONPATH": root}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.communicate("")


def main() -> None:
    """Serve until standard input ends; print the address first, then, at the end, the number of calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument("--rules", action="store_true", help="answer by rules: word, judge, read, answer, search")
    parser.add_argument("--faults", type=float, default=0.0, help="share of calls that go wrong, in all nine ways")
    parser.add_argument("--hang", type=float, default=5.0, help="seconds of a call that is to time out")
    parser.add_argument("--seed", type=int, default=0, help="draws which")
    options = parser.parse_args()
    rates = dict.fromkeys(FAULTS, options.faults / len(FAULTS))
    model = _ruled() if options.rules else answered
    with LLMServer(model, rates=rates, seed=options.seed, delay=options.delay, hang=options.hang) as server:
        print(server.url, flush=True)
        sys.stdin.read()
        print(sum(server.asked.values()), flush=True)


def _ruled() -> Answer:
    from tests.rule_model import RuleModel  # a parser and more, for those who ask for it

    return RuleModel()


if __name__ == "__main__":
    main()
