// What the chain decided about a reply: one line, that opens to every attempt, stage and tool.
import { h, icon } from "/assets/dom.js";
import { duration, money } from "/assets/format.js";
import { toolLine, tokens } from "/assets/parts.js";
import { reportLine } from "/assets/report.js";
import { stageName, t } from "/assets/words.js";

const STAGES = ["response_validator", "review_gate", "scope_guard", "todo_tracker", "claim_check", "workspace_checks", "delegation_check"];

// `above` is the attempt whose report already stands above.
export function decision(post, turn, conversation, above) {
  const attempts = turn?.attempts.length ? turn.attempts : post.judgement ? [post.judgement] : [];
  if (!attempts.length && !turn?.tools.length) return null;
  return h("details", { class: "decision", "data-part": "decision" },
    h("summary", { "aria-label": t("decisions") + ": " + lineText(attempts, turn) },
      icon("chevron", 14), h("span", { class: "decision-line" }, line(attempts, turn))),
    h("div", { class: "decision-body" },
      h("ol", { class: "attempts" }, attempts.map((attempt) =>
        attemptNode(attempt, attempt.attempt === above ? null : reportLine(post.turn_id, attempt, conversation, attempt.attempt === post.judgement?.attempt)))),
      turn?.tools.length ? toolsNode(turn) : null,
      turn && turn.usage.output_tokens ? h("p", { class: "muted small" }, cost(turn)) : null));
}

function pieces(attempts, turn) {
  const back = attempts.filter((attempt) => attempt.outcome.kind === "sent_back");
  const parts = [];
  if (attempts.length > 1) parts.push([t("attempts", { n: attempts.length })]);
  if (back.length) parts.push([t("sentBack", { n: back.length, why: shorten(back.at(-1).outcome.reason, 90) }), "back"]);
  const tools = turn ? turn.tools.length + turn.tools_dropped : 0;
  if (tools) parts.push([t(tools === 1 ? "tool" : "tools", { n: tools })]);
  if (turn?.started_at && turn.ended_at) parts.push([duration(Date.parse(turn.ended_at) - Date.parse(turn.started_at))]);
  const dollars = turn ? money(turn.usage.cost_usd) : "";
  if (dollars) parts.push([dollars]);
  return parts.length ? parts : [[t("decisions")]];
}

const line = (attempts, turn) =>
  pieces(attempts, turn).map(([text, kind], at) => [at ? " · " : "", h("span", { class: kind ?? "" }, text)]);

const lineText = (attempts, turn) => pieces(attempts, turn).map(([text]) => text).join(", ");

const shorten = (text, limit) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);

const cost = (turn) => [tokens(turn.usage), money(turn.usage.cost_usd)].filter(Boolean).join(" · ");

function attemptNode(attempt, report) {
  const missing = attempt.stages.length ? STAGES.slice(0).filter((name) => notReached(name, attempt)) : [];
  return h("li", { class: `attempt ${attempt.outcome.kind}` },
    h("p", { class: "attempt-head" }, h("strong", {}, t("attempt", { n: attempt.attempt + 1 })), " ",
      h("span", { class: `outcome ${attempt.outcome.kind} ${attempt.outcome.verdict ?? ""}` }, outcomeName(attempt.outcome))),
    h("ul", { class: "stages" }, attempt.stages.map(stageNode),
      missing.map((name) => h("li", { class: "stage missing" }, h("span", { class: "mark none" }, "–"),
        h("span", { class: "stage-name" }, stageName(name)), h("span", { class: "stage-decision" }, t("notReached"))))),
    report);
}

// Stages after the one that stopped the draft; stages that are switched off are not named at all.
function notReached(name, attempt) {
  const last = STAGES.indexOf(attempt.stages.at(-1).stage);
  return attempt.outcome.kind !== "cleared" && last >= 0 && STAGES.indexOf(name) > last;
}

export function outcomeName(outcome) {
  if (outcome.kind === "sent_back") return t("isSentBack");
  if (outcome.kind === "withheld") return t("isWithheld");
  return t({ noted: "isNoted", needs_review: "isReview" }[outcome.verdict] ?? "isCleared");
}

const MARKS = { allow: ["check", "ok"], amend: ["warn", "noted"], ask: ["back", "back"], block: ["back", "back"] };

export function stageNode(stage) {
  const idle = stage.decision === "allow" && !stage.looked && !stage.failure;
  const [name, kind] = stage.failure ? ["warn", "noted"] : idle ? ["dash", "idle"] : MARKS[stage.decision];
  return h("li", { class: `stage ${stage.decision}` },
    h("span", { class: `mark ${kind}` }, icon(name, 14)),
    h("span", { class: "stage-name" }, stageName(stage.stage)),
    h("span", { class: "stage-decision" }, t(idle ? "nothingToCheck" : stage.decision), stage.observed ? ` (${t("observed")})` : ""),
    stage.reason ? h("p", { class: "stage-reason" }, stage.reason) : null,
    stage.failure ? h("p", { class: "stage-reason" }, t("stageFailed", { why: stage.failure })) : null,
    stage.decision !== "allow" && stage.findings.length
      ? h("ul", { class: "findings" }, stage.findings.map((finding) => h("li", {}, h("q", {}, finding.text))))
      : null);
}

function toolsNode(turn) {
  return h("section", { class: "tools" },
    h("h4", {}, t("toolsTitle")),
    turn.tools.map(toolNode),
    turn.tools_dropped ? h("p", { class: "muted small" }, t("dropped", { n: turn.tools_dropped })) : null);
}

function toolNode(tool) {
  return h("details", { class: "tool", "data-part": "tool-" + tool.id },
    h("summary", {}, toolLine(tool)),
    h("p", { class: "label" }, t("argument")), h("pre", { tabindex: "0" }, pretty(tool.arguments)),
    h("p", { class: "label" }, t("output")), h("pre", { tabindex: "0" }, tool.output || t("noOutput")));
}

function pretty(text) {
  try {
    const parsed = JSON.parse(text);
    if (parsed && typeof parsed === "object") {
      return Object.entries(parsed).map(([key, item]) => `${key}: ${typeof item === "string" ? item : JSON.stringify(item)}`).join("\n");
    }
  } catch {
    // Cut or not JSON: shown as it is.
  }
  return text;
}
