"""The settings of the chat platforms: what people paste wrongly is one sentence, and no sentence holds a secret."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.app.configuration import read_configuration
from mama_bot.config import Settings, load_settings, warnings_of
from mama_bot.errors import ConfigurationError
from tests.end_to_end.team import write_configuration

SECRET = "Zq8vPw3nTx6bKd1mRf5s"
DISCORD = f"{SECRET}.Abc123.{SECRET}Zq8vPw"


def load(environment: Mapping[str, str]) -> Settings:
    return load_settings(None, environment=environment)


def refusal(environment: Mapping[str, str]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(environment)
    assert "\n" not in str(caught.value)
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (f"Bot {SECRET}", "expected the token alone, without 'Bot' before it"),
        (f"bearer {SECRET}", "without 'bearer' before it"),
        (f'"{SECRET}"', "without quotes around it"),
        (f"'{SECRET}'", "without quotes around it"),
        (f"{SECRET} ", "without spaces or line breaks"),
        (f"{SECRET}\n{SECRET}", "without spaces or line breaks"),
        (f"{SECRET}\u200b", "without spaces or line breaks"),
        (f"토큰{SECRET}", "without spaces or line breaks"),
    ],
)
@pytest.mark.parametrize("name", ["MAMA_DISCORD__TOKEN", "MAMA_TELEGRAM__PERSONA_TOKENS__DEVELOPER"])
def test_what_is_pasted_along_with_a_token_is_named(name: str, value: str, words: str) -> None:
    said = refusal({name: value})
    assert words in said
    assert f"The environment variable {name} is wrong: " in said


def test_a_token_in_another_shape_is_never_shown() -> None:
    refusal({"MAMA_DISCORD__PERSONA_TOKENS": f'{{"developer": ["{SECRET}"]}}'})
    refusal({"MAMA_DISCORD__PERSONA_TOKENS": f'"{SECRET}"'})
    said = refusal({"MAMA_SLACK__PERSONA_TOKENS": '{"developer": 81726354}'})
    assert "81726354" not in said


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_a_token_or_a_sentence_without_it(text: str) -> None:
    said, token = "", None
    try:
        token = load({"MAMA_TELEGRAM__TOKEN": SECRET + text}).telegram.token
    except ConfigurationError as error:
        said = str(error)
    assert SECRET not in said
    assert said or (token is not None and token.get_secret_value() == SECRET + text)


def test_an_empty_variable_is_no_token() -> None:
    assert load({"MAMA_DISCORD__TOKEN": "", "MAMA_SLACK__BOT_TOKEN": ""}).discord.token is None


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (
            {"MAMA_SLACK__BOT_TOKEN": "xoxb-1"},
            "slack.app_token, which is missing. Set MAMA_SLACK__APP_TOKEN (xapp-...)",
        ),
        (
            {"MAMA_SLACK__APP_TOKEN": "xapp-1"},
            "slack.bot_token, which is missing. Set MAMA_SLACK__BOT_TOKEN (xoxb-...)",
        ),
        (
            {"MAMA_SLACK__BOT_TOKEN": "xapp-1", "MAMA_SLACK__APP_TOKEN": "xoxb-1"},
            "MAMA_SLACK__BOT_TOKEN is wrong: slack.bot_token: this is a token for slack.app_token (xapp-...)",
        ),
    ],
)
def test_slack_takes_two_tokens_and_says_which_is_missing_or_swapped(
    environment: Mapping[str, str], words: str
) -> None:
    assert words in refusal(environment)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("MAMA_DISCORD__API_URL", "discord.com/api/v10", "begins with https:// or http://, got 'discord.com/api/v10'"),
        ("MAMA_DISCORD__GATEWAY_URL", "https://gateway.discord.gg", "begins with wss:// or ws://"),
        ("MAMA_SLACK__API_URL", "https://", "begins with https:// or http://"),
        ("MAMA_TELEGRAM__FILES_URL", "file:///etc/passwd", "begins with https:// or http://"),
        ("MAMA_TELEGRAM__API_URL", "http://[::1/bot", "begins with https:// or http://"),
        ("MAMA_TELEGRAM__API_URL", "http://host:99999/bot", "begins with https:// or http://"),
    ],
)
def test_an_address_has_the_scheme_that_its_platform_speaks(name: str, value: str, words: str) -> None:
    assert words in refusal({name: value})


@pytest.mark.parametrize(
    "environment",
    [
        {"MAMA_TELEGRAM__PERSONA_TOKENS__DEVELOPER": SECRET, "MAMA_TELEGRAM__PERSONA_TOKENS__QA_LEAD": "other"},
        {"MAMA_TELEGRAM__PERSONA_TOKENS": f'{{"developer": "{SECRET}", "qa-lead": "other"}}'},
        {
            "MAMA_TELEGRAM__PERSONA_TOKENS": f'{{"developer": "{SECRET}"}}',
            "MAMA_TELEGRAM__PERSONA_TOKENS__QA_LEAD": "other",
        },
    ],
)
def test_tokens_of_personas_come_one_by_one_or_as_json(environment: Mapping[str, str]) -> None:
    tokens = load(environment).telegram.persona_tokens
    assert {name: token.get_secret_value() for name, token in tokens.items()} == {
        "developer": SECRET,
        "qa-lead": "other",
    }


def test_roles_of_personas_come_one_by_one() -> None:
    assert load({"MAMA_DISCORD__PERSONA_ROLES__QA_LEAD": "12"}).discord.persona_roles == {"qa-lead": "12"}


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ("1", ("1",)),
        ("1, 2,3 ", ("1", "2", "3")),
        ('["1", 2]', ("1", "2")),
        ("U01ABC", ("U01ABC",)),
        ("-1001234567890", ("-1001234567890",)),
        ("", ()),
        (" , ", ()),
    ],
)
def test_a_list_of_ids_is_json_or_stands_between_commas(value: str, ids: tuple[str, ...]) -> None:
    assert load({"MAMA_TELEGRAM__ACCESS__CHANNELS": value}).telegram.access.channels == ids


@pytest.mark.parametrize("value", ['["1"', '{"a": 1}', '"1","2"', "one two", "[[1]]"])
def test_a_list_of_ids_that_is_none_points_at_its_variable(value: str) -> None:
    assert "MAMA_SLACK__ACCESS__OWNERS" in refusal({"MAMA_SLACK__ACCESS__OWNERS": value})


@pytest.mark.parametrize(
    "name", ["MAMA_DISCORD__PERSONA_TOKENZ__DEVELOPER", "MAMA_DISCORD__ACCESS__OWNER", "MAMA_DISCORD__TOKEN__X"]
)
def test_a_variable_that_no_setting_has_is_refused(name: str) -> None:
    assert "names no setting" in refusal({name: SECRET})


def test_two_personas_cannot_share_a_bot() -> None:
    both = {"MAMA_DISCORD__TOKEN": SECRET, "MAMA_DISCORD__PERSONA_TOKENS__DEVELOPER": SECRET}
    assert "discord.persona_tokens.developer: this is the token of discord.token too" in refusal(both)


def test_a_token_or_role_for_nobody_names_the_nearest_persona(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    for name, key in (("MAMA_DISCORD__PERSONA_ROLES__DEVELOPR", "persona_roles"),):
        with pytest.raises(ConfigurationError, match=rf"discord\.{key}\.developr: 'developr' is no persona\. Did you"):
            read_configuration(file, environment={name: "12"})
    with pytest.raises(ConfigurationError, match=r"telegram\.persona_tokens\.nobody: 'nobody' is no persona") as caught:
        read_configuration(file, environment={"MAMA_TELEGRAM__PERSONA_TOKENS__NOBODY": SECRET})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "key", "words"),
    [
        (
            {"router": {"default_persona": "led"}},
            "default_persona",
            "router.default_persona: 'led' is no persona. Did you",
        ),
        (
            {"reviews": {"reviewer": "reviewr", "require_review_for": [{"personas": ["developer"]}]}},
            "reviewer",
            "reviews.reviewer: 'reviewr' is no persona. Did you mean 'reviewer'?",
        ),
        (
            {"repositories": {"app": {"source": ".", "mode": "in_place", "checks": [{"name": "a", "argv": ["a"]}]}}},
            "checks",
            "belongs to no git repository, and a check is run on a git tree.",
        ),
    ],
)
def test_a_setting_that_does_not_fit_the_personas_or_the_disk_is_told_with_its_line(
    tmp_path: Path, settings: dict[str, Any], key: str, words: str
) -> None:
    file = write_configuration(tmp_path, **settings)
    lines = [line.split(":")[0].strip(" -") for line in file.read_text(encoding="utf-8").splitlines()]
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(file, environment={})
    assert (caught.value.file, caught.value.line) == (file, lines.index(key) + 1)
    assert words in caught.value.problem


def test_a_default_persona_from_the_environment_is_told_with_its_variable(tmp_path: Path) -> None:
    file = write_configuration(tmp_path)
    with pytest.raises(ConfigurationError, match=r"MAMA_ROUTER__DEFAULT_PERSONA is wrong: .* 'led' is no persona"):
        read_configuration(file, environment={"MAMA_ROUTER__DEFAULT_PERSONA": "led"})


def test_a_token_with_nobody_listed_is_noted_with_what_pairing_does() -> None:
    (said,) = warnings_of(load({"MAMA_DISCORD__TOKEN": DISCORD}))
    assert "discord.access lists nobody" in said
    assert "mama-bot pair CODE" in said
    closed = {"MAMA_DISCORD__TOKEN": DISCORD, "MAMA_DISCORD__ACCESS__PAIRING": "false"}
    assert any("Pairing is off as well" in said for said in warnings_of(load(closed)))
    assert not [*warnings_of(load({"MAMA_DISCORD__TOKEN": DISCORD, "MAMA_DISCORD__ACCESS__OWNERS": "1"}))]
    assert not [*warnings_of(load({}))]


@pytest.mark.parametrize(
    ("environment", "key"),
    [
        ({"MAMA_DISCORD__TOKEN": SECRET}, "discord.token"),
        ({"MAMA_TELEGRAM__TOKEN": "hunter2"}, "telegram.token"),
        ({"MAMA_SLACK__BOT_TOKEN": "xoxb-1", "MAMA_SLACK__APP_TOKEN": f"xapp-1-{SECRET}"}, "slack.bot_token"),
    ],
)
def test_a_token_that_no_platform_gives_out_is_noted_without_its_value(
    environment: Mapping[str, str], key: str
) -> None:
    noted = [warning for warning in warnings_of(load(environment)) if "does not look like a token" in warning]
    assert [warning.split()[0] for warning in noted] == [key]
    assert not any(token in warning for warning in noted for token in environment.values())
    own = {f"MAMA_{name}__API_URL": "http://127.0.0.1:1" for name in ("DISCORD", "TELEGRAM", "SLACK")}
    assert not [warning for warning in warnings_of(load({**environment, **own})) if "does not look" in warning]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "MAMA_SLACK__ENABLED",
            "A platform is on once its token is set: MAMA_SLACK__APP_TOKEN, MAMA_SLACK__BOT",
        ),
        ("MAMA_SLACK__XYZ", "Of this section there are: MAMA_SLACK__ACCESS"),
        ("MAMA_SLACK__BOT_TOKN", "Did you mean 'MAMA_SLACK__BOT_TOKEN'?"),
    ],
)
def test_an_unknown_variable_names_those_of_its_own_platform(name: str, told: str) -> None:
    assert f"names no setting. {told}" in refusal({name: "true"})
