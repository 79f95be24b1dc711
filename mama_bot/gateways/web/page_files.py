"""The files of the page, as they lie in the package."""

from collections.abc import Mapping
from importlib import resources

ICON = "/favicon.ico"
VIEWS = ("/metrics", "/judge")  # parts of the page, which are shown below "/#"

MEDIA_TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def read_page() -> Mapping[str, bytes]:
    """Return the page's files by name, as they lie in the package."""
    folder = resources.files("mama_bot.gateways.web") / "page"
    return {file.name: file.read_bytes() for file in folder.iterdir() if _suffix(file.name) in MEDIA_TYPES}


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


def media_type_of(name: str) -> str:
    """Return the media type of a file of the page by its ending: `text/css; charset=utf-8`."""
    return MEDIA_TYPES[_suffix(name)]
