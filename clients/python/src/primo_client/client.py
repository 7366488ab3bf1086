"""The service from a program with threads: decide within a deadline, report rewards until they are taken."""

from __future__ import annotations

import os
import ssl
import time
import weakref
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TYPE_CHECKING, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .background import Background
from .calls import Calls, OnLost
from .client_error import ClientError, unreachable
from .connections import Connections
from .decided import Decided
from .log_export import LogFormat, download, log_path
from .plan import Outcome, Patience, Plan, Try
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
from .workers import Workers

if TYPE_CHECKING:
    import pandas
    import pyarrow

Result = TypeVar("Result")


class Client:
    """A client of the service at ``url``. Threads may share it. Times are in seconds.

    >>> primo = Client("http://127.0.0.1:8642")
    >>> d = primo.decide("dose", {"context": {"age": 63}}, default="low")
    >>> primo.reward("dose", d.event_id, 1)
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
        """
        :param key: API key.
        :param timeout: of one try.
        :param retries: further tries after a failure that may pass.
        :param backoff: before the first further try; doubles up to 10 seconds, with jitter.
        :param max_connections: most calls with a deadline at the same time.
        :param on_lost: told when a decision that was not played could not be voided.
        :param context: certificates to trust, for https.
        """
        self._timeout = timeout
        self._options = (url, key, context, max_connections, Patience(retries, backoff), on_lost)
        self._open()
        _clients.add(self)

    def _open(self) -> None:
        url, key, context, max_connections, patience, on_lost = self._options
        self._connections = Connections(url, key, context)
        self._workers = Workers(max_connections)
        self._background = Background(self._once)
        self._calls = Calls(patience, self._background, on_lost)

    def decide(
        self,
        problem: str,
        request: DecisionBody,
        *,
        default: Optional[str] = None,
        deadline: float = 0.2,
        ranking: Optional[int] = None,
    ) -> Decided:
        """With a ``default`` it never raises: without a decision in time the default is played, and the decision is voided.
        Without one it raises ClientError. ``ranking``: how many actions the reply ranks."""
        return self._run(self._calls.decide(problem, request, default, deadline, ranking))

    def decide_batch(
        self,
        problem: str,
        requests: Sequence[DecisionBody],
        *,
        default: Optional[str] = None,
        deadline: float = 10,
        ranking: Optional[int] = None,
    ) -> List[Decided]:
        """Many decisions, each with its own answer, in order; the deadline is for all of them."""
        return self._run(self._calls.decide_batch(problem, requests, default, deadline, ranking))

    def reward(
        self,
        problem: str,
        id: str,
        value: float,
        *,
        reward_id: Optional[str] = None,
        metrics: Optional[Mapping[str, float]] = None,
    ) -> RewardReply:
        """``id`` is a decision id or an event id. Repeated while the service cannot be reached; raises ClientError when it is
        refused or the tries are used up. The reward of a default that this client played is answered ``inactive``. ``metrics``:
        values of the problem's guardrails for this decision."""
        return self._run(self._calls.reward(problem, id, value, reward_id, metrics))

    def reward_batch(self, problem: str, rewards: Sequence[RewardItem]) -> List[Union[RewardReply, ClientError]]:
        """One answer for each reward, in order; never raises. Give each a ``rewardId`` if you may send it again."""
        return self._run(self._calls.reward_batch(problem, rewards))

    def reveal(self, problem: str, id: str, covariates: Mapping[str, Value]) -> RewardReply:
        """True values that became known after the decision."""
        return self._run(self._calls.reveal(problem, id, covariates))

    def activate(self, problem: str, id: str) -> RewardReply:
        """A deferred decision was played."""
        return self._run(self._calls.activate(problem, id))

    def void(self, problem: str, id: str) -> RewardReply:
        """A decision was never played: it is not learnt from."""
        return self._run(self._calls.void(problem, id))

    def define(self, problem: str, definition: ProblemDefinition, *, new_version: bool = False) -> ProblemDefined:
        """Defines a problem or changes it; ``new_version`` restarts learning where the change requires it."""
        defined: ProblemDefined = self._run(self._calls.define(problem, definition, new_version))
        return defined

    def problem(self, problem: str) -> ProblemInfo:
        """What the service knows of a problem."""
        info: ProblemInfo = self._run(self._calls.get(problem))
        return info

    def summary(self, problem: str) -> ProblemSummary:
        """The state of a problem at a glance."""
        summary: ProblemSummary = self._run(self._calls.get(problem, "/summary"))
        return summary

    def epochs(self, problem: str) -> Epochs:
        """The policies of a problem so far, with their reports."""
        epochs: Epochs = self._run(self._calls.get(problem, "/epochs"))
        return epochs

    def explain(self, problem: str, id: str) -> DecisionExplained:
        """All that can be said of a decision."""
        explained: DecisionExplained = self._run(self._calls.explain(problem, id))
        return explained

    def freeze(self, problem: str) -> ProblemInfo:
        """Decides without learning."""
        info: ProblemInfo = self._run(self._calls.post(problem, "/freeze"))
        return info

    def unfreeze(self, problem: str) -> ProblemInfo:
        """Learns again."""
        info: ProblemInfo = self._run(self._calls.post(problem, "/unfreeze"))
        return info

    def rollback(self, problem: str, version: int) -> ProblemInfo:
        """Decides with an earlier policy."""
        info: ProblemInfo = self._run(self._calls.post(problem, "/rollback", {"version": version}))
        return info

    def export_log(
        self, problem: str, path: "Union[str, os.PathLike[str]]", *, format: Optional[LogFormat] = None
    ) -> None:
        """Writes the decision log (docs/log-format.md) to a file; its format follows from the name: .parquet, .csv or .jsonl."""
        target = log_path(problem, path, format)
        with download(path) as write:
            for piece in self._connections.stream(target, self._timeout):
                write(piece)

    def log_table(self, problem: str) -> "pyarrow.Table":
        """The decision log as an Arrow table; needs pyarrow."""
        from .log_table import read_table

        return read_table(self._connections.stream(log_path(problem, "log.parquet"), self._timeout))

    def log_frame(self, problem: str) -> "pandas.DataFrame":
        """The decision log as a DataFrame, its header in ``frame.attrs["primo-log"]``; needs pandas and pyarrow."""
        from .log_table import to_frame

        return to_frame(self.log_table(problem))

    def settled(self, timeout: Optional[float] = None) -> int:
        """Waits until what runs in the background (voids) is done or given up, or for so many seconds; how many still wait."""
        return self._background.settled(timeout)

    def close(self, timeout: float = 2) -> None:
        """Waits a little for what runs in the background, and closes the connections."""
        self._background.settled(timeout)
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        self.close()

    def _run(self, plan: Plan[Result]) -> Result:
        try:
            attempt = next(plan)
            while True:
                if attempt.wait > 0:
                    time.sleep(attempt.wait)
                attempt = plan.send(self._once(attempt) if attempt.ends is None else self._in_time(attempt))
        except StopIteration as done:
            result: Result = done.value
            return result
        finally:
            plan.close()

    def _once(self, attempt: Try) -> Outcome:
        timeout = self._timeout
        if attempt.ends is not None:
            timeout = min(timeout, attempt.ends - time.monotonic())
        if timeout <= 0:
            return unreachable("no answer came in time", sent=False)
        try:
            return self._connections.send(attempt.method, attempt.path, attempt.body, timeout)
        except ClientError as error:
            return error
        except Exception as error:  # for instance a host name that cannot be encoded
            return unreachable(f"no answer came: {error}")

    def _in_time(self, attempt: Try) -> Outcome:
        """In a thread: a socket's timeout limits neither the look-up of a name nor an answer that drips."""
        assert attempt.ends is not None
        future = self._workers.submit(lambda: self._once(attempt))
        try:
            return future.result(max(0, attempt.ends - time.monotonic()))
        except FutureTimeout:
            return unreachable("no answer came in time", sent=not future.cancel())


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _after_fork() -> None:
    """Threads do not survive a fork, and two processes must not share a connection."""
    for client in list(_clients):
        client._open()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
