"""The action to play, and whether the service chose it or the caller's default stands in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from .client_error import ClientError
from .wire import DecisionReply


@dataclass(frozen=True)
class ServiceDecided:
    """The service's choice."""

    action: str
    event_id: str
    reply: DecisionReply
    from_: Literal["service"] = "service"


@dataclass(frozen=True)
class DefaultDecided:
    """The caller's default is played; the service learns nothing from it, and its reward is answered quietly."""

    action: str
    event_id: str
    error: ClientError
    from_: Literal["default"] = "default"


Decided = Union[ServiceDecided, DefaultDecided]
