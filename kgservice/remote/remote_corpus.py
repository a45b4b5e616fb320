"""A corpus of a service: what `Corpus` does, over HTTP."""

from __future__ import annotations

import copy
import io
import time
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import IO, Any, NoReturn, Self

import httpx
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, TypeAdapter

from kgservice.answering.ask import Answer
from kgservice.core.errors import BadRequest, KgserviceError, NotFound
from kgservice.core.http_service import HttpService
from kgservice.core.records import Question, Subgraph, Totals
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.sources import ANY, each_path
from kgservice.names.corpus_names import named_source, none_called
from kgservice.questions.export.question_rows import flat_rows, ragas_rows
from kgservice.questions.selection import Plan, Refreshed
from kgservice.retrieval.hit import PlacedHit
from kgservice.retrieval.retriever import as_document

LONG = 3_600.0  # seconds that a selection of questions or a load may take
PAUSE = 0.5  # seconds between two looks at a job
PAGE, CHUNKS, FILES = 100, 100, 1_000  # the most of one request


class RemoteCorpus:
    """A corpus of the service at an address, by the methods of `Corpus`.

    The key's role decides: a reader asks and retrieves, a curator loads and makes questions. What the role may not do
    raises BadRequest, with the service's reason. A method that needs the database itself says so.
    """

    def __init__(self, name: str, url: str, key: str = "", *, http: httpx.Client | None = None) -> None:
        self.name, self._service = name, HttpService(url, key, http=http)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def __getattr__(self, name: str) -> NoReturn:
        if name in ("graph", "settings", "embedder"):
            raise AttributeError(f"{name} is the service's own: open the corpus without a url, beside its database")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def load(
        self,
        *paths: str | Path | Iterable[str | Path],
        loader: str = ANY,
        extract: str = "rules+reader",
        vectors: bool = True,
        ray: str = "",
    ) -> LoadReport:
        """Send files, or those of folders, wait until they are loaded, and return what became of each document.

        A file is known by its path as given, so sending it again replaces it. The service reads each by what it
        holds, with rules and vectors, on its own machine: anything else raises BadRequest, a path that is not there
        NotFound.
        """
        if (loader, extract, vectors, ray) != (ANY, "rules+reader", True, ""):
            raise BadRequest(
                "over HTTP files are read by what they hold, with rules and vectors: open the corpus locally"
            )
        names = [file for path in each_path(paths) for file in _files(path)]
        if not 1 <= len(names) <= FILES:
            raise BadRequest(f"{len(names):,} files: one load over HTTP takes 1 to {FILES:,}; load folder by folder")
        parts = [("files", (str(name), _SentFile(name))) for name in names]
        asked = {"params": {"corpus": self.name, "questions": False}, "files": parts, "timeout": LONG}
        job = self._service.json("POST", "/files", **asked)
        return LoadReport.model_validate(self._awaited(job, "the load"))

    def as_of(self, day: date) -> Self:
        """Return the corpus as of a day, which the service writes; `load` raises BadRequest there."""
        job = self._order("/views", {"as_of": day.isoformat()})
        found = copy.copy(self)
        found.name = self._awaited(job, f"the corpus as of {day}")["view"]
        return found

    def totals(self) -> Totals:
        """Return how many documents, chunks, facts and entities there are.

        Raises NotFound for no such corpus, BadRequest for one as of a day and where this key is shown no facts.
        """
        items = self._service.json("GET", "/corpora")["items"]
        known = next((item for item in items if item["corpus"] == self.name), None)
        names = [item["corpus"] for item in items]
        if known is None and named_source(self.name) in names:
            raise BadRequest(f"the service counts no corpus as of a day: open {self.name!r} beside its database")
        if known is None:
            raise NotFound(none_called(self.name, names))
        if known["facts"] is None:
            raise BadRequest(f"corpus {self.name!r} has a release, so its facts are not counted for a reader")
        return Totals.model_validate({name: known[name] for name in Totals.model_fields})

    def ask(self, question: str, retriever: str = "graph") -> Answer:
        """Return the answer that the documents give, with its sentences; `answer` is "" where they give none."""
        return Answer.model_validate(self._order("/ask", {"question": question, "retriever": retriever}))

    def retrieve(self, query: str, retriever: str = "graph", k: int = 10) -> list[PlacedHit]:
        """Return the k best chunks for a query with their places, best first."""
        found = self._order("/retrieve", {"query": query, "retriever": retriever, "k": k})
        return TypeAdapter(list[PlacedHit]).validate_python(found["hits"])

    def as_retriever(self, name: str = "graph", k: int = 10) -> BaseRetriever:
        """Return a LangChain retriever over the corpus."""
        return _RemoteRetriever(remote=self, retriever=name, k=k)

    def evaluate(self, system: Any, k: int = 5) -> NoReturn:
        """Raise BadRequest: the places of the evidence are in the database."""
        raise BadRequest("evidence is compared beside the database: open the corpus locally, or measure a release")

    def subgraphs(self, pattern: str, limit: int | None = None, **options: Any) -> Iterator[Subgraph]:
        """Yield the subgraphs of a pattern whose question has exactly one answer.

        `options` are the fields of SubgraphOptions. The service sends no `property`, types and kind of a fact, and no
        `entities`: these are empty here.
        """
        rows = self._items(f"/subgraphs/{pattern}", options)
        yield from (Subgraph.model_validate(row) for row in islice(rows, limit))

    def generate(self, plan: Plan | None = None) -> Refreshed:
        """Make the questions of a plan, of the default patterns if none is given; ids of questions that stand stay."""
        wanted = (plan or Plan()).model_dump(mode="json")
        return Refreshed.model_validate(self._order("/questions", wanted))

    def refresh(self) -> Refreshed:
        """Bring the questions up to date with the documents; the first time they are made."""
        return Refreshed.model_validate(self._order("/questions/refresh", {"first": True}))

    def questions(self, pattern: str | None = None, state: str | None = "active") -> list[Question]:
        """Return the questions in order of id; `state` is active, rejected or retired, None takes all."""
        wanted = {name: value for name, value in (("pattern", pattern), ("state", state)) if value is not None}
        return [Question.model_validate(row) for row in self._items("/questions", wanted)]

    def rows(self) -> list[dict[str, Any]]:
        """Return the active questions as flat rows, for `pandas.DataFrame(rows)` or `datasets.Dataset.from_list(rows)`.

        The columns are id, pattern, asked, question, answers, sentences (one a fact) and chunks.
        """
        return flat_rows(self.questions())

    def ragas_rows(self) -> list[dict[str, Any]]:
        """Return the active questions as rows for ragas: `EvaluationDataset.from_list(rows)`."""
        found, texts = self.questions(), dict[str, str]()
        keys = sorted({chunk for item in found for chunk in item.chunk_ids})
        for start in range(0, len(keys), CHUNKS):
            shown = self._service.json("GET", "/chunks", params={"key": keys[start : start + CHUNKS]})["items"]
            texts |= {item["chunk"]: item["text"] for item in shown}
        return ragas_rows(found, texts)

    def _awaited(self, job: dict[str, Any], what: str) -> Any:
        """Return the report of a job when it has ended. Raises KgserviceError if it fails or takes an hour."""
        end = time.monotonic() + LONG
        while not job["finished"]:
            if time.monotonic() > end:
                raise KgserviceError(f"{what} goes on at the service as job {job['id']}")
            time.sleep(PAUSE)
            job = self._service.json("GET", f"/jobs/{job['id']}")
        if job["state"] != "done":
            raise KgserviceError(f"{what} ended as {job['state']}: {job['error'] or 'it was cancelled'}")
        return job["report"]

    def _order(self, path: str, body: dict[str, Any]) -> Any:
        return self._service.json("POST", path, json=body | {"corpus": self.name}, timeout=LONG)

    def _items(self, path: str, wanted: dict[str, Any]) -> Iterator[Any]:
        """Yield the items of a list, page by page."""
        after: str | None = ""
        given = {name: value for name, value in wanted.items() if value is not None}
        while after is not None:
            asked = given | {"corpus": self.name, "limit": PAGE, "after": after}
            page = self._service.json("GET", path, params=asked, timeout=LONG)
            yield from page["items"]
            after = page["next"]


