"""Systems that the service runs itself: one that was approved is measured on every later release without being asked.

Teams send results and not their systems, so only their own resubmissions can follow a new release (DRAGON, appendix B:
"metrics for open models are recalculated").
"""

from __future__ import annotations

from collections.abc import Callable

from kgservice.benchmark.archive import Archive, Manifest
from kgservice.benchmark.baseline import BestSentence
from kgservice.benchmark.public import Benchmark, System, benchmark
from kgservice.benchmark.submissions import Given, Submission, Submissions
from kgservice.errors import NotFound

OWNER = "the service"  # no key can have this name
FOLLOWED = "the baseline was approved for an earlier release"


def _best_sentence(given: Benchmark) -> System:
    return BestSentence((text.public_id, text.title, text.text) for text in given.texts)


BASELINES: dict[str, Callable[[Benchmark], System]] = {"bm25 + best sentence": _best_sentence}


def check_baseline(name: str) -> None:
    """Refuse a baseline that there is not (NotFound)."""
    if name not in BASELINES:
        raise NotFound(f"no baseline {name!r}; there are: {', '.join(BASELINES)}")


def enter(
    archive: Archive, submissions: Submissions, name: str, release: Manifest, resubmits: str | None = None
) -> Submission:
    """Run a baseline on a release and evaluate its results; an admin approves them as anybody's."""
    asked = benchmark(release.version, lambda file: archive.file(release, file))
    results = {str(key): result for key, result in asked.run(BASELINES[name](asked)).items()}
    given = Given(version=release.version, system=name, results=results, resubmits=resubmits)
    one = submissions.add(archive, given, owner=OWNER, baseline=name)
    return submissions.evaluate(archive, one.id)


def follow(archive: Archive, submissions: Submissions, release: Manifest) -> list[Submission]:
    """Measure the approved baselines of a corpus on its newest release and approve them; each once."""
    line = {one.version for one in archive.all(release.corpus)}
    last: dict[str, Submission] = {}
    for one in submissions.all():
        if one.baseline in BASELINES and one.version in line:
            last[one.origin] = one
    done = []
    for one in last.values():
        if one.state == "approved" and one.version != release.version and one.baseline:
            entered = enter(archive, submissions, one.baseline, release, resubmits=one.id)
            done.append(submissions.move(entered.id, "approved", FOLLOWED))
    return done
