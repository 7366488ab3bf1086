"""The types have the names of the service's own document, and the required ones are required."""

from __future__ import annotations

import json
import urllib.request
from typing import Any, Dict, List, Set

import pytest

from primo_client import Client, ServiceDecided, wire

from conftest import PROBLEM

# Where each type is in the document: the name of a schema, then fields; * is any field or item.
PLACES = {
    "ProblemDetails": "ProblemDetails",
    "DecisionBody": "DecisionBody",
    "Served": "DecisionBody served",
    "DecisionReply": "DecisionReply",
    "CovariateReply": "CovariateReply",
    "RankedAction": "DecisionReply ranking *",
    "PolicyUsed": "DecisionReply policy",
    "DecisionExplained": "DecisionExplained",
    "ReportedReward": "DecisionExplained rewards *",
    "RewardItem": "RewardBatch rewards *",
    "RewardReply": "RewardReply",
    "ProblemDefinition": "ProblemDefinition",
    "ProblemInfo": "ProblemInfo",
    "ProblemDefined": "ProblemDefined",
    "PolicyNumber": "ProblemInfo policy",
    "Feature": "FeatureDefinition",
    "Covariate": "Covariate",
    "Audit": "Covariate audit",
    "RewardSettings": "RewardSettings",
    "Range": "RewardSettings mean",
    "Milliseconds": "RewardSettings window",
    "Guards": "Guards",
    "Guardrail": "Guardrail",
    "GuardrailLimit": "Guardrail limit",
    "Uploads": "ProblemDefinition uploads",
    "Retention": "ProblemDefinition retention",
    "ProblemSummary": "ProblemSummary",
    "Mean": "Mean",
    "Epochs": "Epochs",
    "Epoch": "Epochs epochs *",
}


@pytest.fixture(scope="module")
def document(service: str) -> Dict[str, Any]:
    with urllib.request.urlopen(f"{service}/openapi.json") as reply:
        read: Dict[str, Any] = json.load(reply)
        return read


def followed(document: Dict[str, Any], schema: Dict[str, Any]) -> Dict[str, Any]:
    while "$ref" in schema:
        found: Any = document
        for name in schema["$ref"].lstrip("#/").split("/"):
            found = found[name.replace("~1", "/").replace("~0", "~")]
        schema = found
    return schema


def members(document: Dict[str, Any], schema: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The objects that a schema may be."""
    schema = followed(document, schema)
    either = schema.get("anyOf") or schema.get("oneOf")
    return [inner for one in either for inner in members(document, one)] if either else [schema]


def inside(document: Dict[str, Any], schema: Dict[str, Any], field: str) -> Dict[str, Any]:
    (one, *_) = [s for s in members(document, schema) if s.get("type") != "null"]
    if field != "*":
        found: Dict[str, Any] = one["properties"][field]
    elif one.get("type") == "array":
        found = one["items"]
    else:
        (found,) = one["patternProperties"].values() if "patternProperties" in one else [one["additionalProperties"]]
    return followed(document, found)


def schema_at(document: Dict[str, Any], place: str) -> Dict[str, Any]:
    name, *fields = place.split(" ")
    schema: Dict[str, Any] = document["components"]["schemas"][name]
    for field in fields:
        schema = inside(document, schema, field)
    return schema


def test_every_type_is_compared() -> None:
    declared = {name for name, kind in vars(wire).items() if hasattr(kind, "__required_keys__") and name[0] != "_"}
    assert declared == set(PLACES)


@pytest.mark.parametrize("name", PLACES)
def test_names_and_requirements(document: Dict[str, Any], name: str) -> None:
    found = members(document, schema_at(document, PLACES[name]))
    names: Set[str] = {field for one in found for field in one["properties"]}
    required = set.intersection(*(set(one.get("required", [])) for one in found))
    declared = getattr(wire, name)
    assert declared.__required_keys__ | declared.__optional_keys__ == names
    assert declared.__required_keys__ == required


def test_the_service_answers_in_these_names(service: str) -> None:
    with Client(service) as primo:
        decided = primo.decide("p", {"context": {"x": 0.5}}, deadline=5)
        assert isinstance(decided, ServiceDecided)
        primo.reward("p", decided.event_id, 1)
        replies: Dict[str, Any] = {
            "DecisionReply": decided.reply,
            "CovariateReply": decided.reply["covariates"]["z"],
            "DecisionExplained": primo.explain("p", decided.event_id),
            "ProblemInfo": primo.problem("p"),
            "ProblemDefined": primo.define("p", PROBLEM),
            "ProblemSummary": primo.summary("p"),
            "Epochs": primo.epochs("p"),
        }
        for name, reply in replies.items():
            declared = getattr(wire, name)
            assert declared.__required_keys__ <= set(reply), name
            assert set(reply) <= declared.__required_keys__ | declared.__optional_keys__, name
