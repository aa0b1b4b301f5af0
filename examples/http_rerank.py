"""HTTP: any program that can send JSON. Needs: pip install "metarag-ebm[web]", and `metarag serve` running."""

import os

import httpx
from passages import QUESTION, find, show

SERVER = os.environ.get("METARAG_URL", "http://127.0.0.1:8000")
documents = [{"text": p["text"], **p["metadata"]} for p in find()]
request = {"query": QUESTION, "documents": documents, "top_n": 5}
for item in httpx.post(f"{SERVER}/rerank", json=request, timeout=60).raise_for_status().json()["results"]:
    result = item["metarag"]
    show(result["rank"], item["relevance_score"], result, documents[item["index"]]["text"])
