"""The service from asyncio: the calls of ``Client``, awaited. Tries run in threads, waits between them do not."""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from typing import TYPE_CHECKING, Callable, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .calls import OnLost
from .client import Client
from .client_error import ClientError, unreachable
from .decided import Decided
from .log_export import LogFormat
from .plan import Outcome, Plan, Try
from .wire import (
    DecisionBody,
    DecisionExplained,
    Epochs,
    ProblemDefined,
    ProblemDefinition,
    ProblemInfo,
    ProblemSummary,
    RewardItem,
    RewardReply,
    Value,
)

if TYPE_CHECKING:
    import pandas
    import pyarrow

Result = TypeVar("Result")


class AsyncClient:
    """A client of the service at ``url`` for asyncio; see ``Client`` for options and calls. A decision whose task is cancelled is
    voided.

    >>> async with AsyncClient("http://127.0.0.1:8642") as primo:
    ...     d = await primo.decide("dose", {"context": {"age": 63}}, default="low")
    ...     await primo.reward("dose", d.event_id, 1)
    """

    def __init__(
        self,
        url: str,
        *,
        key: Optional[str] = None,
        timeout: float = 10,
        retries: int = 6,
        backoff: float = 0.1,
        max_connections: int = 64,
        on_lost: Optional[OnLost] = None,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._client = Client(
            url,
            key=key,
            timeout=timeout,
            retries=retries,
            backoff=backoff,
            max_connections=max_connections,
            on_lost=on_lost,
            context=context,
        )

    async def decide(
        self,
        problem: str,
        request: DecisionBody,
        *,
        default: Optional[str] = None,
        deadline: float = 0.2,
        ranking: Optional[int] = None,
    ) -> Decided:
        return await self._run(self._client._calls.decide(problem, request, default, deadline, ranking))

    async def decide_batch(
        self,
        problem: str,
        requests: Sequence[DecisionBody],
        *,
        default: Optional[str] = None,
        deadline: float = 10,
        ranking: Optional[int] = None,
    ) -> List[Decided]:
        return await self._run(self._client._calls.decide_batch(problem, requests, default, deadline, ranking))

    async def reward(
        self,
        problem: str,
        id: str,
        value: float,
        *,
        reward_id: Optional[str] = None,
        metrics: Optional[Mapping[str, float]] = None,
    ) -> RewardReply:
        return await self._run(self._client._calls.reward(problem, id, value, reward_id, metrics))

    async def reward_batch(self, problem: str, rewards: Sequence[RewardItem]) -> List[Union[RewardReply, ClientError]]:
        return await self._run(self._client._calls.reward_batch(problem, rewards))

    async def reveal(self, problem: str, id: str, covariates: Mapping[str, Value]) -> RewardReply:
        return await self._run(self._client._calls.reveal(problem, id, covariates))

    async def activate(self, problem: str, id: str) -> RewardReply:
        return await self._run(self._client._calls.activate(problem, id))

    async def void(self, problem: str, id: str) -> RewardReply:
        return await self._run(self._client._calls.void(problem, id))

    async def define(self, problem: str, definition: ProblemDefinition, *, new_version: bool = False) -> ProblemDefined:
        defined: ProblemDefined = await self._run(self._client._calls.define(problem, definition, new_version))
        return defined

    async def problem(self, problem: str) -> ProblemInfo:
        info: ProblemInfo = await self._run(self._client._calls.get(problem))
        return info

    async def summary(self, problem: str) -> ProblemSummary:
        summary: ProblemSummary = await self._run(self._client._calls.get(problem, "/summary"))
        return summary

    async def epochs(self, problem: str) -> Epochs:
        epochs: Epochs = await self._run(self._client._calls.get(problem, "/epochs"))
        return epochs

    async def explain(self, problem: str, id: str) -> DecisionExplained:
        explained: DecisionExplained = await self._run(self._client._calls.explain(problem, id))
        return explained

    async def freeze(self, problem: str) -> ProblemInfo:
        info: ProblemInfo = await self._run(self._client._calls.post(problem, "/freeze"))
        return info

    async def unfreeze(self, problem: str) -> ProblemInfo:
        info: ProblemInfo = await self._run(self._client._calls.post(problem, "/unfreeze"))
        return info

    async def rollback(self, problem: str, version: int) -> ProblemInfo:
        info: ProblemInfo = await self._run(self._client._calls.post(problem, "/rollback", {"version": version}))
        return info

    async def export_log(
        self, problem: str, path: "Union[str, os.PathLike[str]]", *, format: Optional[LogFormat] = None
    ) -> None:
        await _in_thread(lambda: self._client.export_log(problem, path, format=format))

    async def log_table(self, problem: str) -> "pyarrow.Table":
        return await _in_thread(lambda: self._client.log_table(problem))

    async def log_frame(self, problem: str) -> "pandas.DataFrame":
        return await _in_thread(lambda: self._client.log_frame(problem))

    async def settled(self, timeout: Optional[float] = None) -> int:
        return await _in_thread(lambda: self._client.settled(timeout))

    async def close(self, timeout: float = 2) -> None:
        await _in_thread(lambda: self._client.close(timeout))

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        await self.close()

    async def _run(self, plan: Plan[Result]) -> Result:
        try:
            attempt = next(plan)
            while True:
                if attempt.wait > 0:
                    await asyncio.sleep(attempt.wait)
                attempt = plan.send(await self._outcome(attempt))
        except StopIteration as done:
            result: Result = done.value
            return result
        finally:
            plan.close()

    async def _outcome(self, attempt: Try) -> Outcome:
        future = self._client._workers.submit(lambda: self._client._once(attempt))
        left = None if attempt.ends is None else max(0, attempt.ends - time.monotonic())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), left)
        except asyncio.TimeoutError:
            return unreachable("no answer came in time", sent=not future.cancelled())


async def _in_thread(work: Callable[[], Result]) -> Result:
    return await asyncio.get_running_loop().run_in_executor(None, work)
