"""What the sandbox holds in for whom: root, a user, and both in containers; each attempt is made on this kernel.

sudo python -m benchmarks.containment      prints the table of docs/security.md

It starts itself again, by the interpreter of the system, as the service of each identity, as the agent's CLI behind the
launcher, and as a command of that CLI, which tries to get out. A container is played: by the capabilities that Docker
leaves, and by a filter that refuses of the calls that decide here (mounts, namespaces) what its default profile does. A
kernel without Landlock is played by a filter that knows nothing of its calls.
"""

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mama_bot.confinement import landlock, launcher, mounts, seccomp, shell  # noqa: E402
from mama_bot.confinement.path_sockets import covers_for  # noqa: E402
from mama_bot.confinement.ports import given_by_kernel  # noqa: E402
from mama_bot.confinement.sandbox import Covers, Network, Sandbox  # noqa: E402

PYTHON = "/usr/bin/python3"
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
OF_DOCKER = "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,sys_chroot,mknod"
CAPABILITIES = ",".join(f"+{name}" for name in OF_DOCKER.split(","))
FILTERED = (PYTHON, "-I", __file__, "--filtered")
WITHOUT_LANDLOCK = (PYTHON, "-I", __file__, "--without-landlock")
IDENTITIES: Mapping[str, tuple[str, ...]] = {
    "no sandbox": NOBODY,
    "root": (),
    "user": NOBODY,
    "container, root": ("setpriv", f"--bounding-set=-all,{CAPABILITIES}", *FILTERED),
    "container, user, all dropped": (*NOBODY, "--no-new-privs", "--bounding-set=-all", *FILTERED),
    "root, no Landlock, bubblewrap": WITHOUT_LANDLOCK,
    "user, no Landlock, bubblewrap": (*NOBODY, *WITHOUT_LANDLOCK),
}
SECRET = "a-secret-of-the-service"
REFUSED_CALLS = (155, 165, 166, 272, 308, 428, 429, 430, 431, 432, 433, 442)  # pivot_root, mount, unshare, setns, ...
NEW_NAMESPACES = 0x7E020000
CLONE, CLONE3 = 56, 435


def main() -> None:
    """Print the table."""
    results = {name: _as_identity(prefix, name != "no sandbox") for name, prefix in IDENTITIES.items()}
    sys.stdout.write(f"| a command tries to | {' | '.join(results)} |\n|{'---|' * (len(results) + 1)}\n")
    for probe in next(iter(results.values())):
        sys.stdout.write(f"| {probe} | {' | '.join(result[probe] for result in results.values())} |\n")


def _as_identity(prefix: tuple[str, ...], confined: bool) -> Mapping[str, str]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        os.chown(directory, *((65534, 65534) if "--reuid=65534" in prefix else (0, 0)))
        command = [*prefix, PYTHON, "-I", __file__, "--service", directory, "confined" if confined else ""]
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={"PATH": os.defpath, "SERVICE_TOKEN": SECRET},
        )
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}: {ended.stderr}")
    result: Mapping[str, str] = json.loads(ended.stdout)
    return result


