"""Which commands a reviewer may run: those that are known to change nothing, and no other."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.tool_policy.read_only.policy import ReadOnlyCommands

HERE = Path("/srv/repository")

LOOKING = r"""
git diff HEAD~1 -- src
git -C /srv/x log --oneline -5 && git show HEAD:src/a.py | head -20
git status --short; git branch -a; git stash list; git tag
git --no-pager diff --stat
git blame -L 1,5 a.py
git diff --text --stat; git remote -v; git branch -vv
ls -la src && cat a.py | head -50 | tail -3
grep -rn "def foo" src | wc -l
rg -n 'rm -rf|> file' --glob '*.py'
find . -name '*.py' -not -path './.venv/*' -print
sed -n '10,20p' a.py
sed 's/a/b/g' a.py | diff - b.py
awk -F: '{print $1, $3}' a.txt
sort a.txt | uniq -c | sort -rn
python3 -m pytest -q tests/test_a.py 2>&1 | tail -5
python3 -m unittest
PYTHONPATH=src CI=1 timeout 60 pytest -x -k 'foo and not bar'
cd src && uv run pytest -q
cd /srv/repository/src; poetry run mypy .
bash -lc "cd src && npx jest --ci"
npm test
npm run lint -- --max-warnings 0
make test
make -s check lint
cargo test --workspace && cargo clippy && cargo fmt --check
go test ./... && go vet ./...
ruff check . && ruff format --check .
black --check . && isort --check-only . && prettier --check .
mypy --strict mama_bot; tsc --noEmit -p .
./gradlew test
.venv/bin/pytest -q
node_modules/.bin/eslint src
coverage run -m pytest && coverage report
pytest -q > /tmp/out.txt 2>&1; cat /tmp/out.txt
pytest -q &> /dev/null && echo ok || echo "failed: $?"
ls | xargs wc -l
if [ -f a.py ]; then cat a.py; fi
for f in *.py; do head -1 "$f"; done
echo '검사 시작' && python -m pytest
python --version; which pytest; command -v ruff
ctest --output-on-failure
[[ -d src ]] && tree src
pytest -q -x -vv -k 'a or b' -m "not slow" --tb=short --lf -n 4 --maxfail=1 tests/test_a.py::test_b -p no:cacheprovider
python3 -m pytest --cov=src --cov-report=term-missing -rA -W error
ruff check --select E,F --output-format=concise . && ruff format --diff src
mypy --strict --disallow-any-generics -p mama_bot
npx jest -t 'adds' --coverage=false; npx vitest run --coverage=false src/a.test.ts
cargo test -p core --all-targets -- --nocapture && cargo clippy --workspace -- -D warnings
go test ./... -run TestA -race -count=1 -v
npm run test:parser; pnpm -r test; yarn lint; npm run unit-test
make -j4 test; gradle :app:test --tests com.shop.RatesTest; mvn -q test -Dtest=RatesTest
tox -e py311,lint; nox -s tests
awk 'NR>=10 && NR<=20' a.py
awk 'length > 100' a.py
awk '$3 > 5 || $4 < 2 {print $1}' a.txt
git show stash@{0} --stat; git log -1 'HEAD@{1}'; git diff main...HEAD -- a.py
rg 'x{2,3}$' -g '*.{ts,js}'
echo ${x} "$HOME" {a,b}; grep "foo$" a.py
PYTHONPATH=$PWD/src python3 -m pytest
cd src && python3 -m pytest && cd ..
grep -c '한글 확인' a.py | tee /tmp/notes-of-the-reviewer.txt
git log --since='2 days ago' --author=x -p -10 --format='%h %s' && git diff -U10 --no-color --word-diff a..b -- --output
git branch --list 'feature/*' --format='%(refname)'; git tag -l; git ls-files --others --exclude-standard
git grep -n -i -A3 foo; git stash show -p; git reflog; git config --get user.name
npm run ci; pnpm typecheck; bun test
date +%F; uniq -c a.txt
coverage run --branch -m pytest -q && coverage report -m --skip-covered
"""

CHANGING = r"""
echo x > a.py
echo x >> README.md
printf 'x' | tee a.py
cat <<EOF > a.py
true > ../a.py
echo x > /srv/repository/a.py
echo x > $HOME/a.py
echo x > /etc/passwd
ls; rm -rf src
rm a.py
mv a b
cp a b
touch a
mkdir x
chmod +x a
ln -s a b
sed -i 's/a/b/' a.py
sed -ni 's/a/b/' a.py
sed -n 'w out' a.py
sed 's/a/b/w out' a.py
sed '1e rm x' a
find . -name '*.pyc' -delete
find . -exec rm {} +
find . $X
find . {-delete,-print}
git commit -am x
git checkout -- a.py
git stash
git reset --hard
git push
git apply p.diff
git branch new
git branch -D old
git tag v1
git config user.name x
git diff --output=a.py
git diff --outp=a.py
git branch -vD old
git branch --list --del old
git remote -v update
sort --outp=a.txt a.txt
tsc --noEmit false
make test SHELL=./evil
pytest --basetemp=src
mypy --html-report out .
clang-tidy a.c -fix
coproc rm x
hostname new
git -c core.pager='rm x' log
git grep -O'rm x' foo
git remote add x y
GIT_EXTERNAL_DIFF=./evil git diff
PATH=. ls
PATH=.; ls
export PATH=.
awk '{print > "out"}' a
awk 'BEGIN{system("rm x")}'
sort -o a.txt a.txt
uniq a b
xxd -r a b
ls $(rm x)
ls `rm x`
diff <(rm x) b
bash -c "rm x"
bash script.sh
eval "rm x"
sudo ls
python -c "open('a','w')"
python script.py
python3 -m pip install x
pip install x
npm install
npm run fix
npm run lint:fix
npm run lint -- --fix
npm run deploy
yarn add x
make
make install
make -C /elsewhere test
make clean test
ruff check --fix .
ruff format .
black .
isort .
prettier --write .
eslint src --fix
gofmt -w .
tsc -p .
cargo fmt
cargo run
go run .
go test -o x ./...
jest -u
pytest --snapshot-update
pytest --junitxml=out.xml
curl http://example.org -o x
wget x
ssh host
docker run x
./ls
./run_tests.sh
src/pytest
$CMD
xargs rm
ls | xargs rm
ls | xargs find
tee /tmp/../srv/repository/a.py
exec rm x
ls() { rm x; }; ls
case x in x) rm x;; esac
{ echo a; } > a.py
(cd src; echo) > a.py
trap 'rm x' EXIT
alias ls='rm x'
source x
. ./x
dd of=a
truncate -s 0 a
patch -p1
vim a
nohup rm x
time rm x
env rm x
env -S 'rm x'
timeout 5 rm x
timeout -k 5 5 rm x
uv run rm x
uv add x
if true; then rm x; fi
echo "x
PYTEST_ADDOPTS=--basetemp=src python3 -m pytest -q
GOFLAGS=-toolexec=/tmp/x go test ./...
env PYTEST_ADDOPTS=--basetemp=src pytest
export PYTEST_ADDOPTS=x
PYTHONPATH=/tmp pytest
PYTHONPATH=src:/tmp pytest
PYTHONPATH=$PWD/../x pytest
PYTHONPATH=$PWDX pytest
echo ${x:- # }; rm x
pytest -qc /tmp/a.ini
tsc --noEmit FALSE
jest -tu
python3 -mpytest --basetemp=x
PYTHONPATH=$HOME pytest
pytest -q -o cache_dir=src
pytest --override-ini=addopts=--basetemp=src
pytest -c /tmp/a.ini
pytest -p evil
pytest -pevil
pytest @arguments
pytest --cov-report=xml:a.py
pytest --cov-report html
find . -name b.py -{delete,print}
find . -d${x}elete
git diff --ou${x}tput=pwn HEAD
git diff "--ou${x}tput=pwn" HEAD
ruff check --fi${x}x .
ruff check --fi"$x"x .
find . $'-delete'
x=../ws/pwn; echo a | tee /tmp/$x
echo a | tee /tmp/rev/{ws/pwn,zz}
echo a > /tmp/{a,b}
x='$'; echo ${x@P}
for PATH in bin; do ls; done
((x))
printf -v PATH x; ls
python3 -m json.tool j.json a.py
pytest --log-file=a.py
pytest --debug=a.py
ruff check -o a.py .
ruff check --config 'fix=true'
ruff check --cache-dir=pwn .
ruff --config fix=true check .
pip list --log a.py
mypy --cache-dir=pwn .
jest --json --outputFile=a.py
bandit -r . -o a.py
rspec -o a.py
rspec -r /tmp/evil.rb
phpunit --log-junit a.py
psalm --alter
ktlint -F
swiftlint autocorrect
ava -u
playwright test -u
playwright install
rubocop --auto-gen-config
isort --check --overwrite-in-place .
tsc --noEmit --generateTrace pwn
coverage run --data-file=a.py -m pytest
rg --hostname-bin touch x
file -C -m a.py
mvn test deploy
mvn verify deploy:deploy
mvn test exec:exec
tox -e deploy
tox -e py311,deploy
tox -edeploy
nox -s release
nox --session=release
make upload-all
make check-migrate
make test deploy
make -O deploy test
gradle :app:test :app:publish
npm --prefix=/tmp/evil test
npm --prefix /tmp/evil test
npm test --script-shell=/tmp/x
uv run --with evil pytest
uv run --directory /tmp/evil pytest
cd /tmp && make test
cd .. && make test
cd src; cd ../..; pytest
cd $X; pytest
(cd src) && cd .. && pytest
cd src | ls && cd .. && pytest
cd src || cd .. && pytest
bash -c "cd src" && cd .. && pytest
cd && pytest
make --directory=/tmp test
make --dir=/tmp test
pytest /tmp/t_test.py
pytest ../other
pytest -q src/../../other
pytest --ignore=/tmp/x
python -m unittest -s/tmp
/tmp/venv/bin/pytest
git --git-dir=/tmp/x status
git log --output pwn
git show --textconv HEAD
git cat-file --filters HEAD:a.py
git grep -nO'rm x' foo
git tag --create-reflog x
git tag -f v1 --merged
git branch -lm a b
git reflog expire --all
git reflog delete HEAD@{0}
npm ci
npm version
bun build
awk '{print>"out"}' a
awk '{print "a;b" > "out"}' a
awk '{printf("x") > "out"}' a
awk '{print | "sh"}' a
awk 'BEGIN{"date" | getline x}'
awk '{getline x < "file"}' a
awk -f a.awk
"""


@pytest.mark.parametrize("command", LOOKING.strip().splitlines())
def test_what_only_looks_is_run(command: str) -> None:
    assert ReadOnlyCommands().refusal(command, HERE) == ""


@pytest.mark.parametrize("command", CHANGING.strip().splitlines())
def test_what_may_change_something_is_refused_with_the_reason(command: str) -> None:
    said = ReadOnlyCommands().refusal(command, HERE)
    assert said.startswith("You may only look here, and this command was not run: ")


def test_a_workspace_below_the_temporary_directory_is_no_place_for_notes(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "link").symlink_to(workspace)
    policy = ReadOnlyCommands(temporary=(tmp_path,))
    assert policy.refusal(f"pytest > {tmp_path}/notes.txt", workspace) == ""
    for target in (workspace / "a.py", tmp_path / "link" / "a.py", tmp_path / "x" / ".." / "workspace" / "a.py"):
        assert "it writes to '" in policy.refusal(f"pytest > {target}", workspace)


@given(st.text(max_size=200))
def test_whatever_is_written_gets_an_answer(command: str) -> None:
    assert isinstance(ReadOnlyCommands().refusal(command, HERE), str)


@given(
    st.lists(
        st.sampled_from(["rm x", "ls", "&&", ";", "|", "(", ")", "\n", "'", '"', "{", "}", "if", "then", "fi", "\\"])
    )
)
def test_rm_is_never_run_whatever_stands_around_it(words: list[str]) -> None:
    command = " ".join([*words, "; rm x"])
    if ReadOnlyCommands().refusal(command, HERE) == "":
        assert any(sign in command for sign in "'\"\\")


@pytest.mark.parametrize("piece", ["{", "a ", "$(", "'"])
def test_a_command_of_a_megabyte_is_refused_unread(piece: str) -> None:
    assert "too long" in ReadOnlyCommands().refusal(f"ls {piece * 2**20}", HERE)
