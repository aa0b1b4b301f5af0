"""Where `metarag` begins and ends: one message for a mistake, one exit code, quiet when nobody listens.

Nothing heavy is imported before :func:`main` runs, so that Ctrl-C during the imports ends like any other.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO

from metarag.errors import MetaragError
from metarag.report.plain import plain_lines

FAILED = 1
INTERRUPTED = 130
"""What typer exits with on Ctrl-C: 128 and the number of SIGINT, as shells count."""


def main() -> None:
    """Run the command line; a user's mistake ends in one message, never in a traceback."""
    try:
        code = _run()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        _tell("interrupted; nothing half-written was left behind")
        code = INTERRUPTED
    sys.exit(_flushed(code))


def _run() -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that has no such character gets its number, not a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    import typer

    from metarag.cli import app

    try:
        return int(app(standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _show_usage(error)
    except typer.Abort:
        _tell("ended before it was done")
    except MetaragError as error:
        _tell(str(error))
    except (BrokenPipeError, SystemExit) as error:
        # The reader of our output (head, less) has closed; that is not an error of ours. Where the system
        # says so in a way that typer knows, typer makes an exit with 1 of it.
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        _drop(sys.stdout)
        return 0
    except OSError as error:
        _tell(f"{error.filename or 'the output'} cannot be used: {error.strerror or error}")
        _drop(sys.stdout)
    return FAILED


def _show_usage(error: Any) -> int:
    """Show what was typed wrong; it may hold what a file's name holds, so that it is made plain."""
    if not error.message.replace("\n", "").isprintable():
        error.message = plain_lines(error.message)
    with suppress(OSError, ValueError, AttributeError):
        error.show()
    return int(error.exit_code)


def _tell(message: str) -> None:
    # A closed stderr must not cost the result or the exit code.
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"metarag: {plain_lines(message)}\n")
        sys.stderr.flush()


def _flushed(code: int) -> int:
    """Return the exit code once both streams are out; what cannot be written anywhere is let go."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)
    except OSError as error:
        _tell(f"the output cannot be written: {error.strerror or error}")
        _drop(sys.stdout)
        code = code or FAILED
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)
    return code


def _drop(stream: TextIO) -> None:
    """Lead a stream into nothing: Python flushes once more at its end, and would complain there."""
    with suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
