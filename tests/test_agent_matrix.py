"""The matrix of `docs/agents.md`: a cell says what a test shows of that CLI, and names no more than that."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.agents.contract_stages import EXCEPTIONS

ROOT = Path(__file__).parent.parent
COLUMNS = ("Claude", "Gemini CLI", "OpenCode", "Codex", "`acp`")
SHOWN = "✓"
OTHERS = "tests/end_to_end/test_other_agents.py"
TEAM = "tests/end_to_end/test_other_agents_in_a_team.py"
FALLBACKS = "tests/end_to_end/test_fallbacks.py"
MIXED = "tests/end_to_end/test_mixed_teams.py"
GIVEN = "tests/end_to_end/test_other_agents_given.py"
ACP = "tests/agents/test_acp.py"
TOOLS = "tests/agents/test_acp_tools.py"
_ANSWERS = f"{OTHERS}::test_another_cli_answers_is_judged_held_by_rules_and_given_its_own_key_alone"
_STOPPED = f"{OTHERS}::test_another_cli_is_stopped_killed_and_goes_on_after_a_restart"
_ASKED = f"{TEAM}::test_a_call_that_a_rule_asks_about_waits_for_a_person_and_runs_or_not"
_DELEGATES = f"{TEAM}::test_it_delegates_to_another_one_of_its_kind_and_hears_what_came_of_it"
_PASSES_ON = f"{FALLBACKS}::test_claude_takes_over_from_another_cli_whose_login_is_refused"
_EXPIRED = (
    f"{FALLBACKS}::test_where_the_login_has_expired_another_cli_answers_the_same_message_"
    "and_the_first_one_when_it_is_well"
)
_REVIEWS = f"{MIXED}::test_one_cli_works_and_another_reviews_through_rejection_rework_and_approval"
_PANEL = f"{MIXED}::test_a_panel_of_several_clis_decides_and_one_that_is_not_there_abstains"
_CHAIN = f"{MIXED}::test_work_goes_down_through_every_cli_and_what_came_of_it_comes_back_up"
_SHOWN = (
    f"{GIVEN}::test_its_model_is_shown_an_image_byte_for_byte_and_the_tools_of_the_service_and_its_tokens_are_counted"
)
_OFFERED = f"{GIVEN}::test_it_looks_at_no_secrets_and_posts_and_reports_by_the_tools_of_the_service"
_LIE = "tests/end_to_end/test_story.py::test_a_lie_about_tests_that_fail_is_caught_and_corrected"
_RULES = "tests/end_to_end/test_rules.py"
_RECORD = "tests/end_to_end/test_record.py::test_a_failed_run_of_tests_is_in_the_store_with_its_figures_and_its_commit"
_APPROVED = "tests/end_to_end/test_approvals.py::test_an_approved_call_runs_and_each_further_answer_is_told_so"
_TOOL = (
    "tests/end_to_end/test_team_tools.py::"
    "test_the_outcome_comes_as_the_result_of_the_tool_in_the_same_turn_with_a_pool_of_one"
)
_KILLED = (
    "tests/end_to_end/test_kills.py::"
    "test_nothing_is_lost_doubled_or_out_of_order_when_the_service_is_killed_again_and_again"
)
_ACP_PERMITS = f"{ACP}::test_a_call_runs_where_rules_allow_it_and_the_reason_of_a_refusal_reaches_the_agent"
_FREEZES = f"{OTHERS}::test_another_cli_that_freezes_while_a_command_of_it_runs_is_not_taken_for_one_that_works"
_CLAUDE_FREEZES = (
    "tests/end_to_end/test_process_faults.py::"
    "test_a_process_that_freezes_while_a_command_of_it_runs_is_not_taken_for_one_that_works"
)
_REPOSITORY = (
    "tests/agents/test_gemini_repositories.py::test_servers_hooks_tools_and_variables_of_a_repository_are_left_alone"
)
_CONTRACT = "tests/agents/test_contract.py"
_TAKEN_UP = (
    "tests/end_to_end/test_cluster_takeover.py::"
    "test_where_a_worker_is_gone_for_good_its_agent_goes_on_elsewhere_and_remembers_what_it_did"
)


def of_three(test: str, claude: str, acp: str = "") -> Mapping[str, str]:
    """What one parametrised test shows of the three, and others of the rest."""
    return {"Claude": claude, "Gemini CLI": test, "OpenCode": test, "Codex": test} | ({"`acp`": acp} if acp else {})


# Which test shows a cell with a mark, row by row.
TESTS: Mapping[str, Mapping[str, str]] = {
    "answers, and a rejection goes on in the same session": of_three(
        _ANSWERS, _LIE, f"{_CONTRACT}::test_what_it_is_told_as_it_is_about_to_stop_goes_on_in_the_same_turn"
    ),
    "rules decide before a command": of_three(
        _ANSWERS, f"{_RULES}::test_a_message_leads_to_a_call_that_a_rule_blocks_with_its_reason"
    ),
    "rules decide before a file is read": {
        "Claude": f"{_RULES}::test_a_file_with_secrets_is_not_read",
        "OpenCode": _OFFERED,
        "Codex": _OFFERED,
    },
    "a rule asks a person": of_three(_ASKED, _APPROVED, f"{ACP}::test_a_person_decides_where_a_rule_asks"),
    "a rule has a call run changed": {
        "Claude": f"{_RULES}::test_a_rule_of_ones_own_changes_warns_asks_and_fails_as_it_says"
    },
    "delegates, and hears what came of it": of_three(_DELEGATES, _TOOL),
    "delegates to another CLI, and works for one": of_three(_CHAIN, _CHAIN),
    "works under review, or reviews, with another CLI": of_three(_REVIEWS, _PANEL),
    "is a fallback's first choice, or takes over": {
        "Claude": _EXPIRED,
        "Gemini CLI": _PASSES_ON,
        "OpenCode": _EXPIRED,
        "Codex": _PASSES_ON,
    },
    "stopped, and asked again": of_three(
        _STOPPED,
        f"{_CONTRACT}::test_an_interrupted_turn_raises_and_leaves_the_session_usable",
        f"{_CONTRACT}::test_an_interrupted_turn_raises_and_leaves_the_session_usable",
    ),
    "killed, and asked again": of_three(
        _STOPPED,
        _KILLED,
        f"{ACP}::test_an_agent_that_dies_is_told_with_its_last_words_and_resumed_under_the_same_id",
    ),
    "another machine takes its session up ([nodes](deploy.md#several-nodes))": {"Claude": _TAKEN_UP},
    "its session goes on after a restart": {
        "Claude": f"{_CONTRACT}::test_a_resumed_session_answers_under_its_old_id",
        "OpenCode": _STOPPED,
        "Codex": _STOPPED,
    },
    "keeps the contract of backends": dict.fromkeys(
        COLUMNS, f"{_CONTRACT}::test_an_interrupted_turn_raises_and_leaves_the_session_usable"
    ),
    "known to be frozen while its command runs": of_three(_FREEZES, _CLAUDE_FREEZES),
    "runs nothing that a repository brings for it": {"Gemini CLI": _REPOSITORY},
    "commands in the record": of_three(_ANSWERS, _RECORD),
    "exit status of a command": {"Claude": _RECORD, "OpenCode": _ANSWERS, "Codex": _ANSWERS},
    "output of a command": {"Claude": _RECORD, "OpenCode": _ANSWERS, "Codex": _ANSWERS},
    "files that it edits": of_three(
        _STOPPED,
        "tests/end_to_end/test_record.py::test_an_edit_after_the_run_is_in_order_and_leaves_the_tree_dirty",
    ),
    "tokens": of_three(_SHOWN, f"{_CONTRACT}::test_an_answer_is_the_last_event_and_bears_the_session"),
    "cost": {"Claude": "tests/agents/test_claude.py::test_each_turn_costs_only_its_own"},
    "images": of_three(
        _SHOWN,
        "tests/end_to_end/test_files.py::test_an_image_is_shown_to_the_agent_byte_for_byte",
        f"{ACP}::test_an_image_is_shown_to_an_agent_that_takes_images_and_is_a_file_for_any_other",
    ),
    "MCP servers of the settings": {
        "Claude": (
            "tests/end_to_end/test_offered_tools.py::"
            "test_a_server_of_the_settings_is_offered_behind_the_walls_of_commands"
        )
    },
    "tools of the service": {
        "Claude": _TOOL,
        "OpenCode": _OFFERED,
        "Codex": _OFFERED,
        "`acp`": f"{TOOLS}::test_a_call_reaches_the_turn_that_runs_and_no_other",
    },
}


def written_cells() -> Iterator[tuple[str, str, str]]:
    """Row, column and words of each cell."""
    lines = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8").splitlines()
    start = lines.index(f"| | {' | '.join(COLUMNS)} |")
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            return
        row, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        assert len(cells) == len(COLUMNS), line
        yield from ((row, column, words) for column, words in zip(COLUMNS, cells, strict=True))


def test_each_mark_names_a_test_that_shows_it_and_each_shown_cell_has_its_mark() -> None:
    marked = {(row, column) for row, column, words in written_cells() if words.startswith(SHOWN)}
    shown = {(row, column) for row, tests in TESTS.items() for column in tests}
    assert marked == shown


@pytest.mark.parametrize(("cli", "test"), sorted(EXCEPTIONS))
def test_what_a_cli_cannot_keep_of_the_contract_stands_in_its_cell_with_the_reason(cli: str, test: str) -> None:
    cells = {column.split()[0].lower(): words for row, column, words in written_cells() if row.startswith("keeps the")}
    assert EXCEPTIONS[(cli, test)] in cells[cli]
    assert f"async def {test}(" in (ROOT / _CONTRACT).read_text(encoding="utf-8")


@pytest.mark.parametrize("test", sorted({test for tests in TESTS.values() for test in tests.values()}))
def test_what_shows_a_cell_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert name in names


@pytest.mark.parametrize(
    ("test", "columns"),
    sorted(
        (test, tuple(sorted(column for tests in TESTS.values() for column, shows in tests.items() if shows == test)))
        for test in {test for tests in TESTS.values() for test in tests.values() if "end_to_end/test_other" in test}
    ),
)
def test_a_test_of_several_clis_has_each_one_that_it_is_named_for(test: str, columns: tuple[str, ...]) -> None:
    file, _, name = test.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    before = text.partition(f"async def {name}")[0].splitlines()[-1]
    decorated = text if before == "@each_cli" else before
    for column in set(columns):
        constant = column.split()[0].upper()
        assert re.search(rf"\b{constant}\b", decorated + name.upper().replace("_", " ")), (test, column)
