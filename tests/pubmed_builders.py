"""PubMed XML of invented records, for tests of its readers."""

from __future__ import annotations

from metarag.records import Article
from metarag.retrieval.base import Deletion, ReadFailure
from metarag.retrieval.byte_source import Source
from metarag.retrieval.pubmed_xml import read_pubmed_xml

PROLOGUE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2026//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_260101.dtd">\n'
)


def record(
    pmid: int | str = 91000001,
    *,
    title: str = "<ArticleTitle>A trial of nothing.</ArticleTitle>",
    article: str = "",
    citation: str = "",
    data: str = "",
    date: str = "<Year>2019</Year><Month>Mar</Month>",
) -> str:
    """One PubmedArticle; the other arguments are XML put where their name says."""
    return (
        '<PubmedArticle>\n  <MedlineCitation Status="MEDLINE" Owner="NLM">\n'
        f'    <PMID Version="1">{pmid}</PMID>\n    <Article PubModel="Print">\n'
        f"      <Journal><JournalIssue><Volume>7</Volume><PubDate>{date}</PubDate></JournalIssue>"
        f"<Title>Annals of Invention</Title></Journal>\n      {title}\n      {article}\n    </Article>\n"
        f"    {citation}\n  </MedlineCitation>\n  <PubmedData><ArticleIdList>"
        f'<ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList>{data}</PubmedData>\n'
        "</PubmedArticle>\n"
    )


def abstract(text: str) -> str:
    return f"<Abstract><AbstractText>{text}</AbstractText></Abstract>"


def article_set(*records: str, root: str = "PubmedArticleSet", prologue: str = PROLOGUE) -> bytes:
    return (prologue + f"<{root}>\n" + "".join(records) + f"</{root.split()[0]}>\n").encode()


def read_all(source: Source) -> list[Article | Deletion | ReadFailure]:
    return list(read_pubmed_xml(source))


def read_one(xml: str) -> Article:
    """Read a set of this one record, which has to be readable."""
    (only,) = read_all(article_set(xml))
    assert isinstance(only, Article), only
    return only


def pmids(records: list[Article | Deletion | ReadFailure]) -> list[str | None]:
    return [record.pmid for record in records if isinstance(record, Article)]


def failures(records: list[Article | Deletion | ReadFailure]) -> list[ReadFailure]:
    return [record for record in records if isinstance(record, ReadFailure)]
