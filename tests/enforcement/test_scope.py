"""What a delegation says about files, in English and Korean."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.enforcement.language.files import file_names, file_set
from mama_bot.enforcement.language.scope import names_of_tests, scope


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("src/**/*.py and `My File.txt`", ("My File.txt", "src/**/*.py")),
        ("under src/auth", ("src/auth",)),
        ("src/auth 폴더 아래", ("src/auth",)),
        ("mama_bot/foo.py에서만 수정", ("mama_bot/foo.py",)),
        ("a.py, b.py,c.py", ("a.py", "b.py", "c.py")),
        ("components/{Button,Card}.tsx", ("components/{Button,Card}.tsx",)),
        ("`새 파일.txt`과 문서/설계.md를 고친다", ("새 파일.txt", "문서/설계.md")),
        ("app/[id]/page.tsx", ("app/[id]/page.tsx",)),
        ("Makefile, Dockerfile and .github/workflows/ci.yml.", ("Makefile", "Dockerfile", ".github/workflows/ci.yml")),
        (".env와 .gitignore", (".env", ".gitignore")),
        ("version 1.2.3, v2.0, 3.5 and 10.0.1", ()),
        ("e.g. this, i.e. that, etc.", ()),
        ("https://example.com/a.py and me@example.com or www.example.org/b.js", ()),
        ("and/or, he/she, 24/7, n/a, client/server, login/logout", ()),
        ("Node.js and Next.js work. Then stop.", ()),
        ("It ends.Here begins another", ()),
        ("hmac.compare_digest is used", ()),
        ("더 빠른 로그인. 끝.", ()),
    ],
)
def test_names_of_files(text: str, names: tuple[str, ...]) -> None:
    assert file_names(text) == names


@pytest.mark.parametrize(
    ("outcome", "inside", "outside"),
    [
        ("- src/**/*.py", "src/a.py src/x/y.py", "src/a.js tests/a.py"),
        ("- everything under src/auth/ works", "src/auth/a.py src/auth/x/b.sql", "src/a.py"),
        ("- src/auth.py and tests for auth", "src/auth.py tests/test_auth.py web/auth.test.ts", "src/b.py"),
        ("- Write tests for auth", "tests/test_auth.py auth_test.go AuthTest.java spec/auth_spec.rb", "src/auth.py"),
        ("- auth 테스트 작성", "tests/test_auth_tokens.py tests/auth.rs", "src/auth.py tests/test_b.py"),
        (
            "- src/auth_service.py is faster, with tests",
            "tests/test_auth_service.py AuthServiceTest.kt",
            "tests/test_b.py",
        ),
        ("- src/auth.py를 수정하고 테스트를 추가한다", "src/auth.py tests/test_auth.py", "src/b.py"),
        ("- README와 CHANGELOG를 갱신한다", "README.md CHANGELOG.md README", "src/a.py"),
        ("- the documentation is up to date", "docs/a/b.md guide.rst", "src/a.py"),
        ("- 문서를 갱신한다", "docs/a.md", "src/a.py"),
        ("- app.auth.tokens is typed", "src/app/auth/tokens.py app/auth/tokens/__init__.py", "app/b.py"),
        ("- the module `billing` has types", "src/billing.py billing/a.py", "src/b.py"),
        ("- billing 모듈만 수정", "src/billing.ts", "src/b.ts"),
        ("- only touch src/a.py", "src/a.py", "src/b.py"),
        ('- "my notes.md" exists', "my notes.md docs/my notes.md", "notes.md"),
        ("- a.py exists; do not touch b.py", "a.py", "b.py c.py"),
        ("- a.py만 수정하고 b.py는 건드리지 마세요", "a.py", "b.py"),
        ("- app/[id]/page.tsx", "app/[id]/page.tsx", "app/x.tsx"),
        ("- src/{a,b}.ts", "src/a.ts src/b.ts", "src/c.ts"),
    ],
)
def test_the_scope_of_an_outcome(outcome: str, inside: str, outside: str) -> None:
    asked = scope(expected_outcome=outcome)
    assert asked.judged
    paths = ["my notes.md", "docs/my notes.md"] if "my notes" in inside else inside.split()
    assert [path for path in paths if not asked.has(path)] == []
    assert [path for path in outside.split() if asked.has(path)] == []


@pytest.mark.parametrize(
    "outcome",
    [
        "The log-in is faster.",
        "로그인이 더 빨라진다",
        "- log-in works\n- the documentation is updated",
        "- 로그인이 된다\n- 테스트를 추가한다",
        "- hmac.compare_digest is used",
        "- `pnpm test` passes",
        "- the tests for auth pass",
        "- auth 테스트가 통과한다",
        "- version 2.0 of https://example.com/a.py is supported",
    ],
)
def test_an_outcome_that_does_not_say_enough_is_not_judged(outcome: str) -> None:
    assert not scope(expected_outcome=outcome).judged


@pytest.mark.parametrize(
    ("must_not", "forbidden", "free"),
    [
        ("Do not touch migrations/", "migrations/0001.sql", "src/a.py"),
        ("src/secret.py를 수정하지 마세요", "src/secret.py", "src/a.py"),
        ("no changes to the tests", "tests/test_a.py", "src/a.py"),
        ("문서는 수정 금지", "docs/a.md README.md", "src/a.py"),
        ("app.auth.tokens", "app/auth/tokens.py", "src/a.py"),
    ],
)
def test_what_must_not_be_done_wins(must_not: str, forbidden: str, free: str) -> None:
    alone = scope(expected_outcome="", must_not_do=must_not)
    both = scope(
        expected_outcome="- everything in src/, tests/, docs/, app/, migrations/, README.md", must_not_do=must_not
    )
    for path in forbidden.split():
        assert not alone.has(path)
        assert not both.has(path)
    assert alone.has(free)


@pytest.mark.parametrize("must_not", ["Change nothing outside src/auth.py", "src/auth.py 외에는 수정하지 마세요"])
def test_nothing_outside_a_file_means_only_that_file(must_not: str) -> None:
    asked = scope(expected_outcome="Faster log-in", must_not_do=must_not)
    assert asked.has("src/auth.py")
    assert not asked.has("src/b.py")


def test_task_and_must_do_widen_the_scope_and_the_task_is_the_fall_back() -> None:
    asked = scope(expected_outcome="- tests/test_a.py passes", task="Refactor src/a.py", must_do="Update CHANGELOG.md")
    assert all(asked.has(path) for path in ("tests/test_a.py", "src/a.py", "CHANGELOG.md"))
    assert not asked.has("src/b.py")
    assert not scope(expected_outcome="", task="Refactor src/a.py").has("src/b.py")


def test_korean_names_match_however_the_file_system_stores_them() -> None:
    assert "\u1106\u116e\u11ab\u1109\u1165.md" in file_set(["문서.md"])


PIECES = [
    "src/a.py",
    "only",
    "만",
    "*.{py,js}",
    "[a-",
    "**",
    "/",
    "`",
    "do_not",
    "tests_for",
    "테스트",
    "외에는",
    "�",
    "app.b.c",
    "module_x",
]
TEXT = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join).map(
    lambda text: text.replace("_", " ")
)


@given(TEXT, TEXT, st.text(max_size=60))
def test_nothing_raises_and_what_is_forbidden_is_never_in_scope(outcome: str, must_not: str, path: str) -> None:
    asked = scope(expected_outcome=outcome, must_not_do=must_not)
    if path in asked.forbidden:
        assert not asked.has(path)
    assert asked.has(path) or asked.judged or path in asked.forbidden


@given(TEXT)
def test_every_name_is_of_the_text(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text).replace("\\", "/")
    assert all(name in plain for name in file_names(text))


@given(st.text(max_size=40))
def test_tests_of_anything_are_globs_that_compile(subject: str) -> None:
    assert "nothing like it at all.xyz" not in file_set(names_of_tests(subject))
