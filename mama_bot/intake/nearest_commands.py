"""The command that somebody meant who typed nearly its name, in English or in Korean."""

import unicodedata

from mama_bot.model import DESCRIPTIONS, KOREAN_NAMES, CommandName
from mama_bot.similar_names import most_similar

USUAL = 0.6


def nearest_command(given: str, *, least: float = USUAL) -> CommandName | None:
    """Return the command that somebody meant who wrote nearly its name, in either language; None for no such one."""
    # Letter by letter: of a Korean word of two syllables one that is wrong is half of it.
    words = {
        unicodedata.normalize("NFD", word): name
        for word, name in ({name.value: name for name in DESCRIPTIONS} | dict(KOREAN_NAMES)).items()
    }
    meant = most_similar(unicodedata.normalize("NFD", given), words, least=least)
    return None if meant is None else words[meant]
