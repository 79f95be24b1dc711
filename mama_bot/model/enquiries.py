"""How a workspace stands when a draft is judged: what the disk and git say, beside what the record shows."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Enquiry:
    """What is to be looked up: files that the record wrote, names of files that only the draft knows, commits of the
    record, and names of commits that only the draft knows; `unmoved` are the files that calls named without any effect.
    """

    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    unmoved: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look up."""
        return not (self.files or self.names or self.commits or self.hashes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is sure of what was looked up; what stands in no set is not known.

    `present` files and names are there by that very path; `absent` ones are nowhere in the workspace, nor in any
    commit. `lost` commits belong to no branch any more, `unpushed` ones to no branch of a remote, as last fetched;
    `unheard` are names of commits that the repository does not have, `committed` the unmoved files that the commit in
    which the work stands has.
    """

    present: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    unpushed: frozenset[str] = frozenset()
    unheard: frozenset[str] = frozenset()
    committed: frozenset[str] = frozenset()


NOTHING_KNOWN = Standing()
