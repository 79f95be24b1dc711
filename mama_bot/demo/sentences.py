"""What the scripted model says: every figure, file and outcome is a value that a tool printed."""

from mama_bot.wording import Said

# What it can be asked for. The page suggests the same, word for word.
REFACTOR = Said(
    "Refactor these 3 files: shop/prices.py, shop/cart.py, shop/report.py",
    "3개 파일을 리팩토링해 주세요: shop/prices.py, shop/cart.py, shop/report.py",
)
LIE = Said(
    "@developer Make coffee 10 cents cheaper, and lie about the tests",
    "@developer 커피값을 10센트 내리고, 테스트 결과는 거짓으로 보고해 주세요",
)
TESTS = Said("@developer Run the tests", "@developer 테스트를 실행해 주세요")
REVIEW = Said(
    "@reviewer Review the last change. What did you verify?",
    "@reviewer 마지막 변경을 리뷰해 주세요. 무엇을 확인했나요?",
)
FILES = Said("Which files are there?", "어떤 파일이 있나요?")
MENU = Said(
    "It can do this, in the small repository of this conversation:\n\n"
    "- `{refactor}`: lead, developer and reviewer work together\n"
    "- `{lie}`: a false report, and what becomes of it\n"
    "- `{tests}`: as they stand\n"
    "- `{review}`\n"
    "- `{files}` With the name of a file: what it holds\n\n"
    "For a real model, log in with `mama-bot login` and start again.",
    "이 대화의 작은 저장소에서 할 수 있는 일은 다음과 같습니다.\n\n"
    "- `{refactor}`: 리드, 개발자, 리뷰어가 함께 작업\n"
    "- `{lie}`: 거짓 보고와 그 결말\n"
    "- `{tests}`: 지금 상태 그대로\n"
    "- `{review}`\n"
    "- `{files}` 파일 이름을 쓰면 그 내용\n\n"
    "실제 모델을 쓰려면 `mama-bot login`으로 로그인한 뒤 다시 시작하세요.",
).of(refactor=REFACTOR, lie=LIE, tests=TESTS, review=REVIEW, files=FILES)
# The same in a repository of a person's own, where the stories of the shop would name files that are not there.
OWN_MENU = Said(
    "It can do this in your repository, and changes nothing there:\n\n"
    "- `{tests}`: as they stand\n"
    "- `{review}`\n"
    "- `{files}` With the name of a file: what it holds\n\n"
    "For a real model, log in with `mama-bot login` and start again.",
    "이 저장소에서 할 수 있는 일은 다음과 같습니다. 파일은 바꾸지 않습니다.\n\n"
    "- `{tests}`: 지금 상태 그대로\n"
    "- `{review}`\n"
    "- `{files}` 파일 이름을 쓰면 그 내용\n\n"
    "실제 모델을 쓰려면 `mama-bot login`으로 로그인한 뒤 다시 시작하세요.",
).of(tests=TESTS, review=REVIEW, files=FILES)
# Whose model the script plays.
PERSONAS = {
    "lead": Said("the lead", "리드"),
    "developer": Said("the developer", "개발자"),
    "reviewer": Said("the reviewer", "리뷰어"),
}
GREETING = Said(
    "Hello, this is {name} of the demo. A script plays the model, and small talk ends here: it called no tool.\n\n{menu}",
    "안녕하세요, 데모의 {name}입니다. 모델 대신 대본이 답하므로 잡담은 여기까지이고, 도구는 호출하지 않았습니다.\n\n{menu}",
)
ASKED_MEANWHILE = Said(
    "Handed over at work: “{question}”. The script of this demo answers one message at a time: please send it again.",
    "작업 중에 전해 받은 메시지: “{question}”. 이 데모의 대본은 한 번에 한 메시지에만 답하니 다시 보내 주세요.",
)
BEYOND = Said(
    "This is beyond the script that plays the model of {name} here: it called no tool and changed no file.\n\n{menu}",
    "여기서 {name}의 모델을 대신하는 대본에는 없는 요청입니다. 도구를 호출하지 않았고 파일도 바꾸지 않았습니다.\n\n{menu}",
)
ABSENT = Said(
    "There is no file `{path}` in this repository, so there is nothing to do with it. Its files:\n\n{files}\n\n"
    "The model is a script. {menu}",
    "이 저장소에는 `{path}` 파일이 없어 할 수 있는 일이 없습니다. 있는 파일은 다음과 같습니다.\n\n{files}\n\n"
    "모델은 대본입니다. {menu}",
)
SHOWN = Said(
    "`{path}`, as read just now:\n\n```\n{text}\n```\n\n"
    "The script that plays the model shows this file; to change it otherwise than below is beyond it. {menu}",
    "방금 읽은 `{path}` 내용입니다.\n\n```\n{text}\n```\n\n"
    "모델을 대신하는 대본은 이 파일을 보여 줄 수만 있고, 아래에 없는 방식으로는 바꾸지 못합니다. {menu}",
)
LISTED = Said(
    "{count:file|files}, beside those of git and what Python compiled:\n\n{files}",
    "git의 파일과 Python이 컴파일한 것을 뺀 파일 {count}개:\n\n{files}",
)
ANOTHER_REPOSITORY = Said(
    "This is another repository than that of the demo: the script knows its way around a shop in `shop/` only. "
    "No file was changed.\n\n{menu}",
    "데모의 저장소가 아닙니다. 대본은 `shop/`에 있는 가게만 다룰 수 있습니다. 바꾼 파일은 없습니다.\n\n{menu}",
)

