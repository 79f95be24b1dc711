"""The languages beyond English and Korean: each is one catalogue, keyed by the English sentence."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

from mama_bot.wording import further
from mama_bot.wording.language import SPOKEN, Language, is_korean


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """A further language: its name in English, whether a text is written in it, and its sentence for each of ours.

    A sentence keeps the placeholders of the English one; what the catalogue lacks is said in English.
    """

    language: Language
    name: str
    writes: Callable[[str], bool]
    sentences: Mapping[str, str]


_LATIN = re.compile("[A-Za-z]")
_CATALOGUES: dict[Language, Catalogue] = {}
_NAMES = {Language.ENGLISH: "English", Language.KOREAN: "Korean"}


def shipped() -> Iterator[Catalogue]:
    """Yield the `CATALOGUE` of each module of `mama_bot/wording/further`."""
    for module in iter_modules(further.__path__, f"{further.__name__}."):
        catalogue = import_module(module.name).CATALOGUE
        assert isinstance(catalogue, Catalogue)
        yield catalogue


@contextmanager
def spoken_too(catalogue: Catalogue) -> Iterator[Language]:
    """Speak a further language during the block."""
    _speak(catalogue)
    try:
        yield catalogue.language
    finally:
        del _CATALOGUES[catalogue.language], SPOKEN[catalogue.language]


def _speak(catalogue: Catalogue) -> None:
    SPOKEN[catalogue.language] = catalogue.language
    _CATALOGUES[catalogue.language] = catalogue


def translation(english: str, language: Language) -> str:
    """Return a sentence of ours in a further language; the English one where there is no translation."""
    catalogue = _CATALOGUES.get(language)
    return english if catalogue is None else catalogue.sentences.get(english, english)


def language_of(text: str, *, otherwise: Language = Language.ENGLISH) -> Language:
    """Return the language that a text is written in: `language_of("테스트를 돌려 줘")` is `Language.KOREAN`.

    `otherwise` is that of a text without letters that tell, `👍` or `42`: the one that its author's app is set to.
    """
    if is_korean(text):
        return Language.KOREAN
    plain = Language.ENGLISH if _LATIN.search(text) else otherwise
    return next((known.language for known in _CATALOGUES.values() if known.writes(text)), plain)


def english_name(language: Language) -> str:
    """Return what a language is called in English, "Korean"; "" for one that we do not speak."""
    catalogue = _CATALOGUES.get(language)
    return _NAMES.get(language, "") if catalogue is None else catalogue.name


def language_of_locale(locale: str) -> Language:
    """Return the language that a platform names for a person: of `ko-KR` Korean; English where we speak none such."""
    return SPOKEN.get(locale.replace("_", "-").partition("-")[0].lower(), Language.ENGLISH)


for _catalogue in shipped():
    _speak(_catalogue)
