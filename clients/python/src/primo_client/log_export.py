"""The decision log as a file: whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Callable, Iterator, Literal, Optional, Union
from urllib.parse import quote

LogFormat = Literal["parquet", "csv", "jsonl"]
_FORMATS = ("parquet", "csv", "jsonl")


def log_path(problem: str, path: "Union[str, os.PathLike[str]]", format: Optional[LogFormat] = None) -> str:
    chosen = format or os.path.splitext(os.fspath(path))[1].lstrip(".")
    if chosen not in _FORMATS:
        raise ValueError(f"the file must end with .parquet, .csv or .jsonl, got {os.fspath(path)!r}")
    return f"/v1/problems/{quote(problem, safe='')}/log?format={chosen}"


@contextmanager
def download(path: "Union[str, os.PathLike[str]]") -> Iterator[Callable[[bytes], object]]:
    part = f"{os.fspath(path)}.part"
    try:
        with open(part, "wb") as file:
            yield file.write
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)
