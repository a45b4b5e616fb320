"""FRAMES' questions (Krishna et al., 2024), each over several Wikipedia articles."""

from __future__ import annotations

from loaders.benchmarks.question_set import QuestionSetLoader


class FramesLoader(QuestionSetLoader):
    """A loader of questions with answer, reasoning types and the articles' addresses."""

    domain = "frames"
    key = "id"
    question = ("question",)
    kept = ("answer", "reasoning_types", "wiki_links")
