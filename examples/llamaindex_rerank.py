"""LlamaIndex: a node postprocessor. Needs: pip install "metarag-ebm[llamaindex]"."""

from llama_index.core.schema import NodeWithScore, TextNode
from passages import QUESTION, find, show

from metarag.adapters.llamaindex import MetaragPostprocessor

nodes = [NodeWithScore(node=TextNode(text=p["text"], metadata=p["metadata"]), score=1.0) for p in find()]
for item in MetaragPostprocessor(top_n=5).postprocess_nodes(nodes, query_str=QUESTION):
    result = item.node.metadata["metarag"]
    show(result["rank"], item.score, result, item.node.text)
