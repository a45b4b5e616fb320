"""A pool of Ray's workers says at once that no cluster is there."""

from __future__ import annotations

import socket
import time

import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.ray_pool import RayPool

pytest.importorskip("ray", reason="Ray is not installed: `make tools`, or pip install ray")


@pytest.mark.parametrize("address", ["127.0.0.1:{0}", "ray://127.0.0.1:{0}", "[::1]:{0}", "none.invalid:{0}"])
def test_an_address_at_which_nothing_listens_is_said_soon(address: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        given = address.format(closed.getsockname()[1])
    started = time.monotonic()
    with pytest.raises(BadRequest, match="no Ray cluster at"):
        RayPool(given)
    assert time.monotonic() - started < 30
