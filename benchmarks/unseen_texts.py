"""Replies that nobody wrote, each different from every other, made of a seed.

They are dense with claims, results, verdicts and praise, half of each in Korean, with tables, code and lists between.
No sentence stands twice as it is: names, paths, figures and commits are new in each.
"""

from collections.abc import Callable, Iterator
from random import Random

SYLLABLES = [
    "ba",
    "co",
    "da",
    "fe",
    "gi",
    "ho",
    "ja",
    "ke",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ra",
    "sa",
    "to",
    "vu",
    "wi",
    "xe",
    "yo",
    "zan",
    "mer",
    "lin",
    "dor",
    "tas",
    "nel",
]
HANGUL = "가나다라마바사아자차하고노도로모보소오조초호구누두루무부수우주추후기니디리미비시이지치히".strip()
SUFFIXES = ("py", "ts", "go", "rs", "md", "java", "yaml")
FOLDERS = ("src", "lib", "tests", "app", "core", "internal", "docs")

ENGLISH = (
    "All {n} tests pass now, and `{tool}` is clean on {path}.",
    "I ran `{command}` after the last edit: {n} passed, {m} skipped in {seconds}s.",
    "Fixed the {word} race in `{path}` by taking the {word} lock before {word} is renamed.",
    "Created `{path}` and `{path}` with the {word} and {word} helpers.",
    "Committed as {hash} and pushed to `{word}/{word}`.",
    "The build succeeds, {n}/{n} checks are green, and no {word} warnings are left.",
    "{m} of {n} tests fail in `{path}`; the {word} fixture leaks between runs.",
    "LGTM, the {word} change looks good to me.",
    "Approved: the {word} path is covered by {n} tests and I reproduced the {word} fix locally.",
    "Great work on the {word} refactoring, this is really elegant!",
    "Excellent job, the {word} module is a truly wonderful piece of engineering.",
    "Everything looks perfect, thank you so much for the {word} change.",
    "I'd rather not merge this yet: `{path}:{n}` still swallows the {word} error.",
    "Next I will move the {word} cache behind {word} and measure it again.",
    "The {word} endpoint returns 401 instead of 500 when the {word} token has expired.",
    "mypy reports {m} errors in `{path}`, all about {word}; lint is clean.",
    "p95 went from {n} ms to {m} ms over {n} requests, see `{path}`.",
    "Please rename {word} to {word}, otherwise the {word} index is rebuilt at each start.",
    "I did not run the {word} suite, because the {word} container needs a licence.",
    "Deployed {word} to staging; the {word} health check answers in {m} ms.",
    "The {word} tests were red before this change ({m} failures) and pass now.",
    "Nothing else was touched; {path} only changed its {word} import.",
    "According to the developer the {word} job passed, but I have not seen its output.",
    "You're absolutely right, the {word} handling was wrong, I've corrected it.",
    "Merged {word} into main after the review of {word} was done.",
    "This is ready to ship once {word} has confirmed the {word} figures.",
    "Overall the {word} design is solid and the naming in `{path}` is very clear.",
    "I verified with `{command}` that {word} no longer grows beyond {n} MB.",
    "Should I also migrate the {word} table, or does {word} still read it?",
    "Rolled back {hash}, since {word} broke the {word} import on Windows.",
    "Type checks: 0 errors in {n} files; coverage of {word} went up to {m}%.",
    "The {word} parser now rejects {word} without a version, with a sentence that names line {n}.",
    "`{tool}` found {m} problems in {path}, {m} of them were fixed and the rest is about {word}.",
    "Added {m} tests for the {word} branch; they failed before and pass after {hash}.",
)
KOREAN = (
    "테스트 {n}개 모두 통과했고 `{tool}`도 깨끗합니다. {ko} 모듈을 확인했습니다.",
    "`{command}` 실행 결과 {n}개 통과, {m}개 건너뜀, {seconds}초 걸렸습니다.",
    "`{path}`의 {ko} 경쟁 상태를 고쳤습니다. 이제 {ko} 잠금을 먼저 잡습니다.",
    "`{path}` 파일을 추가하고 {ko} 함수를 {ko} 쪽으로 옮겼습니다.",
    "{hash}로 커밋하고 {word} 브랜치에 푸시했습니다.",
    "빌드는 성공했고 {ko} 경고는 {m}건 남아 있습니다.",
    "{ko} 테스트 {n}개 중 {m}개가 실패합니다. 원인은 {ko} 설정입니다.",
    "승인합니다. {ko} 변경은 {n}줄까지 직접 읽었습니다.",
    "정말 훌륭한 작업입니다! {ko} 구조가 아주 깔끔하네요.",
    "완벽합니다. {ko} 처리까지 고려하신 점이 인상적입니다.",
    "{ko} 부분은 아직 확인하지 못했습니다. {path} 쪽을 먼저 보겠습니다.",
    "린트는 이상 없고 타입 검사에서 {ko} 관련 오류 {m}건이 나왔습니다.",
    "머지해도 됩니다. {ko} 회귀 테스트도 {n}/{n} 통과입니다.",
    "{ko} 응답 시간이 {n}ms에서 {m}ms로 줄었습니다.",
    "수정이 필요합니다: `{path}:{n}`에서 {ko} 값이 비어 있으면 예외가 납니다.",
    "다음에는 {ko} 캐시 만료 시간을 {ko} 설정으로 옮기겠습니다.",
    "개발자 말로는 {ko} 작업이 끝났다고 하는데 로그는 보지 못했습니다.",
    "{ko} 배포를 마쳤고 상태 확인은 {m}ms 안에 응답합니다.",
    "말씀하신 대로 {ko} 부분을 반영했습니다. 감사합니다.",
    "다른 파일은 건드리지 않았고 {path}의 {ko} 줄만 바뀌었습니다.",
    "{ko} 마이그레이션은 실행하지 않았습니다. {ko} 권한이 없기 때문입니다.",
    "재현 스크립트로 {ko} 오류가 더 이상 나지 않는 것을 확인했습니다.",
    "{ko} 표를 지울까요, 아니면 {ko} 쪽에서 계속 읽나요?",
    "검토 결과: {ko} 설계는 좋지만 {ko} 이름이 헷갈립니다.",
    "커버리지가 {m}%에서 {n}%로 올랐고 {ko} 분기는 모두 덮였습니다.",
    "{ko} 버전 {m}.{n}에서 깨진 가져오기를 되돌렸습니다.",
)
HEADINGS = ("## What changed in {word}", "## Result", "### {ko} 결과", "## Review of {word}", "## 남은 {ko} 작업")
ITEMS = ("- ", "* ", "1. ", "- [x] ", "- [ ] ")
VERDICTS = (
    "**Verdict: APPROVED**",
    "Verdict: changes requested",
    "판정: 승인",
    "결론: 수정 필요",
    "Review result: pass",
)
CODE = (
    "```python\ndef {name}({name}: bytes, limit: int = {n}) -> bool:\n    return {name}.compare(limit, {m})\n```",
    "```\n$ {command}\n{n} passed, {m} skipped in {seconds}s\n```",
    "```ts\nexport const {name} = ({name}: string) => {name}.slice({m}, {n});\n```",
)
TABLE = "| {word} | result |\n|---|---|\n| {word} | {n} passed |\n| `{path}` | +{n} -{m} |\n| {ko} | 통과 |"
QUOTES = ("> {word} wrote that the {word} job is green.", "> {ko} 쪽은 끝났다고 들었습니다.")
TOOLS = ("ruff check", "mypy", "eslint", "cargo clippy", "tsc --noEmit", "golangci-lint run")
COMMANDS = ("pytest -q {path}", "npm test -- {name}", "go test ./{name}/...", "cargo test {name}", "make {name}")