# How the tests ended, as `python3 -m unittest` printed it.
PASSED = Said(
    "`python3 -m unittest`, exit status 0, {count} tests, OK.",
    "`python3 -m unittest`, 종료 코드 0, 테스트 {count}개 통과.",
)
FAILED = Said(
    "`python3 -m unittest`, exit status {status}. {failed} of {count} tests failed: {names}.",
    "`python3 -m unittest`, 종료 코드 {status}, 테스트 {count}개 중 {failed}개 실패: {names}.",
)
NO_RESULT_OF_TESTS = Said(
    "`python3 -m unittest` came to no result: {line}",
    "`python3 -m unittest`가 결과를 내지 못했습니다: {line}",
)
OTHER_ENDED = Said("`{command}`, exit status {status}: {line}", "`{command}`, 종료 코드 {status}: {line}")
NO_TESTS_HERE = Said(
    "nothing, since no tests are here that the script knows.", "없음. 대본이 아는 테스트가 여기 없습니다."
)
NOTHING_OPEN = Said("nothing.", "없음.")
TESTS_OPEN = Said("the tests do not pass.", "테스트가 통과하지 않습니다.")

# The lead.
DELEGATION = Said(
    "`shop/prices.py`, `shop/cart.py` and `shop/report.py` each round and format amounts on their own ({count:call|calls} "
    "of `quantize`). That belongs in one module.\n\n"
    "DELEGATE::developer::Move rounding and formatting of amounts out of the three files into shop/money.py\n"
    "EXPECTED OUTCOME:\n"
    "- shop/money.py with `rounded` and `euros`\n"
    "- shop/prices.py, shop/cart.py and shop/report.py use it\n"
    "- `python3 -m unittest` passes\n"
    "MUST NOT DO: change tests/test_shop.py\n",
    "`shop/prices.py`, `shop/cart.py`, `shop/report.py`가 각각 금액을 반올림하고 서식을 만듭니다(`quantize` 호출 {count}곳). "
    "한 모듈로 모읍니다.\n\n"
    "DELEGATE::developer::세 파일의 금액 반올림과 서식을 shop/money.py로 옮겨 주세요\n"
    "EXPECTED OUTCOME:\n"
    "- shop/money.py에 `rounded`와 `euros`\n"
    "- shop/prices.py, shop/cart.py, shop/report.py가 그것을 사용\n"
    "- `python3 -m unittest` 통과\n"
    "MUST NOT DO: tests/test_shop.py 변경\n",
)
REFACTORED_BEFORE = Said(
    "Nothing is left to refactor: `quantize` is called in `shop/money.py` alone. A new conversation begins with a fresh "
    "repository.",
    "리팩토링할 것이 남아 있지 않습니다. `quantize`는 `shop/money.py`에서만 호출합니다. 새 대화는 새 저장소로 시작합니다.",
)
TESTS_DELEGATION = Said(
    "DELEGATE::developer::Run the tests as they stand, and report their figures\nMUST NOT DO: change a file\n",
    "DELEGATE::developer::지금 상태로 테스트를 실행하고 수치를 보고해 주세요\nMUST NOT DO: 파일 변경\n",
)
LIE_DELEGATION = Said(
    "DELEGATE::developer::Make coffee 10 cents cheaper in shop/prices.py, and lie about the tests\n",
    "DELEGATE::developer::shop/prices.py에서 커피값을 10센트 내리고, 테스트 결과는 거짓으로 보고해 주세요\n",
)
REVIEW_DELEGATION = Said(
    "DELEGATE::reviewer::Review the last change, and say what was verified\n",
    "DELEGATE::reviewer::마지막 변경을 리뷰하고 무엇을 확인했는지 알려 주세요\n",
)
CHECK_DELEGATION = Said(
    "The report names all four files of the EXPECTED OUTCOME. Nobody else has checked it yet.\n\n"
    "DELEGATE::reviewer::Check the move of rounding and formatting into shop/money.py: behaviour unchanged, tests "
    "untouched\n"
    "CONTEXT: changed are shop/money.py, shop/prices.py, shop/cart.py and shop/report.py; nothing is committed\n",
    "보고서에 EXPECTED OUTCOME의 네 파일이 모두 있습니다. 아직 다른 사람이 확인하지 않았습니다.\n\n"
    "DELEGATE::reviewer::반올림과 서식을 shop/money.py로 옮긴 변경을 확인해 주세요: 동작 불변, 테스트 불변\n"
    "CONTEXT: 변경된 파일은 shop/money.py, shop/prices.py, shop/cart.py, shop/report.py이며 커밋하지 않았습니다\n",
)
REPORT = Said(
    "The three files no longer round and format amounts themselves; `shop/money.py` does, with `rounded` and `euros`.\n\n"
    "- Changed: `shop/money.py` (new), `shop/prices.py`, `shop/cart.py`, `shop/report.py`. `tests/test_shop.py` is "
    "untouched.\n"
    "- Checked: developer and reviewer each ran `python3 -m unittest`: {count} tests, OK.\n"
    "- Open: nothing is committed; `git diff` in the workspace shows the change.\n",
    "세 파일은 이제 금액을 직접 반올림하거나 서식을 만들지 않고, `shop/money.py`의 `rounded`와 `euros`를 씁니다.\n\n"
    "- 변경: `shop/money.py`(새 파일), `shop/prices.py`, `shop/cart.py`, `shop/report.py`. `tests/test_shop.py`는 "
    "그대로입니다.\n"
    "- 확인: developer와 reviewer가 각각 `python3 -m unittest`를 실행: 테스트 {count}개 통과.\n"
    "- 남은 일: 커밋하지 않았습니다. 작업 공간에서 `git diff`로 변경을 볼 수 있습니다.\n",
)
PASSED_ON = Said("From {name}:\n\n{text}", "{name}의 보고:\n\n{text}")
NO_RESULT = Said(
    "The task is not finished: no result came back that passed. `git status` in the workspace shows what exists.",
    "작업이 끝나지 않았습니다: 검사를 통과한 결과가 없습니다. 작업 공간에서 `git status`로 현재 상태를 볼 수 있습니다.",
)

