"""Counts what a load of files leaves in the corpus: documents without a file, and texts held under several names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import FolderCounts, Leftovers
from kgservice.ingest.near_duplicates import NearDuplicates


def leftovers(graph: Graph, corpus: str, paths: Iterable[Path], compared: NearDuplicates) -> Leftovers:
    """Return what the corpus holds below the folders among `paths`, and which texts of the load are held twice."""
    folders = sorted({name for path in paths if path.is_dir() and (name := _name(path))})
    return Leftovers(
        folders=_folders(graph, corpus, folders) if folders else None,
        same_text=compared.same_texts(),
        same_text_example=compared.example(),
    )


def _folders(graph: Graph, corpus: str, folders: Iterable[str]) -> FolderCounts:
    code = keys.corpus_code(corpus)
    found = {
        row["source"]: Path(folder)
        for folder in folders
        for row in graph.read("read/sources_under", code=code, until=code + "~", folder=f"{folder}/")
    }
    gone = sorted(source for source, folder in found.items() if not _on_disk(source, folder))
    return FolderCounts(given=len(found), on_disk=len(found) - len(gone), gone=tuple(gone))


def _name(folder: Path) -> str:
    """Return the folder as loaders name it, "" for the working directory: its documents have no folder's name."""
    whole = Path(os.path.abspath(folder))  # as loaders/shared/files.py does: a link keeps its name  # noqa: PTH100
    here = Path.cwd()
    return "" if whole == here else (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _on_disk(source: str, folder: Path) -> bool:
    """Return whether the file of a document is there: its source is the path, with "#12" behind it for a part."""
    paths = [Path(source), Path(source.rpartition("#")[0] or source)]
    return any(os.path.lexists(path) or any(one.is_file() for one in path.parents if one != folder) for path in paths)
