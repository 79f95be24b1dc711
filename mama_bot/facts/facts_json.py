"""Facts as a value that JSON can hold: what `mama-bot judge` prints and the page shows."""

from mama_bot.model import CheckFact, Counts, DeedFact, Facts, FileFact, LookFact, Witness


def facts_as_json(facts: Facts) -> dict[str, object]:
    """Return facts as a value that JSON can hold."""
    return {
        "recorded": facts.recorded,
        "from_beginning": facts.from_beginning,
        "calls": facts.calls,
        "earlier_calls": facts.earlier_calls,
        "dropped": facts.dropped,
        "checks": [_check(check) for check in facts.checks],
        "files": [_file(file) for file in facts.files],
        "deeds": [_deed(deed) for deed in facts.deeds],
        "looks": [_look(look) for look in facts.looks],
        "opaque": facts.opaque,
        "background": facts.background,
        "figures": sorted(facts.figures),
        "tree": None
        if facts.tree is None
        else {"commit": facts.tree.commit, "dirty": facts.tree.dirty, "tree": facts.tree.tree},
        "rules": facts.rules,
        "ci": None if facts.ci is None else {"commit": facts.ci.commit, "whole": facts.ci.whole.value},
    }


def _check(check: CheckFact) -> dict[str, object]:
    return {
        "kind": check.kind.value,
        "tool": check.tool,
        "command": check.command,
        "end": check.end.value,
        "counts": _counts(check.counts),
        "place": check.place,
        "selected": check.selected,
        "hook": check.hook,
        "freshness": check.freshness.value,
        "edited": check.edited,
        "runner": check.runner,
        "changed": check.changed,
        **_witness(check.witness),
    }


def _counts(counts: Counts) -> dict[str, int]:
    figures = {
        "passed": counts.passed,
        "failed": counts.failed,
        "errors": counts.errors,
        "skipped": counts.skipped,
        "deselected": counts.deselected,
        "collected": counts.collected,
    }
    return {name: figure for name, figure in figures.items() if figure is not None}


def _file(file: FileFact) -> dict[str, object]:
    told = {"present": file.present, "added": file.added, "removed": file.removed}
    return {
        "path": file.path,
        "fate": file.fate.value,
        "fates": sorted(fate.value for fate in file.fates),
        "undone": file.undone,
        **{name: value for name, value in told.items() if value is not None},
        **_witness(file.witness),
    }


def _deed(deed: DeedFact) -> dict[str, object]:
    return {
        "kind": deed.kind.value,
        "tool": deed.tool,
        "command": deed.command,
        "end": deed.end.value,
        "target": deed.target,
        "dry": deed.dry,
        **_witness(deed.witness),
    }


def _look(look: LookFact) -> dict[str, object]:
    return {"kind": look.kind.value, "subject": look.subject, "state": look.state, **_witness(look.witness)}


def _witness(witness: Witness) -> dict[str, object]:
    return {"call": witness.call_id, "agent": witness.agent, "own": witness.own, "age": witness.age}
