"""Command lines that are what they say, and all others."""

import pytest

from mama_bot.facts.plain_commands import is_ordinary, is_plain

PLACE = "/srv/shop"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "python -m pytest tests/test_pay.py -x",
        "cd web && npx jest --coverage 2>&1 | tail -20",
        "pytest -q | tail -1",
        "timeout 60 uv run pytest -q; echo $?",
        "CI=1 npm run test",
        "PYTHONPATH=src python -m unittest discover -s tests",
        "go test ./... -count=1",
        "npx eslint . --max-warnings 0",
        "git add -A && git commit -m \"$(cat <<'EOF'\nRound up\nEOF\n)\" && git push -u origin main",
    ],
)
def test_a_known_program_with_known_options_is_plain(command: str) -> None:
    assert is_plain(command, PLACE)


@pytest.mark.parametrize(
    "command",
    [
        "./run pytest -q",
        "PYTEST_ADDOPTS=-x pytest -q",
        "PYTHONPATH=/tmp/x pytest -q",
        "pytest -q -p green",
        "pytest -q -c /tmp/green.ini",
        "pytest -q || true; cat ok.txt",
        "pytest() { cat ok.txt; }; pytest -q",
        "bash -c 'pytest -q'",
        "pytest -q | grep passed",
        "go test ./... | tail -1",
        "pytest -q > out.txt",
        "pytest -q &",
        "if true; then pytest -q; fi",
        "pytest $(cat options)",
        "npx -p ./fake jest",
        "cargo +other test",
        "git -c alias.push=!true push",
        "git remote set-url origin /tmp/x && git push origin main",
        "git push -q origin main",
        "cd - && pytest -q",
        "",
    ],
)
def test_anything_else_is_not(command: str) -> None:
    assert not is_plain(command, PLACE)


@pytest.mark.parametrize(
    ("command", "ordinary"),
    [
        ("ls src | grep py && sed -n 1,9p src/pay.py", True),
        ("cp src/a.py src/b.py", True),
        ("for name in a b; do cat $name; done", False),
        ("python fix.py", False),
        ("find . -name '*.py' -exec sed -i s/a/b/ {} +", False),
        ("git checkout other", False),
        ("source env.sh", False),
    ],
)
def test_after_what_may_be_anything_no_run_is_what_it_says(command: str, ordinary: bool) -> None:
    assert is_ordinary(command, PLACE) is ordinary
