"""/releases: the versions of the benchmark and their public files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Query, Response

from kgservice.api.deps import TheArchive, reader
from kgservice.benchmark.archive import Manifest
from kgservice.benchmark.release import Diff, diff
from kgservice.model import Record

router = APIRouter(prefix="/releases", tags=["releases"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file as it was published.", "content": {"application/octet-stream": {}}}
}


class Releases(Record):
    """The releases, oldest first."""

    items: tuple[Manifest, ...]


@router.get("", dependencies=[reader])
def list_releases(archive: TheArchive, corpus: str | None = Query(None, min_length=1)) -> Releases:
    """List the releases, oldest first; `corpus` keeps to those of one corpus."""
    return Releases(items=archive.all(corpus))


@router.get("/{version}", dependencies=[reader])
def get_release(version: str, archive: TheArchive) -> Manifest:
    """Return what a release holds, by its version or `latest`: counts, and each file with its hash."""
    return archive.get(version)


@router.get("/{version}/diff", dependencies=[reader])
def get_diff(version: str, archive: TheArchive, since: str = Query(description="An older release.")) -> Diff:
    """Say which questions were added, kept and retired since an older release of the corpus, and why."""
    return diff(archive, since, version)


@router.get("/{version}/files/{name:path}", response_class=Response, responses=FILE, dependencies=[reader])
def get_file(version: str, name: str, archive: TheArchive) -> Response:
    """Return a public file of a release; private ones are given to nobody."""
    release = archive.get(version)
    return Response(archive.file(release, name), media_type="application/octet-stream")
