"""Load on `metarag serve`: many clients at once for a while; latency, throughput, errors, memory.

Run: python benchmarks/server.py [--clients 32] [--seconds 60] [--documents 10]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from passages import QUESTION, find


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def client(url: str, body: bytes, until: float, seconds: list[float], errors: list[str]) -> None:
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as session:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                answer = session.post("/rerank", content=body)
            except httpx.HTTPError as error:
                errors.append(type(error).__name__)
                continue
            if answer.status_code != 200:
                errors.append(str(answer.status_code))
            seconds.append(time.monotonic() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--documents", type=int, default=10)
    given = parser.parse_args()
    passages = find(QUESTION, given.documents)
    documents = [{"text": p["text"], **p["metadata"]} for p in passages]
    body = json.dumps({"query": QUESTION, "documents": documents}).encode()
    command = [sys.executable, "-m", "metarag", "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://[\d.:]+", process.stderr.readline())[0]
        httpx.post(f"{url}/rerank", content=body, timeout=60, trust_env=False)
        memory = [resident_mb(process.pid)]
        seconds: list[float] = []
        errors: list[str] = []
        until = time.monotonic() + given.seconds
        arguments = (url, body, until, seconds, errors)
        threads = [threading.Thread(target=client, args=arguments) for _ in range(given.clients)]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            time.sleep(given.seconds / 6)
            memory.append(resident_mb(process.pid))
        for thread in threads:
            thread.join()
    finally:
        process.terminate()
        process.wait(20)
    cuts = statistics.quantiles(seconds, n=100)
    print(f"machine: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(
        f"{given.clients} clients, {given.seconds:g} s, {len(documents)} documents of {len(body) // len(documents):,} bytes"
    )
    print(
        f"requests {len(seconds)}, {len(seconds) / given.seconds:.1f}/s, errors {len(errors)} {sorted(set(errors))}"
    )
    print(
        f"latency p50 {cuts[49] * 1000:.0f} ms, p95 {cuts[94] * 1000:.0f} ms, worst {max(seconds) * 1000:.0f} ms"
    )
    print("resident MB over the run: " + ", ".join(f"{m:.0f}" for m in memory))


if __name__ == "__main__":
    main()