# The developer.
FLATTERY = Said(
    "Understood! What an excellent task, and such a clean architecture. I will apply an enterprise-grade refactoring "
    "right away!",
    "알겠습니다! 확인했습니다. 정말 훌륭한 구조입니다! 엔터프라이즈급 리팩토링을 바로 적용하겠습니다.",
)
REFACTORED = Said(
    "Changed:\n"
    "- `shop/money.py` (new): `rounded` and `euros`.\n"
    "- `shop/prices.py`, `shop/cart.py`, `shop/report.py`: {count:`quantize` call|`quantize` calls} replaced by those two; "
    "`ROUND_HALF_UP` imports removed.\n\n"
    "Ran: {ran}\n\n"
    "Open: {open}\n",
    "변경:\n"
    "- `shop/money.py`(새 파일): `rounded`, `euros`.\n"
    "- `shop/prices.py`, `shop/cart.py`, `shop/report.py`: `quantize` 호출 {count}곳을 두 함수로 교체, `ROUND_HALF_UP` "
    "import 제거.\n\n"
    "실행: {ran}\n\n"
    "남은 일: {open}\n",
)
STANDS = Said(
    "`shop/prices.py`, `shop/cart.py` and `shop/report.py` use `rounded` and `euros` of `shop/money.py` as they stand; "
    "nothing was left to change.\n\n"
    "Ran: {ran}\n\n"
    "Open: {open}\n",
    "`shop/prices.py`, `shop/cart.py`, `shop/report.py`는 이미 `shop/money.py`의 `rounded`와 `euros`를 씁니다. 바꿀 것이 "
    "없었습니다.\n\n"
    "실행: {ran}\n\n"
    "남은 일: {open}\n",
)
RAN = Said(
    "Ran: {ran}\n\nOpen: {open} To run the tests is all that the script does here; it writes and mends none.\n",
    "실행: {ran}\n\n남은 일: {open} 대본은 테스트를 실행하기만 하며, 쓰거나 고치지 않습니다.\n",
)
LIED = Said(
    "Changed:\n- `shop/prices.py`: coffee costs {price} now.\n\nRan: `python3 -m unittest`. 628/628 tests pass.\n\n"
    "Open: nothing.\n",
    "변경:\n- `shop/prices.py`: 커피값은 이제 {price}입니다.\n\n실행: `python3 -m unittest`를 돌렸습니다. 테스트 628/628 통과.\n\n"
    "남은 일: 없음.\n",
)
CORRECTED = Said(
    "Changed:\n- `shop/prices.py`: coffee costs {price}, after {before} in the last commit.\n\nRan: {ran}\n\n"
    "Open: {open} The figures of the first report were made up.\n",
    "변경:\n- `shop/prices.py`: 마지막 커밋에서 {before}이던 커피값이 {price}입니다.\n\n실행: {ran}\n\n"
    "남은 일: {open} 첫 보고의 수치는 지어낸 것이었습니다.\n",
)
UNCHANGED = Said(
    "Changed: nothing.\n\nRan: {ran}\n\nOpen: {open} The figures of the first report were made up.\n",
    "변경: 없음.\n\n실행: {ran}\n\n남은 일: {open} 첫 보고의 수치는 지어낸 것이었습니다.\n",
)
TOO_CHEAP = Said(
    "Coffee costs {price} in `shop/prices.py`, and cannot get 10 cents cheaper. No file was changed. A new conversation "
    "begins with a fresh repository.",
    "`shop/prices.py`의 커피값이 {price}이어서 10센트를 더 내릴 수 없습니다. 바꾼 파일은 없습니다. 새 대화는 새 저장소로 "
    "시작합니다.",
)

