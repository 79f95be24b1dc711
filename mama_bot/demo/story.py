"""The script of the demonstration: what the model says when there is no Claude login and no API key.

A person asks for a refactoring of three files; the lead delegates; the developer first answers with praise and filler,
is sent back, and then really changes the files; the reviewer first rubber-stamps, is sent back, and then really runs
the tests. Only the model's words are scripted: the CLI, its tools, the repository and the chain are the real ones, and
every figure in a reply is read from what a tool printed.
"""

import re
from dataclasses import replace

from mama_bot.demo import repository as demo_repository
from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.wording import has_hangul

SENT_BACK = "[SENT BACK"
RESULTS = "What came of your delegations:"
TESTS = "python3 -m unittest"
FILES = ("shop/prices.py", "shop/cart.py", "shop/report.py")

_RAN = re.compile(r"Ran (\d+) tests? in [\d.]+s")
_REFACTOR = re.compile(r"(?i)refactor|리팩토링|리팩터링")


def story(*, delay_seconds: float = 0.0) -> ModelScript:
    """Return the script; the model thinks for `delay_seconds` before each answer, so that a person can follow."""

    def script(request: ModelRequest) -> ModelReply:
        korean = any(has_hangul(text) for text in request.user_texts)
        role = {"developer": _developer, "reviewer": _reviewer}.get(request.persona, _lead)
        return replace(role(request, korean), delay_seconds=delay_seconds)

    return script


def _say(korean: bool, english_text: str, korean_text: str) -> ModelReply:
    return ModelReply(text=korean_text if korean else english_text)


def _bash(command: str, description: str) -> ToolUse:
    return ToolUse(name="Bash", arguments={"command": command, "description": description})


def _lead(request: ModelRequest, korean: bool) -> ModelReply:
    request_text = request.last_user_text
    if RESULTS in request_text:
        return _lead_after(request_text, korean)
    if _REFACTOR.search(request_text):
        if not request.tool_results:
            return ModelReply(tool_calls=(ToolUse(name="Grep", arguments={"pattern": "quantize", "path": "."}),))
        return _say(korean, _DELEGATION_EN, _DELEGATION_KO)
    return _say(korean, _ABOUT_EN, _ABOUT_KO)


def _lead_after(request_text: str, korean: bool) -> ModelReply:
    results = request_text[request_text.index(RESULTS) :]
    if "developer replies" in results:
        return _say(korean, _REVIEW_EN, _REVIEW_KO)
    if "reviewer replies" in results and "APPROVE" in results:
        count = _count(results)
        return _say(korean, _REPORT_EN.format(count=count), _REPORT_KO.format(count=count))
    return _say(
        korean,
        "The task is not finished: no result came back that passed. `git status` in the workspace shows what exists.",
        "작업이 끝나지 않았습니다: 검사를 통과한 결과가 없습니다. 작업 공간에서 `git status`로 현재 상태를 볼 수 있습니다.",
    )


def _developer(request: ModelRequest, korean: bool) -> ModelReply:
    if SENT_BACK not in request.last_user_text:
        return _say(
            korean,
            "Understood! What an excellent task, and such a clean architecture. I will apply an enterprise-grade "
            "refactoring right away!",
            "알겠습니다! 확인했습니다. 정말 훌륭한 구조입니다! 엔터프라이즈급 리팩토링을 바로 적용하겠습니다.",
        )
    done = len(request.tool_results)
    written = demo_repository.after()
    if done == 0:
        return ModelReply(tool_calls=tuple(ToolUse(name="Read", arguments={"file_path": path}) for path in FILES))
    if done == len(FILES):
        calls = tuple(
            ToolUse(name="Write", arguments={"file_path": path, "content": written[path]}) for path in written
        )
        return ModelReply(tool_calls=calls)
    if done == len(FILES) + len(written):
        return ModelReply(tool_calls=(_bash(f"{TESTS} 2>&1", "Run the tests"),))
    count = _count(request.tool_results[-1].text)
    return _say(korean, _CHANGED_EN.format(count=count), _CHANGED_KO.format(count=count))


def _reviewer(request: ModelRequest, korean: bool) -> ModelReply:
    if SENT_BACK not in request.last_user_text:
        return _say(
            korean,
            "Verdict: APPROVE\n\nThe separation of concerns follows the task, and the names say what they mean.",
            "Verdict: APPROVE\n\n책임이 과제대로 나뉘었고 이름이 뜻을 드러냅니다.",
        )
    done = len(request.tool_results)
    if done == 0:
        return ModelReply(tool_calls=(_bash("git status --short && git diff --stat", "See the change"),))
    if done == 1:
        return ModelReply(tool_calls=(_bash(f"{TESTS} 2>&1", "Run the tests"),))
    count = _count(request.tool_results[-1].text)
    changed = _changed(request.tool_results[0].text)
    return _say(
        korean,
        _APPROVAL_EN.format(count=count, changed=changed),
        _APPROVAL_KO.format(count=count, changed=changed),
    )


def _count(output: str) -> str:
    """Return how many tests ran, as pytest printed it or as a report repeats it."""
    match = _RAN.search(output) or re.search(r"(\d+) tests", output) or re.search(r"테스트 (\d+)개", output)
    return match.group(1) if match else "0"


def _changed(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if "changed" in line]
    return lines[-1] if lines else "no change shown by git diff"


