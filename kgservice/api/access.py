"""Who a caller is: API keys with a name and a role, of which the disk holds only hashes.

A key is 256 random bits, so a plain SHA-256 of it can neither be guessed nor be searched through, and looking a hash up
tells nothing by the time it takes.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import SecretStr

from kgservice.errors import BadRequest, NotFound, SettingsError
from kgservice.model import Record
from kgservice.sqlite import transaction

Role: TypeAlias = Literal["reader", "curator", "admin"]
RANK: dict[Role, int] = {"reader": 0, "curator": 1, "admin": 2}
SHORTEST, FEWEST = 24, 8  # letters of a key in KGS_API_KEYS that others can reach, and different ones among them
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}", re.ASCII)


class Key(Record):
    """A key without the secret. A new key of a name that was revoked before stands for the same owner."""

    id: str
    name: str
    role: Role
    created: datetime
    revoked: datetime | None = None
    sha256: str


class Caller(Record):
    """Who asks. `owner` is whose submissions are theirs: a key's name, or that of a role in KGS_API_KEYS.

    The keys of KGS_API_KEYS may be in several hands, so who has one (`shared`) is shown no list of what is theirs.
    """

    role: Role
    owner: str = ""
    shared: bool = True


ANYONE = Caller(role="admin")  # where no keys are configured
_TABLE = "key (id TEXT PRIMARY KEY, record TEXT NOT NULL)"


class Keys:
    """The keys in a file, read anew when it changes, and those of KGS_API_KEYS."""

    def __init__(self, path: Path, given: Mapping[str, SecretStr]) -> None:
        self._path = path
        self._shared = {_digest(secret): Caller(role=role, owner=f"any {role}") for role, secret in shared(given)}
        self._seen: tuple[int, ...] = ()
        self._known: tuple[Key, ...] = ()
        self._callers: dict[str, Caller] = {}

    def caller(self, secret: str) -> Caller | None:
        """Return who has this key; None for a wrong one."""
        digest = _digest(secret)
        self._look()
        return self._callers.get(digest) or self._shared.get(digest)

    def configured(self) -> bool:
        """Say whether a key is needed: from the first one on, also when all are revoked."""
        self._look()
        return bool(self._known or self._shared)

    def all(self) -> tuple[Key, ...]:
        """Return the keys of the file, oldest first."""
        self._look()
        return self._known

    def create(self, name: str, role: Role) -> tuple[Key, str]:
        """Make a key; its secret is nowhere but in what is returned (BadRequest for a name that is in use)."""
        if not _NAME.fullmatch(name):
            raise BadRequest(f"no name for a key: {name!r}; take letters, digits and . _ @ -, at most 64")
        secret = f"kgs_{secrets.token_urlsafe(32)}"
        key = Key(id=uuid.uuid4().hex[:8], name=name, role=role, created=datetime.now(UTC), sha256=_digest(secret))
        with transaction(self._path, _TABLE) as db:
            db.execute("BEGIN IMMEDIATE")
            if any(one.name == name and not one.revoked for one in _read(db)):
                raise BadRequest(f"{name!r} has a key: `kgservice keys revoke {name}` first, or take another name")
            db.execute("INSERT INTO key VALUES (?, ?)", (key.id, key.model_dump_json()))
        return key, secret

    def revoke(self, which: str) -> Key:
        """Take a key back at once, by its name or id (NotFound)."""
        with transaction(self._path, _TABLE) as db:
            db.execute("BEGIN IMMEDIATE")
            valid = [one for one in _read(db) if not one.revoked]
            found = next((one for one in valid if which in (one.name, one.id)), None)
            if found is None:
                names = ", ".join(one.name for one in valid) or "none"
                raise NotFound(f"no key {which!r} to revoke; there are: {names}")
            gone = found.model_copy(update={"revoked": datetime.now(UTC)})
            db.execute("UPDATE key SET record = ? WHERE id = ?", (gone.model_dump_json(), gone.id))
        return gone

    def _look(self) -> None:
        try:
            there = self._path.stat()
        except FileNotFoundError:
            self._seen, self._known, self._callers = (), (), {}
            return
        seen = (there.st_ino, there.st_mtime_ns, there.st_size)
        if seen == self._seen:
            return
        with transaction(self._path, _TABLE) as db:
            self._known = tuple(_read(db))
        self._callers = {
            one.sha256: Caller(role=one.role, owner=one.name, shared=False) for one in self._known if not one.revoked
        }
        self._seen = seen


def shared(given: Mapping[str, SecretStr]) -> list[tuple[Role, str]]:
    """Return the keys of KGS_API_KEYS by role; a role that does not exist or an empty key is a SettingsError."""
    unknown = sorted(set(given).difference(RANK))
    if unknown:
        raise SettingsError(f"KGS_API_KEYS: no role {', '.join(unknown)}; there are {', '.join(RANK)}")
    found = [(role, given[role].get_secret_value()) for role in RANK if role in given]
    for role, secret in found:
        if not secret:
            raise SettingsError(f"KGS_API_KEYS: the key of {role} is empty")
    if len({secret for _, secret in found}) < len(found):
        raise SettingsError("KGS_API_KEYS: two roles have the same key")
    return found


def check_public(host: str, keys: Keys, given: Mapping[str, SecretStr]) -> None:
    """Refuse to listen for other machines without keys, or with keys that can be guessed (SettingsError)."""
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
    """Say whether an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name, or a Unix socket
        return host == "localhost"


def _read(db: sqlite3.Connection) -> Iterable[Key]:
    rows = db.execute("SELECT record FROM key ORDER BY rowid").fetchall()
    return [Key.model_validate_json(row[0]) for row in rows]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
