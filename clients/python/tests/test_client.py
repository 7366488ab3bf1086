from __future__ import annotations

import hashlib
import math
import os
import socket
import threading
import time
from typing import List

import numpy
import pandas
import pytest

from primo_client import Client, ClientError, DecisionBody, DefaultDecided, ServiceDecided, new_id

from conftest import PROBLEM
from disturbed import Disturbance, Disturbed
from real_service import RealService

REQUEST: DecisionBody = {"context": {"x": 0.5}, "covariates": {"z": None}}


def test_decides_and_rewards(service: str) -> None:
    with Client(service) as primo:
        decided = primo.decide("p", REQUEST, default="a", deadline=5)
        assert isinstance(decided, ServiceDecided) and decided.from_ == "service"
        assert decided.reply["covariates"]["z"]["status"] == "imputed"
        assert primo.reward("p", decided.event_id, 1)["status"] == "accepted"
        explained = primo.explain("p", decided.event_id)
        assert (explained["status"], explained["reward"]) == ("closed", 1)
        assert primo.reveal("p", decided.event_id, {"z": 0.25})["status"] == "accepted"
        assert primo.summary("p")["decisions"] > 0
        assert primo.problem("p")["definition"]["actions"] == ["a", "b"]
        assert primo.epochs("p")["policy"] == primo.problem("p")["policy"]["version"]


def test_an_event_counts_once(service: str) -> None:
    with Client(service) as primo:
        asked: DecisionBody = {**REQUEST, "eventId": new_id()}
        first, second = (primo.decide("p", asked, deadline=5) for _ in range(2))
        assert first == second
        assert isinstance(first, ServiceDecided)
        assert [primo.reward("p", first.event_id, 1, reward_id="r")["status"] for _ in range(2)] == ["accepted", "duplicate"]


def test_defines_changes_freezes_and_rolls_back(service: str) -> None:
    with Client(service) as primo:
        assert primo.define("q", PROBLEM)["change"] == "created"
        with pytest.raises(ClientError) as refused:
            primo.define("q", {**PROBLEM, "reward": {"min": 0, "max": 9}})
        assert refused.value.code == "problem-changed" and not refused.value.passing
        assert primo.define("q", {**PROBLEM, "reward": {"min": 0, "max": 9}}, new_version=True)["version"] == 2
        assert primo.freeze("q")["mode"] == "frozen"
        assert primo.unfreeze("q")["mode"] == "active"
        assert primo.rollback("q", primo.problem("q")["policy"]["version"])["mode"] == "frozen"


def test_defers_activates_and_voids(service: str) -> None:
    with Client(service) as primo:
        first, second = (primo.decide("p", {**REQUEST, "deferActivation": True}, deadline=5) for _ in range(2))
        assert primo.activate("p", first.event_id)["status"] == "accepted"
        assert primo.reward("p", first.event_id, 1)["status"] == "accepted"
        primo.void("p", second.event_id)
        assert primo.explain("p", second.event_id)["status"] == "void"


def test_sends_what_pandas_calls_missing_as_null(service: str) -> None:
    with Client(service) as primo:
        for gone in (math.nan, numpy.float64("nan"), pandas.NA):
            decided = primo.decide("p", {"context": {"x": numpy.int64(1)}, "covariates": {"z": gone}}, deadline=5)
            assert isinstance(decided, ServiceDecided)
            assert decided.reply["covariates"]["z"]["status"] == "imputed"
        seen = primo.decide("p", {"context": {"x": 1}, "covariates": {"z": numpy.float32(0.5)}}, deadline=5)
        assert isinstance(seen, ServiceDecided)
        assert (seen.reply["covariates"]["z"]["status"], seen.reply["covariates"]["z"]["value"]) == ("observed", 0.5)


def test_plays_the_default_and_says_why(service: str) -> None:
    with Client(service) as primo:
        refused = primo.decide("p", {"context": {"x": 7}}, default="b", deadline=5)
        assert isinstance(refused, DefaultDecided)
        assert (refused.action, refused.error.code, refused.error.status) == ("b", "out-of-range", 422)
        odd = primo.decide("p", {"context": {"x": object()}}, default="a")  # type: ignore[dict-item]
        assert isinstance(odd, DefaultDecided) and odd.error.code == "invalid-request"
        with pytest.raises(ClientError, match="x"):
            primo.decide("p", {"context": {"x": 7}}, deadline=5)
        with pytest.raises(ClientError) as unknown:
            primo.reward("p", "never-decided", 1)
        assert unknown.value.code == "unknown-decision"


def test_a_reward_of_a_default_is_answered_quietly() -> None:
    with Client("http://127.0.0.1:9", retries=0) as primo:
        away = primo.decide("p", REQUEST, default="a")
        assert isinstance(away, DefaultDecided) and away.error.code == "unreachable"
        # Nothing was sent, so there is nothing to void and nobody to tell.
        assert not away.error.sent and primo.settled(0) == 0
        assert primo.reward("p", away.event_id, 1) == {"decisionId": away.event_id, "status": "inactive"}
        assert primo.reveal("p", away.event_id, {"z": 1})["status"] == "inactive"
        assert primo.reward_batch("p", [{"id": away.event_id, "value": 1}])[0] == primo.reward("p", away.event_id, 1)
        with pytest.raises(ClientError):
            primo.reward("other", away.event_id, 1)


