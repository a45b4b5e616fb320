"""The client of an outside team: fetch a release, run a system, measure on the sandbox, submit, follow."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import TypeAdapter, ValidationError

from kgservice.core.errors import BadRequest
from kgservice.core.http_service import SECONDS, HttpService
from kgservice.leaderboard.board import Board
from kgservice.leaderboard.submissions import Submission
from kgservice.releases.archive import LATEST, Manifest
from kgservice.releases.public import SANDBOX, Benchmark, Results, benchmark

PAUSE = 0.5
_RESULTS = TypeAdapter(Results)


def written(results: Results) -> dict[str, Any]:
    """Return results in DRAGON's client format, {"0": {"found_ids": […], "model_answer": "…"}}.

    Raises BadRequest if they have another form.
    """
    try:
        known = _RESULTS.validate_python(results)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, ("results", *problem["loc"])))
        form = 'give {0: Result(found_ids=[…], model_answer="…")}, by the public ids of the questions'
        raise BadRequest(f"{where}: {problem['msg']}; {form}") from error
    return {str(key): result.model_dump(mode="json") for key, result in known.items()}


class Client:
    """A kgservice at an address. Raises KgserviceError with the service's reason for every refusal."""

    def __init__(self, url: str, key: str = "", *, http: httpx.Client | None = None) -> None:
        self._service = HttpService(url, key, http=http)

    def releases(self) -> tuple[Manifest, ...]:
        """Return the releases, oldest first."""
        return TypeAdapter(tuple[Manifest, ...]).validate_python(self._service.json("GET", "/releases")["items"])

    def fetch(self, version: str = LATEST) -> Benchmark:
        """Return the texts and questions of a release."""
        return self._benchmark(self._release(version), "")

    def sandbox(self, version: str = LATEST) -> Benchmark:
        """Return the sandbox of a release: the same format, with answers."""
        return self._benchmark(self._release(version), SANDBOX)

    def submit(
        self, benchmark: Benchmark, results: Results, system: str, *, resubmits: str | None = None
    ) -> Submission:
        """Submit the results of a release.

        Keep the id: with a key that teams share nothing else leads to the submission; a key of one's own lists its own
        (`submissions`).
        """
        body = {"version": benchmark.version, "system": system, "resubmits": resubmits, "results": written(results)}
        return Submission.model_validate(self._service.json("POST", "/submissions", json=body))

    def submission(self, key: str) -> Submission:
        """Return a submission by its id. It has scores once it is approved."""
        return Submission.model_validate(self._service.json("GET", f"/submissions/{key}"))

    def submissions(self) -> tuple[Submission, ...]:
        """Return the submissions of this key, oldest first. An admin's key returns all of them."""
        return _submissions(self._service.json("GET", "/submissions"))

    def follow(self, key: str, seconds: float = SECONDS) -> Submission:
        """Wait at most `seconds` until a submission is evaluated, and return it."""
        end = time.monotonic() + seconds
        while (submission := self.submission(key)).state == "received" and time.monotonic() < end:
            time.sleep(PAUSE)
        return submission

    def history(self, key: str) -> tuple[Submission, ...]:
        """Return the submissions of the same system with their states, oldest first."""
        return _submissions(self._service.json("GET", f"/submissions/{key}/resubmissions"))

    def withdraw(self, key: str) -> Submission:
        """Withdraw a submission."""
        return Submission.model_validate(self._service.json("DELETE", f"/submissions/{key}"))

    def decide(self, key: str, *, approved: bool, reason: str = "") -> Submission:
        """Approve an evaluated submission for the leaderboard, or decline it. Needs an admin's key."""
        body = {"approved": approved, "reason": reason}
        return Submission.model_validate(self._service.json("POST", f"/submissions/{key}/decision", json=body))

    def close(self, version: str) -> Manifest:
        """Close a release, so that its leaderboard shows the private half. Needs an admin's key."""
        return Manifest.model_validate(self._service.json("POST", f"/releases/{version}/closing"))

    def leaderboard(self, version: str = LATEST, last: int = 1) -> Board:
        """Return the approved submissions of a version, or of the `last` ones up to it, best first."""
        return Board.model_validate(
            self._service.json("GET", "/leaderboard", params={"version": version, "last": last})
        )

    def _release(self, version: str) -> Manifest:
        return Manifest.model_validate(self._service.json("GET", f"/releases/{version}"))

    def _benchmark(self, release: Manifest, part: str) -> Benchmark:
        return benchmark(release.version, lambda name: self._file(release, name), part)

    def _file(self, release: Manifest, name: str) -> bytes:
        data = self._service.response("GET", f"/releases/{release.version}/files/{name}").content
        wanted = next(file.sha256 for file in release.files if file.name == name)
        if hashlib.sha256(data).hexdigest() != wanted:
            raise BadRequest(f"{name} arrived damaged: fetch release {release.version} again")
        return data


def _submissions(page: Mapping[str, Any]) -> tuple[Submission, ...]:
    return TypeAdapter(tuple[Submission, ...]).validate_python(page["items"])
