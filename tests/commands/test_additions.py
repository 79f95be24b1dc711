"""Adding to a list of the configuration file leaves every other byte of it alone, or does nothing at all."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.commands.setup.additions import text_with_entries
from mama_bot.commands.setup.new_files import DEFAULTS
from mama_bot.config import parse_document
from mama_bot.errors import ConfigurationError

FILE = Path("config.yaml")
PATH = ("enforcement", "response_validator", "whitelist")
SHIPPED = DEFAULTS.read_text(encoding="utf-8")


def added(text: str, *entries: str) -> str:
    return text_with_entries(text, PATH, entries or ("new",), file=FILE)


def section(text: str) -> object:
    content: object = parse_document(text, file=FILE).content
    for name in PATH:
        assert isinstance(content, dict)
        content = content[name]
    return content


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "enforcement:\n  response_validator:\n    whitelist:\n      - 'new'\n"),
        ("# only\n", "# only\nenforcement:\n  response_validator:\n    whitelist:\n      - 'new'\n"),
        ("log: {}", "log: {}\nenforcement:\n  response_validator:\n    whitelist:\n      - 'new'\n"),
        ("enforcement: # e\n", "enforcement: {response_validator: {whitelist: ['new']}} # e\n"),
        ("enforcement: {}\n", "enforcement: {response_validator: {whitelist: ['new']}}\n"),
        ("enforcement: {mode: observe}\n", "enforcement: {mode: observe, response_validator: {whitelist: ['new']}}\n"),
        (
            "enforcement:\n    # the mode\n    mode: observe\nlog: {}\n",
            (
                "enforcement:\n    response_validator:\n      whitelist:\n        - 'new'\n"
                "    # the mode\n    mode: observe\nlog: {}\n"
            ),
        ),
        (
            "enforcement:\n  response_validator:\n    whitelist: [] # terms\n",
            "enforcement:\n  response_validator:\n    whitelist: ['new'] # terms\n",
        ),
        (
            "enforcement:\n  response_validator:\n    whitelist: ~\n",
            "enforcement:\n  response_validator:\n    whitelist: ['new']\n",
        ),
        (
            "enforcement:\n  response_validator:\n    whitelist: [a, # c\n      b,\n      ] # end\n",
            "enforcement:\n  response_validator:\n    whitelist: [a, # c\n      b, 'new',\n      ] # end\n",
        ),
        (
            "enforcement:\n  response_validator:\n    whitelist:\n    - a # of a\n    # after\n    praise: []\n",
            (
                "enforcement:\n  response_validator:\n    whitelist:\n    - a # of a\n    - 'new'\n"
                "    # after\n    praise: []\n"
            ),
        ),
        (
            "enforcement:\r\n  response_validator:\r\n    whitelist:\r\n      - a",
            "enforcement:\r\n  response_validator:\r\n    whitelist:\r\n      - a\r\n      - 'new'\r\n",
        ),
    ],
)
def test_an_entry_goes_where_a_person_would_write_it(before: str, after: str) -> None:
    assert added(before) == after


def test_the_shipped_file_changes_in_one_line() -> None:
    changed = added(SHIPPED, r"what\s+an\s+excellent", "it's 좋은 {x}: #1")
    pairs = [(old, new) for old, new in zip(SHIPPED.splitlines(), changed.splitlines(), strict=True) if old != new]
    assert pairs == [
        (
            "    whitelist: [] # phrases that never do",
            r"    whitelist: ['what\s+an\s+excellent', 'it''s 좋은 {x}: #1'] # phrases that never do",
        )
    ]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"])), min_size=1, max_size=4))
def test_any_entry_comes_back_as_it_was(entries: list[str]) -> None:
    for before in ("", "enforcement: {}\n", SHIPPED, "enforcement:\n  response_validator:\n    whitelist:\n    - a\n"):
        earlier = ["a"] if before.endswith("- a\n") else []
        assert section(added(before, *entries)) == [*earlier, *entries]


@pytest.mark.parametrize(
    "text",
    [
        "enforcement:\n  response_validator:\n    whitelist: text\n",
        "enforcement:\n  response_validator:\n    whitelist: {a: b}\n",
        "enforcement:\n  response_validator:\n    whitelist:\n      - |\n        a\n",
        "enforcement: &all\n  mode: observe\n",
        "enforcement: 3\n",
    ],
)
def test_a_text_that_cannot_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="not written in a way that can be added to"):
        added(text)
