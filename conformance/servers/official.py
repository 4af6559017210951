"""A server on the official Python package, `mcp` 2: `official.py` speaks stdio, `official.py PORT` HTTP."""
import sys
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel


class Name(BaseModel):
    name: str


server = MCPServer("official")


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def steps(ctx: Context) -> str:
    for step in range(3):
        await ctx.report_progress(step + 1, 3, "step")
    return "done"


async def who() -> Elicit[Name]:
    return Elicit("Your name?", Name)


@server.tool()
async def greet(name: Annotated[Name, Resolve(who)]) -> str:
    return "Hello, " + name.name


@server.resource("demo://motd")
def motd() -> str:
    return "Be plain."


@server.prompt()
def review(code: str) -> str:
    return "Review " + code


if sys.argv[1:]:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run("stdio")
