"""The workers of a load: this machine's processes, or Ray's, with what they read kept until the load ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kgservice.core import keys
from kgservice.core.ray_pool import RayPool
from kgservice.extraction.extractor import Extractor
from kgservice.extraction.kept_readings import KeptReadings
from kgservice.extraction.workers import RuleExtractor
from kgservice.ingest.pipeline import RULES, Recipe
from kgservice.vectors.embedder import Embedder


class LoadWorkers(NamedTuple):
    """The two stages of a load that have workers. `extractor` None: the recipe's, of a model or a plug-in."""

    extractor: Extractor | None
    embedder: Embedder


@contextmanager
def load_workers(home: Path, corpus: str, recipe: Recipe, model: str, *, ray: str = "") -> Iterator[LoadWorkers]:
    """Return the workers of a load that embeds by `model`: those of the Ray at an address, "" for this machine's.

    Readings stay in the folder `readings` if the load does not end, and the next load of the corpus goes on with them.
    Raises BadRequest if Ray cannot be used.
    """
    pool = RayPool(ray) if ray else None
    shared = recipe.extract.partition(":")[0] in RULES
    kept = KeptReadings(_readings(home, corpus), recipe.name()) if shared else None
    ended = False
    try:
        extractor = RuleExtractor(recipe.extract, pool, kept) if shared else None
        yield LoadWorkers(extractor, Embedder(model, pool.on_gpus() if pool else None))
        ended = True
    finally:
        if kept:
            kept.close(written=ended)
        if pool:
            pool.close()


def forget_readings(home: Path, corpus: str) -> None:
    """Remove what a killed load of a corpus had read and not written."""
    file = _readings(home, corpus)
    for path in file.parent.glob(f"{file.name}*"):  # SQLite's own files beside it too
        path.unlink(missing_ok=True)


def _readings(home: Path, corpus: str) -> Path:
    return home / "readings" / f"{keys.corpus_code(corpus)}.sqlite"
