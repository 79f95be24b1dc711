"""Lines of the answers to commands: who decides, what a message says, what a persona used."""

from mama_bot.intake import sentences as says
from mama_bot.intake.workflow_sentences import ALL_SHOWN, AT_STEP, WORKFLOW_STOOD
from mama_bot.model import AgentMeasures, Command, Exchange, StepStanding, WorkflowStanding
from mama_bot.wording import Language, one_line, plain_name

NAME_CHARACTERS = 40
SHOWN_CHARACTERS = 60


def person_of(command: Command) -> str:
    """Return who decides: their name, which they chose, and their id on the platform, which they did not."""
    name, identity = command.author.name[:NAME_CHARACTERS], command.author.id
    return name if identity == command.key.platform else f"{name}, {command.key.platform} {identity}"


def words_of(exchange: Exchange) -> str:
    """Return how a message begins, as it is quoted to whoever stopped it."""
    return f"“{plain_name(one_line(exchange.message.text_with_files, SHOWN_CHARACTERS))}”"


def usage_row(name: str, agent: AgentMeasures, language: Language) -> str:
    """Return the row of a persona in the table of what was used."""
    replies = agent.passed + agent.noted + agent.needs_review
    known = agent.tokens > 0 or agent.cost_usd > 0
    tokens = f"{agent.tokens:,}" if known else says.UNKNOWN_COST.to(language)
    cost = _dollars(agent.cost_usd) if agent.cost_usd > 0 else says.UNKNOWN_COST.to(language)
    return f"| {name} | {replies} | {agent.sent_back} | {tokens} | {cost} |"


def step_at_hand(standing: WorkflowStanding, language: Language) -> str:
    """Return at which step of its workflow somebody is."""
    step = standing.at
    if step is None:
        return ALL_SHOWN.to(language, name=standing.name)
    number = standing.steps.index(step) + 1
    title = _title(step, language)
    return AT_STEP.to(language, number=number, all=len(standing.steps), step=title, name=standing.name)


def workflow_stood(standing: WorkflowStanding, language: Language) -> str:
    """Return how far work was by its workflow when its reply was made."""
    steps = ", ".join(f"{'✓' if step.shown else '○'} {_title(step, language)}" for step in standing.steps)
    return WORKFLOW_STOOD.to(language, name=standing.name, steps=steps)


def _title(step: StepStanding, language: Language) -> str:
    return step.ko if language == Language.KOREAN else step.en


def _dollars(cost: float) -> str:
    if not cost:  # a scripted model: nobody pays for it
        return "–"
    return f"${cost:.2f}" if cost >= 0.01 else "< $0.01"
