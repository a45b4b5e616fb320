"""pytest --kgservice-gate TARGET: the gate as tests, one a question, and one for the decision.

A question that got worse fails where the gate fails; within chance it is skipped, with what happened to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kgservice.gate.run import GateRun, Worse

GROUP = "kgservice gate"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options; each may stand in the configuration too: kgservice_gate, kgservice_gate_corpus …"""
    group = parser.getgroup(GROUP)
    for name, told in (
        ("", "the system to test: http://…, module:function, a command, kgservice:RETRIEVER"),
        ("-corpus", "the corpus that is asked about"),
        ("-release", "a release to ask in place of the corpus"),
        ("-baseline", "the file of verdicts to compare with"),
        ("-questions", "how many questions, at most"),
    ):
        option = f"kgservice-gate{name}"
        group.addoption(f"--{option}", default=None, help=told)
        parser.addini(option.replace("-", "_"), told, default="")
    group.addoption("--kgservice-gate-changed", action="store_true", help="ask only questions whose sentences changed")
    group.addoption("--kgservice-gate-strict", action="store_true", help="fail for any question that got worse")


def pytest_collection(session: pytest.Session) -> None:
    """Run the gate once, before tests are collected (UsageError for what cannot be asked)."""
    if not _given(session.config, "") or session.config.option.collectonly:
        return
    from kgservice.core.errors import KgserviceError
    from kgservice.core.settings import Settings
    from kgservice.gate.whole import run

    try:
        found = run(_gate(session.config), Settings(), lambda _: lambda _: None, lambda _: None)
    except KgserviceError as error:
        raise pytest.UsageError(f"{GROUP}: {error}") from error
    session.config.stash[_RUN] = found


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Put the gate's tests behind all others."""
    found = session.config.stash.get(_RUN, None)
    if found is None:
        return
    place = GateTests.from_parent(session, name="kgservice-gate", nodeid="kgservice-gate")
    worse = {one.verdict.id: one for one in found.worse}
    for one in found.verdicts:
        items.append(QuestionTest.from_parent(place, name=one.question, run=found, worse=worse.get(one.id)))
    items.append(DecisionTest.from_parent(place, name="decision", run=found))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the run came to."""
    found = config.stash.get(_RUN, None)
    if found is not None:
        from kgservice.gate.reports import lines

        terminalreporter.section(GROUP)
        for line in lines(found):
            terminalreporter.write_line(line)


_RUN: pytest.StashKey[GateRun] = pytest.StashKey()


class GateTests(pytest.Collector):
    """Where the gate's tests stand; they are not collected but made."""

    def collect(self) -> Iterator[pytest.Item]:
        """Return nothing: the tests are made from the run."""
        return iter(())


class QuestionTest(pytest.Item):
    """A question that was asked."""

    def __init__(self, *, run: GateRun, worse: Worse | None, **known: Any) -> None:
        super().__init__(**known)
        self._run, self._worse = run, worse

    def runtest(self) -> None:
        """Fail, or skip, where the question got worse."""
        if self._worse is not None:
            from kgservice.gate.reports import described

            told = "\n".join(described(self._worse))
            if self._run.failed:
                pytest.fail(told, pytrace=False)
            pytest.skip(told)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return how the test is called."""
        return self.config.rootpath, None, f"{GROUP}: {self.name}"


class DecisionTest(QuestionTest):
    """What the gate decides."""

    def __init__(self, *, run: GateRun, **known: Any) -> None:
        super().__init__(run=run, worse=None, **known)

    def runtest(self) -> None:
        """Fail where the gate fails."""
        if self._run.failed:
            from kgservice.gate.reports import verdict

            pytest.fail(verdict(self._run), pytrace=False)


def _gate(config: pytest.Config) -> Any:
    from pydantic import ValidationError

    from kgservice.gate.whole import GateOptions

    given = {
        name: value for name in ("corpus", "release", "baseline", "questions") if (value := _given(config, f"-{name}"))
    }
    flags = {name: config.getoption(f"kgservice_gate_{name}") for name in ("changed", "strict")}
    try:
        return GateOptions(target=_given(config, ""), **given, **flags)
    except ValidationError as error:
        first = error.errors()[0]
        raise pytest.UsageError(f"--kgservice-gate-{first['loc'][0]}: {first['msg']}") from error


def _given(config: pytest.Config, name: str) -> str:
    option = f"kgservice_gate{name.replace('-', '_')}"
    return str(config.getoption(option) or config.getini(option) or "")
