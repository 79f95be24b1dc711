"""Personas are read and checked together, and found by the names that people and agents write."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.errors import ConfigurationError
from mama_bot.model import AgentPersona, Tier
from mama_bot.personas import find_mentions, find_persona, load_personas, read_persona
from tests.people import persona, team

SHIPPED = Path(__file__).parent.parent / "personas"
OTHER = "---\nname: rev\ndisplay_name: Rev\n"
GOOD = "---\nname: dev\ndisplay_name: Dev\n---\nYou change code.\n"
MEMBERS = team(persona("dev"), persona("reviewer", "리뷰어"), persona("qa", "Quality Team"))


def read(directory: Path, text: str | bytes) -> AgentPersona:
    file = directory / "dev.md"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_persona(file, backends=("claude",), workspaces=("app",), workflows=("full",))[0]


def with_keys(lines: str) -> str:
    return f"---\nname: dev\ndisplay_name: Dev\n{lines}\n---\nYou change code.\n"


ENTRY = "command: x, description: {en: a, ko: b}"


def with_menu(entry: str) -> str:
    return with_keys(f"menu:\n- {entry}")


def test_the_shipped_team_loads() -> None:
    personas = load_personas(SHIPPED, backends=("claude",), workspaces=())
    assert set(personas) == {"lead", "developer", "reviewer"}
    assert set(personas["lead"].delegates_to) == {"developer", "reviewer"}
    assert not {"Write", "Edit", "MultiEdit"} & set(personas["reviewer"].tools)


@pytest.mark.parametrize("text", [GOOD, "\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.replace("---\n", "---  \n")])
def test_a_byte_order_mark_windows_lines_and_stray_spaces_are_fine(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert (found.name, found.prompt, found.tier) == ("dev", "You change code.", Tier.WORKER)


def test_korean_is_kept(tmp_path: Path) -> None:
    text = "---\nname: dev\ndisplay_name: 개발자\nkeywords: [버그, 수정]\n---\n너는 코드를 고친다.\n\n---\n끝.\n"
    found = read(tmp_path, text)
    assert (found.display_name, found.keywords) == ("개발자", ("버그", "수정"))
    assert found.prompt == "너는 코드를 고친다.\n\n---\n끝."


def test_soft_actions_are_instructions_and_the_others_are_for_code(tmp_path: Path) -> None:
    read_one = read(tmp_path, with_keys("critical_actions:\n- Greet nobody.\n- rule_enabled: force_push"))
    assert read_one.prompt == "You change code.\n\nWhen you begin:\n\n- Greet nobody."
    assert [(action.requirement, action.value) for action in read_one.critical_actions] == [
        ("rule_enabled", "force_push")
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "Expected front matter"),
        ("You change code.", 1, "Expected front matter"),
        ("---\nname: dev\n", 1, "no closing line"),
        ("---\n---\nx", 1, "name: expected a value, there is none."),
        ("---\nname: dev\n---\nx", 1, "display_name: expected a value, there is none."),
        ("---\n- a\n---\nx", 2, "Expected lines of the form 'key: value'."),
        ("---\nname: dev\na: b: c\n---\nx", 3, "This is not YAML"),
        ("---\nname: dev\n\tdisplay_name: x\n---\nx", 3, "This is not YAML"),
        ("---\nname: dev\nname: rev\n---\nx", 3, "'name' stands here a second time"),
        ("---\nname: dev\ndisplay_name: Dev\n---\n  \n", None, "no prompt"),
        ("---\nname: Dev Ops\ndisplay_name: Dev\n---\nx", 2, "name: "),
        ("---\nname: team\ndisplay_name: Dev\n---\nx", 2, "'team' has a meaning of its own"),
        ("---\nname: dev\ndisplay_name: '  '\n---\nx", 3, "display_name: "),
        (with_keys("tool: [Read]"), 4, "Unknown key 'tool'. Did you mean 'tools'?"),
        (with_keys("5: x"), 4, "Unknown key '5'."),
        (with_keys("tools:\n- Read\n- Grepp"), 6, "tools: 'Grepp' is not known. Did you mean 'Grep'?"),
        (with_keys("tools: Read"), 4, "tools: expected a list, got 'Read'."),
        (with_keys("backend: [claude, claud]"), 4, "backend: 'claud' is not known. Did you mean 'claude'?"),
        (with_keys("backend:\n- claude\n- 7"), 6, "backend.1: expected text"),
        (with_keys("backend: [claude, claude]"), 4, "claude stands there twice"),
        (with_keys("backend: []"), 4, "backend: expected at least one entry"),
        (with_keys("backend: claud"), 4, "backend: 'claud' is not known. Did you mean 'claude'?"),
        (with_keys("skills: ['../x']"), 4, "skills: '../x' is no name of a skill. Write that of its folder alone."),
        (with_keys("workspace: ap"), 4, "workspace: 'ap' is not known. Did you mean 'app'? Any other name has to"),
        (with_keys("workspace: xyz"), 4, "Known: app, own, team. Any other name has to stand under `repositories` in"),
        (with_keys("tier: boss"), 4, "tier: expected 'lead', 'worker' or 'reader', got 'boss'."),
        (with_keys("keywords: ['']"), 4, "keywords.0: "),
        (with_keys("model: 5"), 4, "model: expected text"),
        (with_keys("workflow: ful"), 4, "workflow: 'ful' is not known. Did you mean 'full'?"),
        (with_menu("comand: x"), 5, "menu: 'comand' is not known. Did you mean 'command'?"),
        (with_menu("{command: x}"), 5, "menu.0.description: "),
        (with_menu(f"{{{ENTRY}}}"), 5, "menu: x: expected one of prompt, prompt_file and handler."),
        (with_menu(f"{{{ENTRY}, prompt: y, handler: z}}"), 5, "expected one of prompt, prompt_file and handler."),
        (
            with_menu(f"{{{ENTRY}, handler: changed_file}}"),
            5,
            "no handler 'changed_file'. Did you mean 'changed_files'?",
        ),
        (with_menu(f"{{{ENTRY}, handler: changed_files, arguments: [b]}}"), 5, "'changed_files' takes note."),
        (with_menu(f"{{{ENTRY}, prompt_file: none.txt}}"), 5, "none.txt cannot be read: No such file or directory."),
        (
            with_menu(f"{{{ENTRY}, prompt: 'do {{fil}}', arguments: [file]}}"),
            5,
            "argument and no variable. Did you mean 'file'?",
        ),
        (with_menu(f"{{{ENTRY}, prompt: do it, arguments: [file]}}"), 5, "the argument 'file' stands nowhere in"),
        (with_menu(f"{{{ENTRY}, prompt: '{{a.b}}'}}"), 5, "{a.b} is no name of a value."),
        (with_menu(f"{{{ENTRY}, prompt: '{{file'}}"), 5, "expected '}' before end of string."),
        (with_menu(f"{{{ENTRY}, prompt: '{{a}}', arguments: ['a:fiel']}}"), 5, "'a:fiel' is no argument."),
        (with_menu(f"{{{ENTRY}, prompt: '{{a}}{{b}}', arguments: ['a:optional', b]}}"), 5, "'b' cannot follow 'a'"),
        (with_menu(f"{{{ENTRY}, prompt: '{{today}}', arguments: [today]}}"), 5, "the name 'today' is taken."),
        (with_menu(f"{{{ENTRY}, prompt: y}}\n- {{{ENTRY}, prompt: z}}"), 6, "the command 'x' stands here twice."),
        (with_menu(f"{{{ENTRY}, prompt: y}}").replace("dev", "status", 1), 4, "`/status` is a command of the service."),
        (
            with_keys("variables:\n- {name: today, question: {en: a, ko: b}}"),
            5,
            "'today' is a variable of the service, which nothing overrides.",
        ),
        (
            with_keys("critical_actions:\n- file_exist: a.md"),
            5,
            "'file_exist' is not known. Did you mean 'file_exists'?",
        ),
        (with_keys("critical_actions:\n- file_loaded: ../a.md"), 5, "'../a.md' is no file of a workspace"),
        (with_keys('critical_actions:\n- checks_present: "false"'), 5, 'write `checks_present: "true"`, or leave it'),
        (with_keys("critical_actions:\n- workflow: ful"), 5, "'ful' is no workflow. Did you mean 'full'?"),
        (b"---\nname: \xff\n", None, "not text in UTF-8"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_line(
    tmp_path: Path, text: str | bytes, line: int | None, words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(tmp_path, text)
    assert words in caught.value.problem
    assert caught.value.line == line
    assert caught.value.file == tmp_path / "dev.md"
    assert "\n" not in str(caught.value)


def load(directory: Path, **files: str) -> None:
    for name, text in files.items():
        (directory / f"{name}.md").write_text(text, encoding="utf-8")
    load_personas(directory, backends=("claude",), workspaces=())


@pytest.mark.parametrize(
    ("other", "line", "words"),
    [
        (GOOD, 2, "The name 'dev' is taken by a.md."),
        (GOOD.replace("name: dev", "name: rev", 1), 3, "The name 'Dev' is taken by a.md."),
        (GOOD.replace("name: dev", "name: rev", 1).replace("Dev", "DEV"), 3, "The name 'DEV' is taken by a.md."),
        (f"{OTHER}delegates_to: [dvv]\n---\nx", 4, "'dvv' is no persona. Did you mean 'dev'?"),
        (f"{OTHER}delegates_to:\n- dev\n- dvv\n---\nx", 6, "'dvv' is no persona. Did you mean 'dev'?"),
        (f"{OTHER}delegates_to: [rev]\n---\nx", 4, "cannot delegate to itself"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path: Path, other: str, line: int, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, a=GOOD, b=other)
    assert words in caught.value.problem
    assert (caught.value.file, caught.value.line) == (tmp_path / "b.md", line)


def test_an_empty_and_a_missing_directory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no persona here; each is a \.md file"):
        load(tmp_path, README="Not a persona.")
    with pytest.raises(ConfigurationError, match="Set personas_directory"):
        load_personas(tmp_path / "none", backends=(), workspaces=())


@given(st.text() | st.text().map(lambda keys: f"---\n{keys}\n---\nx") | st.text().map(with_keys))
@settings(max_examples=100, deadline=None)
def test_any_file_is_a_persona_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    said, prompt = "", "x"
    try:
        prompt = read(tmp_path_factory.getbasetemp(), text.encode("utf-8", "surrogatepass")).prompt
    except ConfigurationError as error:
        said = error.problem
    assert said == "" or said.endswith((".", "?"))
    assert prompt.strip()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@dev fix", ["dev"]),
        ("@DEV fix", ["dev"]),
        ("@dev에게 부탁", ["dev"]),
        ("@리뷰어는 봐줘", ["reviewer"]),
        ("안녕@dev", ["dev"]),
        ("@Quality Team check", ["qa"]),
        ("ask @dev. Then @qa, (@reviewer)", ["dev", "qa", "reviewer"]),
        ("**@dev**: go", ["dev"]),
        ("@dev- go", ["dev"]),
        ("@devops", [None]),
        ("@dev-ops", [None]),
        ("@dev_2", [None]),
        ("@dev/package", [None]),
        ("@dev.org", [None]),
        ("me@dev.org, me.@dev, https://example.org/@dev, @@dev", []),
        ("@ dev @", []),
    ],
)
def test_mentions_are_whole_words(text: str, names: list[str | None]) -> None:
    found = [mention.persona.name if mention.persona else None for mention in find_mentions(text, MEMBERS)]
    assert found == names


def test_a_persona_is_found_by_name_and_display_name() -> None:
    assert find_persona(" Quality team ", MEMBERS) == MEMBERS["qa"]
    assert find_persona("리뷰어", MEMBERS) == MEMBERS["reviewer"]
    assert find_persona("리뷰", MEMBERS) is None


@given(st.text(alphabet="@!dev qa리뷰어.-/\n") | st.text())
def test_a_mention_stands_where_it_says(text: str) -> None:
    for mention in find_mentions(text, MEMBERS):
        assert text[mention.start] == "@"
        assert text[mention.start + 1 :].startswith(mention.name)
