"""Systems made with LangChain or LlamaIndex as functions of a question, for the gate and everything else that asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kgservice.core.errors import BadRequest

ANSWERS, CONTEXTS, QUESTIONS = (
    ("answer", "output", "result", "text", "response"),
    ("context", "source_documents", "documents", "passages", "contexts"),
    ("input", "question", "query"),
)


def as_function(system: Any) -> Callable[[str], object]:
    """Return a function of a question: of a LangChain retriever or runnable, a LlamaIndex query engine or retriever.

    A function stays what it is (BadRequest for anything else).
    """
    if hasattr(system, "invoke"):
        return from_langchain(system)
    if hasattr(system, "query") or hasattr(system, "retrieve"):
        return from_llamaindex(system)
    if callable(system):
        return system  # type: ignore[no-any-return]
    raise BadRequest(f"{type(system).__name__} is no system: give a function of a question, or a LangChain runnable")


def from_langchain(
    runnable: Any, *, question: str | None = None, answer: str | None = None, context: str | None = None
) -> Callable[[str], object]:
    """Return a function of a retriever, or of a runnable that returns an answer, or {"answer": …, "context": […]}.

    The names of the keys are found where they are usual ones; a chain that takes an object says so by its schema.
    """
    takes = question or _takes(runnable)

    def ask(text: str) -> object:
        said = runnable.invoke({takes: text} if takes else text)
        if not isinstance(said, Mapping):
            return getattr(said, "content", said)  # a message's text, a retriever's documents, an answer
        told = said.get(answer or _first(ANSWERS, said))
        return getattr(told, "content", told), said.get(context or _first(CONTEXTS, said)) or ()

    return ask


def from_llamaindex(engine: Any) -> Callable[[str], object]:
    """Return a function of a query engine (answer and source nodes), or of a retriever (nodes)."""

    def ask(text: str) -> object:
        if not hasattr(engine, "query"):
            return engine.retrieve(text)
        said = engine.query(text)
        return str(said), getattr(said, "source_nodes", ())

    return ask


def _takes(runnable: Any) -> str | None:
    """Return the key by which a runnable takes its question, None where it takes the text itself."""
    known = runnable.get_input_jsonschema() if hasattr(runnable, "get_input_jsonschema") else {}
    names = list(known.get("properties", ()))
    if known.get("type") != "object" or not names:
        return None
    return next((name for name in QUESTIONS if name in names), names[0])


def _first(names: tuple[str, ...], said: Mapping[str, object]) -> str:
    return next((name for name in names if name in said), names[0])
