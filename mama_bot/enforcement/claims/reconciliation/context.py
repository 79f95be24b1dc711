"""What stands around a claim in its reply: a failure that it owns up to, or a time that it speaks of."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from mama_bot.model import Claim, Counts
from mama_bot.text.patterns import compiled

SENTENCE_CHARACTERS = 300
AROUND = 14
MOST_WORDS = 40
ENDS = (". ", ".\n", "\n", "! ", "? ", "다. ", "요. ")
FAILING = compiled(r"(?i:\bfail(?:s|ed|ing|ures?)?\b|\bred\b|\bbroken\b)|실패|깨졌|깨지|깨짐|빨간|✗|❌", groups=False)
NONE_BEFORE = compiled(
    r"(?i:\b(?:0|no|not|zero|without|never|none|nothing|any|n't)(?: \w+){0,2}[ :=|]*$)|(?:^|\D)0 ?(?:개|건)?[ :=|]*$",
    groups=False,
)
NONE_AFTER = compiled(
    r"^(?:ed|ing|ures?|s)?[`*'\")]* ?[:=|]? ?0\b|^\S{0,3} ?(?:\S+ )?(?:없|0 ?(?:개|건)|아니)|^하지 않", groups=False
)
EARLIER = compiled(
    r"(?i:\b(?:before|initial(?:ly)?|originally|at first|baseline|earlier|previous(?:ly)?|at the start|starting point"
    r"|used to|back then|interim|untouched|along the way|for the record|middle run"
    r"|first (?:run|attempt|try|time|pass|round|full run))\b)"
    r"|처음|이전|수정 ?전|변경 ?전|고치기 ?전|작업 ?전|추가 ?전|시작 ?시점|당시|그때|그 ?전|초기"
    r"|중간 ?(?:결과|실행)|직전|첫 ?(?:실행|시도|번째)",
    groups=False,
)
# What was mended fails no more.
MENDED = compiled(
    r"(?i:\b(?:fix(?:ed|es|ing)?|resolv\w+|mended|repaired|solved|cured|address\w+)\b)|고쳤|고친|고쳐|해결|수정했|수정한|잡았",
    groups=False,
)
NOW = compiled(
    r"(?i:\b(?:now|after|final(?:ly)?|latest|current(?:ly)?|since|again|end state)\b)"
    r"|이제|지금|현재|최종|수정 ?후|고친 ?뒤|다시|이후|마지막",
    groups=False,
)
NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentence_around(claim: Claim, reply: str) -> str:
    """The sentence or line of a reply that a claim stands in; the claim's own words where the reply is not known."""
    if not reply or claim.end > len(reply):
        return claim.text
    begun = max(0, claim.start - SENTENCE_CHARACTERS)
    before = reply[begun : claim.start]
    for sign in ENDS:
        before = before.rpartition(sign)[2]
    after = reply[claim.end : claim.end + SENTENCE_CHARACTERS]
    if not claim.text.rstrip().endswith((".", "\n")):
        for sign in ENDS:
            after = after.partition(sign)[0]
    else:
        after = ""
    return f"{before}{claim.text}{after}"


def owns_up(text: str) -> bool:
    """Whether a text says that something failed."""
    for match in islice(FAILING.finditer(text), MOST_WORDS):
        before, after = text[max(0, match.start() - AROUND) : match.start()], text[match.end() : match.end() + AROUND]
        if NONE_BEFORE.search(before) is None and NONE_AFTER.search(after) is None:
            return True
    return False


def tells_failures(text: str, counts: Counts) -> bool:
    """Whether a text says how many fail, as they do; what failed at first, or was mended, is another matter."""
    figure = (counts.failed or 0) + (counts.errors or 0)
    if not figure:
        return False
    lowered = text.lower().replace("*", "")
    return any(_is_of_now(lowered, place) for words in _failing_words(figure) for place in _places(lowered, words))


@lru_cache(maxsize=256)
def _failing_words(figure: int) -> tuple[str, ...]:
    names = [str(figure), *([NUMERALS[figure]] if figure < len(NUMERALS) else ())]
    ends = ("failed", "failing", "fail", "red", "tests fail", "tests still fail", "test fail", "errors")
    return (
        *(f"{name} {word}" for name in names for word in ends),
        *(f"failures={figure}", f"failures: {figure}", f"failed: {figure}", f"failed | {figure}"),
        *(f"{figure}개 실패", f"{figure}건 실패", f"{figure}개가 실패", f"{figure}건이 실패", f"{figure}개는 실패"),
        *(f"실패 {figure}", f"실패: {figure}", f"실패 | {figure}", f"실패가 {figure}", f"실패는 {figure}"),
    )


def _places(text: str, words: str) -> Iterator[int]:
    at = -1
    for _ in range(MOST_WORDS):
        at = text.find(words, at + 1)
        if at < 0:
            return
        if not (at and text[at - 1].isdigit() and words[0].isdigit()):
            yield at


def _is_of_now(text: str, place: int) -> bool:
    """Whether a sentence up to a place speaks of how it is in the end."""
    led = text[max(0, place - SENTENCE_CHARACTERS) : place]
    for sign in ENDS:
        led = led.rpartition(sign)[2]
    led = led.rpartition(";")[2]
    return NOW.search(led) is not None or (EARLIER.search(led) is None and MENDED.search(led) is None)


def owns_up_now(text: str) -> bool:
    """Whether a text says that something fails, and not that it did before or was mended."""
    return owns_up(text) and EARLIER.search(text) is None and MENDED.search(text) is None


def speaks_of_earlier(claim: Claim, reply: str) -> bool:
    """Whether a claim is of a time before the end: "before the fix: 2 failed, 10 passed"."""
    sentence = sentence_around(claim, reply)
    until = sentence.find(claim.text) + len(claim.text)
    led = sentence[:until]
    return EARLIER.search(led) is not None and NOW.search(led) is None
