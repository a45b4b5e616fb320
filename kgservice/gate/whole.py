"""The whole gate, from a target's name to the run: what the command line and the pytest plugin call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from pydantic import Field

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.core.settings import Settings
from kgservice.gate.baseline import FILE, BaselineHead, read, write
from kgservice.gate.cases import QUESTIONS, Cases, chosen, of_corpus, of_release
from kgservice.gate.run import ALPHA, GateRun, gate_run, to_ask
from kgservice.gate.targets import opened, replies
from kgservice.graph.store import Graph
from kgservice.releases.archive import LATEST, Archive, Manifest
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder

Progress = Callable[[int], Callable[[int], None]]  # how many are asked → what is called for each


class GateOptions(Record):
    """What is asked of whom, and when it fails.

    `corpus` None means "default", of a release its own corpus.
    `changed` asks again only the questions whose answers or sentences changed, and takes the baseline's verdicts of the
    others; `strict` fails for any question that got worse; `save` makes this run the baseline.
    """

    target: str
    corpus: str | None = None
    release: str | None = None
    questions: int = Field(QUESTIONS, ge=1)
    seed: int = 0
    baseline: Path = FILE
    save: bool = False
    changed: bool = False
    strict: bool = False
    alpha: float = Field(ALPHA, gt=0, lt=1)
    timeout: float = Field(60.0, gt=0)


def run(gate: GateOptions, settings: Settings, progress: Progress, say: Callable[[str], None]) -> GateRun:
    """Ask, judge and compare (KgserviceError for what cannot be asked); with `save` the baseline is written."""
    with ExitStack() as stack:
        held: list[Graph] = []

        def graph() -> Graph:
            """Open the database when it is needed: a release and a system at an address need none."""
            if not held:
                held.append(stack.enter_context(connect(settings, say=say)))
            return held[0]

        archive = Archive(settings.releases, settings.release_key)
        release = None if gate.release is None else archive.get(gate.release, gate.corpus)
        if release is not None and gate.release == LATEST:
            say(f"the latest release is {release.version} of corpus {release.corpus!r}")
        head = _head(gate, release)
        cases = _cases(head.corpus, release, graph, archive)
        baseline = None if gate.save and not gate.baseline.exists() else read(gate.baseline, head)
        if gate.changed and baseline is None:
            raise BadRequest("--changed compares with a baseline: run once with --save alone")
        known = {one.question: one.about for one in baseline.verdicts} if baseline else {}
        picked = chosen(cases.cases, gate.questions, head.seed, known)
        asked = to_ask(picked, baseline) if gate.changed else picked
        target = opened(
            gate.target, gate.timeout, lambda name: _ours(graph(), head.corpus, settings, name, cases.public)
        )
        stack.callback(target.close)
        texts = [(one.id, one.question) for one in asked]
        said = replies(target, texts, gate.timeout, progress(len(texts)))
        found = dict(zip((one.id for one in asked), said, strict=True))
        ended = gate_run(target.name, picked, found, cases.documents, baseline, alpha=gate.alpha, strict=gate.strict)
    if gate.save:
        write(gate.baseline, head, ended.verdicts)
    return ended


def _head(gate: GateOptions, release: Manifest | None) -> BaselineHead:
    if release is None:
        return BaselineHead(corpus=gate.corpus or "default", seed=gate.seed)
    return BaselineHead(corpus=release.corpus, release=release.version, seed=gate.seed)


def _cases(corpus: str, release: Manifest | None, graph: Callable[[], Graph], archive: Archive) -> Cases:
    return of_corpus(graph(), corpus) if release is None else of_release(archive, release)


def _ours(
    graph: Graph, corpus: str, settings: Settings, name: str, public: Mapping[str, str] | None
) -> Callable[[str], object]:
    from kgservice.gate.ours import ours
    from kgservice.retrieval.reranker import cross_encoder

    embedder = Embedder(settings.embedding_model)
    return ours(graph, corpus, embedder, cross_encoder(settings), name, public)
