"""The base of file loaders: the walk, the check for duplicates, and documents for LangChain."""

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
    """A loader of a file, or of a folder's files with one of `suffixes`.

    `name` is the name of `path` in identities (of an upload or a packaged file). "": as in `files.shown`. Nothing is
    opened before the first record is requested. Links out of a folder are rejected unless `follow_links`. `begins`
    tells the process that bounds the reading (`kgservice.ingest.sources`) the name and size of the next file, and
    `passed` has the names of files to skip.
    """

    suffixes: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path, *, name: str = "", follow_links: bool = False) -> None:
        self.path = Path(path)
        self.name = name
        self.follow_links = follow_links
        self.passed: Collection[str] = ()
        self.begins: Callable[[str, int], None] = _nobody

    def read(self) -> Iterator[Document | Problem]:
        """Yield documents and problems one by one. The first of several documents with one identity is kept."""
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
        """Yield all records of all files, before duplicates are removed."""
        for file in self.files(self.path, self.name):
            if isinstance(file, Problem):
                yield file
            else:
                yield from self.documents(file)

    def files(self, path: Path, name: str) -> Iterator[File | Problem]:
        """Yield the files at a path."""
        for file in walk(path, name, self.suffixes, follow_links=self.follow_links):
            called, size = (file.name, file.path.stat().st_size) if isinstance(file, File) else (file.source, 0)
            if called not in self.passed:
                self.begins(called, size)
                yield file

    def count(self) -> int | None:
        """Return the number of documents for a progress bar, or None if it is unknown before reading."""
        return sum(1 for _ in walk(self.path, self.name, self.suffixes, follow_links=self.follow_links))

    @abstractmethod
    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the records of one file."""

    def lazy_load(self) -> Iterator[LangChainDocument]:
        """Yield the valid documents for LangChain. Problems are logged."""
        for item in self.read():
            if isinstance(item, Problem):
                log.warning("%s: %s (%s) %s", item.source, item.reason, item.state, item.detail)
                continue
            fields = {"title": item.title, "url": item.url, "domain": item.domain, "doc_type": item.doc_type}
            fields["published"] = item.published.isoformat() if item.published else None
            metadata = {key: value for key, value in fields.items() if value}
            yield LangChainDocument(
                id=item.source, page_content=item.text, metadata={**item.metadata, **metadata, "source": item.source}
            )


class DocumentLoader(FileLoader):
    """A loader of one document a file."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the document of the file, or its Problem."""
        try:
            yield self.document(file)
        except Refused as refusal:
            yield refusal.problem(file.name)

    @abstractmethod
    def document(self, file: File) -> Document | Problem:
        """Return the document of the file. Raises Refused."""


class RecordLoader(FileLoader):
    """A loader of JSONL: one JSON object a line, one document an object."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def count(self) -> None:
        """Return None, as the number is unknown before the lines are read."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the records of one file."""
        yield from self.objects(lines(file), file.name)

    def objects(self, content: Iterable[Line | Problem], file: str) -> Iterator[Document | Problem]:
        """Yield the records of lines of JSON. A problem is named by file and line number."""
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
        """Return one record as a document. Raises Refused."""


def _nobody(name: str, size: int) -> None:
    """Ignore the next file, if no process bounds the reading."""


def digest(source: str) -> int:
    """Return 64 bits for an identity. A million take some 70 MB, with a collision once in 30 million times."""
    return int.from_bytes(blake2b(source.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def parsed(line: Line) -> Json:
    """Return the JSON object of a line. Raises Refused for anything else."""
    try:
        record = json.loads(line.text, parse_constant=_not_json)
        if "\\ud" in line.text or "\\uD" in line.text:  # a lone surrogate cannot be stored
            json.dumps(record, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Refused("malformed line", f"line {line.number} is not JSON: {str(error)[:160]}") from None
    if not isinstance(record, dict):
        raise Refused("malformed line", f"line {line.number} is not a JSON object; write one object a line")
    return record


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
