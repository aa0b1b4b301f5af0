"""Commands in which no option silently takes the place of the same option before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand


class OnceCommand(TyperCommand):
    """A command that refuses an option that is given twice where only one of the values would count.

    A switch without an opposite (``--json``) may stand twice, because nothing is lost by it.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; one that asks for help gets it whatever else it says."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        if not ctx.resilient_parsing and not any(param.is_eager for param in given):
            for option, times in Counter(map(_single, given)).items():
                if option and times > 1:
                    ctx.fail(f"{option} is given {times} times, and only one could count; give it once")
        return super().parse_args(ctx, args)


class Commands(typer.Typer):
    """A group whose commands are all of that kind."""

    def command(self, name: str | None = None, **options: Any) -> Callable[..., Any]:
        """Register a command, as typer does."""
        return super().command(name, **({"cls": OnceCommand} | options))


def _single(param: Any) -> str | None:
    """Return the name of an option that has one value, or an opposite; ``None`` for anything else."""
    if param.param_type_name != "option" or param.multiple or (param.is_flag and not param.secondary_opts):
        return None
    return "/".join([*param.opts, *param.secondary_opts])
