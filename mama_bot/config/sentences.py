"""What people read of a name that is not known."""

from mama_bot.wording import Said

AT_KEY = Said("{key}: {problem}", "{key}: {problem}")
NEAREST_NAME = Said("Did you mean {name!r}?", "혹시 {name!r}인가요?")
KNOWN_NAMES = Said("Known: {names}.", "쓸 수 있는 이름: {names}.")
NOTHING_KNOWN = Said("Nothing is known here.", "여기에 쓸 수 있는 이름이 없습니다.")
