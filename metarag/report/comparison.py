"""What changed between two runs on one question: the places of the articles and the answer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from metarag.report.numbers import count
from metarag.runs import RunRecord


@dataclass(frozen=True, slots=True)
class Move:
    """How the place of one article changed; ``None`` is no place in the ranking."""

    key: str
    before: int | None
    now: int | None

    @property
    def words(self) -> str:
        """The change in words, e.g. ``rank 3, was 7``."""
        if self.now is None:
            return f"not ranked, was rank {self.before:,}"
        return f"rank {self.now:,}, was {'not ranked' if self.before is None else f'{self.before:,}'}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against the one before it.

    Attributes
    ----------
    parent : str
        Id of the run before.
    moves : tuple of Move
        Articles that came into the ranking or left it, then the fewest that have to be moved to make one order
        of the other; by rank, the one before for those that left.
    shifted : int
        More articles whose rank is another one only because of those.
    answer_before, answer_now : str or None
        Texts of the answers; ``None`` where none was asked for.
    """

    parent: str
    moves: tuple[Move, ...]
    shifted: int = 0
    answer_before: str | None = None
    answer_now: str | None = None

    @property
    def shifted_words(self) -> str:
        """How many more have another rank; empty for none."""
        if not self.shifted:
            return ""
        more = count(self.shifted, "more article")
        return f"{more} moved up or down only because of these."


def compare(parent: RunRecord, run: RunRecord) -> Comparison:
    """Return what ``run`` changed against ``parent``."""
    before = {item.key: rank for rank, item in enumerate(parent.ranking, 1)}
    now = {item.key: rank for rank, item in enumerate(run.ranking, 1)}
    moves = [Move(key, before.get(key), now.get(key)) for key in {**now, **before}]
    changed = [move for move in moves if move.before != move.now]
    in_line = _in_line([key for key in now if key in before], before)
    told = [move for move in changed if move.key not in in_line]
    return Comparison(
        parent=parent.id,
        moves=tuple(sorted(told, key=_order)),
        shifted=len(changed) - len(told),
        answer_before=parent.answer.text if parent.answer else None,
        answer_now=run.answer.text if run.answer else None,
    )


def _in_line(keys: Sequence[str], before: dict[str, int]) -> frozenset[str]:
    """Return the most keys that stand to each other as before: a longest increasing subsequence of ranks.

    References
    ----------
    Fredman ML. On computing the length of longest increasing subsequences. Discrete Mathematics 1975;11:29-35.
    """
    ends: list[int] = []  # the smallest rank at which a chain of each length can end
    lengths = []
    for key in keys:
        length = bisect_left(ends, before[key])
        ends[length : length + 1] = [before[key]]
        lengths.append(length)
    wanted, found = len(ends) - 1, list[str]()
    for key, length in zip(reversed(keys), reversed(lengths), strict=True):
        # From the end, the first of a length that is wanted is before the one that follows it.
        if length == wanted and (not found or before[key] < before[found[-1]]):
            found.append(key)
            wanted -= 1
    return frozenset(found)


def _order(move: Move) -> tuple[bool, int, str]:
    rank = move.now if move.now is not None else move.before
    return move.before is not None and move.now is not None, rank or 0, move.key
