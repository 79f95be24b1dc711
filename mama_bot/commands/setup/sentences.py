"""What the set-up says, in English and Korean."""

from collections.abc import Mapping
from types import MappingProxyType

from mama_bot.wording import Said

WELCOME = Said(
    "This sets mama-bot up. Nothing is written before the end, and Ctrl-C leaves everything as it is.",
    "mama-bot을 설정합니다. 끝나기 전에는 아무것도 쓰지 않으며, Ctrl-C를 누르면 모든 것이 그대로 남습니다.",
)
NEW_PLACE = Said(
    "There is no {file}. It will be made, with a team in {personas}, from what mama-bot ships.",
    "{file} 파일이 없습니다. mama-bot에 들어 있는 설정과 {personas} 폴더의 팀으로 새로 만듭니다.",
)
WHICH = Said(
    "Which chat platforms? slack, discord, telegram (several with commas; empty: none, the local page alone):",
    "어느 플랫폼을 쓰나요? slack, discord, telegram (여럿이면 쉼표로, 비워 두면 로컬 웹 페이지만):",
)
NO_PLATFORM = Said(
    "{given!r} is none of slack, discord, telegram.", "{given!r}: slack, discord, telegram 중에서 골라 주세요."
)
HAS_TOKEN = Said("{name} is set already. Keep it? [Y/n]", "{name} 값이 이미 있습니다. 그대로 둘까요? [Y/n]")
ASK_TOKEN = Said("{name} (not shown while you type):", "{name} (입력해도 보이지 않습니다):")
NO_TOKEN = Said("A token is needed here; Ctrl-C ends.", "토큰이 필요합니다. 그만두려면 Ctrl-C를 누르세요.")
WRONG_TOKEN = Said("That is not it: {problem}", "토큰이 아닙니다: {problem}")
TESTING = Said("Asking {platform} ...", "{platform}에 확인하는 중 ...")
USE_ANYWAY = Said("Go on with this token all the same? [y/N]", "그래도 이 토큰으로 계속할까요? [y/N]")
INVITE = Said("Open this to add the bot to your server: {address}", "이 주소를 열어 봇을 서버에 초대하세요: {address}")
ASK_OWNERS = Said(
    "Your id on {platform} ({how}). Several with commas; empty: nobody yet, pair later:",
    "{platform}에서의 내 ID ({how}). 여럿이면 쉼표로, 비워 두면 나중에 페어링합니다:",
)
ASK_CHANNELS = Said(
    "Ids of channels in which everybody is served ({how}). Several with commas; empty: none:",
    "누구에게나 답할 채널의 ID ({how}). 여럿이면 쉼표로, 비워 두면 없음:",
)
WRONG_ID = Said("{given!r} is no id of {platform}: {shape}.", "{given!r}: {platform} ID가 아닙니다. 형식: {shape}.")
ASK_REPOSITORY = Said(
    "A repository for the team to work on (a path or a URL to clone; empty: none yet):",
    "팀이 작업할 저장소 (경로나 복제할 URL, 비워 두면 나중에):",
)
WRONG_REPOSITORY = Said("That cannot be worked on: {problem}", "작업할 수 없는 저장소입니다: {problem}")
FETCHING = Said("Fetching {source} ...", "{source}에서 가져오는 중 ...")
INSTALLING = Said(
    "What {name} needs is installed first: `{command}`; later once for the same files ...",
    "먼저 {name}에 필요한 것을 설치합니다: `{command}`. 나중에는 같은 파일에 한 번만 설치합니다 ...",
)
RUNNING_CHECK = Said(
    "Found: {name}. Running `{command}` once ...", "찾음: {name}. `{command}` 명령을 한 번 실행하는 중 ..."
)
CHECK_PASSED = Said("ok      {name}: passed in {seconds} s", "ok      {name}: {seconds}초 만에 통과")
CHECK_FAILED = Said(
    "PROBLEM {name}: it failed after {seconds} s ({ended})", "PROBLEM {name}: {seconds}초 뒤 실패 ({ended})"
)
CHECK_OUTPUT = Said("{output}", "{output}")
CHECK_NOT_RUN = Said("PROBLEM {name}: it was not run: {reason}", "PROBLEM {name}: 실행하지 못했습니다: {reason}")
TAKE_CHECK = Said(
    "Shall the service run {name} before it accepts that work is done? [{answers}]",
    "작업이 끝났다고 받아들이기 전에 서비스가 {name:을/를} 실행할까요? [{answers}]",
)
NO_CHECK = Said(
    "No check was found; add some under repositories.{name}.checks in {file}: an example stands there, as a comment.",
    "검사를 찾지 못했습니다. {file}의 repositories.{name}.checks에 추가할 수 있습니다. 주석으로 예를 적어 둡니다.",
)
CHECK_LEFT = Said(
    "Not taken: {names}. The service does not run it before it accepts that work is done; once it passes, add it under "
    "repositories.{name}.checks in {file}.",
    "넣지 않은 검사: {names}. 작업이 끝났다고 받아들이기 전에 실행하지 않습니다. 통과하게 되면 {file}의 "
    "repositories.{name}.checks에 추가하세요.",
)
TOKEN_LACKS = Said(
    "There is no {name}. Set it in the environment, or leave out --yes and be asked for it.",
    "{name:이/가} 없습니다. 환경 변수로 설정하거나, --yes를 빼고 물을 때 입력하세요.",
)
PLAN_REPOSITORY = Said("  {file}: repositories.{name}: {source}", "  {file}: repositories.{name}: {source}")
PLAN_CHECK = Said(
    "  {file}: repositories.{name}.checks: {check}: {command}",
    "  {file}: repositories.{name}.checks: {check}: {command}",
)
PLAN = Said("This will be written:", "다음을 씁니다:")
PLAN_NEW = Said("  {file}: new", "  {file}: 새로 만듦")
PLAN_SECRETS = Said(
    "  {file}: {names} (readable by you alone; other lines stay)",
    "  {file}: {names} (본인만 읽을 수 있음, 다른 줄은 그대로)",
)
PLAN_ACCESS = Said("  {file}: {key}: {ids}", "  {file}: {key}: {ids}")
NOTHING = Said("Nothing to write: all of it is there already.", "쓸 것이 없습니다. 이미 모두 들어 있습니다.")
WRITE = Said("Write it? [Y/n]", "쓸까요? [Y/n]")
LEFT = Said("Nothing was written.", "아무것도 쓰지 않았습니다.")
WRITTEN = Said("Written.", "썼습니다.")
YES_OR_NO = Said("Answer y or n.", "y 또는 n으로 답해 주세요.")
NEXT = Said("Next:", "다음 할 일:")
NEXT_MODEL = Said(
    "  - No Claude login was found, so a scripted model would answer: it plays a story in its own repository, and "
    "in yours it lists files, runs the tests and looks at the last change. `mama-bot login` logs in (with --api-key or "
    "--token it keeps one in {file}); `mama-bot agents` names other agents, and says how each logs in.",
    "  - Claude 로그인이 없어 대본 모델이 답하게 됩니다. 자체 저장소에서 이야기를 보여 주고, 여러분의 저장소에서는 "
    "파일 목록, 테스트 실행, 마지막 변경 확인만 합니다. `mama-bot login`으로 로그인하세요 (--api-key나 --token을 "
    "붙이면 {file}에 보관합니다). 다른 에이전트와 로그인 방법은 `mama-bot agents`가 알려 줍니다.",
)
OFFER_FALLBACKS = Said(
    "Also here and logged in: {titles}. Should they take over while Claude cannot work? [Y/n]",
    "이 기계에 로그인된 에이전트가 더 있습니다: {titles}. Claude가 일할 수 없는 동안 대신 일하게 할까요? [Y/n]",
)
OFFER_AGENTS = Said(
    "Claude is not logged in, but these are: {titles}. Should the team work with them? [Y/n]",
    "Claude는 로그인되어 있지 않지만 다음 에이전트는 되어 있습니다: {titles}. 팀이 이것으로 일할까요? [Y/n]",
)
LACKING = Said("PROBLEM {problem}", "PROBLEM {problem}")
NEXT_DOCTOR = Said(
    "  - `mama-bot doctor` checks this machine and the platforms; `mama-bot run` starts the service (a running one has "
    "to be restarted).",
    "  - `mama-bot doctor`로 이 기계와 플랫폼을 점검하고, `mama-bot run`으로 시작합니다. 실행 중이면 다시 시작해야 "
    "합니다.",
)
NEXT_PAIR = Said(
    "  - Write to the bot directly on {platforms}. It answers with a code; `mama-bot pair CODE` lets you in.",
    "  - {platforms}에서 봇에게 직접 메시지를 보내세요. 받은 코드를 `mama-bot pair CODE`로 확인하면 됩니다.",
)
NEXT_MENTION = Said(
    "  - Invite the bot to your channel or group, and mention it there.",
    "  - 채널이나 그룹에 봇을 초대하고 멘션해 보세요.",
)
NEXT_PAGE = Said(
    "  - `mama-bot run` prints a link: it opens the page, where you write to the team.",
    "  - `mama-bot run`이 출력하는 링크를 열면 웹 페이지에서 팀에게 말할 수 있습니다.",
)

