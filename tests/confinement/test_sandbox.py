"""What an agent's process reaches: its workspace, its own home, the machine's tools, and nothing of the service's."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.agents.homes import AgentHome, make_home
from mama_bot.confinement import bubblewrap, launcher
from mama_bot.confinement.machine import has_mount_namespaces, working_bubblewrap
from mama_bot.confinement.sandbox import Network, Sandbox, repository_of, visible
from mama_bot.model import ConversationKey, Platform
from tests.marks import WITHOUT_LANDLOCK, needs_bubblewrap, needs_landlock

pytestmark = needs_landlock
KEY = ConversationKey(Platform("web"), "one")


class Place:
    """A service's directories, and an agent's among them."""

    def __init__(self, root: Path) -> None:
        self.data, self.work, self.user = root / "data", root / "work", root / "user"
        for directory in (self.data, self.work, self.user / ".cargo/bin", self.user / ".ssh", root / "run"):
            directory.mkdir(parents=True)
        (self.data / "mama-bot.sqlite").write_text("the database", encoding="utf-8")
        (root / "secrets.env").write_text("TOKEN=x", encoding="utf-8")
        (self.user / ".ssh/id").write_text("a key", encoding="utf-8")
        (self.user / ".cargo/bin/tool").write_text("a tool", encoding="utf-8")
        self.home: AgentHome = make_home(self.data / "agents", root / "run", KEY, "dev")
        self.other: AgentHome = make_home(self.data / "agents", root / "run", KEY, "other")
        self.root = root
        self.sandbox = Sandbox(hidden=(self.data, root / "secrets.env"), home=self.user)
        self.before: tuple[str, ...] = ()

    def run(
        self,
        command: str,
        *,
        read_only: bool = False,
        environment: Mapping[str, str] | None = None,
        network: Network | None = None,
    ) -> subprocess.CompletedProcess[str]:
        reach = replace(self.sandbox, network=network).reach(
            workspace=self.work,
            root=self.home.root,
            own=self.home.own(read_only=read_only),
            private=(self.root / "run",),
            read_only=read_only,
        )
        file = self.root / "reach.json"
        file.write_text(reach.as_json(), encoding="utf-8")
        return subprocess.run(
            [*self.before, sys.executable, "-I", "-S", str(Path(launcher.__file__)), "/bin/sh", "-c", command],
            env={"PATH": os.environ["PATH"], launcher.PLAN_VARIABLE: str(file), **(environment or {})},
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )


@pytest.fixture(params=["Landlock", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def place(tmp_path: Path, request: pytest.FixtureRequest) -> Place:
    place = Place(tmp_path)
    if request.param == "bubblewrap":
        place.before = WITHOUT_LANDLOCK
        place.sandbox = replace(place.sandbox, bubblewrap=working_bubblewrap())
    return place


def test_the_workspace_the_own_home_and_the_tools_are_there(place: Place) -> None:
    ended = place.run(
        f"echo x > made.txt && cat made.txt && mkdir sub && mv made.txt sub/ && rm -r sub"
        " && mkdir one two && echo x > one/x && ln one/x two/x && mv -T one two/one && rm -r two"
        f" && echo y > {place.home.home}/y && echo z > {place.home.temporary}/z && cat {place.user}/.cargo/bin/tool"
        " && ls /usr >/dev/null && git --version >/dev/null && echo n > /dev/null"
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "a tool" in ended.stdout


def test_bubblewrap_begins_where_it_is_told_whatever_it_covers(tmp_path: Path) -> None:
    covers = {"views": {"/run": ["/run/lock"]}}
    told = bubblewrap.mounted_views(readable=["/usr"], writable=[str(tmp_path)], covers=covers, directory=str(tmp_path))
    assert told[told.index("--chdir") + 1] == str(tmp_path)


@pytest.mark.parametrize(
    "target",
    [
        "data/mama-bot.sqlite",
        "secrets.env",
        "user/.ssh/id",
        "data/agents/../mama-bot.sqlite",
        "work/../secrets.env",
    ],
)
def test_nothing_of_the_service_is_read(place: Place, target: str) -> None:
    ended = place.run(f"cat {place.root}/{target}")
    assert ended.returncode != 0
    assert ended.stdout == ""
    linked = place.run(f"ln -s {place.root}/{target} link && cat link")
    assert linked.returncode != 0
    assert linked.stdout == ""


def test_another_agents_home_and_temporary_files_are_not_reached(place: Place) -> None:
    (place.other.home / "note").write_text("other's", encoding="utf-8")
    for path in (place.other.home / "note", place.other.temporary):
        shown = place.run(f"ls {path.parent} || cat {path}").stdout
        assert path.name not in shown.split()
        assert "other's" not in shown
        assert place.run(f"echo x > {path}/x || echo x > {path}").returncode != 0


@pytest.mark.parametrize("path", ["/etc/made-by-an-agent", "/usr/made", "../beside.txt", "/tmp/made-by-an-agent"])
def test_nothing_outside_is_written(place: Place, path: str) -> None:
    assert place.run(f"echo x > {path}").returncode != 0
    assert not Path(place.work, path).exists()


def test_who_only_reads_writes_nothing_in_the_workspace(place: Place) -> None:
    (place.work / "a.txt").write_text("a", encoding="utf-8")
    for command in ("echo x > a.txt", "rm a.txt", "mkdir b", "mv a.txt c.txt", "truncate -s 0 a.txt", "ln a.txt d"):
        assert place.run(command, read_only=True).returncode != 0, command
    assert (place.work / "a.txt").read_text(encoding="utf-8") == "a"
    assert place.run(f"cat a.txt && echo x > {place.home.temporary}/x", read_only=True).stdout == "a"


def test_who_only_reads_reads_what_the_settings_let_others_write(place: Place) -> None:
    shared = place.user / "shared"
    shared.mkdir()
    place.sandbox = replace(place.sandbox, writable=(shared,))
    assert place.run(f"echo kept > {shared}/a").returncode == 0
    assert place.run(f"echo x > {shared}/a || cat {shared}/a", read_only=True).stdout == "kept\n"


@pytest.mark.skipif(not has_mount_namespaces(), reason="this user gets no mount namespace")
def test_who_only_reads_changes_neither_modes_nor_times_where_the_machine_can_freeze(place: Place) -> None:
    place.sandbox = replace(place.sandbox, freezes=True)
    file = place.work / "a.txt"
    file.write_text("a", encoding="utf-8")
    before = file.stat()
    touch = "touch -d 2020-01-01"
    for command in (
        "chmod 700 a.txt",
        f"{touch} a.txt",
        f"{touch} {file}",
        f"cd .. && {touch} work/a.txt",
        "chmod 7 .",
    ):
        ended = place.run(command, read_only=True)
        assert ended.returncode != 0, command
        assert "Read-only file system" in ended.stderr
    assert (file.stat().st_mode, file.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    own = f"cp -p a.txt {place.home.temporary}/ && chmod 700 {place.home.temporary}/a.txt"
    assert place.run(own, read_only=True).returncode == 0
    assert place.run("chmod 700 a.txt && cat a.txt").stdout == "a"


@pytest.mark.skipif(not has_mount_namespaces(), reason="this user gets no mount namespace")
def test_nobody_changes_the_modes_and_times_of_what_they_may_not_write(place: Place) -> None:
    place.sandbox = replace(place.sandbox, freezes=True)
    files = [place.data / "mama-bot.sqlite", place.root / "secrets.env", place.user / ".ssh/id", place.user, place.data]
    before = [(file.stat().st_mode, file.stat().st_mtime_ns) for file in files]
    for file in files:
        assert place.run(f"chmod 777 {file}").returncode != 0
        assert place.run(f"touch -d 2020-01-01 {file}").returncode != 0
    assert [(file.stat().st_mode, file.stat().st_mtime_ns) for file in files] == before
    made = place.run(f"echo x > a && chmod 700 a && ln a b && touch -d 2020-01-01 {place.home.home} && stat -c %a b")
    assert made.stdout == "700\n"


@pytest.mark.skipif(not has_mount_namespaces(), reason="this user gets no mount namespace")
def test_terminals_and_shared_memory_of_others_are_not_reached_and_own_ones_work(place: Place) -> None:
    place.sandbox = replace(place.sandbox, freezes=True)
    theirs, terminal = os.openpty()
    name = f"mama-{os.getpid()}"
    shared, memory = Path(f"/dev/shm/{name}"), f"/dev/shm/{name}"
    shared.write_text("another program's", encoding="utf-8")
    try:
        ended = place.run(f"cat {memory}; echo forged > {os.ttyname(terminal)}; ls /dev/pts /dev/shm")
        own = "import os; one, two = os.openpty(); os.write(one, b'typed\\n'); print(os.read(two, 9).decode())"
        works = place.run(f'echo mine > {memory} && cat {memory} && {Path(sys.executable).resolve()} -I -c "{own}"')
    finally:
        text = shared.read_text(encoding="utf-8")
        shared.unlink()
        os.close(theirs)
        os.close(terminal)
    assert "another program's" not in ended.stdout
    assert name not in ended.stdout
    assert "cannot create" in ended.stderr
    assert works.stdout.split() == ["mine", "typed"]
    assert text == "another program's"


def test_no_disk_and_no_other_device_is_opened(place: Place) -> None:
    opened = place.run("for device in /dev/tty1 /dev/kmsg /dev/mem; do head -c 1 $device && echo opened; done; true")
    assert "opened" not in opened.stdout
    ended = place.run("head -c 1 /dev/zero | wc -c && echo x > /dev/null && echo y > /dev/stdout && cat < /dev/fd/0")
    assert ended.stdout.split() == ["1", "y"]


def test_the_environment_of_the_service_is_not_read(place: Place) -> None:
    ended = place.run(f"cat /proc/{os.getpid()}/environ; tr '\\0' '\\n' < /proc/{os.getppid()}/environ")
    assert ended.stdout == ""


def test_no_signal_leaves_the_sandbox(place: Place) -> None:
    with subprocess.Popen(["sleep", "30"]) as outside:
        assert place.run(f"kill -9 {outside.pid}").returncode != 0
        assert outside.poll() is None
        outside.send_signal(signal.SIGKILL)
    assert place.run("sleep 30 & kill -9 $!").returncode == 0


def test_no_capability_and_no_set_user_id_program_helps(place: Place) -> None:
    ended = place.run("grep -i -E 'capeff|nonewprivs' /proc/self/status")
    assert "CapEff:\t0000000000000000" in ended.stdout
    assert "NoNewPrivs:\t1" in ended.stdout


def test_a_sandbox_that_cannot_be_set_up_lets_nothing_run(place: Place) -> None:
    missing = {launcher.PLAN_VARIABLE: str(place.root / "not-there.json")}
    ended = place.run("echo ran", environment=missing)
    assert (ended.returncode, ended.stdout) == (126, "")
    assert "the sandbox could not be set up" in ended.stderr
    (place.root / "broken.json").write_text(json.dumps({"readable": []}), encoding="utf-8")
    assert place.run("echo ran", environment={launcher.PLAN_VARIABLE: str(place.root / "broken.json")}).stdout == ""


def test_a_linked_work_tree_leads_to_its_repository_and_to_nothing_hidden(place: Place) -> None:
    repository, tree = place.root / "repository", place.root / "tree"
    for command in (f"git init -q {repository}", f"git -C {repository} commit -q --allow-empty -m one"):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *command.split()[1:]], check=True)
    subprocess.run(["git", "-C", str(repository), "worktree", "add", "-q", str(tree)], check=True)
    assert repository_of(tree) == ((repository / ".git").resolve(),)
    forged = place.work / ".git"
    for target in (place.data, place.root / "run", place.user / ".ssh", Path("/"), place.other.home):
        forged.write_text(f"gitdir: {target}/worktrees/x\n", encoding="utf-8")
        assert repository_of(place.work) == ()
        assert place.run(f"cat {place.data}/mama-bot.sqlite {place.user}/.ssh/id").stdout == ""
        assert place.run(f"echo x > {place.root}/run/made || echo x > {place.user}/made").returncode != 0


def test_what_the_service_writes_for_an_agent_is_only_read(place: Place) -> None:
    place.home.prompt.write_text("a prompt", encoding="utf-8")
    assert place.run(f"cat {place.home.prompt}").stdout == "a prompt"
    for command in (f"ln -sf {place.data}/mama-bot.sqlite {place.home.prompt}", f"rm -r {place.home.attachments}"):
        assert place.run(command).returncode != 0, command


def test_what_is_visible_is_everything_but_the_hidden(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/d", "e"):
        (tmp_path / name).mkdir(parents=True)
    paths = visible((tmp_path / "a/b",))
    assert tmp_path / "e" in paths
    assert tmp_path / "a/d" in paths
    assert not any(path == tmp_path / "a/b" or path in (tmp_path / "a/b").parents for path in paths)
