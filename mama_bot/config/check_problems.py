"""What is wrong about the checks of a workspace, beyond the types of their values."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from mama_bot.config.document import KeyPath
from mama_bot.config.enforcement_settings import StageSettings
from mama_bot.config.page_problems import open_page
from mama_bot.config.platform_problems import unlikely_tokens, unserved
from mama_bot.config.repository_settings import WorkspaceCheck
from mama_bot.config.settings import Settings

_REMEDY = "Lower this, or raise enforcement.workspace_checks.timeout_seconds"
OWN = ("MAMA_BOT_CHECK_MARK", "MAMA_BOT_CHECK_RUN")


def problems_of_checks(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Yield each mistake with the key that it is about, as a sentence without that key."""
    for name, repository in settings.repositories.items():
        seen: dict[str, int] = {}
        for number, check in enumerate(repository.checks):
            key = ("repositories", name, "checks", str(number))
            if check.name in seen:
                yield (*key, "name"), f"{check.name!r} is the name of check {seen[check.name]} too. Give it another."
            seen.setdefault(check.name, number)
            for part, problem in _problems(check):
                yield (*key, *part), problem
            most = settings.enforcement.workspace_checks.timeout_seconds
            if check.timeout_seconds >= most:
                problem = (
                    f"{check.timeout_seconds:g} seconds are not less than the {most:g} that all checks have together"
                )
                yield (*key, "timeout_seconds"), f"{problem}. {_REMEDY}."
            elif check.install is not None and check.install.timeout_seconds + check.timeout_seconds >= most:
                both = f"with the {check.timeout_seconds:g} of the check itself that is not less than the {most:g}"
                problem = f"{check.install.timeout_seconds:g} seconds: {both} that all checks have together"
                yield (*key, "install", "timeout_seconds"), f"{problem}. {_REMEDY}."


def warnings_of(settings: Settings) -> Iterator[str]:
    """Yield what is allowed and hardly meant, each a sentence."""
    yield from unlikely_tokens(settings)
    yield from unserved(settings)
    yield from open_page(settings)
    if not settings.claude.in_turn_retries:
        return
    stages = [(name, getattr(settings.enforcement, name)) for name in type(settings.enforcement).model_fields]
    taking = [
        (section.timeout_seconds, name)
        for name, section in stages
        if isinstance(section, StageSettings) and section.enabled
    ]
    most, name = max(taking, default=(0.0, ""))
    if settings.claude.in_turn_seconds < most:
        yield (
            f"claude.in_turn_seconds ({settings.claude.in_turn_seconds:g}) is less than "
            f"enforcement.{name}.timeout_seconds ({most:g}): a judgement in the turn that takes longer is given up and "
            "made again after it. Raise the one, or lower the other."
        )


def _problems(check: WorkspaceCheck) -> Iterator[tuple[KeyPath, str]]:
    if not check.name.strip() or not check.name.isprintable():
        yield ("name",), "expected a name on one line."
    yield from _problems_of_argv(check.argv)
    if leaves(check.directory):
        yield ("directory",), f"{check.directory!r} leads out of the workspace. Name a directory inside it."
    yield from _problems_of_paths("from_base", check.from_base)
    if check.install is not None:
        problems = (
            *_problems_of_argv(check.install.argv),
            *_problems_of_paths("files", check.install.files),
            *_problems_of_paths("makes", check.install.makes),
        )
        yield from ((("install", *key), problem) for key, problem in problems)
    yield from _problems_of_environment(check.environment)


def _problems_of_paths(key: str, paths: Sequence[str]) -> Iterator[tuple[KeyPath, str]]:
    for number, path in enumerate(paths):
        if not path.strip("./"):
            yield (key, str(number)), f"{path!r} names no file. Name files, directories or patterns in it."
        elif leaves(path):
            yield (key, str(number)), f"{path!r} leads out of the workspace. Name what is inside it."


def _problems_of_argv(argv: Sequence[str]) -> Iterator[tuple[KeyPath, str]]:
    if not argv[0].strip():
        yield ("argv", "0"), "expected the name of a program, such as pytest."
    for number, word in enumerate(argv):
        if "\0" in word:
            yield ("argv", str(number)), "it holds a NUL character, which no command can take."


def _problems_of_environment(environment: Mapping[str, str]) -> Iterator[tuple[KeyPath, str]]:
    for name, value in environment.items():
        if not name or "=" in name or "\0" in name + value:
            yield ("environment", name), f"{name!r} is no variable: a name has no '=', and nothing holds NUL."
        elif name in OWN:
            yield ("environment", name), "the service itself sets this. Remove it."


def leaves(path: str) -> bool:
    """Return whether a path in a workspace may lead out of it, or is none."""
    return not path or path.startswith(("/", "~")) or "\0" in path or ".." in PurePosixPath(path).parts
