"""The certificate of a release: every fact in salted hashes, so that anybody can prove that an answer is the only one.

Each thing is known by the hash of its name and a salt of its own, so trying names tells nothing without the salt. All
salts come from one secret of the corpus, `private/secret.txt`, which stays from release to release: what did not change
has the same hashes. An opening gives the salts of one question. `check_release.py` reads all three files.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import resources
from itertools import combinations
from typing import Any, NamedTuple

from kgservice.core import keys
from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Question
from kgservice.graph.store import Graph
from kgservice.releases.check_release import SHAPES, hashed
from kgservice.releases.release_files import ReleaseFile

CERTIFICATE, COMMITMENTS, OPENINGS = "private/certificate.jsonl", "commitments.jsonl", "private/openings.jsonl"
SECRET, CHECKER = "private/secret.txt", "check_release.py"
PAGE, LENGTH = 500, 32  # characters of a hash that stands for a name


class Arc(NamedTuple):
    """A fact of the graph by the keys of its ends, its relation and period, and the documents that state it."""

    subject: str
    relation: tuple[str, str]
    object: str
    documents: tuple[str, ...]


class Hashes:
    """Salted hashes of names; `names` has what was hashed, (salt, name) by hash."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self.names: dict[str, tuple[str, str]] = {}

    def salt(self, *parts: object) -> str:
        """Return the salt of a thing."""
        return hmac.new(self._secret, json.dumps(parts).encode(), hashlib.sha256).hexdigest()

    def of(self, kind: str, key: object, name: str = "") -> str:
        """Return the hash that stands for a thing in a certificate."""
        known = self.salt(kind, key), name
        found = hashed(*known)[:LENGTH]
        self.names[found] = known
        return found


def new_secret() -> str:
    """Return the secret of a corpus that has no release yet."""
    return secrets.token_hex(32)


def certificate_files(
    graph: Graph, corpus: str, asked: Mapping[int, Question], texts: Mapping[str, int], secret: str
) -> Iterator[ReleaseFile]:
    """Yield the certificate of the questions by public id, what they commit to, their openings and the checker.

    `texts` are the public ids of chunks. Raises BadRequest if the graph has changed since the questions were made.
    """
    made = _Certificate(graph, corpus, asked, secret)
    rows = {number: made.row(number, one) for number, one in asked.items()}
    lines = [*made.lines(), *map(_line, rows.values())]
    openings = [made.opening(one, rows[number], texts) for number, one in asked.items()]
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    committed = ({"public_id": one["public_id"], "commitment": hashed(one["salt"], one["opened"])} for one in openings)
    yield ReleaseFile(CERTIFICATE, lines, private=True)
    yield ReleaseFile(OPENINGS, map(_line, openings), private=True)
    yield ReleaseFile(SECRET, [secret], private=True)
    yield ReleaseFile(COMMITMENTS, map(_line, [{"sha256": digest}, *committed]))
    yield ReleaseFile(CHECKER, resources.files("kgservice.releases").joinpath(CHECKER).read_text().splitlines())


