"""Secrets that stand in files, as container platforms hand them out: NAME_FILE names the file that holds NAME."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mama_bot.errors import ConfigurationError

ENDING = "_FILE"
PREFIX = "MAMA_"
# What agents are logged in with.
LOGINS = frozenset({"ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "GEMINI_API_KEY", "OPENAI_API_KEY"})
MOST_CHARACTERS = 100_000


def secret_file_paths(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the files that variables of the environment name, `/run/secrets/url` of `MAMA_STORE__URL_FILE`."""
    return tuple(Path(file).absolute() for _, _, file in _named(environment))


def with_secret_files(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the environment with what those files hold, each in the place of the variable that names it.

    Raises ConfigurationError for a file that cannot be read or holds nothing, and for a secret that is there twice.
    """
    read = dict(environment)
    for variable, name, file in _named(environment):
        if environment.get(name):
            raise ConfigurationError(problem=f"{name} and {variable} are both set. Remove one of them.")
        try:
            value = Path(file).read_text(encoding="utf-8")[:MOST_CHARACTERS].strip()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            problem = f"The file that {variable} names cannot be read: {reason}."
            raise ConfigurationError(problem=problem, file=Path(file)) from None
        if not value:
            raise ConfigurationError(problem=f"The file that {variable} names is empty.", file=Path(file))
        del read[variable]
        read[name] = value
    return read


def _named(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for variable, file in environment.items():
        name = variable.removesuffix(ENDING)
        if file and name != variable and (name.startswith(PREFIX) or name in LOGINS):
            yield variable, name, file
