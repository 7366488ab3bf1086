"""Plans that nobody waits for, one try at a time in one daemon thread. A plan that waits does not hold up the others."""

from __future__ import annotations

import heapq
import logging
import threading
import time
from typing import Callable, List, Optional, Tuple

from .client_error import ClientError, unreachable
from .plan import Outcome, Plan, Try

OnFailure = Callable[[ClientError], None]
#: More are given up at once: a service that is away for long must not fill the memory.
MAX_PLANS = 100_000
_Due = Tuple[float, int, Plan[object], Try, OnFailure]


class Background:
    def __init__(self, once: Callable[[Try], Outcome]) -> None:
        self._once = once
        self._changed = threading.Condition()
        self._due: List[_Due] = []
        self._plans = 0
        self._order = 0
        self._thread: Optional[threading.Thread] = None

    def start(self, plan: Plan[object], on_failure: OnFailure) -> None:
        with self._changed:
            room = self._plans < MAX_PLANS
            if room:
                self._plans += 1
                self._push(plan, next(plan), on_failure)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="primo-client", daemon=True)
                self._thread.start()
        if not room:
            _tell(on_failure, unreachable(f"more than {MAX_PLANS} calls wait for the service", sent=False))

    def settled(self, timeout: Optional[float] = None) -> int:
        """Waits until all plans are done or given up, or for so many seconds; how many still wait."""
        with self._changed:
            self._changed.wait_for(lambda: self._plans == 0, timeout)
            return self._plans

    def _push(self, plan: Plan[object], following: Try, on_failure: OnFailure) -> None:
        self._order += 1
        heapq.heappush(self._due, (time.monotonic() + following.wait, self._order, plan, following, on_failure))
        self._changed.notify_all()

    def _run(self) -> None:
        while True:
            due = self._next()
            if due is None:
                return
            _, _, plan, attempt, on_failure = due
            outcome = self._once(attempt)
            try:
                following = plan.send(outcome)
            except StopIteration:
                self._end()
            except ClientError as error:
                _tell(on_failure, error)
                self._end()
            else:
                with self._changed:
                    self._push(plan, following, on_failure)

    def _next(self) -> Optional[_Due]:
        """Waits for the next try; None: there is nothing left, and the thread ends."""
        with self._changed:
            while self._due:
                left = self._due[0][0] - time.monotonic()
                if left <= 0:
                    return heapq.heappop(self._due)
                self._changed.wait(left)
            self._thread = None
            return None

    def _end(self) -> None:
        with self._changed:
            self._plans -= 1
            self._changed.notify_all()


def _tell(on_failure: OnFailure, error: ClientError) -> None:
    try:
        on_failure(error)
    except Exception:
        logging.getLogger("primo_client").exception("on_lost failed")
