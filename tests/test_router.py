"""Who answers a person: five stages in order, and names are whole words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.config import CategoryRule, RouterSettings
from mama_bot.errors import ConfigurationError
from mama_bot.model import ConversationKey, Platform
from mama_bot.router import Route, Router, RouterStage
from tests.people import message, persona, team

FREE = ConversationKey(Platform("web"), "free")
PERSONAS = team(
    persona("lead"),
    persona("developer", "개발자", keywords=("bug", "버그", "c++")),
    persona("reviewer", keywords=("리뷰", "code review")),
    persona("dev"),
)
CATEGORIES = (
    CategoryRule(pattern=r"(?i)\bdeploy|배포", persona="reviewer"),
    CategoryRule(pattern="deploy bug", persona="developer"),
)
ROUTER = Router(personas=PERSONAS, settings=RouterSettings(free_chat=("web/free",), categories=CATEGORIES))


def route(text: str, key: ConversationKey | None = None) -> Route:
    return ROUTER.route(message(text) if key is None else message(text, key=key))


def test_a_trigger_names_who_answers_whatever_its_words_say() -> None:
    asked = replace(message("@reviewer deploy bug"), addressed_to="developer")
    assert (names(ROUTER.route(asked)), ROUTER.route(asked).stage) == (["developer"], RouterStage.TRIGGER)
    assert names(ROUTER.route(replace(asked, key=FREE))) == ["developer"]
    assert names(ROUTER.route(replace(asked, addressed_to="somebody who left"))) == ["lead"]


def names(found: Route) -> list[str]:
    return [member.name for member in found.personas]


@pytest.mark.parametrize(
    ("text", "who", "stage"),
    [
        ("hello", ["lead"], RouterStage.DEFAULT),
        ("", ["lead"], RouterStage.DEFAULT),
        ("@developer deploy, bug", ["developer"], RouterStage.EXPLICIT),
        ("!developer deploy, bug", ["developer"], RouterStage.EXPLICIT),
        ("deploy bug 리뷰", ["reviewer"], RouterStage.CATEGORY),
        ("오늘 배포해 주세요", ["reviewer"], RouterStage.CATEGORY),
        ("there is a bug, code review", ["developer"], RouterStage.KEYWORD),
    ],
)
def test_the_stages_come_in_order(text: str, who: list[str], stage: RouterStage) -> None:
    found = route(text)
    assert (names(found), found.stage, found.note) == (who, stage, "")


def test_in_free_chat_everybody_answers_whoever_is_mentioned() -> None:
    found = route("@reviewer hello", FREE)
    assert (names(found), found.stage) == (list(PERSONAS), RouterStage.FREE_CHAT)


@pytest.mark.parametrize(
    "text",
    [
        "!devops fix it",
        "!dev-ops fix it",
        "debug this",
        "bugs and debugging",
        "bug_report",
        "mail me@developer.com",
        "see https://example.org/@developer/x",
        "install @developer/tools please",
        "wow!developer",
        "디버그 화면",
        "코드리뷰어가",
        "c plus plus",
    ],
)
def test_a_part_of_a_word_is_not_a_name_nor_a_keyword(text: str) -> None:
    assert route(text).stage is RouterStage.DEFAULT


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("@developer에게 물어봐", ["developer"]),
        ("@개발자는 고쳐 주세요", ["developer"]),
        ("안녕하세요 @Developer, @REVIEWER: hello", ["developer", "reviewer"]),
        ("@reviewer and @developer and @reviewer", ["reviewer", "developer"]),
        ("please, (@dev)!", ["dev"]),
        ("@tester or @reviewer", ["reviewer"]),
        ("!dev go", ["dev"]),
        ("first line\n@dev go", ["dev"]),
    ],
)
def test_who_is_addressed_answers_in_order_and_once(text: str, who: list[str]) -> None:
    found = route(text)
    assert (names(found), found.stage, found.note) == (who, RouterStage.EXPLICIT, "")


@pytest.mark.parametrize("text", ["BUG!", "a bug", "버그를 고쳐", "큰 버그", "(bug)", "bug가 있어", "C++ code"])
def test_keywords_are_found_whatever_the_case_and_with_particles(text: str) -> None:
    assert names(route(text)) == ["developer"]


def test_an_unknown_mention_goes_to_the_default_persona_with_a_note() -> None:
    found = route("  @developr there is a bug")
    assert (names(found), found.stage) == (["lead"], RouterStage.DEFAULT)
    assert found.note == "There is no persona @developr. Did you mean 'developer'? @lead answers."
    assert "@기획자: 없는 페르소나입니다" in route("@기획자 안녕").note
    assert "혹시 'developer'?" in route("@developr 안녕하세요, 버그가 있습니다").note


def test_an_unknown_mention_within_the_text_is_just_text() -> None:
    assert route("what does @property do in this bug?").stage is RouterStage.KEYWORD


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            CategoryRule(pattern="(", persona="lead"),
            r"router\.categories\.0\.pattern is not an RE2 pattern: missing \)",
        ),
        (CategoryRule(pattern="(?=a)", persona="lead"), "RE2 has no look-around"),
        (
            CategoryRule(pattern="a", persona="developr"),
            r"router\.categories\.0\.persona: 'developr' is no persona\. Did",
        ),
    ],
)
def test_a_bad_category_is_refused(capfd: pytest.CaptureFixture[str], rule: CategoryRule, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        Router(personas=PERSONAS, settings=RouterSettings(categories=(rule,)))
    assert capfd.readouterr().err == ""


SURROGATES = st.text(st.characters(categories=["Cs", "L", "P", "Z"]))


@given(st.text() | SURROGATES | st.text("@!devlopr 버그리뷰\n.-/"))
def test_any_text_is_answered_by_at_least_one_persona(text: str) -> None:
    found = route(text)
    assert found.personas
    assert all(PERSONAS[member.name] is member for member in found.personas)
    assert len(set(names(found))) == len(found.personas)
    assert route(text) == found
