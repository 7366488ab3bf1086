"""The decision log in pyarrow and pandas."""

from __future__ import annotations

import io
import json
from typing import Any, Iterator

import pyarrow
import pyarrow.parquet


def read_table(pieces: Iterator[bytes]) -> pyarrow.Table:
    file = io.BytesIO()
    for piece in pieces:
        file.write(piece)
    return pyarrow.parquet.read_table(file)


def to_frame(table: pyarrow.Table) -> Any:
    frame = table.to_pandas()
    frame.attrs["primo-log"] = json.loads((table.schema.metadata or {}).get(b"primo-log", b"{}"))
    return frame
