"""AnswerDotAI's rerankers. Needs: pip install "metarag-ebm[rerankers]"."""

from passages import QUESTION, find, show

from metarag.adapters.rerankers import MetaragRanker

found = find()
ranked = MetaragRanker().rank(QUESTION, [p["text"] for p in found], metadata=[p["metadata"] for p in found])
for result in ranked.top_k(5):
    show(result.rank, result.score, result.document.metadata["metarag"], result.document.text)
