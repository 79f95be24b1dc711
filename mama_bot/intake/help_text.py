"""The answer to /help, and to a command that there is not."""

from collections.abc import Sequence

from mama_bot.intake import menu_sentences as menu_says
from mama_bot.intake import sentences as says
from mama_bot.intake.nearest_commands import nearest_command
from mama_bot.model import (
    ARGUMENTS,
    DESCRIPTIONS,
    KOREAN_NAMES,
    AgentPersona,
    Answer,
    Command,
    CommandName,
    MenuCommand,
    Platform,
    written_command,
)
from mama_bot.personas import find_persona
from mama_bot.wording import Language, one_line

SLACK = Platform("slack")
MISTYPED = 0.7  # names are short: "rules" has half of its letters in common with "reset"


def help_answer(command: Command, personas: Sequence[AgentPersona], language: Language) -> Answer:
    """Return how to talk to the team there; with an argument, what that command does, or the nearest one."""
    asked = command.argument.strip().removeprefix("/").partition(" ")[0]
    platform = command.key.platform
    if not asked:
        return Answer(text=_help(platform, personas, language))
    known = KOREAN_NAMES.get(asked) or next((name for name in DESCRIPTIONS if name.value == asked.casefold()), None)
    if known is not None:
        return Answer(text=_line(known, platform, language))
    persona = find_persona(asked, {persona.name: persona for persona in personas})
    if persona is not None:
        return Answer(text=_menu(persona, platform, language))
    meant = nearest_command(asked, least=MISTYPED)
    hint = (
        says.SEE_HELP.of(help=written_command(CommandName.HELP, platform))
        if meant is None
        else says.DID_YOU_MEAN.of(command=written_command(meant, platform))
    )
    given = one_line(asked, 40)
    return Answer(text=says.NO_SUCH_COMMAND.to(language, given=given, hint=hint.to(language)), done=False)


def _help(platform: Platform, personas: Sequence[AgentPersona], language: Language) -> str:
    mentions = ", ".join(f"`@{persona.name}`" for persona in personas)
    commands = "\n".join(f"- {_line(name, platform, language)}" for name in DESCRIPTIONS)
    default = personas[0].display_name if personas else ""
    text = says.HELP.to(language, mentions=mentions, default=default, commands=commands)
    if menus := [line for persona in personas for line in menu_lines(persona, language)]:
        text = "\n".join([text, f"\n{menu_says.MENUS.to(language)}", *menus])
    return f"{text}\n\n{says.HELP_IN_SLACK_THREADS.to(language)}" if platform == SLACK else text


def _line(name: CommandName, platform: Platform, language: Language) -> str:
    named = f"`{written_command(name, platform)}`"
    korean = next((word for word, meant in KOREAN_NAMES.items() if meant is name), "")
    if korean and language == Language.KOREAN:
        named = f"{named} ({korean})"
    line = f"{named}: {DESCRIPTIONS[name].to(language)}"
    if name not in ARGUMENTS:
        return line
    argument = ARGUMENTS[name].to(language)
    return f"{line}. {says.MAY_FOLLOW.to(language, argument=argument[:1].lower() + argument[1:])}"


def menu_lines(persona: AgentPersona, language: Language) -> list[str]:
    """Return the commands of a persona, each with what it is for."""
    return [f"- `{_usage(persona, command)}`: {_described(command, language)}" for command in persona.menu]


def _menu(persona: AgentPersona, platform: Platform, language: Language) -> str:
    if not persona.menu:
        return menu_says.NO_MENU.to(language, name=persona.display_name, persona=persona.name)
    lines = [menu_says.MENU.to(language, name=persona.display_name), *menu_lines(persona, language)]
    return "\n".join([*lines, *([menu_says.IN_A_MENTION.to(language)] if platform == SLACK else [])])


def _usage(persona: AgentPersona, command: MenuCommand) -> str:
    return " ".join(part for part in (f"/{persona.name} {command.name}", command.usage) if part)


def _described(command: MenuCommand, language: Language) -> str:
    return command.ko if language == Language.KOREAN else command.en