STEPS: Mapping[str, Said] = MappingProxyType(
    {
        "slack": Said(
            "1. Open {page}, choose “From a manifest” and your workspace, and paste the JSON below over what "
            "is there.\n"
            "2. “Install to workspace”. Under “OAuth & Permissions” is the Bot User OAuth Token: xoxb-...\n"
            "3. Under “Basic Information”, “App-Level Tokens”: generate one, scope connections:write: xapp-...\n"
            "\n{manifest}\n",
            "1. {page} 를 열고 “From a manifest”와 워크스페이스를 고른 뒤, 아래 JSON을 붙여 넣습니다.\n"
            "2. “Install to workspace”를 누릅니다. “OAuth & Permissions”의 Bot User OAuth Token: xoxb-...\n"
            "3. “Basic Information”의 “App-Level Tokens”에서 connections:write 범위로 토큰(xapp-...)을 만듭니다.\n"
            "\n{manifest}\n",
        ),
        "discord": Said(
            "1. Open https://discord.com/developers/applications, “New Application”.\n"
            "2. Under “Bot”, switch on “Message Content Intent”: without it the text of most messages is empty.\n"
            "3. There too, “Reset Token”, and copy the token.",
            "1. https://discord.com/developers/applications 를 열고 “New Application”을 누릅니다.\n"
            "2. “Bot”에서 “Message Content Intent”를 켭니다. 끄면 대부분의 메시지가 빈 글로 옵니다.\n"
            "3. 같은 곳에서 “Reset Token”을 누르고 토큰을 복사합니다.",
        ),
        "telegram": Said(
            "1. In Telegram, open @BotFather and write /newbot. Give it a name, and a user name that ends in bot.\n"
            "2. It answers with the token: a number, a colon, letters. That is MAMA_TELEGRAM__TOKEN.\n"
            "3. Write /setprivacy, choose the bot, choose Disable: only then it hears in groups what is no command, no "
            "reply to it and no mention of it. Where it is in a group already, remove it and add it again.\n"
            "4. Write /setjoingroups, choose the bot, choose Enable. Then add the bot to your group.\n"
            "5. For a bot of its own for each persona, do the same again; the developer's token is then "
            "MAMA_TELEGRAM__PERSONA_TOKENS__DEVELOPER.",
            "1. 텔레그램에서 @BotFather를 열고 /newbot을 보냅니다. 이름과, bot으로 끝나는 사용자 이름을 정합니다.\n"
            "2. 답장에 토큰(숫자, 쌍점, 글자)이 옵니다. 이것이 MAMA_TELEGRAM__TOKEN입니다.\n"
            "3. /setprivacy를 보내고 봇을 고른 뒤 Disable을 고릅니다. 그래야 그룹에서 명령, 답장, 멘션이 아닌 글도 "
            "듣습니다. 이미 그룹에 있으면 내보냈다가 다시 초대합니다.\n"
            "4. /setjoingroups를 보내고 봇을 고른 뒤 Enable을 고릅니다. 그다음 봇을 그룹에 초대합니다.\n"
            "5. 페르소나마다 봇을 따로 두려면 같은 일을 되풀이합니다. 그때 developer의 토큰은 "
            "MAMA_TELEGRAM__PERSONA_TOKENS__DEVELOPER입니다.",
        ),
    }
)

FIND_OWNER: Mapping[str, Said] = MappingProxyType(
    {
        "slack": Said("your profile, ⋮, “Copy member ID”: U...", "프로필, ⋮, “멤버 ID 복사”: U..."),
        "discord": Said(
            "Settings, Advanced, Developer Mode; then right-click your name, “Copy User ID”",
            "설정, 고급, 개발자 모드를 켠 뒤 내 이름을 오른쪽 클릭, “사용자 ID 복사”",
        ),
        "telegram": Said(
            "a number; if you do not know it, leave this empty and pair", "숫자. 모르면 비워 두고 페어링하세요"
        ),
    }
)
FIND_CHANNEL: Mapping[str, Said] = MappingProxyType(
    {
        "slack": Said("the channel's name, “About”, at the foot: C...", "채널 이름, “정보” 맨 아래: C..."),
        "discord": Said("right-click the channel, “Copy Channel ID”", "채널을 오른쪽 클릭, “채널 ID 복사”"),
        "telegram": Said("a number, of groups below zero: -100...", "숫자, 그룹은 음수: -100..."),
    }
)
