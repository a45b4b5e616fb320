"""Check what a release promises, with Python's standard library alone: `python check_release.py FOLDER`.

FOLDER has commitments.jsonl and, if you have them, certificate.jsonl and openings.jsonl (or private/ has them). Proves
each answer the only one, from salted hashes of all facts, and what openings say. Compares the files that are there with
manifest.json, and public_questions.jsonl and private_qa.jsonl with the openings. Status 1 if anything does not hold.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

SHAPES = {  # arms, each its subject and its object; the first or last letter is named, all but b where b is asked
    "single": "ab", "chain": "ab bc", "star": "ba bc", "inverted_star": "ab cb",
    "chain3": "ab bc cd", "star3": "ba bc bd", "inverted_star3": "ab cb db",
}  # fmt: skip
SEALED = b"gAAAA"  # an encrypted file begins so: it is not read
TABLES = """CREATE TABLE fact (s, r, o, d); CREATE TABLE scope (scope, d, PRIMARY KEY (scope, d)); CREATE TABLE value (v PRIMARY KEY, scale, rank);
CREATE INDEX by_s ON fact (s, r, o); CREATE INDEX by_o ON fact (o, r, s); CREATE INDEX by_d ON fact (r, d, s, o)"""  # noqa: E501
PAIRS = "SELECT DISTINCT s, o FROM scope JOIN fact USING (d) WHERE scope = ? AND r = ?"
SAID = "SELECT s, COUNT(DISTINCT d) FROM scope JOIN fact USING (d) WHERE scope = ? AND r = ? AND o = ? GROUP BY s"


def hashed(salt: str, value: object) -> str:
    """Return the SHA-256 of a salt and a value, in hexadecimal digits."""
    return hashlib.sha256(json.dumps([salt, value], separators=(",", ":"), sort_keys=True).encode()).hexdigest()


def open_certificate(lines: Sequence[bytes]) -> tuple[sqlite3.Connection, dict[int, Any]]:
    """Return a database of the facts, and the questions by public id."""
    db, questions = sqlite3.connect(":memory:"), dict[int, Any]()
    db.executescript(TABLES)
    for row in map(json.loads, lines):
        if "fact" in row:
            db.executemany("INSERT INTO fact VALUES (?, ?, ?, ?)", [(*row["fact"], d) for d in row["documents"]])
        elif "value" in row:
            db.execute("INSERT INTO value VALUES (?, ?, ?)", (row["value"], row["scale"], row["rank"]))
        elif "scope" in row:
            db.executemany("INSERT INTO scope VALUES (?, ?)", [(row["scope"], d) for d in row["documents"]])
        else:
            questions[row["public_id"]] = row
    return db, questions


def members(db: sqlite3.Connection, end: str, relation: str, outwards: bool) -> set[str]:
    """Return all objects of a subject and relation, or all subjects of an object and relation."""
    here, there = "so" if outwards else "os"
    return {row[0] for row in db.execute(f"SELECT {there} FROM fact WHERE {here} = ? AND r = ?", (end, relation))}  # noqa: S608


def only(found: set[str]) -> str:
    """Return the only member of a set (ValueError unless there is exactly one)."""
    if len(found) == 1:
        return next(iter(found))
    raise ValueError(f"{len(found)} things fit where one should")


def prove_values(db: sqlite3.Connection, pattern: str, asked: str, named: list[str], relation: str) -> list[Any]:
    """Return the only answers of a comparison of two subjects, or of a question about all documents of a scope."""
    if asked in ("most", "often"):  # of whom most documents say so, or three and more
        said = dict(db.execute(SAID, (named[0], relation, named[1])))
        found = sorted(s for s, number in said.items() if number >= (3 if asked == "often" else max(said.values())))
        return found if asked == "often" and found else [only({*found})]
    pairs = [(end, only(members(db, end, relation, True))) for end in named if pattern == "comparison"]
    if asked in ("rose", "fell"):  # each year is a scope of its own, and the last named thing has one value there
        pairs = [(y, only({o for s, o in db.execute(PAIRS, (y, relation)) if s == named[-1]})) for y in named[:-1]]
    pairs = pairs or db.execute(PAIRS, (named[0], relation)).fetchall()
    if len({s for s, _ in pairs}) < max(len(pairs), 2):
        raise ValueError("a subject with several objects, or fewer than two subjects")
    if asked in ("list", "count"):
        return sorted(map(list, pairs)) if asked == "list" else [len(pairs)]
    values = [db.execute("SELECT scale, rank FROM value WHERE v = ?", (v,)).fetchone() or ("", "") for _, v in pairs]
    if len({scale for scale, _ in values}) != 1 or "" in values[0]:
        raise ValueError("values that cannot be compared")
    ranks = [(rank, s) for (s, _), (_, rank) in zip(pairs, values, strict=True)]
    if asked in ("rose", "fell"):
        return sorted(y for (was, _), (now, y) in pairwise(ranks) if (was < now if asked == "rose" else was > now))
    end = (min if asked in ("smaller", "earlier", "min") else max)(ranks)[0]
    return [only({s for rank, s in ranks if rank == end})]


def prove(db: sqlite3.Connection, row: Mapping[str, Any]) -> list[Any]:
    """Return the only answers that the facts allow (ValueError where there are several, or none)."""
    pattern, asked, named, relations = row["pattern"], row["asked"], row["named"], row["relations"]
    if pattern in ("comparison", "pluri_hop"):
        return prove_values(db, pattern, asked, named, *relations)
    if pattern == "conflict" or pattern.startswith("set_of_"):
        found = members(db, named[0], relations[0], pattern != "set_of_subjects")
        if len(found) < 2 or named[0] in found or (pattern == "conflict" and len(found) > 2):
            raise ValueError("no set of two and more others")
        return sorted(found)
    if pattern in ("unanswerable", "false_premise"):
        told = [only(members(db, named[0], relation, True)) for relation in relations if named[1:]][:1]
        if told == named[1:] != [] or (not told and members(db, named[0], relations[0], True)):
            raise ValueError("what is asked, or said by the way, is stated")
        return told or ["not stated in the documents"]
    arms = SHAPES[pattern.removeprefix("conditional_")].split()
    if len(arms) != len(relations) or len(set(relations)) < len(relations):
        raise ValueError("relations that do not fit the pattern")
    if asked == "pivot":
        steps = [members(db, end, r, arm[1] == "b") for end, r, arm in zip(named, relations, arms, strict=True)]
        return [only(set.intersection(*steps))]
    way, step = [*named], {"last": 1, "object": 1, "first": -1, "subject": -1}[asked]
    nodes = sorted(set("".join(arms)))[::step]
    for node, relation, arm in zip(nodes, relations[::step], arms[::step], strict=False):
        way.append(only(members(db, way[-1], relation, arm[0] == node)))
    if len(set(way)) < len(nodes):
        raise ValueError("a thing stands twice on the way")
    return [way[-1]]


def check_openings(known: Mapping[int, str], lines: Sequence[bytes], questions: Mapping[int, Any]) -> Iterator[str]:
    """Yield what is wrong with openings; `known` are the commitments, `questions` those of the certificate if given."""
    for row in map(json.loads, lines):
        number, opened, names = row["public_id"], row["opened"], row["names"]
        if hashed(row["salt"], opened) != known.get(number) or opened["row"]["public_id"] != number:
            yield f"question {number}: what is opened is not what was committed to"
        if questions and opened["row"] != questions.get(number):
            yield f"question {number}: the certificate has another question"
        if any(hashed(*pair)[:32] != name for name, pair in names.items()):
            yield f"question {number}: a name is not the one that was hashed"
        answers = [one if isinstance(one, list) else [one] for one in opened["row"]["answers"]]
        said = [": ".join(str(names[part][1] if part in names else part) for part in one) for one in answers]
        if sorted(said) != sorted(opened["answers"]):
            yield f"question {number}: the opened answers are not those of its proof"


def check(commitments: Sequence[bytes], certificate: Sequence[bytes], openings: Sequence[bytes]) -> Iterator[str]:
    """Yield what does not hold; the arguments are the files' lines, none of a file that was not given."""
    first, *rows = map(json.loads, commitments)
    known = {row["public_id"]: row["commitment"] for row in rows}
    db, questions = open_certificate(certificate)
    digest = hashlib.sha256(b"".join(line + b"\n" for line in certificate)).hexdigest()
    if certificate and (digest != first["sha256"] or questions.keys() != known.keys()):
        yield "the certificate is not the one that was committed to"
    for number, row in questions.items():
        try:
            if prove(db, row) != row["answers"]:
                yield f"question {number}: the facts give another answer"
        except (ValueError, LookupError, TypeError) as error:
            yield f"question {number}: {error}"
    yield from check_openings(known, openings, questions)


