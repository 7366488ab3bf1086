"""What the service answered, read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional

from .client_error import ClientError, unreachable


@dataclass(frozen=True)
class Answer:
    status: int
    #: Seconds.
    retry_after: Optional[float]
    body: bytes


def read_answer(answer: Answer) -> Any:
    """The object that it is, or a ClientError."""
    try:
        value = json.loads(answer.body)
    except ValueError:
        value = None
    if 200 <= answer.status < 300:
        return value if isinstance(value, dict) else unreachable("the answer was not JSON")
    return refusal(value, answer.status, answer.retry_after)


def refusal(details: Any, status: int, retry_after: Optional[float] = None) -> ClientError:
    known = details if isinstance(details, dict) else {}
    detail = str(known.get("detail", f"the service answered {status}"))
    return ClientError(str(known.get("code", "internal")), detail, status, retry_after)
