"""The calls of the service as plans. Each that changes something carries an id, so that repeating it counts once."""

from __future__ import annotations

import secrets
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar, Union
from urllib.parse import quote

from .answer import refusal
from .background import Background
from .client_error import ClientError, unreachable
from .decided import Decided, DefaultDecided, ServiceDecided
from .plan import Patience, Plan, call
from .played_defaults import PlayedDefaults
from .wire import DecisionBody, ProblemDefinition, RewardItem, RewardReply, Value

#: Told the problem, the event id and the error when a decision that was not played could not be voided.
OnLost = Callable[[str, str, ClientError], None]
Item = TypeVar("Item")

#: Most decisions, or rewards, in one call.
MAX_BATCH = 1000
_VOID_RETRIES = 20


class Calls:
    def __init__(self, patience: Patience, background: Background, on_lost: Optional[OnLost]) -> None:
        self._patience = patience
        self._background = background
        self._on_lost = on_lost
        self._played = PlayedDefaults()

    def decide(
        self, problem: str, request: DecisionBody, default: Optional[str], deadline: float, ranking: Optional[int]
    ) -> Plan[Decided]:
        ends = time.monotonic() + deadline
        asked = _identified(request)
        event_id = asked["eventId"]
        try:
            path = _path(problem, "/decisions" + _query(ranking))
            reply = yield from call(path, self._patience, asked, ends=ends)
            return self._decided(problem, event_id, reply, default)
        except ClientError as error:
            return self._not_decided(problem, event_id, error, default)
        except GeneratorExit:
            self._void_unplayed(problem, event_id)
            raise

    def decide_batch(
        self,
        problem: str,
        requests: Sequence[DecisionBody],
        default: Optional[str],
        deadline: float,
        ranking: Optional[int],
    ) -> Plan[List[Decided]]:
        ends = time.monotonic() + deadline
        path = _path(problem, "/decisions/batch" + _query(ranking))
        decided: List[Decided] = []
        for asked in _pieces([_identified(request) for request in requests]):
            event_ids = [request["eventId"] for request in asked]
            try:
                results = _results((yield from call(path, self._patience, {"decisions": asked}, ends=ends)), event_ids)
            except ClientError as error:
                results = [error for _ in asked]
            except GeneratorExit:
                for event_id in event_ids:
                    self._void_unplayed(problem, event_id)
                raise
            for event_id, result in zip(event_ids, results):
                if isinstance(result, ClientError):
                    decided.append(self._not_decided(problem, event_id, result, default))
                else:
                    decided.append(self._decided(problem, event_id, result, default))
        return decided

    def reward(
        self, problem: str, id: str, value: float, reward_id: Optional[str], metrics: Optional[Mapping[str, float]]
    ) -> Plan[RewardReply]:
        body: Dict[str, object] = {"value": value, "rewardId": reward_id or new_id()}
        if metrics is not None:
            body["metrics"] = metrics
        return self._report(problem, id, "/reward", body)

    def reward_batch(
        self, problem: str, rewards: Sequence[RewardItem]
    ) -> Plan[List[Union[RewardReply, ClientError]]]:
        items: List[RewardItem] = [{"rewardId": new_id(), **item} for item in rewards]
        told: Dict[int, Union[RewardReply, ClientError]] = {
            k: _quiet(item["id"]) for k, item in enumerate(items) if (problem, item["id"]) in self._played
        }
        for piece in _pieces([k for k in range(len(items)) if k not in told]):
            try:
                body = {"rewards": [items[k] for k in piece]}
                answers = yield from call(_path(problem, "/rewards/batch"), self._patience, body)
                results = _results(answers, piece)
            except ClientError as error:
                results = [error for _ in piece]
            told.update(zip(piece, results))
        return [told[k] for k in range(len(items))]

    def reveal(self, problem: str, id: str, covariates: Mapping[str, Value]) -> Plan[RewardReply]:
        return self._report(problem, id, "/reveal", {"covariates": covariates})

    def activate(self, problem: str, id: str) -> Plan[RewardReply]:
        return self._report(problem, id, "/activate", {})

    def void(self, problem: str, id: str) -> Plan[RewardReply]:
        return self._report(problem, id, "/void", {})

    def define(self, problem: str, definition: ProblemDefinition, new_version: bool) -> Plan[Any]:
        query = "?version=new" if new_version else ""
        return call(_path(problem, query), self._patience, definition, "PUT")

    def get(self, problem: str, rest: str = "") -> Plan[Any]:
        return call(_path(problem, rest), self._patience, method="GET")

    def post(self, problem: str, rest: str, body: object = None) -> Plan[Any]:
        return call(_path(problem, rest), self._patience, body)

    def explain(self, problem: str, id: str) -> Plan[Any]:
        return self.get(problem, _decision(id))

    def _report(self, problem: str, id: str, rest: str, body: object) -> Plan[RewardReply]:
        if (problem, id) in self._played:
            return _quiet(id)
        reply: RewardReply = yield from self.post(problem, _decision(id, rest), body)
        return reply

    def _decided(self, problem: str, event_id: str, reply: Any, default: Optional[str]) -> Decided:
        if not isinstance(reply.get("action"), str):
            return self._not_decided(problem, event_id, unreachable("the answer was not a decision"), default)
        self._played.remove(problem, event_id)
        return ServiceDecided(reply["action"], event_id, reply)

    def _not_decided(self, problem: str, event_id: str, error: ClientError, default: Optional[str]) -> Decided:
        # What was refused, or never sent, is not in the log; anything else may be, or may yet arrive there.
        if error.passing and error.sent:
            self._void_unplayed(problem, event_id)
        if default is None:
            raise error
        self._played.add(problem, event_id)
        return DefaultDecided(default, event_id, error)

    def _void_unplayed(self, problem: str, event_id: str) -> None:
        patience = Patience(_VOID_RETRIES, self._patience.backoff)

        def lost(error: ClientError) -> None:
            if self._on_lost is not None:
                self._on_lost(problem, event_id, error)

        self._background.start(call(_path(problem, _decision(event_id, "/void")), patience, {"unseen": True}), lost)


def new_id() -> str:
    """An id that nobody else makes."""
    return secrets.token_hex(16)


def _path(problem: str, rest: str = "") -> str:
    return f"/v1/problems/{quote(problem, safe='')}{rest}"


def _decision(id: str, rest: str = "") -> str:
    return f"/decisions/{quote(id, safe='')}{rest}"


def _query(ranking: Optional[int]) -> str:
    return "" if ranking is None else f"?ranking={ranking}"


def _identified(request: DecisionBody) -> DecisionBody:
    return request if request.get("eventId") else {**request, "eventId": new_id()}


def _quiet(id: str) -> RewardReply:
    return {"decisionId": id, "status": "inactive"}


def _pieces(items: Sequence[Item]) -> List[Sequence[Item]]:
    return [items[k : k + MAX_BATCH] for k in range(0, len(items), MAX_BATCH)]


def _results(answer: Any, asked: Sequence[object]) -> List[Any]:
    results = answer.get("results")
    if not isinstance(results, list) or len(results) != len(asked):
        raise unreachable("the answer was not one result for each item")
    return [
        refusal(result["error"], result["error"]["status"]) if "error" in result else result
        for result in results
    ]
