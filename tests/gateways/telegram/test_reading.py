"""What a message says, and whether it is said to us."""

from hypothesis import given
from hypothesis import strategies as st

from mama_bot.gateways.telegram.addressing import KnownBot, heard
from mama_bot.gateways.telegram.updates import TelegramMessage, Update, read_update
from mama_bot.model import CommandName
from tests.platforms.telegram_server.world import entities_of

MAIN = KnownBot(1, "mama_bot")
DEVELOPER = KnownBot(2, "dev_bot", "developer")
REVIEWER = KnownBot(3, "rev_bot", "reviewer")
BOTS = (MAIN, DEVELOPER, REVIEWER)
GROUP = {"id": -1001, "type": "supergroup"}
ALICE = {"id": 7, "is_bot": False, "first_name": "Alice"}


def message(text: str, *, private: bool = False, **more: object) -> TelegramMessage:
    chat = {"id": 7, "type": "private"} if private else GROUP
    raw = {"message_id": 5, "chat": chat, "from": ALICE, "text": text, "entities": entities_of(text)}
    return TelegramMessage.model_validate(raw | more)


def said(text: str, *, seen_by: KnownBot = MAIN, takes_part: bool = False, **more: object) -> str | None:
    one = heard(message(text, **more), BOTS, seen_by, takes_part=takes_part)  # type: ignore[arg-type]
    return None if one is None else one.text


def asked(text: str, **more: object) -> tuple[CommandName, str] | None:
    one = heard(message(text, **more), BOTS, MAIN, takes_part=False)  # type: ignore[arg-type]
    return None if one is None else one.command


def test_the_mention_goes_with_the_white_space_behind_it() -> None:
    assert said("@mama_bot  \n fix  it\n\n  now ") == "fix  it\n\n  now "
    assert said("@MAMA_bot fix it") == "fix it"


def test_a_mention_behind_emoji_is_found_by_utf16_places() -> None:
    assert said("👩‍💻🙂 안녕 @mama_bot 고쳐 줘 🙂") == "👩‍💻🙂 안녕 고쳐 줘 🙂"


def test_a_mention_without_an_entity_is_found_too() -> None:
    assert said("@mama_bot hello", entities=[]) == "hello"
    assert said("@mama_bots hello, a@mama_bot", entities=[]) is None


def test_a_mention_with_an_entity_that_is_wrong_or_not_there_is_found_too() -> None:
    assert said("@mama_bot do it", entities=[{"type": "bold", "offset": 10, "length": 2}]) == "do it"
    assert said("😀😀 @mama_bot do it", entities=[{"type": "mention", "offset": 3, "length": 9}]) == "😀😀 do it"
    assert said("see @mama_bot", entities=[{"type": "code", "offset": 4, "length": 9}]) is None
    assert said("http://a/@mama_bot", entities=[{"type": "url", "offset": 0, "length": 18}]) is None


def test_what_is_not_for_us_is_not_heard() -> None:
    assert said("hello all") is None
    assert said("@somebody hello") is None
    assert said("mail me@mama_bot.example") is None
    assert said("/weather in Seoul") is None
    assert said("/status@weather_bot") is None
    assert said("/status@weather_bot", takes_part=True) is None


def test_everything_is_heard_where_the_bot_takes_part() -> None:
    assert said("and the tests?", takes_part=True) == "and the tests?"


def test_an_answer_to_the_bot_is_heard() -> None:
    answer = {"message_id": 4, "from": {"id": 1, "is_bot": True, "first_name": "Mama"}}
    assert said("why?", reply_to_message=answer) == "why?"
    assert said("why?", reply_to_message=answer | {"from": {"id": 2, "is_bot": True}}) == "@developer why?"
    assert said("why?", reply_to_message=answer | {"from": {"id": 9, "is_bot": True}}) is None


def test_in_a_topic_that_the_bot_opened_not_everything_is_an_answer_to_it() -> None:
    opening = {"message_id": 4, "from": {"id": 1, "is_bot": True, "first_name": "Mama"}, "forum_topic_created": {}}
    assert said("lunch?", reply_to_message=opening) is None


def test_a_personas_bot_becomes_its_persona() -> None:
    assert said("@dev_bot fix it") == "@developer fix it"
    assert said("please @dev_bot fix it, and @rev_bot look") == "@developer please fix it, and @reviewer look"
    assert said("@mama_bot let @dev_bot fix it") == "let @developer fix it"
    assert said("fix it", private=True, seen_by=DEVELOPER) == "@developer fix it"


def test_all_bots_read_the_same() -> None:
    texts = ["@dev_bot fix", "@mama_bot ask @dev_bot", "@rev_bot and @dev_bot: look"]
    for text in texts:
        assert len({said(text, seen_by=bot) for bot in BOTS}) == 1


def test_commands_are_known_in_every_form() -> None:
    assert asked("/status") == (CommandName.STATUS, "")
    assert asked("/Status@mama_bot") == (CommandName.STATUS, "")
    assert asked("@mama_bot /usage 7") == (CommandName.USAGE, "7")
    assert asked("/report@dev_bot it is\nno praise") == (CommandName.REPORT, "it is\nno praise")
    assert asked("/start a-deep-link", private=True) == (CommandName.HELP, "")
    assert asked("/approve 1", private=True) == (CommandName.APPROVE, "1")
    assert asked("/rename it", private=True) is None


def test_an_unknown_command_in_private_is_a_text() -> None:
    assert said("/frobnicate now", private=True) == "/frobnicate now"


@given(before=st.text(max_size=20), after=st.text(max_size=40))
def test_the_words_around_a_mention_are_kept(before: str, after: str) -> None:
    text = f"{before} @mama_bot {after}"
    units = len(f"{before} ".encode("utf-16-le", "surrogatepass")) // 2
    entity = {"type": "mention", "offset": units, "length": 9}
    raw = {"message_id": 5, "chat": GROUP, "from": ALICE, "text": text, "entities": [entity]}
    one = heard(TelegramMessage.model_validate(raw), BOTS, MAIN, takes_part=False)
    assert one is not None
    assert one.text.startswith(f"{before} ") or one.command is not None
    assert one.command is not None or one.text == f"{before} {after.lstrip()}"


@given(
    text=st.text(max_size=30),
    marks=st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(["mention", "bot_command", "text_mention", "bold"]),
                "offset": st.integers(-5, 40),
                "length": st.integers(-5, 40),
            }
        ),
        max_size=5,
    ),
)
def test_no_entities_make_reading_fail(text: str, marks: list[dict[str, object]]) -> None:
    raw = {"message_id": 5, "chat": GROUP, "from": ALICE, "text": text, "entities": marks}
    heard(TelegramMessage.model_validate(raw), BOTS, MAIN, takes_part=True)


def test_unknown_fields_and_nulls_are_let_pass() -> None:
    raw = {"update_id": 1, "message": None, "edited_message": None, "paid_media_purchased": {"x": [1]}}
    assert isinstance(read_update(raw), Update)


def test_what_cannot_be_read_is_said() -> None:
    raw = {"update_id": 1, "message": {"message_id": "x", "chat": {"id": 1, "type": "private"}}}
    assert str(read_update(raw)).startswith("message.message_id: ")


def test_lone_surrogates_are_replaced() -> None:
    update = read_update({"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1}, "text": "a\ud83db"}})
    assert isinstance(update, Update)
    assert update.message is not None
    assert update.message.text == "a\ufffdb"
