"""What is granted in a repository reaches git and tools there, and nobody else: no agent elsewhere, store or log."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from mama_bot.confinement import landlock
from mama_bot.confinement.machine import has_mount_namespaces
from mama_bot.demo.model_script import ModelReply, ModelRequest
from tests.end_to_end.evidence import bash, git
from tests.end_to_end.team import running_team
from tests.end_to_end.test_repositories import make_source, obeying
from tests.git_server import git_server
from tests.waiting import until

pytestmark = [
    pytest.mark.cli,
    pytest.mark.skipif(landlock.version() < landlock.PORTS_SINCE, reason="this kernel confines no process"),
]

TOKENS = {"app": "app-token-Zq81xW", "shop": "shop-token-Kp27yV"}
NPM, FILE, SHOP = "npm-value-Hh39tR", "kube-content-Jm64sB", "shop-value-Vd58qN"


def served(directory: Path, name: str) -> None:
    """A bare repository on the server, with one commit."""
    directory.mkdir(exist_ok=True)
    source = make_source(directory / f"{name}-source")
    git(directory, "clone", "-q", "--bare", str(source), str(directory / f"{name}.git"))
    git(directory / f"{name}.git", "config", "http.receivepack", "true")


def settings_for(server: Any, directory: Path) -> dict[str, Any]:
    (directory / "kubeconfig").write_text(FILE)
    return {
        "repositories": {
            "app": {
                "source": server.url("app.git"),
                "channels": ["memory/one"],
                "environment": {"CI": "yes"},
                "git": {"user": "robot", "password": "APP_TOKEN"},
                "personas": {"developer": {"secrets": ["NPM"], "secret_files": {"KUBECONFIG": "kubeconfig"}}},
            },
            "shop": {
                "source": server.url("shop.git"),
                "channels": ["memory/two"],
                "git": {"user": "robot", "password": "SHOP_TOKEN"},
                "secrets": ["SHOP_KEY"],
            },
        },
        "enforcement": {"enabled": False},
        "router": {"default_persona": "developer"},
    }


READER = {"reviewer": "workspace: team\ntier: reader"}
ENVIRONMENT = {"APP_TOKEN": TOKENS["app"], "SHOP_TOKEN": TOKENS["shop"], "NPM": NPM, "SHOP_KEY": SHOP}
ACCOUNTS = {f"{name}.git": ("robot", token) for name, token in TOKENS.items()}

# Whatever lies about on this machine that might hold what another agent was given, read byte by byte.
SEARCH = r"""
import os, re, subprocess, sys
from pathlib import Path
holders, secrets = sys.argv[1].split(":"), sys.argv[2].split(":")
words = [bytes.fromhex(word) for word in secrets]
seen = {"processes": 0, "files": 0}
hits = set()
def look(kind, content, place):
    seen[kind] += 1
    hits.update((place, number) for number, word in enumerate(words) if word in content)
look("processes", repr(dict(os.environ)).encode(), "environment")
for process in Path("/proc").glob("[0-9]*"):
    for name in ("environ", "cmdline"):
        try:
            look("processes", (process / name).read_bytes(), f"{process}/{name}")
        except OSError:
            pass
config = subprocess.run(["git", "config", "--list", "--show-origin"], capture_output=True).stdout
look("processes", config, "git config")
for place in holders:
    try:
        look("files", Path(place).read_bytes(), place)
    except OSError:
        pass
for top in (".", "..", os.path.expanduser("~"), "/tmp", "/var/tmp", "/dev/shm"):
    for directory, _, names in os.walk(top):
        for name in names:
            try:
                place = Path(directory, name)
                if place.is_file() and place.stat().st_size < 2**22:
                    look("files", place.read_bytes(), str(place))
            except OSError:
                pass
