"""The set-up asks for the first repository, looks at it, runs its checks once and writes it down."""

import json
import os
import sys
from pathlib import Path

import pytest
import yaml

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.doctor import examine_all
from mama_bot.commands.setup.first_repository import repository_name
from mama_bot.commands.setup.init import SetUpAnswers
from mama_bot.commands.setup.likely_checks import likely_checks
from mama_bot.commands.setup.repository_entry import with_repository
from mama_bot.errors import ConfigurationError
from tests.commands.test_init import TELEGRAM, set_up
from tests.end_to_end.evidence import git
from tests.end_to_end.team import write_configuration

ENVIRONMENT = {"PATH": f"{Path(sys.executable).parent}:{os.defpath}", "LANG": "C.UTF-8"}
MAKEFILE = "all:\n\ntest:\n\t@grep -q hello greeting\n"


def make_source(directory: Path, **files: str) -> Path:
    source = directory / "Our Shop"
    source.mkdir()
    for name, text in files.items():
        (source / name.replace("__", ".")).write_text(text)
    git(source, "init", "-q", "-b", "main")
    git(source, "add", "-A")
    git(source, "commit", "-q", "--allow-empty", "-m", "Begin")
    return source


def asked(directory: Path, *lines: str) -> str:
    answers = SetUpAnswers(platforms=("telegram",), owners={"telegram": ("42",)}, channels={"telegram": ()})
    return set_up(directory, TELEGRAM, *lines, environment=ENVIRONMENT, answers=answers).output


def test_a_repository_is_fetched_looked_at_and_its_check_run_once(tmp_path: Path) -> None:
    source = make_source(tmp_path, Makefile=MAKEFILE, greeting="hello\n")
    place = tmp_path / "place"
    place.mkdir()
    output = asked(place, str(tmp_path / "nowhere"), str(tmp_path), str(source), "", "y")
    assert f"That cannot be worked on: there is no directory {tmp_path / 'nowhere'}." in output
    assert f"That cannot be worked on: {tmp_path} is no git repository." in output
    assert "Found: make test. Running `make test` once ...\nok      make test: passed in" in output
    assert f"{place / 'config.yaml'}: repositories.Our-Shop.checks: make test: make test\n" in output
    assert "before it accepts that work is done? [Y/n]" in output
    settings = read_configuration(place / "config.yaml", environment={}).settings
    assert settings.default_repository == "Our-Shop"
    repository = settings.repositories["Our-Shop"]
    assert repository.source == str(source)
    assert [(check.name, check.argv, check.from_base) for check in repository.checks] == [
        ("make test", ("make", "test"), ("Makefile",))
    ]


def test_a_further_repository_is_added_under_a_name_of_its_own_and_the_same_is_not(
    tmp_path: Path,
) -> None:
    first, place = make_source(tmp_path), tmp_path / "place"
    (tmp_path / "other").mkdir()
    second = make_source(tmp_path / "other")
    place.mkdir()
    for source in (first, second, second):
        answers = SetUpAnswers(repository=str(source), yes=True)
        set_up(place, TELEGRAM, environment=ENVIRONMENT, answers=answers)
    settings = read_configuration(place / "config.yaml", environment={}).settings
    assert {name: known.source for name, known in settings.repositories.items()} == {
        "Our-Shop": str(first),
        "Our-Shop-2": str(second),
    }
    assert settings.default_repository == "Our-Shop"


def test_a_check_that_fails_is_told_with_its_output_and_left_out_unless_it_is_wanted(tmp_path: Path) -> None:
    source = make_source(tmp_path, Makefile="test:\n\t@echo the shop is closed; exit 3\n")
    place = tmp_path / "place"
    place.mkdir()
    output = asked(place, str(source), "", "y")
    assert "PROBLEM make test: it failed" in output
    assert "the shop is closed" in output
    assert "before it accepts that work is done? [y/N]" in output
    assert "Not taken: make test." in output
    assert "No check was found" not in output
    assert read_configuration(place / "config.yaml", environment={}).settings.repositories["Our-Shop"].checks == ()


def test_nothing_given_is_no_repository_and_a_source_that_does_not_answer_is_a_sentence(tmp_path: Path) -> None:
    output = asked(
        tmp_path, "ext::sh -c true", "https://user:word@localhost/x.git", "file:///nonexistent/x.git", "", "y"
    )
    assert output.count("That cannot be worked on") == 2
    assert "The repository x cannot be fetched from file:///nonexistent/x.git: " in output
    assert not read_configuration(tmp_path / "config.yaml", environment={}).settings.repositories


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ({"pyproject__toml": "[tool.pytest.ini_options]\n"}, ["python3 -m pytest -q"]),
        ({"test_a__py": "def test(): pass\n", "Makefile": "test:\n"}, ["python3 -m pytest -q"]),
        ({"package__json": json.dumps({"scripts": {"test": "mocha"}})}, ["npm test"]),
        (
            {"package__json": json.dumps({"scripts": {"test": "a"}}), "package-lock__json": "{}"},
            ["npm test"],
        ),
        (
            {"package__json": json.dumps({"scripts": {"test": "a"}}), "pnpm-lock__yaml": ""},
            ["pnpm test"],
        ),
        ({"conftest__py": "", "requirements-dev__txt": "pytest\n"}, [".venv/bin/python -m pytest -q"]),
        ({"package__json": json.dumps({"scripts": {"test": 'echo "Error: no test specified" && exit 1'}})}, []),
        ({"package__json": "{"}, []),
        ({"Cargo__toml": ""}, ["cargo test --quiet"]),
        ({"go__mod": ""}, ["go test ./..."]),
        ({"GNUmakefile": "check: all\n"}, ["make check"]),
        ({"README": "# Tests\n"}, []),
    ],
)
def test_checks_are_proposed_by_what_lies_in_a_repository(
    tmp_path: Path, files: dict[str, str], commands: list[str]
) -> None:
    source = make_source(tmp_path, **files)
    assert [" ".join(check.argv) for check in likely_checks(source)] == commands


