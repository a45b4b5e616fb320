"""ragas: an EvaluationDataset or test set as it writes it (`to_jsonl`): questions, references and contexts."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Json, Refused, folded, string
from loaders.shared.files import File, lines
from loaders.shared.loader import RecordLoader, parsed

CONTEXTS = ("reference_contexts", "retrieved_contexts")


class RagasLoader(RecordLoader):
    """Reads single-turn samples: each context is a document, known by its text, and so is each question (type
    "question", with its reference as metadata). A context that several samples have is one document."""

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the contexts and questions of one file."""
        seen: set[str] = set()
        for line in lines(file):
            if isinstance(line, Problem):
                yield line
                continue
            try:
                record = parsed(line)
                question = self.document(record, file.name, line.number)
                found = [*_contexts(record)]
            except Refused as refusal:
                yield refusal.problem(f"{file.name}:{line.number}")
                continue
            yield from (one for one in found if one.source not in seen)
            seen |= {one.source for one in found}
            yield question

    def document(self, record: Json, file: str, line: int) -> Document:
        """Return the question of a sample."""
        if isinstance(record.get("user_input"), list):
            raise Refused("several turns", "only single-turn samples are read: user_input is a conversation")
        text = string(record, "user_input").strip()
        if not text:
            raise Refused("no text", '"user_input" holds no text: is this a data set of ragas?')
        known: dict[str, Scalar] = {name: said for name in ("reference", "response") if (said := string(record, name))}
        return Document(
            source=f"{file}#{line}", text=text, title=folded(text)[:120], doc_type="question", metadata=known
        )


def _contexts(record: Json) -> Iterator[Document]:
    for name in CONTEXTS:
        given = record.get(name) or []
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise Refused("malformed line", f'"{name}" must be a list of texts')
        for text in filter(str.strip, given):
            yield Document(source=f"context-{blake2b(text.encode(), digest_size=10).hexdigest()}", text=text)
