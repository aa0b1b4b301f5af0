import os
import socket
import stat
from pathlib import Path

import pytest

from metarag.files import read_small_file, write_text_atomically


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


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path):
    target = tmp_path / "kept" / "run.json"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    link = tmp_path / "link.json"
    link.symlink_to(target)
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


def test_a_link_that_leads_nowhere_makes_the_file_it_names(tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "later.json")
    write_text_atomically(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "later.json").read_text(encoding="utf-8") == "new"


def test_links_in_a_circle_are_refused_and_stay(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="symbolic links"):
        write_text_atomically(tmp_path / "a", "new")
    assert (tmp_path / "a").is_symlink()


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    got = []
    # Opened for both, so that neither side waits for the other.
    handle = os.open(fifo, os.O_RDWR)
    try:
        write_text_atomically(fifo, "één\n")
        got.append(os.read(handle, 100))
    finally:
        os.close(handle)
    assert got == ["één\n".encode()]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_pipe_that_nobody_reads_is_an_error_and_no_wait(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with pytest.raises(OSError, match="No such device"):
        write_text_atomically(fifo, "text")
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_a_folder_and_a_socket_are_refused_and_stay(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_text_atomically(tmp_path / "folder", "text")
    name = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's name may have 100 bytes, which tmp_path alone can take
        server.bind("socket")
        with pytest.raises(OSError, match="no regular file"):
            write_text_atomically(name, "text")
        assert stat.S_ISSOCK(name.stat().st_mode)


def test_an_open_file_is_not_replaced_by_the_name_of_its_stream(tmp_path):
    with (tmp_path / "shown").open("wb") as stream:
        before = (tmp_path / "shown").stat().st_ino
        with pytest.raises(OSError, match="open stream"):
            write_text_atomically(Path(f"/proc/self/fd/{stream.fileno()}"), "text")
    assert (tmp_path / "shown").stat().st_ino == before


def test_a_private_file_stays_private(tmp_path):
    path = tmp_path / "run.json"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    write_text_atomically(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_only_a_small_regular_file_is_read(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path):
        with pytest.raises(OSError, match=r"name a file|Is a directory"):
            read_small_file(path, limit=10)
    small = tmp_path / "small"
    small.write_bytes(b"0123456789")
    assert read_small_file(small, limit=10) == b"0123456789"
    with pytest.raises(OSError, match="larger than 9 bytes"):
        read_small_file(small, limit=9)
