"""What several personas of the demonstration answer alike: talk, the files that are there, one file."""

from dataclasses import replace

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.observations import file_text, files_listed, named_file
from mama_bot.demo.sentences import ABSENT, BEYOND, GREETING, LISTED, MENU, OWN_MENU, PERSONAS, SHOWN
from mama_bot.demo.wishes import Errand, Wish
from mama_bot.wording import Said

MOST_CHARACTERS = 4_000
SHOP = "shop/prices.py"


def say(errand: Errand, sentence: Said, **values: object) -> ModelReply:
    """Return a reply in the language of whoever asked; a menu names what the script can do in their repository."""
    menu = MENU if errand.in_shop else OWN_MENU
    return ModelReply(text=sentence.to(errand.language, menu=menu, **values))


def bash(command: str, description: str) -> ToolUse:
    """Return a call of the shell."""
    return ToolUse(name="Bash", arguments={"command": command, "description": description})


def read(path: str) -> ToolUse:
    """Return a call that reads a file."""
    return ToolUse(name="Read", arguments={"file_path": path})


def talk(request: ModelRequest, errand: Errand) -> ModelReply:
    """Return the answer to small talk, and to what the script has no part for: no tool is called."""
    name = PERSONAS.get(request.persona, request.persona or "agent")
    return say(errand, GREETING if errand.wish is Wish.GREETING else BEYOND, name=name)


def about_files(request: ModelRequest, errand: Errand) -> ModelReply:
    """Return the files that are there, or the file that is asked about as it is there."""
    results = request.tool_results
    listing = listing_call(request)
    if listing is None or "Read" not in request.tools:
        return talk(request, errand)
    if not results:
        return ModelReply(tool_calls=(listing,))
    files = files_listed(results[0])
    errand = replace(errand, in_shop=errand.in_shop and SHOP in files)
    if not errand.paths:
        return say(errand, LISTED, count=len(files), files=bullets(files))
    absent = absent_file(errand, files)
    if absent:
        return say(errand, ABSENT, path=absent, files=bullets(files))
    path = named_file(errand.paths[0], files)
    if len(results) == 1:
        return ModelReply(tool_calls=(read(path),))
    return say(errand, SHOWN, path=path, text=file_text(results[1])[:MOST_CHARACTERS].rstrip("\n"))


def listing_call(request: ModelRequest) -> ToolUse | None:
    """Return the call that lists all files; None for a persona that has no tool for it."""
    if "Bash" in request.tools:
        return bash("git ls-files --cached --others --exclude-standard", "List the files")
    return ToolUse(name="Glob", arguments={"pattern": "**/*"}) if "Glob" in request.tools else None


def absent_file(errand: Errand, files: tuple[str, ...]) -> str:
    """Return the first file that is asked about and is not there; "" when all are."""
    return next((path for path in errand.paths if not named_file(path, files)), "")


def bullets(files: tuple[str, ...]) -> str:
    """Return a list of files, one to a line."""
    return "\n".join(f"- `{name}`" for name in files)
