"""A server on `fastmcp` 4: `fast.py` speaks stdio, `fast.py PORT` HTTP."""
import sys

from fastmcp import Context, FastMCP

server = FastMCP("fast")


@server.tool
def add(a: int, b: int) -> int:
    return a + b


@server.tool
async def steps(ctx: Context) -> str:
    for step in range(3):
        await ctx.report_progress(step + 1, 3, "step")
    return "done"


@server.tool
async def greet(ctx: Context) -> str:
    answer = await ctx.elicit("Your name?", response_type=str)
    return "Hello, " + answer.data if answer.action == "accept" else "Hello, whoever"


@server.resource("demo://motd")
def motd() -> str:
    return "Be plain."


@server.prompt
def review(code: str) -> str:
    return "Review " + code


if sys.argv[1:]:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