class UnseenTexts:
    """Composes texts from a seed; of one maker no sentence comes twice."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._slots: dict[str, Callable[[], str]] = {
            "n": lambda: str(self._random.randint(30, 999)),
            "m": lambda: str(self._random.randint(2, 29)),
            "seconds": lambda: f"{self._random.uniform(0.1, 90):.2f}",
            "word": self._word,
            "name": lambda: f"{self._word()}_{self._word()}",
            "ko": lambda: "".join(self._random.choices(HANGUL, k=self._random.randint(2, 4))),
            "path": self._path,
            "hash": lambda: f"{self._random.getrandbits(28):07x}",
            "tool": lambda: self._random.choice(TOOLS),
            "command": lambda: self._filled(self._random.choice(COMMANDS)),
        }

    def text(self, size: int) -> str:
        """Return a text of about this many bytes."""
        pieces: list[str] = []
        left = size
        while left > 0:
            piece = self._section()
            pieces.append(piece)
            left -= len(piece.encode()) + 2
        return "\n\n".join(pieces).encode()[:size].decode(errors="ignore")

    def _section(self) -> str:
        chance = self._random.random()
        if chance < 0.5:
            return " ".join(self._sentences(self._random.randint(2, 5)))
        if chance < 0.72:
            mark = self._random.choice(ITEMS)
            return "\n".join(mark + sentence for sentence in self._sentences(self._random.randint(3, 6)))
        if chance < 0.8:
            return self._filled(self._random.choice(CODE))
        if chance < 0.86:
            return self._filled(TABLE)
        if chance < 0.94:
            return self._filled(self._random.choice(HEADINGS))
        return self._filled(self._random.choice(VERDICTS if chance < 0.97 else QUOTES))

    def _sentences(self, count: int) -> Iterator[str]:
        templates = self._random.choice((ENGLISH, KOREAN))
        for template in self._random.sample(templates, count):
            yield self._filled(template)

    def _filled(self, template: str) -> str:
        pieces = template.split("{")
        filled = [pieces[0]]
        for piece in pieces[1:]:
            slot, brace, rest = piece.partition("}")
            filled.append(self._slots[slot]() + rest if brace and slot in self._slots else "{" + piece)
        return "".join(filled)

    def _word(self) -> str:
        return "".join(self._random.choices(SYLLABLES, k=self._random.randint(2, 4)))

    def _path(self) -> str:
        folder, suffix = self._random.choice(FOLDERS), self._random.choice(SUFFIXES)
        return f"{folder}/{self._word()}/{self._word()}.{suffix}"
