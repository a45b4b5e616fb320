"""/releases: the versions of the benchmark and their public files."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, FastAPI, Query, Request, Response
from pydantic import Field

from kgservice.api.deps import TheArchive, TheCaller, TheGraph, TheJobs, TheSubmissions, queued
from kgservice.api.job_records import Job, Published
from kgservice.api.policy import TheSight, gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.api.routes.baselines import ours
from kgservice.core.records import Record
from kgservice.ingest.pipeline import Advance
from kgservice.leaderboard.baselines import follow
from kgservice.releases.archive import Manifest
from kgservice.releases.openings import opened
from kgservice.releases.release import PER_PATTERN, Diff, create, diff

router = APIRouter(prefix="/releases", tags=["releases"], route_class=ReadingRoute)

FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file as it was published.", "content": {"application/octet-stream": {}}}
}


class Releases(Record):
    """The releases, oldest first."""

    items: tuple[Manifest, ...]


@router.get("", dependencies=[gives("releases")])
def list_releases(archive: TheArchive, corpus: str | None = Query(None, min_length=1)) -> Releases:
    """List the releases, oldest first; `corpus` keeps to those of one corpus."""
    return Releases(items=tuple(one.shown() for one in archive.all(corpus)))


class Freeze(Record):
    """What to release: the active questions of a corpus, at most so many a pattern, drawn by `seed`."""

    corpus: str = Field("default", min_length=1, examples=["demo"])
    per_pattern: int = Field(PER_PATTERN, ge=1, le=1_000_000)
    seed: int = Field(0, ge=-(2**63), lt=2**63)


@router.post("", status_code=202, dependencies=[gives("orders")], openapi_extra=body_of(MB // 10))
def create_release(
    freeze: Freeze, graph: TheGraph, jobs: TheJobs, caller: TheCaller, request: Request, response: Response
) -> Job:
    """Publish the next release of a corpus, as a job; approved baselines are measured on it at once.

    Where no question and no passage has changed since the last one, that one stays (`new` is false).
    """
    graph.check_corpus(freeze.corpus)
    graph.check_written(freeze.corpus)
    job = jobs.add("release", freeze.corpus, freeze, by=caller.owner, resumes=False)
    return queued(job, request, response, per_pattern=freeze.per_pattern, seed=freeze.seed)


def work(app: FastAPI, order: str, advance: Advance) -> Published:
    """Publish a release, then measure the approved baselines."""
    freeze, state = Freeze.model_validate_json(order), app.state
    last = state.archive.latest(freeze.corpus)
    closed = state.submissions.closed()
    made = create(state.job_graph, freeze.corpus, state.archive, freeze.per_pattern, freeze.seed, closed)
    advance("questions", sum(made.counts.test.values()))
    done, failed = follow(state.archive, state.submissions, ours(app), made, partial(advance, "baseline answers"))
    return Published(
        release=made.version, content=made.content, new=last is None or last.version != made.version,
        baselines=len(done), not_measured=failed,
    )  # fmt: skip


@router.get("/{version}", dependencies=[gives("releases")])
def get_release(version: str, archive: TheArchive) -> Manifest:
    """Return what a release holds, by its version or `latest`: counts, and each public file with its hash."""
    return archive.get(version).shown()


@router.post("/{version}/closing", dependencies=[gives("decisions")])
def close_release(version: str, archive: TheArchive, submissions: TheSubmissions, request: Request) -> Manifest:
    """End a release, for good: it takes no more submissions, and its leaderboard shows the private half."""
    release = archive.get(version)
    submissions.close(release.version)
    request.state.about |= {"version": release.version}
    return release.shown()


@router.get("/{version}/diff", dependencies=[gives("releases")])
def get_diff(
    version: str, archive: TheArchive, sight: TheSight, since: str = Query(description="An older release.")
) -> Diff:
    """Say which questions were added, kept and retired since an older release of the corpus, and why.

    Curators see by which documents too: readers do not, for those may have stated an answer of the older release.
    """
    return diff(archive, since, version, private=sight.sees("questions", archive.get(since).corpus))


class Openings(Record):
    """The answers of a release that nobody is asked for any more, with what proves that they were committed to."""

    items: tuple[dict[str, Any], ...]


@router.get("/{version}/openings", dependencies=[gives("releases")])
def get_openings(version: str, archive: TheArchive, submissions: TheSubmissions) -> Openings:
    """Open the commitments of a release's questions that have retired; check_release.py compares them."""
    return Openings(items=tuple(opened(archive, archive.get(version), submissions.closed())))


@router.get("/{version}/files/{name:path}", response_class=Response, responses=FILE, dependencies=[gives("releases")])
def get_file(version: str, name: str, archive: TheArchive) -> Response:
    """Return a public file of a release; private ones are given to nobody."""
    release = archive.get(version)
    return Response(archive.file(release, name), media_type="application/octet-stream")
