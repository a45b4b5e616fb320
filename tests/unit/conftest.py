"""What unit tests share."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax import confidence
from kgservice.extraction.syntax.parser import Parser
from kgservice.leaderboard import ladder


@pytest.fixture(scope="session")
def parser() -> Parser:
    return Parser()


@pytest.fixture
def low_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is hardly likely too, where it is tested how a statement is read and not whether it is kept."""
    known = confidence.weights().model_copy(update={"bars": dict.fromkeys(("schema", "open", "reader"), 0.2)})
    monkeypatch.setattr(confidence, "weights", lambda: known)


@pytest.fixture
def fine_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every step of a score: three questions are fewer than a step, which would show nothing."""
    monkeypatch.setattr(ladder, "ANSWERS", 0)
