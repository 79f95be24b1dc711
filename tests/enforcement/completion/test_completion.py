"""What a reply says is finished: clauses, checklists, and what bears a claim out."""

import os
import subprocess
import sys

import pytest

from mama_bot.enforcement.completion.checklist import checklist
from mama_bot.enforcement.completion.completions import ItemState, completion
from mama_bot.enforcement.completion.marks import expanded
from mama_bot.enforcement.completion.questions import goes_on_with_work, is_asking
from mama_bot.enforcement.completion.statements import ClauseStanding, clauses
from mama_bot.model import ToolRecord
from mama_bot.text.paths import plain_text
from tests.enforcement.examples import delegation, wrote

ENGLISH = "- Create src/auth.py\n- Write tests\n- Run npm test"
KOREAN = "- 버그 수정\n- 문서 갱신\n- 테스트 작성"
STATES = {"+": ItemState.DONE, "-": ItemState.DENIED, "?": ItemState.OPEN}


def states(reply: str, asked: str) -> str:
    signs = {state: sign for sign, state in STATES.items()}
    return "".join(signs[state] for _, state in completion(reply, asked).items)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Created src/auth.py. Tests written. Ran npm test: 12 passed.", "+++"),
        ("TASK_COMPLETE", "+++"),
        ("All items are done.", "+++"),
        ("Done!", "+++"),
        ("All three items are complete.", "+++"),
        ("Implementation complete.", "+++"),
        ("- [x] Create src/auth.py\n- [ ] Write tests\n- [x] Run npm test", "+-+"),
        ("✅ src/auth.py\n❌ tests\n✅ npm test", "+-+"),
        ("| src/auth.py | ✅ |\n| tests | pending |", "+-?"),
        ("## Done\n- src/auth.py\n- npm test\n\n## Not done\n- tests", "+-+"),
        ("Created src/auth.py and ran npm test. Tests: abandoned.", "+-+"),
        ("All done. Except: tests are still missing.", "+-+"),
        ("Created src/auth.py, tests written, npm test not yet.", "++-"),
        ("Wrote tests and ran npm test: 12 passed, 0 failed. Remaining: none.", "?++"),
        ("npm test: 3 failed.", "??-"),
        ("Fixed the failing tests in src/auth.py", "++?"),
        ("I will create src/auth.py and write tests once the plan is approved.", "???"),
        ("If tests are done, I run npm test.", "???"),
        ("Are the tests done?", "???"),
        ("I could not finish src/auth.py because the build is broken.", "-??"),
        ("Created src/utils.py.", "???"),
        ("> - Write tests: done", "???"),
        ("```\nWrote tests: done\n```", "???"),
        ("I looked around.", "???"),
        ("Nothing was done.", "???"),
    ],
)
def test_an_english_reply(reply: str, expected: str) -> None:
    assert states(reply, ENGLISH) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("버그를 고쳤습니다. 문서는 아직입니다.", "+-?"),
        ("버그 수정 완료, 문서 갱신 완료, 테스트는 보류", "++-"),
        ("버그를 수정했고 문서도 갱신했지만 테스트는 작성하지 못했습니다.", "++-"),
        ("버그를 수정하겠습니다.", "???"),
        ("완료했습니다.", "+++"),
        ("모두 완료했습니다.", "+++"),
        ("세 가지 항목을 모두 완료했습니다.", "+++"),
        ("구현을 완료했습니다.", "+++"),
        ("완료하지 못했습니다.", "???"),
        ("버그 수정이 완료되면 알려드리겠습니다.", "???"),
        ("버그를 수정해 두었습니다.", "+??"),
        ("모든 작업을 완료했습니다. 남은 작업은 없습니다.", "+++"),
        ("테스트를 추가했습니다. 문서 갱신은 다음 단계에서 진행할 예정입니다.", "?-+"),
        ("버그 수정은 끝났고, 문서와 테스트는 건너뛰었습니다.", "+--"),
        ("버그: DONE\n문서: TODO\n테스트: 진행 중", "+--"),
        ("완료:\n- 버그\n- 문서\n\n남은 일:\n- 테스트", "++-"),
    ],
)
def test_a_korean_reply(reply: str, expected: str) -> None:
    assert states(reply, KOREAN) == expected


