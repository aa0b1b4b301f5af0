"""Headless Chromium with the report opened from disk. Skips, and says why, where there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

SWITCH = "METARAG_BROWSER"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser():
    if not os.environ.get(SWITCH):
        pytest.skip(f"a browser takes minutes; {SWITCH}=1 runs these tests, as .ci/browser does")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra `dev`)")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser is installed; looked for {', '.join(BROWSERS)}")
    with api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def axe():
    """Return the source of axe-core, which looks for violations of the accessibility guidelines."""
    package = pytest.importorskip(
        "axe_playwright_python", reason="axe-playwright-python is not installed (extra `dev`)"
    )
    return next(Path(package.__file__).parent.rglob("axe.min.js")).read_text(encoding="utf-8")
