"""BEIR: the corpus of a retrieval benchmark (Thakur et al., 2021), in its own format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePosixPath

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Json, Refused, folded, identity, is_scalar, string
from loaders.shared.files import File, failed, link_out, shown
from loaders.shared.loader import RecordLoader

NAMES = ("corpus.jsonl", "corpus.jsonl.gz")


class BeirLoader(RecordLoader):
    """Reads a corpus.jsonl(.gz), or the one in a folder: {_id, title, text, metadata}.

    A record without text but with a title keeps its title as text, because judgements may name it. Of the metadata
    texts, numbers and true/false are kept; lists and objects (SCIDOCS has some) are left out.
    """

    def records(self) -> Iterator[Document | Problem]:
        """The records of the corpus file; queries and judgements beside it are not documents."""
        name = self.name or shown(self.path)
        inside = [path for path in (self.path / corpus for corpus in NAMES) if os.path.lexists(path)]
        if os.path.isdir(self.path) and not inside:  # noqa: PTH112
            yield failed(name, "no files", "the folder holds no corpus.jsonl(.gz)")
            return
        path = inside[0] if inside else self.path
        name = str(PurePosixPath(name, path.name)) if inside else name
        if inside and not self.follow_links and (refusal := link_out(path, name, self.path)):
            yield refusal
            return
        for file in self.files(path, name):
            if isinstance(file, File):
                yield from self.documents(file)
            else:
                yield file

    def document(self, record: Json, file: str, line: int) -> Document:
        """One passage of the corpus."""
        title = folded(string(record, "title"))
        text = string(record, "text")
        if not text.strip():
            text = title
        if not text:
            raise Refused("no text", 'neither "text" nor "title" holds anything')
        own = record.get("_id")
        if isinstance(own, int) and not isinstance(own, bool):  # judgements name it as a text
            record = {**record, "_id": str(own)}
        return Document(
            source=identity(record, ("_id",), file, line), text=text, title=title, metadata=_metadata(record)
        )


def _metadata(record: Json) -> dict[str, Scalar]:
    given = record.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise Refused("bad metadata", f'"metadata" must be an object, not {type(given).__name__}')
    return {key: value for key, value in given.items() if is_scalar(value)}
