"""A server that never takes some posts, whatever else it takes."""

from dataclasses import dataclass


@dataclass(slots=True)
class Pickiness:
    """Refuses posts that hold a `word` ("": none does), and where `files` is set those that bring one."""

    word: str = ""
    files: bool = False

    def refuses(self, text: str, *, with_file: bool = False) -> bool:
        """Return whether a post is one that is never taken."""
        return (bool(self.word) and self.word in text) or (self.files and with_file)
