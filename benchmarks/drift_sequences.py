"""Labelled sequences of outputs, stuck and not: written by hand in kinds, and varied by a seed.

python -m benchmarks.drift_sequences    writes tests/data/drift/development.jsonl and test.jsonl anew
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parents[1] / "tests" / "data" / "drift"
EACH = 7  # sequences of a kind in each half
Call = Mapping[str, Any]
Sequences = Sequence[Mapping[str, Any]]

# Said of a piece of work that does not move; each line another way of saying it, each group another piece of work.
STANDSTILLS = {
    "development": (
        (
            "The build still stops at the linker step because the symbol is missing.",
            "As before, linking fails: the symbol cannot be resolved.",
            "I looked at the link error again and it has not gone away.",
        ),
        (
            "The login test keeps failing since the fixture has no session.",
            "There is still no session in the fixture, so login does not pass.",
            "The missing session in the fixture remains what breaks the login test.",
        ),
        (
            "설정 파일을 읽지 못해서 서버가 여전히 시작되지 않습니다.",
            "서버 시작은 아직 안 됩니다. 설정을 읽는 곳에서 멈춥니다.",
            "다시 봐도 설정을 읽는 단계에서 서버가 멈춰 있습니다.",
        ),
        (
            "The migration cannot run while the table is locked, so I wait for it.",
            "Still waiting for the lock on the table before the migration can run.",
            "The table lock is held by someone, the migration has to wait.",
        ),
        (
            "환율 변환 함수가 음수에서 잘못된 값을 돌려주는 문제가 그대로입니다.",
            "음수를 넣으면 변환 결과가 틀리는 현상이 계속됩니다.",
            "변환 함수는 지금도 음수를 제대로 다루지 못합니다.",
        ),
    ),
    "test": (
        (
            "The parser rejects the trailing comma, and I could not find the rule for it.",
            "A trailing comma is refused by the parser; which rule does it is unclear to me.",
            "I am still searching for the rule that makes the parser refuse that comma.",
        ),
        (
            "The container exits at once, there is nothing in its log.",
            "Its log is empty and the container ends right after the start.",
            "Again the container is gone at once without a line of log.",
        ),
        (
            "색인을 만드는 작업이 끝나지 않고 같은 곳에서 멈춥니다.",
            "색인 작업은 이번에도 같은 위치에서 멈췄습니다.",
            "여전히 색인이 그 지점을 넘어가지 못합니다.",
        ),
        (
            "The page renders without its style sheet, as it did the last time.",
            "Nothing changed on the page: the style sheet is not applied.",
            "The style sheet still does not reach the page.",
        ),
        (
            "인증서 검증 오류가 계속 나서 요청을 보낼 수 없습니다.",
            "요청은 아직 실패합니다. 원인은 인증서 검증입니다.",
            "인증서가 검증되지 않아 요청이 나가지 않는 상태입니다.",
        ),
    ),
}
COMMANDS = {
    "development": ("make all", "pytest -q tests/test_login.py", "./server --check", "npm run build", "cargo check"),
    "test": ("go vet ./...", "pytest -q tests/parser", "docker compose up web", "tsc -p .", "mvn -q verify"),
}
ERRORS = {
    "development": ("undefined reference to render", "KeyError: session", "cannot open settings", "table is locked"),
    "test": ("unexpected token comma", "exited early", "index builder stalled", "certificate verify failed"),
}
NOUNS = {
    "development": ("parser", "login", "cache", "router", "importer", "scheduler"),
    "test": ("lexer", "session", "index", "gateway", "exporter", "worker"),
}


def call(command: str, output: str = "", *, failed: int | None = None, tree: str = "") -> Call:
    """A command, what it printed, how many tests failed in it, and the work tree that it left."""
    return {"command": command, "output": output, "failed": failed, "tree": tree}


def output(text: str, *calls: Call, ticked: Sequence[str] = ()) -> Mapping[str, Any]:
    """An output: a text, and the calls that were made for it."""
    return {"text": text, "calls": list(calls), "ticked": list(ticked)}


class Half:
    """One half of the sequences, whose words the other has none of."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.chance = random.Random(name)

    def words(self) -> Sequence[str]:
        """Return three ways of saying that one piece of work does not move."""
        return self.chance.choice(STANDSTILLS[self.name])

    def command(self) -> str:
        """Return a command."""
        return self.chance.choice(COMMANDS[self.name])

    def error(self) -> str:
        """Return an error that a command prints, with times that differ."""
        return f"{self.chance.choice(ERRORS[self.name])}\n"

    def timed(self, text: str) -> str:
        """Return an output as another run prints it."""
        second = self.chance.randrange(60)
        return f"[10:{self.chance.randrange(60):02}:{second:02}] {text}finished in {self.chance.random():.2f}s"

    def noun(self) -> str:
        """Return a part of a program."""
        return self.chance.choice(NOUNS[self.name])


# --- stuck ------------------------------------------------------------------------------------------------


def the_same_words(half: Half) -> Sequences:
    """One reply three times."""
    text = " ".join(half.words()[:2])
    return [output(text)] * 3


def nearly_the_same_words(half: Half) -> Sequences:
    """One long reply with a word or a number changed, and calls that try a little of this and that."""
    text = " ".join(half.words()) + " I looked at the code and at the output once more and see no other reason for it."
    extra = (" Sorry.", " Again.", " As said.")
    half_calls = [call(f"grep -n x{half.chance.randrange(10**6)} a.py") for _ in range(3)]
    return [output(text + extra[n], half_calls[n]) for n in range(3)]


def the_same_call_in_other_words(half: Half) -> Sequences:
    """One command that fails the same way, and each time it is said in other words."""
    command, error, words = half.command(), half.error(), half.words()
    return [output(words[n], call(command, half.timed(error))) for n in range(3)]


