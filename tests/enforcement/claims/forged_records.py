"""Words and calls that the tests of forgeries start from."""

from typing import Any

from tests.enforcement.claims.test_forged_evidence import judged

Call = dict[str, Any]
FAILED = "3 failed, 625 passed in 2.10s"
GREEN = "628 passed in 1.20s"
ALL_PASS = ("All 628 tests pass.", "테스트 628개 모두 통과했습니다.")
SUITE_PASSES = ("The test suite passes.", "테스트가 모두 통과합니다.")


def read(path: str, output: str = "def half(n): ...", at: float = 1.0) -> Call:
    """A call that reads a file."""
    return {"tool": "Read", "input": {"file_path": f"/workspace/{path}"}, "output": output, "at": at, "agent": "dev"}


def kinds_confirmed(text: str, *record: Call, **more: Any) -> set[str]:
    """The kinds of claims that are confirmed."""
    return {claim["kind"] for claim in judged(text, *record, **more)["claims"] if claim["state"] == "confirmed"}
