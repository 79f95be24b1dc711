"""What the page's server says itself."""

from mama_bot.wording import Said

NO_SETTINGS = Said("There are no settings to read again.", "다시 읽을 설정이 없습니다.")
