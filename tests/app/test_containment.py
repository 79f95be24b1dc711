"""What is said of a machine that holds agents in by halves, and whether agents start there."""

from pathlib import Path

import pytest
import yaml

from mama_bot.app.configuration import read_configuration
from mama_bot.app.containment import containment_sentence, sandbox_of, uncontained
from mama_bot.config import ContainedPart
from mama_bot.confinement.machine import Machine
from mama_bot.errors import ConfigurationError
from mama_bot.wording import Language
from tests.end_to_end.team import write_configuration

WHOLE = Machine(landlock=7, filters=True, namespaces=True, sockets=(Path("/run/docker.sock"),))
OLD = Machine(landlock=3, filters=True, namespaces=False)
CONTAINER = Machine(landlock=6, filters=True, namespaces=False, sockets=(Path("/run/docker.sock"),))
WRAPPED = Machine(landlock=0, filters=True, namespaces=False, bubblewrap=Path("/usr/bin/bwrap"))
OLD_WRAPPED = Machine(landlock=4, filters=True, namespaces=False, bubblewrap=Path("/usr/bin/bwrap"))
STRANGE = Machine(landlock=5, filters=False, namespaces=True)
NONE = Machine(landlock=0, filters=True, namespaces=True, sockets=(Path("/run/docker.sock"),))
FILES, CONNECTIONS, SIGNALS, SOCKETS = ContainedPart


@pytest.mark.parametrize(
    ("machine", "lacking"),
    [
        (WHOLE, []),
        (OLD, [CONNECTIONS, SIGNALS]),
        (CONTAINER, [SOCKETS]),
        (STRANGE, [CONNECTIONS, SIGNALS]),
        (WRAPPED, [CONNECTIONS, SOCKETS]),
        (OLD_WRAPPED, [SOCKETS]),
        (NONE, [FILES, CONNECTIONS, SIGNALS, SOCKETS]),
    ],
)
def test_a_machine_lacks_what_its_kernel_does_not_know(machine: Machine, lacking: list[ContainedPart]) -> None:
    assert list(machine.lacking()) == lacking


def test_one_sentence_says_what_is_held_and_what_is_not() -> None:
    assert containment_sentence(WHOLE) == "contained (Landlock 7): files, connections, signals, sockets"
    assert containment_sentence(CONTAINER) == (
        "contained (Landlock 6): files, connections, signals; not contained: sockets "
        "(this user may use /run/docker.sock, and gets no mount namespace)"
    )
    assert "Linux 6.7" in containment_sentence(OLD)
    assert "signals (and abstract sockets" in containment_sentence(OLD)
    assert "bubblewrap leaves abstract ones open" in containment_sentence(WRAPPED)
    assert "reach everything" in containment_sentence(NONE)


@pytest.mark.parametrize(
    ("machine", "may_lack", "begins"),
    [
        (WHOLE, [], True),
        (CONTAINER, [], False),
        (CONTAINER, ["sockets"], True),
        (OLD, ["connections"], False),
        (OLD, ["connections", "signals"], True),
        (WRAPPED, ["connections"], False),
        (WRAPPED, ["connections", "sockets"], True),
        (NONE, ["connections", "signals", "sockets"], False),
    ],
)
def test_a_required_sandbox_has_every_part_that_was_not_left_to_the_machine(
    tmp_path: Path, machine: Machine, may_lack: list[str], begins: bool
) -> None:
    file = write_configuration(tmp_path, sandbox={"mode": "required", "may_lack": may_lack})
    configuration = read_configuration(file, environment={})
    if begins:
        assert sandbox_of(configuration, machine) is not None
        return
    with pytest.raises(ConfigurationError, match=r"sandbox.mode is required"):
        sandbox_of(configuration, machine)


@pytest.mark.parametrize(
    ("sandbox", "machine", "words"),
    [
        ({}, WHOLE, None),
        ({}, CONTAINER, "sandbox: sockets"),
        ({"may_lack": ["sockets"]}, CONTAINER, None),
        ({}, OLD, "sandbox: connections, signals"),
        ({}, WRAPPED, "sandbox: connections, sockets"),
        ({"mode": "never"}, WHOLE, "never"),
    ],
)
def test_people_are_told_of_what_they_did_not_leave_out_themselves(
    tmp_path: Path, sandbox: dict[str, object], machine: Machine, words: str | None
) -> None:
    configuration = read_configuration(write_configuration(tmp_path, sandbox=sandbox), environment={})
    sentence = uncontained(configuration, machine)
    if words is None:
        assert sentence is None
        return
    assert sentence is not None
    assert all(words in sentence.to(language) for language in Language)


def test_a_repository_opens_its_ports_to_who_works_there_and_none_of_the_services_own(tmp_path: Path) -> None:
    source, elsewhere = tmp_path / "app", tmp_path / "elsewhere"
    for directory in (source, elsewhere):
        directory.mkdir()
    file = write_configuration(
        tmp_path,
        web={"port": 5433},
        sandbox={"connect": [6379]},
        repositories={"app": {"source": str(source), "mode": "in_place", "connect": ["5432-5435"]}},
    )
    environment = {"MAMA_STORE__URL": "postgresql://mama@localhost:5434/mama"}
    sandbox = sandbox_of(read_configuration(file, environment=environment), WHOLE)
    assert sandbox is not None
    assert sandbox.network is not None

    def is_open(port: int, workspace: Path) -> bool:
        assert sandbox.network is not None
        return any(
            first <= port <= last for first, last in sandbox.network.connectable(workspace, ["https://model.invalid"])
        )

    assert [port for port in (443, 5431, 5432, 5433, 5434, 5435, 6379) if is_open(port, source)] == [
        443,
        5432,
        5435,
        6379,
    ]
    assert [port for port in (443, 5432, 5435, 6379) if is_open(port, elsewhere)] == [443, 6379]


@pytest.mark.parametrize(
    ("connect", "ports"),
    [([5432], ((5432, 5432),)), (["7000-7010", "22"], ((7000, 7010), (22, 22)))],
)
def test_ports_are_given_one_by_one_or_from_the_first_to_the_last(
    tmp_path: Path, connect: list[object], ports: tuple[tuple[int, int], ...]
) -> None:
    file = write_configuration(tmp_path, sandbox={"connect": connect})
    assert read_configuration(file, environment={}).settings.sandbox.connect == ports


@pytest.mark.parametrize("port", ["abc", "10-5", 0, 70000, "1-2-3", True, 1.5])
def test_what_is_no_port_is_refused_with_a_sentence(tmp_path: Path, port: object) -> None:
    file = write_configuration(tmp_path)
    written = {**yaml.safe_load(file.read_text(encoding="utf-8")), "sandbox": {"connect": [port]}}
    file.write_text(yaml.safe_dump(written), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"expected (a port|ports)"):
        read_configuration(file, environment={})
