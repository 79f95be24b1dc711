// Who is at work just now: tool by tool, with the time that passed.
import { h, icon, reconcile } from "/assets/dom.js";
import { elapsed } from "/assets/format.js";
import { avatar, toolLine } from "/assets/parts.js";
import { askerName } from "/assets/timeline.js";
import { stageName, t } from "/assets/words.js";

const SHOWN_TOOLS = 6;

export function renderWorking(parent, conversation, store) {
  reconcile(parent, [...conversation.working.values()].map((work) => ({
    key: work.turn.id,
    sign: JSON.stringify([awaited(work, conversation), work.attempt, [...work.tools.values()].map((tool) => [tool.id, tool.ended_at]), work.judged.size, work.retried?.at]),
    build: () => card(work, awaited(work, conversation), store),
  })));
}

// Whom a persona waits for: those who work on what it handed on.
function awaited(work, conversation) {
  const asked = [...conversation.working.values()].filter((other) => other.turn.parent === work.turn.id);
  return [...new Set(asked.map((other) => other.turn.persona))];
}

function card(work, others, store) {
  const persona = store.persona(work.turn.persona);
  const tools = [...work.tools.values()];
  const hidden = tools.length - SHOWN_TOOLS;
  const back = [...work.judged.values()].filter((judgement) => judgement.outcome.kind === "sent_back");
  return h("article", { class: `work depth-${Math.min(2, work.turn.depth)}`, "data-persona": work.turn.persona, hue: persona.hue },
    avatar(persona, "busy"),
    h("div", { class: "work-body" },
      h("p", { class: "work-head" },
        h("strong", {}, t("working", { name: persona.display_name })),
        h("span", { class: "elapsed", "data-since": work.at }, elapsed(store.now() - Date.parse(work.at))),
        work.turn.audience === "agent" ? h("span", { class: "muted" }, t("askedBy", { name: askerName(work.turn, store) })) : null,
        others.length ? h("span", { class: "muted waits" }, t("waitsFor", { names: others.map((name) => store.persona(name).display_name).join(", ") })) : null,
        work.attempt > 0 ? h("span", { class: "muted" }, t("workingAttempt", { n: work.attempt + 1 })) : null),
      work.turn.task ? h("p", { class: "task-text" }, work.turn.task) : null,
      back.map((judgement) => h("p", { class: "work-back" }, icon("back", 15),
        h("span", {}, t("attemptSentBack", { n: judgement.attempt + 1, stage: stageName(judgement.outcome.stage) }), ": ",
          h("em", {}, judgement.outcome.reason)))),
      hidden > 0 ? h("p", { class: "muted small" }, t("moreTools", { n: hidden })) : null,
      h("ul", { class: "work-tools" }, tools.slice(-SHOWN_TOOLS).map((tool) => h("li", {}, toolLine(tool)))),
      work.retried ? h("p", { class: "work-back" }, t("modelRetried", { status: statusText(work.retried) })) : null,
      tools.every((tool) => tool.ended_at) ? h("p", { class: "thinking" }, h("i"), h("i"), h("i"), h("span", {}, t("thinking"))) : null));
}

const statusText = (step) => (step.status ? t("statusIs", { n: step.status }) : "");

export function tick(root, store) {
  for (const node of root.querySelectorAll("[data-since]")) {
    node.textContent = elapsed(store.now() - Date.parse(node.dataset.since));
  }
}
