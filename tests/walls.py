"""What a command prints of what the walls keep it from: by rights, or by a file system that it may not write."""

WORDS = ("Permission denied", "Read-only file system")


def refusals(text: str) -> int:
    """How often a text says that something was refused: `touch: cannot touch 'x': Read-only file system` is one."""
    return sum(map(text.count, WORDS))
