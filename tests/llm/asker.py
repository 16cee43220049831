"""Asks a number of questions of a server, in a process of its own that a test can kill."""

import asyncio
import sys
from pathlib import Path

from synthagent.llm import Message, ask
from tests.llm.shapes import opened, settings
from tests.llm.test_client import Word


async def main(url: str, store: Path, count: int) -> None:
    async with opened(settings(url), store) as client:

        async def one(number: int) -> None:
            messages = (Message("user", f"Question {number}"),)
            await ask(client, item=f"item-{number}", stage="collect", messages=messages, reply=Word)

        await asyncio.gather(*(one(number) for number in range(count)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
