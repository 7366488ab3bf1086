"""The lines of the README run as they are, in its order, on an address of this test's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_lines_run(service: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) == 3
    names: Dict[str, Any] = {"__name__": "readme"}
    for block in blocks:
        # A busy machine may take longer than a caller would wait.
        source = block.replace("http://127.0.0.1:8642", service).replace("deadline=0.1", "deadline=10")
        exec(compile(source, str(README), "exec"), names)
    said = capsys.readouterr().out
    assert re.search(r"^service (low|high) accepted$", said, re.MULTILINE)
    assert len(names["log"]) == 4 and set(names["log"]["rewardStatus"]) == {"closed"}
    names["primo"].close()
