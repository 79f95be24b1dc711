"""What a process may be among others, and what it is told where it may not."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from mama_bot.app.configuration import Configuration, read_configuration
from mama_bot.app.readiness import lacking_here
from mama_bot.app.roles import node_of, transcript_place, with_role
from mama_bot.config import ServiceRole
from mama_bot.errors import ConfigurationError
from tests.end_to_end.team import write_configuration

POSTGRESQL = {"MAMA_STORE__URL": "postgresql://mama@database/mama"}
TELEGRAM = {"MAMA_TELEGRAM__TOKEN": "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"}


def configured(directory: Path, environment: dict[str, str], **settings: Any) -> Configuration:
    return read_configuration(write_configuration(directory, **settings), environment=environment)


@pytest.mark.parametrize(
    ("role", "environment", "settings", "problem"),
    [
        (ServiceRole.WORKER, {}, {}, r"--role worker shares the work with others, over PostgreSQL"),
        (ServiceRole.PAGE, {"MAMA_STORE__URL": "sqlite:///tmp/a.sqlite"}, {}, "over PostgreSQL"),
        (ServiceRole.GATEWAY, POSTGRESQL, {}, "none has a token"),
        (ServiceRole.PAGE, POSTGRESQL, {"web": {"enabled": False}}, "web.enabled is false. Set it to true"),
    ],
)
def test_a_role_that_does_not_fit_is_one_sentence(
    tmp_path: Path, role: ServiceRole, environment: dict[str, str], settings: Any, problem: str
) -> None:
    with pytest.raises(ConfigurationError, match=problem) as told:
        with_role(configured(tmp_path, environment, **settings), role)
    assert "\n" not in str(told.value)


def test_each_role_that_fits_has_a_name_that_outlives_it_and_who_does_all_has_none(tmp_path: Path) -> None:
    given = configured(tmp_path, {**POSTGRESQL, **TELEGRAM}, nodes={"silence_seconds": 7})
    for role in (ServiceRole.GATEWAY, ServiceRole.WORKER, ServiceRole.PAGE):
        configuration = with_role(given, role)
        configuration.own_directory.mkdir(parents=True, exist_ok=True)
        first, again = node_of(configuration), node_of(configuration)
        assert first is not None
        assert again is not None
        assert (first.id, first.role, first.lease.silence_seconds) == (again.id, role.value, 7)
        assert configuration.settings.web.enabled is (role is ServiceRole.PAGE)
    assert node_of(with_role(given, ServiceRole.ALL)) is None


def test_the_files_of_conversations_are_where_the_nodes_share_them_and_the_own_ones_are_not(tmp_path: Path) -> None:
    given = configured(tmp_path, POSTGRESQL, nodes={"shared_directory": str(tmp_path / "shared")})
    worker, alone = with_role(given, ServiceRole.WORKER), with_role(given, ServiceRole.ALL)
    assert worker.directory.parent == tmp_path / "shared"
    assert worker.own_directory.parent == alone.directory.parent == given.settings.data_directory
    worker.own_directory.mkdir(parents=True)
    node = node_of(worker)
    assert node is not None
    assert node.place.shared_files


def test_where_no_agent_runs_no_login_is_missed(tmp_path: Path) -> None:
    given = configured(tmp_path, {**POSTGRESQL, **TELEGRAM, "HOME": str(tmp_path)}, claude={"source": "auto"})
    assert with_role(given, ServiceRole.WORKER).scripted
    assert lacking_here(with_role(given, ServiceRole.WORKER))()
    for role in (ServiceRole.GATEWAY, ServiceRole.PAGE):
        assert not with_role(given, role).scripted
        assert lacking_here(with_role(given, role))() == ()


def test_a_name_that_is_none_is_said(tmp_path: Path) -> None:
    configuration = with_role(configured(tmp_path, POSTGRESQL), ServiceRole.WORKER)
    configuration.own_directory.mkdir(parents=True)
    (configuration.own_directory / "node.id").write_text("")
    with pytest.raises(ConfigurationError, match=r"This file is empty\."):
        node_of(configuration)


def test_a_secret_is_read_from_the_file_that_a_variable_names(tmp_path: Path) -> None:
    secret = tmp_path / "url"
    secret.write_text("postgresql://mama:secret@database/mama\n")
    configuration = configured(tmp_path, {"MAMA_STORE__URL_FILE": str(secret), "ANTHROPIC_API_KEY_FILE": str(secret)})
    assert configuration.settings.store.url is not None
    assert configuration.settings.store.url.get_secret_value() == "postgresql://mama:secret@database/mama"
    assert configuration.environment["ANTHROPIC_API_KEY"] == secret.read_text().strip()
    assert configuration.secret_files == (secret, secret)
    assert "secret" not in configuration.redactor()("it is secret")


@pytest.mark.parametrize(
    ("content", "further", "problem"),
    [
        (None, {}, "The file that MAMA_STORE__URL_FILE names cannot be read: No such file"),
        ("", {}, "The file that MAMA_STORE__URL_FILE names is empty"),
        ("sqlite:///a", POSTGRESQL, "MAMA_STORE__URL and MAMA_STORE__URL_FILE are both set"),
    ],
)
def test_a_file_of_a_secret_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, content: str | None, further: dict[str, str], problem: str
) -> None:
    secret = tmp_path / "url"
    if content is not None:
        secret.write_text(content)
    with pytest.raises(ConfigurationError, match=problem):
        configured(tmp_path, {"MAMA_STORE__URL_FILE": str(secret), **further})


def test_the_shipped_settings_say_how_long_a_node_may_be_silent() -> None:
    shipped = yaml.safe_load((Path(__file__).parent.parent / "config.yaml").read_text(encoding="utf-8"))
    assert shipped["nodes"]["silence_seconds"] == 20


def test_what_agents_remember_is_kept_where_somebody_else_may_go_on_with_it_without_their_files(tmp_path: Path) -> None:
    shared = {"shared_directory": str(tmp_path / "shared")}
    for environment, nodes, roles in (
        (POSTGRESQL, {}, {ServiceRole.ALL, ServiceRole.WORKER}),
        (POSTGRESQL, shared, {ServiceRole.ALL}),
        ({}, {}, set()),
    ):
        for role in {ServiceRole.ALL} | ({ServiceRole.WORKER} if environment else set()):
            configuration = with_role(configured(tmp_path, environment, nodes=nodes), role)
            configuration.own_directory.mkdir(parents=True, exist_ok=True)
            place = transcript_place(configuration)
            assert (place is not None) is (role in roles)
            assert place == transcript_place(configuration)
