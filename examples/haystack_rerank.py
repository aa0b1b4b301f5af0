"""Haystack: a ranker in a pipeline, saved and loaded. Needs: pip install "metarag-ebm[haystack]"."""

from haystack import Document, Pipeline
from passages import QUESTION, find, show

from metarag.adapters.haystack import MetaragRanker

pipeline = Pipeline()
pipeline.add_component("ranker", MetaragRanker(top_k=5))
pipeline = Pipeline.loads(pipeline.dumps())

documents = [Document(content=p["text"], meta=p["metadata"]) for p in find()]
ranked = pipeline.run({"ranker": {"query": QUESTION, "documents": documents}})["ranker"]["documents"]
for document in ranked:
    result = document.meta["metarag"]
    show(result["rank"], document.score, result, document.content)
