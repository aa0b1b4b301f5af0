"""Counters in the text format of Prometheus; they hold no text of any request."""

from __future__ import annotations

from collections import Counter


class Metrics:
    """What a server has done since it started. Only the event loop's thread writes here."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.documents = 0
        self.seconds = 0.0

    def count(self, path: str, status: int, *, documents: int = 0, seconds: float = 0.0) -> None:
        """Add a request that was answered."""
        self.requests[path, status] += 1
        self.documents += documents
        self.seconds += seconds

    def text(self, *, waiting: int) -> str:
        """Return all counters."""
        lines = [
            "# HELP metarag_requests_total Requests answered.",
            "# TYPE metarag_requests_total counter",
            *(
                f'metarag_requests_total{{path="{path}",status="{status}"}} {n}'
                for (path, status), n in sorted(self.requests.items())
            ),
            "# HELP metarag_documents_total Documents ranked or appraised.",
            "# TYPE metarag_documents_total counter",
            f"metarag_documents_total {self.documents}",
            "# HELP metarag_seconds_total Seconds from a request's arrival to its answer, summed.",
            "# TYPE metarag_seconds_total counter",
            f"metarag_seconds_total {self.seconds:.6f}",
            "# HELP metarag_inside Requests that are running or waiting.",
            "# TYPE metarag_inside gauge",
            f"metarag_inside {waiting}",
        ]
        return "\n".join(lines) + "\n"
