"""Data sets in columns: Parquet, and folders of Hugging Face's `datasets` (Arrow). Needs the extra kgservice[parquet].

Nothing is downloaded: `datasets.load_dataset(name).save_to_disk(folder)` brings a data set of a hub here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from loaders.shared.fields import Json
from loaders.shared.files import File
from loaders.shared.row_loader import NeedsLibrary, RowLoader

ROWS = 500  # in memory at once


class ParquetLoader(RowLoader):
    """Reads a document a row of Parquet files."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def rows(self, file: File) -> Iterator[Json]:
        """Yield the rows of one file."""
        return _of_parquet(file)


class HuggingFaceLoader(RowLoader):
    """Reads a folder that `datasets` saved (`save_to_disk`), or one with Parquet files as a hub has it, all splits."""

    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".parquet")

    def rows(self, file: File) -> Iterator[Json]:
        """Yield the rows of one file."""
        return _of_parquet(file) if file.path.suffix == ".parquet" else _of_arrow(file)


def _of_parquet(file: File) -> Iterator[Json]:
    for batch in _pyarrow().parquet.ParquetFile(file.path).iter_batches(ROWS):
        yield from batch.to_pylist()


def _of_arrow(file: File) -> Iterator[Json]:
    arrow = _pyarrow()
    with arrow.memory_map(str(file.path)) as source:
        for batch in arrow.ipc.open_stream(source):
            yield from batch.to_pylist()


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise NeedsLibrary("this format", "pyarrow") from error
    return pyarrow
