// The metrics: what the chain did over a period, and how far that is from what was promised.
import { call } from "/assets/api.js";
import { byId, h } from "/assets/dom.js";
import { PLAYED } from "/assets/flattery.js";
import { dayName, duration, money, number } from "/assets/format.js";
import { errorSentence, known, language, stageName, t } from "/assets/words.js";

const PERIODS = [7, 30, 90, 365];
const place = () => byId("metrics");
let days = 30;
let shown = "";
let latest = null;
let asked = 0;
let ownSettings = null; // as it is, whenever the figures are drawn anew: it says what came of its button

export async function showMetrics(store) {
  const mine = (asked += 1);
  place().setAttribute("aria-busy", "true");
  try {
    latest = await call("GET", `/api/metrics?days=${days}`);
    if (mine === asked) draw(store);
  } catch (error) {
    if (mine === asked) place().replaceChildren(h("p", { class: "refusal", role: "alert" }, errorSentence(error)));
  } finally {
    if (mine === asked) place().removeAttribute("aria-busy");
  }
}

function draw(store) {
  const agents = latest.agents.map((agent) => agent.persona);
  if (!agents.includes(shown)) shown = "";
  const agent = latest.agents.find((one) => one.persona === shown) ?? latest.total;
  const again = (node) => {
    const focused = document.activeElement?.dataset?.choice;
    place().replaceChildren(...node);
    if (focused) place().querySelector(`[data-choice="${CSS.escape(focused)}"]`)?.focus();
  };
  again([
    h("div", { class: "metrics-choices" },
      choices(t("period"), PERIODS.map((n) => [String(n), t("days", { n })]), String(days), (chosen) => {
        days = Number(chosen);
        showMetrics(store);
      }),
      agents.length > 1 ? choices(t("whose"), [["", t("everyone")], ...agents.map((name) => [name, store.persona(name).display_name])], shown, (chosen) => {
        shown = chosen;
        draw(store);
      }) : null),
    agent.drafts || Object.keys(agent.turns).length ? null : h("p", { class: "metrics-empty" }, t("nothingYet")),
    goals(agent), counts(agent), objections(agent), played(PLAYED), sinceStart(latest.since_start), (ownSettings ??= settings()),
  ].filter(Boolean));
}

const choices = (label, options, chosen, onChoice) =>
  h("div", { class: "choices", role: "group", "aria-label": label }, options.map(([key, name]) =>
    h("button", { type: "button", "data-choice": `${label}-${key}`, "aria-pressed": String(key === chosen), onclick: () => onChoice(key) }, name)));

const section = (title, ...content) => h("section", {}, h("h3", {}, title), ...content);

// --- the promises ------------------------------------------------------------------------------------

function goals(agent) {
  return section(t("goals"), h("p", { class: "muted small" }, t("goalsExplained")),
    h("ul", { class: "goals" }, agent.goals.map(goalNode)));
}

function goalNode(measure) {
  return h("li", { class: "goal", "data-goal": measure.goal },
    h("div", { class: "goal-name" }, h("strong", {}, t(`goal_${measure.goal}`)), h("span", { class: "muted small" }, t("target", { n: figure(measure, measure.target) }))),
    valueNode(measure, measure.drafts, measure.posted ? t("inDrafts") : ""),
    measure.posted ? valueNode(measure, measure.posted, t("inPosted")) : null);
}

function valueNode(measure, share, label) {
  const missing = share.value === null;
  const state = missing ? "none" : share.value < measure.target ? "ok" : "above";
  return h("div", { class: `goal-value ${state}` },
    h("strong", {}, missing ? t("noData") : figure(measure, share.value)),
    h("span", { class: "muted small" }, [label, missing ? "" : t(measure.goal === "retries_per_delegation" ? "ofDelegations" : "of", { part: number(Math.round(share.part)), whole: number(Math.round(share.whole)) }),
      state === "above" ? t("aboveTarget") : ""].filter(Boolean).join(" · ")));
}

const figure = (measure, value) =>
  measure.goal === "retries_per_delegation" ? number(Math.round(value * 100) / 100) : t("percent", { n: number(Math.round(value * 1000) / 10) });

// --- what happened -----------------------------------------------------------------------------------

