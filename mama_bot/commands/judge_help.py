"""How `mama-bot judge --help` explains what goes in and what comes out."""

EXPLANATION = """\
A line may also hold "agent_to_agent", "agent", "role" (worker, reviewer), "delegation" (what was asked), "record"
(tool calls, each with "tool", "arguments", "output", "exit_status", "ok", "files", "at", "seconds", "background",
"cwd", "agent"), and "earlier": such records of the turns of the same conversation before this one, the first of them
first. Without "earlier" a line is a conversation of its own.

Where there is a record, "facts" says what it shows, without a word of the text:
  recorded, from_beginning   whether the calls are known: those of this turn, and those of all turns before
  calls, earlier_calls, dropped   how many there were: in this turn, before it, and beyond what is kept
  checks     kind (tests, build, types, lint, format, benchmark, diff), tool, command, end (passed, failed, masked:
             its status is lost, nothing: it ran nothing, open: it still runs), counts (passed, failed, errors, skipped,
             deselected, collected, as far as they are known), place (its directory; "" is the workspace), selected
             (what narrowed it), hook (git ran it), freshness (fresh, restyled: only comments or a formatter came after
             it, unknown, stale: code was written after it), edited (the file that made it stale), runner (what the
             exchange itself wrote of what ran), changed (files of code that it changed itself)
  files      path, fate (created, changed, deleted), fates (all of them), undone, and where they are known present,
             added, removed (lines)
  deeds      kind (commit, push, merge, publish, deploy), tool, command, end, target, dry (a rehearsal)
  looks      kind (file, commit, remote, service), subject, state
  opaque, background   calls that may have done anything, and those that still run
  figures    the numbers that outputs showed
  tree       commit, dirty, tree: how the work tree stands, or null
  rules      what of the repository's own rules for git the turn changed
Each check, file, deed and look also has call (its place: "run-0" in "record", "earlier-0-run-0" in "earlier"), agent,
own (false: another agent's) and age (in turns; 0 is this one).

"record_line" is the line of facts that a reply of this text carries ("": none).
"""
