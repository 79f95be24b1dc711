"""What the page says above everything (the model is scripted, not all is contained), and what a machine lacks."""

from mama_bot.wording import Said

SCRIPTED_BANNER = Said(
    "The model is scripted: there is no Claude login. For a real one: `mama-bot login`, then start again.",
    "Claude 로그인이 없어 대본이 모델을 대신합니다. 실제 모델을 쓰려면 `mama-bot login` 뒤에 다시 시작하세요.",
)
DEMO_BANNER = Said(
    "The model is scripted (demo): a new conversation suggests what it can do.",
    "대본이 모델을 대신합니다(데모). 새 대화에 할 수 있는 일이 나옵니다.",
)
NO_PAGE_RUNS = Said(
    "No service with a page runs here: `mama-bot run` starts one.",
    "페이지가 있는 서비스가 여기서 실행되고 있지 않습니다. `mama-bot run`으로 시작하세요.",
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
RELOADED = Said(
    "The settings were read again: what begins now goes by them.",
    "설정을 다시 읽었습니다. 지금부터 시작하는 일은 새 설정을 따릅니다.",
)
NEEDS_RESTART = Said(
    "ℹ️ The settings of mama-bot were read again. These wait for a restart: {keys}.",
    "ℹ️ mama-bot의 설정을 다시 읽었습니다. 다음 항목은 다시 시작해야 적용됩니다: {keys}.",
)
NOT_THERE_YET = Said(
    "The persona {name} needs what the service did not start with ({need}): start it again.",
    "페르소나 {name}에는 서비스가 시작할 때 없던 것({need})이 필요합니다. 다시 시작하세요.",
)
NO_GIT = Said(
    "git is not there, so no agent can work: install git and start again.",
    "git이 없어 에이전트가 일할 수 없습니다. git을 설치하고 다시 시작하세요.",
)
NO_CLI = Said(
    "The claude CLI is not there ({path}), so no agent can work: reinstall the package claude-agent-sdk, or set "
    "claude.cli_path to a CLI.",
    "claude CLI가 없어({path}) 에이전트가 일할 수 없습니다. claude-agent-sdk 패키지를 다시 설치하거나 "
    "claude.cli_path를 정하세요.",
)
NO_LOGIN = Said(
    "There is no Claude login and claude.source is real, so no agent can work: run `mama-bot login` and start again.",
    "Claude 로그인이 없고 claude.source가 real이라 에이전트가 일할 수 없습니다. `mama-bot login`을 실행하고 다시 "
    "시작하세요.",
)
NO_CLAUDE_LOGIN = Said(
    "There is no Claude login, so personas whose agent is Claude cannot work: run `mama-bot login` and start again.",
    "Claude 로그인이 없어 Claude를 쓰는 페르소나는 일할 수 없습니다. `mama-bot login`을 실행하고 다시 시작하세요.",
)
SCRIPTED_FOR_WANT_OF_LOGIN = Said(
    "There is no Claude login, so a scripted model answers: run `mama-bot login` and start again for a real one.",
    "Claude 로그인이 없어 대본 모델이 답합니다. 실제 모델을 쓰려면 `mama-bot login`을 실행하고 다시 시작하세요.",
)

ROLE_NEEDS_POSTGRESQL = Said(
    "--role {role} shares the work with others, over PostgreSQL. Set store.url (MAMA_STORE__URL) to "
    "postgresql://user@host/name, or leave --role out.",
    "--role {role:은/는} PostgreSQL로 다른 프로세스와 일을 나눕니다. store.url(MAMA_STORE__URL)을 "
    "postgresql://user@host/name 형태로 설정하거나 --role을 빼 주세요.",
)
ROLE_NEEDS_TOKEN = Said(
    "--role gateway connects to chat platforms, and none has a token. Set that of {platforms}.",
    "--role gateway는 채팅 플랫폼에 연결하는데, 토큰이 있는 플랫폼이 없습니다. "
    "{platforms} 중 하나의 토큰을 설정해 주세요.",
)
ROLE_NEEDS_PAGE = Said(
    "--role page serves the page, and web.enabled is false. Set it to true, or give another role.",
    "--role page는 웹 페이지를 제공하는데, web.enabled가 false입니다. true로 바꾸거나 다른 역할을 지정해 주세요.",
)
NODE_NOT_KEPT = Said(
    "The name of this node cannot be kept in its data directory: {reason}. Make it readable and writable.",
    "이 노드의 이름을 데이터 디렉터리에 보관할 수 없습니다: {reason}. 읽고 쓸 수 있게 해 주세요.",
)
NODE_FILE_EMPTY = Said(
    "This file is empty. Remove it: the next start makes another.",
    "이 파일이 비어 있습니다. 지우면 다음에 시작할 때 새로 만듭니다.",
)
