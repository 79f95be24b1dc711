"""What a delegation says about files, in English and Korean."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.enforcement.scope.delegated_scope import names_of_tests, scope
from mama_bot.text.paths import file_names, file_set


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
        ("문서는 수정 금지", "docs/a.md guide.md", "src/a.py"),
        ("테스트 파일은 건드리지 말 것", "tests/test_a.py", "src/a.py"),
        ("- Do not touch the tests.", "tests/test_a.py", "src/a.py"),
        ("Leave src/a.py and src/b.py alone", "src/a.py src/b.py", "src/c.py"),
        ("src/a.py must not be changed", "src/a.py", "src/c.py"),
        ("modify `migrations/`", "migrations/1.sql", "src/c.py"),
        ("src/a.py 수정", "src/a.py", "src/c.py"),
        ("src/a.py와 src/b.py는 절대 고치지 마세요", "src/a.py src/b.py", "src/c.py"),
        ("- migrations/\n- src/a.py", "migrations/1.sql src/a.py", "src/c.py"),
        ("Don't delete or rename src/*.sql", "src/a.sql", "src/c.py"),
        ("No new files in src/gen/; no changes to docs", "docs/a.md", "src/c.py"),
        ("never edit package.json by hand", "package.json", "edit.py"),
        ("the module billing must stay unchanged", "src/billing.py", "src/c.py"),
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


@pytest.mark.parametrize(
    ("outcome", "path"),
    [
        ("- src/auth.py never logs the token", "src/auth.py"),
        ("- src/auth.py works without the cache", "src/auth.py"),
        ("- src/a.py: avoid the race", "src/a.py"),
        ("- src/auth.py에서 토큰이 로그에 남지 않는다", "src/auth.py"),
        ("- src/auth.py는 None을 반환하지 않습니다", "src/auth.py"),
        ("- src/auth.py does not change the session", "src/auth.py"),
        ("- src/auth.py에서 전역 상태를 변경하지 않는다", "src/auth.py"),
        ("- src/cache.py is updated without touching the database", "src/cache.py"),
    ],
)
def test_a_file_that_a_negated_sentence_is_about_is_still_asked_for(outcome: str, path: str) -> None:
    asked = scope(expected_outcome=outcome)
    assert asked.judged
    assert asked.has(path)
    assert not asked.has("src/other.py")


@pytest.mark.parametrize(
    "must_not",
    [
        "Do not weaken the existing tests",
        "테스트를 삭제하지 말 것",
        "Do not change the public API of src/auth.py",
        "src/auth.py의 공개 API를 변경하지 마세요",
        "The signature in src/auth.py must not be changed",
        "No documentation in German",
        "Do not skip tests in tests/test_auth.py",
        "Break src/auth.py",
        "no new dependencies",
        "Do not touch the tests",
        "문서는 건드리지 말 것",
    ],
)
def test_what_must_not_be_done_forbids_no_file_that_is_asked_for(must_not: str) -> None:
    asked = scope(
        expected_outcome="- src/auth.py is faster\n- tests/test_auth.py covers it\n- docs/auth.md says so",
        must_not_do=must_not,
    )
    assert all(asked.has(path) for path in ("src/auth.py", "tests/test_auth.py", "docs/auth.md"))
    assert asked.judged


@pytest.mark.parametrize(
    ("written", "roots"),
    [
        ("/home/me/repo/src/a.py", ("/home/me/repo",)),
        ("`/home/me/repo/src/a.py`를 고친다", ("/mnt/repo", "/home/me/repo")),
        ("~/repo/src/a.py", ("/home/me/repo",)),
        (r"C:\repo\src\a.py", ("/home/me/repo",)),
        ('"/home/me/my repo/src/a.py" is faster', ("/home/me/my repo",)),
        ("/home/me/repo/src/", ("/home/me/repo/",)),
        ("/home/me/repo/src/*.py", ("/home/me/repo",)),
    ],
)
def test_absolute_names_are_those_below_the_root(written: str, roots: tuple[str, ...]) -> None:
    asked = scope(expected_outcome=f"- {written}", must_not_do="do not touch /home/me/repo/b.py", roots=roots)
    assert asked.judged
    assert asked.has("src/a.py")
    assert not asked.has("a.py")
    assert not asked.has("other/c.py")


def test_the_root_itself_is_everything_below_it() -> None:
    asked = scope(expected_outcome="- everything in /home/me/repo/", roots=("/home/me/repo",))
    assert asked.has("src/a.py")
    assert not scope(expected_outcome="- /etc/hosts.txt", roots=("/home/me/repo",)).has("src/a.py")


@pytest.mark.parametrize(
    "name", ["app/[user-id]/page.tsx", "posts/[post-slug].tsx", "app/[z-a]/[...all]/x.ts", "[a-b-c].py"]
)
def test_brackets_in_names_are_taken_as_they_stand(name: str) -> None:
    asked = scope(expected_outcome=f"- {name} and src/*.py")
    assert asked.has(name)
    assert asked.has("src/a.py")
    assert not asked.has("other.py")


def test_a_choice_of_characters_is_still_one() -> None:
    assert "a1.py" in file_set(["a[0-9].py"])
    assert "ax.py" not in file_set(["a[0-9].py"])


@given(st.lists(st.text(alphabet="ab[]{}-!*?,/.\\(|^$é ", max_size=12), max_size=4))
def test_no_name_spoils_the_others(names: list[str]) -> None:
    assert "src/sure.py" in file_set([*names, "src/sure.py"])


@pytest.mark.parametrize(
    "outcome",
    [
        "- user.profile.name is shown",
        "- config.database.url read from the environment",
        "- self.cache.clear is called",
        "- GET /api/v1/users/list answers faster",
        "- GET /users/{id} returns 404",
        "- `api/users` 엔드포인트가 빨라진다",
        "- the endpoint /api/users is faster",
        "- Redis/Postgres/MySQL backends",
        "- only Redis/Postgres/MySQL backends",
        "- A/B/C work",
        "- moment.js is replaced by the platform's own",
        "- /users/list answers",
    ],
)
def test_prose_with_dots_and_slashes_is_no_scope(outcome: str) -> None:
    assert not scope(expected_outcome=outcome).judged
    beside = scope(expected_outcome=f"{outcome}\n- src/a.py is faster")
    assert beside.has("src/a.py")
    assert not beside.has("src/b.py")


def test_names_that_may_be_files_widen_a_scope() -> None:
    asked = scope(expected_outcome="- mypkg/auth/tokens is typed\n- billing.core.tax too\n- src/a.py")
    assert all(asked.has(path) for path in ("mypkg/auth/tokens/x.py", "billing/core/tax.py", "src/a.py"))


def test_many_sources_with_tests_mean_any_test() -> None:
    named = "\n".join(f"- src/module_{number}.py" for number in range(199))
    asked = scope(expected_outcome=f"{named}\n- with tests")
    assert asked.has("src/module_7.py")
    assert asked.has("tests/test_anything.py")
    assert not asked.has("src/other.py")


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
    if asked.forbids(path):
        assert not asked.has(path)
    assert asked.has(path) or asked.judged or asked.forbids(path)


@given(TEXT)
def test_every_name_is_of_the_text(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text).replace("\\", "/")
    assert all(name in plain for name in file_names(text))


@given(st.text(max_size=40))
def test_tests_of_anything_are_globs_that_compile(subject: str) -> None:
    assert "nothing like it at all.xyz" not in file_set(names_of_tests(subject))
