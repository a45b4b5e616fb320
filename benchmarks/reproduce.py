"""Runs the command of each row of results.yaml and says OK, FAIL or SKIP; exit status 1 if any row fails."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Run the rows one after another: they measure time and memory, so nothing else should run beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the rows and run nothing")
    parser.add_argument("--only", metavar="NAME", action="append", help="run this row only; can be given again")
    options = parser.parse_args()
    os.environ.setdefault("KGS_TEST_DATA", str(ROOT.parent / "shared" / "data"))
    rows = yaml.safe_load((ROOT / "benchmarks" / "results.yaml").read_text(encoding="utf-8"))
    names = [row["name"] for row in rows]
    if unknown := set(options.only or ()).difference(names):
        parser.error(f"no row {', '.join(sorted(unknown))}; there are: {', '.join(names)}")
    failed = False
    for row in rows:
        if options.list:
            print(_described(row))
        elif not options.only or row["name"] in options.only:
            print(f"running {row['command']}", file=sys.stderr, flush=True)
            state, lines = _outcome(row)
            failed |= state == "FAIL"
            print(f"{state} {row['name']}", *lines, sep="\n     ", flush=True)
    sys.exit(int(failed))


def _described(row: dict[str, Any]) -> str:
    bounds = "; ".join(f"{path} {_bound(bound)}" for path, bound in row["expected"].items())
    return f"{row['name']}: {row['what']}\n     {row['command']}\n     expected: {bounds}"


def _outcome(row: dict[str, Any]) -> tuple[str, list[str]]:
    """Run one row's command, variables filled in, and compare what it prints, a JSON object, with what is expected."""
    for path, reason in row.get("needs", {}).items():
        if not (ROOT / os.path.expandvars(path)).exists():
            return "SKIP", [reason]
    command = [os.path.expandvars(word) for word in shlex.split(row["command"])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return "FAIL", [f"exit status {done.returncode}: {' '.join(done.stderr.split())[-500:]}"]
    if "skip" in found:
        return "SKIP", [found["skip"]]
    checks = [_check(found, path, bound) for path, bound in row["expected"].items()]
    good = done.returncode == 0 and all(ok for ok, _ in checks)
    return "OK" if good else "FAIL", [line for _, line in checks]


def _check(found: dict[str, Any], path: str, bound: dict[str, float]) -> tuple[bool, str]:
    value: Any = found
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if not isinstance(value, int | float):
        return False, f"{path}: nothing measured, expected {_bound(bound)}"
    good = bound.get("min", value) <= value <= bound.get("max", value)
    return good, f"{path}: {value}, expected {_bound(bound)}{'' if good else '  <-- not so'}"


def _bound(bound: dict[str, float]) -> str:
    return " and ".join(
        f"at {'least' if side == 'min' else 'most'} {bound[side]}" for side in ("min", "max") if side in bound
    )


if __name__ == "__main__":
    main()
