"""MCP: the server ``metarag-mcp`` with the tool ``rank_evidence``; mcp 1.x and 2.x."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from metarag.adapters.extras import needs
from metarag.adapters.tools import RankedDocuments, rank_evidence
from metarag.errors import MetaragError, MissingExtraError

_INSTRUCTIONS = (
    "Ranks texts of medical articles by how far they can be trusted for a clinical question. Nothing leaves this"
    " machine. It appraises evidence; it gives no medical advice."
)


def make_server() -> Any:
    """Return the server, of the class that the installed mcp has.

    Raises
    ------
    MissingExtraError
        mcp is not installed.
    """
    with needs("mcp"):
        types = import_module("mcp.types")
    server_type, tool_error = _classes()
    server = server_type("metarag", instructions=_INSTRUCTIONS)
    hints = types.ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)

    def rank(question: str, documents: list[str], top_n: int | None = None) -> RankedDocuments:
        try:
            return rank_evidence(question, documents, top_n)
        except (MetaragError, ValueError) as error:
            raise tool_error(str(error)) from error

    described = (rank_evidence.__doc__ or "").split("\n\n")[0]
    server.tool(name="rank_evidence", description=described, annotations=hints, structured_output=True)(rank)
    return server


def main() -> None:
    """Serve over standard input and output, as MCP clients start it."""
    make_server().run(transport="stdio")


def _classes() -> tuple[Any, Any]:
    """Return the server's class and the error whose message reaches the model; both moved in mcp 2."""
    for server, name, errors in (
        ("mcp.server.mcpserver", "MCPServer", "mcp.server.mcpserver.exceptions"),
        ("mcp.server.fastmcp", "FastMCP", "mcp.server.fastmcp.exceptions"),
    ):
        try:
            return getattr(import_module(server), name), import_module(errors).ToolError
        except ModuleNotFoundError:
            continue
    raise MissingExtraError("metarag-mcp", "mcp")
