"""txtai: the similarity callable of its Reranker; nothing but metarag is needed to call it."""

from passages import QUESTION, find

from metarag.adapters.txtai import MetaragSimilarity

rows = [{"text": p["text"], **p["metadata"]} for p in find()]
for index, score in MetaragSimilarity()(QUESTION, rows)[:5]:
    print(f"{score:.2f}  {rows[index]['text'].splitlines()[0][:90]}")
