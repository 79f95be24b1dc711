// The drafts that were caught: one click shows the words of one, with what was objected to marked. They are fetched only
// then, and stand nowhere else.
import { call } from "/assets/api.js";
import { h, icon } from "/assets/dom.js";
import { hasKorean } from "/assets/format.js";
import { errorSentence, stageName, t } from "/assets/words.js";

export function caughtDrafts(turn, conversation) {
  const caught = (turn?.attempts ?? []).filter((attempt) => attempt.outcome.kind !== "cleared");
  return caught.length ? h("div", { class: "caught" }, caught.map((attempt) => caughtDraft(attempt, turn, conversation))) : null;
}

function caughtDraft(attempt, turn, conversation) {
  const place = h("div", { class: "caught-draft" });
  const part = h("details", { class: "caught-attempt", "data-part": "draft-" + attempt.attempt },
    h("summary", {}, icon("back", 14), h("span", {}, t("caught", { n: attempt.attempt + 1, stage: stageName(attempt.outcome.stage) }))),
    h("p", { class: "caught-reason" }, attempt.outcome.reason), place);
  part.addEventListener("toggle", () => part.open && !place.firstChild && show(place, attempt, turn, conversation));
  return part;
}

async function show(place, attempt, turn, conversation) {
  const path = `/api/conversations/${encodeURIComponent(conversation.id)}/turns/${encodeURIComponent(turn.id)}/attempts/${attempt.attempt}`;
  try {
    const draft = await call("GET", path);
    place.replaceChildren(h("blockquote", { lang: hasKorean(draft.text) ? "ko" : null }, marked(draft)),
      h("p", { class: "muted small" }, t("caughtOnlyHere")));
  } catch (error) {
    place.replaceChildren(h("p", { class: "refusal" }, errorSentence(error)));
  }
}

// Spans are counted in characters of Unicode, which a JavaScript string is not.
export function marked({ text, objected }) {
  const characters = [...text];
  const pieces = [];
  let at = 0;
  for (const { start, end } of [...objected].sort((one, other) => one.start - other.start)) {
    const from = Math.max(at, start);
    if (end <= from) continue;
    pieces.push(characters.slice(at, from).join(""), h("mark", {}, characters.slice(from, end).join("")));
    at = end;
  }
  return [...pieces, characters.slice(at).join("")];
}
