"""How long the certificate of a release of 17,000 facts takes to check, and which lies it does not find.

    .venv/bin/python benchmarks/certificate.py [--forged 1000]

MuSiQue's passages with triples by gpt-3.5. Every lie changes one fact, question or answer of the certificate. `found`
are those that do not fit the published digest, which is all. The other two are for a liar who makes the digest anew:
`proved_wrong` are found from the facts alone; `true_all_the_same` are no lies by a definition in plain Python, as where
another question has one answer too. `missed` are neither: true by no definition and found by no proof.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import own_graph

from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.certificate import CERTIFICATE, CHECKER, COMMITMENTS
from kgservice.releases.check_release import check
from kgservice.releases.release import create
from tests.graph.documents import Silent
from tests.graph.forged import forgeries, sealed, true

FILE = "hipporag/musique_train100_openie_gpt35.jsonl.gz"
CORPUS, LIMIT = "certificate", 300  # questions a pattern before the split
OUT = tuple(pattern for pattern in PATTERNS if pattern != "pluri_hop")  # these documents have no metadata


def main() -> None:
    """Load, ask, release and check; print seconds and counts as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forged", type=int, default=1_000)
    parser.add_argument("--of", type=Path, help="the folder of a release that is there: only its lies are counted")
    given = parser.parse_args()
    if given.of:
        files = ((given.of / name).read_bytes().splitlines() for name in (CERTIFICATE, COMMITMENTS))
        print(json.dumps(_lies(*files, number=given.forged)))
        return
    path = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data")) / FILE
    if not path.is_file():
        print(json.dumps({"skip": f"no {path}: KGS_TEST_DATA names the folder of public data"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        plain = home / "passages.jsonl"
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        with own_graph(home) as graph:
            load(graph, read("triplets", [plain]), CORPUS, Recipe(), None, Silent())
            generate(graph, CORPUS, Plan(patterns=OUT, limit=LIMIT, second_look=False, share=1))
            archive = Archive(home / "releases")
            start = time.perf_counter()
            release = create(graph, CORPUS, archive)
            made = time.perf_counter() - start
        out: dict[str, object] = {"questions": release.counts.test, "release_seconds": round(made, 1)}
        release_folder = archive.folder / release.version
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-I", "-S", release_folder / CHECKER, release_folder],
            capture_output=True,
            text=True,
            check=False,
        )
        out |= {
            "check_seconds": round(time.perf_counter() - start, 2),
            "says": done.stdout.strip(),
            "status": done.returncode,
        }
        out["checker_lines"] = len((release_folder / CHECKER).read_text().splitlines())
        certificate, commitments = (
            archive.file(release, name, private=True).splitlines() for name in (CERTIFICATE, COMMITMENTS)
        )
        out["facts"] = sum(b'"fact"' in line for line in certificate)
        out |= _lies(certificate, commitments, given.forged)
        print(json.dumps(out))


def _lies(certificate: list[bytes], commitments: list[bytes], number: int) -> dict[str, int]:
    found = wrong = same = forged_count = 0
    for forged in forgeries(certificate, number, seed=0):
        forged_count += 1
        mended = sealed(forged.lines, commitments)
        proved_wrong = any(check(mended, forged.lines, []))
        found += mended[0] != commitments[0]  # the digest that was published is another one
        wrong += proved_wrong
        same += not proved_wrong and true(forged.rows)
    lies = {"lies": forged_count, "found": found, "proved_wrong": wrong, "true_all_the_same": same}
    return lies | {"missed": forged_count - wrong - same}


if __name__ == "__main__":
    main()
