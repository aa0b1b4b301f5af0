"""How well effects, and the direction of an outcome, are read from sentences and abstracts, and how fast.

    python benchmarks/effects.py [--shared PATH]

- Public cases: invented sentences, scored by the script that comes with them.
- Gold: the effects of real abstracts as read by one person, see ``validation/effects/README.md``. Right means
  the measure and all its numbers within rounding; whichever arm of a table is printed first does not matter.
  "May be pooled" counts what the extractor would pool: right, or wrong because the numbers are, or because
  the effect must not be pooled (of a subgroup, of other studies, ...).
- Peer: one regular expression for ratios with an interval, run on the same abstracts.
- Direction: labels of the Evidence Inference kind whose evidence stands in the abstract. The rules were
  tuned on the same labels; ``validation/effects/README.md`` tells what the first run gave.
- Speed: process time of one core, on all trial abstracts and on hostile text of one million characters.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from Bio import Medline

from metarag.direction import direction_of
from metarag.effect_sizes import extract_effects
from metarag.types import EffectEstimate

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "validation" / "effects"
LABELS = {
    "no significant difference": "no_difference",
    "significantly decreased": "decreased",
    "significantly increased": "increased",
    "significantly increase": "increased",
}
NAIVE = re.compile(
    r"\b(HR|OR|RR|hazard ratio|odds ratio|relative risk|risk ratio)\D{0,20}?(\d+\.\d+)\D{0,30}?"
    r"(?:95 ?% ?CI|95 ?% confidence interval)\D{0,12}?(\d+\.\d+)\D{1,6}?(\d+\.\d+)",
    re.IGNORECASE,
)
NAIVE_NAMES = {"hazard ratio": "HR", "odds ratio": "OR", "relative risk": "RR", "risk ratio": "RR"}
HOSTILE = ("HR 0.76 (95% CI 0.63-0.92), ", "(", "1,", "12/100 vs ", "&lt;", "a-", "0.5 ", "in the previous ")
HOSTILE_LENGTH = 1_000_000


class Item(NamedTuple):
    """One effect by its numbers; ``poolable`` is whether it may be pooled, or would be."""

    measure: str
    numbers: tuple[float | None, ...]
    poolable: bool


def item_of(effect: EffectEstimate) -> Item:
    if effect.measure == "2x2":
        table = effect.events_1, effect.total_1, effect.events_2, effect.total_2
        return Item("2x2", table, effect.poolable)
    return Item(effect.measure, (effect.estimate, effect.lower, effect.upper), effect.poolable)


def item_of_gold(row: Mapping[str, Any]) -> Item:
    names = ("events_1", "total_1", "events_2", "total_2") if row["measure"] == "2x2" else NUMBERS
    return Item(row["measure"], tuple(row[name] for name in names), row.get("poolable", True))


NUMBERS = ("estimate", "lower", "upper")


def is_same(one: Item, two: Item) -> bool:
    if one.measure != two.measure:
        return False
    if one.measure == "2x2":
        return two.numbers in (one.numbers, one.numbers[2:] + one.numbers[:2])
    return all(is_close(a, b) for a, b in zip(one.numbers, two.numbers, strict=True))


def is_close(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return abs(one - two) <= 0.0006 + 0.005 * abs(one)


class Score(NamedTuple):
    right: int = 0
    wrong: int = 0
    missed: int = 0
    pooled: int = 0
    wrongly_pooled: int = 0

    def __str__(self) -> str:
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        return (
            f"precision {precision:.3f}  recall {recall:.3f}  ({self.right} right, {self.wrong} too many,"
            f" {self.missed} missed); may be pooled: {self.pooled} right, {self.wrongly_pooled} wrong"
        )


def score(wanted: Sequence[Item], found: Iterable[Item]) -> Score:
    """Score the effects of one abstract."""
    left = list(found)
    right = missed = pooled = wrongly = 0
    for item in wanted:
        match = next((one for one in left if is_same(item, one)), None)
        if match is None:
            missed += 1
            continue
        left.remove(match)
        right += 1
        pooled += match.poolable and item.poolable
        wrongly += match.poolable and not item.poolable
    return Score(right, len(left), missed, pooled, wrongly + sum(item.poolable for item in left))


def total(scores: Iterable[Score]) -> Score:
    return Score(*(sum(column) for column in zip(*scores, strict=True)))


def naive(text: str) -> Iterator[Item]:
    for found in NAIVE.finditer(text):
        name = NAIVE_NAMES.get(found[1].lower(), found[1].upper())
        yield Item(name, (float(found[2]), float(found[3]), float(found[4])), poolable=True)


def ours(text: str) -> Iterator[Item]:
    return map(item_of, extract_effects(text))


def report_public(cases: Path) -> None:
    gold = cases / "effects_public.jsonl"
    with tempfile.TemporaryDirectory() as folder:
        predicted = Path(folder) / "predicted.jsonl"
        with gold.open(encoding="utf-8") as lines, predicted.open("w", encoding="utf-8") as out:
            for case in map(json.loads, lines):
                effects = [as_predicted(effect) for effect in extract_effects(case["text"])]
                out.write(json.dumps({"id": case["id"], "effects": effects}) + "\n")
        command = [sys.executable, str(cases / "score_effects.py"), str(gold), str(predicted), "-q"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    print("Public cases:", done.stdout.strip())


def as_predicted(effect: EffectEstimate) -> dict[str, object]:
    """Return an effect by the names that the scoring script uses."""
    return {
        "measure": effect.measure,
        "estimate": effect.estimate,
        "lo": effect.lower,
        "hi": effect.upper,
        "level": effect.level,
        "se": effect.standard_error,
        "poolable": effect.poolable,
        "events1": effect.events_1,
        "n1": effect.total_1,
        "events2": effect.events_2,
        "n2": effect.total_2,
        "m1": effect.mean_1,
        "sd1": effect.sd_1,
        "m2": effect.mean_2,
        "sd2": effect.sd_2,
    }


def report_gold(name: str, rows: Sequence[Mapping[str, Any]], texts: Mapping[str, str]) -> None:
    print(f"{name}: {len(rows)} abstracts, {sum(len(row['effects']) for row in rows)} effects")
    finders: tuple[tuple[str, Callable[[str], Iterable[Item]]], ...] = (("ours", ours), ("peer", naive))
    for who, find in finders:
        scores = [
            score(list(map(item_of_gold, row["effects"])), find(texts[row.get("pmcid") or row["pmid"]]))
            for row in rows
        ]
        print(f"  {who}  {total(scores)}")


def read_gold(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLD / name).read_text(encoding="utf-8").splitlines()]


def read_trials(path: Path) -> dict[str, str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {record["pmcid"]: abstract_of(record) for record in map(json.loads, lines)}


def abstract_of(record: Mapping[str, Any]) -> str:
    return " ".join(
        (f"{part['label']}: " if part["label"] else "") + part["text"] for part in record["abstract"]
    )


def read_medline(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in Medline.parse(lines):
            if record.get("AB"):
                found.setdefault(record["PMID"], record["AB"])
    return found


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def report_direction(path: Path, trials: Mapping[str, str]) -> None:
    plain = {pmcid: words_of(text) for pmcid, text in trials.items()}
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if words_of(row["evidence"]) and row["pmcid"] in plain]
    rows = [row for row in rows if words_of(row["evidence"]) in plain[row["pmcid"]]]
    valid = [row for row in rows if str(row["valid_label"]) == "True"]
    print(f"Direction: {len(rows)} labels whose evidence stands in the abstract, {len(valid)} of them valid")
    for name, with_outcome, chosen in (
        ("evidence alone, valid labels", False, valid),
        ("evidence and outcome, valid labels", True, valid),
        ("evidence and outcome, all labels", True, rows),
    ):
        found = [
            direction_of(row["evidence"], outcome=row["outcome"] if with_outcome else None) for row in chosen
        ]
        hits = [
            (one.confidence, one.basis, one.direction == LABELS[row["label"]])
            for one, row in zip(found, chosen, strict=True)
            if one is not None
        ]
        print(f"  {name}: {at(hits, len(chosen))}")
        for least in sorted({confidence for confidence, *_ in hits}, reverse=True)[:-1]:
            print(f"    confidence >= {least:.2f}: {at([h for h in hits if h[0] >= least], len(chosen))}")
        by_basis = Counter((basis, is_right) for _, basis, is_right in hits)
        for basis in sorted({basis for _, basis, _ in hits}):
            print(f"    by {basis}: {by_basis[basis, True]} right, {by_basis[basis, False]} wrong")


def at(hits: Sequence[tuple[float, str, bool]], of: int) -> str:
    right = sum(is_right for *_, is_right in hits)
    return (
        f"precision {right / max(1, len(hits)):.3f} at coverage {len(hits) / of:.3f} ({right} of {len(hits)})"
    )


def report_speed(texts: Sequence[str]) -> None:
    extract_effects(texts[0])  # reads the vocabularies
    start = time.process_time()
    count = sum(len(extract_effects(text)) for text in texts)
    seconds = time.process_time() - start
    print(f"Speed: {len(texts) / seconds:,.0f} abstracts a second of one core ({count} effects)")
    for pattern in HOSTILE:
        start = time.process_time()
        extract_effects("HR 0.71 (95% CI 0.60-0.84). " + pattern * (HOSTILE_LENGTH // len(pattern)))
        print(f"  1 MB of {pattern!r}: {time.process_time() - start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    shared = parser.parse_args().shared
    trials = read_trials(shared / "data" / "trials" / "rct_abstracts.jsonl.gz")
    medline = read_medline(shared / "data" / "pubmed" / "medline_2000.txt.gz")
    report_public(shared / "cases")
    report_gold("Gold, trials at random", read_gold("gold.jsonl"), trials)
    report_gold("Gold, trials with numbers", read_gold("gold_trials.jsonl"), trials)
    records = read_gold("gold_medline.jsonl")
    for sample in sorted({row["sample"] for row in records}):
        chosen = [row for row in records if row["sample"] == sample]
        report_gold(f"Gold, MEDLINE of 2000, sample {sample}", chosen, medline)
    report_direction(shared / "data" / "trials" / "outcome_labels.jsonl", trials)
    report_speed(list(trials.values()))
    print(f"Machine: {platform.machine()}, Python {platform.python_version()}")


if __name__ == "__main__":
    main()
