"""Reading: normalisation, prose, sentences, word lists."""

import gc
import importlib
import pkgutil
import unicodedata
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mama_bot
from mama_bot.config import ResponseValidatorSettings, ReviewGateSettings, TodoTrackerSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.completion.stage import TodoTracker
from mama_bot.enforcement.praise.stage import ResponseValidator
from mama_bot.enforcement.stage_lexicon import LISTS, lexicon
from mama_bot.errors import ConfigurationError
from mama_bot.model import Amend
from mama_bot.text.lexicon import EXAMPLE, Kind, parsed
from mama_bot.text.normalise import normalise
from mama_bot.text.paths import file_names, file_set
from mama_bot.text.patterns import CompiledWhenAsked, alternation, compiled, compiled_at_once
from mama_bot.text.sentences import reading_of
from tests.enforcement.examples import delegation, draft, turn

PIECES = [
    *("Perfect work! ", "완벽합니다! ", "APPROVED. ", "승인합니다. ", "```\n", "~~~", "`a", "> quote\n", "| a | b |\n"),
    *("\n\n", "    x = 1\n", "- item\n", "1. ", "45 passed ", "0/12 tests ", "p e r f e c t ", "완 벽 합 니 다"),
    *(
        "\u200b",
        "\u00ad",
        "\u202e",
        "\x00",
        "\ud800",
        "\udfff",
        "\ue000",
        "e\u0301",
        "\u1100\u1161",
        "ｆｕｌｌ",
        "👏🏽",
    ),
    *("👨\u200d👩\u200d👧", "\u2028", "**", "$", "\\", "\u061c", "\ufdfa", "\u017ft"),
]
texts = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(), max_size=40),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=20).map("".join),
)


@given(texts)
@example("\ud800")
@example("\u1100\u200b\u1161")
@example("\u0430\u0301")
def test_normalising_is_idempotent(text: str) -> None:
    once = normalise(text).text
    assert normalise(once).text == once


@given(texts)
def test_every_character_leads_back_into_the_original(text: str) -> None:
    plain = normalise(text)
    previous = 0
    for index in range(len(plain.text)):
        start, end = plain.original_span(index, index + 1)
        assert previous <= start < end <= len(text)
        previous = start


@given(texts, st.sampled_from(["agent", "person"]))
async def test_no_text_breaks_a_stage_and_findings_quote_the_original(text: str, audience: str) -> None:
    asked = turn(delegated=delegation("- Write src/a.py\n- 테스트 작성"))
    stages = (
        ResponseValidator(settings=ResponseValidatorSettings()),
        ReviewGate(settings=ReviewGateSettings()),
        TodoTracker(settings=TodoTrackerSettings()),
    )
    judged = draft(text)
    for stage in stages:
        decision = await stage.judge(Case(judged, asked))
        assert decision == await stage.judge(Case(judged, asked))
        for finding in decision.evidence.findings:
            assert judged.text[finding.start : finding.end] == finding.text
        if isinstance(decision, Amend):
            assert not decision.banner