@pytest.mark.parametrize(
    ("files", "command", "decided_by", "makes"),
    [
        (
            {"package__json": json.dumps({"scripts": {"test": "a"}}), "yarn__lock": "", "__npmrc": ""},
            "yarn install --frozen-lockfile",
            ("package.json", ".npmrc", "yarn.lock"),
            ("node_modules",),
        ),
        (
            {"test_a__py": "", "requirements__txt": "-r more-requirements.txt", "more-requirements__txt": ""},
            "python3 -m venv .venv && .venv/bin/pip install -q pytest -r requirements.txt",
            ("requirements.txt", "*requirements*.txt"),
            (".venv",),
        ),
    ],
)
def test_a_check_is_proposed_with_what_it_needs(
    tmp_path: Path, files: dict[str, str], command: str, decided_by: tuple[str, ...], makes: tuple[str, ...]
) -> None:
    (check,) = likely_checks(make_source(tmp_path, **files))
    assert check.install is not None
    assert (check.install.argv[-1], check.install.files, check.install.makes) == (command, decided_by, makes)


def test_what_a_check_needs_is_installed_before_it_is_run_and_stands_in_the_settings(tmp_path: Path) -> None:
    package = {"name": "shop", "version": "1.0.0", "scripts": {"test": "test -d node_modules"}}
    lock = {"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": {"": package}}
    source = make_source(tmp_path, package__json=json.dumps(package), **{"package-lock__json": json.dumps(lock)})
    (tmp_path / "tools").mkdir()
    npm = tmp_path / "tools/npm"
    npm.write_text('#!/bin/sh\n[ "$1" = test ] && exec test -d node_modules\nmkdir node_modules\n')
    npm.chmod(0o755)
    place = tmp_path / "place"
    place.mkdir()
    answers = SetUpAnswers(platforms=("telegram",), owners={"telegram": ("42",)}, channels={"telegram": ()})
    environment = ENVIRONMENT | {"PATH": f"{npm.parent}:{ENVIRONMENT['PATH']}"}
    output = set_up(place, TELEGRAM, str(source), "", "y", environment=environment, answers=answers).output
    assert "What npm test needs is installed first: `npm ci || npm ci --ignore-scripts`" in output
    assert "ok      npm test: passed in" in output
    settings = read_configuration(place / "config.yaml", environment={}).settings
    (check,) = settings.repositories["Our-Shop"].checks
    assert check.install is not None
    assert check.install.makes == ("node_modules",)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("https://git.example.org/team/app.git", "app"),
        ("git@git.example.org:team/Web_Shop.git/", "Web_Shop"),
        ("/srv/가게", "app"),
        ("/srv/team", "app"),
        ("file:///", "app"),
    ],
)
def test_a_repository_is_named_after_its_source(source: str, name: str) -> None:
    assert repository_name(source) == name


@pytest.mark.parametrize(
    ("before", "default"),
    [
        ("", "app"),
        ("web: {port: 0}\n# kept\nrepositories: {} # none\n#  other:\n", "app"),
        ("default_repository: other\nrepositories:\n    other: {source: /x}\n", "other"),
        ('repositories:\ndefault_repository: "" # which', "app"),
        ("repositories: {}", "app"),
    ],
)
def test_every_other_line_of_the_configuration_stays(tmp_path: Path, before: str, default: str) -> None:
    after = with_repository(before, tmp_path / "config.yaml", "app", {"source": "/srv/가게"})
    content = yaml.safe_load(after)
    assert (content["repositories"]["app"], content["default_repository"]) == ({"source": "/srv/가게"}, default)
    assert all(line.split("#")[-1] in after for line in before.splitlines() if "#" in line)
    assert content["repositories"].keys() - {"app"} == ((yaml.safe_load(before) or {}).get("repositories") or {}).keys()


def test_what_cannot_be_added_to_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not written in a way that can be added to"):
        with_repository("repositories: {other: {source: /x}}\n", tmp_path / "c.yaml", "app", {"source": "/y"})


def test_the_doctor_asks_each_repository(tmp_path: Path) -> None:
    source = make_source(tmp_path, greeting="hello\n")
    file = write_configuration(
        tmp_path,
        repositories={
            "there": {"source": str(source)},
            "gone": {"source": "file:///nonexistent/x.git"},
            "branchless": {"source": str(source), "branch": "next"},
            "here": {"source": str(source), "mode": "in_place"},
        },
    )
    told = {each.subject: each for each in examine_all(read_configuration(file, environment={}), examiners={})}
    outcomes = {name: told[f"repository {name}"] for name in ("there", "gone", "branchless", "here")}
    assert [outcome.ok for outcome in outcomes.values()] == [True, False, False, True]
    assert outcomes["there"].outcome == f"{source} answers, 1 branch"
    assert "does not answer: " in outcomes["gone"].outcome
    assert outcomes["branchless"].remedy == "Set repositories.branchless.branch to one that it has."
