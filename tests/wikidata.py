"""A small Wikidata for tests: its dump, its index, and an embedder that needs no weights."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kgservice.linking.index_build import Building
from kgservice.linking.wikidata_index import folded


class Trigrams:
    """An embedder of trigrams: texts that share them are near."""

    name, dimension = "trigrams", 64

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(folded(text)) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = np.full(self.dimension, 1e-3)
        for at in range(len(text) - 2):
            vector[sum(map(ord, text[at : at + 3])) * 7919 % self.dimension] += 1.0
        return [float(value) for value in vector / np.linalg.norm(vector)]


def entity(name: str, label: str, description: str = "", aliases: Iterable[str] = (), **known: Any) -> dict[str, Any]:
    """Return an entity as a dump has it; `claims` are (property, item), `sitelinks` a number."""
    statements: dict[str, list[Any]] = {}
    for key, obj in known.get("claims", ()):
        value = {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": obj}}
        statements.setdefault(key, []).append({"rank": "normal", "mainsnak": {"datavalue": value}})
    return {
        "id": name,
        "type": "property" if name[0] == "P" else "item",
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}} if description else [],
        "aliases": {"en": [{"language": "en", "value": alias} for alias in aliases]} if aliases else [],
        "claims": statements,
        "sitelinks": {f"wiki{n}": {} for n in range(known.get("sitelinks", 20))},
    }


ENTITIES = [
    entity("Q5", "human"),
    entity("Q515", "city"),
    entity("Q6256", "country"),
    entity("Q90", "Paris", "capital of France", ["City of Paris"], claims=[("P31", "Q515"), ("P17", "Q142")], sitelinks=300),
    entity("Q142", "France", "country in Europe", ["Republic of France"], claims=[("P31", "Q6256"), ("P36", "Q90")], sitelinks=400),
    entity("Q167646", "Paris", "son of Priam, in Greek myths", claims=[("P31", "Q5")], sitelinks=60),
    entity("Q9696", "John F. Kennedy", "president of the United States", ["JFK"], claims=[("P31", "Q5")], sitelinks=200),
    entity("Q60", "New York City", "city in the United States", ["NYC", "🗽"], claims=[("P31", "Q515")], sitelinks=300),
    entity("Q1490", "東京", "capital of Japan", ["Tokyo"], claims=[("P31", "Q515"), ("P17", "Q17")], sitelinks=300),
    entity("Q3114", "القدس", "a city", ["Al-Quds"], claims=[("P31", "Q515")], sitelinks=300),
    entity("Q36180", "Organization for Secret Cooperation", claims=[("P31", "Q43229")]),
    entity("Q85", "Cairo", "capital of Egypt", claims=[("P31", "Q515")], sitelinks=300),
    entity("Q79", "Egypt", "country", claims=[("P31", "Q6256"), ("P36", "Q85")], sitelinks=300),
    entity("P36", "capital", "seat of government of a country", ["capital city"]),
    entity("P17", "country", "sovereign state that this item is in"),
    entity("P19", "place of birth", "where a person was born", ["born in", "birthplace"]),
]  # fmt: skip


def dump(path: Path, entities: Iterable[Any] = ENTITIES) -> Path:
    """Write a dump: an entity a line, or a line as it is given."""
    lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in entities]
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(lines) + "\n]\n")
    return path


def indexed(folder: Path, *sources: Path) -> Path:
    """Build an index of these sources, of the small dump where none is given."""
    path = folder / "wikidata.sqlite"
    with Building(path, ("en",)) as building:
        for source in sources or (dump(folder / "dump.json.gz"),):
            building.add(source)
        building.finish()
    return path