def _service(root: Path, *, confined: bool) -> None:
    """Run an agent's CLI as the service does, with something to protect, and print what its command came to."""
    data, work, home, temporary = (root / name for name in ("data", "work", "home", "tmp"))
    for directory in (data, work, home, temporary):
        directory.mkdir()
    (data / "secrets.env").write_text(SECRET, encoding="utf-8")
    daemon, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    daemon.bind(str(root / "daemon.sock"))
    daemon.listen()
    abstract.bind(f"\0{root}")
    abstract.listen()
    shared = Path(f"/dev/shm/{root.name}")
    shared.write_text(SECRET, encoding="utf-8")
    theirs, terminal = os.openpty()
    bubblewrap = None if landlock.version() else Path(shutil.which("bwrap") or "/usr/bin/bwrap")
    with socket.create_server(("127.0.0.1", 0)) as page, subprocess.Popen(["sleep", "100"]) as other:
        port = page.getsockname()[1]
        tried = subprocess.run([PYTHON, "-I", "-S", mounts.__file__], capture_output=True, check=False)
        sandbox = Sandbox(
            hidden=(data,),
            home=home / "person",
            network=Network(open=lambda _: given_by_kernel(), own=lambda: {port}),
            covers=(lambda needed: covers_for([root / "daemon.sock"], kept=needed))
            if tried.returncode == 0
            else lambda _: Covers(),
            freezes=tried.returncode == 0,
            bubblewrap=bubblewrap,
        )
        reach = sandbox.reach(workspace=work, root=home, own=[temporary], programs=[ROOT, Path(PYTHON).resolve()])
        below = sandbox.reach(workspace=work, root=home, own=[temporary], programs=[ROOT])
        (data / "plan.json").write_text(reach.as_json(), encoding="utf-8")
        entries = [f"r{path}" for path in below.readable] + [f"w{path}" for path in below.writable]
        entries += [f"b{bubblewrap}"] if bubblewrap else []
        (home / "reach").write_text("".join(f"{entry}\0" for entry in entries), encoding="utf-8")
        question = {"root": str(root), "port": port, "service": os.getpid(), "other": other.pid}
        question |= {"terminal": os.ttyname(terminal), "shared": str(shared)}
        cli = [PYTHON, "-I", __file__, "--cli", str(home / "reach") if confined else "", json.dumps(question)]
        environment = {
            "PATH": os.defpath,
            launcher.PLAN_VARIABLE: str(data / "plan.json") if confined else "",
            launcher.PARENT_VARIABLE: str(os.getpid()),
            "ANTHROPIC_API_KEY": SECRET,
        }
        command = [PYTHON, "-I", "-S", launcher.__file__, *cli]
        ended = subprocess.run(
            command, env=environment, cwd=work, capture_output=True, text=True, timeout=60, check=False
        )
        other.kill()
    shared.unlink()
    os.close(theirs)
    if ended.returncode:
        raise SystemExit(f"exit status {ended.returncode}: {ended.stderr}")
    lines = ended.stdout.splitlines()
    result = {**json.loads(lines[-1]), "write a line as the CLI": "reached" if "forged" in lines else "held"}
    sys.stdout.write(json.dumps(result))


def _cli(reach: str, question: str) -> None:
    """Run a command in a confinement below this one's, and hand on what it came to."""
    asked = {**json.loads(question), "cli": os.getpid()}
    probe = [PYTHON, "-I", __file__, "--probe", json.dumps(asked)]
    below = [PYTHON, "-I", "-S", shell.__file__, reach, "/bin/sh", "-c", 'exec "$@"', "sh"] if reach else []
    ended = subprocess.run([*below, *probe], capture_output=True, text=True, timeout=60, check=False)
    sys.stdout.write(ended.stdout or json.dumps({"run": ended.stderr}))


