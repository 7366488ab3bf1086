"""The real service, as its own process from what was built."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[3]
PRIMO = ROOT / "apps" / "cli" / "bin" / "primo.js"


class RealService:
    def __init__(self, options: Sequence[str] = (), environment: Mapping[str, str] = {}) -> None:
        self._options = options
        self._environment = {**os.environ, **environment}

    def __enter__(self) -> str:
        self._folder = tempfile.TemporaryDirectory(prefix="primo-python-")
        store = f"sqlite:{self._folder.name}/primo.db"
        command = ["node", str(PRIMO), "serve", "--store", store, "--port", "0", "--log-level", "silent", "--json"]
        self._process = subprocess.Popen(
            [*command, *self._options], env=self._environment, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        url: str = json.loads(self._process.stdout.readline())["url"]
        return url

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)
        self._folder.cleanup()
