"""Which events were played by the caller's default: their rewards are answered here."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Tuple

#: The newest events are remembered.
MAX_EVENTS = 100_000


class PlayedDefaults:
    def __init__(self) -> None:
        self._events: "OrderedDict[Tuple[str, str], None]" = OrderedDict()
        self._lock = threading.Lock()

    def add(self, problem: str, event_id: str) -> None:
        with self._lock:
            self._events[(problem, event_id)] = None
            if len(self._events) > MAX_EVENTS:
                self._events.popitem(last=False)

    def remove(self, problem: str, event_id: str) -> None:
        with self._lock:
            self._events.pop((problem, event_id), None)

    def __contains__(self, event: Tuple[str, str]) -> bool:
        return event in self._events
