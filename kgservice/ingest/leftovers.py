"""Files to load, and what their load leaves in the corpus: documents without a file, texts under several names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path

from kgservice.core import keys
from kgservice.core.records import Document, Problem
from kgservice.graph.store import Graph
from kgservice.ingest.admission import recent
from kgservice.ingest.load_report import FolderCounts, Leftovers
from kgservice.ingest.near_duplicates import NearDuplicates

FORMATS = "md markdown txt text adoc asciidoc org html htm xhtml pdf rst eml json jsonl ndjson tsv csv xml".split()
ENDINGS = tuple(f".{name}{packed}" for name in FORMATS for packed in ("", ".gz", ".bz2"))


class LoadedFiles:
    """The documents and problems of files, without articles that say nearly the same. Iterate over it once.

    `paths` are the files and folders that were named, if they are on this machine. `opened` is called for each document
    or problem as its loader gives it, long before a batch of them is read. Documents before `since` become problems.
    """

    def __init__(
        self,
        graph: Graph,
        home: Path,
        corpus: str,
        found: Iterable[Document | Problem],
        paths: Iterable[Path] = (),
        opened: Callable[[Document | Problem], object] = lambda one: None,
        since: date | None = None,
    ) -> None:
        self._graph, self._corpus, self._found, self._paths, self._opened = graph, corpus, found, paths, opened
        self._since = since
        self._compared = NearDuplicates(home / "articles.sqlite", corpus, graph.versions)

    def __iter__(self) -> Iterator[Document | Problem]:
        return self._compared.once(self._told())

    def _told(self) -> Iterator[Document | Problem]:
        for one in self._found:
            self._opened(one)
            yield recent(one, self._since)  # before articles are compared: what is not stored has no duplicate

    def leftovers(self) -> Leftovers:
        """Return what the corpus holds below the folders among the paths, and what texts of the load are held twice."""
        folders = sorted({_name(path) for path in self._paths if path.is_dir()})
        return Leftovers(
            folders=_folders(self._graph, self._corpus, folders) if folders else None,
            same_text=self._compared.same_texts(),
            same_text_example=self._compared.example(),
        )


def _folders(graph: Graph, corpus: str, folders: Iterable[str]) -> FolderCounts:
    code = keys.corpus_code(corpus)
    found = {
        row["source"]: Path(folder)
        for folder in folders
        for row in graph.read("read/sources_under", code=code, until=code + "~", folder=f"{folder}/" if folder else "")
        if folder or _is_file_name(row["source"])
    }
    gone = sorted(source for source, folder in found.items() if not _on_disk(source, folder))
    return FolderCounts(given=len(found), on_disk=len(found) - len(gone), gone=tuple(gone))


def _is_file_name(source: str) -> bool:
    """Return whether a source is a path below the working directory, by its form: no address, and no id of a record.

    >>> [_is_file_name(one) for one in ("a.md", "b/c.jsonl.gz#12", "https://x.org/a", "/data/a.md", "Q1 | P1", "7")]
    [True, True, False, False, False, False]
    """
    path = source if source.lower().endswith(ENDINGS) else source.rpartition("#")[0]
    return path.lower().endswith(ENDINGS) and not path.startswith("/") and ":" not in path


def _name(folder: Path) -> str:
    """Return the folder as loaders name it, "" for the working directory: its documents have no folder's name."""
    whole = Path(os.path.abspath(folder))  # as loaders/shared/files.py does: a link keeps its name  # noqa: PTH100
    here = Path.cwd()
    return "" if whole == here else (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _on_disk(source: str, folder: Path) -> bool:
    """Return whether the file of a document is there: its source is the path, with "#12" behind it for a part."""
    paths = [Path(source), Path(source.rpartition("#")[0] or source)]
    return any(os.path.lexists(path) or any(one.is_file() for one in path.parents if one != folder) for path in paths)
