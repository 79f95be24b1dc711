"""What the pages show can be used as it stands: links, settings, commands."""

import re
from pathlib import Path

import pytest
import yaml

from mama_bot.commands.command_arguments import command_parser
from mama_bot.config import Settings, load_settings
from mama_bot.model import BUTTONS_ONLY, CommandName

ROOT = Path(__file__).parent.parent
PAGES = sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")))
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The names that a heading can be linked by, as the forges make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def any_list(content: dict[str, object]) -> bool:
    return any(isinstance(section, list) for section in content.values())


def settings_shown() -> list[tuple[str, str]]:
    """Each block of YAML that begins with a section of the settings; a list is one of a persona, or of rules."""
    blocks = []
    for page in PAGES:
        for language, text in FENCED.findall(page.read_text(encoding="utf-8")):
            content = yaml.safe_load(text) if language == "yaml" else None
            if content and content.keys() <= Settings.model_fields.keys() and not any_list(content):
                blocks.append((named(page), text))
    return blocks


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_to_a_page_and_a_heading_of_it(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("text", [pytest.param(text, id=page) for page, text in settings_shown()])
def test_every_example_of_the_settings_is_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    load_settings(file, environment={})  # a mistake in it is an error that names the line


def test_every_command_of_the_terminal_stands_on_the_page_of_operations() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (commands,) = (action.choices for action in command_parser()._actions if action.dest == "command")
    assert [name for name in commands or () if f"`mama-bot {name}" not in page] == []


def test_every_command_of_the_chat_stands_on_the_page_of_the_team() -> None:
    page = (ROOT / "docs" / "using.md").read_text(encoding="utf-8")
    assert [name for name in set(CommandName) - BUTTONS_ONLY if f"`/{name}" not in page] == []
