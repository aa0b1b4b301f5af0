import os
import stat

import pytest

from metarag.files import write_text_atomically


def test_a_file_is_replaced_whole_with_the_users_rights(tmp_path):
    path = tmp_path / "new" / "run.json"
    write_text_atomically(path, "één\n")
    write_text_atomically(path, "twee\n")
    assert path.read_bytes() == b"twee\n"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "run.json"
    write_text_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_text_atomically(path, "new \ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]
