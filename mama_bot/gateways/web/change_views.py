"""What was changed in a work tree, as JSON."""

from mama_bot.gateways.chat.command_forms import CHANGING, buttons_under
from mama_bot.model import Post, TreeDiff

Json = dict[str, object]


def changing_view(post: Post) -> Json:
    """Return what a post tells of a change, and what can be done with that."""
    deeds = [button.name.value for button in buttons_under(post) if button.name in CHANGING]
    return {"change": post.change or "", "deeds": deeds}


def diff_view(diff: TreeDiff) -> Json:
    """Return the files that differ, with their lines as a unified diff."""
    return {
        "total": diff.total,
        "added": diff.added,
        "removed": diff.removed,
        "files": [
            {
                "path": file.path,
                "added": file.added,
                "removed": file.removed,
                "patch": file.patch,
                "unshown": file.unshown.value if file.unshown is not None else "",
            }
            for file in diff.files
        ],
    }