class _Certificate:
    """What a certificate says of a corpus."""

    def __init__(self, graph: Graph, corpus: str, asked: Mapping[int, Question], secret: str) -> None:
        self._graph, self._corpus, self._asked = graph, corpus, asked
        self._hashes = Hashes(secret)
        self._scopes: dict[str, set[str]] = {}
        self._values: set[str] = set()

    @cached_property
    def _facts(self) -> dict[str, Arc]:
        return {
            row["key"]: Arc(
                row["subject"], (row["relation"], row["period"] or ""), row["object"],
                tuple(sorted({chunk[: keys.KEY] for chunk in row["chunks"]})),
            )
            for row in self._pages("release/facts")
        }  # fmt: skip

    @cached_property
    def _entities(self) -> dict[str, dict[str, Any]]:
        return {row["key"]: row["entity"] for row in self._pages("release/entities")}

    @cached_property
    def _documents(self) -> list[dict[str, Any]]:
        return [row["document"] for row in self._pages("read/documents", lambda row: row["document"]["key"])]

    def _pages(self, statement: str, key: Any = lambda row: row["key"]) -> Iterator[dict[str, Any]]:
        after = code = keys.corpus_code(self._corpus)
        while rows := self._graph.read(statement, after=after, until=code + "~", limit=PAGE):
            yield from (row.data() for row in rows)
            after = key(rows[-1])

    def row(self, number: int, one: Question) -> dict[str, Any]:
        """Return a question in hashes."""
        try:
            facts = [self._facts[fact.key] for fact in one.facts]
        except KeyError as error:
            raise _moved(one) from error
        ends = self._diagnostic_ends if one.pattern in ("unanswerable", "false_premise") else self._ends
        named, relations, answers = ends(one, facts)
        return {
            "public_id": number, "pattern": one.pattern, "asked": one.asked, "named": named,
            "relations": [self._relation(relation) for relation in relations], "answers": answers,
        }  # fmt: skip

    def _ends(self, one: Question, facts: list[Arc]) -> tuple[list[str], list[tuple[str, str]], list[Any]]:
        """Return what a question names, its relations and its answers."""
        relations = [fact.relation for fact in facts]
        if one.pattern == "pluri_hop":
            scope, documents = self._scope(one, facts[0])
            said = list(map(self._entity, _said(one, facts[0])))
            if one.asked in ("rose", "fell"):
                self._values |= {fact.object for fact in facts}
                years = self._years(scope, documents)
                return [*years.values(), *said], relations[:1], sorted(years[year] for year in one.answers)
            of = self._scope_hash(scope, ", ".join(scope), documents)
            return [of, *said], relations[:1], self._values_asked(one, facts)
        if one.pattern == "comparison":
            return [self._entity(fact.subject) for fact in facts], relations[:1], self._values_asked(one, facts)
        if one.pattern == "conflict" or one.pattern.startswith("set_of_"):
            outwards = one.pattern != "set_of_subjects"
            members = {fact.object if outwards else fact.subject for fact in facts}
            named = facts[0].subject if outwards else facts[0].object
            return [self._entity(named)], relations[:1], sorted(map(self._entity, members))
        at: dict[str, str] = {}
        for arm, fact in zip(SHAPES[one.pattern.removeprefix("conditional_")].split(), facts, strict=True):
            at |= {arm[0]: fact.subject, arm[1]: fact.object}
        first, *_, last = nodes = sorted(at)
        if one.asked == "pivot":
            return [self._entity(at[node]) for node in nodes if node != "b"], relations, [self._entity(at["b"])]
        ends = (first, last) if one.asked in ("last", "object") else (last, first)
        return [self._entity(at[ends[0]])], relations, [self._entity(at[ends[1]])]

    def _diagnostic_ends(self, one: Question, facts: list[Arc]) -> tuple[list[str], list[tuple[str, str]], list[Any]]:
        """Return the ends of a question of which nothing is stated, or which takes something false for true."""
        named, *others = map(self._entity, one.entities)
        if one.pattern == "unanswerable":
            return [named], [(str(one.metadata["lacks"]), "")], list(one.answers)
        return [named, *others[:-1]], [fact.relation for fact in facts], others[-1:]

    def _values_asked(self, one: Question, facts: list[Arc]) -> list[Any]:
        if one.asked == "count":
            return [len(facts)]
        if one.asked == "list":
            return sorted([self._entity(fact.subject), self._entity(fact.object)] for fact in facts)
        if one.asked not in ("most", "often"):
            self._values |= {fact.object for fact in facts}
        found = {fact.subject for fact in facts if self._entities[fact.subject]["label"] in one.answers}
        return sorted(map(self._entity, found))

    def _scope(self, one: Question, fact: Arc) -> tuple[tuple[str, ...], set[str]]:
        """Return a scope: the words of a type and its properties, by which the id was made, and the documents."""
        anchor, known = one.id[: keys.GROUP], [fact.relation]
        answers = sorted(self._answer_keys(one))
        for scope, documents in self._all_scopes.items():
            named = [*scope, *_said(one, fact)]
            if min(documents) == anchor[: keys.KEY] and one.id == keys.question_key(
                anchor, one.pattern, one.asked, known, named, answers
            ):
                return scope, documents
        raise _moved(one)

    def _years(self, scope: tuple[str, ...], documents: set[str]) -> dict[str, str]:
        """Return the hashes of the years of a scope over years, in order: each is a scope of its own."""
        name, span = next(pair for pair in zip(scope[1::2], scope[2::2], strict=True) if pair[1].startswith("from "))
        _, first, _, last = span.split()
        years = map(str, range(int(first), int(last) + 1))
        return {
            year: self._scope_hash((*scope, year), year, documents & self._of_one_property[scope[0], name, year])
            for year in years
        }

    def _scope_hash(self, scope: tuple[str, ...], name: str, documents: set[str]) -> str:
        found = self._hashes.of("scope", scope, name)
        self._scopes[found] = documents
        return found

    def _answer_keys(self, one: Question) -> Iterable[str]:
        if one.asked in ("list", "count", "rose", "fell"):
            return one.answers
        return {self._facts[fact.key].subject for fact in one.facts if fact.subject in one.answers}

    @cached_property
    def _all_scopes(self) -> dict[tuple[str, ...], set[str]]:
        """Return the documents of every scope, by the words that name it: of one property and of two."""
        found = self._of_one_property
        for doc_type in {scope[0] for scope in found}:
            own = [(scope[1:], documents) for scope, documents in found.items() if scope[0] == doc_type]
            pairs = ((one, two, of_one & of_two) for (one, of_one), (two, of_two) in combinations(sorted(own), 2))
            found |= {(doc_type, *one, *two): both for one, two, both in pairs if one[0] < two[0] and len(both) > 2}
        return found

    @cached_property
    def _of_one_property(self) -> dict[tuple[str, ...], set[str]]:
        found: dict[tuple[str, ...], set[str]] = {}
        years: dict[tuple[str, str], set[int]] = {}
        for known in self._documents:
            own = {
                name.removeprefix("metadata_"): value for name, value in known.items() if name.startswith("metadata_")
            }
            if known.get("published"):
                own["published"] = known["published"].year
            for name, value in own.items():
                written = str(value).lower() if isinstance(value, bool) else str(value)
                found.setdefault((known["doc_type"], name, written), set()).add(known["key"])
                if type(value) is int and 1000 <= value <= 2999:
                    years.setdefault((known["doc_type"], name), set()).add(value)
        for of, known_years in years.items():
            for first, last in combinations(sorted(known_years), 2):
                between = (found[*of, str(year)] for year in known_years if first <= year <= last)
                found[*of, f"from {first} to {last}"] = set().union(*between)
        return found

    def _entity(self, key: str) -> str:
        return self._hashes.of("entity", key, self._entities[key]["label"])

    def _relation(self, relation: tuple[str, str]) -> str:
        return self._hashes.of("relation", relation, " ".join(filter(None, relation)))

    def _document(self, key: str) -> str:
        return self._hashes.of("document", key)

    def lines(self) -> list[str]:
        """Return the facts, the compared values in order and the scopes, in an order that says nothing."""
        facts = (
            {"fact": [self._entity(fact.subject), self._relation(fact.relation), self._entity(fact.object)],
             "documents": sorted(map(self._document, fact.documents))}
            for fact in self._facts.values()
        )  # fmt: skip
        scopes = (
            {"scope": scope, "documents": sorted(map(self._document, documents))}
            for scope, documents in self._scopes.items()
        )
        return sorted(map(_line, [*facts, *self._ranked(), *scopes]))

    def _ranked(self) -> Iterator[dict[str, Any]]:
        scales: dict[tuple[str, object], list[str]] = {}
        for key in sorted(self._values):
            known = self._entities[key]
            scale = len(str(known["value"])) if known["kind"] == "date" else known["unit"] or ""
            scales.setdefault((known["kind"], scale), []).append(key)
        for scale, found in scales.items():
            ranks = {value: rank for rank, value in enumerate(sorted({self._entities[key]["value"] for key in found}))}
            for key in found:
                rank = ranks[self._entities[key]["value"]]
                yield {"value": self._entity(key), "scale": self._hashes.of("scale", scale), "rank": rank}

    def opening(self, one: Question, row: dict[str, Any], texts: Mapping[str, int]) -> dict[str, Any]:
        """Return what opens the commitment to a question's answer."""
        opened = {
            "question": one.question, "answers": list(one.answers),
            "text_ids": sorted(texts[chunk] for chunk in one.chunk_ids), "row": row,
        }  # fmt: skip
        parts = [part for answer in row["answers"] for part in (answer if isinstance(answer, list) else [answer])]
        told = [*row["named"], *row["relations"], *(part for part in parts if part in self._hashes.names)]
        names = {part: self._hashes.names[part] for part in told}
        return {"public_id": row["public_id"], "salt": self._hashes.salt("question", one.id), "opened": opened,
                "names": names}  # fmt: skip


def _said(one: Question, fact: Arc) -> list[str]:
    """Return the key of the entity that a question names beside its scope, if it names one."""
    if one.asked in ("rose", "fell"):
        return [fact.subject]
    return [fact.object] if one.asked in ("most", "often") else []


def _moved(one: Question) -> BadRequest:
    return BadRequest(
        f"the facts of question {one.id} are not in the graph any more: "
        f"run {command('questions refresh', one.corpus)} first"
    )


def _line(row: object) -> str:
    return json.dumps(row, ensure_ascii=False)
