"""The scope of a delegation: the files that its parts expect to be changed, and those that must not be."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.enforcement.scope.prohibitions import CHANGES, forbidden_in
from mama_bot.text.paths import (
    ADDRESS,
    MOST_CHARACTERS,
    NO_FILES,
    WORD,
    FileNames,
    file_names,
    file_set,
    has_ending,
    is_telling,
    plain_text,
    relative_name,
    without_particle,
)
from mama_bot.text.patterns import compiled
from mama_bot.text.word_lists import words_by_kind

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
    r"\b(?:do not|don't|never|must not|should not|may not|without"
    r"|no changes? (?:to|in)"  # no changes to
    r"|leave|avoid|untouched|unchanged)\b"
    r"|지 (?:마|말|않)"  # 고치지 마세요
    r"|지마|금지|건드리지"
    r"|그대로 (?:두|유지)"  # 그대로 두세요
    r"|제외하고는? (?:수정|변경)하지"  # 제외하고는 수정하지
)
PASSES = compiled(r"\b(?:pass|passes|passed|passing|green|succeeds?)\b|통과|성공")
OUTSIDE = compiled(
    r"\b(?:outside|other than|except|besides|beyond|apart from|anything but|else than)\b"
    r"|(?:외|이외|밖|제외)(?:의|에는?|하고|한)?"  # 이외의
    r"|말고"
)
CLAUSES = compiled(r"\n|[.;!?] +|, (?:but|and do not|and don't) |(?:지만|으나|하되|하고),? ")
_WORDS = words_by_kind("names.txt")
NO_SUBJECTS, DOMAINS, MODULE_ROOTS = _WORDS["no_subject"], _WORDS["domain"], _WORDS["module_root"]
ENDINGS = ("하고", "하며", "한", "된", "는", "을", "를", "및", "은", "와", "과", "도", "에")
ANY_TEST = (
    "tests/", "test/", "__tests__/", "spec/", "e2e/", "*_test.*", "test_*.*", "*.test.*", "*.spec.*", "*Test.*",
    "*Tests.*", "*_spec.*", "conftest.py",
)  # fmt: skip
LONGEST_MODULE = 8
MOST_SOURCES = 25  # whose tests are told apart; of more, any test may be meant
NO_NAMES = file_set(())


@dataclass(frozen=True, slots=True)
class Scope:
    """What a delegation says about files; `judged` is false where it says too little to judge by.

    `left_alone` are tests or documents that it only names as such, `explicit` the files that the outcome names itself.
    """

    expected: FileNames
    forbidden: FileNames
    judged: bool
    left_alone: FileNames = NO_NAMES
    explicit: FileNames = NO_NAMES

    @property
    def says_anything(self) -> bool:
        """Whether there is anything to judge by."""
        return self.judged or bool(self.forbidden.names or self.left_alone.names)

    @property
    def has_absolute_names(self) -> bool:
        """Whether a name in it begins at the root or at home."""
        return any(name.startswith(("/", "~/")) for name in (*self.expected.names, *self.forbidden.names))

    def forbids(self, path: str) -> bool:
        """Return whether a file was not to be changed."""
        return path in self.forbidden or (path in self.left_alone and path not in self.explicit)

    def has(self, path: str) -> bool:
        """Return whether a change of this path was to be expected; never for a forbidden one."""
        return not self.forbids(path) and (not self.judged or path in self.expected)


@lru_cache(maxsize=64)
def scope(
    *, expected_outcome: str, task: str = "", must_do: str = "", must_not_do: str = "", roots: tuple[str, ...] = ()
) -> Scope:
    """Read the parts of a delegation; absolute names are taken relative to the `roots`.

    EXPECTED OUTCOME sets the scope, or TASK where the outcome names nothing; what TASK and MUST DO name is expected
    too. A scope is judged when something in it is named by path, when every item names something, or when it says
    "only". MUST NOT DO outweighs all, and "nothing outside X" there means "only X".
    """
    outcome = _Reading(expected_outcome, roots)
    asked = _Reading(task, roots)
    also = _Reading(must_do, roots)
    never = _Reading(must_not_do, roots, negative=True)
    leading = outcome if outcome.telling else asked
    judged = leading.is_a_scope or never.only or (asked.only and bool(asked.named))
    parts = (outcome, asked, also, never)
    named = dict.fromkeys(name for part in parts for name in part.named)
    return Scope(
        expected=file_set(named),
        forbidden=file_set(dict.fromkeys(name for part in parts for name in part.forbidden)),
        judged=judged and bool(named),
        left_alone=file_set(dict.fromkeys(name for part in parts for name in part.left_alone)),
        explicit=file_set(name for name in outcome.by_path if "*" not in name and not name.endswith("/")),
    )


class _Reading:
    """What one part of a delegation names, clause by clause."""

    def __init__(self, text: str, roots: tuple[str, ...], *, negative: bool = False) -> None:
        self.named: list[str] = []
        self.by_path: list[str] = []
        self.forbidden: list[str] = []
        self.left_alone: list[str] = []
        self.only = self.telling = paths = False
        told: list[bool] = []
        plain = ADDRESS.sub(" ", plain_text(text[:MOST_CHARACTERS]))
        sources = [name for name in file_names(plain) if has_ending(name)]
        for clause in _clauses(plain):
            # What is written, and the names that it stands for.
            written = {name: (relative_name(name, roots),) for name in file_names(clause)}
            rest = _without(clause, written)
            others = _dotted_modules(rest) | _called_modules(rest)
            outside = OUTSIDE.search(clause) is not None
            if not outside:
                never = forbidden_in(clause, (*written, *others), negative=negative)
                self.forbidden += [form for name in never.names for form in (written | others)[name]]
                self.left_alone += _topics(clause) if never.left_alone else ()
                if negative or never.left_alone:
                    continue
                if never.names or (FORBIDS.search(clause) and not written):
                    written = {name: forms for name, forms in written.items() if name not in never.names}
                    others = {}
                    if not written:
                        continue
            by_path = [form for forms in written.values() for form in forms]
            meant = _meant(clause, sources)
            sure = any(is_telling(name) for name in by_path)
            # Tests that pass, or any tests at all, say nothing of which files that takes.
            says = bool(meant) and not PASSES.search(clause) and meant[0] != ANY_TEST[0]
            told.append(sure or says)
            names = [*by_path, *meant, *(form for forms in others.values() for form in forms)]
            self.named += names
            self.by_path += by_path
            paths = paths or sure
            telling = sure or bool(meant)
            self.telling = self.telling or telling
            self.only = self.only or (telling and (outside or ONLY.search(clause) is not None))
        self.is_a_scope = bool(self.named) and (paths or self.only or (bool(told) and all(told)))


def _without(clause: str, names: Iterable[str]) -> str:
    """Return a clause without the names in it, so that the "package" of package.json is not read as a word."""
    for name in sorted(names, key=len, reverse=True):
        clause = clause.replace(name, ";")
    return clause


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
    """Return what a clause means without naming a path: tests, documents, modules by name or by a long dotted name."""
    dotted = _dotted_modules(clause, least=3)
    modules = _called_modules(clause) | {name: dotted[name] for name in dotted if name.split(".")[0] in MODULE_ROOTS}
    names = [*_tests(clause, sources), *(form for forms in modules.values() for form in forms)]
    return [*names, *_documents(clause)]


def _documents(clause: str) -> list[str]:
    return [name for pattern, globs in DOCUMENTS.items() if pattern.search(clause) for name in globs]


def _topics(clause: str) -> list[str]:
    """Return all tests and all documents, as far as a clause speaks of them."""
    return [*(ANY_TEST if TESTS.search(clause) else ()), *_documents(clause)]


def _dotted_modules(clause: str, least: int = 2) -> dict[str, tuple[str, ...]]:
    """Return the files that may hold each module named with dots; of two parts the last may be a method."""
    files_by_module: dict[str, tuple[str, ...]] = {}
    for match in WORD.finditer(clause):
        word = without_particle(match.group().strip(".,"))
        parts = word.split(".")
        dotted = least <= len(parts) < LONGEST_MODULE and all(part.isidentifier() and part.isascii() for part in parts)
        known = not dotted or has_ending(word) or word.lower() in NO_FILES or parts[-1].lower() in DOMAINS
        if not known and len(parts[0]) > 1:
            path, holder = "/".join(parts), "/".join(parts[:-1])
            files_by_module[word] = (f"{path}.*", f"{path}/**", f"{holder}.*", f"{holder}/__init__.py")
    return files_by_module


def _called_modules(clause: str) -> dict[str, tuple[str, ...]]:
    """Return the files that may hold each identifier that a clause calls a module."""
    files_by_module: dict[str, tuple[str, ...]] = {}
    for match in (match for pattern in MODULES for match in pattern.finditer(clause)):
        name = match.group(1)
        if name.lower() not in NO_SUBJECTS and not has_ending(name) and not CHANGES.fullmatch(name):
            forms = dict.fromkeys((name, snake(name), camel(name)))
            files_by_module[name] = tuple(file for form in forms for file in (f"{form}.*", f"{form}/**"))
    return files_by_module


def _tests(clause: str, sources: Sequence[str]) -> Iterator[str]:
    """Yield the test files that "tests for X" means; without an X those of the named source files, else any."""
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
        few = sources if len(sources) <= MOST_SOURCES else ()
        yield from [form for source in few for form in names_of_tests(source)] or ANY_TEST


def _names_of_tests_for(subjects: str) -> Iterator[str]:
    """Yield the tests of named subjects; a Korean subject is in no file name, so it yields nothing."""
    telling = [word for word in (word.strip("`\"'.,") for word in subjects.split()) if is_subject(word)]
    for word in telling:
        yield from names_of_tests(word) if word.isascii() else ()


def is_subject(word: str) -> bool:
    """Return whether a word beside "tests" says what is tested."""
    return bool(word) and word.lower() not in NO_SUBJECTS and not (not word.isascii() and word.endswith(ENDINGS))


@lru_cache(maxsize=512)
def names_of_tests(subject: str) -> tuple[str, ...]:
    """Return the names that the tests of a source file or subject may have in the common languages."""
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
    """Return `AuthService` and `auth-service` as `auth_service`."""
    pieces = [f"_{sign.lower()}" if sign.isupper() and index else sign.lower() for index, sign in enumerate(name)]
    return "".join(pieces).replace("-", "_").replace("__", "_")


def camel(name: str) -> str:
    """Return `auth_service` and `auth-service` as `AuthService`."""
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))
