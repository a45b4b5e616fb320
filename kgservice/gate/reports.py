"""What a run of the gate came to, for people, for pull requests (Markdown) and for CI systems (JUnit's XML)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil, log2
from xml.etree import ElementTree

from kgservice.gate.cases import clusters
from kgservice.gate.chance import DropTest
from kgservice.gate.run import GateRun, Worse

SHOWN = 20
_NOT_XML = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def lines(run: GateRun) -> Iterator[str]:
    """Yield the run as people read it."""
    carried = f", {run.carried:,} of them not asked again as nothing about them changed" if run.carried else ""
    yield f"{run.target}: {len(run.verdicts):,} questions{carried}"
    for name, mean in run.means.items():
        yield f"{name:<10}{mean:8.1%}{_test(run, name)}"
    for reason, number in run.failures.items():
        yield f"failed    {number:8,}   {reason}"
    if run.worse:
        yield f"{len(run.worse):,} got worse, {run.better:,} better:"
    for one in run.worse[:SHOWN]:
        yield from described(one)
    if len(run.worse) > SHOWN:
        yield f"  … and {len(run.worse) - SHOWN:,} more (--json has all)"
    if run.unwell:
        yield f"{len(run.unwell):,} of {run.new:,} new questions are not well, which fails no gate:"
    for one in run.unwell[:SHOWN]:
        yield from described(one)
    if told := too_few(run):
        yield told
    yield verdict(run)


def too_few(run: GateRun) -> str:
    """Return that the gate cannot fail as too few questions share no facts, "" where it can.

    If all of n such groups got worse, chance would do that once in 2 ** n runs.
    """
    if run.strict or not run.means:
        return ""
    measures = len(run.tests or run.means)
    groups = max((one.clusters for one in run.tests.values()), default=0)
    if not run.tests:
        groups = len(set(clusters({one.id: one.facts for one in run.verdicts}).values()))
    needed = ceil(log2(measures / run.alpha))
    if groups >= needed:
        return ""
    return (
        f"Note: so few questions fail no gate, whatever the system answers: {groups:,} of them share no fact, and "
        f"{needed:,} are the fewest with which a drop can be told from chance (level {run.alpha:g}). --strict fails "
        "for any question that got worse."
    )


def verdict(run: GateRun) -> str:
    """Return the decision as a sentence."""
    if not run.tests:
        return "PASSED: no baseline has these questions, so there is nothing to compare with yet"
    if run.failed and run.strict:
        return f"FAILED: {len(run.worse):,} questions got worse"
    if run.failed:
        return f"FAILED: worse than the baseline by more than chance (level {run.alpha:g})"
    return f"PASSED: no drop beyond chance (level {run.alpha:g})" if run.worse else "PASSED: no question got worse"


def markdown(run: GateRun) -> str:
    """Return the run as a summary in Markdown."""
    rows = [f"## RAG gate: {verdict(run)}", ""]
    rows += ["| | now | before | worse | better | p | power for 10 points |", "|---|---|---|---|---|---|---|"]
    rows += [f"| {name} | {mean:.1%} {_cells(run.tests.get(name))}" for name, mean in run.means.items()]
    rows += ["", f"{len(run.verdicts):,} questions of `{run.target}`, {run.asked:,} asked, {run.new:,} new."]
    rows += ["", told] if (told := too_few(run)) else []
    for reason, number in run.failures.items():
        rows.append(f"- {number:,} failed: {_plain(reason)}")
    if run.worse:
        rows += ["", "| got worse | why | expected | answered | sentences not found |", "|---|---|---|---|---|"]
    for one in run.worse:
        cells = (
            one.verdict.question,
            _why(one),
            ", ".join(one.told.wanted),
            one.told.answer,
            " ".join(one.told.missing),
        )
        rows.append("".join(f"| {_plain(cell)} " for cell in cells) + "|")
    rows += [f"- new and not well: {_plain(one.verdict.question)} ({_plain(_why(one))})" for one in run.unwell]
    return "\n".join(rows) + "\n"


def junit(run: GateRun) -> str:
    """Return the run as JUnit's XML: a case a question, failed where it got worse and the gate failed, and the gate."""
    worse = {one.verdict.id: one for one in run.worse}
    failures = (len(worse) + 1) * run.failed
    counts = {"tests": str(len(run.verdicts) + 1), "failures": str(failures), "errors": "0"}
    skipped = {"skipped": str(0 if run.failed else len(worse))}
    suite = ElementTree.Element("testsuite", {"name": "kgservice gate", **counts, **skipped})
    for one in run.verdicts:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "question", "name": _xml(one.question)})
        if one.id in worse:
            told = "\n".join(described(worse[one.id]))
            kind = ("failure", {"type": one.why}) if run.failed else ("skipped", {})
            ElementTree.SubElement(case, kind[0], {"message": _xml(_why(worse[one.id])), **kind[1]}).text = _xml(told)
    case = ElementTree.SubElement(suite, "testcase", {"classname": "gate", "name": "decision"})
    if run.failed:
        ElementTree.SubElement(case, "failure", {"message": verdict(run), "type": "gate"}).text = _xml(
            "\n".join(lines(run))
        )
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def described(one: Worse) -> Iterator[str]:
    """Yield a question that got worse with its reason, answers and sentences."""
    yield f"  {one.verdict.question}"
    yield f"    {_why(one)}"
    if one.verdict.right is not None and one.told.wanted:
        said = " ".join(one.told.answer.split())[:300] or "nothing"
        yield f"    expected: {', '.join(one.told.wanted)}; answered: {said}"
    yield from (f"    not found: {sentence[:400]}" for sentence in one.told.missing)


def _why(one: Worse) -> str:
    return f"{one.verdict.why}: {one.told.detail}" if one.told.detail else str(one.verdict.why)


def _test(run: GateRun, name: str) -> str:
    one = run.tests.get(name)
    if one is None:
        return ""
    return (
        f"   before {one.before:.1%}, on {one.questions:,} questions in {one.clusters:,} groups that share no fact; "
        f"{one.worse} worse, {one.better} better, p = {one.p:.4f}; a drop of 10 points would be found in "
        f"{one.power:.0%} of runs"
    )


def _cells(test: DropTest | None) -> str:
    if test is None:
        return "| | | | | |"
    return f"| {test.before:.1%} | {test.worse} | {test.better} | {test.p:.4f} | {test.power:.2f} |"


def _plain(text: str) -> str:
    """Return a text within a cell of a table."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").replace("`", "'").split())[:500]


def _xml(text: str) -> str:
    """Return a text without the signs that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