@pytest.mark.parametrize("how", ["hang", "drip"])
def test_keeps_its_deadline_and_voids_what_may_arrive(service: str, how: Disturbance) -> None:
    with Disturbed(service, lambda path, _: how if path.endswith("/decisions") else "pass") as slow:
        primo = Client(slow.url, backoff=0.01, timeout=3600)
        start = time.monotonic()
        decided = primo.decide("p", REQUEST, default="b", deadline=0.15)
        assert 0.1 < time.monotonic() - start < 2
        assert isinstance(decided, DefaultDecided) and decided.action == "b"
        assert primo.settled(20) == 0
        late = Client(service).decide("p", {**REQUEST, "eventId": decided.event_id}, default="a", deadline=5)
        assert isinstance(late, DefaultDecided) and late.error.code == "event-voided"


def test_keeps_its_deadline_while_a_name_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(30) and [])
    start = time.monotonic()
    decided = Client("http://primo.invalid").decide("p", REQUEST, default="a", deadline=0.1)
    assert time.monotonic() - start < 5 and isinstance(decided, DefaultDecided)
    released.set()


def test_voids_a_decision_whose_reply_was_lost(service: str) -> None:
    with Disturbed(service, lambda path, _: "lose-reply" if path.endswith("/decisions") else "pass") as lossy:
        primo = Client(lossy.url, retries=0)
        decided = primo.decide("p", REQUEST, default="a", deadline=5)
        assert isinstance(decided, DefaultDecided) and primo.settled(20) == 0
        assert Client(service).explain("p", decided.event_id)["status"] == "void"


def test_says_which_void_was_lost(service: str) -> None:
    lost: List[str] = []
    with Disturbed(service, lambda path, _: "503" if path.endswith("/void") else "lose-reply") as lossy:
        primo = Client(lossy.url, retries=0, backoff=0, on_lost=lambda problem, event, error: lost.append(event))
        decided = primo.decide("p", REQUEST, default="a", deadline=5)
        assert primo.settled(20) == 0 and lost == [decided.event_id]


def test_repeats_a_reward_until_it_is_taken_and_it_counts_once(service: str) -> None:
    def disturb(path: str, attempt: int) -> Disturbance:
        return "pass" if not path.endswith("/reward") or attempt > 3 else "lose-reply" if attempt == 2 else "503"

    with Disturbed(service, disturb) as flaky:
        primo = Client(flaky.url, backoff=0.005)
        decided = primo.decide("p", REQUEST, default="a", deadline=5)
        # The second try was taken and its answer lost.
        assert primo.reward("p", decided.event_id, 0.25)["status"] == "duplicate"
        assert len(Client(service).explain("p", decided.event_id)["rewards"]) == 1


def test_batches_have_an_answer_for_each(service: str) -> None:
    with Disturbed(service) as counted:
        primo = Client(counted.url)
        requests: List[DecisionBody] = [{"context": {"x": 9 if k == 13 else 0.5}} for k in range(1200)]
        decided = primo.decide_batch("p", requests, default="a", deadline=60, ranking=0)
        assert [k for k, d in enumerate(decided) if isinstance(d, DefaultDecided)] == [13]
        told = primo.reward_batch("p", [{"id": d.event_id, "value": 9 if k == 5 else 0.5} for k, d in enumerate(decided)])
        assert [k for k, reply in enumerate(told) if isinstance(reply, ClientError)] == [5]
        assert [k for k, reply in enumerate(told) if reply == {"decisionId": decided[k].event_id, "status": "inactive"}] == [13]
        assert counted.paths == ["/v1/problems/p/decisions/batch?ranking=0"] * 2 + ["/v1/problems/p/rewards/batch"] * 2


def test_connections_are_kept_and_replaced_when_they_were_closed(service: str) -> None:
    primo = Client(service)
    assert isinstance(primo.decide("p", REQUEST, deadline=5), ServiceDecided)
    (_, kept), = primo._connections._idle
    sock = kept.sock
    primo.summary("p")
    assert primo._connections._idle[0][1].sock is sock
    assert sock is not None
    sock.shutdown(socket.SHUT_RDWR)  # as if the other side had closed it
    primo.summary("p")
    assert primo._connections._idle[0][1].sock is not sock
    primo.close()


def test_threads_share_a_client(service: str) -> None:
    primo = Client(service)
    seen: List[str] = []

    def play() -> None:
        for _ in range(20):
            decided = primo.decide("p", REQUEST, default="a", deadline=20)
            seen.append(primo.reward("p", decided.event_id, 1)["status"])

    threads = [threading.Thread(target=play) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["accepted"] * 160
    primo.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_client_survives_a_fork(service: str) -> None:
    primo = Client(service)
    primo.decide("p", REQUEST, deadline=5)
    child = os.fork()
    if child == 0:
        decided = primo.decide("p", REQUEST, default="a", deadline=10)
        os._exit(0 if isinstance(decided, ServiceDecided) else 1)
    assert isinstance(primo.decide("p", REQUEST, deadline=10), ServiceDecided)
    assert os.waitpid(child, 0)[1] == 0
    primo.close()


def test_keys() -> None:
    hashed = hashlib.sha256(b"primo_admin_secret").hexdigest()
    with RealService(environment={"PRIMO_KEYS": f"admin:{hashed}"}) as url:
        with pytest.raises(ClientError) as refused:
            Client(url).problem("p")
        assert refused.value.code == "unauthorized"
        with Client(url, key="primo_admin_secret") as primo:
            primo.define("p", PROBLEM)
            assert isinstance(primo.decide("p", REQUEST, deadline=5), ServiceDecided)
