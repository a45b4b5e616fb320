"""Releases on disk: whole or not at all, never changed, private files given to nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import SecretStr

from kgservice.core.errors import BadRequest, NotFound
from kgservice.releases.archive import ANSWERS, Archive, new_key
from tests.unit.releases import published

KILLED = """
import sys, time
from pathlib import Path
from tests.unit.releases import published

def rows():
    yield "a line"
    time.sleep(600)
    yield "never"

published(Path(sys.argv[1]), rows())
"""


def test_versions_count_up_over_all_corpora(tmp_path: Path) -> None:
    made = [published(tmp_path, corpus=name).version for name in ["a", "b", *["a"] * 9]]
    assert made == [f"1.{number}.0" for number in range(11)]
    archive = Archive(tmp_path)
    assert [one.version for one in archive.all()] == made  # in order of number, not of text
    assert [one.version for one in archive.all("b")] == ["1.1.0"]
    assert archive.get("latest").version == "1.10.0"
    assert archive.latest("c") is None


def test_a_corpus_that_is_named_has_its_own_latest_release(tmp_path: Path) -> None:
    for name in ("a", "b"):
        published(tmp_path, corpus=name)
    archive = Archive(tmp_path)
    assert archive.get("latest", "a").version == archive.get("1.0.0", "a").version == "1.0.0"
    with pytest.raises(BadRequest, match=r"release 1\.1\.0 is of corpus 'b', not of 'a'"):
        archive.get("1.1.0", "a")
    with pytest.raises(NotFound, match=r"no release 'latest' of corpus 'c'; there are: none"):
        archive.get("latest", "c")


def test_equal_contents_have_equal_hashes(tmp_path: Path) -> None:
    one, two, other = published(tmp_path), published(tmp_path), published(tmp_path, ["else"])
    assert one.content == two.content != other.content
    assert {file.name: file.access for file in one.files} == {
        "private/private_qa.jsonl": "private",
        "private/private_texts_mapping.jsonl": "private",
        "public_texts.jsonl": "public",
    }


def test_private_files_are_encrypted_with_a_key_and_read_with_it_alone(tmp_path: Path) -> None:
    plain, key, newer = published(tmp_path), new_key(), new_key()
    one = published(tmp_path, release_key=key)
    assert one.content == plain.content  # what they say is the same
    opened = Archive(tmp_path, SecretStr(key))
    for file in one.files:
        stored = (tmp_path / one.version / file.name).read_bytes()
        said = opened.file(one, file.name, private=True)
        assert (stored == said) == (file.access == "public") == (not file.encrypted)
        assert said == opened.file(plain, file.name, private=True)  # releases of before a key are read too
    for wrong, words in ((None, "are encrypted: set KGS_RELEASE_KEY"), (newer, "KGS_RELEASE_KEY is not its key")):
        with pytest.raises(BadRequest, match=words):
            Archive(tmp_path, SecretStr(wrong) if wrong else None).file(one, ANSWERS, private=True)
    both = SecretStr(f"{newer}, {key}")
    assert Archive(tmp_path, both).file(one, ANSWERS, private=True) == opened.file(one, ANSWERS, private=True)
    with pytest.raises(BadRequest, match="kgservice release key"):
        Archive(tmp_path, SecretStr("secret"))


def test_files_are_read_only_and_a_changed_one_is_seen(tmp_path: Path) -> None:
    release, archive = published(tmp_path), Archive(tmp_path)
    assert archive.file(release, "public_texts.jsonl") == b"public\n"
    path, private = tmp_path / "1.0.0" / "public_texts.jsonl", tmp_path / "1.0.0" / ANSWERS
    assert path.stat().st_mode & 0o777 == 0o444
    assert (private.stat().st_mode & 0o777, private.parent.stat().st_mode & 0o777) == (0o400, 0o700)
    path.chmod(0o600)
    path.write_text("publik\n")
    with pytest.raises(BadRequest, match="damaged"):
        archive.file(release, "public_texts.jsonl")


@pytest.mark.parametrize(
    "name",
    [
        ANSWERS,
        "../1.0.0/private/private_qa.jsonl",
        "public_texts.jsonl/../private/private_qa.jsonl",
        "./public_texts.jsonl",
        "manifest.json",
        "/etc/passwd",
        "",
        "public_texts.jsonl\0",
    ],
)
def test_only_public_files_by_their_exact_names(tmp_path: Path, name: str) -> None:
    release = published(tmp_path)
    with pytest.raises(NotFound, match="no public file"):
        Archive(tmp_path).file(release, name)


@pytest.mark.parametrize("version", ["1.1.0", "..", "../1.0.0", "1.0.0/", ".lock", "1.0", "١.0.0", ""])
def test_no_such_version(tmp_path: Path, version: str) -> None:
    published(tmp_path)
    with pytest.raises(NotFound, match=r"there are: 1\.0\.0"):
        Archive(tmp_path).get(version)


def test_a_failure_leaves_the_old_release_alone(tmp_path: Path) -> None:
    published(tmp_path)

    def broken() -> object:
        yield "a line"
        raise OSError("disk full")

    with pytest.raises(BadRequest, match=r"cannot write a release .* disk full"):
        published(tmp_path, broken())  # type: ignore[arg-type]
    assert [one.version for one in Archive(tmp_path).all()] == ["1.0.0"]
    assert not list(tmp_path.glob(".staging-*"))


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadRequest, match="cannot write a release"):
        published(tmp_path / "file" / "releases")


def test_killed_while_it_writes(tmp_path: Path) -> None:
    published(tmp_path)
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=environment) as process:
        end = time.monotonic() + 30
        while not list(tmp_path.glob(".staging-*/public_texts.jsonl")):
            assert time.monotonic() < end
            time.sleep(0.02)
        process.kill()
    assert list(tmp_path.glob(".staging-*")), "it was not killed in the middle"
    assert [one.version for one in Archive(tmp_path).all()] == ["1.0.0"]
    assert published(tmp_path).version == "1.1.0"  # its lock died with it
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["1.0.0", "1.1.0"]


def test_one_maker_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgservice.releases.archive.WAIT", 0.1)
    with Archive(tmp_path).staging(), pytest.raises(BadRequest, match="another process"):
        published(tmp_path)
