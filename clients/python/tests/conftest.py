from __future__ import annotations

from typing import Iterator

import pytest

from primo_client import Client, ProblemDefinition

from real_service import RealService

PROBLEM: ProblemDefinition = {
    "context": {"x": {"type": "number", "min": 0, "max": 1}},
    "covariates": {"z": {"type": "number", "min": 0, "max": 1, "imputer": {"kind": "constant", "value": 0.5}}},
    "actions": ["a", "b"],
    "reward": {"min": 0, "max": 1},
}


@pytest.fixture(scope="session")
def service() -> Iterator[str]:
    with RealService() as url:
        Client(url).define("p", PROBLEM)
        yield url
