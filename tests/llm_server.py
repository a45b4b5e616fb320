"""A real HTTP server that speaks the OpenAI chat-completions protocol, with any of the faults that endpoints have.

The answers come from `answer(request)`; faults are drawn by the seed, the prompt and how often it was asked before, so
that a run is the same whatever the order in which its calls arrive.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from kgservice.text.sentences import sentences

FAULTS = ("429", "500", "time-out", "reset", "cut", "wrong schema", "no choices", "refusal", "echo")
MODES = frozenset(("schema", "tool", "plain"))
KEY = "sk-test-7f3b9c0d2e"

CHUNK = re.compile(r'<data (?:\w+) name="chunk (\d+)">\n(.*?)\n</data ', re.DOTALL)
TRIPLET = re.compile(r"([A-Z]\w+(?: [A-Z]\w+)*) ((?:[a-z]+ ?){1,4}) ([A-Z]\w+(?: [A-Z]\w+)*)")

Answer = Callable[[dict[str, Any]], Any]


def form(request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the JSON schema that a request asks to be followed; None where it is told in words."""
    if "response_format" in request:
        return dict(request["response_format"]["json_schema"]["schema"])
    return dict(request["tools"][0]["function"]["parameters"]) if "tools" in request else None


def filled(request: Mapping[str, Any]) -> Any:
    """Answer with an instance of the schema: the shortest one, numbers 1 and texts "x"."""
    schema = form(request)
    if schema is None:
        told = request["messages"][0]["content"]
        schema = json.loads(told[told.index("{") :])
    return _instance(schema, schema)


def triplets(request: Mapping[str, Any]) -> Any:
    """Answer the question for triplets as a model of very little mind: "Name words Name" in a sentence is one."""
    found = []
    for number, text in CHUNK.findall(request["messages"][1]["content"]):
        for start, end in sentences(text):
            if said := TRIPLET.search(text, start, end):
                subject, relation, other = said.groups()
                ends = {"subject": subject, "subject_type": "thing", "object": other, "object_type": "thing"}
                found.append({"chunk": int(number), "sentence": text[start:end], "relation": relation} | ends)
    return {"triplets": found}


def answered(request: Mapping[str, Any]) -> Any:
    """Answer what is asked: with the triplets of chunks, else with any instance of the schema."""
    return triplets(request) if CHUNK.search(request["messages"][1]["content"]) else filled(request)


