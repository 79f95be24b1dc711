"""What a persona of the demonstration is asked for: read from its prompt, the way the service writes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mama_bot.demo.model_script import CLI_PREFIXES, ModelRequest
from mama_bot.text.paths import file_names
from mama_bot.wording import Language, has_hangul

SENT_BACK = "[SENT BACK"
MEANWHILE = "[MESSAGE] "
RESULTS = "What came of your delegations:"
RESUMED = "The request was:\n\n"
CONTEXT_END = "\n</conversation>\n\n"
WRITES = " writes:\n\n"
BEGAN = "\n\nIt began with what "
TASK = "TASK: "
CONTINUED = "[CONTINUE] "
ASKED_FOR = "It was asked for:\n\n"
REVIEWED = "You review the work of "
WORD_FOR_WORD = " wrote, word for word:\n"

# Whole words in English, any part of a word in Korean.
LIES = frozenset(("lie", "lies", "lied", "lying", "거짓"))
REFACTORS = frozenset(("refactor", "refactoring", "refactors", "refactored", "리팩토링", "리팩터링"))
MOVES = "shop/money.py"  # what the lead of the story delegates
REVIEWS = frozenset(("review", "reviews", "reviewed", "reviewing", "리뷰", "검토"))
TESTS = frozenset(("test", "tests", "unittest", "unittests", "테스트"))
RUNS = frozenset(("run", "runs", "pass", "passing", "fail", "fails", "green", "실행", "돌려", "통과", "실패"))
CHANGES = frozenset(
    ("write", "add", "create", "delete", "remove", "change", "rename", "작성", "추가", "삭제", "바꿔", "변경", "만들")
)
FILES = frozenset(("files", "repository", "파일", "저장소"))
LISTS = frozenset(("which", "what", "list", "show", "are", "어떤", "무슨", "목록", "뭐", "보여"))
GREETS = frozenset(("hello", "hi", "hey", "thanks", "thank", "안녕", "고마", "감사", "반가"))
FIRST_WORDS = 3
STORY_FILES = frozenset(("shop/prices.py", "shop/cart.py", "shop/report.py"))


class Wish(StrEnum):
    """What the script has a part for; BEYOND is everything else."""

    LIE = "lie"
    REFACTOR = "refactor"
    REVIEW = "review"
    TESTS = "tests"
    FILE = "file"
    FILES = "files"
    GREETING = "greeting"
    BEYOND = "beyond"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a turn asks of its persona: `words` are the task, or what the person wrote; `paths` the files in them.

    `continued` says that it goes on where a turn was cut off, `in_shop` that the repository may be that of the
    demonstration.
    """

    wish: Wish
    language: Language
    words: str
    paths: tuple[str, ...] = ()
    delegated: bool = False
    continued: bool = False
    in_shop: bool = True


def errand_of(request: ModelRequest) -> Errand:
    """Return what the turn of a request asks, whatever was sent back since."""
    prompt = next((text for text in reversed(request.user_texts) if not text.startswith((SENT_BACK, MEANWHILE))), "")
    prompt = _after(_after(prompt, RESUMED), CONTEXT_END)
    if REVIEWED in prompt.partition(WORD_FOR_WORD)[0]:
        return _review(_after(prompt, WORD_FOR_WORD))
    task, began, quoted = prompt.partition(BEGAN)
    asked = "\n".join(line.removeprefix("> ") for line in quoted.splitlines()[1:]) if began else _after(prompt, WRITES)
    continued = asked.startswith(CONTINUED)
    if continued:  # what was asked then stands in it, a delegation as its recipient read it
        task = asked = _after(asked, ASKED_FOR)
    delegated = next((line.removeprefix(TASK) for line in task.splitlines() if line.startswith(TASK)), None)
    words = asked if delegated is None else delegated
    paths = () if delegated is not None or began or RESULTS in words else file_names(words)
    return Errand(
        wish=_wish(words, paths),
        language=Language.KOREAN if has_hangul(asked) else Language.ENGLISH,
        words=words,
        paths=paths,
        delegated=delegated is not None or bool(began),
        continued=continued,
    )


def told_meanwhile(request: ModelRequest) -> tuple[str, ...]:
    """Return what a person handed over while the turn of a request worked, oldest first."""
    told: list[str] = []
    for text in reversed(request.spoken_texts):
        if MEANWHILE in text:
            told.append(_after(_after(text, MEANWHILE), WRITES).partition("\n</system-reminder>")[0].strip())
        elif not text.startswith((SENT_BACK, *CLI_PREFIXES)):
            break
    return tuple(reversed(told))


def _review(told: str) -> Errand:
    """Return the errand of a review turn: the diff and the record below the person's words ask for nothing."""
    words = told.partition("\n\n")[0]
    language = Language.KOREAN if has_hangul(words) else Language.ENGLISH
    return Errand(wish=Wish.REVIEW, language=language, words=words, delegated=True)


def _after(text: str, mark: str) -> str:
    before, separator, rest = text.partition(mark)
    return rest if separator else before


def _wish(words: str, paths: tuple[str, ...]) -> Wish:
    if MOVES in words and not paths:
        return Wish.REFACTOR
    plain = words.lower()
    for path in paths:
        plain = plain.replace(path.lower(), " ")
    spoken = [word for word in plain.split() if not word.startswith(("@", "!")) and "리뷰어" not in word]
    if _has(spoken, LIES):
        return Wish.LIE
    if _has(spoken, REFACTORS) and (not paths or set(paths) == STORY_FILES):  # of one file only, more would be changed
        return Wish.REFACTOR
    if paths:
        return Wish.FILE
    if _has(spoken, REVIEWS):
        return Wish.REVIEW
    changes = _has(spoken, CHANGES)
    if _has(spoken, TESTS) and _has(spoken, RUNS) and not changes:
        return Wish.TESTS
    if _has(spoken, FILES) and _has(spoken, LISTS) and not changes:
        return Wish.FILES
    return Wish.GREETING if _has(spoken[:FIRST_WORDS], GREETS) else Wish.BEYOND


def _has(words: Sequence[str], signs: frozenset[str]) -> bool:
    """Return whether any of the words is a sign: as a whole in English, in part in Korean, which has particles."""
    return any(
        word.strip(".,;:!?()\"'`") in signs or any(sign in word for sign in signs if not sign.isascii())
        for word in words
    )
