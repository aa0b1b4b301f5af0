"""The plain function that pydantic-ai, OpenAI agents and MCP wrap."""

from passages import QUESTION, find

from metarag.adapters.tools import rank_evidence

texts = [p["text"] for p in find()]
for item in rank_evidence(QUESTION, texts, top_n=5).results:
    print(f"{item.score:.2f}  {item.design or 'unknown':<20} {texts[item.index].splitlines()[0][:70]}")
