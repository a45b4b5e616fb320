"""One call to an OpenAI-compatible endpoint, in its dialect, with every fault named."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from email.utils import parsedate_to_datetime
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr

from kgservice.core.errors import LLMFailure
from kgservice.core.tracing import Attribute, operation
from kgservice.llm.answers import Dialect, Reply, whole_characters
from kgservice.llm.budget import tokens_of
from kgservice.llm.form import schema_text, tool

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from openai.types.chat import ChatCompletion

Message = tuple[str, str]  # role, text
Told = Callable[[str], None]
"""What is done with the text of a reply so far, each time that more of it has come."""

SECRET = 8  # characters of a key
MOST_TOKENS = 10**9  # of one call; a higher bill is an error
MOST_BYTES = 16 * 2**20  # of a reply's body


class Unavailable(Exception):  # noqa: N818
    """A call that may succeed later.

    `wait`: seconds that the endpoint demands, if any. `lost`: the call may have been processed and billed, but no reply
    came. `limited`: there are too many calls.
    """

    def __init__(self, reason: str, text: str, *, wait: float | None = None, lost: bool = False) -> None:
        super().__init__(text)
        self.reason, self.wait, self.lost = reason, wait, lost
        self.limited = reason == "rate limited"


class CallRefused(Exception):  # noqa: N818
    """A call that the endpoint rejects however often it is sent. `status` is that of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _TooLongError(Exception):
    """A reply whose body exceeds the limit, or is compressed, so that its length is unknown."""


