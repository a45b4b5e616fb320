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
    """A loader of a corpus.jsonl(.gz), or of the one in a folder: {_id, title, text, metadata}.

    A record with a title and no text keeps its title as text, because judgements may name it. Texts, numbers and
    true/false of the metadata are kept. Lists and objects (as in SCIDOCS) are dropped.
    """

    def records(self) -> Iterator[Document | Problem]:
        """Yield the records of the corpus file. Queries and judgements beside it are no documents."""
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
        """Return one passage of the corpus. Raises Refused if it has no text and no title."""
        title = folded(string(record, "title"))
        text = string(record, "text")
        if not text.strip():
            text = title
        if not text:
            raise Refused("no text", 'neither "text" nor "title" holds anything')
        id_ = record.get("_id")
        if isinstance(id_, int) and not isinstance(id_, bool):  # judgements have it as a text
            record = {**record, "_id": str(id_)}
        return Document(
            source=identity(record, ("_id",), file, line), text=text, title=title, metadata=_metadata(record)
        )


def _metadata(record: Json) -> dict[str, Scalar]:
    fields = record.get("metadata")
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise Refused("bad metadata", f'"metadata" must be an object, not {type(fields).__name__}')
    return {key: value for key, value in fields.items() if is_scalar(value)}
