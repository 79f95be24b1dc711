"""What is said on Slack alone."""

from mama_bot.wording import Said

WORKING = Said("is working…", "작업 중…")
ELSEWHERE = Said("It does not lie on Slack.", "Slack에 있는 파일이 아닙니다.")
NO_SCOPE = Said("The bot may not read files here.", "봇에게 파일을 읽을 권한이 없습니다.")
