"""Allowed origins of requests: names of this service, its own pages, and no proxy without keys.

Any web page can send requests to this machine from a browser on it, also under a name that resolves here (DNS
rebinding). The browser sends the name in Host and the page's origin in Origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.requests import Request

from kgservice.api.entry.access import is_loopback

READING = frozenset(("GET", "HEAD", "OPTIONS"))
FORWARDED = (  # headers of proxies
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
    "x-forwarded-server", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip",
)  # fmt: skip


def foreign(request: Request, hosts: Sequence[str], *, keyed: bool) -> str:
    """Return why a request is refused because of its origin, or an empty string.

    `hosts` (KGS_HOSTS) are further names of the service. With keys and without such names any Host is allowed.
    """
    if not keyed and (header := next((name for name in FORWARDED if name in request.headers), "")):
        return (
            f"without keys this answers programs on its own machine only, and a proxy sent this ({header}): "
            "run `kgservice keys create NAME --role admin`"
        )
    host = _name(f"//{request.headers.get('host', '')}")
    if (hosts or not keyed) and not (_own(host, request) or host in hosts):
        return f"{host[:100]!r} is no name of this service: call it 127.0.0.1 or localhost, or set KGS_HOSTS"
    origin = request.headers.get("origin")
    if origin is None or request.method in READING:
        return ""
    same = origin.lower().partition("://")[2] == request.headers.get("host", "").lower() != ""
    if same or _name(origin) in hosts:
        return ""
    return f"a page of {origin[:100]!r} may change nothing here: set KGS_HOSTS where that is a name of this service"


def _own(host: str, request: Request) -> bool:
    """Return whether a name is this machine's own, or the address of the connection, which DNS cannot forge."""
    server = request.scope.get("server")
    return is_loopback(host) or (server is not None and host == server[0].lower())


def _name(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:  # half a bracket
        return ""
