"""Progress without a terminal: a line now and then, also while nothing advances; on a terminal a live line."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from kgservice.cli import session
from kgservice.cli.session import progress_line


def test_a_long_document_is_no_silence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(session, "EVERY", 0.05)
    lines: list[str] = []
    monkeypatch.setattr(session, "note", lines.append)
    with session.progress("opened", "read", total=3, doing="opening the first files") as advance:
        time.sleep(0.4)
        assert lines[0] == "opened 0 of 3, read 0 of 3 after 0 s: opening the first files"
        lines.clear()
        advance("opened", 3)
        advance("read", 1)
        time.sleep(0.4)
    assert len(lines) > 1
    assert lines[-1].startswith("opened 3 of 3, read 1 of 3 after")
    assert lines[-1].endswith(" s left")
    said = len(lines)
    time.sleep(0.2)
    assert len(lines) == said


def test_more_documents_than_files_have_no_total(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "EVERY", 0.05)
    lines: list[str] = []
    monkeypatch.setattr(session, "note", lines.append)
    with session.progress("opened", "read", total=3) as advance:
        advance("opened", 30)
        advance("read", 2)
        time.sleep(0.4)
    assert lines[-1] == "opened 30, read 2 after 0 s"


def test_a_terminal_has_a_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(session, "stderr", Console(file=screen, force_terminal=True, width=120))
    with session.progress("opened", "read", total=3, doing="opening the first files") as advance:
        time.sleep(0.3)
        advance("opened", 3)
        advance("read", 2)
    assert "opening the first files" in screen.getvalue()
    assert "2/3" in screen.getvalue()


@pytest.mark.parametrize(
    ("opened", "read", "total", "line"),
    [
        (0, 0, 40, "opened 0 of 40, read 0 of 40 after 20 s: loading the models"),
        (40, 0, 40, "opened 40 of 40, read 0 of 40 after 20 s"),
        (40, 10, 40, "opened 40 of 40, read 10 of 40 after 20 s, about 60 s left"),
        (40, 40, 40, "opened 40 of 40, read 40 of 40 after 20 s"),
        (1_500, 10, None, "opened 1,500, read 10 after 20 s"),
    ],
)
def test_a_line_says_how_much_is_done_and_how_long_the_rest_takes(
    opened: int, read: int, total: int | None, line: str
) -> None:
    totals = {"opened": total, "read": total}
    assert progress_line({"opened": opened, "read": read}, totals, 20.0, "loading the models") == line
