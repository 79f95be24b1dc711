"""TodoTracker: what ticks an item, and what does not."""

import pytest

from mama_bot.config import TodoTrackerSettings
from mama_bot.enforcement.language.checklist import checklist
from mama_bot.enforcement.todo_tracker import TodoTracker
from mama_bot.model import Allow, Amend, Decision, ToolRecord, Verdict
from tests.enforcement.examples import delegation, draft, turn, wrote

EXPECTED = "- Create src/auth.py\n- Write tests\n- Run npm test"


async def judged(text: str, expected: str = EXPECTED, record: ToolRecord | None = None, **settings: bool) -> Decision:
    tracker = TodoTracker(settings=TodoTrackerSettings.model_validate(settings))
    return await tracker.judge(draft(text, record=record), turn(delegated=delegation(expected)))


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- one\n- two", ["one", "two"]),
        ("1. one\n2) two", ["one", "two"]),
        ("- [ ] one\n- [x] two", ["one", "two"]),
        ("EXPECTED OUTCOME:\n* one\n• two", ["one", "two"]),
        ("기대 결과:\n- 버그 수정\n- 테스트 작성", ["버그 수정", "테스트 작성"]),
        ("one thing only", ["one thing only"]),
        ("Some words before\n- one", ["one"]),
        ("", []),
    ],
)
def test_the_checklist_of_an_outcome(text: str, items: list[str]) -> None:
    assert [item.text for item in checklist(text)] == items


@pytest.mark.parametrize(
    "text",
    [
        "Created src/auth.py. Tests written. Ran npm test: 12 passed.",
        "TASK_COMPLETE",
        "All items are done.",
        "DONE",
        "모두 완료했습니다.",
        "완료했습니다.",
        "- [x] Create src/auth.py\n- [x] Write tests\n- [x] Run npm test",
        "✅ src/auth.py\n✅ tests\n✅ npm test",
    ],
)
async def test_markers_tick(text: str) -> None:
    assert isinstance(await judged(text), Allow)


@pytest.mark.parametrize(
    "text",
    [
        "Created src/auth.py. The tests are not done yet. Ran npm test.",
        "Created src/auth.py and ran npm test. Tests: abandoned.",
        "src/auth.py 완료. npm test 실행 완료. tests는 아직 완료하지 못했습니다.",
        "All done. Except: tests are still missing.",
        "- [x] Create src/auth.py\n- [ ] Write tests\n- [x] Run npm test",
    ],
)
async def test_what_is_said_to_be_open_stays_open(text: str) -> None:
    decision = await judged(text)
    assert isinstance(decision, Amend)
    assert "Write tests" in decision.reminder
    assert "auth.py" not in decision.reminder


async def test_a_reminder_lists_what_is_open_and_changes_nothing_else() -> None:
    decision = await judged("I looked around.")
    assert isinstance(decision, Amend)
    assert (decision.banner, decision.verdict) == ("", Verdict.PASSED)
    assert "(3)" in decision.reminder
    assert "Create src/auth.py; Write tests; Run npm test" in decision.reminder


async def test_korean_replies_are_reminded_in_korean() -> None:
    decision = await judged("버그를 수정했습니다.", "- 버그 수정\n- 문서 갱신")
    assert isinstance(decision, Amend)
    assert "남은 항목(1): 문서 갱신" in decision.reminder


async def test_files_that_were_written_tick_the_items_that_name_them() -> None:
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("/somewhere/src/auth.py")), Allow)
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("src/auth.py", ok=False)), Amend)
    assert isinstance(await judged("See the diff.", "- Create src/auth.py", wrote("src/auth.py", tool="Read")), Amend)


async def test_a_question_is_not_answered_with_a_reminder() -> None:
    assert isinstance(await judged("Which branch should I use?"), Allow)


async def test_reminders_can_be_switched_off() -> None:
    assert isinstance(await judged("I looked around.", reminder=False), Allow)


async def test_without_a_delegation_nothing_is_tracked() -> None:
    tracker = TodoTracker(settings=TodoTrackerSettings())
    assert isinstance(await tracker.judge(draft("I looked around."), turn()), Allow)


async def test_ten_thousand_items_are_bounded() -> None:
    decision = await judged("nothing\n" * 10_000, "- item\n" * 10_000)
    assert isinstance(decision, Amend)
    assert len(decision.reminder) < 1000