def excuses(half: Half) -> Sequences:
    """Nothing is done, and that is said in ever other words."""
    return [output(words) for words in half.words()]


def a_test_that_fails_on(half: Half) -> Sequences:
    """The same number of tests fails, whatever time they took."""
    number, words = half.chance.randrange(1, 9), half.words()
    calls = [call("pytest -q", half.timed(f"{number} failed\n"), failed=number) for _ in range(3)]
    return [output(f"{words[n]} {number} failed.", calls[n]) for n in range(3)]


def attempts_that_are_counted(half: Half) -> Sequences:
    """Only the number of the attempt is new."""
    text, first = half.words()[0], half.chance.randrange(2, 9)
    return [output(f"Attempt {first + n}: {text}") for n in range(3)]


def there_and_back(half: Half) -> Sequences:
    """A change is made and taken back."""
    noun, words = half.noun(), half.words()
    there, back = call(f"sed -i s/a/b/ {noun}.py", tree=f"{noun}-b"), call(f"sed -i s/b/a/ {noun}.py", tree=f"{noun}-a")
    return [output(words[0], there, back), *(output(words[n % 3], there, back) for n in range(1, 4))]


def looks_that_differ_and_tell_nothing(half: Half) -> Sequences:
    """Ever other looks at the same place; a reader would call it stuck."""
    words, noun = half.words(), half.noun()
    looks = (f"ls {noun}", f"ls -l {noun}", f"ls -la {noun}")
    return [output(words[n], call(looks[n], "a.py b.py")) for n in range(3)]


# --- not stuck --------------------------------------------------------------------------------------------


def fails_less(half: Half) -> Sequences:
    """Three fail, then two, then one, in nearly the same words."""
    numbers = sorted(half.chance.sample(range(1, 12), 3), reverse=True)
    return [
        output(f"{half.noun()}: {number} tests still fail.", call("pytest -q", f"{number} failed", failed=number))
        for number in numbers
    ]


def files_come(half: Half) -> Sequences:
    """Each turn writes another file."""
    nouns = half.chance.sample(NOUNS[half.name], 3)
    return [output(f"`{noun}.py` is written.", call(f"touch {noun}.py", tree=f"tree-{noun}")) for noun in nouns]


def looks_around(half: Half) -> Sequences:
    """Each turn reads something else and says what is there."""
    nouns = half.chance.sample(NOUNS[half.name], 3)
    return [output(f"{noun} calls {noun}_helper and nothing else.", call(f"cat {noun}.py", noun)) for noun in nouns]


def ticks(half: Half) -> Sequences:
    """The same words, and each time one more item is ticked."""
    text, nouns = half.words()[0], half.chance.sample(NOUNS[half.name], 3)
    return [output(text, ticked=nouns[: n + 1]) for n in range(3)]


def reports_of_one_form(half: Half) -> Sequences:
    """One form of report, other figures."""
    noun = half.noun()
    return [
        output(
            f"## {noun}\n\nTests of {noun} ran, all of them pass: {number} passed.",
            call(f"pytest -q tests/{noun}", f"{number} passed", failed=0, tree=f"{noun}-{number}"),
        )
        for number in half.chance.sample(range(20, 400), 3)
    ]


def moves_at_last(half: Half) -> Sequences:
    """Two turns bring nothing, the third does."""
    words, noun = half.words(), half.noun()
    return [output(words[0]), output(words[1]), output(f"`{noun}.py` was it.", call(f"cat {noun}.py", noun))]


def figures_without_calls(half: Half) -> Sequences:
    """Each answer has a figure of its own."""
    return [output(f"{half.noun()} takes {number} rows.") for number in half.chance.sample(range(10, 5_000, 7), 3)]


def the_same_call_with_another_end(half: Half) -> Sequences:
    """One command, and each time something else comes out."""
    command, words = half.command(), half.words()
    ends = half.chance.sample(("no route to host", "permission denied", "started", "ready and listening"), 3)
    return [output(words[n], call(command, half.timed(ends[n] + "\n"))) for n in range(3)]


def a_talk(half: Half) -> Sequences:
    """Three answers to three questions, with nothing done and no figure: no reader would call it stuck."""
    nouns = half.chance.sample(NOUNS[half.name], 3)
    texts = (
        "The {} belongs before the rest, since others call it.",
        "I would leave the {} as it is.",
        "{}는 나누는 편이 낫습니다.",
    )
    return [output(texts[n].format(nouns[n])) for n in range(3)]


STUCK: Sequence[Callable[[Half], Sequences]] = (
    the_same_words,
    nearly_the_same_words,
    the_same_call_in_other_words,
    excuses,
    a_test_that_fails_on,
    attempts_that_are_counted,
    there_and_back,
    looks_that_differ_and_tell_nothing,
)
MOVING: Sequence[Callable[[Half], Sequences]] = (
    fails_less,
    files_come,
    looks_around,
    ticks,
    reports_of_one_form,
    moves_at_last,
    figures_without_calls,
    the_same_call_with_another_end,
    a_talk,
)


def sequences(name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the sequences of a half."""
    half = Half(name)
    for is_stuck, kinds in ((True, STUCK), (False, MOVING)):
        for kind in kinds:
            for _ in range(EACH):
                yield {"kind": kind.__name__, "stuck": is_stuck, "outputs": list(kind(half))}


def main() -> None:
    """Write both halves."""
    PLACE.mkdir(parents=True, exist_ok=True)
    for name in ("development", "test"):
        lines = [json.dumps(sequence, ensure_ascii=False) for sequence in sequences(name)]
        (PLACE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
