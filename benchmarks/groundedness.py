"""What a real model invents when it answers from sources, and how much of it the checks see.

    python benchmarks/groundedness.py --base-url http://127.0.0.1:8080/v1 --model NAME --out counts.json
    python benchmarks/groundedness.py ... --index my.sqlite --questions questions.txt --limit 4

Without --index the demo corpus is asked its own eight questions. With it the questions are read from a file, one a
line. Each answer is two calls (cited and short), four with --check-sentences and more. Printed and written: answers,
sentences and how many of them cite a source, citations removed because nobody gave them to the model, numbers that
were compared with the cited articles and those that none of them has, sentences marked or dropped, refusals,
answers that fell back to the rules, and failed calls. The texts are written too, to be read by a person: a number
that stands in the article may still be the wrong one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from metarag.files import write_text_atomically
from metarag.generation.base import Answer
from metarag.generation.grounded import GroundedGenerator
from metarag.generation.grounded_options import GroundedOptions
from metarag.llm.base import ChatModel
from metarag.llm.connect import connect
from metarag.llm.retry import RetryPolicy
from metarag.rag import MetaRag
from metarag.retrieval.corpus import Corpus, CorpusRetriever
from metarag.retrieval.demo import demo_questions, open_demo_corpus

# Of the answer's own counts: name there, name here.
CHECKED = {
    "invented_citations": "invented citations removed",
    "malformed_citations": "unreadable citations removed",
    "surplus_citations": "citations beyond three removed",
    "numbers": "numbers checked",
    "numbers_not_in_sources": "numbers not in the cited articles",
    "directions": "statements on outcomes compared with the sources",
    "directions_not_in_sources": "statements on outcomes that no source found",
    "quotes": "quotations checked",
    "quotes_not_in_sources": "quotations not in the cited articles",
    "unsupported_sentences": "sentences without a source",
    "dropped_sentences": "sentences dropped",
    "sentences_over_the_limit": "sentences cut for length",
    "added_sentences": "sentences added by code",
    "short_numbers_not_in_sources": "numbers of short answers not in the sources",
    "short_directions_not_in_sources": "statements of short answers that no source found",
    "sentences_not_supported": "sentences not supported, by the model's reading",
    "sentences_contradicted": "sentences contradicted, by the model's reading",
}


def counts_of(answers: Iterable[Answer]) -> dict[str, int]:
    """Return what was counted over all answers; what never happened is 0."""
    total: Counter[str] = Counter(dict.fromkeys(
        ("questions", "answers by the model", "refusals", "answers by rules instead", "sentences",
         "sentences that cite a source", "sentences marked", "calls", "calls failed", *CHECKED.values()), 0,
    ))  # fmt: skip
    for answer in answers:
        total["questions"] += 1
        total["refusals"] += answer.abstained
        total["answers by rules instead"] += answer.degraded
        total.update({"calls": _sum(answer, "asked"), "calls failed": _sum(answer, "failed")})
        total.update({CHECKED[name]: n for name, n in answer.counts.items() if name in CHECKED})
        if answer.degraded or answer.abstained:
            continue
        total["answers by the model"] += 1
        own = answer.sentences[: len(answer.sentences) - answer.counts.get("added_sentences", 0)]
        total["sentences"] += len(own)
        total["sentences that cite a source"] += sum(bool(s.citations) for s in own)
        total["sentences marked"] += sum(bool(s.flags) for s in own)
    return dict(total)


def ask_all(
    model: ChatModel, corpus: Corpus, questions: Sequence[str], options: GroundedOptions, *, limit: int
) -> Iterator[Answer]:
    """Ask one question after another, and say after each what it cost in time."""
    rag = MetaRag(CorpusRetriever(corpus), generator=GroundedGenerator(model, options), limit=limit)
    for number, question in enumerate(questions, 1):
        begun = time.perf_counter()
        answer = rag.ask(question)
        seconds = time.perf_counter() - begun
        print(f"{number}/{len(questions)} {seconds:7.1f} s  {question}", file=sys.stderr, flush=True)
        yield answer


def report(model: str, answers: Sequence[Answer]) -> dict[str, object]:
    """Return what is written: the counts, and for each question its texts, counts and flags."""
    return {
        "model": model,
        "counts": counts_of(answers),
        "answers": [
            {
                "question": answer.question.text if answer.question else None,
                "by": answer.generator,
                "text": answer.text,
                "raw": answer.raw,
                "short": answer.short,
                "flags": [list(sentence.flags) for sentence in answer.sentences],
                "counts": answer.counts,
                "warnings": list(answer.warnings),
                "sources": [source.citation for source in answer.sources],
                "usage": [use.model_dump() for use in answer.usage],
            }
            for answer in answers
        ],
    }


def _sum(answer: Answer, name: str) -> int:
    return sum(getattr(use, name) for use in answer.usage)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base-url", required=True, help="server, up to and with /v1")
    parser.add_argument("--model", required=True, help="as the server calls it")
    parser.add_argument("--index", type=Path, help="local index instead of the demo corpus")
    parser.add_argument("--questions", type=Path, help="one a line; needed with --index")
    parser.add_argument("--limit", type=int, help="questions asked; default: all")
    parser.add_argument("--retrieve", type=int, default=50, help="articles retrieved for each")
    parser.add_argument("--max-sources", type=int, default=5, help="articles shown to the model")
    parser.add_argument("--deadline", type=float, default=300.0, help="seconds a call, waiting included")
    parser.add_argument("--no-short", action="store_true", help="leave out the short answer: half the calls")
    parser.add_argument("--check-sentences", action="store_true", help="let the model read its sentences too")
    parser.add_argument("--background", help="who asks, e.g. somebody who wants numbers in each sentence")
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")
    given = parser.parse_args()
    if given.index and not given.questions:
        parser.error("--index needs --questions")
    lines = given.questions.read_text(encoding="utf-8").splitlines() if given.questions else None
    texts = [asked.text for asked in demo_questions()] if lines is None else [t for t in lines if t.strip()]
    options = GroundedOptions(
        short_answer=not given.no_short, check_sentences=given.check_sentences, background=given.background
    )
    options = options.model_copy(
        update={"selection": options.selection.model_copy(update={"max_sources": given.max_sources})}
    )
    model = connect(
        given.model,
        base_url=given.base_url,
        concurrency=1,
        policy=RetryPolicy(deadline=given.deadline, attempts=2),
    )
    corpus = Corpus.open(given.index) if given.index else open_demo_corpus()
    answers: list[Answer] = []
    for answer in ask_all(model, corpus, texts[: given.limit], options, limit=given.retrieve):
        answers.append(answer)  # written after each: a slow run that is stopped keeps what it has
        found = report(given.model, answers)
        write_text_atomically(given.out, json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    for name, count in counts_of(answers).items():
        print(f"{count:6}  {name}")


if __name__ == "__main__":
    main()
