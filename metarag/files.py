"""Write files so that a crash leaves the old one or the new one, never half of either; read small ones."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

_STREAMS = ("/dev/", "/proc/")
"""Where /dev/stdout and the files that a process has open have their names."""
_SQLITE = b"SQLite format 3\0"


def write_text_atomically(path: Path, text: str) -> None:
    """Replace the file ``path`` by ``text`` in UTF-8; see :func:`write_bytes_atomically`.

    Raises
    ------
    OSError
        The file cannot be written; the old one then stands.
    """
    write_bytes_atomically(path, text.encode("utf-8"))


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Replace the file ``path`` by ``content``, creating parent folders.

    A symbolic link stays and the file that it leads to is replaced, with the rights that it had. A pipe or a
    character device is written to; a block device or a socket is refused.

    Raises
    ------
    OSError
        The folder cannot be made or written, or ``path`` is nothing to write to; the old file then
        stands.
    """
    found = _stat(path)
    if found and (stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode)):
        _write_to_stream(path, content)
        return
    if found and not stat.S_ISREG(found.st_mode):
        code = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
        raise OSError(code, os.strerror(code) if code == errno.EISDIR else "it is no regular file", str(path))
    if found and os.path.abspath(path).startswith(_STREAMS):  # noqa: PTH100 - resolve() would follow the link
        # Somebody has it open: a new file of that name would not be the one that they see.
        raise OSError(errno.EINVAL, "it is an open stream; name the file itself", str(path))
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if found and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    _replace(target, content, stat.S_IMODE(found.st_mode) if found else _default_mode())


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; a pipe or device might never end.

    Raises
    ------
    OSError
        It is missing, or a pipe, device or folder.
    """
    # Never waits: opening a pipe that nobody writes to would otherwise hang.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is a folder, a pipe or a device; name a file", str(path))
    return os.fdopen(handle, "rb")


def read_small_file(path: Path, *, limit: int) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    Raises
    ------
    OSError
        It is missing, larger, or a pipe, device or folder, from which reading might never end.
    """
    with open_regular(path) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit:,} bytes", str(path))
    return content


def may_be_sqlite(path: Path) -> bool:
    """True for an empty file and for a database, of which the first bytes are looked at.

    SQLite itself takes a file of up to 511 bytes for an empty database, and writes over it.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) in (b"", _SQLITE)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _write_to_stream(path: Path, content: bytes) -> None:
    # A pipe that nobody reads from is an error (ENXIO) instead of a wait without end.
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def _replace(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".metarag.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    finally:
        # There only if it did not take the place of the other.
        Path(name).unlink(missing_ok=True)


def _default_mode() -> int:
    # mkstemp makes the file private; a report is as readable as the user's umask says.
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
