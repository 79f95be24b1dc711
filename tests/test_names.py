"""The check of names: it fails where a name comes that should not, and ceilings only fall."""

from pathlib import Path

import pytest

from tests.names import check, read_ceilings, room_of

CLEAN = '''
def rooms() -> list[str]:
    """Return the rooms; one is found here."""
    return ["said"]  # one
'''


def package_of(tmp_path: Path, **files: str) -> Path:
    package = tmp_path / "package"
    for name, text in {
        "store/rooms.py": CLEAN,
        **{name.replace("__", "/"): text for name, text in files.items()},
    }.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return package


def ceilings_of(tmp_path: Path, package: Path) -> Path:
    file = tmp_path / "names.toml"
    assert check(package, file, tighten=True) == 0
    return file


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        ("store/b.py", "one = 1\n", "1 values named `one`, `found` or `said` in the room store"),
        ("delivery.py", "def send(found: int) -> int:\n    return found\n", "2 values named"),
        ("store/b.py", "class Rooms:\n    '''Those of which none is left.'''\n", "1 docstrings with"),
        ("store/b.py", "def rooms() -> None:\n    '''Say it.'''\n", "2 homes of the public function rooms"),
        ("store/b.py", "def count() -> int:\n    '''How many.'''\n", "1 docstrings of functions without their verb"),
        ("router/rooms.py", "", "2 homes of the module rooms"),
        ("store/asking.py", "", "1 modules named asking"),
        ("store/standing_in.py", "", "1 modules named standing_in"),
    ],
)
def test_what_was_not_there_before_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, text: str, sentence: str
) -> None:
    package = package_of(tmp_path)
    file = ceilings_of(tmp_path, package)
    assert check(package, file, tighten=False) == 0
    (package / path).parent.mkdir(exist_ok=True)
    (package / path).write_text(text, encoding="utf-8")
    for tighten in (False, True):
        assert check(package, file, tighten=tighten) == 1
        assert sentence in capsys.readouterr().out


def test_a_class_of_a_second_home_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = package_of(tmp_path, **{"store/a.py": "class Run: ...\n"})
    file = ceilings_of(tmp_path, package)
    (package / "store" / "b.py").write_text("class Run: ...\nclass _Run: ...\n", encoding="utf-8")
    (package / "store" / "c.py").write_text("class _Run: ...\n", encoding="utf-8")
    assert check(package, file, tighten=True) == 1
    assert capsys.readouterr().out == "2 homes of the class Run: a class name has one home (at most 0).\n"


def test_ceilings_fall_when_asked_to_and_never_rise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = package_of(tmp_path, **{"store/a.py": "one = found = said = 1\n"})
    file = ceilings_of(tmp_path, package)
    (package / "store" / "a.py").write_text("one = 1\n", encoding="utf-8")
    assert check(package, file, tighten=False) == 0
    assert "--tighten" in capsys.readouterr().out
    assert read_ceilings(file).values == {"store": 3}
    assert check(package, file, tighten=True) == 0
    assert read_ceilings(file).values == {"store": 1}
    (package / "store" / "a.py").write_text("one = found = 1\n", encoding="utf-8")
    assert check(package, file, tighten=True) == 1
    assert read_ceilings(file).values == {"store": 1}


def test_rooms_built_alike_may_name_their_modules_alike(tmp_path: Path) -> None:
    package = package_of(tmp_path, **{"gateways/slack/posts.py": ""})
    file = ceilings_of(tmp_path, package)
    (package / "gateways" / "discord").mkdir()
    (package / "gateways" / "discord" / "posts.py").touch()
    assert check(package, file, tighten=False) == 0
    (package / "store" / "posts.py").touch()
    assert check(package, file, tighten=False) == 1


def test_the_claim_check_has_a_ceiling_of_its_own() -> None:
    assert room_of(Path("enforcement/claims/stage.py")) == "enforcement/claims"
    assert room_of(Path("enforcement/praise/stage.py")) == "enforcement"
    assert room_of(Path("delivery.py")) == "delivery"
