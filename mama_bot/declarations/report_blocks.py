"""The same declaration as a fenced block of a reply, for agents without tools."""

import json
from dataclasses import replace
from typing import Any

import yaml

from mama_bot.declarations.arguments import ReportArguments, ReviewArguments, declaration_of
from mama_bot.model import Declaration, Draft, Misdeclared
from mama_bot.text.markdown_lines import LineKind, MarkdownLine, markdown_lines

LANGUAGE = "report"
LONGEST_BLOCK = 20_000
NOT_READ = 'The block ```report has to hold JSON or YAML, for example {"outcomes": [{"kind": "tests", "passed": 45}]}.'


class _PlainLoader(yaml.BaseLoader):
    """Reads everything as text, and takes no alias: a few lines of them could grow without an end."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


def with_declaration(draft: Draft, *, subagent: str = "") -> Draft:
    """Return a draft with what its author declares: by the last block ```report of its text, else by a tool.

    The blocks are no part of the reply: people are not shown them. Where nothing else stands in it, the summary of the
    declaration does, or its outcomes as a list.
    """
    called = draft.record.declaration_of(subagent)
    blocks = _blocks(draft.text)
    if not blocks:
        return draft if called is None else replace(draft, declaration=called)
    lines = markdown_lines(draft.text)
    rest = "\n".join(line.text for line in lines if line.fence not in blocks).strip("\n")
    read = _read("\n".join(_inside(lines, max(blocks))))
    match read:
        case Misdeclared():
            return replace(draft, text=rest or draft.text, declaration=called, misdeclared=read.problem)
        case Declaration():
            return replace(draft, text=rest if rest.strip() else _listed(read), declaration=read)


def _blocks(text: str) -> frozenset[int]:
    """Return the numbers of the fenced blocks that declare."""
    if f"`{LANGUAGE}" not in text and f"~{LANGUAGE}" not in text and f" {LANGUAGE}" not in text:
        return frozenset()
    return frozenset(line.fence for line in markdown_lines(text) if line.fence and line.language == LANGUAGE)


def _inside(lines: tuple[MarkdownLine, ...], block: int) -> list[str]:
    return [line.text for line in lines if line.fence == block and line.kind is not LineKind.FENCE]


def _read(block: str) -> Declaration | Misdeclared:
    content = _content(block) if len(block) <= LONGEST_BLOCK else None
    if isinstance(content, list):
        content = {"outcomes": content}
    if not isinstance(content, dict):
        return Misdeclared(problem=NOT_READ)
    if "verdict" in content:
        return declaration_of(ReviewArguments, content)
    return declaration_of(ReportArguments, content)


def _content(block: str) -> Any:
    """Return what a block holds, every value of its lines as text; None for what is neither JSON nor YAML."""
    try:
        return json.loads(block)
    except (ValueError, RecursionError):
        pass
    try:
        return yaml.load(block, Loader=_PlainLoader)  # noqa: S506 - makes nothing but texts, lists and mappings
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _listed(declaration: Declaration) -> str:
    verdict = [f"Verdict: {declaration.verdict.value.upper()}"] if declaration.verdict else []
    lines = (*(outcome.words for outcome in declaration.outcomes), *declaration.findings)
    return "\n".join((*verdict, *filter(None, (declaration.summary,)), *(f"- {line}" for line in lines))) or "-"