@pytest.mark.parametrize(
    ("reply", "asked", "expected"),
    [
        ("Everything is done except the README update.", "- Fix login\n- README update", "+-"),
        ("All done apart from the README.", "- Fix login\n- README update", "+-"),
        ("Except for the README, everything is done.", "- Fix login\n- README update", "+-"),
        ("README를 제외하고 모두 완료했습니다.", "- 로그인 수정\n- README 갱신", "+-"),
        ("모두 완료했습니다. README만 빼고요.", "- 로그인 수정\n- README 갱신", "+-"),
        ("Besides the login I also updated the README.", "- Fix login\n- README update", "++"),
        ("로그인 외에 README도 갱신했습니다.", "- 로그인 수정\n- README 갱신", "++"),
        ("The reviewer said everything is done, which is false.", ENGLISH, "???"),
        ("리뷰어가 모두 완료했다고 합니다.", KOREAN, "???"),
        ("네, 다 했습니다.", KOREAN, "+++"),
        ("버그 고침", KOREAN, "+??"),
        ("새로고침 버튼을 보았습니다. 버그가 있습니다.", KOREAN, "???"),
        ("둘 다 정리했습니다.", "- 버그 수정\n- 문서 갱신", "++"),
    ],
)
def test_what_is_taken_out_is_open_and_the_rest_is_done(reply: str, asked: str, expected: str) -> None:
    assert states(reply, asked) == expected


@pytest.mark.parametrize(
    ("reply", "asked", "expected"),
    [
        ("Unit tests no longer fail; all 12 pass.", "- Unit tests pass", "+"),
        ("Unit tests no longer pass.", "- Unit tests pass", "-"),
        ("Previously the unit tests were failing; fixed.", "- Unit tests", "+"),
        ("Fixed: the login endpoint did not validate input.", "- Fix the login endpoint", "+"),
        ("All done. I did not change the login endpoint's URL.", "- Fix the login endpoint", "+"),
        ("I could not reproduce the flaky unit tests, they all pass now.", "- Unit tests", "+"),
        ("No errors in the build: done.", "- No errors in the build", "+"),
        ("Users cannot delete others' posts now.", "- Users cannot delete others' posts", "+"),
        ("- Users cannot delete others' posts: not done", "- Users cannot delete others' posts", "-"),
        ("토큰은 더는 로그에 남지 않습니다. 수정 완료.", "- 토큰이 로그에 남지 않는다", "+"),
        ("login endpoint 구현 완료 (테스트는 아직)", "- login endpoint 구현\n- 테스트 작성", "+-"),
        ("The login endpoint does not work.", "- Fix the login endpoint", "-"),
        ("I did not write the tests.", "- Write tests", "-"),
        ("I haven't written the tests.", "- Write tests", "-"),
        ("I wrote no tests.", "- Write tests", "-"),
        ("I fixed the login endpoint and changed no other file.", "- Fix the login endpoint", "+"),
    ],
)
def test_only_what_says_so_is_denied(reply: str, asked: str, expected: str) -> None:
    assert states(reply, asked) == expected


def test_the_same_items_are_ticked_whatever_the_hash_of_their_words() -> None:
    names = [f"Fix {first} {second}" for first in ("red", "green", "blue", "grey") for second in ("a", "b", "c", "d")]
    program = (
        "from mama_bot.enforcement.completion.completions import completion\n"
        f"found = completion('Fixed red green blue grey.', {chr(10).join(f'- {name}' for name in names)!r})\n"
        "print([state.value for _, state in found.items])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(1, 5)
    }
    assert len(outputs) == 1


def test_not_done_wins_over_a_file_that_was_written() -> None:
    (item,) = completion("src/auth.py is not done yet.", "- src/auth.py", wrote("src/auth.py")).items
    assert item[1] is ItemState.DENIED