class _SentFile(io.RawIOBase):
    """A file that is open only while it is sent: a thousand at once are more than many systems let a program open."""

    def __init__(self, path: Path) -> None:
        self._path, self._size, self._at = path, path.stat().st_size, 0
        self._file: IO[bytes] | None = None

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._end()
        self._at = offset + (self._size if whence == io.SEEK_END else 0)
        return self._at

    def read(self, size: int = -1) -> bytes:
        if self._file is None:
            self._file = self._path.open("rb")
            self._file.seek(self._at)
        found = self._file.read(size)
        self._at += len(found)
        if not found:
            self._end()
        return found

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class _RemoteRetriever(BaseRetriever):
    """A retriever of the service, by name."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    remote: RemoteCorpus
    retriever: str
    k: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        return [as_document(hit) for hit in self.remote.retrieve(query, self.retriever, k or self.k)]


def _files(path: Path) -> list[Path]:
    """Return a file, or the files of a folder in sorted order, without names that begin with a dot and links."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise NotFound(f"no such file or folder: {path}")
    inside = ((file, file.relative_to(path).parts) for file in sorted(path.rglob("*")))
    return [file for file, parts in inside if file.is_file() and not file.is_symlink() and not _hidden(parts)]


def _hidden(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(".") for part in parts)
