"""What a person is told who puts hooks into the settings of a CLI."""

from mama_bot.wording import Said

SETTINGS_UNREADABLE = Said(
    "These settings cannot be read, so they stay as they are: {reason}.",
    "이 설정 파일을 읽을 수 없어 그대로 두었습니다: {reason}.",
)
NO_JSON = Said(
    "This is no JSON from here on, so it stays as it is. Mend the line, or move the file away, and try again.",
    "이 줄부터 JSON이 아니어서 그대로 두었습니다. 줄을 고치거나 파일을 옮긴 뒤 다시 시도하세요.",
)
NO_TEXT = Said("it is no text", "텍스트가 아님")
TOO_DEEP = Said("it is nested too deeply", "너무 깊이 중첩됨")
NO_PROJECT = Said(
    "There is no such directory: --project names the directory of a project.",
    "없는 디렉터리입니다. --project에는 프로젝트의 디렉터리를 씁니다.",
)
INSTALLED = Said(
    "{cli} sessions that you start are held by the rules of this service from their next start: {file}.",
    "이제부터 시작하는 {cli} 세션은 이 서비스의 규칙을 따릅니다: {file}.",
)
REMOVED = Said("No hook of this service is left in {file}.", "{file}에 이 서비스의 훅이 더는 없습니다.")
OTHER_FORM = Said(
    "`hooks` has another form than the CLI's, so it stays.",
    "`hooks`의 형식이 CLI의 형식과 달라 그대로 두었습니다.",
)
SETTINGS_UNWRITABLE = Said("It cannot be written: {reason}.", "파일을 쓸 수 없습니다: {reason}.")
SWITCHED_OFF = Said(
    "Hooks are switched off there (`{setting}`), so nothing is held until you switch them on: {file}.",
    "그 파일에서 훅이 꺼져 있어(`{setting}`) 다시 켜기 전에는 아무것도 막지 못합니다: {file}.",
)
CODEX_TRUST = Said(
    "Codex runs no hook before you trust it: start `codex`, trust the project, and confirm the hooks with `/hooks`. "
    "Until then nothing is held.",
    "Codex는 신뢰하지 않은 훅을 실행하지 않습니다. `codex`를 시작해 프로젝트를 신뢰하고 `/hooks`에서 훅을 "
    "확인해 주세요. 그전까지는 아무것도 막지 못합니다.",
)
GEMINI_TRUST = Said(
    "The Gemini CLI runs hooks of a project only in a folder that you trust.",
    "Gemini CLI는 신뢰한 폴더에서만 프로젝트의 훅을 실행합니다.",
)
OF_THIS_MACHINE = Said(
    "This file names paths of this machine: keep it out of git, or others' calls are refused: {file}.",
    "이 파일에는 이 컴퓨터의 경로가 들어 있습니다. git에 넣지 마세요. 넣으면 다른 사람의 호출이 거부됩니다: {file}.",
)
NO_SERVICE = Said(
    "No service runs on {directory} now, so nobody answers these hooks: a call that a rule has to decide is refused, "
    "and the others run unheld. `mama-bot run` starts it.",
    "지금 {directory:을/를} 쓰는 서비스가 실행 중이 아니어서 이 훅에 답할 곳이 없습니다. 규칙이 반드시 결정해야 하는 "
    "호출은 거부되고, 나머지는 확인 없이 실행됩니다. `mama-bot run`으로 시작하세요.",
)
UNKNOWN_ACTION = Said(
    "{given!r} is no action of `mama-bot hook`. {hint}",
    "{given!r:은/는} `mama-bot hook`에 없는 동작입니다. {hint}",
)
