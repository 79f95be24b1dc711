"""The scope of a delegation: which files its parts expect to be changed, and which must not be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.enforcement.language.files import (
    ADDRESS,
    MOST_CHARACTERS,
    NO_FILES,
    WORD,
    FileNames,
    file_names,
    file_set,
    has_ending,
    plain_text,
    without_particle,
)
from mama_bot.enforcement.language.lists import words_by_kind
from mama_bot.enforcement.language.patterns import compiled

TESTS_FOR = compiled(r"\btests? (?:for|of|covering|around|cover) ((?:[\w./`'\"-]+ ?){1,4})")
TESTS = compiled(
    r"([\w./`-]+) (?:(?:unit|integration|regression|e2e) )?tests?\b"
    r"|([\w./`가-힣-]+?)(?:에 대한|의|용)? (?:(?:단위|통합|회귀) )?테스트"
    r"|(?:\btests?\b|테스트)"
)
MODULES = tuple(
    compiled(expression)
    for expression in (
        r"\b(?:module|package|crate|namespace) `?([A-Za-z_][\w-]*)`?",
        r"\b([A-Za-z_][\w-]*)`? (?:module|package|crate|namespace)\b",
        r"([A-Za-z_][\w.-]*)`? ?(?:모듈|패키지|크레이트)",
    )
)
DOCUMENTS = {
    compiled(r"\b(?:documentation|docs)\b|문서"): (
        ("docs/", "doc/", "documentation/", "*.md", "*.mdx", "*.rst", "*.adoc")
    ),
    compiled(r"\breadme\b|리드미"): ("README", "README.*", "README_*.*", "README-*.*"),
    compiled(r"\b(?:changelog|change log|release notes)\b|변경 ?(?:기록|로그|이력)|릴리스 ?노트"): (
        ("CHANGELOG", "CHANGELOG.*", "CHANGES", "CHANGES.*", "HISTORY.*", "NEWS.*", "changes/", "changelog.d/")
    ),
}  # fmt: skip
ONLY = compiled(
    r"\bonly\b|\bnothing (?:else|but)\b|\bsolely\b|\bexclusively\b|[가-힣\w`)]만 |[가-힣\w`)]만$|오직|오로지"
)
FORBIDS = compiled(
    r"\b(?:do not|don't|never|must not|should not|may not|without|no changes? (?:to|in)|leave|avoid"
    r"|untouched|unchanged)\b"
    r"|지 (?:마|말|않)|지마|금지|건드리지|그대로 (?:두|유지)|제외하고는? (?:수정|변경)하지"
)
PASSES = compiled(r"\b(?:pass|passes|passed|passing|green|succeeds?)\b|통과|성공")
OUTSIDE = compiled(
    r"\b(?:outside|other than|except|besides|beyond|apart from|anything but|else than)\b"
    r"|(?:외|이외|밖|제외)(?:의|에는?|하고|한)?|말고"
)
CLAUSES = compiled(r"\n|[.;!?] +|, (?:but|and do not|and don't) |(?:지만|으나|하되|하고),? ")
_WORDS = words_by_kind("names.txt")
NO_SUBJECTS, DOMAINS = _WORDS["no_subject"], _WORDS["domain"]
ENDINGS = ("하고", "하며", "한", "된", "는", "을", "를", "및", "은", "와", "과", "도", "에")
ANY_TEST = (
    "tests/", "test/", "__tests__/", "spec/", "e2e/", "*_test.*", "test_*.*", "*.test.*", "*.spec.*", "*Test.*",
    "*Tests.*", "*_spec.*", "conftest.py",
)  # fmt: skip
LONGEST_MODULE = 8


@dataclass(frozen=True, slots=True)
class Scope:
    """What a delegation says about files; `judged` is false where it does not say enough to judge by."""

    expected: FileNames
    forbidden: FileNames
    judged: bool

    def has(self, path: str) -> bool:
        """Whether a changed path was to be expected; what is forbidden never was."""
        return path not in self.forbidden and (not self.judged or path in self.expected)


@lru_cache(maxsize=64)
def scope(*, expected_outcome: str, task: str = "", must_do: str = "", must_not_do: str = "") -> Scope:
    """Read the parts of a delegation.

    EXPECTED OUTCOME sets the scope, without names in it TASK does; what TASK and MUST DO name besides is expected too.
    A scope is judged when something in it is named by path, when every item names something, or when it says "only".
    MUST NOT DO wins, and "nothing outside X" there means "only X".
    """
    outcome = _Reading(expected_outcome)
    asked = _Reading(task)
    also = _Reading(must_do)
    never = _Reading(must_not_do, negative=True)
    leading = outcome if outcome.named else asked
    judged = leading.is_a_scope or never.only or (asked.only and bool(asked.named))
    named = dict.fromkeys((*outcome.named, *asked.named, *also.named, *never.named))
    forbidden = dict.fromkeys((*outcome.forbidden, *asked.forbidden, *also.forbidden, *never.forbidden))
    return Scope(file_set(named), file_set(forbidden), judged and bool(named))


class _Reading:
    """What one part of a delegation names, clause by clause."""

    def __init__(self, text: str, *, negative: bool = False) -> None:
        self.named: list[str] = []
        self.forbidden: list[str] = []
        self.only = False
        paths = False
        told: list[bool] = []
        plain = ADDRESS.sub(" ", plain_text(text[:MOST_CHARACTERS]))
        sources = [name for name in file_names(plain) if has_ending(name)]
        for clause in _clauses(plain):
            by_path = file_names(clause)
            meant = _meant(clause, sources)
            # Tests that pass, or any tests at all, say nothing of which files that takes.
            told.append(bool(by_path) or (bool(meant) and not PASSES.search(clause) and meant[0] != ANY_TEST[0]))
            names = [*by_path, *meant, *_dotted_modules(clause)]
            outside = OUTSIDE.search(clause) is not None
            if (negative or FORBIDS.search(clause)) and not outside:
                self.forbidden += names
                told.pop()
                continue
            self.named += names
            paths = paths or bool(by_path)
            self.only = self.only or (bool(names) and (outside or ONLY.search(clause) is not None))
        self.is_a_scope = bool(self.named) and (paths or self.only or all(told))


def _clauses(plain: str) -> list[str]:
    ends = [(match.start(), match.end()) for match in CLAUSES.finditer(plain)]
    begin, clauses = 0, []
    for start, end in ends:
        # The ending of a Korean verb belongs to the clause that it ends.
        clauses.append(plain[begin:end] if plain[start : start + 1] > "\x7f" else plain[begin:start])
        begin = end
    clauses.append(plain[begin:])
    return [clause for clause in clauses if any(sign.isalnum() or sign == "*" for sign in clause)]


def _meant(clause: str, sources: Sequence[str]) -> list[str]:
    """What a clause means without a path: tests, documents, modules that it calls so or by a long dotted name."""
    names = [*_tests(clause, sources), *_called_modules(clause), *_dotted_modules(clause, least=3)]
    for pattern, globs in DOCUMENTS.items():
        if pattern.search(clause):
            names += globs
    return names


def _dotted_modules(clause: str, least: int = 2) -> Iterator[str]:
    """Modules by dotted name, as the files that may hold them; of two parts it may as well be a method."""
    for match in WORD.finditer(clause):
        word = without_particle(match.group().strip(".,"))
        parts = word.split(".")
        dotted = least <= len(parts) < LONGEST_MODULE and all(part.isidentifier() and part.isascii() for part in parts)
        known = not dotted or has_ending(word) or word.lower() in NO_FILES or parts[-1].lower() in DOMAINS
        if not known and len(parts[0]) > 1:
            path, holder = "/".join(parts), "/".join(parts[:-1])
            yield from (f"{path}.*", f"{path}/**", f"{holder}.*", f"{holder}/__init__.py")


def _called_modules(clause: str) -> Iterator[str]:
    """Identifiers that are said to be a module."""
    for match in (match for pattern in MODULES for match in pattern.finditer(clause)):
        name = match.group(1)
        if name.lower() not in NO_SUBJECTS and not has_ending(name):
            for form in dict.fromkeys((name, snake(name), camel(name))):
                yield from (f"{form}.*", f"{form}/**")


def _tests(clause: str, sources: Sequence[str]) -> Iterator[str]:
    """The test files that "tests for X" means; without an X, those of the named source files, else any."""
    named = False
    for match in TESTS_FOR.finditer(clause):
        for form in _names_of_tests_for(match.group(1)):
            named = True
            yield form
    for match in TESTS.finditer(clause):
        for form in _names_of_tests_for(match.group(1) or match.group(2) or ""):
            named = True
            yield form
    if not named and TESTS.search(clause):
        known = [form for source in sources for form in names_of_tests(source)]
        yield from known or ANY_TEST


def _names_of_tests_for(subjects: str) -> Iterator[str]:
    """The tests of what is named; a subject in Korean is in no file name, so any test may be meant."""
    telling = [word for word in (word.strip("`\"'.,") for word in subjects.split()) if is_subject(word)]
    for word in telling:
        yield from names_of_tests(word) if word.isascii() else ()


def is_subject(word: str) -> bool:
    """Whether a word beside "tests" says what is tested."""
    return bool(word) and word.lower() not in NO_SUBJECTS and not (not word.isascii() and word.endswith(ENDINGS))


@lru_cache(maxsize=512)
def names_of_tests(subject: str) -> tuple[str, ...]:
    """The names that the tests of a source file, or of something called so, may have in the common languages."""
    base = subject.rstrip("/").rsplit("/", 1)[-1]
    stem = base.rsplit(".", 1)[0] if has_ending(base) else base.rsplit(".", 1)[-1]
    for before, after in (("test_", "_test"), ("Test", "Test"), ("", ".test"), ("", ".spec"), ("", "_spec")):
        stem = stem.removeprefix(before).removesuffix(after)
    if not stem.replace("_", "").replace("-", "").isalnum():
        return ()
    names: list[str] = []
    for form in dict.fromkeys((stem, stem.lower(), snake(stem), camel(stem), _singular(stem))):
        names += (
            f"test_{form}*.*", f"test_*_{form}.*", f"{form}_test.*", f"{form}_*_test.*", f"*_{form}_test.*",
            f"{form}.test.*", f"{form}.*.test.*", f"{form}.spec.*", f"{form}.*.spec.*", f"{form}-test.*",
            f"{form}Test.*", f"{form}Tests.*", f"{form}IT.*", f"{form}*Test.*", f"{form}_spec.*", f"{form}.feature",
            f"tests/{form}.*", f"tests/**/{form}/**", f"__tests__/**/{form}.*", f"__snapshots__/{form}*",
        )  # fmt: skip
    return tuple(names)


def _singular(stem: str) -> str:
    return stem[:-1] if stem.endswith("s") and len(stem) > len("bus") else stem


def snake(name: str) -> str:
    """`AuthService` and `auth-service` as `auth_service`."""
    pieces = [f"_{sign.lower()}" if sign.isupper() and index else sign.lower() for index, sign in enumerate(name)]
    return "".join(pieces).replace("-", "_").replace("__", "_")


def camel(name: str) -> str:
    """`auth_service` and `auth-service` as `AuthService`."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))
