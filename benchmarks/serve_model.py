"""Serve a .gguf model on this machine at a fixed port, for `metarag eval run --base-url`.

    pip install xllamacpp
    python benchmarks/serve_model.py MODEL.gguf --port 8431

The port belongs to the fingerprint of an experiment, so it has to be the same when a run goes on. Ends with
Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8431)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="fewer on a busy machine")
    parser.add_argument("--context", type=int, default=8192)
    options = parser.parse_args()
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(options.model)
    params.hostnames = ["127.0.0.1"]
    params.port = options.port
    params.n_ctx = options.context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    server = xllamacpp.Server(params)
    print(f"{options.model.name} at {server.listening_address}/v1", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        del server


if __name__ == "__main__":
    main()
