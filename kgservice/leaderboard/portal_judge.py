"""The portal's judge: a language model that gives each answer of a submission six marks (DRAGON, appendix F).

The questions, the private answers and the submitted ones go to the model's endpoint, so it is off until
KGS_PORTAL_JUDGE is set. A reply that was paid for is kept on disk, so judging the same answers again is free.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from kgservice.core.errors import LLMFailure, SettingsError
from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.llm.prompts import prompt_hashes
from kgservice.metrics.result_scores import NOTHING, Result
from kgservice.releases.archive import Archive
from kgservice.setup.connect import language_model

BATCH = 64  # questions between two points at which a job can be stopped

Advance = Callable[[int], None]


class JudgeScores(NamedTuple):
    """The judge's score of each question by public id, 0 if it gave none, and the reasons why with their counts."""

    scores: dict[int, float]
    failed: Counter[str]

    def told(self) -> str:
        """Return how many questions have no marks and why, or an empty string."""
        if not self.failed:
            return ""
        why = ", ".join(f"{reason} ({number:,})" for reason, number in self.failed.most_common())
        return f"no marks of the judge for {self.failed.total():,} of {len(self.scores):,} answers, counted as 0: {why}"


class PortalJudge:
    """The model of role "judge" with a budget for each submission. Raises SettingsError if it cannot be used.

    `name` has the model and the hash of the prompt: scores of one name are comparable.
    """

    def __init__(self, settings: Settings) -> None:
        from kgservice.evaluation.dragon.run import PROMPT  # imports answering, which `release list` does not need

        self._settings = settings
        self.name = f"{self._model(Journal(settings.home, 'check')).model}, prompt {prompt_hashes([PROMPT])[PROMPT]}"

    def judge(
        self, archive: Archive, version: str, results: Mapping[int, Result], advance: Advance = lambda _: None
    ) -> JudgeScores:
        """Judge the results of a submission by public id of their questions.

        Raises SettingsError if no answer gets marks, BadRequest if the release is damaged.
        """
        found = asyncio.run(self._judged(archive, version, results, advance))
        if found.failed.total() == len(found.scores):
            raise SettingsError(found.told())
        return found

    async def _judged(
        self, archive: Archive, version: str, results: Mapping[int, Result], advance: Advance
    ) -> JudgeScores:
        from kgservice.evaluation.dragon.run import Marks, judge_answers, of_release

        sets = of_release(archive, version)
        asked = [(unit, results.get(unit.expected.public_id, NOTHING)) for unit in sets.units]
        found = JudgeScores({}, Counter())
        with Journal(self._settings.home, "judge", sets.corpus) as journal:
            async with self._model(journal) as model:
                for start in range(0, len(asked), BATCH):
                    batch = asked[start : start + BATCH]
                    for (unit, _), marks in zip(batch, await judge_answers(model, sets, batch), strict=True):
                        found.scores[unit.expected.public_id] = marks.score if isinstance(marks, Marks) else 0.0
                        if isinstance(marks, LLMFailure):
                            found.failed[marks.reason] += 1
                    advance(len(batch))
                journal.finish(model.spending())
        return found

    def _model(self, journal: Journal) -> LLM:
        budget = Budget.read(self._settings.portal_judge_budget)
        return language_model(self._settings, journal, budget, retry_failed=True, role="judge")


def portal_judge(settings: Settings) -> PortalJudge | None:
    """Return the judge of the settings, None without KGS_PORTAL_JUDGE. Raises SettingsError if it cannot be used."""
    try:
        return PortalJudge(settings) if settings.portal_judge else None
    except SettingsError as error:
        raise SettingsError(f"KGS_PORTAL_JUDGE is set, but {error}") from error