def test_files_of_the_record_and_of_git_tick() -> None:
    asked = "- src/auth.py exists\n- Add tests/test_auth.py and tests/test_b.py"
    seen = completion(
        "See the diff.", asked, wrote("/repository/src/auth.py"), changed=frozenset({"tests/test_auth.py"})
    )
    assert [state for _, state in seen.items] == [ItemState.DONE, ItemState.OPEN]
    both = completion("See.", asked, changed=frozenset({"tests/test_auth.py", "tests/test_b.py"}))
    assert [state for _, state in both.items] == [ItemState.OPEN, ItemState.DONE]


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ("- src/a.py", True),
        ("- `src/a.py`", True),
        ("- Create src/a.py with two functions", True),
        ("- src/a.py 작성", True),
        ("- src/a.py를 새로 만든다", True),
        ("- src/a.py covers a wrong token", False),
        ("- Fix the race in src/a.py", False),
        ("- src/a.py의 오류 수정", False),
        ("- /home/kim/repo/src/a.py exists", True),
        ("- ~/repo/src/a.py exists", True),
        ("- C:\\repo\\src\\a.py exists", True),
        ("- /home/kim/repo/other/a.py exists", False),
    ],
)
def test_a_file_ticks_only_what_asks_for_it(asked: str, *, done: bool) -> None:
    ((_, state),) = completion("See the diff.", asked, changed=frozenset({"src/a.py"})).items
    assert state is (ItemState.DONE if done else ItemState.OPEN)
    ((_, recorded),) = completion("See the diff.", asked, wrote("src/a.py")).items
    assert recorded is state


def test_an_item_with_two_files_needs_both() -> None:
    assert states("Created a.py.", "- a.py and b.py exist") == "?"
    assert states("Created a.py. Wrote b.py.", "- a.py and b.py exist") == "+"


def test_what_was_done_before_stays_done_until_it_is_denied() -> None:
    before = frozenset({"write tests"})
    assert [s for _, s in completion("ok", ENGLISH, done_before=before).items][1] is ItemState.DONE
    assert [s for _, s in completion("Tests: reverted, not done.", ENGLISH, done_before=before).items][1] is (
        ItemState.DENIED
    )


@pytest.mark.parametrize(
    ("reply", "record", "claimed", "supported"),
    [
        ("Done.", None, True, False),
        ("완료했습니다.", None, True, False),
        ("구현을 마쳤습니다.", None, True, False),
        ("Fixed `src/auth.py`.", None, True, True),
        ("로그인을 고쳤습니다. pytest: 12개 통과", None, True, True),
        ("Implemented it, 45 passed in 3.2s", None, True, True),
        ("Done.", wrote("a.py"), True, True),
        ("Done.", wrote("a.py", ok=False), True, False),
        ("Done.", wrote("a.py", tool="Read"), True, False),
        ("Done.", wrote(tool="Bash"), True, True),
        ("Which file is it?", None, False, False),
        ("아직 완료하지 못했습니다.", None, False, False),
        ("I will finish it tomorrow.", None, False, False),
    ],
)
def test_a_claim_and_what_bears_it_out(
    reply: str, record: ToolRecord | None, *, claimed: bool, supported: bool
) -> None:
    reading = completion(reply, "", record)
    assert (reading.claimed, reading.supported) == (claimed, supported)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- one\n- two", ["one", "two"]),
        ("1. one\n2) two", ["one", "two"]),
        ("- [ ] one\n- [x] two", ["one", "two"]),
        ("- Tests:\n  - unit\n  - e2e for login\n- Docs", ["Tests: unit", "e2e for login", "Docs"]),
        ("EXPECTED OUTCOME:\n* one\n• two", ["one", "two"]),
        ("TASK: x\nEXPECTED OUTCOME:\n- a\n- b\nMUST NOT DO: c", ["a", "b"]),
        ("EXPECTED OUTCOME: src/a.py exists\nCONTEXT: none", ["src/a.py exists"]),
        ("기대 결과:\n- 버그 수정\n- 테스트 작성", ["버그 수정", "테스트 작성"]),
        ("① 버그\n② 문서", ["버그", "문서"]),
        ("① 버그 ② 문서 ③ 테스트", ["버그", "문서", "테스트"]),
        ("단계 ①과 ②의 결과", ["단계 - 과 - 의 결과"]),
        ("가. 버그\n나. 문서", ["버그", "문서"]),
        ("Create a.py and write tests", ["Create a.py", "write tests"]),
        ("read and write access works", ["read and write access works"]),
        ("버그 수정 및 문서 갱신", ["버그 수정", "문서 갱신"]),
        ("버그를 수정하고 문서를 갱신한다", ["버그를 수정하고", "문서를 갱신한다"]),
        ("one thing only", ["one thing only"]),
        ("Some words before\n- one", ["one"]),
        ("```\n- code\n```\n- one", ["one"]),
        ("", []),
    ],
)
def test_the_checklist_of_an_outcome(text: str, items: list[str]) -> None:
    assert [item.text for item in checklist(text)] == items


