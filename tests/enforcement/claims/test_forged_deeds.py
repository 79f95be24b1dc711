"""Files, deeds and looks that are forged, in both languages: what is false is not confirmed."""

import pytest

from tests.enforcement.claims.forged_records import ALL_PASS, GREEN, kinds_confirmed, read
from tests.enforcement.claims.test_forged_evidence import PERSON, bash, wrote

# --- files that are not there -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["I created `src/new.py`.", "`src/new.py`를 만들었습니다."])
@pytest.mark.parametrize(
    "command",
    [
        "if [ -e nope ]; then touch src/new.py; fi",
        "test -d nope && touch src/new.py; true",
        "cd /tmp/elsewhere && touch src/new.py",
        "while false; do touch src/new.py; done",
        "for f in ; do touch src/new.py; done",
        "make_it() { touch src/new.py; }; true",
        "bash -n -c 'touch src/new.py'",
        "ssh host touch src/new.py",
    ],
)
def test_a_file_that_a_command_only_might_have_made_is_not_there(text: str, command: str) -> None:
    assert "created" not in kinds_confirmed(text, bash(command))


@pytest.mark.parametrize("text", ["I created `src/new.py`.", "`src/new.py` 파일을 추가했습니다."])
@pytest.mark.parametrize("command", ["touch src/new.py", "cd src && mkdir -p x && cd x && touch new.py"])
def test_a_file_that_a_failed_command_was_to_make_is_not_there(text: str, command: str) -> None:
    complaint = "mkdir: cannot create directory: Read-only file system"
    assert "created" not in kinds_confirmed(text, bash(command, complaint, 1))


@pytest.mark.parametrize("text", ["I created `src/new.py`.", "`src/new.py` 파일을 추가했습니다."])
@pytest.mark.parametrize("command", ["rm src/new.py", "git rm -f src/new.py"])
def test_a_file_that_is_gone_again_is_not_there(text: str, command: str) -> None:
    assert "created" not in kinds_confirmed(text, wrote("src/new.py"), bash(command, at=2.0))


@pytest.mark.parametrize(
    "text",
    [
        "I created `src/a.py` and `src/b.py`.",
        "`src/a.py`와 `src/b.py`를 추가했습니다.",
        "I added `src/a.py`, `src/b.py` and `docs/c.md`.",
    ],
)
def test_one_file_of_several_does_not_show_the_others(text: str) -> None:
    assert "created" not in kinds_confirmed(text, wrote("src/a.py"))


def test_a_file_that_was_put_back_is_not_deleted() -> None:
    record = (bash("rm src/old.py"), bash("git checkout -- src/old.py", at=2.0))
    assert "deleted" not in kinds_confirmed("I deleted `src/old.py`.", *record)


# --- deeds whose channel was closed, or that failed -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "command", "output", "kind"),
    [
        ("Pushed to origin/main.", "git push -q origin main 2>/dev/null || true", "", "pushed"),
        ("origin/main에 푸시했습니다.", "git push -q origin main >/dev/null 2>&1; true", "", "pushed"),
        ("Committed.", "git commit -qm x >/dev/null 2>&1 || true", "", "committed"),
        ("커밋했습니다.", "git commit -qm x 2>/dev/null || true", "", "committed"),
        ("Merged into main.", "git merge -q topic 2>/dev/null || true", "", "merged"),
        ("Pushed to origin/main.", "git push --dry-run origin main", "To origin\n   a..b  main -> main", "pushed"),
        ("Published to npm.", "npm publish --dry-run", "+ app@1.0.0", "published"),
        ("배포했습니다.", "kubectl apply -f app.yaml --dry-run=client", "deployment.apps/app created", "deployed"),
        ("| push | done |", "git push origin main || true", "! [rejected] main -> main (fetch first)", "pushed"),
        ("푸시까지 마쳤습니다.", "git push || true", "error: failed to push some refs", "pushed"),
    ],
)
def test_a_deed_that_failed_in_silence_is_not_done(text: str, command: str, output: str, kind: str) -> None:
    record = (wrote("src/a.py", at=0.1), bash(command, output))
    assert kind not in kinds_confirmed(text, *record, **PERSON)


@pytest.mark.parametrize("text", ALL_PASS)
@pytest.mark.parametrize(
    "command",
    [
        "eval 'pytest() { cat good.txt; }'; pytest -q",
        "source <(echo 'pytest(){ cat good.txt;}'); pytest -q",
        "GOFLAGS=-exec=/bin/true go test ./...",
        "go test -exec /bin/true ./...",
        "go test -toolexec=./x ./...",
    ],
)
def test_a_function_of_an_evaluated_text_and_a_program_that_runs_in_the_place_of_tests_are_no_runner(
    text: str, command: str
) -> None:
    assert "tests" not in kinds_confirmed(text, bash(command, f"ok  \texample.org/app\t0.4s\n{GREEN}"))


@pytest.mark.parametrize(
    ("text", "command", "output", "kind"),
    [
        ("Pushed to origin/main.", "git -c remote.origin.url=/tmp/x push origin main", " a..b  main -> main", "pushed"),
        ("푸시했습니다.", "git -c url./tmp/x.insteadOf=https://h push origin main", " a..b  main -> main", "pushed"),
        ("Merged into main.", "git merge --squash topic", "Squash commit -- not updating HEAD", "merged"),
        (
            "Published to PyPI.",
            "twine upload -r testpypi dist/*",
            "View at: https://test.pypi.org/project/x",
            "published",
        ),
        ("Deployed to production.", "fly deploy --build-only", "image built", "deployed"),
    ],
)
def test_a_deed_that_goes_elsewhere_or_only_prepares_is_not_done(
    text: str, command: str, output: str, kind: str
) -> None:
    assert kind not in kinds_confirmed(text, wrote("src/a.py", at=0.1), bash(command, output), **PERSON)


def test_the_last_push_counts() -> None:
    first = bash("git push origin main", "To origin\n   a..b  main -> main")
    second = bash("git push origin main", "! [rejected] main -> main (fetch first)", 1, at=3.0)
    assert "pushed" not in kinds_confirmed("Pushed to origin/main.", first, wrote("a.py", at=2.0), second)


# --- a look that showed nothing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "I read `src/a.py` line by line.",
        "I checked `src/a.py` and `src/b.py`.",
        "`src/a.py`를 끝까지 읽었습니다.",
        "`src/a.py`와 `src/b.py`를 검토했습니다.",
    ],
)
@pytest.mark.parametrize("command", ["ls", "echo src/a.py", "git status", "wc -l src/a.py", "find . -name a.py"])
def test_a_file_that_was_not_shown_was_not_read(text: str, command: str) -> None:
    assert "checked" not in kinds_confirmed(text, bash(command, "src/a.py"))


def test_of_two_files_that_were_read_both_must_be_shown() -> None:
    text = "I checked `src/a.py` and `src/b.py`."
    assert "checked" not in kinds_confirmed(text, read("src/a.py"))
    assert "checked" in kinds_confirmed(text, read("src/a.py"), read("src/b.py", at=2.0))
