"""`mama-bot login`: the login of the bundled claude CLI, made where the service looks for it."""

import subprocess
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

from mama_bot.agents.login import bundled_cli, find_login
from mama_bot.app.configuration import Configuration
from mama_bot.app.readiness import lacks_of
from mama_bot.commands import sentences as words
from mama_bot.commands.setup.console import Console, ask_until
from mama_bot.commands.setup.new_files import PRIVATE, with_secrets, write_file
from mama_bot.config import read_text
from mama_bot.errors import ConfigurationError
from mama_bot.model import Need
from mama_bot.wording import Language, Said


class LoginWay(StrEnum):
    """How somebody logs in: in a browser, by a token of a subscription that lasts, or by a key that is billed."""

    BROWSER = "browser"
    TOKEN = "token"  # noqa: S105 - a name, not a value
    API_KEY = "api-key"


_KEPT: Mapping[LoginWay, tuple[str, str, Said]] = {
    LoginWay.TOKEN: ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat", words.ASK_LOGIN_TOKEN),
    LoginWay.API_KEY: ("ANTHROPIC_API_KEY", "sk-ant-", words.ASK_API_KEY),
}


def log_in(configuration: Configuration, way: LoginWay, console: Console, language: Language) -> Iterator[Said]:
    """Log in, and yield what came of it; raises ConfigurationError where there is no login afterwards."""
    if way is not LoginWay.API_KEY:
        _run(configuration, ("auth", "login") if way is LoginWay.BROWSER else ("setup-token",))
    environment = dict(configuration.environment)
    if way is not LoginWay.BROWSER:
        name, prefix, question = _KEPT[way]
        environment[name] = _asked(console, question, prefix, language)
        _keep(configuration.secrets_file, {name: environment[name]})
        yield words.LOGIN_KEPT.of(name=name, file=str(configuration.secrets_file))
    login = find_login(environment, configuration.home)
    if login is None:
        raise ConfigurationError(problem="There is no login all the same. Run it again, or with --token or --api-key.")
    yield words.LOGGED_IN.of(kind=login.kind.value.replace("_", " "), source=login.source)


def _run(configuration: Configuration, arguments: tuple[str, ...]) -> None:
    claude, environment = configuration.settings.claude, configuration.environment
    for lack in lacks_of(claude, environment, configuration.home):
        if lack.need is Need.CLI:
            raise ConfigurationError(problem=lack.sentence.to(Language.ENGLISH))
    cli = claude.cli_path or bundled_cli()
    assert cli is not None
    try:
        ended = subprocess.run([cli, *arguments], env={**environment, "HOME": str(configuration.home)}, check=False)
    except OSError as error:
        raise ConfigurationError(problem=f"{cli} does not run: {error.strerror or error}.") from None
    if ended.returncode != 0:
        raise ConfigurationError(problem=f"The CLI ended with exit status {ended.returncode}: nobody was logged in.")


def _asked(console: Console, question: Said, prefix: str, language: Language) -> str:
    def read(answer: str) -> str:
        if not answer.startswith(prefix) or not answer.isascii() or not answer.isprintable() or " " in answer:
            raise ValueError(words.NO_SUCH_KEY.to(language, prefix=prefix))
        return answer

    return ask_until(lambda: console.ask_hidden(question.to(language)), read, console.say)


def _keep(file: Path, secrets: Mapping[str, str]) -> None:
    before = read_text(file) if file.exists() else ""
    write_file(file, with_secrets(before, secrets), mode=PRIVATE)
