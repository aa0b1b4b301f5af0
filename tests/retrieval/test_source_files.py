"""Which files an index is built from, in which order, and whether they came over whole."""

import hashlib
import re

import pytest
from builders import make_article
from corpus_sources import build, write_source

from metarag.errors import InputError
from metarag.retrieval.local_index import open_index
from metarag.retrieval.source_files import Release, SourceFile, source_files


def touch(folder, *names):
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(name.encode())
    return [folder / name for name in names]


def names(files):
    return [file.name for file in files]


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("pubmed26n0001.xml.gz", Release(2026, 1)),
        ("pubmed26n1335.xml", Release(2026, 1335)),
        ("pubmed27n10000.xml.gz", Release(2027, 10000)),
        ("pubmed26n0001.xml.gz.md5", None),
        ("my-pubmed26n0001.xml.gz", None),
        ("records.jsonl", None),
    ],
)
def test_pubmeds_own_files_are_known_by_their_names(name, release):
    assert Release.of(name) == release


def test_pubmeds_own_files_are_ordered_among_themselves_and_the_others_stay(tmp_path):
    given = touch(
        tmp_path, "pubmed26n0003.xml.gz", "mine.ris", "pubmed26n0001.xml.gz", "b.nbib", "pubmed25n0009.xml.gz"
    )
    assert names(source_files(given)) == [
        "pubmed25n0009.xml.gz",
        "mine.ris",
        "pubmed26n0001.xml.gz",
        "b.nbib",
        "pubmed26n0003.xml.gz",
    ]


def test_a_folder_stands_for_pubmeds_own_files_in_it(tmp_path):
    touch(tmp_path / "updates", "pubmed26n0003.xml.gz", "pubmed26n0003.xml.gz.md5", "README.txt")
    touch(tmp_path / "baseline", "pubmed26n0002.xml.gz", "pubmed26n0001.xml.gz")
    found = source_files([tmp_path / "updates", tmp_path / "baseline"])
    assert names(found) == [f"pubmed26n000{n}.xml.gz" for n in (1, 2, 3)]
    assert [file.size for file in found] == [20, 20, 20]


def test_a_folder_without_such_files_is_refused(tmp_path):
    touch(tmp_path / "mine", "records.jsonl")
    with pytest.raises(InputError, match=r"mine holds no file named as PubMed's are .* Nothing was indexed"):
        source_files([tmp_path / "mine"])


CONTENT = b"some records"
MD5 = hashlib.md5(CONTENT).hexdigest()


@pytest.mark.parametrize(
    "told",
    [
        f"MD5(pubmed26n0001.xml.gz)= {MD5}\n",
        f"{MD5}  pubmed26n0001.xml.gz\n",
        f"{MD5.upper()}\n",
        f"{'0' * 32}  another.gz\n{MD5}  pubmed26n0001.xml.gz\n",
        None,
    ],
)
def test_the_digest_is_given_once_the_md5_beside_it_is_right(tmp_path, told):
    path = tmp_path / "pubmed26n0001.xml.gz"
    path.write_bytes(CONTENT)
    if told:
        path.with_name(f"{path.name}.md5").write_text(told, encoding="ascii")
    assert SourceFile(path, path.name, len(CONTENT)).digest() == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (f"MD5(pubmed26n0001.xml.gz)= {'0' * 32}\n", r"MD5 is not the one in pubmed26n0001\.xml\.gz\.md5"),
        ("<html>404</html>", r"pubmed26n0001\.xml\.gz\.md5 beside it holds no MD5"),
        (f"{'0' * 32}\n{'1' * 32}\n", "holds no MD5 of it"),
    ],
)
def test_a_file_that_came_over_wrong_is_told_and_not_indexed_and_the_others_are(tmp_path, told, says):
    bad = write_source(tmp_path / "pubmed26n0001.xml.gz", make_article("1"))
    good = write_source(tmp_path / "pubmed26n0002.xml.gz", make_article("2"))
    bad.with_name(f"{bad.name}.md5").write_text(told, encoding="ascii")
    index = tmp_path / "index.sqlite"
    report = build(index, bad, good)
    assert [(s.added, bool(s.error)) for s in report.sources] == [(0, True), (1, False)]
    assert re.search(says, report.sources[0].error)
    with open_index(index) as corpus:
        assert [article.pmid for article in corpus] == ["2"]


def test_a_file_that_cannot_be_read_is_told_too(tmp_path):
    gone = SourceFile(tmp_path / "gone", "gone", 0)
    with pytest.raises(OSError, match="gone"):
        gone.digest()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no such file: .*dangling"):
        source_files([tmp_path / "dangling"])
