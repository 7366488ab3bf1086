"""The rows of a DataFrame as requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping, Optional

from .wire import DecisionBody, ProblemDefinition, Value

if TYPE_CHECKING:
    import pandas


def frame_requests(
    frame: "pandas.DataFrame", definition: ProblemDefinition, *, event_id: Optional[str] = None
) -> List[DecisionBody]:
    """One request per row: the columns named like features, with the types of the definition; what pandas calls missing is None.
    ``event_id`` names the column of your own ids."""
    features = definition["context"]
    absent = [name for name in features if name not in frame.columns and "default" not in features[name]]
    if absent:
        raise ValueError(f"the frame must have a column for every context feature, got none for {', '.join(absent)}")
    context = _columns(frame, features)
    covariates = _columns(frame, definition["covariates"])
    requests: List[DecisionBody] = [
        {
            # A feature with a default may be left out; any other must be there, and the service says so.
            "context": {n: v[k] for n, v in context.items() if v[k] is not None or "default" not in features[n]},
            "covariates": {name: values[k] for name, values in covariates.items()},
        }
        for k in range(len(frame))
    ]
    if event_id is not None:
        for request, own in zip(requests, frame[event_id].tolist()):
            request["eventId"] = str(own)
    return requests


def _columns(frame: "pandas.DataFrame", features: Mapping[str, Mapping[str, Any]]) -> Mapping[str, List[Value]]:
    return {
        name: [
            None if gone else _TYPES[feature["type"]](value)
            for value, gone in zip(frame[name].tolist(), frame[name].isna().tolist())
        ]
        for name, feature in features.items()
        if name in frame.columns
    }


_TYPES: Mapping[str, Any] = {"number": float, "boolean": bool, "category": str}
