from __future__ import annotations

import asyncio
import inspect
import time

import pytest

from primo_client import AsyncClient, Client, ClientError, DecisionBody, DefaultDecided, ServiceDecided

from disturbed import Disturbed

REQUEST: DecisionBody = {"context": {"x": 0.5}, "covariates": {"z": None}}


def test_has_the_calls_of_the_client() -> None:
    def calls(kind: type) -> "dict[str, inspect.Signature]":
        public = inspect.getmembers(kind, inspect.isfunction)
        return {name: inspect.signature(call) for name, call in public if not name.startswith("_") or name == "__init__"}

    assert calls(AsyncClient) == calls(Client)


def test_decides_and_rewards_at_the_same_time(service: str) -> None:
    async def play() -> None:
        async with AsyncClient(service) as primo:
            decided = await asyncio.gather(*(primo.decide("p", REQUEST, default="a", deadline=30) for _ in range(100)))
            assert all(isinstance(d, ServiceDecided) for d in decided)
            told = await asyncio.gather(*(primo.reward("p", d.event_id, 1) for d in decided))
            assert {reply["status"] for reply in told} == {"accepted"}
            assert (await primo.summary("p"))["closed"] >= 100
            batch = await primo.decide_batch("p", [REQUEST, REQUEST], default="a")
            assert len(await primo.reward_batch("p", [{"id": d.event_id, "value": 1} for d in batch])) == 2
            with pytest.raises(ClientError):
                await primo.decide("p", {"context": {"x": 7}}, deadline=5)

    asyncio.run(play())


def test_keeps_deadlines_when_all_threads_are_stuck(service: str) -> None:
    async def play() -> None:
        with Disturbed(service, lambda path, _: "pass" if path.endswith("/void") else "hang") as slow:
            primo = AsyncClient(slow.url, max_connections=2, retries=0, timeout=1)
            stuck = [asyncio.ensure_future(primo.summary("p")) for _ in range(2)]
            await asyncio.sleep(0.1)
            start = time.monotonic()
            decided = await asyncio.gather(*(primo.decide("p", REQUEST, default="b", deadline=0.1) for _ in range(50)))
            assert time.monotonic() - start < 0.8
            assert all(isinstance(d, DefaultDecided) and not d.error.sent for d in decided)
            assert all(isinstance(error, ClientError) for error in await asyncio.gather(*stuck, return_exceptions=True))

    asyncio.run(play())


def test_voids_the_decision_of_a_cancelled_task(service: str) -> None:
    async def play() -> str:
        with Disturbed(service, lambda path, _: "hang" if path.endswith("/decisions") else "pass") as slow:
            primo = AsyncClient(slow.url)
            asked: DecisionBody = {**REQUEST, "eventId": f"cancelled-{time.time_ns()}"}
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(primo.decide("p", asked, default="a", deadline=60), 0.1)
            assert await primo.settled(20) == 0
            return asked["eventId"]

    event_id = asyncio.run(play())
    late = Client(service).decide("p", {**REQUEST, "eventId": event_id}, default="a", deadline=5)
    assert isinstance(late, DefaultDecided) and late.error.code == "event-voided"
