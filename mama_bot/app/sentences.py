"""What the page says above everything where the model is scripted."""

from mama_bot.wording import Said

SCRIPTED_BANNER = Said(
    "The model is scripted: no Claude login or API key was found. A new conversation suggests what the script can do; "
    "set ANTHROPIC_API_KEY or log in with the claude CLI, and start again, for a real model.",
    "대본이 모델을 대신합니다. Claude 로그인이나 API 키가 없습니다. 새 대화에 대본이 할 수 있는 일이 나옵니다. "
    "실제 모델을 쓰려면 ANTHROPIC_API_KEY를 설정하거나 claude CLI로 로그인한 뒤 다시 시작하세요.",
)
DEMO_BANNER = Said(
    "The model is scripted (demo). A new conversation suggests what the script can do.",
    "대본이 모델을 대신합니다(데모). 새 대화에 대본이 할 수 있는 일이 나옵니다.",
)
