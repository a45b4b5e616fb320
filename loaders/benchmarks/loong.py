"""Loong's questions (Wang et al., 2024) over whole documents, in four levels from spotlight to chain of reasoning."""

from __future__ import annotations

from loaders.benchmarks.question_set import QuestionSetLoader


class LoongLoader(QuestionSetLoader):
    """A loader of questions with answer and the names of their documents. Some questions are the instruction itself."""

    domain = "loong"
    key = "id"
    question = ("question", "instruction")
    kept = ("instruction", "answer", "doc", "level", "set", "type", "language", "length")
