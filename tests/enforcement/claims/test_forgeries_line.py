"""The line of facts under a reply tells what its record shows, whatever the reply says."""

from typing import Any

import pytest

from tests.enforcement.claims.test_forged_evidence import bash, judged

Call = dict[str, Any]


@pytest.mark.parametrize(
    ("command", "output", "only_looked"),
    [
        ("git diff main -- src; grep -rn total src", "x", True),
        ("sort log.txt | uniq -c | sort -rn | head", "3 a", True),
        ("git rm -q --cached load.py; git status --short", "D  load.py", False),
        ("find . -name '*.pyc' -delete", "", False),
        ("git branch -D old", "Deleted branch old", False),
        ("ls | xargs rm", "", False),
        ("if", "", False),
    ],
)
def test_the_line_says_that_a_turn_only_looked_where_that_is_sure(command: str, output: str, only_looked: bool) -> None:
    assert ("only looked" in judged("Here is what I see.", bash(command, output))["record_line"]) is only_looked


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ((bash("docker compose ps", "docker: unknown command", exit_status=1),), "docker compose failed"),
        (
            (bash("make asan 2>&1 | head -3", "==1==ERROR: AddressSanitizer: heap-buffer-overflow"),),
            "make asan printed",
        ),
        ((bash("make check", "t.c:8:9: warning: unused variable\nok"),), "compiler warnings were printed"),
        ((bash("make check", "t.c:8:9: warning: x"), bash("make check", "ok", at=2.0)), "make check passed"),
    ],
)
def test_the_line_tells_what_failed_and_what_was_warned_of(record: tuple[Call, ...], words: str) -> None:
    line = judged("The stack is up, no warnings.", *record)["record_line"]
    assert words in line
    assert ("warnings" in words) == ("warnings" in line)
