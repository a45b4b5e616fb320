"""An encoder whose texts are encoded by the workers of a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache, cached_property

from kgservice.core.errors import KgserviceError
from kgservice.core.pools import Pool
from kgservice.vectors.encoder import Encoder, encoder

PART = 32  # texts a call: a fraction of a second by the packaged model

Vectors = list[list[float]]


class PooledEncoder:
    """A model in the memory of each worker. As no vector depends on the other texts, any worker makes the same."""

    def __init__(self, name: str, pool: Pool) -> None:
        self._name, self._pool = name, pool

    @cached_property
    def _about(self) -> tuple[int, dict[str, str | None]]:
        return self._pool.run_apart(_about, self._name)

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._about[0]

    @property
    def prompts(self) -> Mapping[str, str | None]:
        """Return the prefixes that the model names."""
        return self._about[1]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text. A worker that dies costs a part of the texts, which is encoded once more."""
        parts = [list(texts[at : at + PART]) for at in range(0, len(texts), PART)]
        futures = [self._pool.submit(_encode, self._name, part) for part in parts]
        return [vector for part, future in zip(parts, futures, strict=True) for vector in self._result(part, future)]

    def encode_fast(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of `encode`."""
        return self.encode(texts)

    def _result(self, part: list[str], future: Future[Vectors]) -> Vectors:
        try:
            return future.result()
        except KgserviceError:
            raise
        except Exception:  # noqa: BLE001 - once more: what is wrong with the texts is raised then
            return self._pool.run_apart(_encode, self._name, part)


@cache
def _model(name: str) -> Encoder:
    return encoder(name, threads=1)


def _about(name: str) -> tuple[int, dict[str, str | None]]:
    model = _model(name)
    return model.dimension, dict(model.prompts)


def _encode(name: str, texts: Sequence[str]) -> Vectors:
    return _model(name).encode(texts)
