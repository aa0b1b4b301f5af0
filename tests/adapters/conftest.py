from __future__ import annotations

import os

import pytest
from adapters.hosts import HOSTS, Host

# Some hosts report their use to their makers unless told not to.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
os.environ.setdefault("DSPY_CACHEDIR", os.devnull)


@pytest.fixture(params=HOSTS, ids=lambda host: host.name)
def host(request: pytest.FixtureRequest) -> Host:
    """Each host that is installed; the others are skipped with the reason."""
    chosen: Host = request.param
    reason = chosen.missing()
    if reason:
        pytest.skip(reason)
    return chosen
