"""Freezes the active questions of a corpus into a release, and says what changed between two (DRAGON, section 3).

Files alone hold a release: it has to outlive the graph, in which the questions go on to change.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from kgservice.core import keys
from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Question, Record
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.question_record import public_reason
from kgservice.questions.wording.relation_questions import worded_by
from kgservice.releases import card
from kgservice.releases.archive import ANSWERS, LATEST, MAPPING, Archive, Making, Manifest, ReleaseCounts, Staging
from kgservice.releases.canary import canary, marked
from kgservice.releases.certificate import CHECKER, SECRET, certificate_files, new_secret
from kgservice.releases.changed_answers import QUESTIONS, ChangedAnswer, changed_answers
from kgservice.releases.openings import triples_asked, triples_told
from kgservice.releases.release_files import (
    ReleaseFile,
    TextRow,
    asked_files,
    counted,
    sandbox_files,
    train_files,
)  # fmt: skip
from kgservice.releases.release_places import GOLD, PLACES, place_files
from kgservice.releases.split import SANDBOX, ReleaseParts, drawn, parts

PER_PATTERN = 150  # DRAGON's number
PAGE = 500
CHANGES, CARD = "changes.jsonl", "CARD.md"
CAUSES = "private/causes.jsonl"  # the document that ended a question of an older release stated its answer, maybe
SANDBOX_FILES = (
    *(f"sandbox/{name}.jsonl" for name in ("public_texts", "public_questions", "private_texts_mapping", "private_qa")),
    *(f"sandbox/{name}" for name in (PLACES, GOLD)),
)


class Older(NamedTuple):
    """What the release before gives to this one: public ids by key, those not given yet, and the corpus's secret."""

    release: Manifest | None
    questions: Mapping[str, int]
    texts: Mapping[str, int]
    next_question: int
    next_text: int
    secret: str


class Change(Record):
    """A question that one of two releases has: `reason` says why a retired one is gone, `cause` by which documents."""

    public_id: int
    question: str
    reason: str = ""
    cause: str = ""


class Diff(Record):
    """What changed from one release of a corpus to a later one; public ids stay with their questions.

    `changed`: of the added and retired ones, those that are asked in the same words and answered differently.
    """

    older: str
    newer: str
    kept: int
    added: tuple[Change, ...]
    retired: tuple[Change, ...]
    changed: tuple[ChangedAnswer, ...] = ()


def create(
    graph: Graph,
    corpus: str,
    archive: Archive,
    per_pattern: int = PER_PATTERN,
    seed: int = 0,
    closed: Collection[str] = (),
) -> Manifest:
    """Publish the next release of a corpus.

    Raises BadRequest if its questions are not up to date with the graph, if none of them can be in the test part, or if
    the corpus is a view.

    The same questions over the same passages are the same release: where nothing has changed, the last one is returned.
    `closed` are the versions that take no more submissions. Facts that older releases told are not asked about.
    """
    graph.check_written(corpus)  # a release of a view would tell what a release of its corpus keeps private
    _check_settled(graph, corpus)
    with archive.staging() as staging:
        older = _older(archive, archive.latest(corpus))
        active = list(question_store.questions(graph, corpus, state="active"))
        if not active:
            raise BadRequest(f"corpus {corpus!r} has no active questions: run {command('questions generate', corpus)}")
        told, kept = triples_told(archive, corpus, closed), triples_asked(archive, corpus, closed)
        asked = older.questions.keys() | _answered_anew(archive, older, active)
        with worded_by(question_store.schema(graph, corpus)):
            found = parts(active, per_pattern, seed, asked, told, kept)
        if not found.test:
            raise BadRequest(_asks_nothing(corpus, found))
        texts = list(_texts(graph, corpus))
        if not {chunk for one in active for chunk in one.chunk_ids} <= {text.chunk for text in texts}:
            raise _moved(corpus)
        questions = _numbered((one.id for one in found.test), older.questions, older.next_question)
        public = _numbered((text.chunk for text in texts), older.texts, older.next_text)
        _write(staging, found, texts, questions, public, older.secret)
        numbered = {questions[one.id]: one for one in found.test}
        for file in certificate_files(graph, corpus, numbered, public, older.secret):
            staging.write(file.name, file.lines, private=file.private)
        sandbox = _write_sandbox(staging, archive, older, found, texts)
        gone = _gone(graph, corpus, older, questions, found)
        changes = (json.dumps(one) for one in _changes(older, questions, gone))
        _write_file(staging, ReleaseFile(CHANGES, changes), older.secret)
        causes = ({"public_id": number, "cause": one.cause} for number, one in gone.items() if one.cause)
        staging.write(CAUSES, map(json.dumps, causes), private=True)
        making = Making(
            corpus=corpus, previous=older.release.version if older.release else None, per_pattern=per_pattern,
            seed=seed, next_question=max([*questions.values(), older.next_question - 1]) + 1,
            next_text=max([*public.values(), older.next_text - 1]) + 1,
            counts=ReleaseCounts(
                given=len(active), test=counted(found.test), train=counted(found.train), sandbox=sandbox,
                left_out=card.reasons(found.left_out.values()), texts=len(texts),
                documents=len({text.document for text in texts}),
            ),
        )  # fmt: skip
        staging.write(CARD, card.lines(graph, staging.version, making, canary(older.secret)))
        _check_settled(graph, corpus)  # nothing moved while it was read
        if older.release is not None and _is_again(staging, archive, older.release):
            return older.release
        return staging.publish(making)


