"""A kgservice over HTTP: who calls it, and what its refusals become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from kgservice.core.errors import BadRequest, Forbidden, KgserviceError, NotFound, TooMany

SECONDS = 60.0


TOO_MANY = 429
REFUSALS = {401: Forbidden, 403: Forbidden, 404: NotFound}  # by status


class HttpService:
    """The address of a service and a key. Every refusal is a KgserviceError that says what to do."""

    def __init__(self, url: str, key: str = "", *, http: httpx.Client | None = None) -> None:
        self._http = http or httpx.Client(base_url=url, timeout=SECONDS)
        self._headers = {"X-API-Key": key} if key else {}

    def json(self, method: str, path: str, **given: Any) -> Any:
        """Return the JSON of a response; `given` is what httpx takes (json, params, files, timeout)."""
        answer = self.response(method, path, **given)
        try:
            return answer.json()
        except ValueError as error:
            raise KgserviceError(f"{answer.url} answers, but not in JSON: is it the address of a kgservice?") from error

    def response(self, method: str, path: str, **given: Any) -> httpx.Response:
        """Return a successful response.

        Raises NotFound, Forbidden (401 and 403), TooMany (429), BadRequest for any other refusal, KgserviceError if
        nothing answers.
        """
        try:
            answer = self._http.request(method, path, headers=self._headers, **given)
        except httpx.HTTPError as error:
            raise KgserviceError(
                f"{self._http.base_url} does not answer ({error}): is `kgservice serve` up?"
            ) from error
        if answer.is_success:
            return answer
        if answer.status_code == TOO_MANY:
            raise TooMany(_reason(answer), float(answer.headers.get("Retry-After", 0)))
        raise REFUSALS.get(answer.status_code, BadRequest)(_reason(answer))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _reason(answer: httpx.Response) -> str:
    """Return what a problem says, with the rows that are wrong."""
    try:
        problem: Mapping[str, Any] = answer.json()
    except ValueError:
        return f"{answer.status_code}: {answer.text[:200]}"
    rows = "".join(f"\n  {one['field']}: {one['error']}" for one in problem.get("errors") or ())
    return f"{answer.status_code}: {problem.get('detail', answer.reason_phrase)}{rows}"
