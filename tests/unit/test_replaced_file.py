"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from kgservice.questions.export.replaced_file import replacing


@pytest.mark.parametrize(
    ("there", "written", "left"),
    [("old\n", "new\n", "new\n"), ("old\n", "", "old\n"), (None, "new\n", "new\n"), (None, "", ""), ("", "", "")],
)
def test_a_file_is_replaced_by_what_was_written(tmp_path: Path, there: str | None, written: str, left: str) -> None:
    file = tmp_path / "q.jsonl"
    if there is not None:
        file.write_text(there, encoding="utf-8")
    with replacing(file) as out:
        assert (file.read_text(encoding="utf-8") if file.exists() else None) == there
        out.write(written)
    assert file.read_text(encoding="utf-8") == left
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_file_as_it_was_and_nothing_beside_it(
    tmp_path: Path, there: bool, error: type[BaseException]
) -> None:
    file = tmp_path / "q.jsonl"
    if there:
        file.write_text("old\n", encoding="utf-8")
    with pytest.raises(error), replacing(file) as out:
        out.write("new\n")
        raise error
    assert [one.read_text(encoding="utf-8") for one in tmp_path.iterdir()] == ["old\n"] * there


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    with replacing(file) as one, replacing(file) as other:
        for number in range(3):
            one.write(f"a{number}\n")
            other.write(f"b{number}\n")
    assert file.read_text(encoding="utf-8") == "a0\na1\na2\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="no links, no modes")
def test_a_link_stays_one_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file, link = tmp_path / "q.jsonl", tmp_path / "link.jsonl"
    file.touch(mode=0o640)
    link.symlink_to(file)
    with replacing(link) as out:
        out.write("new\n")
    assert link.is_symlink() and file.read_text(encoding="utf-8") == "new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    with replacing(Path(os.devnull)) as out:
        out.write("new\n")
    assert Path(os.devnull).is_char_device()
