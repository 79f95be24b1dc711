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
        "set -n; pytest -q",
        "set -o noexec; pytest -q",
        "echo -n 2; pytest -q tests/test_pay.py | tail -1",
        "echo -e '\\033[1A'; pytest -q",
        "date '+29 passed in 0.20s'; pytest -q",
        "pytest -q | tail 5",
        "pytest -q {tests,--version}",
        "make {-n,test}",
        "git log --oneline {-1,--output=report.txt}",
        "",
    ],
)
def test_anything_else_is_not(command: str) -> None:
    assert not is_plain(command, PLACE)


# What only seems to look, with the file that it writes behind it; git ignores that file, so that no tree shows it.
WRITING = [
    "cp src/fake.py",
    "curl -so",
    "curl -sLo",
    "sort -ro",
    "uniq src/fake.py",
    "find src -fprint0",
    "find src -fls",
    "tree -o",
    "ss -D",
    "cat src/fake.py >",
    "git show HEAD:a.py >",
    "touch",
]
HIDING = [
    "curl -s -ovenv/bin/pytest file:///srv/shop/src/fake.py",
    "curl -K options.md",
    "sort -ovenv/bin/pytest src/fake.py",
    "sort --output=venv/bin/pytest src/fake.py",
    "sort --outp venv/bin/pytest src/fake.py",
    "sort --compress-program=src/fake.py src/a.py",
    "sort {-o,venv/bin/pytest} src/fake.py",
    "sed -n 'w venv/bin/pytest' src/fake.py",
    "sed -n 's/^//w venv/bin/pytest' src/fake.py",
    "sed '1e cp src/fake.py venv/bin/pytest' README.md",
    "sed -f script.md src/a.py",
    "sed -n -i 1p ven?/bin/pytest",
    "sed -i -e 1d venv/bin/pytest",
    "sed --in-place 1d venv/bin/pytest",
    "sed -e 1d --in-place venv/bin/pytest",
    "sed 1d venv/bin/pytest --in-place=.old",
    "sed -n p src/a.py --expression='w venv/bin/pytest'",
    "sed p src/a.py --file=script.md",
    "curl -s -w @format.md http://127.0.0.1:8000/pay",
    "sed 's/a/b/;w out' src/a.py",
    "sed -e p -e 'w out' src/a.py",
    "uniq src/fake.py ven?/bin/pytest",
    "rg --pre=./src/fake.py a",
    "fd -x rm",
    "less -Oout src/a.py",
    "cp {src/fake.py,venv/bin/pytest}",
    "cp src/fake.py ven?/bin/pytest",
    "cp -t venv/bin src/pytest",
    "cp src/fake.py $PWD/venv/bin/pytest",
    "cp src/fake.py ~/bin/pytest",
    "cp src/fake.py ../other/a.py",
    "cp src/fake.py /usr/lib/python3/dist-packages/pytest.py",
    "cat src/fake.py > /usr/lib/python3/dist-packages/pytest.py",
    "cp src/fake.py /srv/shop/venv/bin/pytest",
    "cat src/fake.py >& ven?/bin/pytest",
    "cat src/fake.py 1<>venv/bin/pytest",
    "cd venv/bin && cp ../../src/fake.py pytest",
    "cd ven?/bin && cat ../../src/fake.py > pytest",
    "git grep --open-files-in-pager=src/fake.py a",
    "git ls-remote --upload-pack=src/fake.py .",
    "git cat-file --textconv HEAD:a.py",
    "git diff --outp=venv/bin/pytest",
]
LOOKING = [
    "sort -u src/a.py | uniq -c",
    "sed -n '1,40p;50,60p' src/a.py",
    "sed -i 's/half/third/g' src/a.py",
    "sed -E 's|a|b|' src/a.py",
    "sed --quiet 1,9p src/a.py",
    "cat src/a.py > /tmp/a.txt",
    "sed -i -e 1d -e '$d' /srv/shop/src/a.py",
    "curl -sS -o /dev/null -w '%{http_code}' http://127.0.0.1:8000/pay",
    "curl -s -X POST -H 'A: b' -d '{\"a\":1}' http://127.0.0.1:8000/pay",
    "find . -name '*.py' -newer README.md",
    "rg -n half src",
    "mkdir -p src/{a,b}",
    "mv src/a.py src/b.py",
    "cd /srv/shop/src && ls 2>/dev/null",
    "cd .. && cat src/a.py",
    "git log --oneline -5 -- src",
    "cat > src/a.py <<'END'\nx = 1\nEND",
]


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
        *((f"{command} venv/bin/pytest", False) for command in WRITING),
        *((command, False) for command in HIDING),
        *((command, True) for command in LOOKING),
    ],
)
def test_after_what_may_be_anything_no_run_is_what_it_says(command: str, ordinary: bool) -> None:
    assert is_ordinary(command, PLACE) is ordinary
