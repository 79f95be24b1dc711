"""`mama-bot init`: asks for platforms, tokens, people and a repository, tests them, writes it all at once."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.app.configuration import SECRETS_NAME
from mama_bot.app.readiness import lacks_of
from mama_bot.commands.platform_checks import Examiner, examined
from mama_bot.commands.setup import sentences as words
from mama_bot.commands.setup.console import Answer, Console, ask_until
from mama_bot.commands.setup.first_repository import FirstRepositories, FirstRepository, named_beside
from mama_bot.commands.setup.manifests import SLACK_PAGE, discord_application, discord_invitation, slack_manifest
from mama_bot.commands.setup.new_files import (
    PRIVATE,
    PUBLIC,
    files_of_new_place,
    mode_of,
    with_access,
    with_secrets,
    write_file,
)
from mama_bot.commands.setup.offered_agents import agents_here, backends_of, with_backends
from mama_bot.commands.setup.repository_entry import with_repository
from mama_bot.config import load_settings, nearest, read_secrets, read_text
from mama_bot.config.platform_problems import unlikely_tokens
from mama_bot.errors import ConfigurationError, MamaBotError
from mama_bot.model import Lack, Need
from mama_bot.redaction import redactor
from mama_bot.wording import Language, Said

PLATFORMS = ("slack", "discord", "telegram")
TOKENS: Mapping[str, Sequence[str]] = {
    "slack": ("MAMA_SLACK__BOT_TOKEN", "MAMA_SLACK__APP_TOKEN"),
    "discord": ("MAMA_DISCORD__TOKEN",),
    "telegram": ("MAMA_TELEGRAM__TOKEN",),
}
SHAPES: Mapping[tuple[str, str], tuple[re.Pattern[str], str]] = {
    ("slack", "owners"): (re.compile(r"[UW][A-Z0-9]{2,20}"), "U01ABCDEF"),
    ("slack", "channels"): (re.compile(r"[CGD][A-Z0-9]{2,20}"), "C01ABCDEF"),
    ("discord", "owners"): (re.compile(r"[0-9]{5,20}"), "123456789012345678"),
    ("discord", "channels"): (re.compile(r"[0-9]{5,20}"), "123456789012345678"),
    ("telegram", "owners"): (re.compile(r"[0-9]{1,20}"), "123456789"),
    ("telegram", "channels"): (re.compile(r"-?[0-9]{1,20}"), "-1001234567890"),
}
YES, NO = frozenset({"y", "yes", "예", "네", "ㅇ"}), frozenset({"n", "no", "아니요", "아니오", "ㄴ"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUpAnswers:
    """What is known before anything is asked; ids by platform. With `yes` nothing is asked at all.

    `repository` is a path or a URL to clone, "" for none.
    """

    platforms: Sequence[str] = ()
    owners: Mapping[str, Sequence[str]] = field(default_factory=dict)
    channels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    repository: str | None = None
    language: Language = Language.ENGLISH
    yes: bool = False


class SetUp:
    """One run of the set-up; nothing is written before `write`, and that only when the person agrees."""

    def __init__(
        self,
        *,
        file: Path,
        answers: SetUpAnswers,
        console: Console,
        environment: Mapping[str, str],
        examiners: Mapping[str, Examiner] | None = None,
        manifest: Callable[[], str] = slack_manifest,
        invitation: Callable[[str], str] = discord_invitation,
    ) -> None:
        self._file = file
        self._secrets_file = file.parent / SECRETS_NAME
        self._answers = answers
        self._console = console
        self._environment = environment
        self._examiners = examiners
        self._manifest = manifest
        self._invitation = invitation
        self._secrets: dict[str, str] = {}
        self._access: dict[tuple[str, str], Sequence[str]] = {}
        self._repository: FirstRepository | None = None
        self._without_claude = False
        self._repositories = FirstRepositories(
            file=file, environment=environment, say=self._say, agrees=self._takes_check
        )

    def run(self) -> bool:
        """Ask, test, write; whether it was written. Raises ConfigurationError, before anything is written."""
        kept = read_secrets(self._secrets_file)
        if self._file.exists():
            load_settings(self._file, environment={}, secrets_file=None)
        new = {} if self._file.exists() else files_of_new_place(self._file)
        self._say(words.WELCOME)
        for lack in self._lacks({**kept, **self._environment}):
            if lack.stops_work:
                self._say(words.LACKING, problem=lack.sentence.to(self._answers.language))
        if len(new) > 1:
            self._say(words.NEW_PLACE, file=str(self._file), personas=str(self._file.parent / "personas"))
        platforms = self._platforms()
        for platform in platforms:
            self._steps(platform)
            self._tokens(platform, kept)
            self._people(platform)
        self._ask_repository()
        return self._write(self._with_agents(new, kept), platforms, kept)

    def _with_agents(self, new: Mapping[Path, str], kept: Mapping[str, str]) -> Mapping[Path, str]:
        """Offer the CLIs of this machine to a new team: in Claude's place where it is not logged in, else after it."""
        variables = {**kept, **self._environment}
        personas = [path for path in new if path.suffix == ".md"]
        agents = agents_here(variables, _home(variables)) if personas else ()
        claude = not any(lack.need is Need.LOGIN for lack in self._lacks(variables))
        if not agents or (claude and self._answers.yes):
            return new
        titles = ", ".join(cli.title for cli in agents)
        if not self._agrees(words.OFFER_FALLBACKS if claude else words.OFFER_AGENTS, titles=titles):
            return new
        self._without_claude = not claude
        backends = backends_of(agents, claude=claude)
        return {path: with_backends(text, backends) if path in personas else text for path, text in new.items()}

    def _platforms(self) -> Sequence[str]:
        if self._answers.platforms or self._answers.yes:
            return tuple(dict.fromkeys(self._answers.platforms))

        def read(answer: str) -> Sequence[str]:
            given = [name.strip().lower() for name in answer.split(",") if name.strip()]
            for name in given:
                if name not in PLATFORMS:
                    problem = self._text(words.NO_PLATFORM, given=name[:40])
                    raise ValueError(f"{problem} {nearest(name, PLATFORMS)}")
            return tuple(dict.fromkeys(given))

        return self._until(lambda: self._console.ask(self._text(words.WHICH)), read)

    def _steps(self, platform: str) -> None:
        if self._answers.yes:
            return
        self._console.say(f"\n== {platform.capitalize()} ==")
        self._say(
            words.STEPS[platform],
            page=SLACK_PAGE,
            manifest=self._manifest() if platform == "slack" else "",
        )

    def _tokens(self, platform: str, kept: Mapping[str, str]) -> None:
        while True:
            tokens = {name: self._token(name, kept) for name in TOKENS[platform]}
            problem = self._problem(tokens)
            if problem:
                if self._answers.yes:
                    raise ConfigurationError(problem=problem)
                self._say(words.WRONG_TOKEN, problem=problem)
                continue
            if platform == "discord":
                application = discord_application(tokens["MAMA_DISCORD__TOKEN"])
                self._say(words.INVITE, address=self._invitation(application))
            if self._works(platform, tokens) or self._agrees(words.USE_ANYWAY, otherwise=False):
                self._secrets |= {name: token for name, token in tokens.items() if kept.get(name) != token}
                return
            kept = {}

    def _token(self, name: str, kept: Mapping[str, str]) -> str:
        for source in (self._environment, kept):
            there = source.get(name, "")
            if there and (self._answers.yes or self._agrees(words.HAS_TOKEN, name=name)):
                return there
        if self._answers.yes:
            problem = words.TOKEN_LACKS.of(name=name)
            raise ConfigurationError(problem=problem)

        def read(answer: str) -> str:
            if not answer:
                raise ValueError(self._text(words.NO_TOKEN))
            problem = self._problem({name: answer}, alone=True)
            if problem:
                raise ValueError(self._text(words.WRONG_TOKEN, problem=problem))
            return answer

        return self._until(lambda: self._console.ask_hidden(self._text(words.ASK_TOKEN, name=name)), read)

    def _problem(self, tokens: Mapping[str, str], *, alone: bool = False) -> str:
        """What is wrong with tokens as settings; `alone`: the other one of the platform is still to come."""
        of_servers = {name: value for name, value in self._environment.items() if name.endswith("__API_URL")}
        given = {name.removeprefix("MAMA_").replace("__", ".").lower() for name in tokens}
        file = self._file if self._file.exists() else None
        others = {"MAMA_SLACK__BOT_TOKEN": "xoxb-0", "MAMA_SLACK__APP_TOKEN": "xapp-0"}
        if alone and any(name in others for name in tokens):
            tokens = {**others, **tokens}
        try:
            settings = load_settings(file, environment={**of_servers, **tokens})
        except ConfigurationError as error:
            return error.problem
        return next((problem for problem in unlikely_tokens(settings) if problem.split()[0] in given), "")

    def _works(self, platform: str, tokens: Mapping[str, str]) -> bool:
        self._say(words.TESTING, platform=platform.capitalize())
        of_platform = f"MAMA_{platform.upper()}__"
        addresses = {name: value for name, value in self._environment.items() if name.startswith(of_platform)}
        file = self._file if self._file.exists() else None
        settings = load_settings(file, environment={**addresses, **tokens})
        redact = redactor(list(tokens.values()))
        findings = asyncio.run(examined(settings, redact=redact, examiners=self._examiners))
        for finding in findings:
            self._console.say(f"{'ok     ' if finding.ok else 'PROBLEM'} {finding.subject}: {finding.outcome}")
            if finding.remedy:
                self._console.say(f"        -> {finding.remedy}")
        return all(finding.ok for finding in findings)

    def _people(self, platform: str) -> None:
        for name, given, question, how in (
            ("owners", self._answers.owners, words.ASK_OWNERS, words.FIND_OWNER),
            ("channels", self._answers.channels, words.ASK_CHANNELS, words.FIND_CHANNEL),
        ):
            if platform in given:
                ids = [identifier for text in given[platform] for identifier in self._ids(platform, name, text)]
            elif self._answers.yes:
                ids = []
            else:
                ids = list(self._ask_ids(platform, name, question, self._text(how[platform])))
            self._access[platform, name] = ids

    def _ask_ids(self, platform: str, name: str, question: Said, how: str) -> Sequence[str]:
        text = self._text(question, platform=platform.capitalize(), how=how)

        def read(answer: str) -> Sequence[str]:
            try:
                return self._ids(platform, name, answer)
            except ConfigurationError as error:
                raise ValueError(error.problem) from None

        return self._until(lambda: self._console.ask(text), read)

    def _ids(self, platform: str, name: str, text: str) -> Sequence[str]:
        pattern, example = SHAPES[platform, name]
        ids = [identifier.strip() for identifier in text.split(",") if identifier.strip()]
        for identifier in ids:
            if not pattern.fullmatch(identifier):
                problem = self._text(
                    words.WRONG_ID, given=identifier[:40], platform=platform.capitalize(), shape=f"{name}, {example}"
                )
                raise ConfigurationError(problem=problem)
        return ids

    def _ask_repository(self) -> None:
        """Ask for the first repository where there is none; one that is named is added to those that are there."""
        there = load_settings(self._file, environment={}).repositories if self._file.exists() else {}
        given = self._answers.repository
        if given == "" or (given is None and (self._answers.yes or there)):
            return

        def read(answer: str) -> FirstRepository | None:
            problem = self._repositories.problem(answer) if answer else ""
            if problem:
                raise ValueError(self._text(words.WRONG_REPOSITORY, problem=problem))
            try:
                return self._repositories.looked_at(answer) if answer else None
            except MamaBotError as error:
                raise ValueError(error.to(self._answers.language)) from None

        if given is not None:
            try:
                self._repository = read(given)
            except ValueError as error:
                raise ConfigurationError(problem=str(error)) from None
            self._repository = named_beside(there, self._repository)
        else:
            self._repository = self._until(lambda: self._console.ask(self._text(words.ASK_REPOSITORY)), read)
        if self._repository is not None and self._repository.left:
            names = ", ".join(self._repository.left)
            self._say(words.CHECK_LEFT, name=self._repository.name, names=names, file=str(self._file))
        elif self._repository is not None and not self._repository.settings.checks:
            self._say(words.NO_CHECK, name=self._repository.name, file=str(self._file))

    def _write(self, new: Mapping[Path, str], platforms: Sequence[str], kept: Mapping[str, str]) -> bool:
        before = new.get(self._file) or read_text(self._file)
        after = with_access(before, self._file, self._access)
        repository = self._repository
        if repository is not None:
            after = with_repository(after, self._file, repository.name, repository.as_settings())
        self._say(words.PLAN)
        for path in new:
            self._say(words.PLAN_NEW, file=str(path))
        for (platform, name), ids in self._access.items() if after != before else ():
            if ids:
                self._say(words.PLAN_ACCESS, file=str(self._file), key=f"{platform}.access.{name}", ids=", ".join(ids))
        if repository is not None:
            source = repository.settings.source
            self._say(words.PLAN_REPOSITORY, file=str(self._file), name=repository.name, source=source)
            for check in repository.settings.checks:
                command = " ".join(check.argv)
                self._say(
                    words.PLAN_CHECK, file=str(self._file), name=repository.name, check=check.name, command=command
                )
        if self._secrets:
            self._say(words.PLAN_SECRETS, file=str(self._secrets_file), names=", ".join(self._secrets))
        if not (new or self._secrets or after != before):
            self._say(words.NOTHING)
        elif not self._agrees(words.WRITE):
            self._say(words.LEFT)
            return False
        else:
            self._written(new, after, changed=after != before)
        self._next(platforms, kept)
        return True

    def _written(self, new: Mapping[Path, str], text: str, *, changed: bool) -> None:
        # The secrets first: if the rest then fails, nothing that answers to anybody has been opened.
        if self._secrets:
            old = read_text(self._secrets_file) if self._secrets_file.exists() else ""
            write_file(self._secrets_file, with_secrets(old, self._secrets), mode=PRIVATE)
        for path, content in new.items():
            if path != self._file:
                write_file(path, content, mode=PUBLIC)
        if new or changed:
            write_file(self._file, text, mode=mode_of(self._file, PUBLIC))
        self._say(words.WRITTEN)

    def _next(self, platforms: Sequence[str], kept: Mapping[str, str]) -> None:
        self._say(words.NEXT)
        variables = {**kept, **self._environment}
        if not self._without_claude and any(lack.need is Need.LOGIN for lack in self._lacks(variables)):
            self._say(words.NEXT_MODEL, file=str(self._secrets_file))
        self._say(words.NEXT_DOCTOR)
        unowned = [platform.capitalize() for platform in platforms if not self._access[platform, "owners"]]
        if unowned:
            self._say(words.NEXT_PAIR, platforms=", ".join(unowned))
        self._say(words.NEXT_MENTION if platforms else words.NEXT_PAGE)

    def _lacks(self, variables: Mapping[str, str]) -> Iterator[Lack]:
        """What agents would lack here, with the configuration as it stands."""
        claude = load_settings(self._file if self._file.exists() else None, environment={}).claude
        return lacks_of(claude, variables, _home(variables))

    def _agrees(self, question: Said, *, otherwise: bool = True, **values: str) -> bool:
        """Whether the person says yes; nothing said is `otherwise`, and so is everything with `yes`."""
        if self._answers.yes:
            return True

        def read(answer: str) -> bool:
            folded = answer.casefold()
            if folded not in YES | NO and folded:
                raise ValueError(self._text(words.YES_OR_NO))
            return folded in YES if folded else otherwise

        return self._until(lambda: self._console.ask(self._text(question, **values)), read)

    def _takes_check(self, question: Said, *, otherwise: bool, **values: str) -> bool:
        """Return whether the person takes a check; with `yes` those that passed are taken."""
        return otherwise if self._answers.yes else self._agrees(question, otherwise=otherwise, **values)

    def _until(self, ask: Callable[[], str], read: Callable[[str], Answer]) -> Answer:
        return ask_until(ask, read, self._console.say)

    def _say(self, sentence: Said, **values: str) -> None:
        self._console.say(self._text(sentence, **values))

    def _text(self, sentence: Said, **values: str) -> str:
        return sentence.to(self._answers.language, **values)


def _home(variables: Mapping[str, str]) -> Path:
    return Path(variables.get("HOME") or "~").expanduser()