def _is_again(staging: Staging, archive: Archive, older: Manifest) -> bool:
    """Say whether the staged files are those of a release, but for its name in them and what tells of its making."""
    of_making = (CARD, CHANGES, CAUSES, CHECKER)
    known = {one.name: one.sha256 for one in older.files if one.name not in of_making}
    made = {one.name: one.sha256 for one in staging.files if one.name not in of_making}
    changed = [name for name in made if made[name] != known.get(name)]
    return made.keys() == known.keys() and all(
        name.endswith(".jsonl") and _unnamed(staging.read(name)) == _unnamed(archive.file(older, name, private=True))
        for name in changed
    )


def _unnamed(rows: bytes) -> list[dict[str, object]]:
    return [json.loads(row) | {"release": None} for row in rows.splitlines()]


def still_holds(graph: Graph, archive: Archive, release: Manifest) -> bool:
    """Say whether the passages of a release's corpus are those that it froze, no more and no fewer."""
    frozen = map(json.loads, archive.file(release, MAPPING, private=True).splitlines())
    return {row["id"] for row in frozen} == {text.chunk for text in _texts(graph, release.corpus)}


def diff(archive: Archive, older: str, newer: str, *, private: bool = False) -> Diff:
    """Compare two releases of one corpus (BadRequest for two that do not follow each other).

    `private`: with causes, and with the answers that changed.
    """
    one = archive.get(older)
    two = archive.get(newer, one.corpus if newer == LATEST else None)
    line = [release.version for release in archive.all(one.corpus)]
    if two.version not in line or line.index(one.version) > line.index(two.version):
        raise BadRequest(f"give two releases of one corpus, the older one first; of {one.corpus!r}: {', '.join(line)}")
    before, after = _asked(archive, one), _asked(archive, two)
    reasons: dict[int, str] = {}
    causes: dict[int, str] = {}
    for version in line[line.index(one.version) + 1 : line.index(two.version) + 1]:
        release = archive.get(version)
        rows = map(json.loads, archive.file(release, CHANGES).splitlines())
        reasons |= {row["public_id"]: public_reason(row["reason"]) for row in rows if row["change"] == "retired"}
        if private and any(file.name == CAUSES for file in release.files):  # releases of before have none
            rows = map(json.loads, archive.file(release, CAUSES, private=True).splitlines())
            causes |= {row["public_id"]: row["cause"] for row in rows}
    changed = changed_answers(archive, one, two)
    return Diff(
        changed=changed if private else tuple(each.shown() for each in changed),
        older=one.version,
        newer=two.version,
        kept=len(before.keys() & after.keys()),
        added=tuple(Change(public_id=key, question=after[key]) for key in sorted(after.keys() - before.keys())),
        retired=tuple(
            Change(public_id=key, question=before[key], reason=reasons[key], cause=causes.get(key, ""))
            for key in sorted(before.keys() - after.keys())
        ),
    )


def _asked(archive: Archive, release: Manifest) -> dict[int, str]:
    rows = map(json.loads, archive.file(release, QUESTIONS).splitlines())
    return {row["public_id"]: row["question"] for row in rows}


def _check_settled(graph: Graph, corpus: str) -> None:
    graph.check_corpus(corpus)
    plan, complete = question_store.plan(graph, corpus)
    if plan is None:
        raise BadRequest(f"corpus {corpus!r} has no questions yet: run {command('questions generate', corpus)} first")
    names = question_store.shared_names(graph, corpus) ^ question_store.last_run(graph, corpus).shared_names
    if not complete or names or question_store.changes(graph, corpus):
        raise _moved(corpus)


def _asks_nothing(corpus: str, found: ReleaseParts) -> str:
    reasons = [f"{len(found.train):,} train (every fact is given away)"] if found.train else []
    reasons += [f"{number:,} {reason}" for reason, number in card.reasons(found.left_out.values()).items()]
    return (
        f"a release of corpus {corpus!r} would ask 0 questions: {', '.join(reasons)}: load more documents and run "
        f"{command('questions generate', corpus)} (docs/releases.md says which questions a release asks)"
    )


def _moved(corpus: str) -> BadRequest:
    return BadRequest(
        f"the graph of {corpus!r} has moved on from its questions: run {command('questions refresh', corpus)} first"
    )


def _older(archive: Archive, release: Manifest | None) -> Older:
    if release is None:
        return Older(None, {}, {}, 0, 0, new_secret())
    answers, texts = (
        {row["id"]: row["public_id"] for row in map(json.loads, archive.file(release, name, private=True).splitlines())}
        for name in (ANSWERS, MAPPING)
    )
    kept = any(one.name == SECRET for one in release.files)  # releases of before have none
    secret = archive.file(release, SECRET, private=True).decode().strip() if kept else new_secret()
    return Older(release, answers, texts, release.next_question, release.next_text, secret)