print("hits:", sorted(hits), "looked:", seen["processes"] > 20, seen["files"] > 0)
"""


def run_directory(directory: Path) -> Path:
    """Where the service of a team has what lasts as long as it runs."""
    mark = sha256(str((directory / "data" / "scripted").resolve()).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"mama-{os.getuid()}-{sha256(mark.encode()).hexdigest()[:8]}"


def holders(secrets: Sequence[str], *directories: Path) -> list[Path]:
    """The files that hold one of these secrets."""
    files = [path for directory in directories for path in directory.rglob("*") if path.is_file()]
    return [path for path in files if any(secret.encode() in path.read_bytes() for secret in secrets)]


def searching(places: Sequence[Path], secrets: Sequence[str]) -> str:
    words = ":".join(secret.encode().hex() for secret in secrets)
    return f"python3 - {':'.join(map(str, places))} {words} <<'END'\n{SEARCH}\nEND"


async def test_git_and_tools_of_a_workspace_have_what_it_is_granted_and_no_other_has(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in TOKENS:
        served(tmp_path / "server", name)
    with git_server(tmp_path / "server", ACCOUNTS) as server:
        settings = settings_for(server, tmp_path)
        async with running_team(
            tmp_path, script=obeying(), environment=ENVIRONMENT, personas=READER, **settings
        ) as team:
            work = (
                "echo more >> greeting; git commit -qam More; git push -q origin HEAD:refs/heads/mine && echo pushed; "
                "echo $CI ${#NPM} $(wc -c < $KUBECONFIG); echo the values are $NPM $(cat $KUBECONFIG); "
                "cp $KUBECONFIG ~/kept"
            )
            await team.settled(await team.say(f"run {work}", channel="one"))
            first = team.replies("one")[-1].text
            # The agent of the first conversation is still there, with all that it was given.
            secrets = (TOKENS["app"], NPM, FILE)
            places = holders(secrets, tmp_path, run_directory(tmp_path))
            assert all(place.is_relative_to(tmp_path / "data") or place.parent == tmp_path for place in places)
            assert {"password", "file-KUBECONFIG", "kept", "kubeconfig"} <= {place.name for place in places}
            search = searching(places, secrets)
            await team.settled(await team.say(f"run {search}", channel="two"))
            second = team.replies("two")[-1].text
            await team.settled(await team.say("run git ls-remote -q; echo =$CI$NPM$KUBECONFIG=", channel="two"))
            third = team.replies("two")[-1].text
            await team.settled(await team.say(f"@reviewer run git ls-remote -q; echo CI=$CI; {search}", channel="one"))
            fourth = team.replies("one")[-1].text
            # And the other way round: whoever was first looks for what the second one was given since, and has now.
            await team.settled(await team.say("run echo $SHOP_KEY > ~/kept; echo ${#SHOP_KEY}", channel="two"))
            fifth = team.replies("two")[-1].text
            others = (TOKENS["shop"], SHOP)
            places = holders(others, tmp_path, run_directory(tmp_path))
            assert {"password", "kept"} <= {place.name for place in places}
            await team.settled(await team.say(f"run echo =$SHOP_KEY=; {searching(places, others)}", channel="one"))
            sixth = team.replies("one")[-1].text
        left = {place.name for place in holders(secrets, tmp_path / "data", run_directory(tmp_path))}
        assert "kept" in left
        assert not left & {"password", "file-KUBECONFIG"}
        everything = b"".join(path.read_bytes() for path in (tmp_path / "data" / "scripted").glob("mama-bot.sqlite*"))
    assert "pushed\nyes 16 19\nthe values are [redacted] [redacted]" in first
    assert "hits: [] looked: True True" in second
    assert "refs/heads/main" in third
    assert "==" in third
    assert "hits: [] looked: True True" in fourth
    assert "terminal prompts disabled" in fourth or "could not read Username" in fourth
    assert "CI=yes" in fourth
    assert fifth.strip().endswith("17")
    assert "==\nhits: [] looked: True True" in sixth
    assert git(tmp_path / "server" / "app.git", "log", "-1", "--format=%s", "mine") == "More"
    assert set(server.asked()) == {"app.git robot", "shop.git robot"}
    shown = everything.decode(errors="replace") + "".join(capfd.readouterr())
    assert "the values are" in shown
    assert [secret for secret in (*TOKENS.values(), NPM, FILE, SHOP) if secret in shown] == []


# Stands for ssh: shows what it was given of a key, and serves as the other side.
SSH = """\
#!/bin/sh
for word; do
  case $word in
    IdentityFile=*) echo "key: $(cat "${word#*=}") $(stat -c %a "${word#*=}")" >&2;;
    UserKnownHostsFile=*) echo "hosts: $(cat "${word#*=}")" >&2;;
  esac
done
cd DIRECTORY && exec sh -c "$(echo "$word" | sed "s#'/#'#")"
"""


async def test_a_deploy_key_is_there_for_git_of_its_workspace_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served(tmp_path / "server", "app")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "ssh").write_text(SSH.replace("DIRECTORY", str(tmp_path / "server")))
    (programs / "ssh").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    keys = {"ssh_key": tmp_path / "keys" / "app", "known_hosts": tmp_path / "keys" / "hosts"}
    (tmp_path / "keys").mkdir()
    keys["ssh_key"].write_text("deploy-key-Wb44mL")
    keys["known_hosts"].write_text("git.example.org ssh-ed25519 AAAA")
    given = {"git": {name: str(file) for name, file in keys.items()}}
    repositories = {"app": {"source": "ssh://git@git.example.org/app.git", **given}}
    settings: dict[str, Any] = {
        "repositories": repositories,
        "default_repository": "app",
        "enforcement": {"enabled": False},
    }
    router = {"default_persona": "developer"}
    async with running_team(
        tmp_path, script=obeying(), environment={"PATH": path}, personas=READER, router=router, **settings
    ) as team:
        tried = f"git ls-remote -q origin HEAD; cat {keys['ssh_key']}"
        await team.settled(await team.say(f"run {tried}"))
        await team.settled(await team.say(f"@reviewer run {tried}"))
        first, second = (reply.text for reply in team.replies())
    assert "hosts: git.example.org ssh-ed25519 AAAA\nkey: [redacted] 400\n" in first
    assert "\tHEAD" in first
    assert "app: Permission denied" in first
    assert "key:" not in second
    assert "app: Permission denied" in second


@pytest.mark.skipif(not has_mount_namespaces(), reason="sockets are not hidden on this machine")
async def test_an_agent_of_keys_is_there_for_the_workspace_alone_that_it_is_granted_in(tmp_path: Path) -> None:
    socket = Path(tempfile.mkdtemp(prefix="keys-")) / "agent"
    source = make_source(tmp_path)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL) as agent:
        try:
            await until(socket.exists)
            variables = {**os.environ, "SSH_AUTH_SOCK": str(socket)}
            subprocess.run(["ssh-add", "-q", tmp_path / "key"], env=variables, check=True, capture_output=True)
            settings: dict[str, Any] = {
                "repositories": {
                    "app": {"source": str(source), "channels": ["memory/one"], "git": {"ssh_agent": str(socket)}},
                    "shop": {"source": str(source), "channels": ["memory/two"]},
                },
                "enforcement": {"enabled": False},
                "router": {"default_persona": "developer"},
            }
            async with running_team(tmp_path, script=obeying(), **settings) as team:
                await team.settled(await team.say("run ssh-add -l; echo $SSH_AUTH_SOCK", channel="one"))
                await team.settled(await team.say(f"run SSH_AUTH_SOCK={socket} ssh-add -l", channel="two"))
                first, second = (team.replies(channel)[-1].text for channel in ("one", "two"))
        finally:
            agent.terminate()
            shutil.rmtree(socket.parent, ignore_errors=True)  # ssh-agent takes its socket away itself, at the same time
    assert "ED25519" in first
    assert str(socket) in first
    assert "ED25519" not in second
    assert "Error connecting to agent" in second


async def test_set_up_has_what_its_repository_grants_and_a_check_elsewhere_has_none_of_it(tmp_path: Path) -> None:
    source = make_source(tmp_path)
    find = f"grep -r -l -a {NPM[:-1]}[{NPM[-1]}] {tmp_path} {tempfile.gettempdir()}/mama-* /proc/*/environ 2>/dev/null"
    check = {"name": "quiet", "argv": ["/bin/sh", "-c", f"{find}; test $? -ne 0"]}
    settings: dict[str, Any] = {
        "repositories": {
            "app": {
                "source": str(source),
                "channels": ["memory/one"],
                "secrets": ["NPM"],
                "set_up": ["echo ${#NPM} > ../home/set-up"],
            },
            "shop": {"source": str(source), "channels": ["memory/two"], "checks": [check]},
        },
        "router": {"default_persona": "developer"},
    }
    text = "Done: `greeting` says hi."

    def model(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text=text)
        return bash("cat ../home/set-up; echo hi > greeting")

    async with running_team(tmp_path, script=model, environment={"NPM": NPM}, **settings) as team:
        first = await team.settled(await team.say("Do it", channel="one"))
        assert [path.name for path in holders([NPM], tmp_path / "data") if path.suffix == ".json"]
        second = await team.settled(await team.say("Do it", channel="two"))
    assert first.turns[0].attempts[-1].draft.record.runs[0].output_head.strip() == "16"
    (attempt,) = second.turns[0].attempts
    (checked,) = [stage for stage in attempt.judgement.stages if stage.stage == "workspace_checks"]
    assert "'quiet'" in repr(checked)
    assert "ok=True" in repr(checked)
