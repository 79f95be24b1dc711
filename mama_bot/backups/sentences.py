"""What people read of backups and of putting them back."""

from mama_bot.wording import Said

CANNOT_WRITE = Said(
    "The backup cannot be written: {reason}. Free some space, or name another file.",
    "백업을 쓸 수 없습니다: {reason}. 공간을 비우거나 다른 파일을 지정하세요.",
)
NOTHING_KEPT = Said(
    "There is nothing to back up: no service has run in {directory} yet.",
    "백업할 것이 없습니다. {directory}에서 아직 서비스가 실행된 적이 없습니다.",
)
NO_BACKUP = Said("This is no backup of mama-bot: {reason}.", "mama-bot의 백업이 아닙니다: {reason}.")
NEWER_BACKUP = Said(
    "A newer mama-bot made this backup (schema {version}, this one knows {known}): update first.",
    "더 새로운 mama-bot이 만든 백업입니다(스키마 {version}, 이 버전은 {known}까지). 먼저 업데이트하세요.",
)
STILL_RUNS = Said(
    "The service runs (process {pid}): stop it, restore, and start it again.",
    "서비스가 실행 중입니다(프로세스 {pid}). 멈추고 복원한 뒤 다시 시작하세요.",
)
ALREADY_THERE = Said(
    "{directory} holds data already. With --replace it is put aside there, and nothing of it is deleted.",
    "{directory}에 이미 데이터가 있습니다. --replace를 쓰면 그 안에 따로 옮겨 두며 아무것도 지우지 않습니다.",
)
CANNOT_RESTORE = Said(
    "The backup cannot be put back: {reason}. What was there is as it was.",
    "백업을 복원할 수 없습니다: {reason}. 있던 것은 그대로입니다.",
)
ELSEWHERE = Said(
    "store.url names a database of its own: back it up with its own tools (pg_dump, or a copy by sqlite3's `.backup`).",
    "store.url이 별도의 데이터베이스를 가리킵니다. 그 도구(pg_dump, sqlite3의 `.backup`)로 백업하세요.",
)
BACKUP_THERE = Said(
    "{file} is there already, and was left alone: name another file, or write over it with --replace.",
    "{file:은/는} 이미 있어 그대로 두었습니다. 다른 파일을 지정하거나 --replace로 덮어쓰세요.",
)
NO_SUCH_BACKUP = Said("There is no file {file}.", "{file} 파일이 없습니다.")
BACKUPS_KEPT = Said(
    "{looked_for} The backups in {directory}: {files}.", "{looked_for} {directory}에 있는 백업: {files}."
)
NO_BACKUPS_KEPT = Said(
    "{looked_for} Nor is there a backup in {directory}: `mama-bot backup` makes one.",
    "{looked_for} {directory}에도 백업이 없습니다. `mama-bot backup`으로 만드세요.",
)