def _instance(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return _instance(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "anyOf" in schema:
        return _instance(schema["anyOf"][0], whole)
    match schema.get("type"):
        case "object":
            return {name: _instance(field, whole) for name, field in schema.get("properties", {}).items()}
        case "array":
            return []
        case "string":
            return "x"
        case "boolean":
            return True
        case _:
            return 1


class LLMServer:
    """The server, on a free port of this machine while the context is open.

    `modes`: ways of asking that it has; others get HTTP 400, or with `deaf` are taken and not heeded. `rates`: share of
    each fault. `raw`: the bytes of a reply's body, whatever they are, in place of an answer. `overbilled`: how many times the
    tokens of an answer are charged. `pieces`: a reply can be sent piece by piece. `key`: what callers must send; `keys` are all that came. `asked` counts the calls by prompt, `paid` those whose reply arrived with an answer,
    `peak` the most at once.
    """

    def __init__(
        self,
        answer: Answer = answered,
        *,
        modes: frozenset[str] = MODES,
        deaf: bool = False,
        rates: Mapping[str, float] | None = None,
        seed: int = 0,
        delay: float = 0.0,
        hang: float = 5.0,
        retry_after: str = "0",
        refuses: Callable[[dict[str, Any]], str | None] = lambda _: None,
        raw: Callable[[dict[str, Any]], bytes | None] = lambda _: None,
        overbilled: int = 1,
        pieces: bool = True,
        key: str = KEY,
    ) -> None:
        self.answer, self.modes, self.deaf, self.rates = answer, modes, deaf, dict(rates or {})
        self.seed, self.delay, self.hang, self.retry_after, self.refuses = seed, delay, hang, retry_after, refuses
        self.raw, self.overbilled, self.pieces, self.key = raw, overbilled, pieces, key
        self.keys: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.paid: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.times: list[float] = []
        self.requests: list[dict[str, Any]] = []
        self.under_way = self.peak = 0
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        self._http = _Listener(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def counts(self) -> dict[str, Any]:
        """What came in: calls, those whose answer arrived, those of them that repeat a prompt, and faults."""
        paid = self.paid.total()
        counted = {"asked": self.asked.total(), "paid": paid, "paid_again": paid - len(+self.paid)}
        return counted | {"faults": dict(self.faults), "at_once": self.peak}

    def fault(self, prompt: str, time_asked: int) -> str | None:
        """Draw the fault of a call, the same in every run of one seed."""
        draw = random.Random(f"{self.seed} {time_asked} {prompt}").random()
        for name, rate in self.rates.items():
            if draw < rate:
                return name
            draw -= rate
        return None


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    owner: LLMServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        owner = self.server.owner
        if self.path == "/counts":
            with owner.lock:
                self._send(200, owner.counts())
        elif self._known():
            self._send(200, {"object": "list", "data": [{"id": "test-model", "object": "model"}]})

    def do_POST(self) -> None:
        owner = self.server.owner
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = json.dumps(request["messages"])
        with owner.lock:
            owner.asked[prompt] += 1
            asked = owner.asked[prompt]
            owner.times.append(time.monotonic())
            owner.requests.append(request)
            owner.under_way += 1
            owner.peak = max(owner.peak, owner.under_way)
        try:
            if self._known():
                self._answered(request, prompt, owner.fault(prompt, asked))
        finally:
            with owner.lock:
                owner.under_way -= 1

    def _known(self) -> bool:
        owner, given = self.server.owner, self.headers["authorization"]
        with owner.lock:
            owner.keys.add(given.removeprefix("Bearer "))
        if given == f"Bearer {owner.key}":
            return True
        self._send(401, {"error": {"message": f"Incorrect API key: {given}", "code": "invalid_api_key"}})
        return False

    def _answered(self, request: dict[str, Any], prompt: str, fault: str | None) -> None:
        owner = self.server.owner
        mode = "schema" if "response_format" in request else "tool" if "tools" in request else "plain"
        unheard = mode not in owner.modes
        if request.get("stream") and not owner.pieces:
            self._send(400, {"error": {"message": "stream is not supported", "code": "unsupported"}})
            return
        if refused := owner.refuses(request) or (f"{mode} is not supported" if unheard and not owner.deaf else None):
            self._send(400, {"error": {"message": refused, "code": "unsupported"}})
            return
        if fault:
            with owner.lock:
                owner.faults[fault] += 1
        time.sleep(owner.hang if fault == "time-out" else owner.delay)
        match fault:
            case "429":
                self._send(429, {"error": {"message": "too many"}}, {"retry-after": owner.retry_after})
            case "500":
                self._send(500, {"error": {"message": "broken"}})
            case "reset":
                self._reset()
            case "endless":
                self._endless()
            case "packed":
                body = gzip.compress(b" " * 10**6)
                self._send(200, body, {"content-encoding": "gzip"})
            case _ if (body := owner.raw(request)) is not None:
                self._send(200, body)
            case _:
                said = "Glad to help! What would you like to know?" if unheard else owner.answer(request)
                with owner.lock:
                    owner.paid[prompt] += fault not in ("time-out", "no choices")
                whole = _completion(request, mode, fault, said, owner.overbilled)
                self._pieces(whole, fault) if request.get("stream") else self._send(200, whole)

    def _pieces(self, whole: dict[str, Any], fault: str | None) -> None:
        """Send a reply some letters at a time; with "broken off" and "torn" it ends in the middle, "torn" not politely."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        events = list(_events(whole))
        for event in events[: len(events) // 2] if fault in ("broken off", "torn") else [*events, "[DONE]"]:
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"data: {data}\n\n".encode())
            self.wfile.flush()
        if fault == "torn":
            self._torn()

    def _reset(self) -> None:
        """Close the connection in the middle of a body, not politely."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"id": "x", "choices": [{"mess')
        self.wfile.flush()
        self._torn()

    def _torn(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def _endless(self) -> None:
        """Send blanks for as long as somebody listens."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.close_connection = True
        with suppress(OSError):
            while True:
                self.wfile.write(b" " * 2**20)

    def _send(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _completion(
    request: dict[str, Any], mode: str, fault: str | None, said: Any, overbilled: int = 1
) -> dict[str, Any]:
    """The body of a reply, as it should be or with a fault of the model's."""
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    finish, refusal = "stop", None
    if fault == "cut":
        text, finish = text[: max(len(text) * 2 // 3, 1)], "length"
    elif fault == "wrong schema":
        text = json.dumps({"result": [1, 2], "comment": "as requested"})
    elif fault == "echo":
        text = json.dumps(form(request) or {"type": "object", "properties": {}})
    elif fault == "refusal":
        refusal, text = "I cannot help with that.", ""
    message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": refusal}
    if mode == "tool" and text:
        name = request["tools"][0]["function"]["name"]
        call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": text}}
        message |= {"content": None, "tool_calls": [call]}
        finish = "length" if fault == "cut" else "tool_calls"
    elif mode == "plain" and text and fault is None and not isinstance(said, str):
        message["content"] = f"Here is the answer:\n```json\n{text}\n```\nAnything else?"
    choices = [] if fault == "no choices" else [{"index": 0, "message": message, "finish_reason": finish}]
    sent = sum(len(one["content"] or "") for one in request["messages"]) // 4
    back = overbilled * (len(text) // 4)
    usage = {"prompt_tokens": sent, "completion_tokens": back, "total_tokens": sent + back}
    named = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": request["model"]}
    return named | {"choices": choices, "usage": usage}


def _events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a reply in pieces: its text, its end, and what it costs."""
    named = {name: whole[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    for choice in whole["choices"]:
        message = choice["message"]
        calls = message.get("tool_calls") or ()
        text = calls[0]["function"]["arguments"] if calls else message["content"] or ""
        for start in range(0, len(text), 7):
            piece = text[start : start + 7]
            function = {"index": 0, "id": "call_1", "type": "function", "function": {"arguments": piece}}
            said = {"tool_calls": [function]} if calls else {"content": piece}
            yield named | {"choices": [{"index": 0, "delta": said, "finish_reason": None}]}
        ending = {"refusal": message["refusal"]} if message["refusal"] else {}
        yield named | {"choices": [{"index": 0, "delta": ending, "finish_reason": choice["finish_reason"]}]}
    yield named | {"choices": [], "usage": whole["usage"]}
