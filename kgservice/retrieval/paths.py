"""The way of a walk to a passage, as people read it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kgservice.retrieval.named import Named
from kgservice.retrieval.neighbourhood import Neighbourhood
from kgservice.retrieval.pagerank import Ranked

LONGEST = 4  # passages


class Paths:
    """Ways through a neighbourhood: from each passage back along the strongest links to a name of the query."""

    def __init__(self, around: Neighbourhood, ranked: Ranked, seeds: Iterable[Named]) -> None:
        self._around, self._ranked = around, ranked
        self._seeds = {name.form: name.label for name in seeds}
        self._with: dict[str, list[str]] = defaultdict(list)
        for chunk, passage in sorted(around.passages.items()):
            for name in passage.links:
                self._with[name].append(chunk)

    def to(self, chunk: str) -> dict[str, str | tuple[str, ...]]:
        """Return `entities`, the query's names that the passage mentions, and `path`, one string a step."""
        links = self._around.passages[chunk].links
        entities = tuple(sorted(label for name, label in self._seeds.items() if name in links))
        return {"entities": entities, "path": tuple(self._back(chunk))}

    def _back(self, chunk: str) -> list[str]:
        steps: list[str] = [self._passage(chunk)]
        passed = {chunk}
        while len(passed) < LONGEST:
            name = self._strongest(chunk)
            if name is None:
                return [*steps, "near the query"][::-1]
            if name in self._seeds:
                return [*steps, f"query names {self._seeds[name]!r}"][::-1]
            before = self._before(name, passed)
            if before is None:
                return [*steps, "near the query"][::-1]
            relation = self._around.passages[before].links[name].relation
            label = self._around.labels.get(name, "")
            steps += [f"{relation}: {label}" if relation else f"mentions {label}", self._passage(before)]
            passed.add(before)
            chunk = before
        return steps[::-1]

    def _strongest(self, chunk: str) -> str | None:
        """The name that brings a passage the most; a name of the query before any other."""
        links, scores = self._around.passages[chunk].links, self._ranked.names
        there = [name for name in links if scores.get(name)]
        return min(
            there,
            key=lambda name: (name not in self._seeds, -scores[name] * self._around.weight(name, links[name]), name),
            default=None,
        )

    def _before(self, name: str, passed: set[str]) -> str | None:
        """The passage, not yet on the way, that leads to a name most."""
        others = [other for other in self._with[name] if other not in passed and self._ranked.passages.get(other)]
        return min(others, key=lambda other: (-self._ranked.passages[other], other), default=None)

    def _passage(self, chunk: str) -> str:
        return f"[{self._around.passages[chunk].title or chunk}]"