def _probe(question: str) -> None:
    asked = json.loads(question)
    root, address = Path(asked["root"]), ("127.0.0.1", asked["port"])

    def environment(process: int) -> Callable[[], object]:
        return lambda: _expect(SECRET.encode() in Path(f"/proc/{process}/environ").read_bytes())

    def connect(protocol: int = 0) -> None:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol).connect(address)

    def use(path: str) -> None:
        socket.socket(socket.AF_UNIX).connect(path)

    def ring() -> None:
        _expect(ctypes.CDLL(None).syscall(425, 4, ctypes.create_string_buffer(256)) >= 0)

    def capability() -> None:
        ctypes.CDLL(None).unshare(mounts.NEW_USERS | mounts.NEW_MOUNTS)
        mount = ctypes.CDLL(None).mount
        _expect(mount(b"none", os.fsencode(root / "work"), b"tmpfs", ctypes.c_ulong(0), None) == 0)

    attempts: Mapping[str, Callable[[], object]] = {
        "read the service's secrets file": lambda: (root / "data/secrets.env").read_text(encoding="utf-8"),
        "write outside of its workspace": lambda: _expect((root / "made").write_bytes(b"x") == 1),
        "change the mode of the service's files": lambda: (root / "data").chmod(0o711),
        "change the times of a file outside": lambda: os.utime(root / "data/secrets.env", (1, 1)),
        "write to a terminal of its user": lambda: os.close(os.open(asked["terminal"], os.O_WRONLY | os.O_NOCTTY)),
        "read shared memory of its user": lambda: _expect(Path(asked["shared"]).read_text("utf-8") == SECRET),
        "open another device": lambda: os.close(
            os.open("/dev/kmsg" if os.geteuid() == 0 else "/dev/fuse", os.O_RDONLY)
        ),
        "read the environment of the service": environment(asked["service"]),
        "read the environment of its own CLI, with the token": environment(asked["cli"]),
        "write a line as the CLI": lambda: Path(f"/proc/{asked['cli']}/fd/1").write_text("forged\n", encoding="utf-8"),
        "end a process outside": lambda: os.kill(asked["other"], 9),
        "connect to the service's page": connect,
        "the same by Multipath TCP": lambda: connect(262),
        "the same by fast open": lambda: socket.socket().sendto(b"x", 0x20000000, address),
        "make an io_uring": ring,
        "use a daemon's socket in the file system": lambda: use(f"{root}/daemon.sock"),
        "use an abstract socket of the service": lambda: use(f"\0{root}"),
        "mount something, as root of a namespace": capability,
    }
    works = _succeeds((root / "work/made").touch)
    result = {name: "reached" if _succeeds(attempt) else "held" for name, attempt in attempts.items()}
    result["(write its workspace)"] = "works" if works else "fails"
    result["(serve, and connect to that)"] = "works" if _succeeds(_serve) else "fails"
    sys.stdout.write(f"{json.dumps(result)}\n")


def _serve() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), 5)


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _expect(outcome: bool) -> None:
    if not outcome:
        raise OSError


def _without_landlock(command: list[str]) -> None:
    """Become a command for which the kernel has no Landlock."""
    lines = [(seccomp.LOAD, 0, 0, seccomp.NUMBER)]
    for number in (landlock.CREATE_RULESET, landlock.ADD_RULE, landlock.RESTRICT_SELF):
        lines += [(seccomp.EQUAL, 0, 1, number), (seccomp.RETURN, 0, 0, seccomp.REFUSE | 38)]
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
    seccomp.install([*lines, seccomp.ALLOWED])
    os.execv(shutil.which(command[0]) or command[0], command)


def _filtered(command: list[str]) -> None:
    """Become a command under a filter like Docker's."""
    refuse, load, equal, any_bit, back = seccomp.REFUSE, seccomp.LOAD, seccomp.EQUAL, seccomp.ANY_BIT, seccomp.RETURN
    lines = [(load, 0, 0, seccomp.NUMBER)]
    for number in REFUSED_CALLS:
        lines += [(equal, 0, 1, number), (back, 0, 0, refuse | 1)]
    lines += [(equal, 0, 1, CLONE3), (back, 0, 0, refuse | 38), (equal, 0, 3, CLONE)]
    lines += [(load, 0, 0, seccomp.ARGUMENTS), (any_bit, 0, 1, NEW_NAMESPACES), (back, 0, 0, refuse | 1)]
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
    seccomp.install([*lines, seccomp.ALLOWED])
    os.execv(shutil.which(command[0]) or command[0], command)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--service", root, confined]:
            _service(Path(root), confined=bool(confined))
        case ["--cli", reach, question]:
            _cli(reach, question)
        case ["--probe", question]:
            _probe(question)
        case ["--without-landlock", *command]:
            _without_landlock(command)
        case ["--filtered", *command]:
            _filtered(command)
        case _:
            main()
