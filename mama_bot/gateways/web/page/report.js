// Saying that a verdict was wrong: a line that opens to a note, and what became of it.
import { call } from "/assets/api.js";
import { h, icon } from "/assets/dom.js";
import { inline } from "/assets/markdown.js";
import { errorSentence, t } from "/assets/words.js";

const MAX_NOTE = 1_000;
// What is being typed survives the entry being built anew.
const notes = new Map();

export function reportOf(conversation, turnId, attempt) {
  return conversation?.reports.get(`${turnId}/${attempt}`);
}

// Nothing for a draft that no stage objected to, unless it was posted: it may be wrong and have passed.
export function reportLine(turnId, judged, conversation, posted = false) {
  if (!conversation || !judged || !(judged.objected || posted)) return null;
  const held = reportOf(conversation, turnId, judged.attempt);
  if (held) return h("p", { class: "reported" }, icon("flag", 14), h("span", {}, t(`report_${held.state}`, { n: held.number })));
  return form(turnId, judged.attempt, conversation, judged.objected ? "" : "Missed");
}

function form(turnId, attempt, conversation, kind) {
  const key = `${turnId}/${attempt}`;
  const box = h("textarea", { rows: "2", maxlength: String(MAX_NOTE), placeholder: t("reportNote"), "aria-label": t("reportNote") });
  box.value = notes.get(key) ?? "";
  box.addEventListener("input", () => notes.set(key, box.value));
  const refusal = h("p", { class: "refusal", role: "alert", hidden: true });
  const send = h("button", { class: "report-send", type: "button" }, t("reportSend"));
  send.addEventListener("click", async () => {
    send.disabled = true;
    try {
      const made = await call("POST", `/api/conversations/${encodeURIComponent(conversation.id)}/reports`, { turn_id: turnId, attempt, note: box.value });
      notes.delete(key);
      conversation.takeReport({ ...made, turn_id: turnId, attempt });
      dispatchEvent(new CustomEvent("mama-reported"));
    } catch (error) {
      refusal.replaceChildren(...inline(errorSentence(error)));
      refusal.hidden = false;
      send.disabled = false;
    }
  });
  return h("details", { class: "report", "data-part": `report-${key}` },
    h("summary", {}, icon("flag", 14), h("span", {}, t("report" + kind))),
    h("div", { class: "report-form" }, h("p", { class: "muted" }, t("reportExplained" + kind)), box, refusal, send));
}
