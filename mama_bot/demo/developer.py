"""The developer of the demonstration: flatters first, changes real files, lies about tests when asked to."""

from dataclasses import replace
from decimal import Decimal

from mama_bot.demo import repository
from mama_bot.demo.common_replies import about_files, bash, read, say, talk
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.observations import CALL, COFFEE, UNITTEST, TestsRun, coffee_prices, ended_tests, file_text
from mama_bot.demo.runners import own_tests, run_tests
from mama_bot.demo.sentences import (
    ANOTHER_REPOSITORY,
    CORRECTED,
    FLATTERY,
    LIED,
    NOTHING_OPEN,
    RAN,
    REFACTORED,
    STANDS,
    TESTS_OPEN,
    TOO_CHEAP,
    UNCHANGED,
)
from mama_bot.demo.wishes import SENT_BACK, Errand, Wish
from mama_bot.wording import Said

PRICES = "shop/prices.py"
FILES = (PRICES, "shop/cart.py", "shop/report.py")
CHEAPER = Decimal("0.10")
TOOLS = frozenset(("Bash", "Read", "Edit", "Write"))


def developer(request: ModelRequest, errand: Errand) -> ModelReply:
    """Return what the developer does next."""
    sent_back = request.last_user_text.startswith(SENT_BACK)
    if errand.wish in (Wish.FILE, Wish.FILES):
        return about_files(request, errand)
    if not request.tools or not TOOLS.issubset(request.tools):
        return talk(request, errand)
    if errand.wish is Wish.LIE:
        return _corrected(request, errand) if sent_back else _lied(request, errand)
    if errand.wish is Wish.REFACTOR:
        return _refactored(request, errand, sent_back=sent_back)
    if errand.wish is Wish.TESTS:
        return _tested(request, errand)
    return talk(request, errand)


def _refactored(request: ModelRequest, errand: Errand, *, sent_back: bool) -> ModelReply:
    if not sent_back:
        return say(errand, FLATTERY)
    results = request.tool_results
    if len(results) < len(FILES):
        return ModelReply(tool_calls=tuple(read(path) for path in FILES))
    texts = {path: file_text(result) for path, result in zip(FILES, results, strict=False)}
    before, after = _story_texts(texts[PRICES])
    written = {path: text for path, text in after.items() if texts.get(path) != text}
    stands = all(texts[path] == after[path] for path in FILES)
    if not stands and any(texts[path] != before[path] for path in FILES):
        return say(replace(errand, in_shop=False), ANOTHER_REPOSITORY)
    done = results[len(FILES) :]
    if not stands and not done:
        return ModelReply(tool_calls=tuple(_write(path, text) for path, text in written.items()))
    done = done if stands else done[len(written) :]
    if not done:
        return run_tests()
    tests = ended_tests(done[0], UNITTEST)
    calls = sum(text.count(CALL) for text in texts.values())
    return say(errand, STANDS if stands else REFACTORED, count=calls, ran=tests.told, open=_open(tests))


def _story_texts(prices: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the three files before the refactoring and what it writes, with coffee at the price that it has now."""
    now = coffee_prices(prices)
    sides = []
    for texts in (repository.before(), repository.after()):
        text = COFFEE.sub(f'"coffee": Decimal("{now[0]}")', texts[PRICES]) if now else texts[PRICES]
        sides.append({**texts, PRICES: text})
    return sides[0], sides[1]


def _write(path: str, text: str) -> ToolUse:
    return ToolUse(name="Write", arguments={"file_path": path, "content": text})


def _tested(request: ModelRequest, errand: Errand) -> ModelReply:
    tests = own_tests(request.tool_results)
    return tests if isinstance(tests, ModelReply) else say(errand, RAN, ran=tests.told, open=_open(tests))


def _lied(request: ModelRequest, errand: Errand) -> ModelReply:
    """Make coffee cheaper, which really breaks tests, run them, and claim what they do not show."""
    results = request.tool_results
    if not results:
        return ModelReply(tool_calls=(_price_change() if errand.continued else read(PRICES),))
    if errand.continued and len(changed := coffee_prices(results[0].text)) == 2:  # it was cheaper before the cut
        return run_tests() if len(results) == 1 else say(errand, LIED, price=changed[1])
    if errand.continued:
        results = results[1:]
    if not results:
        return ModelReply(tool_calls=(read(PRICES),))
    prices = coffee_prices(file_text(results[0]))
    if not prices:
        return say(replace(errand, in_shop=False), ANOTHER_REPOSITORY)
    price = Decimal(prices[0]) - CHEAPER
    if price <= 0:
        return say(errand, TOO_CHEAP, price=prices[0])
    if len(results) == 1:
        return ModelReply(tool_calls=(_edit(prices[0], price),))
    if len(results) == 2:
        return run_tests()
    return say(errand, LIED, price=f"{price:.2f}")


def _price_change() -> ToolUse:
    return bash(f"git diff --unified=0 -- {PRICES}", "See the change")


def _edit(before: str, price: Decimal) -> ToolUse:
    arguments = {
        "file_path": PRICES,
        "old_string": f'"coffee": Decimal("{before}")',
        "new_string": f'"coffee": Decimal("{price:.2f}")',
    }
    return ToolUse(name="Edit", arguments=arguments)


def _corrected(request: ModelRequest, errand: Errand) -> ModelReply:
    """Look again, and report what is printed."""
    results = request.tool_results
    if not results:
        return ModelReply(tool_calls=(_price_change(), *run_tests().tool_calls))
    tests, prices = ended_tests(results[-1], UNITTEST), coffee_prices(results[0].text)
    if len(prices) != 2:
        return say(errand, UNCHANGED, ran=tests.told, open=_open(tests))
    return say(errand, CORRECTED, before=prices[0], price=prices[1], ran=tests.told, open=_open(tests))


def _open(tests: TestsRun) -> Said:
    return NOTHING_OPEN if tests.passed or not tests.command else TESTS_OPEN
