"""Finds a loader by name (entry-point group `kgservice.loaders`) and reads its documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from kgservice.errors import NotFound
from kgservice.model import Document, Problem


def names() -> list[str]:
    """Return the names of the installed loaders."""
    return sorted({entry.name for entry in entry_points(group="kgservice.loaders")})


def read(loader: str, paths: Iterable[Path]) -> Iterator[Document | Problem]:
    """Yield the documents and problems of each path; a plain LangChain loader works too (NotFound for no loader)."""
    made = _loader(loader)
    return (item for path in paths for item in _read(made, Path(path)))


def expected(loader: str, paths: Iterable[Path]) -> int | None:
    """How many documents and problems `read` will yield, where the loader can tell without reading them."""
    made = _loader(loader)
    if not hasattr(made, "count"):
        return None
    total = 0
    for path in paths:
        if (number := made(Path(path)).count()) is None:
            return None
        total += number
    return total


def _loader(name: str) -> Any:
    found = [entry for entry in entry_points(group="kgservice.loaders") if entry.name == name]
    if not found:
        raise NotFound(f"no loader {name!r}: choose one of {', '.join(names())}")
    return found[0].load()


def _read(made: Any, path: Path) -> Iterator[Document | Problem]:
    if hasattr(made, "read"):
        yield from made(path).read()
        return
    for index, item in enumerate(made(str(path)).lazy_load()):
        scalars = {key: value for key, value in item.metadata.items() if isinstance(value, str | int | float | bool)}
        source = str(item.id or scalars.get("source") or path) + (f"#{index}" if not item.id else "")
        yield Document(source=source, text=item.page_content, title=str(scalars.get("title", "")), metadata=scalars)
