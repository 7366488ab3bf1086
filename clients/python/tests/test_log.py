from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Iterator

import pandas
import pyarrow.parquet
import pytest

from primo_client import AsyncClient, Client, ClientError, Feature, ProblemDefinition, frame_requests

DEFINITION: ProblemDefinition = {
    "context": {"age": {"type": "number", "min": 0, "max": 100}, "town": {"type": "category", "levels": ["n", "s"]}},
    "covariates": {"carrier": {"type": "boolean", "imputer": {"kind": "constant", "value": 0.3}}},
    "actions": ["low", "high"],
    "reward": {"min": 0, "max": 1},
}
PATIENTS = pandas.DataFrame(
    {
        "visit": ["v1", "v2", "v3"],
        "age": [30, 40, 50],
        "town": ["n", "s", "n"],
        "carrier": pandas.array([True, None, False], dtype="boolean"),
        "unused": 1,
    }
)


@pytest.fixture(scope="module")
def primo(service: str) -> Iterator[Client]:
    with Client(service) as client:
        client.define("patients", DEFINITION)
        decided = client.decide_batch("patients", frame_requests(PATIENTS, DEFINITION, event_id="visit"))
        client.reward_batch("patients", [{"id": d.event_id, "value": k / 2} for k, d in enumerate(decided)])
        yield client


def test_rows_of_a_frame_become_decisions_and_come_back(primo: Client) -> None:
    log = primo.log_frame("patients")
    assert list(log["eventId"]) == ["v1", "v2", "v3"]
    assert list(log["context.age"]) == [30, 40, 50] and list(log["context.town"]) == ["n", "s", "n"]
    assert list(log["covariate.carrier"]) == [True, None, False]
    assert list(log["reward"]) == [0, 0.5, 1] and set(log["rewardStatus"]) == {"closed"}
    assert log.attrs["primo-log"]["actions"] == ["low", "high"]


@pytest.mark.parametrize("name", ["log.parquet", "log.csv", "log.jsonl"])
def test_files_of_every_format(primo: Client, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    primo.export_log("patients", path)
    if name == "log.parquet":
        ids = pyarrow.parquet.read_table(path)["decisionId"].to_pylist()
    elif name == "log.csv":
        ids = list(pandas.read_csv(path, dtype=str)["decisionId"])
    else:
        ids = [json.loads(line)["decisionId"] for line in path.read_text().splitlines()]
    assert ids == list(primo.log_frame("patients")["decisionId"])
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_refusals_leave_no_file(primo: Client, tmp_path: Path) -> None:
    with pytest.raises(ClientError) as unknown:
        primo.export_log("nothing", tmp_path / "log.csv")
    assert unknown.value.code == "unknown-problem"
    with pytest.raises(ValueError, match="parquet"):
        primo.export_log("patients", tmp_path / "log.xlsx")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="age"):
        frame_requests(PATIENTS.drop(columns="age"), DEFINITION)


def test_a_feature_with_a_default_may_be_missing(primo: Client) -> None:
    town: Feature = {"type": "category", "levels": ["n", "s"], "default": "s"}
    definition: ProblemDefinition = {**DEFINITION, "context": {**DEFINITION["context"], "town": town}}
    primo.define("defaults", definition)
    some = PATIENTS.assign(town=["n", None, "n"])
    for frame in (some, some.drop(columns="town")):
        assert len(primo.decide_batch("defaults", frame_requests(frame, definition), deadline=20)) == 3
    assert list(primo.log_frame("defaults")["context.town"]) == ["n", "s", "n", "s", "s", "s"]


def test_the_log_awaited(service: str, primo: Client) -> None:
    async def read() -> int:
        async with AsyncClient(service) as client:
            return len(await client.log_frame("patients"))

    assert asyncio.run(read()) == 3
