"""A body as JSON. NaN, NaT and pandas' NA are null, which is how a covariate is missing; numpy's scalars are numbers."""

from __future__ import annotations

import json
from typing import Any, Mapping

from .client_error import ClientError

_MISSING = ("NAType", "NaTType")


def encode(body: object) -> bytes:
    try:
        try:
            text = json.dumps(body, allow_nan=False)
        except (TypeError, ValueError):
            text = json.dumps(_plain(body), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ClientError("invalid-request", f"the body cannot be sent as JSON: {error}", 400, sent=False) from error
    return text.encode()


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return None if value != value else float(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if type(value).__name__ in _MISSING:
        return None
    if hasattr(value, "item"):
        return _plain(value.item())
    return value