def _answered_anew(archive: Archive, older: Older, active: Iterable[Question]) -> set[str]:
    """Return the ids of active questions in the words of one that the last release asked and that has ended."""
    if older.release is None:
        return set()
    by_id = {one.id: one.question for one in active}
    words = _asked(archive, older.release)
    ended = {words[number] for key, number in older.questions.items() if key not in by_id}
    return {key for key, question in by_id.items() if question in ended}


def _texts(graph: Graph, corpus: str) -> Iterator[TextRow]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("release/texts", after=after, until=code + "~", limit=PAGE):
        yield from (TextRow(*row.values()) for row in rows)
        after = rows[-1]["chunk"]


def _numbered(found: Iterable[str], older: Mapping[str, int], start: int, part: str = "public") -> dict[str, int]:
    """Return public ids by key, in their order: those that a key had before, new ones in an order that says nothing."""
    wanted = set(found)
    kept = {key: number for key, number in older.items() if key in wanted}
    new = sorted(wanted - kept.keys(), key=lambda key: keys.digest(20, part, key))
    return dict(
        sorted((kept | {key: number for number, key in enumerate(new, start)}).items(), key=lambda pair: pair[1])
    )


def _write(
    staging: Staging,
    found: ReleaseParts,
    texts: list[TextRow],
    questions: Mapping[str, int],
    public: Mapping[str, int],
    secret: str,
) -> None:
    by_id = {one.id: one.model_copy(update={"release": staging.version}) for one in found.test}
    train = [one.model_copy(update={"release": staging.version}) for one in found.train]
    asked = {number: by_id[key] for key, number in questions.items()}
    in_order = sorted(texts, key=lambda text: public[text.chunk])
    given = place_files(asked, public, in_order)
    for file in (*asked_files(asked, public, in_order), *given, *train_files(train, public)):
        _write_file(staging, file, secret)


def _write_file(staging: Staging, file: ReleaseFile, secret: str) -> None:
    """Write a file; rows of public ones carry the canary."""
    rows = marked(file.lines, canary(secret)) if file.name.endswith(".jsonl") and not file.private else file.lines
    staging.write(file.name, rows, private=file.private)


def _write_sandbox(
    staging: Staging, archive: Archive, older: Older, found: ReleaseParts, texts: list[TextRow]
) -> dict[str, int]:
    """Write the sandbox of the release before, which stays as it is (DRAGON, section 3.1), else a new one."""
    before = older.release
    if before is not None and before.counts.sandbox:
        known = {one.name for one in before.files}
        for name in (name for name in SANDBOX_FILES if name in known):  # older releases have no places
            rows = map(bytes.decode, archive.file(before, name).splitlines())
            _write_file(staging, ReleaseFile(name, rows), older.secret)
        return before.counts.sandbox
    chosen = drawn(found.train, SANDBOX, seed=0)
    documents = {key for one in chosen for key in one.document_keys}
    own = [text for text in texts if text.document in documents]
    questions = _numbered((one.id for one in chosen), {}, 0, "sandbox")
    public = _numbered((text.chunk for text in own), {}, 0, "sandbox")
    by_id = {one.id: one for one in chosen}
    numbered = {number: by_id[key] for key, number in questions.items()}
    for file in sandbox_files(numbered, public, own):
        _write_file(staging, file, older.secret)
    for file in place_files(numbered, public, sorted(own, key=lambda text: public[text.chunk]), folder=""):
        _write_file(staging, file._replace(name=f"sandbox/{file.name}"), older.secret)
    return counted(chosen)


class _Gone(NamedTuple):
    """Why a question of the release before is not asked any more."""

    reason: str
    cause: str = ""


def _changes(older: Older, questions: Mapping[str, int], gone: Mapping[int, _Gone]) -> Iterator[dict[str, str | int]]:
    """Yield what is gone and what is new since the release before, each in order of public id."""
    if older.release is None:
        return
    for number, one in gone.items():
        yield {"public_id": number, "change": "retired", "reason": one.reason}
    for key, number in questions.items():
        if key not in older.questions:
            yield {"public_id": number, "change": "added", "reason": ""}


def _gone(
    graph: Graph, corpus: str, older: Older, questions: Mapping[str, int], found: ReleaseParts
) -> dict[int, _Gone]:
    """Return why questions of the release before are gone, by public id and in its order."""
    gone = {key: number for key, number in older.questions.items() if key not in questions}
    why = {key: _Gone(found.left_out.get(key, "not in the corpus any more")) for key in gone}
    if missing := gone.keys() - found.left_out.keys():
        ended = (one for one in question_store.listed(graph, corpus) if one.id in missing)
        why |= {one.id: _Gone(one.reason, one.cause) for one in ended}
    return {number: why[key] for key, number in sorted(gone.items(), key=lambda pair: pair[1])}
