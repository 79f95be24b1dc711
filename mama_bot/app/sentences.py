"""What the page says above everything: that the model is scripted, or that not all of an agent is contained."""

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
UNCONTAINED = Said(
    "Not all that agents do is contained on this machine (sandbox: {parts}). "
    "`mama-bot doctor` says why, and what helps.",
    "이 컴퓨터에서는 에이전트가 하는 일을 모두 가두지는 못합니다(sandbox: {parts}). "
    "이유와 방법은 `mama-bot doctor`가 알려 줍니다.",
)
SWITCHED_OFF = Said(
    "Agents are not contained: sandbox.mode is never.",
    "에이전트를 가두지 않습니다. sandbox.mode가 never입니다.",
)
