"""The notebooks run from top to bottom. Their cells are executed as they are; a kernel would add nothing."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator

import matplotlib
import matplotlib.pyplot
import pytest

from real_service import PRIMO

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


class Notebook:
    def __init__(self) -> None:
        self.names: Dict[str, Any] = {"__name__": "notebook"}
        self.figures = 0

    def run(self, name: str) -> Dict[str, Any]:
        for cell in json.loads((NOTEBOOKS / name).read_text())["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [] and cell["execution_count"] is None
                exec(compile("".join(cell["source"]), f"{name}/{cell['id']}", "exec"), self.names)
        return self.names

    def show(self) -> None:
        for number in matplotlib.pyplot.get_fignums():
            figure = matplotlib.pyplot.figure(number)
            figure.canvas.draw()
            self.figures += 1
        matplotlib.pyplot.close("all")


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Notebook]:
    matplotlib.use("Agg")
    opened = Notebook()
    monkeypatch.setattr(matplotlib.pyplot, "show", opened.show)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("PRIMO", f"node '{PRIMO}'")
    yield opened
    if "service" in opened.names:
        with opened.names["service"] as service:
            service.kill()


@pytest.mark.filterwarnings("ignore")
def test_calibrate_and_replay(notebook: Notebook) -> None:
    names = notebook.run("calibrate-and-replay.ipynb")
    assert notebook.figures == 2
    assert (names["error"][["calibrated", "trained"]] < names["error"]["model"] / 2).all()
    assert names["result"].index[0] == "robust" and names["result"].index[-1] == "uniform"


@pytest.mark.filterwarnings("ignore")
def test_serve_a_model(notebook: Notebook) -> None:
    names = notebook.run("serve-a-model.ipynb")
    assert notebook.figures == 2
    assert names["same"] < 1e-5
    assert set(names["log"]["status.genotype"]) == {"observed", "imputed"}
    assert names["errors"]["corrected"].iloc[-1] < names["errors"]["the model"].iloc[-1] * 0.7
    # The standard errors are about 0.035: a false alarm in four values is one in ten thousand runs.
    assert ((names["values"]["value"] - names["truth"]).abs().dropna() < 0.15).all()
