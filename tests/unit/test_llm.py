"""The client against a real server with the protocol's faults: asked once, paid once, every failure with a reason."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from kgservice.cli.session import settings as command_settings
from kgservice.core.errors import LLMFailure, SettingsError
from kgservice.core.journal import Journal
from kgservice.core.price import Price
from kgservice.core.settings import ModelAddress, Role, Settings
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.estimate import estimate
from kgservice.llm.prompts import Prompt
from kgservice.setup.connect import language_model
from tests.llm_server import FAULTS, KEY, LLMServer, filled, form


class Number(BaseModel):
    value: int


def ask(user: str, sample: int = 0) -> Ask:
    return Ask(Prompt(name="p", system="s", user=user), Number, "count", user, sample)


def capital_or(answer: Callable[[str], Any]) -> Callable[[dict[str, Any]], Any]:
    """Answer by the user's words; the client's own trial of the endpoint is answered as it should be."""
    return lambda request: filled(request) if "France" in _said(request) else answer(_said(request))


def _said(request: dict[str, Any]) -> str:
    return str(request["messages"][1]["content"])


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., LLM]:
    def made(server: LLMServer | str, **options: Any) -> LLM:
        url = server if isinstance(server, str) else server.url
        given = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl", "first_wait": 0.01}
        return LLM(url, SecretStr(KEY), "test-model", **given | options)  # type: ignore[arg-type]

    return made


def answers_of(llm: LLM, *asks: Ask) -> list[BaseModel | LLMFailure]:
    async def run() -> list[BaseModel | LLMFailure]:
        async with llm:
            return [answer async for answer in gather(llm, asks)]

    return asyncio.run(run())


def lines(llm: LLM) -> list[dict[str, Any]]:
    return [json.loads(line) for line in llm.ledger.path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("modes", "deaf", "mode"),
    [
        (("schema", "tool", "plain"), False, "schema"),
        (("tool", "plain"), False, "tool"),
        (("tool", "plain"), True, "tool"),
        (("plain",), False, "plain"),
        (("plain",), True, "plain"),
    ],
)
def test_the_best_way_of_asking_is_found_once_and_kept(
    client: Callable[..., LLM], modes: tuple[str, ...], deaf: bool, mode: str
) -> None:
    with LLMServer(modes=frozenset(modes), deaf=deaf) as server:
        assert answers_of(client(server), ask("a")) == [Number(value=1)]
        llm = client(server)
        assert answers_of(llm, ask("b"), ask("c")) == [Number(value=1)] * 2
    assert list(llm.spending().stages) == ["count"], "the endpoint was tried again"
    last = server.requests[-1]
    assert mode == ("schema" if "response_format" in last else "tool" if "tools" in last else "plain")


def test_parameters_that_newer_models_do_not_take_are_left_out_or_renamed(client: Callable[..., LLM]) -> None:
    def refuses(request: dict[str, Any]) -> str | None:
        if "max_tokens" in request:
            return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return "'temperature' does not support 0" if "temperature" in request else None

    with LLMServer(refuses=refuses) as server:
        assert answers_of(client(server), ask("a")) == [Number(value=1)]
    assert "response_format" in server.requests[-1]
    assert server.requests[-1]["max_completion_tokens"] == 4096


def test_a_schema_that_the_endpoint_will_not_take_is_asked_for_in_another_way(client: Callable[..., LLM]) -> None:
    def refuses(request: dict[str, Any]) -> str | None:
        schema = form(request)
        return "invalid schema" if "response_format" in request and schema and "value" in schema["properties"] else None

    with LLMServer(refuses=refuses) as server:
        assert answers_of(client(server), ask("a")) == [Number(value=1)]
    assert "tools" in server.requests[-1]


def test_what_was_answered_is_not_paid_for_again(client: Callable[..., LLM]) -> None:
    with LLMServer() as server:
        first = answers_of(client(server), ask("a"), ask("a"), ask("b"), ask("a", sample=1))
        calls = sum(server.asked.values())
        llm = client(server)
        assert answers_of(llm, ask("a"), ask("b"), ask("a", sample=1)) == first[1:]
        assert sum(server.asked.values()) == calls == 1 + 3  # the trial; a, b, and another answer to a
        assert answers_of(client(server, temperature=0.5), ask("a")) == [Number(value=1)]
        assert sum(server.asked.values()) == calls + 1
    spent = llm.spending().stages["count"]
    assert (spent.calls, spent.kept, spent.input_tokens, spent.usd) == (0, 3, 0, None)


def test_an_answer_that_does_not_fit_is_mended_once(client: Callable[..., LLM]) -> None:
    def answer(request: dict[str, Any]) -> Any:
        if "France" in _said(request):
            return filled(request)
        mended = len(request["messages"]) == 4 and _said(request) == "mends"
        return {"value": 7} if mended else {"value": "seven"}

    with LLMServer(answer) as server:
        good, bad = answers_of(client(server), ask("mends"), ask("persists"))
        assert good == Number(value=7)
        assert isinstance(bad, LLMFailure)
        assert bad.reason == "wrong form"
        assert "value: Input should be a valid integer" in bad.detail
        told = [one["messages"][3]["content"] for one in server.requests if len(one["messages"]) == 4]
        assert all("value: Input should be a valid integer" in text for text in told)
        calls = sum(server.asked.values())
        llm = client(server)
        answers_of(llm, ask("persists"))
        assert sum(server.asked.values()) == calls, "what failed was asked again, unbidden"
        assert llm.spending().stages["count"].failed == {"wrong form": 1}
        answers_of(client(server, retry_failed=True), ask("mends"), ask("persists"))
        assert sum(server.asked.values()) == calls + 2


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("429", "rate limited"),
        ("500", "endpoint error"),
        ("time-out", "time-out"),
        ("reset", "connection lost"),
        ("cut", "cut off"),
        ("wrong schema", "wrong form"),
        ("endless", "broken reply"),
        ("packed", "broken reply"),
        ("no choices", "no answer in the reply"),
        ("refusal", "refused by the model"),
        ("echo", "schema given back"),
    ],
)
def test_each_fault_that_lasts_ends_as_a_failure_with_its_reason(
    client: Callable[..., LLM], fault: str, reason: str
) -> None:
    with LLMServer(hang=0.4) as server:
        answers_of(client(server), ask("first"))  # the trial of the endpoint goes well
        server.rates = {fault: 1.0}
        options = {
            "timeout": 5 if fault == "endless" else 0.2,
            "attempts": 3,
            "patience": 0.3,
            "budget": Budget(limit=10**6, unit="tokens"),
        }
        llm = client(server, **options)
        (failure,) = answers_of(llm, ask("a"))
        assert isinstance(failure, LLMFailure)
        assert failure.reason == reason
        spent = llm.spending().stages["count"]
        assert spent.failed == {reason: 1}
        tried = sum(number for said, number in server.asked.items() if '"a"' in said)
        assert spent.calls + spent.lost + spent.tried_again == tried
        if fault in ("time-out", "reset", "endless", "packed", "no choices"):
            assert spent.lost == 3
            assert spent.output_tokens == 3 * 4096, "what may have been charged for is counted in full"
        server.rates = {}
        assert isinstance(answers_of(client(server, retry_failed=True), ask("a"))[0], Number)


def test_retry_after_is_obeyed_by_every_call(client: Callable[..., LLM]) -> None:
    class Limited(LLMServer):
        def fault(self, prompt: str, time_asked: int) -> str | None:
            return "429" if "France" not in prompt and len(self.times) == 2 else None

    with Limited(retry_after="1") as server:
        answers = answers_of(client(server, concurrency=2), *(ask(f"{n}") for n in range(8)))
    assert answers == [Number(value=1)] * 8
    gaps = [later - earlier for earlier, later in zip(server.times, server.times[1:], strict=False)]
    assert max(gaps) >= 0.95, "the server was not left alone for a second"


def test_the_first_wait_is_logged_and_no_other(client: Callable[..., LLM], caplog: pytest.LogCaptureFixture) -> None:
    with LLMServer() as server:
        answers_of(client(server), ask("first"))  # the trial of the endpoint goes well
        server.rates = {"429": 1.0}
        assert not [one for one in caplog.records if one.name == "kgservice"]
        answers_of(client(server, patience=0.05), ask("a"), ask("b"))
    (said,) = (one.message for one in caplog.records if one.name == "kgservice")
    assert said.startswith(f"HTTP 429 from {server.url}: ")
    assert said.endswith("; asking again, a call waits 0.05 s at most in total")


def test_a_wait_longer_than_patience_is_a_failure_at_once(client: Callable[..., LLM]) -> None:
    class Limited(LLMServer):
        def fault(self, prompt: str, time_asked: int) -> str | None:
            return None if "France" in prompt else "429"

    with Limited(retry_after="Fri, 31 Dec 2100 23:59:59 GMT") as server:
        started = time.monotonic()
        (failure,) = answers_of(client(server, patience=60.0), ask("a"))
    assert isinstance(failure, LLMFailure)
    assert failure.reason == "rate limited"
    assert time.monotonic() - started < 60
    assert [number for prompt, number in server.asked.items() if '"a"' in prompt] == [1]


def test_no_more_calls_at_once_than_allowed(client: Callable[..., LLM]) -> None:
    with LLMServer(delay=0.02) as server:
        answers_of(client(server, concurrency=5), *(ask(f"{n}") for n in range(60)))
    assert server.peak == 5


@pytest.mark.parametrize("budget", [Budget(limit=30_000, unit="tokens"), Budget(limit=0.05, unit="USD")])
def test_a_budget_is_never_passed_and_what_is_answered_stays(client: Callable[..., LLM], budget: Budget) -> None:
    asks = [ask(f"{n} " + "x" * 4_000) for n in range(40)]
    price = Price(input=1.0, output=10.0)
    with LLMServer(capital_or(lambda _: {"value": 5})) as server:
        llm = client(server, budget=budget, price=price, max_tokens=1_000)
        answers = answers_of(llm, *asks)
        failed = [answer for answer in answers if isinstance(answer, LLMFailure)]
        assert 0 < len(failed) < 40
        assert {failure.reason for failure in failed} == {"budget reached"}
        assert "larger --budget" in failed[0].detail
        stages = llm.spending().stages.values()
        spent = sum(one.input_tokens + one.output_tokens if budget.unit == "tokens" else one.usd or 0 for one in stages)
        assert budget.limit / 2 < spent <= budget.limit
        again = client(server, price=price, max_tokens=1_000)
        assert answers_of(again, *asks) == [Number(value=5)] * 40
        assert again.spending().stages["count"].kept == 40 - len(failed)
        assert max(number for said, number in server.paid.items() if "x" in said) == 1


def test_a_bill_above_the_limit_of_an_answer_is_reckoned_with_from_then_on(client: Callable[..., LLM]) -> None:
    """Reasoning models charge for more tokens than max_tokens; the first such bill must not be twenty at once."""
    with LLMServer(capital_or(lambda _: {"value": 1}), overbilled=100, delay=0.02) as server:
        llm = client(server, budget=Budget(limit=20_000, unit="tokens"), max_tokens=200, concurrency=16)
        found = answers_of(llm, *(ask(f"{n}") for n in range(60)))
    failed = [one for one in found if isinstance(one, LLMFailure)]
    assert {failure.reason for failure in failed} == {"budget reached"}
    assert 0 < len(failed) < 60
    spent = sum(one.input_tokens + one.output_tokens for one in llm.spending().stages.values())
    assert spent <= 20_000


def test_another_endpoint_is_asked_itself(client: Callable[..., LLM]) -> None:
    for value in (1, 2):
        with LLMServer(capital_or(lambda _, value=value: {"value": value})) as server:  # type: ignore[misc]
            assert answers_of(client(server), ask("a")) == [Number(value=value)]


def test_a_budget_is_read_or_refused() -> None:
    assert Budget.read("$2.50") == Budget(limit=2.5, unit="USD")
    assert Budget.read("3") == Budget.read("3 usd") == Budget(limit=3, unit="USD")
    assert Budget.read("200,000 tokens") == Budget.read("200000tokens") == Budget(limit=200_000, unit="tokens")
    assert Budget.read("1,250.50 USD") == Budget(limit=1_250.5, unit="USD")
    for text in ("", "3 EUR", "-1", "$3 tokens", "many", "0,50", "1,5 USD", "$2,50", "1,0000", "."):
        with pytest.raises(SettingsError, match="give USD"):
            Budget.read(text)


def test_a_command_without_a_budget_has_one(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, llm_base_url="http://127.0.0.1:1/v1", llm_model="m", llm_budget="7tokens")
    with Journal(tmp_path, "load") as journal:
        assert language_model(settings, journal)._purse.budget == Budget(limit=7, unit="tokens")
        given = Budget(limit=9, unit="tokens")
        assert language_model(settings, journal, given)._purse.budget == given


def test_a_budget_in_usd_needs_a_price(client: Callable[..., LLM]) -> None:
    with pytest.raises(SettingsError, match="KGS_LLM_PRICES"):
        client("http://127.0.0.1:9/v1", budget=Budget(limit=1, unit="USD"))


def test_an_estimate_learns_from_answers_and_leaves_out_what_is_kept(client: Callable[..., LLM]) -> None:
    price = Price(input=1.0, output=10.0)
    with LLMServer() as server:
        llm = client(server, price=price)
        asks = [ask(f"{n} " + "x" * 400) for n in range(20)]
        guessed = estimate(llm, asks, output_tokens=500)
        assert (guessed.calls, guessed.kept, guessed.output_tokens, guessed.from_answers) == (20, 0, 10_000, 0)
        assert not server.asked
        answers_of(llm, *asks[:10])
        learnt = estimate(client(server, price=price), asks, output_tokens=500)
        assert (learnt.calls, learnt.kept, learnt.from_answers) == (10, 10, 10)
        llm = client(server, price=price)
        answers_of(llm, *asks)
    spent = llm.spending().stages["count"]
    assert spent.usd is not None
    assert learnt.usd == pytest.approx(spent.usd, rel=0.1)
    assert learnt.output_tokens == spent.output_tokens


def test_a_wrong_key_or_address_ends_the_run_and_says_what_to_set(client: Callable[..., LLM], tmp_path: Path) -> None:
    with LLMServer() as server:
        llm = client(server)
        llm.endpoint._key = SecretStr("sk-wrong-5e5e5e")
        with pytest.raises(SettingsError, match="check KGS_LLM_BASE_URL, KGS_LLM_API_KEY") as caught:
            answers_of(llm, ask("a"), ask("b"))
        assert "sk-wrong" not in str(caught.value)
        assert sum(server.asked.values()) == 1
    with pytest.raises(SettingsError, match=r"does not answer: endpoint not reached.*kgservice doctor"):
        answers_of(client("http://127.0.0.1:9/v1", attempts=2), ask("a"), ask("b"))


def test_a_key_of_a_letter_is_cut_out_of_no_word(client: Callable[..., LLM]) -> None:
    with LLMServer(raw=lambda _: b"no JSON", key="e") as server:
        llm = client(server, attempts=1)
        llm.endpoint._key = SecretStr("e")
        with pytest.raises(SettingsError, match="broken reply: Expecting value"):
            answers_of(llm, ask("a"))


def test_the_key_is_nowhere(client: Callable[..., LLM], tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with LLMServer(rates=dict.fromkeys(FAULTS, 0.1), hang=0.3) as server:
        url = server.url.replace("//", f"//user:{KEY}@")
        llm = client(url, timeout=0.2, attempts=2)
        assert KEY not in llm.endpoint.shown
        llm = client(server, timeout=0.2)
        answers = answers_of(llm, *(ask(f"{n}") for n in range(60)))
    said = [str(answer) + repr(answer) for answer in answers if isinstance(answer, LLMFailure)]
    written = [path.read_bytes().decode("utf-8", "replace") for path in tmp_path.iterdir()]
    assert said
    assert len(written) >= 2
    assert caplog.text
    assert KEY not in "".join([*said, *written, caplog.text, repr(llm.__dict__), repr(llm.endpoint.__dict__)])


def test_roles_have_models_addresses_and_keys_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "BASE_URL": "http://all/v1", "API_KEY": "sk-all", "MODEL": "all", "WRITER_MODEL": "w",
        "JUDGE_BASE_URL": "http://judge/v1", "JUDGE_MODEL": "j",
        "READER_BASE_URL": "http://reader/v1", "READER_API_KEY": "sk-reader", "DECOMPOSER_MODEL": "d",
        "TRANSLATOR_API_KEY": "sk-translator",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(f"KGS_LLM_{name}", value)
    settings = Settings(home=tmp_path, _env_file=None)  # type: ignore[call-arg]

    def of(role: Role | None) -> tuple[str, str, str | None]:
        found = settings.model_of(role)
        assert found is not None
        return found.base_url, found.model, found.api_key and found.api_key.get_secret_value()

    assert of(None) == ("http://all/v1", "all", "sk-all")
    assert of("writer") == ("http://all/v1", "w", "sk-all")
    assert of("judge") == ("http://judge/v1", "j", None), "another address gets no key but its own"
    assert of("reader") == ("http://reader/v1", "all", "sk-reader")
    assert of("decomposer") == ("http://reader/v1", "d", "sk-reader"), "what it lacks is the reader's"
    assert of("translator") == ("http://all/v1", "all", "sk-translator")
    with Journal(tmp_path, "test") as journal:
        assert language_model(settings, journal, role="judge").name == "j at judge"
    monkeypatch.delenv("KGS_LLM_BASE_URL")
    settings = Settings(home=tmp_path, _env_file=None)  # type: ignore[call-arg]
    assert settings.model_of() is settings.model_of("writer") is None
    assert of("judge") == ("http://judge/v1", "j", None), "a role alone can have a model"
    monkeypatch.setenv("KGS_LLM_JUDGE_URL", "http://judge/v1")
    with pytest.raises(SettingsError, match=r"^KGS_LLM_JUDGE_URL: Extra inputs"):
        command_settings()


def test_two_endpoints_each_get_their_own_key_and_answers(client: Callable[..., LLM], tmp_path: Path) -> None:
    with (
        LLMServer(capital_or(lambda _: {"value": 1})) as first,
        LLMServer(capital_or(lambda _: {"value": 2}), key="sk-second-2") as second,
    ):
        llm = client(first, budget=Budget(limit=1_000_000, unit="tokens"))
        other = llm.beside(ModelAddress(model=llm.model, base_url=second.url, api_key=SecretStr("sk-second-2")))
        keyless = llm.beside(ModelAddress(model="other", base_url=second.url))

        async def run() -> list[Any]:
            async with llm:
                return [one for model in (llm, other) async for one in gather(model, [ask("Which?"), ask("Which?")])]

        assert asyncio.run(run()) == [Number(value=1)] * 2 + [Number(value=2)] * 2, "one model, two endpoints"
        assert (first.keys, second.keys) == ({KEY}, {"sk-second-2"})
        with pytest.raises(SettingsError, match=r"401 from .*role's own \(KGS_LLM_JUDGE_MODEL"):
            answers_of(keyless, ask("Who?"))
        assert second.keys == {"sk-second-2", "none"}
    spending = llm.spending()
    names = [f"test-model at {server.url.split('/')[2]}" for server in (first, second)]
    assert spending.model.startswith(", ".join(names))
    assert {f"count ({names[1]})", "count"} <= set(spending.stages)
    assert {line["model"] for line in lines(llm) if "model" in line} == {*names, keyless.name}
    assert llm._purse._tally.spent == other._purse._tally.spent > 0
    assert "sk-" not in "".join(path.read_bytes().decode("utf-8", "replace") for path in tmp_path.iterdir())


def test_models_beside_each_other_share_a_budget_and_keep_answers_apart(
    client: Callable[..., LLM], tmp_path: Path
) -> None:
    with LLMServer() as server:
        llm = client(server, budget=Budget(limit=1_000_000, unit="tokens"))
        address = llm.address.model_copy(update={"model": "judge-model"})
        judge = llm.beside(address)
        assert llm.beside(address) is judge and llm.beside(llm.address) is llm

        async def run() -> list[BaseModel | LLMFailure]:
            async with llm:
                return [one for model in (llm, judge) async for one in gather(model, [ask("Which?")])]

        assert not any(isinstance(one, LLMFailure) for one in asyncio.run(run()))
    assert {request["model"] for request in server.requests} == {llm.model, "judge-model"}
    assert llm._purse._tally.spent == judge._purse._tally.spent > 0
    host = server.url.split("/")[2]
    assert llm.spending().model == f"{llm.model} at {host}, judge-model at {host}"


class Told(BaseModel):
    reasoning: str
    answer: str


def told_of(llm: LLM, heard: list[str]) -> BaseModel | LLMFailure:
    (found,) = answers_of(llm, Ask(Prompt(name="p", system="s", user="a"), Told, "ask", "a", told=heard.append))
    return found


@pytest.mark.parametrize("mode", ["schema", "tool", "plain"])
def test_a_reply_is_told_as_it_comes_and_paid_as_any_other(client: Callable[..., LLM], mode: str) -> None:
    said, heard = {"reasoning": "The text says so. " * 3, "answer": "Ada Orr"}, list[str]()
    with LLMServer(
        lambda request: filled(request) if "France" in _said(request) else said, modes=frozenset((mode,))
    ) as server:
        llm = client(server)
        assert told_of(llm, heard) == Told(**said)
        (paid,) = [line for line in lines(llm) if line["unit"] == "a"]
        assert (paid["ended"], paid.get("estimated")) == ("paid", None) and paid["output_tokens"] > 0
        assert len(heard) > 5
        assert all(longer.startswith(shorter) for shorter, longer in pairwise(heard))
        before = len(heard)
        assert told_of(client(server), heard) == Told(**said)
        assert len(heard) == before, "a kept reply is whole at once"


@pytest.mark.parametrize(
    ("fault", "reason"), [("broken off", "broken reply"), ("reset", "connection lost"), ("torn", "connection lost")]
)
def test_a_reply_that_breaks_off_is_asked_for_again(client: Callable[..., LLM], fault: str, reason: str) -> None:
    heard = list[str]()
    with LLMServer() as server:
        broken: list[str] = []

        def first(prompt: str, _: int) -> str | None:
            if "France" in prompt or broken:
                return None
            broken.append(prompt)
            return fault

        server.fault = first  # type: ignore[assignment,method-assign]
        llm = client(server)
        assert isinstance(told_of(llm, heard), Told)
        assert [(line["ended"], line.get("reason")) for line in lines(llm) if line["unit"] == "a"] == [
            ("lost", reason),
            ("paid", None),
        ]


def test_an_endpoint_without_pieces_is_asked_for_the_whole(client: Callable[..., LLM]) -> None:
    heard = list[str]()
    with LLMServer(pieces=False) as server:
        assert isinstance(told_of(client(server), heard), Told)
    assert not heard


def test_an_endpoint_that_sends_the_whole_anyway_is_asked_for_it(client: Callable[..., LLM]) -> None:
    whole = {"id": "x", "object": "chat.completion", "created": 0, "model": "test-model"}
    message = {"role": "assistant", "content": json.dumps({"reasoning": "r", "answer": "a"})}
    whole |= {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    heard = list[str]()
    with LLMServer(raw=lambda request: None if "France" in _said(request) else json.dumps(whole).encode()) as server:
        llm = client(server)
        assert told_of(llm, heard) == Told(reasoning="r", answer="a")
    assert [line["ended"] for line in lines(llm) if line["unit"] == "a"] == ["lost", "paid"]


def test_a_refusal_in_pieces_is_one(client: Callable[..., LLM]) -> None:
    with LLMServer() as server:
        server.fault = lambda prompt, time: "refusal" if "France" not in prompt else None  # type: ignore[assignment,method-assign]
        found = told_of(client(server), [])
    assert isinstance(found, LLMFailure)
