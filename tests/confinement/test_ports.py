"""Which ports agents connect to: those of developers' tools and of tests, and never the service's own."""

import socket
from pathlib import Path

import pytest

from mama_bot.confinement.ports import given_by_kernel, listening_here, port_of, without
from mama_bot.confinement.sandbox import Network


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("https://api.anthropic.com", 443),
        ("http://127.0.0.1:8080/v1", 8080),
        ("proxy.example.org:3128", 3128),
        ("proxy.example.org", 80),
        ("postgresql+asyncpg://mama@db.example.org/mama", 5432),
        ("socks5h://[::1]:9050", 9050),
        ("http://a:notaport/", None),
        ("sqlite:///file", None),
    ],
)
def test_a_url_leads_to_a_port(url: str, port: int | None) -> None:
    assert port_of(url) == port


def test_ports_are_merged_and_those_left_out_are_in_none_of_them() -> None:
    assert without([(10, 20), (15, 30), (31, 40), (50, 50)], {10, 25, 26, 40, 50, 99}) == ((11, 24), (27, 39))
    assert without([(0, 2), (65535, 70000)], ()) == ((1, 2), (65535, 65535))


def test_the_ports_that_servers_of_tests_get_are_known(tmp_path: Path) -> None:
    (first, last), *_ = given_by_kernel()
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert first <= server.getsockname()[1] <= last
    assert given_by_kernel(tmp_path / "missing") == ((32768, 60999),)


def test_where_this_process_listens_is_known_and_where_others_do_is_not() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_server(("::1", 0), family=socket.AF_INET6) as six,
    ):
        ports = {server.getsockname()[1], six.getsockname()[1]}
        with socket.create_connection(server.getsockname()) as client:
            assert client.getsockname()[1] not in listening_here()
        assert ports <= listening_here()
    assert not ports & listening_here()


def test_the_services_own_ports_are_closed_but_for_its_model(tmp_path: Path) -> None:
    network = Network(open=lambda _: ((8000, 8003),), own=lambda: {8001, 8002})
    assert network.connectable(tmp_path, ["http://127.0.0.1:8002"]) == ((8000, 8000), (8002, 8003))
