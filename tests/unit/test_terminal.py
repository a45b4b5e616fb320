"""What documents say reaches the terminal as text: every verb prints by one function, and that one steers nothing."""

from __future__ import annotations

import ast
import json
import logging
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

import kgservice
from kgservice.api.entry.logs import JsonLines, TextLines
from kgservice.cli import session, tour
from kgservice.cli.session import echo, errors, note, print_json
from kgservice.core.errors import NotFound
from kgservice.core.terminal import harmless, one_line

HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b]0;title\x07 \x9b2J \x90q \x08\x7f\r"
    " \u202egnp.exe\u202c \u2066isolate\u2069 \u200e\u061c \u2028 \ufeff\u200b \U000e0041 [red]markup[/red] \\u001b"
)
STEERING = [chr(code) for code in [*range(32), *range(0x7F, 0xA0)] if chr(code) not in "\n\t"]
STEERING += list("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029\u200b\ufeff")
PRINTING = {"cli/session.py", "releases/check_release.py"}  # prints for all; runs without kgservice, in a release
OTHERS = {"print", "pprint", "Console"}, {"echo", "secho", "print", "rule", "log"}
STREAMS = {"stdout", "stderr"}


def steers(text: str) -> bool:
    return any(char in text for char in STEERING) or any(0xE0000 <= ord(char) < 0xE0080 for char in text)


def test_the_one_function_that_prints_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    echo(HOSTILE)
    echo(f"{HOSTILE}\nnext", err=True, bold=True)
    note(HOSTILE)
    print_json({"text": HOSTILE})
    with pytest.raises(typer.Exit), errors():
        raise NotFound(f"no document {HOSTILE}")
    out, err = capsys.readouterr()
    assert "red" in out
    assert "\\u001b[31mred" in out
    assert "[red]markup[/red]" in err.replace("\n", "")
    assert not steers(out)
    assert not steers(err)
    assert json.loads(out.splitlines()[-1]) == {"text": HOSTILE}  # nothing is lost for programs


@pytest.mark.parametrize("formatter", [JsonLines(), TextLines(), session.WarningLines()])
def test_logs(formatter: logging.Formatter) -> None:
    record = logging.LogRecord("somebody", logging.WARNING, "", 1, HOSTILE, None, None)
    assert "red" in formatter.format(record)
    assert not steers(formatter.format(record))


@settings(deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    assert not steers(harmless(text))
    assert harmless(harmless(text)) == harmless(text)
    assert json.loads(harmless(json.dumps(text, ensure_ascii=False))) == text


@settings(deadline=None)
@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_words_stay(text: str) -> None:
    assert harmless(text) == text


def test_every_verb_prints_by_it() -> None:
    for path in Path(kgservice.__file__).parent.rglob("*.py"):
        if f"{path.parent.name}/{path.name}" in PRINTING:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path}:{getattr(node, 'lineno', 0)} prints by itself: use kgservice.cli.session.echo or note"
            if isinstance(node, ast.Call):
                function = node.func
                if isinstance(function, ast.Name):
                    assert function.id not in OTHERS[0], where
                elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                    known = function.value.id in ("typer", "click", "rich", "stderr", "console", "out")
                    assert not (known and function.attr in OTHERS[1]), where
                elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Attribute):
                    assert not (function.attr == "write" and function.value.attr in STREAMS), where
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("rich", "click", "typer"):
                names = {alias.name for alias in node.names}
                assert path.parent.name == "cli" or not names & {"echo", "secho", "print", "Console"}, where
                assert not names & {"echo", "secho", "print"}, where


def test_the_demo_ends_with_commands_that_a_shell_finds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "activate").touch()
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    tour._next({})
    before = capsys.readouterr().out.partition("kgservice up YOUR-FOLDER")[0]
    assert f"  . {tmp_path}/activate " in before
    (tmp_path / "kgservice").write_text("#!/bin/sh\n")
    (tmp_path / "kgservice").chmod(0o700)
    tour._next({})
    assert "activate" not in capsys.readouterr().out


def test_a_name_of_a_file_stays_on_its_line() -> None:
    assert one_line("new\nline\tand\rmore.txt") == "new\\u000aline\\u0009and\\u000dmore.txt"
