"""Relations by GLiNER2, a small model that finds named relations in one pass (extra `gliner`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kgservice.core.errors import BadRequest
from kgservice.core.records import Term, Triplet
from kgservice.extraction.extractor import Passages
from kgservice.text.sentences import sentences

MODEL = "fastino/gliner2-base-v1"
THRESHOLD = 0.5
RELATIONS = (  # a model of this kind looks for what it is told to
    "founded by|headquartered in|located in|capital of|born in|died in|born on|died on|spouse of|child of|citizen of|"
    "educated at|works for|chief executive of|chair of|member of|subsidiary of|acquired by|owned by|produced by|"
    "directed by|written by|performed by|award received|founded on|country of"
).split("|")


class Gliner2:
    """Reads texts by a GLiNER2 model: a name of the hub or a folder that holds one ("" for the default)."""

    def __init__(self, model: str = "", threshold: float = THRESHOLD) -> None:
        try:
            from gliner2 import GLiNER2
        except ImportError as error:
            raise BadRequest("--extract gliner2 needs its package: pip install 'gliner2[local]'") from error
        if model.startswith((".", "/", "~")) and not Path(model).expanduser().is_dir():
            raise BadRequest(f"no GLiNER2 model at {model!r}: give a folder that holds one, or a name of the hub")
        try:
            self._model: Any = GLiNER2.from_pretrained(model or MODEL)
        except (OSError, ValueError) as error:
            raise BadRequest(f"no GLiNER2 model at {model or MODEL!r}: give a folder or a name of the hub") from error
        self._threshold = threshold

    def extract(self, passages: Passages) -> list[list[Triplet]]:
        """Return what each text states: both ends in one sentence, which is the triplet's."""
        return [list(self._of_text(text)) for text in passages.texts]

    def _of_text(self, text: str) -> Iterator[Triplet]:
        spans = sentences(text)
        texts = [text[start:end] for start, end in spans]
        if not texts:
            return
        found = self._model.batch_extract_relations(texts, list(RELATIONS), threshold=self._threshold)
        for sentence, said in zip(texts, found, strict=True):
            seen = set()
            for relation, pairs in said.get("relation_extraction", {}).items():
                for head, tail in pairs:
                    if head and tail and head != tail and (head, relation, tail) not in seen:
                        seen.add((head, relation, tail))
                        yield Triplet(
                            subject=Term(label=head), relation=relation, object=Term(label=tail), sentence=sentence
                        )