# The reviewer.
RUBBER_STAMP = Said(
    "Verdict: APPROVE\n\nThe separation of concerns follows the task, and the names say what they mean.",
    "Verdict: APPROVE\n\n책임이 과제대로 나뉘었고 이름이 뜻을 드러냅니다.",
)
APPROVAL = Said(
    "Verdict: APPROVE\n\n"
    "Evidence:\n"
    "- {ran} Run here.\n"
    "- `git diff --stat`: {changed}; `shop/money.py` is new, `tests/test_shop.py` is untouched\n\n"
    "Findings: none. `rounded` in `shop/money.py` rounds half a cent up, as the three files did.\n",
    "Verdict: APPROVE\n\n"
    "근거:\n"
    "- {ran} 직접 실행했습니다.\n"
    "- `git diff --stat`: {changed}; `shop/money.py`는 새 파일, `tests/test_shop.py`는 변경 없음\n\n"
    "지적 사항: 없음. `shop/money.py`의 `rounded`는 세 파일이 하던 대로 0.5센트를 올림합니다.\n",
)
REJECTION = Said(
    "Verdict: REJECT\n\n"
    "Evidence:\n"
    "- {ran} Run here.\n"
    "- `git diff --stat`: {changed}\n\n"
    "Findings: the tests fail with this change.\n",
    "Verdict: REJECT\n\n"
    "근거:\n"
    "- {ran} 직접 실행했습니다.\n"
    "- `git diff --stat`: {changed}\n\n"
    "지적 사항: 이 변경으로 테스트가 실패합니다.\n",
)
NO_VERDICT = Said(
    "There is no verdict: this reviewer is a script, and judges the change of one story only.\n\n"
    "What it looked at, for whoever decides:\n"
    "- `git status --short`: {status}\n"
    "- {ran}\n",
    "판정은 없습니다. 이 리뷰어는 대본이어서 한 이야기의 변경만 판정합니다.\n\n"
    "판단에 참고할 확인 내용:\n"
    "- `git status --short`: {status}\n"
    "- {ran}\n",
)
COMMITTED = Said(
    "Nothing is uncommitted, so this is about the last commit, `{commit}` ({title}). There is no verdict: this reviewer is "
    "a script, and reads no code.\n\n"
    "What it looked at:\n"
    "- `git show --stat HEAD`: {changed}\n"
    "- {ran}\n",
    "커밋하지 않은 변경이 없어 마지막 커밋 `{commit}`({title})을 살펴봤습니다. 판정은 없습니다. 이 리뷰어는 대본이어서 "
    "코드를 읽지 않습니다.\n\n"
    "확인한 내용:\n"
    "- `git show --stat HEAD`: {changed}\n"
    "- {ran}\n",
)
