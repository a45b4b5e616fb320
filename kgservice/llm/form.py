"""The form of an answer: its JSON schema, and a reply validated as the form."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kgservice.llm.answers import Reply, whole_characters

Form = TypeVar("Form", bound=BaseModel)
FAULTS_TOLD = 8  # most faults in the request to correct an answer

MOST_VALUES = 1_000  # JSON values of one reply that are looked at, the last ones
MOST_BROKEN = 1_000  # brackets of one reply that begin no JSON, before the rest is left
FAR = 10_000  # characters
LONGEST_INTEGER = 300  # digits; Python does not convert numbers of thousands
_OPENING = re.compile(r"[{\[]")
_FENCE = re.compile(r"```\w*")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_INTEGER else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)  # accepts line breaks inside strings


class Unfit(Exception):  # noqa: N818
    """A reply that is no valid answer: a countable reason and a text for the model.

    `final`: a correction is useless.
    """

    def __init__(self, reason: str, text: str, *, final: bool = False) -> None:
        super().__init__(text)
        self.reason, self.final = reason, final


@lru_cache(maxsize=64)
def tool(form: type[BaseModel]) -> Any:
    """Return the form as a tool with a strict JSON schema: every field required, no other field allowed."""
    from openai import pydantic_function_tool

    return pydantic_function_tool(form)


@lru_cache(maxsize=64)
def schema_text(form: type[BaseModel]) -> str:
    """Return the JSON schema as text, for an answer's key and for models that get it in the prompt."""
    return json.dumps(tool(form)["function"]["parameters"], ensure_ascii=False, separators=(",", ":"))


def read(reply: Reply, form: type[Form]) -> Form:
    """Return the answer in a reply: whole JSON, or the last JSON object of the form within other text.

    A list stands for the object of one field only where there is no such object. Raises Unfit if there is none.
    """
    if reply.refusal is not None:
        raise Unfit("refused by the model", reply.refusal or "the model would not answer", final=True)
    fault = Unfit("not JSON", "there is no JSON object in the answer")
    values = list(reversed(deque(_values(reply.text), MOST_VALUES)))
    for value in sorted(values, key=lambda value: isinstance(value, list)):
        try:
            return _validated(value, form)
        except Unfit as error:
            fault = error
    if reply.finish == "length":
        fault = Unfit("cut off", f"the answer was cut off after {reply.output_tokens} tokens; give fewer items, whole")
    raise fault


def _validated(value: Any, form: type[Form]) -> Form:
    fields = {field.alias or name for name, field in form.model_fields.items()}
    if isinstance(value, list) and len(fields) == 1:  # small models omit the name of a single field
        value = dict.fromkeys(fields, value)
    present = set(value) & fields if isinstance(value, dict) else set()
    if not present and isinstance(value, dict) and {"properties", "type"} <= set(value):
        raise Unfit("schema given back", "this is the JSON schema itself; give an answer that follows it")
    if fields and not present:
        raise Unfit("wrong form", f"the object has none of the fields {', '.join(sorted(fields))}")
    try:
        return form.model_validate(value)
    except ValidationError as error:
        raise Unfit("wrong form", _told(error)) from error


def correction(fault: Unfit, form: type[BaseModel]) -> str:
    """Return the request for a corrected answer."""
    return (
        f"That answer cannot be used: {fault}\nGive the whole answer again as one JSON object and nothing else, "
        f"following this JSON schema:\n{schema_text(form)}"
    )


def _values(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists in a text, up to a truncated one. Raises Unfit if one is too deep."""
    text, at, broken = _unfenced(text), 0, 0
    while broken < MOST_BROKEN and (opening := _OPENING.search(text, at)):
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
            yield _encodable(value)
        except json.JSONDecodeError as error:
            if error.pos >= len(text) or "Unterminated" in error.msg:
                return
            at, broken = max(error.pos, opening.end()), broken + 1
            if at > FAR:  # the next error would count all lines before it
                text, at = text[at:], 0
        except RecursionError as error:
            raise Unfit("nested too deeply", "the answer is nested too deeply; give a flat one") from error


def _unfenced(text: str) -> str:
    """Return the text without white space and Markdown fences around it, in linear time."""
    text = text.strip()
    if opening := _FENCE.match(text):
        text = text[opening.end() :]
    return text.removesuffix("```").strip()


def _encodable(value: Any) -> Any:
    """Return a JSON value whose texts can be stored: lone surrogates become U+FFFD."""
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if isinstance(value, dict):
        return {whole_characters(name): _encodable(item) for name, item in value.items()}
    return value


def _told(error: ValidationError) -> str:
    faults = [f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}" for fault in error.errors()]
    more = f"; and {len(faults) - FAULTS_TOLD} more" if len(faults) > FAULTS_TOLD else ""
    return "; ".join(faults[:FAULTS_TOLD]) + more
