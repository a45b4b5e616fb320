"""Certificates of releases: every pattern proved, planted lies, what a hash tells."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.questions.patterns import PATTERNS, SubgraphOptions
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import ANSWERS, Archive, Manifest
from kgservice.releases.certificate import CERTIFICATE, CHECKER, COMMITMENTS, OPENINGS, SECRET
from kgservice.releases.check_release import check
from kgservice.releases.release import create
from tests.graph.documents import DEMO, document, inspections, loaded, outputs
from tests.graph.forged import forgeries, sealed, true

EVERY = 10_000
FORGED = 150  # of 1,000 in benchmarks/certificate.py


def lines(archive: Archive, release: Manifest, name: str) -> list[bytes]:
    return archive.file(release, name, private=True).splitlines()


def rows(archive: Archive, release: Manifest, name: str) -> list[dict[str, Any]]:
    return list(map(json.loads, lines(archive, release, name)))


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "releases")


def everything(graph: Graph, corpus: str) -> None:
    """Load all of the demo and ask by every pattern that has questions there, a few at least of each."""
    loaded(graph, corpus, read("triplets", sorted(DEMO.glob("*.jsonl"))))
    disagreeing = [
        document(f"{name} {year}", [(f"{name} Works", "P571", founded)], published=date(year, 1, 1))
        for name in ("Brightwater", "Cradock", "Dunmere", "Eastholt", "Farrow", "Glenside")
        for year, founded in ((2030, "1988"), (2031, "1992"))
    ]
    loaded(graph, corpus, disagreeing)
    choice = SubgraphOptions(each_needed=False, cross_chunk=False)
    generate(graph, corpus, Plan(patterns=tuple(PATTERNS), choice=choice, share=1, second_look=False, limit=40))


def test_every_pattern_is_proved_without_kgservice_and_lies_are_found(
    graph: Graph, corpus: str, archive: Archive
) -> None:
    everything(graph, corpus)
    release = create(graph, corpus, archive, 30)
    folder = archive.folder / release.version
    done = subprocess.run(
        [sys.executable, "-I", "-S", folder / CHECKER, folder], capture_output=True, text=True, check=False, cwd="/"
    )
    asked_about = rows(archive, release, CERTIFICATE)
    patterns = Counter(row["pattern"] for row in asked_about if "pattern" in row)
    assert dict(patterns) == release.counts.test
    assert set(patterns) == set(PATTERNS), "the demo has questions of every pattern"
    number = patterns.total()
    assert (
        done.stdout == f"{number} questions proved, {number} opened, {len(release.files)} files compared, 0 faults\n"
    ), done.stdout + done.stderr
    assert done.returncode == 0
    assert len((folder / CHECKER).read_text().splitlines()) <= 200

    certificate, commitments = lines(archive, release, CERTIFICATE), lines(archive, release, COMMITMENTS)
    openings = lines(archive, release, OPENINGS)
    made = Counter[tuple[str, bool]]()
    for forged in forgeries(certificate, FORGED, seed=1):
        told = next(check(commitments, forged.lines, openings))
        assert told == "the certificate is not the one that was committed to", "its digest was published"
        by_proof = any(check(sealed(forged.lines, commitments), forged.lines, []))
        assert by_proof == (not true(forged.rows)), forged.of
        made[forged.of, by_proof] += 1
    assert made["answer", False] == 0, "no other answer is ever proved"
    assert made["question", True] > made["question", False]
    assert made["fact", True] > 10
    for row in map(json.loads, openings[:20]):
        for lie in (
            row | {"salt": "0" * 64},
            row | {"opened": row["opened"] | {"answers": ["Somebody Else"]}},
            row | {"opened": row["opened"] | {"text_ids": [*row["opened"]["text_ids"], 0]}},  # [0] alone may be true
            row | {"names": {name: [salt, "Somebody Else"] for name, (salt, _) in row["names"].items()}},
        ):
            assert list(check(commitments, certificate, [json.dumps(lie).encode()]))
            assert list(check(commitments, [], [json.dumps(lie).encode()]))


def test_changed_files_and_rows_are_found(graph: Graph, corpus: str, tmp_path: Path) -> None:
    arcs = [(f"Town {n}", "has mayor", f"Ada {n}") for n in range(8)]
    loaded(graph, corpus, [document(f"d{n}", [arc]) for n, arc in enumerate(arcs)])
    generate(graph, corpus, Plan(share=1, second_look=False))
    release = create(graph, corpus, Archive(tmp_path / "releases"))
    folder = tmp_path / "copy"
    shutil.copytree(tmp_path / "releases" / release.version, folder)
    number = sum(release.counts.test.values())

    def checked(place: Path = folder) -> tuple[int, list[str]]:
        done = subprocess.run(
            [sys.executable, "-I", folder / CHECKER, place], capture_output=True, text=True, check=False
        )
        return done.returncode, [*done.stdout.splitlines(), *done.stderr.splitlines()]

    told = f"{number} questions proved, {number} opened, {len(release.files)} files compared"
    assert checked() == (0, [f"{told}, 0 faults"])
    for name, part in (("public_questions.jsonl", "question"), (ANSWERS, "answers")):
        first, *others = (json.loads(line) for line in (folder / name).read_text().splitlines())
        (folder / name).chmod(0o600)
        changed = [first | {part: ["Somebody"] if part == "answers" else "Who?"}, *others]
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in changed))
    rows = [f"question {first['public_id']}: public_questions.jsonl has other question",
            f"question {first['public_id']}: private_qa.jsonl has other answers"]  # fmt: skip
    files = [f"{name}: not the file that manifest.json names" for name in (ANSWERS, "public_questions.jsonl")]
    assert checked() == (1, [*files, *rows, f"{told}, 4 faults"])
    status, said = checked(tmp_path / "nowhere")
    assert (status, len(said)) == (1, 1)
    assert "nowhere" in said[0]


def test_ranges_two_properties_and_numbers_of_documents_are_proved(graph: Graph, corpus: str, archive: Archive) -> None:
    loaded(graph, corpus, [*inspections(), *outputs()])
    choice = SubgraphOptions(max_years=3, max_properties=2)
    generate(graph, corpus, Plan(patterns=("pluri_hop",), choice=choice, share=1, second_look=False))
    release = create(graph, corpus, archive, 90)
    certificate, commitments = lines(archive, release, CERTIFICATE), lines(archive, release, COMMITMENTS)
    proved = [row for row in map(json.loads, certificate) if "pattern" in row]
    assert {row["asked"] for row in proved} == {"count", "fell", "list", "most", "often", "rose"}
    assert not list(check(commitments, certificate, lines(archive, release, OPENINGS)))
    scopes = {salted[1] for row in rows(archive, release, OPENINGS) for salted in row["names"].values()}
    assert any("park, W0" in one and "year, from" in one for one in scopes), "two properties, one of them a range"
    for forged in forgeries(certificate, FORGED // 2, seed=2):
        assert any(check(sealed(forged.lines, commitments), forged.lines, [])) == (not true(forged.rows))


def test_public_files_have_no_hash_that_a_dictionary_opens(graph: Graph, demo: str, archive: Archive) -> None:
    """Hash every name of the graph, as it is and as the checker hashes with salts that are public: nothing fits."""
    release = create(graph, demo, archive, 20)
    public = b"".join(archive.file(release, one.name) for one in release.files if one.access == "public")
    shown = public.decode() + release.shown().model_dump_json()
    words = {word for word in shown.replace('"', " ").split() if len(word) >= 32}
    code = keys.corpus_code(demo)
    entities = graph.read("release/entities", after=code, until=code + "~", limit=EVERY)
    labels = {row["entity"]["label"] for row in entities}
    assert {answer for row in rows(archive, release, ANSWERS) for answer in row["answers"]} <= labels
    salts = ["", demo, release.version, *(str(number) for number in range(20))]
    for label in labels:
        for salt in salts:
            for text in (label, salt + label, json.dumps([salt, label], separators=(",", ":"))):
                digest = hashlib.sha256(text.encode()).hexdigest()
                assert not words & {digest, digest[:32]}
    files = {one.name for one in release.shown().files}
    assert not any(name.startswith("private/") for name in files)
    assert COMMITMENTS in files
    for name in (CERTIFICATE, OPENINGS, SECRET):
        data = archive.file(release, name, private=True)
        sha256 = hashlib.sha256(data).hexdigest()
        assert name == CERTIFICATE or sha256 not in shown, name
    salted = [row["commitment"] for row in rows(archive, release, COMMITMENTS)[1:]]
    assert len(set(salted)) == len(salted) == sum(release.counts.test.values())


def test_every_public_row_has_the_canary_and_the_client_reads_it(graph: Graph, demo: str, archive: Archive) -> None:
    release = create(graph, demo, archive, 5)
    public = [one for one in release.files if one.access == "public" and one.name.endswith(".jsonl")]
    words = {row.get("canary") for one in public if one.name != COMMITMENTS for row in rows(archive, release, one.name)}
    (word,) = words
    assert word.startswith("kgservice:canary:")
    assert word in archive.file(release, "CARD.md").decode()
