"""How far work is by the workflow that it is held to."""

from dataclasses import dataclass

NO_WORKFLOW = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStanding:
    """A step of a workflow, with what people call it in English and Korean; `shown` says that the record shows it."""

    name: str
    en: str
    ko: str
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStanding:
    """A workflow by its name, and its steps in their order."""

    name: str
    steps: tuple[StepStanding, ...]

    @property
    def at(self) -> StepStanding | None:
        """The first step that nothing shows yet; None where all are shown."""
        return next((step for step in self.steps if not step.shown), None)
