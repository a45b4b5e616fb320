"""What a system under test answers: {"answer": …, "passages": […]}, or what Python and LangChain give for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from kgservice.answering.generator import writable
from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.gold.found_passage import LONGEST, MOST, FoundPassage, passage_of

BLANK: dict[str, str] = {}


class SystemReply(Record):
    """`answer` is None of a system that only finds passages; `failure` says why there is no reply."""

    answer: str | None = None
    passages: tuple[FoundPassage, ...] = Field((), description="best first; the first 100 are read")
    failure: str = ""


def reply_of(said: object) -> SystemReply:
    """Read a reply (BadRequest): an object, (answer, passages), an answer alone, or passages alone.

    Documents of LangChain and nodes of LlamaIndex are passages.
    """
    if isinstance(said, SystemReply):
        return said
    if isinstance(said, Mapping):
        if not said.keys() & {"answer", "passages"}:
            raise BadRequest('the reply has neither "answer" nor "passages"')
        return _reply(said.get("answer"), said.get("passages"))
    if isinstance(said, str):
        return _reply(said, ())
    if isinstance(said, tuple) and len(said) == 2 and (said[0] is None or isinstance(said[0], str)):
        return _reply(said[0], said[1])
    if isinstance(said, Iterable):
        return _reply(None, said)
    raise BadRequest(f"the reply is {type(said).__name__}: give an object with answer and passages")


def _reply(answer: object, passages: object) -> SystemReply:
    if answer is not None and not isinstance(answer, str):
        raise BadRequest(f"the answer is {type(answer).__name__}, not a text")
    if passages is None:
        passages = ()
    if isinstance(passages, str | Mapping) or not isinstance(passages, Iterable):
        raise BadRequest("the passages are no list")
    plain = (_plain(one) for _, one in zip(range(MOST), passages, strict=False))
    found = [passage_of(one) for one in plain if one is not BLANK]
    return SystemReply(answer=None if answer is None else writable(answer[:LONGEST]), passages=tuple(found))


def _plain(passage: Any) -> object:
    """Return a passage of LangChain (Document) or LlamaIndex (NodeWithScore) as plain fields, BLANK where it has no
    text.

    The document is named, offsets are not taken over: those of another program's loader are of its own text.
    """
    node = getattr(passage, "node", passage)
    text = getattr(node, "page_content", None) or (node.get_content() if hasattr(node, "get_content") else None)
    if text is None:
        return passage
    known = getattr(node, "metadata", None) or {}
    if not text.strip():
        return BLANK
    name = next((known[key] for key in ("source", "document", "file_path", "file_name") if known.get(key)), "")
    return {"text": text, "document": str(name)}
