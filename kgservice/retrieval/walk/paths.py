"""The path of a walk to a passage, for people to read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable

from kgservice.retrieval.walk.neighbourhood import Neighbourhood
from kgservice.retrieval.walk.pagerank import Ranked
from kgservice.retrieval.walk.query_names import QueryName

LONGEST = 4  # passages


class Paths:
    """Paths in a neighbourhood: from each passage back along the strongest links to a name of the query."""

    def __init__(self, around: Neighbourhood, ranked: Ranked, seeds: Iterable[QueryName], near: Container[str]) -> None:
        self._around, self._ranked, self._near = around, ranked, near
        self._seeds = {name.form: name.label for name in seeds}
        self._with: dict[str, list[str]] = defaultdict(list)
        for chunk, passage in sorted(around.passages.items()):
            for name in passage.links:
                self._with[name].append(chunk)

    def to(self, chunk: str, title: str) -> dict[str, str | tuple[str, ...]]:
        """Return `entities`, the query's names in the passage, and `path`, a string a step."""
        if chunk not in self._around.passages:  # found by words or vector alone
            return {"entities": (), "path": ("near the query", f"[{title or chunk}]")}
        links = self._around.passages[chunk].links
        entities = tuple(sorted(label for name, label in self._seeds.items() if name in links))
        return {"entities": entities, "path": tuple(self._back(chunk))}

    def _back(self, chunk: str) -> list[str]:
        steps, passed = [self._passage(chunk)], {chunk}
        close = 1 if chunk in self._near else 0  # steps up to the first start of the walk
        while True:
            links = self._around.passages[chunk].links
            if seeds := [name for name in links if name in self._seeds]:
                best = max(seeds, key=lambda name: (self._around.weight(name, links[name]), name))
                return [*steps, f"query names {self._seeds[best]!r}"][::-1]
            before = self._before(chunk, passed) if len(passed) < LONGEST else None
            if before is None:
                return [*steps[: close or None], "near the query"][::-1]
            name, chunk = before
            relation, label = self._around.passages[chunk].links[name].relation, self._around.labels.get(name, "")
            steps += [f"{relation}: {label}" if relation else f"mentions {label}", self._passage(chunk)]
            passed.add(chunk)
            close = close or (len(steps) if chunk in self._near else 0)

    def _before(self, chunk: str, passed: set[str]) -> tuple[str, str] | None:
        """Return the name and the passage, not yet on the path, with the strongest link to a passage, or None."""
        best = (0.0, "", "")
        for name, link in self._around.passages[chunk].links.items():
            weight = self._around.weight(name, link)
            for other in self._with[name]:
                if other not in passed:
                    there = self._around.passages[other].links[name]
                    brought = weight * self._around.weight(name, there) * (1 + there.fit)
                    best = max(best, (self._ranked.passages[other] * brought, name, other))
        return best[1:] if best[0] > 0 else None

    def _passage(self, chunk: str) -> str:
        return f"[{self._around.passages[chunk].title or chunk}]"
