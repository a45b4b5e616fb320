"""What an outside team needs: fetch a release, run a system on it, measure on the sandbox, submit, follow."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import TypeAdapter

from kgservice.core.errors import BadRequest
from kgservice.core.http_service import SECONDS, HttpService
from kgservice.leaderboard.board import Board
from kgservice.leaderboard.submissions import Submission
from kgservice.releases.archive import LATEST, Manifest
from kgservice.releases.public import SANDBOX, Benchmark, Results, benchmark

PAUSE = 0.5


def written(results: Results) -> dict[str, Any]:
    """Return results in DRAGON's client format, {"0": {"found_ids": […], "model_answer": "…"}}."""
    return {str(key): result.model_dump(mode="json") for key, result in results.items()}


class Client:
    """A kgservice at an address. Every refusal is a KgserviceError that says what to do."""

    def __init__(self, url: str, key: str = "", *, http: httpx.Client | None = None) -> None:
        self._service = HttpService(url, key, http=http)

    def releases(self) -> tuple[Manifest, ...]:
        """Return the releases, oldest first."""
        return TypeAdapter(tuple[Manifest, ...]).validate_python(self._service.json("GET", "/releases")["items"])

    def fetch(self, version: str = LATEST) -> Benchmark:
        """Return the texts and questions of a release."""
        return self._benchmark(self._release(version), "")

    def sandbox(self, version: str = LATEST) -> Benchmark:
        """Return the sandbox of a release: the same form, with answers."""
        return self._benchmark(self._release(version), SANDBOX)

    def submit(
        self, benchmark: Benchmark, results: Results, system: str, *, resubmits: str | None = None
    ) -> Submission:
        """Submit the results of a release; keep the id, it alone leads to the submission."""
        body = {"version": benchmark.version, "system": system, "resubmits": resubmits, "results": written(results)}
        return Submission.model_validate(self._service.json("POST", "/submissions", json=body))

    def submission(self, key: str) -> Submission:
        """Return a submission by its id; it has its scores once it is approved."""
        return Submission.model_validate(self._service.json("GET", f"/submissions/{key}"))

    def submissions(self) -> tuple[Submission, ...]:
        """Return the submissions of this key, oldest first; an admin's key gives all of them."""
        return _submissions(self._service.json("GET", "/submissions"))

    def follow(self, key: str, seconds: float = SECONDS) -> Submission:
        """Wait until a submission has been evaluated, at most so long, and return it."""
        end = time.monotonic() + seconds
        while (found := self.submission(key)).state == "received" and time.monotonic() < end:
            time.sleep(PAUSE)
        return found

    def history(self, key: str) -> tuple[Submission, ...]:
        """Return the submissions of the same system, oldest first; each knows the states it went through."""
        return _submissions(self._service.json("GET", f"/submissions/{key}/resubmissions"))

    def withdraw(self, key: str) -> Submission:
        """Take a submission back."""
        return Submission.model_validate(self._service.json("DELETE", f"/submissions/{key}"))

    def decide(self, key: str, *, approved: bool, reason: str = "") -> Submission:
        """Approve an evaluated submission, which puts it on the leaderboard, or decline it; for an admin's key."""
        body = {"approved": approved, "reason": reason}
        return Submission.model_validate(self._service.json("POST", f"/submissions/{key}/decision", json=body))

    def close(self, version: str) -> Manifest:
        """End a release: its leaderboard shows the private half of the questions then; for an admin's key."""
        return Manifest.model_validate(self._service.json("POST", f"/releases/{version}/closing"))

    def leaderboard(self, version: str = LATEST, last: int = 1) -> Board:
        """Return the approved submissions of a version, or of the last ones up to it, best first."""
        return Board.model_validate(
            self._service.json("GET", "/leaderboard", params={"version": version, "last": last})
        )

    def _release(self, version: str) -> Manifest:
        return Manifest.model_validate(self._service.json("GET", f"/releases/{version}"))

    def _benchmark(self, release: Manifest, part: str) -> Benchmark:
        return benchmark(release.version, lambda name: self._file(release, name), part)

    def _file(self, release: Manifest, name: str) -> bytes:
        data = self._service.response("GET", f"/releases/{release.version}/files/{name}").content
        wanted = next(one.sha256 for one in release.files if one.name == name)
        if hashlib.sha256(data).hexdigest() != wanted:
            raise BadRequest(f"{name} arrived damaged: fetch release {release.version} again")
        return data


def _submissions(found: Mapping[str, Any]) -> tuple[Submission, ...]:
    return TypeAdapter(tuple[Submission, ...]).validate_python(found["items"])
