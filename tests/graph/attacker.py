"""Somebody with a key who wants the answers: crawls every route, keeps all that looks like a fact, and answers from it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from fastapi.testclient import TestClient

Triple = tuple[str, str, str]
SUBJECTS, RELATIONS, OBJECTS = ("subject", "head", "s"), ("relation", "predicate", "r"), ("object", "tail", "o")
MOST = 600  # addresses that are asked
VALUES = 150  # tried for one hole of a path
_WORD = re.compile(r"[^\W_]+")


class Crawler:
    """Asks every GET route of the OpenAPI for every id that any answer held, and each retriever every question."""

    def __init__(self, http: TestClient, key: str, corpus: str) -> None:
        self.http, self.headers, self.corpus = http, {"X-API-Key": key}, corpus
        self.documented: dict[str, Any] = http.get("/openapi.json", headers=self.headers).json()["paths"]
        self.bodies: dict[str, str] = {}
        self.triples: set[Triple] = set()
        self._ids: dict[str, dict[str, None]] = defaultdict(dict)  # values by the name of their field

    def crawl(self) -> None:
        """Ask until nothing new is found."""
        before = -1
        while before < len(self.bodies) < MOST:
            before = len(self.bodies)
            for path, item in self.documented.items():
                if "get" in item:
                    for at in list(self._addresses(path)):
                        self._ask(at, item["get"])

    def search(self, questions: Sequence[str]) -> None:
        """Ask every retriever every question, and for its answer."""
        names = json.loads(self.bodies["/choices"])["retrievers"]
        for retriever, question in product(names, questions):
            body = {"query": question, "retriever": retriever, "corpus": self.corpus, "k": 5}
            answer = self.http.post("/retrieve", json=body, headers=self.headers)
            self._keep(f"/retrieve {retriever} {question}", answer)
        for question in questions:
            answer = self.http.post("/ask", json={"question": question, "corpus": self.corpus}, headers=self.headers)
            self._keep(f"/ask {question}", answer)

    def _ask(self, at: str, operation: Mapping[str, Any]) -> None:
        named = {one["name"] for one in operation.get("parameters", ())}
        known: dict[str, Any] = {"corpus": self.corpus, "limit": 100, "since": "1.0.0"}
        given = {name: value for name, value in known.items() if name in named}
        if at == "/chunks":
            given["key"] = list(self._ids["chunk"])[:100]
        if at not in self.bodies:
            answer = self.http.get(at, params=given, headers=self.headers)
            self._keep(at, answer)
            while answer.is_success and (after := _next(answer)):
                answer = self.http.get(at, params=given | {"after": after}, headers=self.headers)
                self._keep(f"{at} {after}", answer)

    def _addresses(self, path: str) -> Iterator[str]:
        """Fill the holes of a path with the ids found so far, those whose field has the hole's name first."""
        holes = re.findall(r"{(\w+)", path)
        for values in product(*(self._values(path, hole) for hole in holes)):
            yield path.format(**dict(zip(holes, values, strict=True)))

    def _values(self, path: str, hole: str) -> list[str]:
        if hole == "version":
            return list(self._ids["version"])
        fields = {
            "/releases": ["name"], "/entities": ["key", "label", "subject_key", "object_key"], "/documents": ["key", "source", "document"],
            "/subgraphs": ["pattern"], "/questions": ["id"], "/jobs": ["id"], "/submissions": ["id"],
        }  # fmt: skip
        known = next((names for start, names in fields.items() if path.startswith(start)), list(self._ids))
        return [value for name in known for value in self._ids[name]][:VALUES]

    def _keep(self, where: str, answer: Any) -> None:
        self.bodies[where] = answer.text if answer.is_success else ""
        if not answer.is_success:
            return
        for line in [answer.text] if answer.text.count("\n{") == 0 else answer.text.splitlines():
            try:
                self._look(json.loads(line))
            except ValueError:
                continue

    def _look(self, found: Any, name: str = "") -> None:
        if isinstance(found, dict):
            self.triples.update(_triple(found))
            if "patterns" in found:
                self._ids["pattern"].update(dict.fromkeys(found["patterns"]))
            for field, value in found.items():
                self._look(value, field)
        elif isinstance(found, list):
            if len(found) == 3 and all(isinstance(one, str) for one in found):
                self.triples.add((found[0], found[1], found[2]))
            if name == "path":  # [passage] name relation name [passage] …
                steps = [step for step in map(str, found) if not step.startswith("[")]
                self.triples.update(zip(steps, steps[1:], steps[2:], strict=False))
            for one in found:
                self._look(one, name)
        elif isinstance(found, str) and len(found) < 200:
            self._ids[name].setdefault(found)


def _triple(found: Mapping[str, Any]) -> Iterator[Triple]:
    ends = [next((found[name] for name in names if name in found), None) for names in (SUBJECTS, RELATIONS, OBJECTS)]
    labels = [one.get("label") if isinstance(one, dict) else one for one in ends]
    if all(isinstance(one, str) for one in labels):
        yield (str(labels[0]), str(labels[1]), str(labels[2]))


def _next(answer: Any) -> str | None:
    found = answer.json() if answer.headers["content-type"] == "application/json" else None
    return found.get("next") if isinstance(found, dict) else None


class Guesser:
    """Answers a question from triples: from a name in it, along the relations whose words it has, one step or two."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._steps: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for subject, relation, obj in sorted(triples):
            self._steps[subject].append((relation, obj))
            self._steps[obj].append((relation, subject))

    def __call__(self, question: str) -> str:
        """Return the ends of the best way, all that the same way leads to."""
        asked = set(_words(question))
        named = [name for name in self._steps if len(name) > 2 and name.lower() in question.lower()]
        ways: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in named:
            for relation, end in self._steps[name]:
                if end.lower() in question.lower():
                    continue
                ways[name, relation].append(end)
                for second, far in self._steps[end]:
                    if far != name and far.lower() not in question.lower():
                        ways[name, relation, end, second].append(far)
        if not ways:
            return ""
        best = max(ways, key=lambda way: (_fit(asked, way), -len(way), way))
        return ", ".join(dict.fromkeys(ways[best]))


def _fit(asked: set[str], way: tuple[str, ...]) -> float:
    """How many of the question's words the way's names and relations have, and how few others its relations have."""
    said = set(_words(f"{way[0]} {way[1]} {way[3] if len(way) > 3 else ''}"))
    return len(asked & said) - 0.5 * len(said - asked)


def _words(text: str) -> list[str]:
    return [word.lower()[:5] for word in _WORD.findall(text)]
