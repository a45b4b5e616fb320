"""/files: files of any format, uploaded as they are; loading them, and bringing the questions up to date, is a job."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from kgservice.api.deps import CorpusName, TheCaller, TheGraph, TheJobs, queued
from kgservice.api.job_records import Job
from kgservice.api.jobs import Jobs
from kgservice.api.policy import gives
from kgservice.api.reading import MB, body_of
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.records import Document, Problem, Record
from kgservice.core.storage import owner_only
from kgservice.core.terminal import harmless
from kgservice.ingest.leftovers import LoadedFiles
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.load_workers import load_workers
from kgservice.ingest.pipeline import Advance, Recipe, load
from kgservice.ingest.sources import ANY, LoaderReading
from kgservice.questions.selection import follow

router = APIRouter(tags=["documents"])

SIZE, FILES, PART = 200 * MB, 1_000, 200  # bytes and files of one upload, bytes of one part of a name
FRESH = 60  # seconds in which an upload that has come in becomes a job
NEW = "new-"  # begins the folder of an upload that is still coming in
FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {"files": {"type": "array", "items": {"type": "string", "format": "binary"}}},
                }
            }
        },
    }
}


class Uploaded(Record):
    """Files that wait in a folder of their own, by the names that they were given."""

    folder: str
    names: tuple[str, ...] = Field(min_length=1)
    corpus: str
    questions: bool


class _Bounded(Request):
    """A request whose body ends where it grows over the limit."""

    async def stream(self) -> AsyncGenerator[bytes, None]:
        size = 0
        async for piece in super().stream():
            if (size := size + len(piece)) > SIZE:
                raise _too_large()
            yield piece


@router.post("/files", status_code=202, dependencies=[gives("orders")], openapi_extra={**body_of(SIZE), **FORM})
async def load_files(
    graph: TheGraph,
    jobs: TheJobs,
    caller: TheCaller,
    request: Request,
    response: Response,
    corpus: CorpusName = "default",
    questions: bool = Query(True, description="Make or refresh the questions when the files are loaded."),
) -> Job:
    """Load files in the background (multipart form, field `files`): each is read by what it holds, as `kgservice up`.

    A file is known by the name that it is sent with, so sending it again replaces it. Follow the job at the Location:
    its report names the first 100 documents that did not get in (`left_out`).
    """
    size = request.headers.get("content-length", "")
    if size.isdigit() and int(size) > SIZE:
        raise _too_large()
    await run_in_threadpool(graph.check_written, corpus)  # before the files come
    home: Path = request.app.state.settings.home
    await run_in_threadpool(sweep, home, jobs)
    async with _Bounded(request.scope, request.receive).form(max_files=FILES, max_fields=FILES) as form:
        given = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
        order = await run_in_threadpool(_saved, home, given, corpus, questions)
    try:
        job = await run_in_threadpool(lambda: jobs.add("files", corpus, order, by=caller.owner))
    except HTTPException:
        await run_in_threadpool(shutil.rmtree, home / "uploads" / order.folder)
        raise
    return queued(job, request, response, documents=len(order.names))


def work(app: FastAPI, order: str, advance: Advance) -> LoadReport:
    """Load uploaded files, bring the questions up to date, and remove the files."""
    given, state = Uploaded.model_validate_json(order), app.state
    home: Path = state.settings.home
    folder = home / "uploads" / given.folder
    recipe, model = Recipe(), state.settings.embedding_model
    with Journal(home, "files", given.corpus) as journal, load_workers(home, given.corpus, recipe, model) as by:
        reading = LoaderReading(ANY, [folder / name for name in given.names])
        found = LoadedFiles(state.job_graph, home, given.corpus, _named(reading, folder))
        on = (given.corpus, recipe, state.embedder, journal, advance)
        report = load(state.job_graph, found, *on, extractor=by.extractor)
    if given.questions and given.corpus in state.job_graph.corpora():
        advance("questions", follow(state.job_graph, given.corpus).added)
    shutil.rmtree(folder, ignore_errors=True)
    return report


def sweep(home: Path, jobs: Jobs, *, starting: bool = False) -> None:
    """Remove the files of uploads that no job waits for; `starting`: those that came in only in part, too."""
    waiting = {Uploaded.model_validate_json(order).folder for order in jobs.orders("files")}
    for folder in (home / "uploads").glob("*"):
        if folder.name not in waiting and (starting or not (folder.name.startswith(NEW) or _is_fresh(folder))):
            shutil.rmtree(folder, ignore_errors=True)


def _is_fresh(folder: Path) -> bool:
    """Return whether an upload may be about to become a job (True if it has just been removed)."""
    with suppress(FileNotFoundError):
        return time.time() - folder.stat().st_ctime < FRESH
    return True


def _saved(home: Path, given: Sequence[UploadFile], corpus: str, questions: bool) -> Uploaded:
    """Write the files below a folder of their own (BadRequest for none, and for names that no file can have)."""
    names = [_name(one.filename or "") for one in given]
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    if not names:
        raise BadRequest("no file came: send a multipart form whose field `files` holds one or more")
    if twice := next((name for name in names if names.count(name) > 1 or name in folders), None):
        raise BadRequest(f"two files are named {twice!r}: give each a name of its own")
    key = uuid.uuid4().hex
    coming = owner_only(home / "uploads" / f"{NEW}{key}")
    try:
        for one, name in zip(given, names, strict=True):
            owner_only((coming / name).parent)
            with (coming / name).open("wb") as file:
                shutil.copyfileobj(one.file, file)
        coming.rename(coming.with_name(key))
    except BaseException:
        shutil.rmtree(coming, ignore_errors=True)
        raise
    return Uploaded(folder=key, names=tuple(names), corpus=corpus, questions=questions)


def _name(given: str) -> str:
    """Return a file's name as a path below the folder of its upload."""
    parts = [part for part in given.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    name = "/".join(parts)
    steered = harmless(name) != name or not {"\n", "\t"}.isdisjoint(name)
    if not parts or steered or any(len(part.encode("utf-8", "replace")) > PART for part in parts):
        raise BadRequest(
            f"{given[:80]!r} is no name of a file: no control characters, {PART} bytes at most between two slashes"
        )
    if len(parts) > FILES // 100:
        raise BadRequest(f"{given[:80]!r} is too deep: {FILES // 100} folders at most")
    return name


def _named(found: LoaderReading, folder: Path) -> Iterator[Document | Problem]:
    """Yield documents and problems by the names that their files were given."""
    for item in chain(found):
        given = item.source.partition(f"{folder.name}/")[2] or item.source
        yield item.model_copy(update={"source": given})


def _too_large() -> HTTPException:
    return HTTPException(413, f"the files are over {SIZE:,} bytes together, the most of one request: send fewer")
