from __future__ import annotations

import json
from importlib.metadata import files, requires, version

from real_service import ROOT


def test_is_installed_with_its_types_and_the_version_of_all_packages() -> None:
    cli = json.loads((ROOT / "apps/cli/package.json").read_text())
    assert version("primo-client") == cli["version"]
    assert any(str(file) == "primo_client/py.typed" for file in files("primo-client") or [])
    assert all("extra ==" in need for need in requires("primo-client") or [])
