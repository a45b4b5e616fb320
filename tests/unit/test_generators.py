"""Generators: what the extractive one reads and refuses, what a model is asked, and systems that misbehave."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import REFUSAL, Generated, Generator, QuestionWithPassages
from kgservice.answering.llm_generator import PromptedGenerator
from kgservice.answering.remote import RemoteGenerator
from kgservice.core.errors import BadRequest
from kgservice.llm.client import LLM
from kgservice.text.matching import match
from kgservice.vectors.embedder import Embedder
from tests.llm_server import KEY, LLMServer, filled

PASSAGE = (
    "Tolvane Motors was founded in 1998 by Irena Kost, an engineer. Tolvane Motors is headquartered in Norrholt. "
    "Tolvane Motors employs 12,400 people. The canteen serves soup on Fridays."
)


def ask(generator: Generator, *asked: QuestionWithPassages) -> list[Generated]:
    return asyncio.run(generator.answers(asked))


def about(question: str, *contexts: str) -> QuestionWithPassages:
    return QuestionWithPassages(unit="q", question=question, contexts=contexts)


@pytest.fixture(scope="module")
def extractive() -> ExtractiveGenerator:
    return ExtractiveGenerator(Embedder())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Tolvane Motors founded?", "1998"),
        ("Who founded Tolvane Motors?", "Irena Kost"),
        ("Where is Tolvane Motors headquartered?", "Norrholt"),
        ("How many people does Tolvane Motors employ?", "12,400 people"),
    ],
)
def test_the_extractive_reader_names_what_is_asked_for(
    extractive: ExtractiveGenerator, question: str, answer: str
) -> None:
    (found,) = ask(extractive, about(question, PASSAGE))
    assert match(found.answer, answer), found
    assert found.reasoning in PASSAGE


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        (
            "Who is the chairman of Hartwell Group?", "Victor Hartwell",
            "Hartwell Group's chairman is Victor Hartwell, and its chief financial officer is Dana Brill.",
        ),
        (
            "Who founded Brill Foods?", "Edda Brill",
            "Brill Foods was founded by Edda Brill, and its first plant was built by Olaf Senn.",
        ),
        (
            "Who is the wife of Victor Hartwell?", "Nora Hartwell",
            "The wife of Victor Hartwell is Nora Hartwell, and his lawyer is Dana Brill.",
        ),
        ("Who is the heir of Mark Senn?", "Dana Brill", "Mark Senn, son of Olaf, has an heir, Dana Brill."),
    ],
)  # fmt: skip
def test_a_person_may_share_a_word_with_what_a_question_names(
    extractive: ExtractiveGenerator, question: str, answer: str, text: str
) -> None:
    (found,) = ask(extractive, about(question, text))
    assert found.answer == answer, found


def test_the_extractive_reader_refuses_what_no_sentence_is_about(extractive: ExtractiveGenerator) -> None:
    asked = (about("Who wrote the opera Solaris?", PASSAGE), about("Who founded Tolvane Motors?"))
    assert [one.answer for one in ask(extractive, *asked)] == [REFUSAL, REFUSAL]


def test_a_model_is_asked_with_passages_or_from_memory(tmp_path: Path) -> None:
    def answer(request: dict[str, Any]) -> Any:
        said = request["messages"][1]["content"]
        if "Tolvane" not in said:  # how the endpoint is tried out
            return filled(request)
        return {"reasoning": "r", "answer": "Irena Kost"} if "passage 1" in said else {"answer": "no such info"}

    async def run(url: str) -> list[Generated]:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        async with LLM(url, SecretStr(KEY), "test-model", **files) as llm:
            asked = [about("Who founded Tolvane Motors?", PASSAGE), about("Who founded Tolvane Motors?")]
            return await PromptedGenerator(llm).answers(asked)

    with LLMServer(answer) as server:
        found = asyncio.run(run(server.url))
    assert found == [Generated(answer="Irena Kost", reasoning="r"), Generated(answer="no such info")]


ZEROS = gzip.compress(b"0" * 50_000_000)


class System(BaseHTTPRequestHandler):
    """A system under test that does as its question says; what hangs does so until the test is over."""

    over = threading.Event()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        wish = asked["question"]
        body = {
            "well": json.dumps({"answer": f"{len(asked['contexts'])} passages", "reasoning": "counted"}),
            "garbage": "<html>", "no answer": "{}", "a list": '["x"]', "deep": "[" * 100_000,
            "half a pair": '{"answer": "a\\ud83db"}', "zeros": ZEROS,
        }.get(wish, "")  # fmt: skip
        if wish == "hang":
            self.over.wait(60)
        self.send_response(503 if wish == "broken" else 200)
        if wish == "zeros":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        try:
            if wish == "drip":
                while not self.over.wait(0.05):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            for _ in range(50 if wish == "huge" else 0):
                self.wfile.write(b"x" * 1_000_000)
            self.wfile.write(body if isinstance(body, bytes) else body.encode())
        except OSError:  # the client had enough
            self.close_connection = True


@pytest.fixture
def system() -> Iterator[str]:
    System.over.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), System)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/ask"
    System.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_whatever_a_system_does_the_run_goes_on(system: str) -> None:
    ended = {
        "well": "", "hang": "time-out", "drip": "time-out", "huge": "answer too long", "garbage": "not JSON",
        "deep": "not JSON", "no answer": 'no "answer" text in the reply', "a list": 'no "answer" text in the reply',
        "broken": "status 503", "half a pair": "", "zeros": "not JSON",
    }  # fmt: skip
    found = ask(RemoteGenerator(system, timeout=3), *(about(wish, "one", "two") for wish in ended))
    assert {wish: one.failure for wish, one in zip(ended, found, strict=True)} == ended
    assert found[0] == Generated(answer="2 passages", reasoning="counted")
    assert [one.answer for one in found if "?" in one.answer] == ["a?b"], "half a surrogate pair can be in no file"
    (gone,) = ask(RemoteGenerator("http://127.0.0.1:9/ask", timeout=3), about("well"))
    assert gone.failure.startswith("no reply (ConnectError")


@pytest.mark.parametrize("url", ["ftp://x/", "http://", "http://[::1/"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadRequest, match="is no address"):
        RemoteGenerator(url)
