"""Progress without a terminal: a line now and then, also while nothing advances."""

from __future__ import annotations

import time

import pytest

from kgservice.cli import session


def test_a_long_document_is_no_silence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(session, "EVERY", 0.05)
    lines: list[str] = []
    monkeypatch.setattr(session, "note", lines.append)
    with session.progress("read", "documents", total=3) as advance:
        time.sleep(0.4)
        assert lines[0].endswith("0 s: loading the models, then reading the first documents")
        lines.clear()
        advance("read", 1)
        time.sleep(0.4)
    assert len(lines) > 1
    assert lines[-1].startswith("read 1, documents 0 after")
    assert lines[-1].endswith(" s")
    said = len(lines)
    time.sleep(0.2)
    assert len(lines) == said
