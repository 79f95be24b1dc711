// A box that judges a text of one's own: what each check says of it, and what its record shows. Nothing of it is kept.
import { call } from "/assets/api.js";
import { outcomeName, stageNode } from "/assets/decision.js";
import { byId, h } from "/assets/dom.js";
import { inline } from "/assets/markdown.js";
import { claimNode } from "/assets/receipt.js";
import { errorSentence, language, t } from "/assets/words.js";

const EXAMPLE_RECORD = [{
  tool: "Bash",
  arguments: { command: "python3 -m unittest" },
  exit_status: 1,
  output: "FAIL: test_label\nFAIL: test_total\n\nRan 8 tests in 0.001s\n\nFAILED (failures=2)",
}];

export function showJudge() {
  if (!byId("judge").firstChild) build();
  byId("judge-text").focus();
}

function build() {
  const text = h("textarea", { id: "judge-text", rows: "6", "aria-label": t("judgeText"), placeholder: t("judgeText") });
  const record = h("textarea", { id: "judge-record", rows: "6", spellcheck: "false", "aria-label": t("judgeRecord"), placeholder: '[{"tool": "Bash", "arguments": {"command": "pytest"}, "output": "45 passed in 3.10s"}]' });
  const given = h("details", { class: "judge-record" }, h("summary", {}, t("judgeRecord")), record);
  const toAgent = box("judge-to-agent", "judgeToAgent", true);
  const reviews = box("judge-reviews", "judgeReviews", false);
  const answer = h("div", { id: "judge-answer", role: "status" });
  const button = h("button", { class: "judge-send", type: "submit" }, t("judgeSend"));
  const example = h("button", { class: "judge-example", type: "button", onclick: () => {
    text.value = t("judgeExample");
    record.value = JSON.stringify(EXAMPLE_RECORD, null, 2);
    given.open = true;
  } }, t("judgeExampleName"));
  const form = h("form", { class: "judge-form", autocomplete: "off" }, h("p", { class: "muted" }, t("judgeExplained")), text, given,
    h("p", { class: "judge-choices" }, toAgent.label, reviews.label), h("p", { class: "judge-buttons" }, button, example));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    answer.setAttribute("aria-busy", "true");
    try {
      const asked = { text: text.value, record: record.value, to_agent: toAgent.input.checked, reviews: reviews.input.checked, language };
      answer.replaceChildren(...judged(await call("POST", "/api/judge", asked), record.value.trim() !== ""));
    } catch (error) {
      answer.replaceChildren(h("p", { class: "refusal", role: "alert" }, inline(error.code === "bad_record" ? error.message : errorSentence(error))));
    } finally {
      button.disabled = false;
      answer.removeAttribute("aria-busy");
    }
  });
  byId("judge").append(form, answer);
}

function box(id, word, checked) {
  const input = h("input", { id, type: "checkbox", checked });
  return { input, label: h("label", { for: id }, input, " ", t(word)) };
}

function judged({ outcome, stages, claims, line, facts }, recorded) {
  return [
    h("p", { class: "judge-outcome" }, h("span", { class: `outcome ${outcome.kind} ${outcome.verdict ?? ""}` }, outcomeName(outcome)),
      outcome.reason ? h("span", {}, " ", outcome.reason) : null),
    (outcome.banners ?? []).map((banner) => h("p", { class: "muted" }, banner)),
    line ? h("p", { class: "record-line" }, line) : null,
    h("ul", { class: "stages" }, stages.map(stageNode)),
    claims.length ? [h("h4", {}, t("judgeClaims")), h("ul", { class: "claims" }, claims.map((claim) => claimNode(claim, () => "")))] : null,
    recorded ? null : h("p", { class: "muted small" }, t("judgeNoRecord")),
    facts ? h("details", { class: "judge-facts" }, h("summary", {}, t("judgeFacts")), h("pre", { tabindex: "0" }, JSON.stringify(facts, null, 2))) : null,
  ].flat(Infinity).filter(Boolean);
}
