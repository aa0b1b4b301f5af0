"""DSPy: a module. Needs: pip install "metarag-ebm[dspy]"."""

from passages import QUESTION, find, show

from metarag.adapters.dspy import MetaragRerank

passages = [{"text": p["text"], **p["metadata"]} for p in find()]
found = MetaragRerank(k=5)(query=QUESTION, passages=passages)
for text, score, result in zip(found.passages, found.scores, found.metarag, strict=True):
    show(result["rank"], score, result, text)
