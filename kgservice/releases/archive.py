"""Releases on disk, <folder>/<version>/: written beside, renamed into place, never changed, checked when read.

With a key (`KGS_RELEASE_KEY`) private files are written encrypted, by the library cryptography's Fernet (AES-128 in
CBC mode, authenticated by HMAC-SHA256). The manifest has the hashes of what they say.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from filelock import FileLock, Timeout
from pydantic import Field, SecretStr, ValidationError

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record
from kgservice.core.storage import owner_only

FIRST, LATEST = "1.0.0", "latest"
MANIFEST = "manifest.json"
ANSWERS, MAPPING = "private/private_qa.jsonl", "private/private_texts_mapping.jsonl"
WAIT = 5.0  # seconds for another process that publishes
_VERSION = re.compile(r"([1-9]\d*)\.(\d+)\.(\d+)", re.ASCII)


class Filed(Record):
    """A file of a release: `name` is its path within the release, rows are lines; bytes and hash are unencrypted."""

    name: str
    access: Literal["public", "private"]
    rows: int
    bytes: int
    sha256: str
    encrypted: bool = Field(False, exclude_if=lambda encrypted: not encrypted)


class ReleaseCounts(Record):
    """Questions by pattern in each part, passages and documents; given = test + train + left out."""

    given: int
    test: dict[str, int]
    train: dict[str, int]
    sandbox: dict[str, int]
    left_out: dict[str, int]
    texts: int
    documents: int


class Manifest(Record):
    """What a release is. `content` is a hash over all files, so equal contents have equal ones.

    `next_question`, `next_text`: the public ids that no question or text of this corpus has had yet.
    """

    version: str
    corpus: str
    previous: str | None = Field(description="the release of this corpus before this one")
    created: datetime
    per_pattern: int
    seed: int
    counts: ReleaseCounts
    next_question: int
    next_text: int
    content: str
    files: tuple[Filed, ...]

    def shown(self) -> Manifest:
        """Return the manifest as everybody may see it: a hash of a private file would tell who guesses its content."""
        return self.model_copy(update={"files": tuple(one for one in self.files if one.access == "public")})


class Making(Record):
    """What the maker of a release says of it; the archive adds version, time and files."""

    corpus: str
    previous: str | None
    per_pattern: int
    seed: int
    counts: ReleaseCounts
    next_question: int
    next_text: int


class Archive:
    """The folder of releases. The versions are one line over all corpora; the middle number counts.

    `key` encrypts private files: one that `new_key` made, or several parted by commas, of which the first encrypts and
    all decrypt. Raises BadRequest for what is no key.
    """

    def __init__(self, folder: Path, key: SecretStr | None = None) -> None:
        self.folder = folder
        self._cipher = _cipher(key.get_secret_value()) if key else None

    def all(self, corpus: str | None = None) -> tuple[Manifest, ...]:
        """Return the releases, of one corpus or of all, oldest first."""
        names = [path.name for path in self.folder.iterdir()] if self.folder.is_dir() else []
        found = (self._manifest(name) for name in sorted(filter(_VERSION.fullmatch, names), key=_numbers))
        return tuple(one for one in found if corpus in (None, one.corpus))

    def latest(self, corpus: str | None = None) -> Manifest | None:
        """Return the newest release, None where there is none."""
        return next(reversed(self.all(corpus)), None)

    def get(self, version: str, corpus: str | None = None) -> Manifest:
        """Return a release by its version or "latest", of a corpus or, with None, of any.

        Raises NotFound if there is no such release, BadRequest if it is of another corpus.
        """
        if version == LATEST and (newest := self.latest(corpus)):
            return newest
        if not _VERSION.fullmatch(version) or not (self.folder / version).is_dir():
            known = ", ".join(one.version for one in self.all(corpus)[-5:]) or "none: run `kgservice release create`"
            of = f" of corpus {corpus!r}" if corpus is not None else ""
            raise NotFound(f"no release {version!r}{of}; there are: {known}")
        found = self._manifest(version)
        if corpus not in (None, found.corpus):
            raise BadRequest(f"release {version} is of corpus {found.corpus!r}, not of {corpus!r}: name its own corpus")
        return found

    def file(self, release: Manifest, name: str, *, private: bool = False) -> bytes:
        """Return a file, checked by its hash (NotFound for what is no file of it, or a private one unless `private`).

        The name is looked up in the manifest and becomes part of a path only if it is there.
        """
        known = {one.name: one for one in release.files if private or one.access == "public"}
        if name not in known:
            raise NotFound(f"release {release.version} has no public file {name!r}; it has: {', '.join(sorted(known))}")
        try:
            data = (self.folder / release.version / name).read_bytes()
        except OSError as error:
            raise BadRequest(f"release {release.version} is damaged: cannot read {name}: {error.strerror}") from error
        if known[name].encrypted:
            data = self._decrypted(release.version, data)
        if hashlib.sha256(data).hexdigest() != known[name].sha256:
            raise BadRequest(
                f"release {release.version} is damaged: {name} is not what was published; restore a backup"
            )
        return data

    def _decrypted(self, version: str, data: bytes) -> bytes:
        try:
            if self._cipher is None:
                raise BadRequest(f"the private files of release {version} are encrypted: set KGS_RELEASE_KEY")
            return self._cipher.decrypt(data)
        except InvalidToken as error:
            raise BadRequest(
                f"a private file of release {version} is damaged, or KGS_RELEASE_KEY is not its key"
            ) from error

    @contextmanager
    def staging(self) -> Iterator[Staging]:
        """Give a place to write the next release; what is not published is gone at the end, or at the next staging."""
        try:
            owner_only(self.folder).chmod(0o700)
            lock = FileLock(self.folder / ".lock", timeout=WAIT).acquire()
        except Timeout as error:
            raise BadRequest("another process is making a release: try again when it has ended") from error
        except OSError as error:
            raise BadRequest(f"cannot write a release in {self.folder}: {error}") from error
        with lock:
            for left in self.folder.glob(".staging-*"):  # of a process that was killed
                shutil.rmtree(left)
            last = self.latest()
            folder = self.folder / f".staging-{uuid.uuid4().hex}"
            folder.mkdir(mode=0o755)
            try:
                yield Staging(folder, _next(last.version) if last else FIRST, self._cipher)
            except OSError as error:
                raise BadRequest(f"cannot write a release in {self.folder}: {error}") from error
            finally:
                shutil.rmtree(folder, ignore_errors=True)  # not there any more when it was published

    def _manifest(self, version: str) -> Manifest:
        try:
            return Manifest.model_validate_json((self.folder / version / MANIFEST).read_bytes())
        except (OSError, ValidationError) as error:
            raise BadRequest(f"release {version} in {self.folder} is damaged: restore it from a backup") from error


class Staging:
    """A release that is being written, invisible until it is published."""

    def __init__(self, folder: Path, version: str, cipher: MultiFernet | None = None) -> None:
        self._folder, self.version, self._cipher = folder, version, cipher
        self.files: list[Filed] = []

    def write(self, name: str, lines: Iterable[str], *, private: bool = False) -> None:
        """Write a file a line at a time, and hash it; one that is encrypted is held in memory."""
        path = self._folder / name
        for parent in reversed(path.relative_to(self._folder).parents[:-1]):
            (self._folder / parent).mkdir(mode=0o700 if private else 0o755, exist_ok=True)
        rows, size, digest = 0, 0, hashlib.sha256()
        cipher = self._cipher if private else None
        held = bytearray()
        with path.open("xb") as out:
            for line in lines:
                data = f"{line}\n".encode()
                held.extend(data) if cipher else out.write(data)
                digest.update(data)
                rows, size = rows + 1, size + len(data)
            if cipher:
                out.write(cipher.encrypt(bytes(held)))
            out.flush()
            os.fsync(out.fileno())
        path.chmod(0o400 if private else 0o444)
        access: Literal["public", "private"] = "private" if private else "public"
        self.files.append(
            Filed(
                name=name, access=access, rows=rows, bytes=size, sha256=digest.hexdigest(), encrypted=cipher is not None
            )
        )

    def read(self, name: str) -> bytes:
        """Return a file that was written."""
        data = (self._folder / name).read_bytes()
        encrypted = self._cipher and any(one.encrypted for one in self.files if one.name == name)
        return self._cipher.decrypt(data) if self._cipher and encrypted else data

    def publish(self, making: Making) -> Manifest:
        """Make the release visible, all of it at once."""
        files = tuple(sorted(self.files, key=lambda one: one.name))
        content = hashlib.sha256(json.dumps([(one.name, one.sha256) for one in files]).encode()).hexdigest()
        release = Manifest(
            version=self.version, created=datetime.now(UTC), content=content, files=files, **dict(making)
        )  # fmt: skip
        with (self._folder / MANIFEST).open("x", encoding="utf-8") as out:
            out.write(release.model_dump_json(indent=1) + "\n")
            out.flush()
            os.fsync(out.fileno())
        (self._folder / MANIFEST).chmod(0o444)
        self._folder.rename(self._folder.parent / self.version)
        return release


def new_key() -> str:
    """Return a new key for `KGS_RELEASE_KEY`: 256 random bits in 44 characters."""
    return Fernet.generate_key().decode()


def _cipher(keys: str) -> MultiFernet:
    try:
        return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])
    except ValueError as error:
        raise BadRequest("KGS_RELEASE_KEY is no key: `kgservice release key` makes one") from error


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _next(version: str) -> str:
    """DRAGON, section 3.1: 1.10.0 is followed by 1.11.0."""
    major, minor, _ = _numbers(version)
    return f"{major}.{minor + 1}.0"
