"""API keys with a name and a role. The disk holds only their hashes.

A key is 256 random bits, so its plain SHA-256 cannot be guessed or searched, and a lookup by hash reveals nothing by
its time.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import sqlite3
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, SecretStr

from kgservice.core.errors import BadRequest, NotFound, SettingsError
from kgservice.core.records import Record
from kgservice.core.sqlite import transaction

log = logging.getLogger("kgservice")
Role: TypeAlias = Literal["reader", "curator", "admin"]
RANK: dict[Role, int] = {"reader": 0, "curator": 1, "admin": 2}
SHORTEST, FEWEST = 24, 8  # least length and distinct letters of a key in KGS_API_KEYS on a public host
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}", re.ASCII)


class Key(Record):
    """A key without the secret. A new key with a revoked name belongs to the same owner."""

    id: str
    name: str
    role: Role
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
    used: datetime | None = Field(None, description="the last time, to the minute")
    sha256: str

    def state(self, now: datetime) -> Literal["valid", "expired", "revoked"]:
        """Return whether the key is valid, revoked or expired."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires and self.expires <= now else "valid"


class Caller(Record):
    """The caller of a request. `owner` owns submissions: the key's name, or that of a role in KGS_API_KEYS.

    Several people may share a key of KGS_API_KEYS (`shared`), so its caller gets no list of its submissions.
    """

    role: Role
    owner: str = ""
    shared: bool = True


ANYONE = Caller(role="admin")  # if no keys are configured
USED_EVERY = timedelta(minutes=1)  # least time between two writes of a key's last use
_TABLE = "key (id TEXT PRIMARY KEY, record TEXT NOT NULL)"
# in a file of its own, as a change of the key file makes it read again
_USED = "used (id TEXT PRIMARY KEY, at TEXT NOT NULL)"


class Keys:
    """The keys in a file, read again when it changes, and those of KGS_API_KEYS."""

    def __init__(self, path: Path, given: Mapping[str, SecretStr]) -> None:
        self._path, self._uses_path = path, path.with_name("keys-used.sqlite")
        self._shared = {_digest(secret): Caller(role=role, owner=f"any {role}") for role, secret in shared(given)}
        self._seen: tuple[int, ...] = ()
        self._known: tuple[Key, ...] = ()
        self._keys: dict[str, Key] = {}
        self._used: dict[str, datetime] = {}

    def caller(self, secret: str) -> Caller | None:
        """Return the caller with this key, or None if the key is not valid."""
        digest = _digest(secret)
        self._look()
        now, key = datetime.now(UTC), self._keys.get(digest)
        if key is None or key.state(now) != "valid":
            return self._shared.get(digest)
        self._note(key, now)
        return Caller(role=key.role, owner=key.name, shared=False)

    def configured(self) -> bool:
        """Return whether requests need a key: once a key was ever created, even if all are revoked."""
        self._look()
        return bool(self._known or self._shared)

    def all(self) -> tuple[Key, ...]:
        """Return the keys of the file, oldest first, each with its last use."""
        self._look()
        used = self._uses()
        return tuple(key.model_copy(update={"used": used.get(key.id)}) for key in self._known)

    def create(self, name: str, role: Role, days: int | None = None) -> tuple[Key, str]:
        """Create a key, and return it with its secret, which is not stored. Raises BadRequest if the name is in use."""
        if not _NAME.fullmatch(name):
            raise BadRequest(f"{name!r} is no name for a key: use at most 64 letters, digits and . _ @ -")
        secret = f"kgs_{secrets.token_urlsafe(32)}"
        now = datetime.now(UTC)
        end = {"created": now, "expires": now + timedelta(days=days) if days else None}
        key = Key(id=uuid.uuid4().hex[:8], name=name, role=role, sha256=_digest(secret), **end)
        with transaction(self._path, _TABLE) as db:
            db.execute("BEGIN IMMEDIATE")
            if any(other.name == name and other.state(now) == "valid" for other in _read(db)):
                raise BadRequest(f"{name!r} has a key: `kgservice keys revoke {name}` first, or take another name")
            db.execute("INSERT INTO key VALUES (?, ?)", (key.id, key.model_dump_json()))
        return key, secret

    def revoke(self, which: str) -> Key:
        """Revoke a key by its name or id, at once. Raises NotFound if no valid key has it."""
        with transaction(self._path, _TABLE) as db:
            db.execute("BEGIN IMMEDIATE")
            valid = [other for other in _read(db) if not other.revoked]
            key = next((other for other in valid if which in (other.name, other.id)), None)
            if key is None:
                names = ", ".join(other.name for other in valid) or "none"
                raise NotFound(f"no key {which!r} to revoke; there are: {names}")
            gone = key.model_copy(update={"revoked": datetime.now(UTC)})
            db.execute("UPDATE key SET record = ? WHERE id = ?", (gone.model_dump_json(), gone.id))
        return gone

    def _look(self) -> None:
        try:
            file = self._path.stat()
        except FileNotFoundError:
            self._seen, self._known, self._keys = (), (), {}
            return
        seen = (file.st_ino, file.st_mtime_ns, file.st_size)
        if seen == self._seen:
            return
        with transaction(self._path, _TABLE) as db:
            self._known = tuple(_read(db))
        self._keys = {key.sha256: key for key in self._known}
        self._seen = seen

    def _note(self, key: Key, now: datetime) -> None:
        if (last := self._used.get(key.id)) and now - last < USED_EVERY:
            return
        self._used[key.id] = now
        try:
            with transaction(self._uses_path, _USED) as db:
                db.execute("INSERT OR REPLACE INTO used VALUES (?, ?)", (key.id, now.isoformat(timespec="seconds")))
        except (OSError, sqlite3.Error) as error:  # a full disk keeps nobody out
            log.warning("the use of key %s cannot be kept: %s", key.id, error)

    def _uses(self) -> dict[str, datetime]:
        if not self._uses_path.exists():
            return {}
        with transaction(self._uses_path, _USED) as db:
            rows = db.execute("SELECT id, at FROM used").fetchall()
        return {key: datetime.fromisoformat(at) for key, at in rows}


