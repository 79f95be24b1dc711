"""Do what the README's quick start says, as a newcomer would: `make run`, open the link, write two messages."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

PAGE = "http://127.0.0.1:8642"
LINK = re.compile(r"http://127\.0\.0\.1:8642/enter\?with=[\w.=-]+")
BROWSER = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
START_SECONDS = 600  # installing is the larger part
REPLY_SECONDS = 120
STOP_SECONDS = 60


def call(path: str, body: dict[str, Any] | None = None) -> Any:
    """One request of the page's own script."""
    request = urllib.request.Request(
        PAGE + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Origin": PAGE},
    )
    with BROWSER.open(request, timeout=10) as answer:
        return json.load(answer)


class Terminal:
    """What a service shows to the person who started it."""

    def __init__(self) -> None:
        self._master, self.end = os.openpty()
        self._shown = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while shown := os.read(self._master, 4096):
                text = shown.decode(errors="replace")
                self._shown += text
                sys.stdout.write(text)

    def link(self) -> str:
        """The link to the page, once it was shown."""
        match = LINK.search(self._shown)
        return match.group() if match else ""


def wait_for(what: str, seconds: float, look: Any) -> Any:
    """Look until there is something, or say what did not come."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            if found := look():
                return found
        time.sleep(0.2)
    sys.exit(f"quick start: {what} did not come within {seconds:g} s")


def replies(conversation: str) -> list[dict[str, Any]]:
    """The replies of a conversation, oldest first."""
    posts = call(f"/api/conversations/{conversation}")["posts"]
    return [post for post in posts if post["kind"] == "reply"]


def gone() -> bool:
    """Whether nothing listens on the page's address any more."""
    with contextlib.suppress(urllib.error.URLError, ConnectionError):
        urllib.request.urlopen(PAGE, timeout=2).close()
        return False
    return True


def main(clone: Path) -> None:
    """Start, talk, stop."""
    started = time.monotonic()
    terminal = Terminal()
    service = subprocess.Popen(
        ["make", "run"], cwd=clone, start_new_session=True, stdout=terminal.end, stderr=terminal.end
    )
    try:
        link = wait_for("the link to the page", START_SECONDS, terminal.link)
        assert BROWSER.open(link, timeout=10).status == 200
        print(f"quick start: page after {time.monotonic() - started:.1f} s")
        call("/api/conversations/english/messages", {"id": "first", "text": "Refactor these 3 files"})
        first = wait_for("the first enforced reply", REPLY_SECONDS, lambda: replies("english"))[0]
        print(f"quick start: first reply after {time.monotonic() - started:.1f} s, by {first['display_name']}")
        call("/api/conversations/korean/messages", {"id": "second", "text": "안녕하세요, 무엇을 할 수 있나요?"})
        korean = wait_for("the Korean reply", REPLY_SECONDS, lambda: replies("korean"))[0]
        assert any("가" <= letter <= "힣" for letter in korean["text"]), korean["text"]
        story = wait_for("the whole story", REPLY_SECONDS, lambda: (r := replies("english")) and len(r) >= 5 and r)
        assert [reply["persona"] for reply in story] == ["lead", "developer", "lead", "reviewer", "lead"], story
        assert "8 tests, OK" in story[-1]["text"], story[-1]["text"]
        turns = call("/api/conversations/english")["turns"]
        sent_back = [turn["persona"] for turn in turns if len(turn["attempts"]) > 1]
        assert sent_back == ["developer", "reviewer"], sent_back
        print(f"quick start: the story ended after {time.monotonic() - started:.1f} s; sent back once: {sent_back}")
    finally:
        os.killpg(service.pid, signal.SIGTERM)
        service.wait(timeout=60)
    wait_for("the end of the service", STOP_SECONDS, gone)
    print("quick start: stopped")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
