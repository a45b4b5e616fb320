"""What our client adds to a model's own time: 1,000 calls of 200 ms, 32 at once, and its memory as the calls grow."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from tests.llm_program import served
from tests.llm_server import KEY

WARM = 64  # calls before the clock starts: connections are open, modules are loaded


def main() -> None:
    """Ask the local server, a process of its own, once so many questions and once four times as many."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=0.2, help="that the server takes for an answer")
    parser.add_argument("--times", type=int, default=4, help="how many times the calls, for memory")
    options = parser.parse_args()
    with served("--delay", str(options.seconds)) as url:
        result = asyncio.run(_measured(url, options.calls, options.at_once, options.seconds, options.times))
    print(json.dumps(result))


async def _measured(url: str, calls: int, at_once: int, seconds: float, times: int) -> dict[str, Any]:
    from pydantic import SecretStr

    from kgservice.llm.client import LLM

    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as folder:
        files = {"answers": Path(folder) / "answers.sqlite", "ledger": Path(folder) / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", concurrency=at_once, **files) as llm:
            await _asked(llm, 0, WARM)
            started, worked = time.perf_counter(), time.process_time()
            await _asked(llm, WARM, calls)
            taken, worked, first = time.perf_counter() - started, time.process_time() - worked, _resident_mb()
            await _asked(llm, WARM + calls, calls * (times - 1))
            last = _resident_mb()
    ideal = -(-calls // at_once) * seconds
    return {
        "calls": calls,
        "at_once": at_once,
        "seconds": round(taken, 3),
        "ideal_seconds": round(ideal, 3),
        "ratio_to_ideal": round(taken / ideal, 3),
        "own_cpu_ms_a_call": round(worked / calls * 1_000, 2),
        "memory_mb": {"after_calls": round(first, 1), f"after_{times}_times_the_calls": round(last, 1)},
        "ratio_of_memory": round(last / first, 3),
    }


async def _asked(llm: Any, start: int, number: int) -> None:
    from kgservice.extraction.extractor import Passages
    from kgservice.extraction.llm_extractor import PromptedExtractor
    from kgservice.llm.client import gather

    texts = (f"Town N{n} lies near Lake P{n % 7}." for n in range(start, start + number))
    asks = PromptedExtractor(llm).asks(Passages("A town", (text,), "towns") for text in texts)
    async for answer in gather(llm, asks):
        if isinstance(answer, Exception):
            raise SystemExit(f"a call failed: {answer}")


def _resident_mb() -> float:
    import psutil

    return psutil.Process().memory_info().rss / 1_000_000


if __name__ == "__main__":
    main()
