"""Question sets of benchmarks in JSONL or tables, one document a question, so that they can be loaded and searched."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import ClassVar

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Json, Refused, folded, identity, is_scalar, string
from loaders.shared.files import MAX_DOCUMENT, File, matches, read_text
from loaders.shared.loader import RecordLoader


class QuestionSetLoader(RecordLoader):
    """A loader of questions, each in the first of the `question` fields with a text. Fields in `kept` become metadata.

    Lists of texts and numbers are joined by "; ". Other lists and objects, and lists with a "; " in a text, are kept as
    JSON. A record without one of the `kept` fields belongs to another file and is refused.
    """

    domain: ClassVar[str]
    key: ClassVar[str]
    question: ClassVar[tuple[str, ...]]
    kept: ClassVar[tuple[str, ...]]

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the questions of one file."""
        if not matches(file.path.name, (".csv", ".tsv")):
            yield from super().documents(file)
            return
        text = read_text(file)
        if isinstance(text, Problem):
            yield text
            return
        csv.field_size_limit(MAX_DOCUMENT)  # of this process; 131,072 characters, else
        delimiter = "\t" if matches(file.path.name, (".tsv",)) else ","
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        try:
            for row in rows:
                named = {name: value for name, value in row.items() if isinstance(name, str)}
                yield self._row(named, file.name, rows.line_num)
        except csv.Error as error:
            yield Refused("malformed line", f"no table from here on: {error}").problem(f"{file.name}:{rows.line_num}")

    def record(self, row: Json) -> Json:
        """Return the row of a table as a record of JSONL has it."""
        return row

    def _row(self, row: Json, file: str, line: int) -> Document | Problem:
        try:
            return self.document(self.record(row), file, line)
        except Refused as refusal:
            return refusal.problem(f"{file}:{line}")

    def document(self, record: Json, file: str, line: int) -> Document:
        """Return one question. Raises Refused if a field or the text is missing."""
        missing = [name for name in (*self.question, *self.kept) if name not in record]
        if missing:
            raise Refused("unknown shape", f"no field {', '.join(missing)}: is this a file of {self.domain}?")
        text = next((value for name in self.question if (value := string(record, name).strip())), "")
        if not text:
            raise Refused("no text", f'"{self.question[0]}" holds no text')
        return Document(
            source=identity(record, (self.key,), file, line),
            text=text,
            title=folded(text)[:120],
            doc_type="question",
            domain=self.domain,
            metadata={name.lower().replace(" ", "_"): _scalar(record[name]) for name in self.kept},
        )


def _scalar(value: object) -> Scalar:
    if isinstance(value, str | int | float | bool) and is_scalar(value):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        texts = [*map(str, value)]
        if not any("; " in text or text.startswith("[") for text in texts):
            return "; ".join(texts)
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
