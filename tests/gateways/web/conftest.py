"""The page as it is served, and one browser for all tests of a worker: to start one takes a second of a processor."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser

from tests.gateways.web.browser import browse
from tests.gateways.web.harness import Served, serve


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with browse() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served