def check_rows(name: str, rows: Sequence[bytes], known: Collection[int], openings: Sequence[bytes]) -> Iterator[str]:
    """Yield the rows of a file of questions or answers that are not what was committed to and opened."""
    found = {row["public_id"]: row for row in map(json.loads, rows)}
    if rows and found.keys() != set(known):
        yield f"{name}: the questions are not those that were committed to"
    for opened in (row["opened"] for row in map(json.loads, openings)):
        row = found.get(opened["row"]["public_id"], {})
        for part in ("question", "answers", "text_ids"):
            if part in row and row[part] != opened[part]:
                yield f"question {row['public_id']}: {name} has other {part}"


def hashes(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the name of each file of manifest.json that is there, and whether it is the one that was published."""
    for manifest in folder.rglob("manifest.json"):
        for one in json.loads(manifest.read_bytes())["files"]:
            path = manifest.parent / one["name"]
            if path.is_file() and not (data := path.read_bytes()).startswith(SEALED):
                yield one["name"], hashlib.sha256(data).hexdigest() == one["sha256"]


def check_folder(folder: Path) -> tuple[list[str], str]:
    """Return the faults of a folder, and what was checked (ValueError without commitments)."""

    def lines(name: str) -> list[bytes]:
        paths = (path for path in folder.rglob(f"{name}.jsonl") if path.parent.name != "sandbox")
        return b"".join(data for data in map(Path.read_bytes, paths) if not data.startswith(SEALED)).splitlines()

    commitments, certificate, openings = map(lines, ("commitments", "certificate", "openings"))
    if not commitments:
        raise ValueError(f"no commitments.jsonl in {folder}: name the folder of a release that is there")
    known = [json.loads(line)["public_id"] for line in commitments[1:]]
    files = list(hashes(folder))
    wrong = [f"{name}: not the file that manifest.json names" for name, same in files if not same]
    wrong += check(commitments, certificate, openings)
    for name in ("public_questions", "private_qa"):
        wrong += check_rows(f"{name}.jsonl", lines(name), known, openings)
    proved = len(known) * bool(certificate)
    return wrong, f"{proved} questions proved, {len(openings)} opened, {len(files)} files compared, {len(wrong)} faults"


if __name__ == "__main__":
    try:
        faults, said = check_folder(Path(*sys.argv[1:2] or ["."]))
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit(f"check_release.py: {error}")
    print(*faults, said, sep="\n")  # noqa: T201
    sys.exit(bool(faults))
