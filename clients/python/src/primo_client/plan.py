"""A call as a plan: it yields tries, is sent their outcomes and returns the result. Plans do no I/O, so that threads and asyncio
run the same ones. What may be repeated is repeated, after a wait that doubles, with jitter."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any, Generator, Optional, TypeVar, Union

from .answer import Answer, read_answer
from .client_error import ClientError
from .encode import encode

Result = TypeVar("Result")
Outcome = Union[Answer, ClientError]

#: Seconds.
_LONGEST_WAIT = 10.0


@dataclass(frozen=True)
class Try:
    """One try of a call: after ``wait`` seconds, until ``ends`` on the monotonic clock."""

    method: str
    path: str
    body: Optional[bytes]
    wait: float
    ends: Optional[float]


Plan = Generator[Try, Outcome, Result]


@dataclass(frozen=True)
class Patience:
    """Further tries after a failure that may pass, and seconds before the first of them."""

    retries: int
    backoff: float


def call(
    path: str, patience: Patience, body: object = None, method: str = "POST", ends: Optional[float] = None
) -> Plan[Any]:
    """The JSON that the service answers; raises ClientError."""
    data = None if method == "GET" else encode({} if body is None else body)
    wait, sent = 0.0, False
    for attempt in range(patience.retries + 1):
        outcome = yield Try(method, path, data, wait, ends)
        read = outcome if isinstance(outcome, ClientError) else read_answer(outcome)
        if not isinstance(read, ClientError):
            return read
        sent = read.sent = read.sent or sent
        wait = _wait(patience.backoff, attempt, read.retry_after)
        too_late = ends is not None and time.monotonic() + wait >= ends
        if attempt == patience.retries or too_late or not read.passing:
            raise read
    raise AssertionError("the last try returns or raises")


def _wait(backoff: float, attempt: int, retry_after: Optional[float]) -> float:
    grown = min(_LONGEST_WAIT, backoff * 2.0**attempt) * random.uniform(0.5, 1)
    return max(grown, min(_LONGEST_WAIT, retry_after or 0))
