"""What a person is told where an agent's CLI cannot be started."""

from mama_bot.wording import Said

NO_PROGRAM = Said("there is no {program}", "{program}: 설치되어 있지 않습니다")
NO_FILE = Said("there is no file {file}", "파일이 없습니다: {file}")
NOT_EXECUTABLE = Said("{file} is not executable", "실행할 수 없는 파일입니다: {file}")
FILES_NOT_WRITTEN = Said("its files cannot be written ({problem})", "에이전트의 파일을 쓸 수 없습니다({problem})")
NOT_LOGGED_IN = Said("it is not logged in", "로그인되어 있지 않습니다")

INSTALL_CLAUDE = Said(
    "Install claude-agent-sdk (it brings the CLI), or set claude.cli_path to an executable `claude`.",
    "CLI가 함께 들어 있는 claude-agent-sdk를 설치하거나 claude.cli_path에 실행 가능한 `claude`를 지정하세요.",
)
INSTALL = Said(
    "Install it: `{command}`, or set {name}.cli_path.", "{command:`으로/로} 설치하거나 {name}.cli_path를 지정하세요."
)
CHECK_COMMAND = Said("Check its `command`.", "페르소나의 `command`를 확인하세요.")
MAKE_EXECUTABLE = Said(
    "Run `chmod +x {file}`, or reinstall it.", "`chmod +x {file}` 명령을 실행하거나 다시 설치하세요."
)
FREE_SPACE = Said(
    "Free some space, or make the data directory and the temporary directory writable.",
    "공간을 확보하거나 데이터 디렉터리와 임시 디렉터리를 쓸 수 있게 하세요.",
)
SEE_DOCTOR = Said(
    "An owner can mend that: `mama-bot doctor` says what is missing.",
    "소유자가 고칠 수 있습니다. `mama-bot doctor`가 빠진 것을 알려 줍니다.",
)
LOG_IN = Said(
    "Set {keys}, or log in with the CLI itself on this machine.",
    "{keys}: 이 값을 설정하거나 이 기계에서 해당 CLI로 로그인하세요.",
)
WALLS = Said(
    "`mama-bot doctor` says what contains agents on this machine, and what helps.",
    "`mama-bot doctor`가 이 기계에서 에이전트를 가두는 것과 해결 방법을 알려 줍니다.",
)