_DELEGATION_EN = """\
`shop/prices.py`, `shop/cart.py` and `shop/report.py` each round and format amounts on their own (six calls of \
`quantize`). That belongs in one module.

DELEGATE::developer::Move rounding and formatting of amounts out of the three files into shop/money.py
EXPECTED OUTCOME:
- shop/money.py with `rounded` and `euros`
- shop/prices.py, shop/cart.py and shop/report.py use it
- `python3 -m unittest` passes
MUST NOT DO: change tests/test_shop.py
"""
_DELEGATION_KO = """\
`shop/prices.py`, `shop/cart.py`, `shop/report.py`가 각각 금액을 반올림하고 서식을 만듭니다(`quantize` 호출 6곳). 한 모듈로 모읍니다.

DELEGATE::developer::세 파일의 금액 반올림과 서식을 shop/money.py로 옮겨 주세요
EXPECTED OUTCOME:
- shop/money.py에 `rounded`와 `euros`
- shop/prices.py, shop/cart.py, shop/report.py가 그것을 사용
- `python3 -m unittest` 통과
MUST NOT DO: tests/test_shop.py 변경
"""
_CHANGED_EN = """\
Changed:
- `shop/money.py` (new): `rounded` and `euros`.
- `shop/prices.py`, `shop/cart.py`, `shop/report.py`: six `quantize` calls replaced by those two; `ROUND_HALF_UP` \
imports removed.

Ran: `python3 -m unittest`, exit status 0, {count} tests, OK.

Open: nothing.
"""
_CHANGED_KO = """\
변경:
- `shop/money.py`(새 파일): `rounded`, `euros`.
- `shop/prices.py`, `shop/cart.py`, `shop/report.py`: `quantize` 호출 6곳을 두 함수로 교체, `ROUND_HALF_UP` import 제거.

실행: `python3 -m unittest`, 종료 코드 0, 테스트 {count}개 통과.

남은 일: 없음.
"""
_REVIEW_EN = """\
The report names all four files of the EXPECTED OUTCOME. It has not been checked by anyone else yet.

DELEGATE::reviewer::Check the move of rounding and formatting into shop/money.py: behaviour unchanged, tests untouched
CONTEXT: changed are shop/money.py, shop/prices.py, shop/cart.py and shop/report.py; nothing is committed
"""
_REVIEW_KO = """\
보고서에 EXPECTED OUTCOME의 네 파일이 모두 있습니다. 아직 다른 사람이 확인하지 않았습니다.

DELEGATE::reviewer::반올림과 서식을 shop/money.py로 옮긴 변경을 확인해 주세요: 동작 불변, 테스트 불변
CONTEXT: 변경된 파일은 shop/money.py, shop/prices.py, shop/cart.py, shop/report.py이며 커밋하지 않았습니다
"""
_APPROVAL_EN = """\
Verdict: APPROVE

Evidence:
- `python3 -m unittest`: Ran {count} tests, OK (run here, exit status 0)
- `git diff --stat`: {changed}; `shop/money.py` is new, `tests/test_shop.py` is untouched

Findings: none. `sum(..., Decimal(0))` still starts from a Decimal, so an empty cart stays 0.00.
"""
_APPROVAL_KO = """\
Verdict: APPROVE

근거:
- `python3 -m unittest`: 테스트 {count}개 통과(직접 실행, 종료 코드 0)
- `git diff --stat`: {changed}; `shop/money.py`는 새 파일, `tests/test_shop.py`는 변경 없음

지적 사항: 없음. `sum(..., Decimal(0))`이 그대로 Decimal에서 시작하므로 빈 장바구니는 0.00을 유지합니다.
"""
_REPORT_EN = """\
The three files no longer round and format amounts themselves; `shop/money.py` does, with `rounded` and `euros`.

- Changed: `shop/money.py` (new), `shop/prices.py`, `shop/cart.py`, `shop/report.py`. `tests/test_shop.py` is untouched.
- Checked: developer and reviewer each ran `python3 -m unittest`: {count} tests, OK.
- Open: nothing is committed; `git diff` in the workspace shows the change.
"""
_REPORT_KO = """\
세 파일은 이제 금액을 직접 반올림하거나 서식을 만들지 않고, `shop/money.py`의 `rounded`와 `euros`를 씁니다.

- 변경: `shop/money.py`(새 파일), `shop/prices.py`, `shop/cart.py`, `shop/report.py`. `tests/test_shop.py`는 그대로입니다.
- 확인: developer와 reviewer가 각각 `python3 -m unittest`를 실행: 테스트 {count}개 통과.
- 남은 일: 커밋하지 않았습니다. 작업 공간에서 `git diff`로 변경을 볼 수 있습니다.
"""
_ABOUT_EN = """\
This answer comes from a script, since no Claude login or API key was found. The script knows one task: write \
"Refactor these 3 files", and the team changes a small real repository while the page shows each step.

To talk to a real model, set `ANTHROPIC_API_KEY` or log in with the `claude` CLI, and start again.
"""
_ABOUT_KO = """\
이 답변은 대본에서 나온 것입니다. Claude 로그인이나 API 키가 없어서입니다. 대본이 아는 과제는 하나입니다: \
"3개 파일을 리팩토링해 주세요"라고 쓰면 팀이 작은 실제 저장소를 고치고, 페이지가 각 단계를 보여 줍니다.

실제 모델을 쓰려면 `ANTHROPIC_API_KEY`를 설정하거나 `claude` CLI로 로그인한 뒤 다시 시작하세요.
"""
