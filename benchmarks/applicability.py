"""Measure what the PICO rules read, and how fast.

    python benchmarks/applicability.py --tokens EBM_NLP_TOKENS.txt
    python benchmarks/applicability.py --speed ABSTRACTS.jsonl.gz
    python benchmarks/applicability.py --gold validation/pico/facet_gold.jsonl --speed ABSTRACTS.jsonl.gz

Tokens: EBM-NLP test split in CoNLL form (token, POS, chunk, label; labels I-PAR, I-INT, I-OUT). Every mention
of a concept that the rules gave to a facet is marked with that facet; nothing was trained on these data.
Published token F1 of neural models (PubMedBERT, wmotte/pubmed-pico): P .72-.77, I .62-.70, O .49-.56.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import sys
import time
from collections import Counter
from pathlib import Path

from metarag.pico import article_pico, question_pico
from metarag.pico_match import Comparison
from metarag.pico_types import TermKind
from metarag.pico_vocabulary import Words, vocabulary
from metarag.records import AbstractSection, Article
from metarag.stems import ArticleStems
from metarag.types import Question

LABELS = {"I-PAR": "P", "I-INT": "I", "I-OUT": "O"}
FACETS = {"population": "P", "intervention": "I", "comparator": "I", "outcome": "O"}


Sentence = list[tuple[str, str]]


def documents(path: Path) -> list[list[Sentence]]:
    """Sentences of (token, gold label); documents are separated by -DOCSTART-, sentences by blank lines."""
    found: list[list[Sentence]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-DOCSTART-"):
            found.append([[]])
        elif line.strip():
            parts = line.split()
            found[-1][-1].append((parts[0], LABELS.get(parts[-1], "")))
        elif found and found[-1][-1]:
            found[-1].append([])
    return [[sentence for sentence in document if sentence] for document in found]


def marked(title: str, abstract: str) -> dict[tuple[str, int], str]:
    """Place of a word's first character to facet, for every mention of what the rules gave to a facet."""
    pico = article_pico(Article(pmid="1", title=title, abstract_sections=(AbstractSection(text=abstract),)))
    labels: dict[tuple[str, int], str] = {}
    facet_of: dict[str, str] = {}
    for facet, letter in FACETS.items():
        for term in getattr(pico, facet):
            if term.kind not in (TermKind.ANIMAL, TermKind.CELLS, TermKind.HUMAN):
                facet_of.setdefault(term.concept, letter)
            if term.kind in (TermKind.AGE, TermKind.OPEN):
                text = title if term.span.where == "title" else abstract
                words = Words.of(text[term.span.start : term.span.end])
                for position in range(len(words.lower)):
                    labels.setdefault((term.span.where, term.span.start + words.start(position)), letter)
    for where, text in (("title", title), ("abstract", abstract)):
        words = Words.of(text)
        for hit in vocabulary().find(words):
            letters = [facet_of[c.name] for c in hit.concepts if c.name in facet_of]
            for position in range(hit.first, hit.last) if letters else ():
                labels.setdefault((where, words.start(position)), letters[0])
    return labels


def token_scores(path: Path) -> None:
    true, given, right = Counter[str](), Counter[str](), Counter[str]()
    listed = documents(path)
    for document in listed:
        parts = {"title": document[0], "abstract": [pair for sentence in document[1:] for pair in sentence]}
        labels = marked(*(" ".join(token for token, _ in part) for part in parts.values()))
        for where, part in parts.items():
            start = 0
            for token, gold in part:
                inside = range(start, start + len(token))
                predicted = next((labels[where, at] for at in inside if (where, at) in labels), "")
                true[gold] += 1
                given[predicted] += 1
                right[gold] += gold == predicted
                start += len(token) + 1
    print(f"{len(listed)} abstracts, {sum(true.values())} tokens")
    for facet in "PIO":
        precision, recall = right[facet] / max(1, given[facet]), right[facet] / max(1, true[facet])
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        print(
            f"{facet}: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f} (of {true[facet]} tokens)"
        )


def abstracts(path: Path) -> list[Article]:
    articles = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            sections = tuple(
                AbstractSection(text=part["text"], label=part.get("label"))
                for part in record["abstract"]
                if part["text"]
            )
            articles.append(Article(pmid=record["pmid"], title=record["title"], abstract_sections=sections))
    return articles


def speed(articles: list[Article]) -> None:
    article_pico(articles[0])
    rates = []
    for _ in range(3):
        started = time.process_time()
        for article in articles:
            article_pico(article)
        rates.append(len(articles) / (time.process_time() - started))
    size = sum(len(a.abstract or "") for a in articles) / len(articles)
    print(f"article_pico: best of 3 {max(rates):,.0f} abstracts a second of CPU, mean {size:,.0f} characters")


def facet_gold(path: Path, articles: list[Article]) -> None:
    """Confusion of facet decisions with our own gold, and the precision of each decision."""
    by_pmid = {article.pmid: article for article in articles}
    confusion = Counter[tuple[str, str]]()
    missing = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        article = by_pmid.get(row["pmid"])
        if article is None:
            missing += 1
            continue
        asked = question_pico(Question(text=row["question"]))
        findings = Comparison(asked, vocabulary()).findings(
            article_pico(article), lambda a=article: ArticleStems.of(a)
        )
        found = next((f for f in findings if f.aspect == row["facet"]), None)
        said = found.fit.value if found else "unknown"
        confusion[row["gold"], said] += 1
        if said != row["gold"]:
            print(f"  {row['question_id']} {row['pmid']} {row['facet']}: gold {row['gold']}, rules {said}")
    print(f"{sum(confusion.values())} decisions, {missing} records not in the file")
    for fit in ("match", "partial", "mismatch", "unknown"):
        given = sum(n for (_, said), n in confusion.items() if said == fit)
        true = sum(n for (gold, _), n in confusion.items() if gold == fit)
        right = confusion[fit, fit]
        print(f"{fit}: precision {right}/{given}, recall {right}/{true}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=Path)
    parser.add_argument("--speed", type=Path)
    parser.add_argument("--gold", type=Path)
    given = parser.parse_args()
    print(f"{platform.platform()}, Python {sys.version.split()[0]}; {' '.join(sys.argv)}")
    if given.tokens:
        token_scores(given.tokens)
    if given.speed:
        articles = abstracts(given.speed)
        if given.gold:
            facet_gold(given.gold, articles)
        speed(articles)


if __name__ == "__main__":
    main()
