"""A proxy in front of the service that can lose, refuse and hold what passes."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, List, Literal

Disturbance = Literal["pass", "lose-reply", "hang", "503", "drip"]


class Disturbed:
    def __init__(self, service: str, disturb: Callable[[str, int], Disturbance] = lambda path, attempt: "pass") -> None:
        self.paths: List[str] = []
        attempts: "Counter[str]" = Counter()
        released = self._released = threading.Event()
        paths = self.paths

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_call(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                paths.append(self.path)
                attempts[self.path] += 1
                how = disturb(self.path, attempts[self.path])
                if how == "hang":
                    released.wait()
                    self.close_connection = True
                    return
                if how == "503":
                    self.answer(503, json.dumps({"code": "overloaded", "detail": "later", "status": 503}).encode())
                    return
                if how == "drip":
                    while not released.wait(0.02):
                        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                        self.wfile.flush()
                    self.close_connection = True
                    return
                call = urllib.request.Request(service + self.path, body or None, method=self.command)
                call.add_header("content-type", "application/json")
                try:
                    with urllib.request.urlopen(call) as reply:
                        status, text = reply.status, reply.read()
                except urllib.error.HTTPError as error:
                    with error:
                        status, text = error.code, error.read()
                if how == "lose-reply":
                    self.close_connection = True
                else:
                    self.answer(status, text)

            do_GET = do_POST = do_PUT = handle_call

            def answer(self, status: int, text: bytes) -> None:
                self.send_response(status)
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request: object, client_address: object) -> None:
                pass  # a client that went away

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Disturbed:
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
