// The receipt of a reply: what it claims, what the record says of it, and the calls that say so.
import { h, icon } from "/assets/dom.js";
import { duration, timeOfDay } from "/assets/format.js";
import { inline } from "/assets/markdown.js";
import { language, t } from "/assets/words.js";

const MARKS = { confirmed: ["check", "ok"], unsupported: ["warn", "noted"], contradicted: ["cross", "failed"] };

export function receiptNode(receipt) {
  const anchor = (id) => `receipt-${receipt.number}-${id}`;
  return h("details", { class: "receipt", "data-part": "receipt" },
    h("summary", {}, icon("receipt", 14), h("span", {}, t("receipt", { n: receipt.number }), ":"),
      h("span", { class: "receipt-line" }, line(receipt))),
    h("div", { class: "receipt-body" },
      receipt.workflow ? h("p", { class: "small", "data-part": "workflow" }, workflowLine(receipt.workflow)) : null,
      receipt.fallback ? h("p", { class: "small", "data-part": "fallback" }, t("byFallback", { name: receipt.fallback })) : null,
      receipt.recorded ? null : h("p", { class: "muted small" }, t("notRecorded")),
      receipt.claims.length ? h("ul", { class: "claims" }, receipt.claims.map((claim) => claimNode(claim, anchor))) : null,
      receipt.claims_dropped ? h("p", { class: "muted small" }, t("claimsDropped", { n: receipt.claims_dropped })) : null,
      receipt.checks.length ? [h("h4", {}, t("hostChecks")), receipt.checks.map(checkNode)] : null,
      receipt.runs.length ? [h("h4", {}, t("receiptRuns")), receipt.runs.map((run) => runNode(run, anchor))] : null));
}

const workflowLine = (workflow) => t("workflowStood", {
  name: workflow.name,
  steps: workflow.steps.map((step) => `${step.shown ? "✓" : "○"} ${step[language] ?? step.en}`).join(", "),
});

function line(receipt) {
  const states = ["confirmed", "unsupported", "contradicted"];
  const counted = states.map((state) => [state, receipt.claims.filter((claim) => claim.state === state).length]);
  const parts = counted.filter(([, n]) => n).map(([state, n]) => h("span", { class: `count ${state}` }, t("state_" + state, { n })));
  const passed = receipt.checks.filter((check) => check.ok).length;
  if (receipt.checks.length) parts.push(h("span", {}, t("checksPassed", { n: passed, of: receipt.checks.length })));
  if (receipt.badge?.kind === "nothing_run") parts.push(h("span", { class: "count unsupported" }, t("badge_nothing_run")));
  if (!parts.length) parts.push(h("span", {}, t(receipt.runs.length === 1 ? "oneRun" : "runsKept", { n: receipt.runs.length })));
  return parts.flatMap((part, at) => (at ? [" · ", part] : [part]));
}

export function claimNode(claim, anchor) {
  const [name, kind] = MARKS[claim.state];
  return h("li", { class: `claim ${claim.state}` },
    h("span", { class: `mark ${kind}`, title: t("is_" + claim.state) }, icon(name, 14)),
    h("span", { class: "visually-hidden" }, t("is_" + claim.state) + ": "),
    h("span", {}, claim.declared ? h("span", { class: "muted small" }, t("declared") + " ") : null,
      h("q", {}, inline(claim.text.replace(/\s+/g, " "))),
      claim.ran ? [" ", h("code", {}, claim.ran)] : null,
      claim.grade ? h("span", { class: "muted small" }, " · " + t("grade_" + claim.grade)) : null),
    claim.run_id ? h("button", { class: "claim-run", type: "button", onclick: () => show(anchor(claim.run_id)) }, t("showRun")) : null,
    said(claim) ? h("p", { class: "claim-says" }, said(claim)) : null);
}

const said = (claim) => claim.says[language] ?? claim.says.en;

function show(id) {
  const node = document.getElementById(id);
  if (!node) return;
  node.open = true;
  node.scrollIntoView({ block: "nearest" });
  node.querySelector("summary").focus();
}

const shortHash = (hash) => hash.slice(0, 12);

function figures(counts) {
  const named = ["passed", "failed", "errors", "skipped", "deselected"];
  return counts
    .map((one) => named.filter((name) => one[name] !== null).map((name) => t("figure_" + name, { n: one[name] })).join(", "))
    .filter(Boolean).join("; ");
}

function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value).map(([word, value]) =>
    h("div", {}, h("dt", {}, t(word)), h("dd", {}, value))));
}

function callNode({ id, part, ok, command, exit, took, about, output }) {
  const [name, kind] = ok === null ? ["warn", "noted"] : ok ? ["check", "ok"] : ["cross", "failed"];
  return h("details", { class: "tool", id, "data-part": part },
    h("summary", {}, h("span", { class: `mark ${kind}` }, icon(name, 14)),
      h("code", { class: "tool-argument" }, command.split("\n")[0].slice(0, 300)),
      exit === null ? null : h("span", { class: exit === 0 ? "exit" : "exit failed" }, t("exit", { n: exit })),
      took ? h("span", { class: "took" }, took) : null),
    command.includes("\n") ? h("pre", { tabindex: "0" }, command) : null,
    about,
    h("p", { class: "label" }, t("output")), h("pre", { tabindex: "0" }, output || t("noOutput")));
}

function runNode(run, anchor) {
  const commit = run.commit ? `${shortHash(run.commit)}${run.dirty ? " " + t("dirty") : ""}` : "";
  return callNode({
    id: anchor(run.id), part: "receipt-run-" + run.id, command: run.command, exit: run.exit_status,
    ok: run.ended_at === null ? null : run.exit_status === null || run.exit_status === 0,
    took: run.ended_at && duration(Date.parse(run.ended_at) - Date.parse(run.started_at)),
    about: facts([["agentIs", run.agent], ["ranAt", timeOfDay(run.started_at)], ["figures", figures(run.counts)],
      ["commit", commit], ["tree", run.tree && shortHash(run.tree)], ["hash", run.output_sha256 && shortHash(run.output_sha256)]]),
    output: run.output,
  });
}

function checkNode(check) {
  return callNode({
    id: null, part: "check-" + check.name, command: `${check.name}: ${check.command}`, exit: check.exit_status, ok: check.ok,
    took: duration(check.seconds * 1000),
    about: facts([["checkSays", check.reason], ["tree", check.tree && shortHash(check.tree) + (check.cached ? " " + t("cached") : "")],
      ["hash", check.output_sha256 && shortHash(check.output_sha256)]]),
    output: check.output,
  });
}