async def _bound(response: Any) -> None:
    """Read the body of a reply, up to the limit. One in pieces is left to `_pieces`. Raises _TooLongError."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return
    if response.headers.get("content-encoding", "identity") != "identity":
        raise _TooLongError("a packed reply, which nobody asked for")
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > MOST_BYTES:
            raise _TooLongError(f"a reply of more than {MOST_BYTES // 2**20} MB")
    response._content = bytes(body)  # where httpx, and httpx2, keep what they have read


class Endpoint:
    """A model at a base URL. Error texts are shown without the key."""

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        model: str,
        *,
        timeout: float,
        temperature: float,
        max_tokens: int,
    ) -> None:
        self.base_url, self.model = base_url.rstrip("/"), model
        self.temperature, self.max_tokens = temperature, max_tokens
        self._key, self._timeout = api_key, timeout
        self._opened: AsyncOpenAI | None = None
        self._has_pieces = True  # until it has been seen that it has none

    @property
    def shown(self) -> str:
        """Return the address without user, password and query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"

    @property
    def host(self) -> str:
        """Return the host of the address, with its port if it names one."""
        return urlsplit(self.shown).netloc

    async def models(self) -> list[str]:
        """Return the names of the endpoint's models. Raises Unavailable and CallRefused."""
        page = await self._guarded(self._client.models.list())
        return sorted(model.id for model in page.data or ())

    async def send(
        self, messages: Sequence[Message], form: type[BaseModel], dialect: Dialect, told: Told | None = None
    ) -> Reply:
        """Make one call, once, and return the reply. Raises Unavailable and CallRefused.

        `told` is called with the text so far, as it comes; an endpoint that cannot send pieces is asked for the whole.
        """
        from openai.types.chat import ChatCompletion

        contents = [{"role": role, "content": text} for role, text in messages]
        request: dict[str, Any] = {"model": self.model, "messages": contents, dialect.limit: self.max_tokens}
        if dialect.temperature:
            request["temperature"] = self.temperature
        form_tool = tool(form)
        name = form_tool["function"]["name"]
        if dialect.mode == "schema":
            wanted = {"name": name, "strict": True, "schema": form_tool["function"]["parameters"]}
            request["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif dialect.mode == "tool":
            request |= {"tools": [form_tool], "tool_choice": {"type": "function", "function": {"name": name}}}
        else:
            contents[0] = contents[0] | {"content": f"{contents[0]['content']}\n\n{_in_words(form)}"}
        with operation("chat", self.model, self._traced) as span:
            if told is not None and self._has_pieces:
                pieces: Reply | None = await self._guarded(self._pieces(request, messages, told))
                if pieces is not None:
                    _count(span, pieces)
                    return pieces
            # not chat.completions.create, which walks through requests by type and takes longer than all else
            call = self._client.post("/chat/completions", cast_to=ChatCompletion, body=request)
            completion = await self._guarded(call)
            try:
                reply = self._reply(completion, messages)
            except (
                AttributeError,
                TypeError,
                ValueError,
                LookupError,
            ) as error:  # the client does not check types of fields
                raise Unavailable("broken reply", f"{self.shown} sent a reply of another form", lost=True) from error
            _count(span, reply)
            return reply

    async def _pieces(self, request: dict[str, Any], messages: Sequence[Message], told: Told) -> Reply | None:
        """Return the reply to a call that is answered in pieces, None if the endpoint refuses such calls."""
        from openai import AsyncStream, BadRequestError
        from openai.types.chat import ChatCompletionChunk

        text, refusal, finish, usage = "", "", None, None
        body = request | {"stream": True, "stream_options": {"include_usage": True}}
        try:
            stream = await self._client.post(
                "/chat/completions", cast_to=ChatCompletionChunk, body=body, stream=True,
                stream_cls=AsyncStream[ChatCompletionChunk],
            )  # fmt: skip
            async with stream:
                async for piece in stream:
                    usage = piece.usage or usage
                    for choice in (piece.choices or ())[:1]:
                        said = choice.delta
                        calls = [call.function.arguments for call in said.tool_calls or () if call.function]
                        text += "".join(part or "" for part in (said.content, *calls))
                        refusal, finish = refusal + (said.refusal or ""), choice.finish_reason or finish
                    if len(text) > MOST_BYTES:
                        raise _TooLongError(f"a reply of more than {MOST_BYTES // 2**20} MB")
                    told(text)
        except BadRequestError:  # another fault of the call will be named when it is made whole
            self._has_pieces = False
            return None
        except (AttributeError, TypeError) as error:  # the client does not check types of fields
            raise Unavailable("broken reply", f"{self.shown} sent pieces of another form", lost=True) from error
        if finish is None:
            self._has_pieces = bool(text or refusal)  # it may have sent the whole, which is read at the next attempt
            raise Unavailable("broken reply", f"{self.shown} ended in the middle of a reply", lost=True)
        return self._made(text, finish, refusal or None, usage, messages)

    @property
    def _traced(self) -> dict[str, Attribute]:
        """Return the span attributes of each call."""
        parts = urlsplit(self.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return {
            "gen_ai.provider.name": "openai", "gen_ai.request.model": self.model, "server.port": port,
            "gen_ai.request.max_tokens": self.max_tokens, "server.address": parts.hostname or "",
        }  # fmt: skip

    async def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None

    @property
    def _client(self) -> AsyncOpenAI:
        if self._opened is None:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # takes a second

            key = self._key.get_secret_value() if self._key else "none"
            http = DefaultAsyncHttpxClient(event_hooks={"response": [_bound]}, headers={"Accept-Encoding": "identity"})
            options: dict[str, Any] = {"max_retries": 0, "timeout": self._timeout, "http_client": http}
            self._opened = AsyncOpenAI(base_url=self.base_url, api_key=key, **options)
        return self._opened

    async def _guarded(self, call: Any) -> Any:
        from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

        try:
            async with asyncio.timeout(self._timeout):
                return await call
        except (TimeoutError, APITimeoutError) as error:
            raise Unavailable("time-out", f"no answer in {self._timeout:g} s from {self.shown}", lost=True) from error
        except APIStatusError as error:
            raise self._status(error) from error
        except APIConnectionError as error:
            cause = self._clean(f"{type(error.__cause__).__name__}: {error.__cause__}")
            if isinstance(error.__cause__, _TooLongError):
                raise Unavailable(
                    "broken reply", self._clean(f"{self.shown} sent {error.__cause__}"), lost=True
                ) from error
            unreached = type(error.__cause__).__name__ == "ConnectError"
            reason = "endpoint not reached" if unreached else "connection lost"
            raise Unavailable(reason, f"{self.shown}: {cause}", lost=not unreached) from error
        except (APIError, _TooLongError, ValueError, RecursionError) as error:  # no JSON, no text, too deep, too long
            raise Unavailable("broken reply", self._clean(str(error)), lost=True) from error

    def _status(self, error: APIStatusError) -> Exception:
        text = self._clean(f"HTTP {error.status_code} from {self.shown}: {error.message}")
        if error.code in ("insufficient_quota", "billing_hard_limit_reached"):
            return LLMFailure("no credit left", text)
        wait = _wait(error.response.headers)
        if error.status_code == 429:
            return Unavailable("rate limited", text, wait=wait)
        if error.status_code in (408, 409) or error.status_code >= 500:
            return Unavailable("endpoint error", text, wait=wait)
        return CallRefused(error.status_code, text)

    def _reply(self, completion: ChatCompletion, messages: Sequence[Message]) -> Reply:
        choices = getattr(completion, "choices", None)
        if not choices or choices[0].message is None:
            raise Unavailable("no answer in the reply", f"{self.shown} sent no choices", lost=True)
        message = choices[0].message
        calls = [call.function.arguments for call in message.tool_calls or () if call.type == "function"]
        text = calls[0] if calls else message.content or ""
        finish = choices[0].finish_reason or "stop"
        return self._made(text, finish, message.refusal, completion.usage, messages)

    def _made(self, text: str, finish: str, refusal: str | None, usage: Any, messages: Sequence[Message]) -> Reply:
        sent, back = (_billed(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        return Reply(
            text=text,
            finish=finish,
            refusal=refusal or ("content filter" if finish == "content_filter" else None),
            input_tokens=sum(tokens_of(said) for _, said in messages) if sent is None else sent,
            output_tokens=tokens_of(text) if back is None else back,
            estimated=sent is None or back is None,
        )

    def _clean(self, text: str) -> str:
        """Return the text without the key, which some endpoints repeat, cut to one line.

        A key of less than 8 characters ("x", "none") is no secret, and may be a part of any word.
        """
        if self._key and len(key := self._key.get_secret_value()) >= SECRET:
            text = text.replace(key, "***")
        return re.sub(r"\s+", " ", whole_characters(text))[:500]


def _count(span: Any, reply: Reply) -> None:
    span.set_attribute("gen_ai.usage.input_tokens", reply.input_tokens)
    span.set_attribute("gen_ai.usage.output_tokens", reply.output_tokens)


def _billed(usage: Any, name: str) -> int | None:
    """Return a count of tokens by the endpoint, or None if it gives no plausible one."""
    tokens = getattr(usage, name, None)
    return tokens if type(tokens) is int and 0 <= tokens < MOST_TOKENS else None


def _in_words(form: type[BaseModel]) -> str:
    return (
        "Answer with one JSON object and nothing else: no words before or after it. It follows this JSON schema, which "
        f"describes the answer and is not the answer:\n{schema_text(form)}"
    )


def _wait(headers: Any) -> float | None:
    """Return the seconds that the endpoint demands, or None: OpenAI's milliseconds, else RFC 9110, 10.2.3."""
    try:
        if "retry-after-ms" in headers:
            return max(float(headers["retry-after-ms"]) / 1000, 0)
        if "retry-after" not in headers:
            return None
        text = headers["retry-after"]
        return max(float(text) if text[:1].isdigit() else parsedate_to_datetime(text).timestamp() - time(), 0)
    except ValueError:
        return None