@pytest.mark.parametrize(
    "text",
    [
        "Which branch should I use?",
        "Done. Should I also update the docs? Thanks.",
        "Two ways are possible: A or B. Let me know which one.",
        "Which do you prefer?\n\n- A\n- B",
        "A와 B 중 어느 쪽인지 알려 주세요.",
        "어떻게 할까요",
        "문서도 고칠까요?\n\n(버그는 고쳤습니다.)",
        "이대로 진행해도 되는지 확인 부탁드립니다.",
        "Open questions:\n- Which branch?\n- Which port?",
        "문의 주신 건은 어느 쪽으로 할지 알려 주세요.",
        "README를 고칠까요?",
    ],
)
def test_a_reply_that_asks(text: str) -> None:
    assert is_asking(plain_text(text))


@pytest.mark.parametrize(
    "text",
    [
        "I looked around.",
        "문서를 갱신했습니다.",
        "Why did it fail? " + "\n".join(f"{number}. because" for number in range(9)),
        "`GET /a?b=c` is logged now.",
        "> Which branch?\n\n`main` holds it.",
        "Wrote the README. Let me know if you have any questions.",
        "Is it enough? I think so. It was read twice. It is done.",
        "Wrote the README. Is there anything else I can do?",
        "작성했습니다. 문의 사항 있으면 알려주세요.",
        "작성했습니다. 더 필요하신 게 있나요?",
        "작성했습니다. README를 확인해 주세요.",
        "테스트도 다 돌아가요.",
        "이제 오류가 안 나요",
        "It now returns a ? b : c for both.",
        "It may include more. You can insert rows.",
        "FAQ added:\n- What is it? A bot.\n- Who runs it? You do.",
        "Why did it fail? The token had expired.",
    ],
)
def test_a_reply_that_does_not_ask(text: str) -> None:
    assert not is_asking(plain_text(text))


@pytest.mark.parametrize(
    ("task", "expected_outcome", "goes_on"),
    [
        ("Go on", "", True),
        ("Finish it.", "", True),
        ("Do the rest, please", "", True),
        ("나머지도 마무리해 주세요", "", True),
        ("이어서 해 주세요", "", True),
        ("Which Python version does it use", "", False),
        ("How many lines does setup.cfg have, and what remains? Can you continue?", "", False),
        ("setup.cfg의 줄 수를 센다", "", False),
        ("Go on", "- a.py exists", False),
    ],
)
def test_only_a_task_that_says_so_goes_on_with_an_older_one(task: str, expected_outcome: str, *, goes_on: bool) -> None:
    assert goes_on_with_work(delegation(expected_outcome, task=task)) is goes_on


def test_alternatives_are_written_out() -> None:
    assert expanded("(a|b)c(d|)") == ["acd", "ac", "bcd", "bc"]
    assert expanded(r"\[x\]") == ["[x]"]


@pytest.mark.parametrize(
    ("text", "standings"),
    [
        ('"무엇을 확인했나요?"', []),
        ("`Is it done?`", []),
        ("- `@reviewer 변경을 봐 주세요. 모두 완료했나요?`", []),
        ("**(Is everything finished?)**", []),
        ("버그를 수정했습니다.", [ClauseStanding.DONE]),
        ("Done. The refactoring is complete.", [ClauseStanding.ALL_DONE, ClauseStanding.DONE]),
        ('"무엇을 확인했나요?"라는 질문에 답해 테스트를 완료했습니다.', [ClauseStanding.DONE]),
    ],
)
def test_a_question_in_quotation_marks_or_code_says_nothing_is_done(text: str, standings: list[ClauseStanding]) -> None:
    assert [clause.standing for clause in clauses(plain_text(text))] == standings
