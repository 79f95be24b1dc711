"""What agents declare: by the arguments of a tool, or by a block of their reply."""

import pytest

from mama_bot.declarations import ReportTools, with_declaration
from mama_bot.model import ClaimKind, Declaration, DeclaredOutcome, DeclaredVerdict, Draft, Misdeclared, TurnId

TESTS = DeclaredOutcome(kind=ClaimKind.TESTS, tool="pytest", passed=45)


def draft(text: str) -> Draft:
    return with_declaration(Draft(turn_id=TurnId("1"), attempt=0, text=text))


@pytest.mark.parametrize(
    "block",
    [
        '{"outcomes": [{"kind": "tests", "tool": "pytest", "passed": 45}]}',
        '[{"kind": "tests", "tool": "pytest", "passed": 45}]',
        "outcomes:\n- kind: tests\n  tool: pytest\n  passed: 45",
        "- {kind: tests, tool: pytest, passed: 45}",
    ],
)
def test_a_block_declares_and_is_no_part_of_the_reply(block: str) -> None:
    read = draft(f"`calc.py` divides.\n\n```report\n{block}\n```\n")
    assert read.text == "`calc.py` divides."
    assert read.declaration == Declaration(outcomes=(TESTS,))
    assert not read.misdeclared


def test_the_last_block_counts() -> None:
    read = draft(
        "테스트를 고쳤습니다.\n```report\n- {kind: tests, passed: 1}\n```\n그리고\n```report\n- {kind: lint}\n```"
    )
    assert read.text == "테스트를 고쳤습니다.\n그리고"
    assert read.declaration == Declaration(outcomes=(DeclaredOutcome(kind=ClaimKind.LINT),))


def test_a_reply_of_a_block_alone_is_posted_as_a_list() -> None:
    read = draft(
        '```report\n{"outcomes": [{"kind": "tests", "tool": "pytest", "passed": 45}], "summary": "Mended."}\n```'
    )
    assert read.text == "Mended.\n- tests: pytest, 45 passed"


def test_a_block_may_submit_a_review() -> None:
    read = draft("Verdict: REJECT\n```report\nverdict: reject\nfindings:\n- calc.py:1 divides by zero\n```")
    assert read.declaration == Declaration(verdict=DeclaredVerdict.REJECT, findings=("calc.py:1 divides by zero",))


def test_a_hash_of_digits_stays_a_hash() -> None:
    read = draft("Committed.\n```report\n- {kind: committed, commit: 0123456}\n```")
    assert read.declaration is not None
    assert read.declaration.outcomes[0].commit == "0123456"


@pytest.mark.parametrize(
    "block",
    ["tests passed", "{", "[[[[[", "a: &a [1]\nb: [*a, *a]", "[" * 30_000, "outcomes: 45 passed", "- kind: tests\n- 3"],
)
def test_a_block_that_cannot_be_read_says_so(block: str) -> None:
    read = draft(f"Mended.\n```report\n{block}\n```")
    assert read.text == "Mended."
    assert read.declaration is None
    assert read.misdeclared.endswith(".")


@pytest.mark.parametrize("text", ["See the report.", "```\nreport\n```", "```python\nreport = 1\n```", "`report`"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert draft(text).text == text
    assert draft(text).declaration is None


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        ({"kind": "test"}, 'outcomes[0].kind is "test". Did you mean "tests"?'),
        ({"kind": "tests", "pased": 1}, 'outcomes[0].pased is not known. Did you mean "passed"?'),
        ({"kind": "tests", "passed": "many"}, "outcomes[0].passed has to be a whole number, or true or false."),
        ({"kind": "tests", "passed": -1}, "outcomes[0].passed has to be a whole number, or true or false."),
        (
            {"kind": "committed", "commit": "main"},
            "outcomes[0].commit has to be a hash of at least 7 hexadecimal digits.",
        ),
        ({"kind": "created"}, "outcomes[0]: an outcome of kind created names its files."),
        ({"kind": "ran"}, "outcomes[0]: an outcome of kind ran names its command or its files."),
        ({"tool": "pytest"}, "outcomes[0].kind is missing."),
        (
            "45 passed",
            'outcomes[0] has to be an object, for example {"kind": "tests", "tool": "pytest", "passed": 45}.',
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence(outcome: object, problem: str) -> None:
    assert ReportTools().read("report", {"outcomes": [outcome]}) == Misdeclared(problem=problem)


def test_a_verdict_is_one_of_two() -> None:
    read = ReportTools().read("submit_review", {"verdict": "aprove"})
    assert read == Misdeclared(problem='verdict is "aprove". Did you mean "approve"?')
    assert ReportTools().read("submit_review", {"verdict": "APPROVE"}) == Declaration(verdict=DeclaredVerdict.APPROVE)


@pytest.mark.parametrize(
    ("figures", "fails"), [({"passed": True}, False), ({"passed": False}, True), ({"failed": 2}, True)]
)
def test_a_check_may_be_told_without_figures(figures: dict[str, object], fails: bool) -> None:
    read = ReportTools().read("report", {"outcomes": [{"kind": "lint", "tool": "ruff", **figures}]})
    assert isinstance(read, Declaration)
    assert (read.outcomes[0].passed, read.outcomes[0].fails) == (None, fails)
