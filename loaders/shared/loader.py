"""What all file loaders share: the walk, the check for duplicates, and the way out to LangChain."""

from __future__ import annotations

import json
import logging
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar, NoReturn

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LangChainDocument

from kgservice.core.records import Document, Problem
from loaders.shared.fields import Json, Refused
from loaders.shared.files import File, Line, lines, rejected, walk

log = logging.getLogger(__name__)


class FileLoader(BaseLoader):
    """Reads a file, or a folder's files with one of `suffixes`.

    `name` is what `path` is called in identities (an upload's or a packaged file's own name); "" means: as
    `files.shown` says. Nothing is opened before the first record is asked for. Links that lead out of a folder are
    rejected unless `follow_links`. Who bounds the reading (`kgservice.ingest.sources`) is told by `begins` what is
    read next, its name and bytes, and names in `passed` what is not to be read again.
    """

    suffixes: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path, *, name: str = "", follow_links: bool = False) -> None:
        self.path = Path(path)
        self.name = name
        self.follow_links = follow_links
        self.passed: Collection[str] = ()
        self.begins: Callable[[str, int], None] = _nobody

    def read(self) -> Iterator[Document | Problem]:
        """Documents and problems one by one; of documents with one identity the first is kept."""
        seen: set[int] = set()
        for item in self.records():
            if isinstance(item, Document):
                key = digest(item.source)
                if key in seen:
                    yield rejected(item.source, "duplicate id", "the first document of this name was kept")
                    continue
                seen.add(key)
            yield item

    def records(self) -> Iterator[Document | Problem]:
        """All records of all files, before duplicates are taken out."""
        for file in self.files(self.path, self.name):
            if isinstance(file, Problem):
                yield file
            else:
                yield from self.documents(file)

    def files(self, path: Path, name: str) -> Iterator[File | Problem]:
        """The files to read at a path."""
        for file in walk(path, name, self.suffixes, follow_links=self.follow_links):
            called, size = (file.name, file.path.stat().st_size) if isinstance(file, File) else (file.source, 0)
            if called not in self.passed:
                self.begins(called, size)
                yield file

    def count(self) -> int | None:
        """How many documents there will be, for a progress bar; None where only reading them would tell."""
        return sum(1 for _ in walk(self.path, self.name, self.suffixes, follow_links=self.follow_links))

    @abstractmethod
    def documents(self, file: File) -> Iterator[Document | Problem]:
        """The records of one file."""

    def lazy_load(self) -> Iterator[LangChainDocument]:
        """The good documents for LangChain; problems go to the log."""
        for item in self.read():
            if isinstance(item, Problem):
                log.warning("%s: %s (%s) %s", item.source, item.reason, item.state, item.detail)
                continue
            known = {"title": item.title, "url": item.url, "domain": item.domain, "doc_type": item.doc_type}
            known["published"] = item.published.isoformat() if item.published else None
            metadata = {key: value for key, value in known.items() if value}
            yield LangChainDocument(
                id=item.source, page_content=item.text, metadata={**item.metadata, **metadata, "source": item.source}
            )


class DocumentLoader(FileLoader):
    """Reads one document a file."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """The document of the file, or why it is none."""
        try:
            yield self.document(file)
        except Refused as refusal:
            yield refusal.problem(file.name)

    @abstractmethod
    def document(self, file: File) -> Document | Problem:
        """The one document of the file; raises Refused."""


class RecordLoader(FileLoader):
    """Reads JSONL: one JSON object a line, one document an object."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def count(self) -> None:
        """Unknown before the lines are read."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """The records of one file."""
        yield from self.objects(lines(file), file.name)

    def objects(self, content: Iterable[Line | Problem], file: str) -> Iterator[Document | Problem]:
        """The records of lines of JSON; a problem is named by file and line number."""
        for line in content:
            if isinstance(line, Problem):
                yield line
                continue
            try:
                yield self.document(parsed(line), file, line.number)
            except Refused as refusal:
                yield refusal.problem(f"{file}:{line.number}")

    @abstractmethod
    def document(self, record: Json, file: str, line: int) -> Document:
        """One record as a document; raises Refused."""


def _nobody(name: str, size: int) -> None:
    """Nobody bounds the reading."""


def digest(source: str) -> int:
    """64 bits for an identity: a million documents fit in some 70 MB, and collide once in 30 million times."""
    return int.from_bytes(blake2b(source.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def parsed(line: Line) -> Json:
    """The JSON object of a line; raises Refused for anything else."""
    try:
        record = json.loads(line.text, parse_constant=_not_json)
        if "\\ud" in line.text or "\\uD" in line.text:  # half a surrogate pair cannot be stored
            json.dumps(record, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refused("malformed line", f"line {line.number} is not JSON: {str(error)[:160]}") from None
    if not isinstance(record, dict):
        raise Refused("malformed line", f"line {line.number} is not a JSON object; write one object a line")
    return record


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
