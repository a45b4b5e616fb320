"""What unit tests share."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax.parser import Parser
from kgservice.leaderboard import ladder


@pytest.fixture(scope="session")
def parser() -> Parser:
    return Parser()


@pytest.fixture
def fine_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every step of a score: three questions are fewer than a step, which would show nothing."""
    monkeypatch.setattr(ladder, "ANSWERS", 0)
