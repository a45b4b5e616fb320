"""Questions to a model: answered from disk if asked before, else paid for, with one correction of an invalid answer."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from copy import copy
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import BaseModel, SecretStr

from kgservice.core import keys
from kgservice.core.errors import LLMFailure, SettingsError
from kgservice.core.price import Price
from kgservice.core.settings import ModelAddress
from kgservice.llm.answers import AnswerFile, Dialect, Reply
from kgservice.llm.budget import FEWEST_BYTES_A_TOKEN, Budget, Purse, tokens_of
from kgservice.llm.dialect import Trial, later, trials
from kgservice.llm.endpoint import CallRefused, Endpoint, Message, Told, Unavailable
from kgservice.llm.form import Form, Unfit, correction, read, schema_text
from kgservice.llm.ledger import Ended, Ledger, LedgerEntry, Spending
from kgservice.llm.prompts import Prompt

log = logging.getLogger("kgservice")
REPEATED = 20_000  # characters of an answer that are sent back for correction
AHEAD = 4  # questions in progress in `gather` for each concurrent call


class Ask(NamedTuple):
    """A question to a model: prompt, form of the answer, stage and unit (a window, a question).

    Another `sample` is another answer to the same prompt. `document` is the document that is read. `told` is called
    with the text of a paid reply so far, as it comes.
    """

    prompt: Prompt
    form: type[BaseModel]
    stage: str
    unit: str
    sample: int = 0
    document: str = ""
    told: Told | None = None


class LLM:
    """A model behind an OpenAI-compatible endpoint, used within `async with`, in one event loop.

    `answers` is the file of replies, `ledger` the list of calls. `patience`: seconds that a call waits in total if it
    is rejected for now. `first_wait`: seconds before the second attempt, doubled for each later one. `retry_failed`:
    ask again what failed before.
    """

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        model: str,
        *,
        answers: Path,
        ledger: Path,
        concurrency: int = 16,
        budget: Budget | None = None,
        price: Price | None = None,
        timeout: float = 120.0,
        attempts: int = 6,
        first_wait: float = 0.5,
        patience: float = 600.0,
        max_tokens: int = 4096,
        temperature: float = 0.0,
        retry_failed: bool = False,
    ) -> None:
        self.address = ModelAddress(model=model, base_url=base_url, api_key=api_key)
        self.model, self.concurrency, self.price = model, concurrency, price
        self._endpoint_of = partial(Endpoint, timeout=timeout, temperature=temperature, max_tokens=max_tokens)
        self.endpoint = self._endpoint_of(base_url, api_key, model)
        self.answers, self.ledger, self._purse = AnswerFile(answers), Ledger(ledger, price), Purse(budget, price)
        self._beside: dict[ModelAddress, LLM] = {}
        self._attempts, self._first_wait, self._patience = attempts, first_wait, patience
        self._retry_failed = retry_failed
        self._slots, self._finding = asyncio.Semaphore(concurrency), asyncio.Lock()
        self._under_way: dict[str, asyncio.Future[Reply]] = {}
        self._dialect: Dialect | None = None
        self._unusable: SettingsError | None = None
        self._has_waited = False
        self._quiet_until = 0.0  # on the monotonic clock; set by a Retry-After, obeyed by every call

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def name(self) -> str:
        """Return the model and the host of its endpoint, as records have them: "gpt-4.1 at api.openai.com"."""
        return f"{self.model} at {self.endpoint.host}"

    def beside(self, address: ModelAddress, price: Price | None = None) -> LLM:
        """Return another model, at this endpoint or another, with the same budget, answer file and ledger.

        It is closed with this one. For this one's own address it is this one.
        """
        if address != self.address and address not in self._beside:
            other = copy(self)
            other.address, other.model, other.price = address, address.model, price
            other.endpoint = self._endpoint_of(address.base_url, address.api_key, address.model)
            other.ledger = Ledger(self.ledger.path, price)
            other._purse = Purse(self._purse.budget, price, self._purse)
            other._beside, other._under_way, other._finding = {}, {}, asyncio.Lock()
            other._dialect = other._unusable = None
            other._quiet_until, other._has_waited = 0.0, False
            self._beside[address] = other
        return self._beside.get(address, self)

    async def close(self) -> None:
        """Close connections and files, in the event loop of the questions."""
        for other in self._beside.values():
            await other.endpoint.close()
            other.ledger.close()
        await self.endpoint.close()
        self.answers.close()
        self.ledger.close()

    async def ask(
        self,
        prompt: Prompt,
        answer: type[Form],
        *,
        stage: str,
        unit: str,
        sample: int = 0,
        document: str = "",
        told: Told | None = None,
    ) -> Form:
        """Return the model's validated answer. An invalid answer is corrected by one more call. Raises LLMFailure."""
        one = Ask(prompt, answer, stage, unit, sample, document, told)
        messages = [("system", prompt.system), ("user", prompt.user)]
        try:
            try:
                reply = await self._reply(one, messages)
                return read(reply, answer)
            except Unfit as fault:
                if fault.final:
                    raise
                messages += [("assistant", reply.text[:REPEATED]), ("user", correction(fault, answer))]
                return read(await self._reply(one, messages), answer)
        except Unfit as fault:
            self.answers.mark_failed([self._key(one, messages[:2]), self._key(one, messages)])
            self._failed(one, fault.reason)
            raise LLMFailure(fault.reason, str(fault)) from fault
        except LLMFailure as failure:
            self._failed(one, failure.reason)
            raise

    def kept(self, one: Ask) -> bool:
        """Return whether the first call for a question would be answered from disk."""
        return self._on_disk(self._key(one, [("system", one.prompt.system), ("user", one.prompt.user)])) is not None

    def spending(self) -> Spending:
        """Return the spending so far of this model and those beside it."""
        total = self.ledger.spending(self.name)
        for other in self._beside.values():
            spending = other.ledger.spending(other.name)
            renamed = {
                f"{stage} ({other.name})" if stage in total.stages else stage: spent
                for stage, spent in spending.stages.items()
            }
            named = f"{total.model}, {spending.model}"
            total = total.model_copy(update={"model": named, "stages": total.stages | renamed})
        return total

    async def trials(self) -> AsyncGenerator[Trial, None]:
        """Yield the trials of all modes, and use the first that works from now on.

        Raises SettingsError if none can be tried, LLMFailure if the endpoint fails.
        """

        async def send(messages: list[Message], form: type[BaseModel], dialect: Dialect) -> Reply:
            probe = Prompt(name="dialect", system=messages[0][1], user=messages[1][1])
            return await self._sent(Ask(probe, form, "endpoint", self.model), messages, dialect)

        best: Dialect | None = None
        async for trial in trials(send):
            if best is None and trial.dialect is not None:
                best = self._dialect = trial.dialect
                self.answers.remember(self.endpoint.shown, self.model, best)
            yield trial

    async def _reply(self, one: Ask, messages: list[Message]) -> Reply:
        """Return the reply to one call: from disk, from the same call in progress, or paid."""
        key = self._key(one, messages)
        if (waiting := self._under_way.get(key)) is not None:
            reply = await asyncio.shield(waiting)
            self._enter(one, "kept")
            return reply
        if (kept := self._on_disk(key)) is not None:
            self._enter(one, "kept")
            return kept
        future = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            async with self._slots:
                reply = await self._paid(one, messages)
            self.answers.keep(key, self.model, one.prompt.name, reply)
            future.set_result(reply)
            return reply
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else LLMFailure("stopped"))
            future.exception()  # marks it as retrieved: nobody may be waiting for it
            raise
        finally:
            del self._under_way[key]

    async def _paid(self, one: Ask, messages: list[Message]) -> Reply:
        dialect = await self._understood()
        for mode in later(dialect.mode):
            try:
                return await self._sent(one, messages, dialect.model_copy(update={"mode": mode}))
            except CallRefused as error:  # some endpoints have schemas, but reject this one
                refused = error
                if error.status not in (400, 422):
                    break
        raise LLMFailure("endpoint refused the call", str(refused)) from refused

    async def _sent(self, one: Ask, messages: list[Message], dialect: Dialect) -> Reply:
        """Send until a reply comes, at most `attempts` times.

        A rejection with a wait is no attempt, but its wait counts against the patience. The first wait is logged.
        """
        texts = [text for _, text in messages] + [schema_text(one.form)]
        most = sum(tokens_of(text, FEWEST_BYTES_A_TOKEN) for text in texts)
        attempts, patience, turn = self._attempts, self._patience, 0
        while True:
            await self._quiet()
            try:
                async with self._purse.hold(most, self.endpoint.max_tokens):
                    return await self._tried(one, messages, dialect, most)
            except Unavailable as error:
                wait = error.wait or self._backoff(turn)  # 0 if the endpoint says "now"
                turn += 1
                attempts -= not error.limited
                patience -= wait
                if not attempts or patience < 0:
                    raise LLMFailure(error.reason, str(error)) from error
                if not self._has_waited:
                    self._has_waited = True
                    log.warning("%s; asking again, a call waits %g s at most in total", error, self._patience)
                if error.limited:
                    self._quiet_until = max(self._quiet_until, time.monotonic() + wait)
            await asyncio.sleep(wait)

    async def _tried(self, one: Ask, messages: list[Message], dialect: Dialect, most: int) -> Reply:
        """Send once and write the call to the ledger. Without a reply, its highest cost counts."""
        started = time.monotonic()
        try:
            reply = await self.endpoint.send(messages, one.form, dialect, one.told)
        except Unavailable as error:
            cost = Reply(text="", input_tokens=most, output_tokens=self.endpoint.max_tokens, estimated=True)
            self._enter(one, "lost" if error.lost else "not paid", cost if error.lost else None, started, error.reason)
            raise
        except CallRefused:
            self._enter(one, "not paid", None, started, "refused by the endpoint")
            raise
        self._enter(one, "paid", reply, started)
        return reply

    def _backoff(self, attempt: int) -> float:
        """Return the seconds before the next attempt: at most 30, and random so that calls spread."""
        return min(30.0, self._first_wait * 2.0**attempt) * random.uniform(0.5, 1.0)

    async def _quiet(self) -> None:
        """Wait as long as the endpoint has demanded of any call, plus a random part."""
        while (left := self._quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left * random.uniform(1, 1.1))

    async def _understood(self) -> Dialect:
        """Return the endpoint's dialect, detected once and kept on disk. Raises SettingsError."""
        async with self._finding:
            if self._unusable is not None:
                raise self._unusable
            if self._dialect is None:
                self._dialect = self.answers.dialect(self.endpoint.shown, self.model) or await self._found()
        return self._dialect

    async def _found(self) -> Dialect:
        faults = []
        try:
            async with aclosing(self.trials()) as tried:
                async for trial in tried:
                    if trial.dialect is not None:
                        return trial.dialect
                    faults.append(f"{trial.mode}: {trial.fault}")
            self._unusable = SettingsError(
                f"no answer of {self.model} to a test question can be read ({'; '.join(faults)}): try another"
            )
        except LLMFailure as failure:
            self._unusable = SettingsError(f"the language model does not answer: {failure}; see `kgservice doctor`")
        except SettingsError as error:
            self._unusable = error
        raise self._unusable

    def _key(self, one: Ask, messages: list[Message]) -> str:
        parameters = (self.endpoint.max_tokens, self.endpoint.temperature, one.sample)
        return keys.digest(40, self.endpoint.shown, self.model, messages, parameters, schema_text(one.form))

    def _on_disk(self, key: str) -> Reply | None:
        return self.answers.reply(key, failed=not self._retry_failed)

    def _failed(self, one: Ask, reason: str) -> None:
        self.ledger.fail(one.stage, one.unit, one.document, reason)

    def _enter(
        self,
        one: Ask,
        ended: Ended,
        reply: Reply | None = None,
        started: float | None = None,
        reason: str | None = None,
    ) -> None:
        """Write a call. The reply's tokens are 0 if it was paid for before."""
        cost = reply or Reply(text="")
        self._purse.pay(cost.input_tokens, cost.output_tokens)
        self.ledger.enter(
            LedgerEntry(
                stage=one.stage,
                unit=one.unit,
                document=one.document,
                prompt=one.prompt.name,
                model=self.name,
                ended=ended,
                input_tokens=cost.input_tokens,
                output_tokens=cost.output_tokens,
                estimated=cost.estimated,
                seconds=round(time.monotonic() - started, 3) if started is not None else 0.0,
                reason=reason,
            )
        )


async def gather(client: LLM, asks: Iterable[Ask]) -> AsyncGenerator[BaseModel | LLMFailure, None]:
    """Yield the answers in the order of the questions, an LLMFailure for each that failed. Memory stays bounded."""

    async def answered(one: Ask) -> BaseModel | LLMFailure:
        try:
            return await client.ask(
                *one[:2], stage=one.stage, unit=one.unit, sample=one.sample, document=one.document, told=one.told
            )
        except LLMFailure as failure:
            return failure

    under_way: deque[asyncio.Task[BaseModel | LLMFailure]] = deque()
    try:
        for one in asks:
            under_way.append(asyncio.create_task(answered(one)))
            if len(under_way) >= AHEAD * client.concurrency:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
