"""The index of Wikidata at 10^5 and 10^6 items: items a second, megabytes, peak memory, milliseconds a look-up.

The first items are CoDEx's, where its data are there; the others a dump in the real layout by a seeded generator: names
of two to four words of a Zipf vocabulary (so that some are shared, and trigrams are as uneven as in real ones), two
aliases, a description, eight claims. Each size has a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]

from linking_data import DATA, TABLES, rows_of

from kgservice.linking.index_build import Building
from kgservice.linking.wikidata_index import Wikidata, folded

LABELS = "codex/entity_labels.jsonl.gz"
FIRST = 10**9  # the numbers of synthetic items follow
SYLLABLES = (
    "ka ri to men sal vor is ber lin ton ham ster ana qui rol fen dor wick ash mar lo pe tra nov gor und el ix".split()
)


def main() -> None:
    """Build an index of each size and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    options = parser.parse_args()
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        found = zip(options.sizes, pool.map(measured, options.sizes), strict=True)
        print(json.dumps({f"items_{size}": one for size, one in found}))


def measured(size: int) -> dict[str, float]:
    """Build an index of so many items; then look names up, as they are and with a letter changed."""
    with tempfile.TemporaryDirectory() as folder:
        dump, path = Path(folder) / "dump.json.gz", Path(folder) / "wikidata.sqlite"
        real = [row["label"] for row in rows_of(LABELS)][:size] if (DATA / LABELS).exists() else []
        names = [*real[:: max(1, len(real) // 100)], *_dump(dump, size - len(real))]
        sources = [*(DATA / "codex" / name for name in (Path(LABELS).name, *TABLES) if real), dump]
        started = time.perf_counter()
        with Building(path, ("en",)) as building:
            for source in sources:
                building.add(source)
            read = time.perf_counter() - started
            building.finish()
        seconds, peak = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        _forgotten(path)
        cold, warm = _looked_up(path, names), _looked_up(path, names)
        looked = {f"cold_{name}": told for name, told in cold.items()} | {f"warm_{n}": told for n, told in warm.items()}
        return {
            "real_items": len(real),
            "seconds": round(seconds, 1),
            "items_a_second": round(size / seconds),
            "seconds_sorting": round(seconds - read, 1),
            "megabytes": round(path.stat().st_size / 2**20, 1),
            "bytes_an_item": round(path.stat().st_size / size),
            "peak_mb": round(peak, 1),
        } | looked


def _looked_up(path: Path, names: Sequence[str]) -> dict[str, float]:
    """Milliseconds of looks at names, as they are and with a letter changed, of an index that was just opened."""
    with Wikidata(path) as index:
        exact = [_milliseconds(lambda name=name: index.named(folded(name))) for name in names]  # type: ignore[misc]
        fuzzy = [_milliseconds(lambda name=name: index.similar(folded(_slip(name)), 10)) for name in names]  # type: ignore[misc]
    return {
        "exact_p50_ms": round(statistics.median(exact), 3),
        "exact_p95_ms": round(statistics.quantiles(exact, n=20)[18], 3),
        "fuzzy_p50_ms": round(statistics.median(fuzzy), 2),
        "fuzzy_p95_ms": round(statistics.quantiles(fuzzy, n=20)[18], 2),
    }


def _forgotten(path: Path) -> None:
    """Have the operating system drop what it keeps of a file in memory."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _dump(path: Path, size: int) -> list[str]:
    """Write the dump; return a hundred of its names."""
    names = []
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as out:
        out.write("[\n")
        for number, entity in enumerate(_entities(size)):
            if number % max(1, size // 100) == 0:
                names.append(entity["labels"]["en"]["value"])  # type: ignore[index]
            out.write(json.dumps(entity) + ",\n")
        out.write("]\n")
    return names


def _entities(size: int) -> Iterator[dict[str, object]]:
    draw = random.Random(2026)
    words = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))).title() for _ in range(60_000)]
    for number in range(1, size + 1):
        label, *aliases = (
            " ".join(words[int(60_000 ** draw.random()) - 1] for _ in range(draw.randint(2, 4))) for _ in range(3)
        )
        claims: dict[str, list[object]] = {}
        for known in ("P31", "P17", "P131", "P106", "P27", "P19", "P69", "P108"):
            value = {"entity-type": "item", "id": f"Q{FIRST + int(size ** draw.random())}"}
            snak = {"snaktype": "value", "property": known, "datavalue": {"value": value, "type": "wikibase-entityid"}}
            claims[known] = [{"mainsnak": snak, "type": "statement", "rank": "normal"}]
        yield {
            "type": "item",
            "id": f"Q{FIRST + number}",
            "labels": {"en": {"language": "en", "value": label}},
            "descriptions": {"en": {"language": "en", "value": f"item of {words[number % 60_000]}"}},
            "aliases": {"en": [{"language": "en", "value": alias} for alias in aliases]},
            "claims": claims,
            "sitelinks": {f"wiki{n}": {} for n in range(int(20 * draw.random() ** 8))},
        }


def _slip(name: str) -> str:
    """A name with a letter wrong."""
    middle = len(name) // 2
    return name[:middle] + ("x" if name[middle] != "x" else "y") + name[middle + 1 :]


def _milliseconds(look: object) -> float:
    started = time.perf_counter()
    look()  # type: ignore[operator]
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
