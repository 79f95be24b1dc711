"""The lead of the demonstration: looks, delegates, and passes on what came back."""

from dataclasses import replace

from mama_bot.demo.common_replies import about_files, say, talk
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.observations import calls_by_file
from mama_bot.demo.sentences import (
    ANOTHER_REPOSITORY,
    CHECK_DELEGATION,
    DELEGATION,
    LIE_DELEGATION,
    NO_RESULT,
    PASSED_ON,
    REFACTORED_BEFORE,
    REPORT,
    REVIEW_DELEGATION,
    TESTS_DELEGATION,
)
from mama_bot.demo.wishes import RESULTS, Errand, Wish
from mama_bot.text.patterns import compiled

FILES = ("shop/prices.py", "shop/cart.py", "shop/report.py")
MONEY = "shop/money.py"
MAY_DELEGATE = "You may delegate to:"
END_OF_RESULTS = "\n\nGo on: delegate what is left"
REPLIES = " replies:\n"
OPEN_ITEMS = "[OPEN ITEMS"  # the service's own line below a reply
APPROVES = "Verdict: APPROVE"
GREEN = compiled(r"exit status 0, (\d+) tests|종료 코드 0, 테스트 (\d+)개")  # exit status 0, 8 tests, OK
DELEGATED = {Wish.TESTS: TESTS_DELEGATION, Wish.LIE: LIE_DELEGATION, Wish.REVIEW: REVIEW_DELEGATION}


def lead(request: ModelRequest, errand: Errand) -> ModelReply:
    """Return what the lead does next; whoever else is asked answers as the lead does."""
    prompt = request.last_user_text
    if RESULTS in prompt:
        results = prompt[prompt.index(RESULTS) + len(RESULTS) :].partition(END_OF_RESULTS)[0].strip()
        return _after(results, errand)
    if errand.wish in (Wish.FILE, Wish.FILES):
        return about_files(request, errand)
    if MAY_DELEGATE not in request.system:
        return talk(request, errand)
    if errand.wish is Wish.REFACTOR and "Grep" in request.tools:
        return _begun(request, errand)
    if errand.wish in DELEGATED:
        return say(errand, DELEGATED[errand.wish])
    return talk(request, errand)


def _begun(request: ModelRequest, errand: Errand) -> ModelReply:
    if not request.tool_results:
        look = {"pattern": r"\.quantize\(", "path": ".", "output_mode": "content", "-n": True}
        return ModelReply(tool_calls=(ToolUse(name="Grep", arguments=look),))
    calls = calls_by_file(request.tool_results[-1])
    if set(calls) == {MONEY}:
        return say(errand, REFACTORED_BEFORE)
    if set(calls) != set(FILES):
        return say(replace(errand, in_shop=False), ANOTHER_REPOSITORY)
    return say(errand, DELEGATION, count=sum(calls.values()))


def _after(results: str, errand: Errand) -> ModelReply:
    who, replied, text = results.partition(REPLIES)
    if not replied or "\n" in who:
        return say(errand, NO_RESULT)
    name = who.partition(",")[0]  # the part of the work is named behind it
    green = GREEN.search(text)
    if errand.wish is Wish.REFACTOR and green:
        if name == "developer" and all(path in text for path in (*FILES, MONEY)):
            return say(errand, CHECK_DELEGATION)
        if name == "reviewer" and APPROVES in text:
            return say(errand, REPORT, count=green.group(1) or green.group(2))
    own = (line for line in text.splitlines() if not line.startswith(OPEN_ITEMS))
    return say(errand, PASSED_ON, name=name, text="\n".join(own).strip())