function counts(agent) {
  const spent = agent.retry_spending;
  const tokens = spent.tokens === null ? "" : [t("retryTokens", { n: number(spent.tokens) }), money(spent.cost_usd)].filter(Boolean).join(" · ");
  const unknown = spent.attempts_without_usage ? t("usageUnknown", { n: spent.attempts_without_usage }) : "";
  return section(t("happened"), h("dl", { class: "counts" },
    row(t("turnsEnded"), Object.entries(agent.turns).map(([state, n]) => t("countOf", { n: number(n), what: t(`turn_${state}`) })).join(" · ")),
    row(t("draftsJudged"), agent.drafts ? drafts(agent) : ""),
    agent.missed ? row(t("missedReported"), t("missedOf", { n: number(agent.missed) })) : null,
    row(t("retriesMade"), agent.drafts ? number(agent.retries) : "", [tokens, unknown].filter(Boolean).join(" · ")),
    row(t("tokensSpent"), agent.tokens ? number(agent.tokens) : "", agent.cost_usd ? money(agent.cost_usd) : ""),
    row(t("turnTime"), times(agent.seconds, (seconds) => duration(seconds * 1000))),
    row(t("chainTime"), times(agent.chain_milliseconds, fine))));
}

const row = (name, text, more = "") =>
  h("div", {}, h("dt", {}, name), h("dd", { class: text ? null : "muted" }, text || t("noData"), more ? h("span", { class: "muted small" }, more) : null));

const drafts = (agent) =>
  [[agent.passed, "passed"], [agent.noted, "noted"], [agent.needs_review, "needs_review"], [agent.sent_back, "isSentBack"], [agent.withheld, "isWithheld"]]
    .filter(([count]) => count).map(([count, word]) => t("countOf", { n: number(count), what: t(word).toLowerCase() })).join(" · ");

const times = ({ p50, p95 }, shown) => (p50 === null ? "" : t("percentiles", { p50: shown(p50), p95: shown(p95) }));

const fine = (milliseconds) =>
  milliseconds < 10 ? t("milliseconds", { n: number(Math.round(milliseconds * 100) / 100) }) : duration(milliseconds);

function objections(agent) {
  if (!agent.objections.length) return null;
  const most = Math.max(...agent.objections.map((one) => one.count));
  return section(t("objections"), h("ul", { class: "objections" }, agent.objections.map((one) =>
    h("li", { class: one.effect },
      h("span", { class: "objection-name" }, stageName(one.stage), " ", h("code", {}, one.rule)),
      h("span", { class: "muted small" }, effect(one)),
      h("span", { class: "objection-count" }, number(one.count)),
      bar(one.count / most)))));
}

const effect = (one) => {
  const name = known(`effect_${one.effect}`) ? t(`effect_${one.effect}`) : one.effect;
  return one.observed ? `${name} (${t("observed")})` : name;
};

// Not of this service: one loop of flattery, played with the checks off and on, and kept with the release.
function played({ on_day, off, on }) {
  const line = (word, said) => h("tr", {}, h("th", { scope: "row" }, t(word)), h("td", {}, said(off)), h("td", {}, said(on)));
  const spent = (some) => some === null ? t("never") : t("loopSpent", { messages: number(some.messages), turns: number(some.turns), tokens: number(some.sent + some.written) });
  const share = (value) => value === null ? t("noData") : t("percent", { n: number(Math.round(value * 100)) });
  return section(t("loop"), h("p", { class: "muted small" }, t("loopExplained", { day: dayName(on_day) })),
    h("div", { class: "table-frame" }, h("table", { class: "loop" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, t("checksOff")), h("th", { scope: "col" }, t("checksOn")))),
      h("tbody", {},
        line("loopDone", (way) => spent(way.called_done)),
        line("loopTestedBy", (way) => way.checked_by_then.join(", ") || t("nobody")),
        line("loopVerified", (way) => spent(way.verified)),
        line("loopSentBack", (way) => number(way.sent_back)),
        line("loopFlattery", (way) => share(way.flattery)),
        line("loopApprovals", (way) => share(way.empty_approvals))))));
}

// Counted in the process: gone with it, and of every persona whatever is chosen above.
function sinceStart(counters) {
  if (!counters.length) return null;
  return section(t("sinceStart"), h("dl", { class: "counts since-start" }, counters.map(({ name, labels, count }) =>
    row(h("code", {}, name), number(count), Object.values(labels).filter(Boolean).join(" · ")))));
}

// What is in the files now, taken up without a restart; a refused file is named, and the old settings stay.
function settings() {
  const answer = h("p", { class: "small", role: "status" });
  const button = h("button", { type: "button", class: "reload-settings", onclick: async () => {
    button.disabled = true;
    try {
      const { taken, text } = await call("POST", "/api/reload", {});
      answer.className = taken ? "small" : "refusal";
      answer.textContent = text[language] ?? text.en;
    } catch (error) {
      answer.className = "refusal";
      answer.textContent = errorSentence(error);
    }
    button.disabled = false;
  } }, t("readSettings"));
  return section(t("settings"), h("p", { class: "muted small" }, t("settingsExplained")), button, answer);
}

function bar(share) {
  const node = h("span", { class: "objection-bar", "aria-hidden": "true" });
  node.style.setProperty("--share", String(share));
  return node;
}
