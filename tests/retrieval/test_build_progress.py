"""How far a build is: from bytes, because the number of records is not known before."""

from pathlib import Path

import pytest

from metarag.retrieval.build_progress import BuildPace
from metarag.retrieval.source_files import SourceFile


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def pace_of(*files):
    told, clock = [], Clock()
    return (
        BuildPace([SourceFile(Path(name), name, size) for name, size in files], told.append, clock),
        told,
        clock,
    )


def test_rate_and_time_left_follow_from_what_was_read():
    pace, told, clock = pace_of(("a", 1000), ("b", 3000))
    pace.begin()
    clock.now = 110.0
    pace.finish(pace.files[0], 100)
    pace.within(2)(150)
    (progress,) = told
    assert (progress.file, progress.files, progress.records, progress.total) == (2, 2, 150, 250)
    # 1,000 bytes were 100 records, so that 150 records are half of the 3,000 bytes.
    assert progress.share == pytest.approx(2500 / 4000)
    assert progress.rate == pytest.approx(25.0)
    assert progress.seconds_left == pytest.approx(6.0)


def test_files_that_are_in_already_count_neither_as_done_nor_as_to_do():
    pace, told, clock = pace_of(("in", 9000), ("a", 1000), ("b", 1000))
    pace.skip(pace.files[0])
    pace.begin()
    clock.now = 104.0
    pace.finish(pace.files[1], 10)
    pace.begin()
    pace.within(3)(5)
    assert told[0].share == pytest.approx(0.75)
    assert told[0].seconds == pytest.approx(4.0)


def test_in_a_first_file_the_share_is_known_only_of_pubmeds_own():
    pace, told, _ = pace_of(("pubmed26n0001.xml.gz", 500), ("b", 500))
    pace.begin()
    pace.within(1)(15_000)
    pace.within(1)(90_000)
    assert [p.share for p in told] == [0.25, 0.5]
    other, told, _ = pace_of(("records.jsonl", 500))
    other.begin()
    other.within(1)(3)
    assert (told[0].share, told[0].seconds_left) == (None, None)


def test_nobody_is_told_when_nobody_asks_and_no_time_is_no_rate():
    pace, told, _ = pace_of(("a", 0))
    pace.tell = None
    assert pace.within(1) is None
    pace.tell = told.append
    pace.within(1)(1)
    assert (told[0].seconds, told[0].rate, told[0].share) == (0.0, None, None)
