"""Threads that make the tries which somebody waits for with a deadline. They are daemons: they keep no process alive."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import Callable, Tuple

from .plan import Outcome

#: Seconds after which a thread without work ends.
_IDLE = 10.0
_Work = Tuple["Future[Outcome]", Callable[[], Outcome]]


class Workers:
    def __init__(self, most: int) -> None:
        self._most = most
        self._work: "queue.SimpleQueue[_Work]" = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._busy = 0

    def submit(self, work: Callable[[], Outcome]) -> "Future[Outcome]":
        """``work`` raises nothing."""
        future: "Future[Outcome]" = Future()
        with self._lock:
            self._busy += 1
            if self._busy > self._threads and self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._run, name="primo-client", daemon=True).start()
        self._work.put((future, work))
        return future

    def _run(self) -> None:
        while True:
            try:
                future, work = self._work.get(timeout=_IDLE)
            except queue.Empty:
                with self._lock:
                    if self._busy < self._threads:
                        self._threads -= 1
                        return
                continue
            if future.set_running_or_notify_cancel():
                future.set_result(work())
            # A client that nobody uses any more must not stay because its last call is remembered here.
            del future, work
            with self._lock:
                self._busy -= 1
