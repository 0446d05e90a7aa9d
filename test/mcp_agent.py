"""An agent of another implementation: the SDK for Python. Prints what it asked and was told, one JSON object a line."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def talk(client: Client, server: str) -> None:
    async def call(name: str, **given: object) -> dict:
        result = await client.call_tool(name, given)
        print(json.dumps({"server": server, "tool": name, "given": given, "text": result.content[0].text}))
        assert not result.is_error, result
        return result.structured_content

    tools = (await client.list_tools()).tools
    print(json.dumps({"server": server, "tools": [tool.name for tool in tools]}))
    job = await call("collect", topic="dark mode", platforms=["github"], maxCredits=1, idempotencyKey=server)
    while job["status"] not in ("completed", "failed"):
        await asyncio.sleep(0.5)
        job = await call("collect", jobId=job["jobId"])
    found = await call("search", query="request", limit=2)
    assert job["status"] == "completed" and found["results"], (job, found)
    await call("wish", wishId=found["results"][0]["wishId"])


async def main(url: str, key: str, command: list[str]) -> None:
    for mode in ("legacy", "auto"):
        async with create_mcp_http_client(headers={"authorization": f"Bearer {key}"}) as http:
            async with Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client:
                await talk(client, f"http {mode}")
        environment = {**os.environ, "WISHWELL_URL": url, "WISHWELL_API_KEY": key}
        program = StdioServerParameters(command=command[0], args=command[1:], env=environment)
        async with Client(program, mode=mode) as client:
            await talk(client, f"stdio {mode}")


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
