"""What does a program surely print, as far as its own words tell?"""

from mama_bot.rules.commands.read_programs import Program


def printed_text(made: Program) -> str | None:
    """Return what `echo` or `printf` surely prints; None of any other program, and where escapes write it."""
    if made.program == "echo":
        at = 1
        while at < len(made.words) and made.words[at] in {"-n", "-e", "-ne", "-en", "-E"}:
            at += 1
        return " ".join(made.words[at:])
    if made.program == "printf" and len(made.words) > 1:
        form, *values = made.words[1:]
        form = form.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", " ")
        if "\\" in form:
            return None
        for value in values:
            form = form.replace("%s", value, 1) if "%s" in form else f"{form} {value}"
        return form
    return None