@given(texts)
def test_sentences_lie_in_order_inside_the_text(text: str) -> None:
    reading = reading_of(text)
    end = 0
    for sentence in sorted(reading.sentences, key=lambda one: one.start):
        assert end <= sentence.start < sentence.end <= len(reading.plain.text)
        end = sentence.end


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Per\u200bfect", "Perfect"),
        ("per\u00adfect", "perfect"),
        ("\u202eperfect\u202c", "perfect"),
        ("ｐｅｒｆｅｃｔ", "perfect"),
        ("реrfесt", "perfect"),
        ("p e r f e c t", "perfect"),
        ("p.e.r.f.e.c.t", "perfect"),
        ("완 벽 합 니 다", "완벽합니다"),
        ("완\u200b벽", "완벽"),
        (unicodedata.normalize("NFD", "완벽합니다"), "완벽합니다"),
        ("완**벽**합니다", "완벽합니다"),
        ("완/벽/합/니/다", "완벽합니다"),
        ("p_e_r_f_e_c_t", "perfect"),
        ("🅿🅴🆁🅵🅴🅲🆃", "PERFECT"),
        ("🅟🅔🅡🅕🅔🅒🅣", "PERFECT"),
        ("ᴘᴇʀꜰᴇᴄᴛ", "PERFECT"),
        ("𝓹𝓮𝓻𝓯𝓮𝓬𝓽", "perfect"),
        ("pérfëct", "perfect"),
        ("한 번 더 재겠습니다", "한 번 더 재겠습니다"),
        ("I am a b", "I am a b"),
        ("\ud800", "\ufffd"),
        ("plain text", "plain text"),
    ],
)
def test_evasions_are_undone(text: str, plain: str) -> None:
    assert normalise(text).text == plain


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("One.\n```\nx = 1\n```\nTwo.", ["One.", "Two."]),
        ("One.\n~~~py\nx = 1\n~~~\nTwo.", ["One.", "Two."]),
        ("One.\n```\nx = 1", ["One."]),
        ("````\n```\nx = 1\n```\n````\nTwo.", ["Two."]),
        ("```\nNothing but words\n```", ["Nothing but words"]),
        ("> quoted\nMine.", ["Mine."]),
        ("`Nothing but words here`", ["Nothing but words here"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nMine.", ["Mine."]),
        ("Code:\n\n    x = f(1)\n\nMine.", ["Code:", "Mine."]),
        ("- One\n- Two", ["One", "Two"]),
        ("1. One\n2. Two", ["One", "Two"]),
        ("## Title\nText.", ["Title", "Text."]),
        ("e.g. version 1.2.3 of it. Next!", ["e.g. version 1.2.3 of it.", "Next!"]),
        ("끝났습니다.다음은 배포입니다", ["끝났습니다.", "다음은 배포입니다"]),
        ("좋아요! 그런데 왜? 음", ["좋아요!", "그런데 왜?", "음"]),
        ("Great 🎉 Next", ["Great 🎉", "Next"]),
        (
            "This sentence is long enough to be wrapped by whoever wrote it and\ngoes on here. Then ends.",
            ["This sentence is long enough to be wrapped by whoever wrote it and\ngoes on here.", "Then ends."],
        ),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_what_counts_as_prose(text: str, prose: list[str]) -> None:
    assert [sentence.text for sentence in reading_of(text).sentences] == prose


def test_inline_code_and_addresses_do_not_count_as_characters() -> None:
    (sentence,) = reading_of("See `perfect()` and https://example.org/a?b now").sentences
    assert sentence.characters == len("Seeandnow")


def test_a_list_entry_without_a_kind_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigurationError, match=r"list.txt:2: 'nonsense perfect'"):
        list(parsed("list.txt", "# comment\nnonsense perfect\n"))


@pytest.mark.parametrize("pattern", ["(?=a)", "(a)\\1", "(", "[z-a]"])
def test_what_re2_cannot_do_is_refused_with_a_sentence(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match="is not an RE2 expression"):
        compiled_at_once(pattern)


def test_every_expression_of_the_package_compiles() -> None:
    for module in pkgutil.walk_packages(mama_bot.__path__, "mama_bot."):
        # What the launcher loads from its own directory is no part of the package's names.
        if not module.name.endswith("__main__") and not module.name.startswith("mama_bot.confinement."):
            importlib.import_module(module.name)
    gc.unfreeze()  # what is read of the word lists is kept out of the collector's sight
    patterns = [thing for thing in gc.get_objects() if isinstance(thing, CompiledWhenAsked)]
    assert len(patterns) > 400
    for pattern in patterns:
        assert callable(pattern.compile())  # raises for what is no expression


def test_every_kind_has_entries() -> None:
    words = lexicon()
    assert all(words[kind] for kind in Kind if kind is not Kind.GENERIC)
    assert words.generic_words
    assert words.generic_stems


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Create src/auth.py and tests/test_auth.py.", ("src/auth.py", "tests/test_auth.py")),
        ("src/auth.py를 수정하고 `README.md`를 갱신", ("src/auth.py", "README.md")),
        ("everything in docs/ and *.lock", ("docs/", "*.lock")),
        ("Edit the Makefile, e.g. the test target", ("Makefile",)),
        ("see https://example.org/a.html and/or ask", ()),
        ("no files here. At all.", ()),
        ("version 1.2.3 on 24/7", ()),
    ],
)
def test_file_names_in_text(text: str, names: tuple[str, ...]) -> None:
    assert file_names(text) == names


@pytest.mark.parametrize(
    ("name", "path", "inside"),
    [
        ("auth.py", "src/auth.py", True),
        ("auth.py", "src/xauth.py", False),
        ("src/auth.py", "src/auth.py", True),
        ("src/", "src/deep/a.py", True),
        ("src/auth", "src/auth/token.py", True),
        ("tests/*.py", "tests/test_a.py", True),
        ("tests/*.py", "tests/deep/test_a.py", False),
        ("tests/**/*.py", "tests/deep/test_a.py", True),
        ("*.lock", "deep/poetry.lock", True),
        ("__pycache__/*", "a/__pycache__/b.pyc", True),
        ("a+b.py", "aab.py", False),
        ("README.md", "README.md\n", False),
    ],
)
def test_a_name_matches_paths(name: str, path: str, inside: bool) -> None:
    assert (path in file_set([name])) is inside


EXPRESSION = compiled(r"[\\()\[\]|?*+^$.{}]")


@pytest.mark.parametrize("name", LISTS)
def test_every_expression_of_a_list_finds_its_example(name: str) -> None:
    text = (files("mama_bot.enforcement") / name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        entry, _, example = line.partition(EXAMPLE)
        kind, _, expression = entry.partition(" ")
        if kind != Kind.GENERIC and EXPRESSION.search(expression):
            # What denies is looked for beside a word of praise, and ends where that begins.
            shown = f"{example} " if kind == Kind.DENIED_BEFORE else example
            assert example, f"{name}: {line!r} has no example"
            assert alternation([expression.strip()]).search(shown) is not None, f"{name}: {line!r}"
