"""What your own vector store would find: passages with metadata, here from the demo corpus."""

from metarag.retrieval.demo import open_demo_corpus

QUESTION = "Does intravenous magnesium reduce mortality after acute myocardial infarction?"


def find(question: str = QUESTION, limit: int = 12) -> list[dict]:
    """Return passages as most stores hand them over: a text and a dict of metadata."""
    with open_demo_corpus() as corpus:
        articles = [hit.article for hit in corpus.search(question, limit=limit)]
    return [
        {
            "text": f"{article.title}\n{article.abstract or ''}",
            "metadata": {
                "pmid": article.pmid,
                "doi": article.doi,
                "year": article.year,
                "publication_types": [t.name for t in article.publication_types],
            },
        }
        for article in articles
    ]


def show(rank: int, score: float, result: dict, text: str) -> None:
    """Print one line of a ranking."""
    print(f"{rank:>2}. {score:.2f}  {result['design'] or 'unknown':<20} {text.splitlines()[0][:70]}")
