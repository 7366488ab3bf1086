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
    absent = [name for name in definition["context"] if name not in frame.columns]
    if absent:
        raise ValueError(f"the frame must have a column for every context feature, got none for {', '.join(absent)}")
    features = {name: definition["context"][name] for name in definition["context"]}
    covariates = {name: spec for name, spec in definition["covariates"].items() if name in frame.columns}
    missing = frame.isna()
    requests: List[DecisionBody] = []
    for k in range(len(frame)):
        row, gone = frame.iloc[k], missing.iloc[k]
        request: DecisionBody = {"context": _values(row, gone, features), "covariates": _values(row, gone, covariates)}
        if event_id is not None:
            request["eventId"] = str(row[event_id])
        requests.append(request)
    return requests


def _values(row: Any, gone: Any, specs: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Value]:
    return {name: None if gone[name] else _TYPES[spec["type"]](row[name]) for name, spec in specs.items()}


_TYPES: Mapping[str, Any] = {"number": float, "boolean": bool, "category": str}
