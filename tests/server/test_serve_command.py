"""`metarag serve` as a process."""

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from metarag.cli_serve import is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.0.1", "::1", "localhost"])
def test_the_own_machine_is_known(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.test", ""])
def test_everything_else_can_be_reached_from_outside(host):
    assert not is_loopback(host)


def start(*options, token=None):
    environment = {k: v for k, v in os.environ.items() if k != "METARAG_SERVER_TOKEN"}
    environment |= {"METARAG_SERVER_TOKEN": token} if token else {}
    command = [sys.executable, "-m", "metarag", "serve", *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)


def test_another_address_without_a_token_is_refused_with_a_way_forward():
    process = start("--host", "0.0.0.0", "--port", "0")
    _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "METARAG_SERVER_TOKEN" in told


@pytest.mark.slow
def test_it_tells_its_address_answers_and_ends_on_interruption():
    pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
    process = start("--port", "0", token="a-long-token")
    try:
        told = ""
        while "http://" not in told:
            told += process.stderr.readline()
        url = re.search(r"http://[\d.:]+", told)[0]
        asked = {"query": "Does it work?", "documents": ["Tablets were given to adults."]}
        assert httpx.post(f"{url}/rerank", json=asked, trust_env=False).status_code == 401
        headers = {"Authorization": "Bearer a-long-token"}
        answer = httpx.post(f"{url}/rerank", json=asked, headers=headers, trust_env=False)
        assert len(answer.json()["results"]) == 1
        assert "a-long-token" not in told
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 130)
    finally:
        process.kill()
        process.stderr.close()
        process.wait()


def test_a_port_that_is_taken_is_told_with_a_way_forward():
    pytest.importorskip("fastapi", reason="the extra 'web' is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start("--port", str(taken.getsockname()[1]))
        _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "name another --port" in told
    assert "Traceback" not in told
