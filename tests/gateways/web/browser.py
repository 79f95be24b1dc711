"""A headless Chromium for the tests of the page."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.gateways.web.harness import KEY

# A browser lives as long as its event loop, so the tests that share one share the other.
ONE_LOOP = pytest.mark.asyncio(loop_scope="session")
SECONDS = 120
expect.set_options(timeout=SECONDS * 1000)  # how long anything takes is no test of ours

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str:
    """Where Chromium is; skips the test without one, unless REQUIRE_BROWSER=1 (then it fails)."""
    path = os.environ.get("TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path and Path(path).exists():
        return path
    reason = "no Chromium was found: install it, or set TEST_CHROMIUM to its path"
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@asynccontextmanager
async def browse() -> AsyncIterator[Browser]:
    """A browser that ends with the block."""
    path = chromium_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_page(browser: Browser, url: str, key: str = KEY, /, **options: object) -> AsyncIterator[Page]:
    """A page in a profile of its own, signed in where there is a key.

    Every error of its script, every request elsewhere and whatever is not found fails the test.
    """
    context = await browser.new_context(**options)  # type: ignore[arg-type] # playwright's options are plain keywords
    page = await context.new_page()
    origin = "/".join(url.split("/")[:3])
    errors: list[str] = []
    requests: list[str] = []
    missing: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda line: missing.append(f"{line.text} {line.location}") if " 404 " in line.text else None)
    try:
        if key:
            await context.request.post(f"{origin}/api/session", data={"key": key})
        await page.goto(url)
        yield page
    finally:
        await context.close()
    assert errors == []
    assert missing == []
    assert [request for request in requests if not request.startswith((origin + "/", "data:"))] == []