def shared(given: Mapping[str, SecretStr]) -> list[tuple[Role, str]]:
    """Return the keys of KGS_API_KEYS by role.

    Raises SettingsError if a role is unknown or a key is empty or repeated.
    """
    if not set(given) <= set(RANK):  # not quoted: whoever writes {"KEY": "admin"} gives a key as the role
        raise SettingsError(f'KGS_API_KEYS: give roles their keys, {{"admin": "KEY"}}; the roles are {", ".join(RANK)}')
    by_role = [(role, given[role].get_secret_value()) for role in RANK if role in given]
    for role, secret in by_role:
        if not secret:
            raise SettingsError(f"KGS_API_KEYS: the key of {role} is empty")
    if len({secret for _, secret in by_role}) < len(by_role):
        raise SettingsError("KGS_API_KEYS: two roles have the same key")
    return by_role


def check_public(host: str, keys: Keys, given: Mapping[str, SecretStr]) -> None:
    """Raise SettingsError if other machines can reach `host` and there are no keys, or weak ones."""
    if is_loopback(host):
        return
    if not keys.configured():
        raise SettingsError(
            f"{host} is reached by other machines, and without keys everyone may change everything: "
            "run `kgservice keys create NAME --role admin` first, or listen on 127.0.0.1"
        )
    weak = [role for role, secret in shared(given) if len(secret) < SHORTEST or len(set(secret)) < FEWEST]
    if weak:
        raise SettingsError(
            f"KGS_API_KEYS: the key of {', '.join(weak)} is too weak for {host}, which other machines reach: "
            f"take {SHORTEST} random characters or more, or keys made by `kgservice keys create`"
        )


def is_loopback(host: str) -> bool:
    """Return whether an address or name is this machine's loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, or a Unix socket
        return host == "localhost"


def _read(db: sqlite3.Connection) -> Iterable[Key]:
    rows = db.execute("SELECT record FROM key ORDER BY rowid").fetchall()
    return [Key.model_validate_json(row[0]) for row in rows]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
