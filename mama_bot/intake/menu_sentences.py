"""What a person is told of the commands of personas."""

from mama_bot.wording import Said

NOT_SENT_ON = Said(
    "There is no command /{given}. {hint} To say it to an agent all the same: `@{persona} {words}`.",
    "/{given}: 없는 명령입니다. {hint} 그대로 에이전트에게 보내려면 이렇게 쓰세요: `@{persona} {words}`.",
)

NO_MENU = Said(
    "{name} has no commands. Write to it with `@{persona}`.",
    "{name}에는 명령이 없습니다. `@{persona}` 멘션으로 부르세요.",
)
MENU = Said("Commands of {name}:", "{name:이/가} 아는 명령:")
MENUS = Said("**Commands of the agents**", "**에이전트의 명령**")
NO_SUCH_ENTRY = Said("{name} has no command {given}. {hint}", "{name}에는 {given} 명령이 없습니다. {hint}")
MISSING_ARGUMENT = Said(
    "`{usage}`: {argument} is missing. Write it behind the command, as in `{example}`.",
    "`{usage}`: {argument:이/가} 빠졌습니다. `{example}`처럼 명령 뒤에 적어 주세요.",
)
TAKES_NOTHING = Said("`{usage}` takes nothing behind it.", "`{usage}` 뒤에는 아무것도 쓰지 않습니다.")
NO_SUCH_FILE = Said("There is no file {file} in the workspace. {hint}", "작업 공간에 {file} 파일이 없습니다. {hint}")
OUTSIDE = Said("{file} does not lie in the workspace.", "{file:은/는} 작업 공간 안에 있지 않습니다.")
NEAREST = Said("Did you mean {name}?", "{name:을/를} 찾으셨나요?")
SEE_MENU = Said("`{usage}` names all of them.", "`{usage}`에서 모두 볼 수 있습니다.")
PROMPT_GONE = Said(
    "`{usage}` cannot be carried out: the file of its prompt is gone. Whoever runs this service can put it back.",
    "`{usage}`: 프롬프트 파일이 없어 실행할 수 없습니다. 서비스를 운영하는 사람이 되돌려 놓을 수 있습니다.",
)
NOTHING_CHANGED = Said("Nothing was changed here yet that is known.", "아직 여기서 바뀐 것이 없습니다.")
ASKED_FOR = Said(
    "{question}\nYour next message here is the answer; then `{usage}` begins.",
    "{question}\n다음 메시지를 답으로 받아 `{usage}` 작업을 시작합니다.",
)
BEGAN_A_COMMAND = Said(
    "This message began a command, which its new text does not write, so the edit was not taken. Write the whole "
    "command, or delete the message and send another.",
    "이 메시지로 명령이 시작되었는데 고친 글에는 그 명령이 없어 수정을 받지 않았습니다. 명령 전체를 쓰거나 "
    "메시지를 지우고 새로 보내세요.",
)
TOO_LONG_A_VALUE = Said(
    "That is too long for {name}: {most:,} characters fit.", "{name} 값이 너무 깁니다. {most:,}자까지 쓸 수 있습니다."
)
BELONGS_TO_SERVICE = Said(
    "{name} is a value of the service itself: nothing overrides it.",
    "{name:은/는} 서비스가 정하는 값이라 바꿀 수 없습니다.",
)
IN_A_MENTION = Said(
    "Write it as a message: mention the bot, with the command behind it.", "봇을 멘션하고 뒤에 명령을 써서 보내세요."
)
HAS_COMMANDS = Said("commands: {names}", "명령: {names}")
