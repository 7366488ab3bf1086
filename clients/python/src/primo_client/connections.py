"""Connections that are kept alive and shared by threads. One try of one call; nothing is repeated here."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from contextlib import contextmanager
from typing import Iterator, List, Optional, Tuple
from urllib.parse import urlsplit

from .answer import Answer, read_answer
from .client_error import unreachable

#: Seconds after which an idle connection is not trusted any more: services and proxies close theirs after a minute or so.
_IDLE = 30.0
_PIECE = 1 << 16


class Connections:
    def __init__(self, url: str, key: Optional[str], context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"url must be an address such as http://127.0.0.1:8642, got {url!r}")
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._base = parts.path.rstrip("/")
        self._headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self._context = context
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()

    def send(self, method: str, path: str, body: Optional[bytes], timeout: float) -> Answer:
        """The whole answer; raises ClientError ``unreachable`` when none comes."""
        with self._answered(method, path, body, timeout) as response:
            return _answer(response, response.read())

    def stream(self, path: str, timeout: float) -> Iterator[bytes]:
        """The pieces of a long answer; ``timeout`` is for each of them. Raises ClientError."""
        with self._answered("GET", path, None, timeout) as response:
            if response.status != 200:
                raise read_answer(_answer(response, response.read()))
            while True:
                piece = response.read(_PIECE)
                if not piece:
                    return
                yield piece

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def __del__(self) -> None:
        for _, connection in getattr(self, "_idle", []):
            connection.close()

    @contextmanager
    def _answered(
        self, method: str, path: str, body: Optional[bytes], timeout: float
    ) -> Iterator[http.client.HTTPResponse]:
        ends = time.monotonic() + timeout
        headers = dict(self._headers)
        if method in ("POST", "PUT"):
            headers["content-type"] = "application/json"
        connection = self._take()
        reused = connection is not None
        try:
            while True:
                left = max(0.001, ends - time.monotonic())
                if connection is None:
                    connection = self._connect(left)
                elif connection.sock is not None:
                    connection.sock.settimeout(left)
                try:
                    connection.request(method, self._base + path, body, headers)
                    response = connection.getresponse()
                    break
                except (ConnectionError, http.client.BadStatusLine):
                    # The other side closed a connection that was idle; all calls may be repeated.
                    if not reused:
                        raise
                    connection.close()
                    connection, reused = None, False
            yield response
            # A connection in the middle of an answer is of no use to others.
            if response.isclosed() and not response.will_close:
                self._put_back(connection)
                connection = None
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(f"no answer came: {error or type(error).__name__}") from error
        finally:
            if connection is not None:
                connection.close()

    def _take(self) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < _IDLE:
                    return connection
                connection.close()
        return None

    def _put_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append((time.monotonic(), connection))

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._secure:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        try:
            connection.connect()
        except OSError as error:
            raise unreachable(f"no connection to {self._host}: {error}", sent=False) from error
        return connection


def _answer(response: http.client.HTTPResponse, body: bytes) -> Answer:
    try:
        retry_after: Optional[float] = float(response.getheader("retry-after") or "nan")
    except ValueError:
        retry_after = None
    return Answer(response.status, retry_after if retry_after == retry_after else None, body)
