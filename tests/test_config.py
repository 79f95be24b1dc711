"""Each mistake in the settings is one sentence that says what, where and what is valid."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from mama_bot.config import Settings, load_settings, nearest
from mama_bot.config.loader import SECRET_KEYS
from mama_bot.errors import ConfigurationError

SHIPPED = Path(__file__).parent.parent / "config.yaml"


def load(directory: Path, text: str | bytes, environment: Mapping[str, str] | None = None) -> Settings:
    file = directory / "config.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_settings(file, environment=environment or {})


def refusal(directory: Path, text: str | bytes, environment: Mapping[str, str] | None = None) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        load(directory, text, environment)
    assert "\n" not in str(caught.value)
    return caught.value


def keys(model: type[BaseModel], above: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from keys(annotation, f"{above}{name}.")
        else:
            yield f"{above}{name}"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("pol:\n  size: 3", 1, "Unknown key 'pol'. Did you mean 'pool'?"),
        ("pool:\n  sise: 3", 2, "Unknown key 'pool.sise'. Did you mean 'size'?"),
        ("Pool:\n  size: 3", 1, "Did you mean 'pool'?"),
        ("pool:\n  xyz: 3", 2, "Known: idle_seconds, max_age_seconds"),
        ("pool:\n  size: many", 2, "pool.size: expected a whole number, got 'many'."),
        ("pool:\n  size: 3.5", 2, "pool.size: expected a whole number, got 3.5."),
        ("pool:\n  size: yes", 2, "pool.size: expected a number, got True."),
        ("pool:\n  size: 0", 2, "pool.size: expected greater than or equal to 1, got 0."),
        ("pool:\n  idle_seconds: .nan", 2, "pool.idle_seconds: expected a finite number"),
        ("pool:\n  idle_seconds: .inf", 2, "pool.idle_seconds: expected a finite number"),
        ("pool: 3", 1, "pool: expected keys and values, got 3."),
        ("pool:\n  size: [1]", 2, "pool.size: expected a whole number."),
        ("pool: {size: 1}\nlog: {level: info}\npool: {size: 2}", 3, "'pool' stands here a second time (first on line"),
        ("pool:\n  size: 1\n  size: 2", 3, "'pool.size' stands here a second time"),
        ("web:\n  enabled: perhaps", 2, "web.enabled: expected true or false, got 'perhaps'."),
        ("web:\n  host: 5", 2, "web.host: expected text (put it in quotes), got 5."),
        ("web:\n  port: 70000", 2, "web.port: expected less than or equal to 65535, got 70000."),
        ("log:\n  level: verbose", 2, "log.level: expected 'debug', 'info', 'warning' or 'error', got 'verbose'."),
        ("router:\n  default_persona: no", 2, "router.default_persona: expected text"),
        ("router:\n  free_chat: web/1", 2, "router.free_chat: expected a list, got 'web/1'."),
        ("router:\n  categories:\n  - patern: x\n    persona: lead", 3, "Did you mean 'pattern'?"),
        (
            "router:\n  categories:\n  - pattern: x\n",
            3,
            "router.categories.0.persona: expected a value, there is none.",
        ),
        ("repositories:\n  app:\n    sorce: /srv", 3, "Unknown key 'repositories.app.sorce'. Did you mean 'source'?"),
        ("repositories:\n  app: /srv", 2, "repositories.app: expected keys and values, got '/srv'."),
        (
            "workspaces:\n  app:\n    path: /srv",
            1,
            "'workspaces' are 'repositories' now: for each of them write `source:`",
        ),
        ("enforcement:\n  review_gate:\n    exhausted: explode", 3, "enforcement.review_gate.exhausted: expected"),
        ("data_directory: 5", 1, "data_directory: expected a path, got 5."),
        ("data_directory: ~nobody_of_this_name/x", 1, "data_directory: this path cannot be used"),
        ('data_directory: "a\\0b"', 1, "data_directory: this path cannot be used: it holds a NUL character."),
        ('data_directory: "\\ud800"', 1, "data_directory: this path cannot be used"),
        ("- a\n- b", 1, "Expected lines of the form 'key: value'."),
        ("just words", 1, "Expected lines of the form 'key: value'."),
        ("log:\n\tlevel: info", 2, "This is not YAML: found character '\\t' that cannot start any token."),
        ("log: {level: info", 1, "This is not YAML"),
        ("a: b: c", 1, "This is not YAML: mapping values are not allowed here."),
        ("log:\n  level: inf\0o", 2, "This is not YAML: it holds a character that YAML does not allow."),
        ("web:\n  key: s3cret-value", 2, "web.key is a secret and does not belong here. Set MAMA_WEB__KEY"),
        ("store: {url: 'sqlite:///x'}", 1, "store.url is a secret and does not belong here. Set MAMA_STORE__URL"),
        ("1: 2", 1, "Unknown key '1'."),
        (
            "discord:\n  access:\n    owners: [1]\n    workspaces: [2]",
            4,
            "discord.access.workspaces is called 'servers' now: rename the key.",
        ),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    error = refusal(tmp_path, text)
    assert words in error.problem
    assert error.line == line
    assert str(error).startswith(f"{tmp_path / 'config.yaml'}:{line}: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff\xfe\x00", "not text in UTF-8"),
        ("web: 2024-13-45", "month must be in 1..12"),
        ("web: !!timestamp x", "This YAML cannot be used"),
        ("[" * 3000, "This YAML cannot be used"),
        ("pool: {size: " + "9" * 5000 + "}", "This YAML cannot be used"),
        ("pool: &a {b: *a}", "Aliases (*name)"),
    ],
)
def test_a_file_that_is_no_yaml_of_ours_is_refused(tmp_path: Path, text: str | bytes, words: str) -> None:
    assert words in refusal(tmp_path, text).problem


def test_aliases_that_unfold_without_end_are_refused(tmp_path: Path) -> None:
    levels = "\n".join(f"  - &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12))
    text = f"router:\n  free_chat:\n  - &l0 [x]\n{levels}\n"
    assert "Aliases (*name) of lists and mappings cannot be used" in refusal(tmp_path, text).problem


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no such file\. Give another with --config"):
        load_settings(tmp_path / "config.yaml", environment={})


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read: Is a directory\.$"):
        load_settings(tmp_path, environment={})


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\ufeffpool:\n  size: 5\n", "pool:\r\n  size: 5\r\n"])
def test_an_empty_file_a_byte_order_mark_and_windows_lines_are_fine(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).pool.size == 5


def test_merge_keys_work(tmp_path: Path) -> None:
    assert load(tmp_path, "pool: {<<: {size: 4}, idle_seconds: 7}").pool.size == 4


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MAMA_POOL__SIZE", "many", "MAMA_POOL__SIZE is wrong: pool.size: expected a whole number, got 'many'."),
        ("MAMA_POOL__SIZE", "", "expected a whole number, got ''."),
        ("MAMA_POOL__SISE", "3", "names no setting. Did you mean 'MAMA_POOL__SIZE'?"),
        ("MAMA_POOL__SIZE__X", "3", "names no setting. Did you mean 'MAMA_POOL__SIZE'?"),
        ("MAMA_WEB_KEY", "s3cret-value", "names no setting. Did you mean 'MAMA_WEB__KEY'?"),
        ("MAMA_", "3", "names no setting."),
        ("MAMA_SLACK__ACCESS__WORKSPACES", "T1", "is called MAMA_SLACK__ACCESS__SERVERS now: rename it."),
        ("MAMA_SLACK", '{"access": {"workspaces": ["T1"]}}', "slack.access.workspaces is called 'servers' now"),
        ("MAMA_POOL", "3", "MAMA_POOL is wrong: pool: expected keys and values, got 3."),
        ("MAMA_POOL", "nonsense", "MAMA_POOL is not JSON"),
        ("MAMA_POOL", '{"sise": 3}', "MAMA_POOL is wrong: Unknown key 'pool.sise'. Did you mean 'size'?"),
        ("MAMA_POOL", '{"size": "many"}', "MAMA_POOL is wrong: pool.size: expected a whole number, got 'many'."),
        ("MAMA_ROUTER__FREE_CHAT", "web/1", "MAMA_ROUTER__FREE_CHAT is not JSON"),
        ("MAMA_ROUTER__CATEGORIES", '[{"pattern": "x"}]', "MAMA_ROUTER__CATEGORIES is wrong: router.categories.0.pers"),
        ("MAMA_REPOSITORIES__APP__SORCE", "/x", "names no setting. Write MAMA_REPOSITORIES__NAME__SOURCE"),
        ("MAMA_WORKSPACES__APP__PATH", "/x", "names no setting: 'workspaces' are 'repositories' now"),
        ("MAMA_WEB", '"s3cret-value"', "MAMA_WEB is wrong: web: expected keys and values."),
        ("MAMA_WEB", '{"key": ["s3cret-value"]}', "MAMA_WEB is wrong: web.key: expected text"),
        ("MAMA_DATA_DIRECTORY", "~nobody_of_this_name/x", "MAMA_DATA_DIRECTORY is wrong: data_directory: this path"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(tmp_path: Path, name: str, value: str, words: str) -> None:
    error = refusal(tmp_path, "", {name: value})
    assert words in error.problem
    assert error.problem.startswith(f"The environment variable {name} ")
    assert "s3cret-value" not in str(error)


def test_the_environment_stands_above_the_file(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "pool: {size: 3, idle_seconds: 7}\nrouter: {free_chat: [web/1]}",
        {
            "MAMA_POOL__SIZE": "4",
            "MAMA_ROUTER__FREE_CHAT": '["web/2", "web/3"]',
            "MAMA_REPOSITORIES__APP__SOURCE": "app",
            "mama_log__level": "debug",
            "MAMA_CONFIG": "elsewhere.yaml",
            "PATH": "/bin",
        },
    )
    assert settings.pool.size == 4
    assert settings.pool.idle_seconds == 7
    assert settings.router.free_chat == ("web/2", "web/3")
    assert settings.repositories["app"].source == str(tmp_path / "app")
    assert settings.log.level.value == "debug"


def test_lists_and_mappings_are_read_from_the_file(tmp_path: Path) -> None:
    text = "router:\n  categories:\n  - {pattern: 리뷰, persona: reviewer}\nrepositories:\n  app: {source: ../app}\n"
    settings = load(tmp_path, text)
    assert settings.router.categories[0].pattern == "리뷰"
    assert settings.repositories["app"].source == str(tmp_path.parent / "app")


def test_relative_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    settings = load(tmp_path, "data_directory: d\nclaude: {cli_path: bin/claude}")
    assert settings.data_directory == tmp_path / "d"
    assert settings.personas_directory == tmp_path / "personas"
    assert settings.claude.cli_path == tmp_path / "bin" / "claude"


def test_the_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load(tmp_path, "")
    with pytest.raises(ValueError, match="frozen"):
        settings.data_directory = tmp_path


def test_secrets_are_read_from_the_secrets_file_under_the_environment(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.env"
    secrets.write_text("\ufeff# ours\n\nMAMA_WEB__KEY='one key'\nexport MAMA_STORE__URL=sqlite:///x\nOTHER=1\n")
    settings = load_settings(None, environment={"MAMA_WEB__KEY": "another-long-one"}, secrets_file=secrets)
    assert settings.web.key is not None
    assert settings.web.key.get_secret_value() == "another-long-one"
    assert settings.store.url is not None
    assert settings.store.url.get_secret_value() == "sqlite:///x"
    assert "another" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (b"# ours\n\nMAMA_WEB_KEY=s3cret-value\n", 3, "MAMA_WEB_KEY names no setting. Did you mean 'MAMA_WEB__KEY'?"),
        (b"A=1\nMAMA_WEB__KEY s3cret-value\n", 2, "Expected a line NAME=value."),
        (b"A=1\nMAMA_WEB__KEY\n", 2, "Expected a line NAME=value."),
        (b"MAMA_WEB__KEY='s3cret-value\n", 1, "Expected a line NAME=value."),
        (b"\xff\xfe", None, "not text in UTF-8"),
    ],
)
def test_a_mistake_in_the_secrets_file_is_named_without_the_secret(
    tmp_path: Path, text: bytes, line: int | None, words: str
) -> None:
    secrets = tmp_path / "secrets.env"
    secrets.write_bytes(text)
    with pytest.raises(ConfigurationError) as caught:
        load_settings(None, environment={}, secrets_file=secrets)
    assert words in caught.value.problem
    assert caught.value.file == secrets
    assert caught.value.line == line
    assert "s3cret-value" not in str(caught.value)


def test_a_secrets_file_that_is_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_settings(None, environment={}, secrets_file=tmp_path)


def test_the_shipped_file_holds_the_defaults() -> None:
    shipped = load_settings(SHIPPED, environment={}).model_dump()
    defaults = load_settings(None, environment={}).model_dump()
    here, there = Path.cwd(), SHIPPED.parent
    for name in ("data_directory", "personas_directory", "skills_directory", "rules_directory"):
        assert shipped.pop(name).relative_to(there) == defaults.pop(name).relative_to(here)
    assert shipped == defaults


def test_the_shipped_file_names_every_key() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    content = yaml.safe_load(text)
    for key in keys(Settings):
        value: object = content
        parts = key.split(".")
        for part in parts:
            value = value.get(part, ...) if isinstance(value, dict) else ...
        if value is ...:
            variable = "MAMA_" + key.replace(".", "__").upper()
            assert variable in text or f"# {parts[-1]}:" in text, f"{key} is not documented in config.yaml"
            assert key in SECRET_KEYS or key in {"claude.cli_path", "backups.directory", "nodes.shared_directory"}


def test_the_nearest_name_is_found_whatever_the_case() -> None:
    assert nearest("DEVELOPR", ["developer", "lead"]) == "Did you mean 'developer'?"
    assert nearest("x" * 100_000, ["developer", "lead"]) == "Known: developer, lead."
    assert nearest("x", []) == "Nothing is known here."


def complaint(directory: Path, text: bytes, environment: Mapping[str, str]) -> str:
    """What is wrong, or "" when the settings are fine; any other error is a fault."""
    try:
        load(directory, text, environment)
    except ConfigurationError as error:
        return str(error)
    return ""


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted(keys(Settings)))


@given(st.text())
@settings(max_examples=100, deadline=None)
def test_any_text_is_settings_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    said = complaint(tmp_path_factory.getbasetemp(), text.encode("utf-8", "surrogatepass"), {})
    assert said == "" or said.endswith((".", "?"))


@given(KEYS, JUNK)
@settings(max_examples=100, deadline=None)
def test_any_value_for_any_key_is_settings_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    content: object = value
    for part in reversed(key.split(".")):
        content = {part: content}
    text = yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "surrogatepass")
    said = complaint(tmp_path_factory.getbasetemp(), text, {})
    assert said == "" or said.endswith((".", "?"))


@given(KEYS, st.text(alphabet=st.characters(exclude_characters="\0")))
@settings(max_examples=100, deadline=None)
def test_any_variable_is_settings_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, key: str, value: str) -> None:
    name = "MAMA_" + key.replace(".", "__").upper()
    said = complaint(tmp_path_factory.getbasetemp(), b"", {name: value})
    assert said == "" or name in said


@pytest.mark.parametrize(
    "name", ["MAMA_POOL", "MAMA_ROUTER", "MAMA_WORKSPACES", "MAMA_ROUTER__CATEGORIES", "MAMA_WORKSPACES__APP"]
)
@given(value=JUNK)
@settings(max_examples=40, deadline=None)
def test_any_json_for_a_section_is_settings_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: object
) -> None:
    said = complaint(tmp_path_factory.getbasetemp(), b"", {name: json.dumps(value)})
    assert said == "" or name in said


@pytest.mark.parametrize(
    ("section", "key", "given", "meant"),
    [
        ("discord", "api_url", "http://127.0.0.1:4400", "http://127.0.0.1:4400/api/v10"),
        ("discord", "api_url", "http://127.0.0.1:4400/api/v9/", "http://127.0.0.1:4400/api/v9"),
        ("slack", "api_url", "http://127.0.0.1:4400", "http://127.0.0.1:4400/api/"),
        ("slack", "api_url", "http://127.0.0.1:4400/slack/api", "http://127.0.0.1:4400/slack/api/"),
        ("telegram", "api_url", "http://127.0.0.1:8081/", "http://127.0.0.1:8081/bot"),
        ("telegram", "files_url", "http://127.0.0.1:8081", "http://127.0.0.1:8081/file/bot"),
        ("telegram", "api_url", "http://127.0.0.1:8081/bot", "http://127.0.0.1:8081/bot"),
    ],
)
def test_the_address_of_a_platforms_server_is_enough(
    tmp_path: Path, section: str, key: str, given: str, meant: str
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(f"{section}:\n  {key}: {given}\n", encoding="utf-8")
    settings = load_settings(file, environment={})
    assert getattr(getattr(settings, section), key) == meant


def test_another_telegram_has_its_files_too(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("telegram:\n  api_url: http://127.0.0.1:8081/bot\n", encoding="utf-8")
    assert load_settings(file, environment={}).telegram.files_url == "http://127.0.0.1:8081/file/bot"
    environment = {"MAMA_TELEGRAM__FILES_URL": "http://127.0.0.1:9/files"}
    assert load_settings(file, environment=environment).telegram.files_url == "http://127.0.0.1:9/files"
    by_variable = load_settings(None, environment={"MAMA_TELEGRAM__API_URL": "http://127.0.0.1:8081"})
    assert by_variable.telegram.files_url == "http://127.0.0.1:8081/file/bot"


def test_the_own_file_stands_on_top_of_the_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("pool: {size: 3, idle_seconds: 7}\nweb: {port: 1234}\n", encoding="utf-8")
    own = tmp_path / "config.local.yaml"
    own.write_text("pool: {size: 4}\n", encoding="utf-8")
    settings = load_settings(own, environment={})
    assert (settings.pool.size, settings.pool.idle_seconds, settings.web.port) == (4, 7, 1234)
    assert load_settings(own, environment={"MAMA_POOL__SIZE": "5"}).pool.size == 5
    (tmp_path / "config.yaml").unlink()
    assert load_settings(own, environment={}).web.port == 8642


@pytest.mark.parametrize(
    ("shared", "own", "place"),
    [
        ("web: {}\npol: {}\n", "pool: {size: 4}\n", "config.yaml:2: "),
        ("web: {}\n", "\n\npool: {size: none}\n", "config.local.yaml:3: "),
        ("\npool:\n  size: none\n", "pool: {idle_seconds: 4}\n", "config.yaml:3: "),
        ("slack: {bot_token: x}\n", "web: {}\n", "config.yaml:1: "),
        ("- no\n", "web: {}\n", "config.yaml:1: "),
    ],
)
def test_a_mistake_is_told_of_the_file_in_which_it_stands(tmp_path: Path, shared: str, own: str, place: str) -> None:
    (tmp_path / "config.yaml").write_text(shared, encoding="utf-8")
    (tmp_path / "config.local.yaml").write_text(own, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(tmp_path / "config.local.yaml", environment={})
    assert str(caught.value).startswith(str(tmp_path / place))
