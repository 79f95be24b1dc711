"""Addresses that others chose stand in a link of ours: they lead where they show, and do not end it."""

import pytest

from mama_bot.forges.json_parts import address_in


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("https://ci.example.org/a/1?b=c&d=%20#e", "https://ci.example.org/a/1?b=c&d=%20#e"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://ci.example.org/빌드", "https://ci.example.org/%EB%B9%8C%EB%93%9C"),
        ("https://ok/)[click](https://other.example/", "https://ok/%29%5Bclick%5D%28https://other.example/"),
        ("https://ok/)<!channel>|x", "https://ok/%29%3C!channel%3E%7Cx"),
        ("https://ok)[click](https://other.example/", ""),
        ("https://ok)<!channel>", ""),
        ("https://github.com@other.example/", ""),
        ("https://[/", ""),
        ("javascript:alert(1)", ""),
        (7, ""),
    ],
)
def test_an_address_stays_within_its_link(told: object, address: str) -> None:
    assert address_in({"url": told}, "url") == address
