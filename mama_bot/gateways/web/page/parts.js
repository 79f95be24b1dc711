// Small parts that several views share.
import { h, icon } from "/assets/dom.js";
import { duration, number } from "/assets/format.js";
import { t } from "/assets/words.js";

export function avatar(persona, size = "") {
  const emoji = persona.avatar && [...persona.avatar].length <= 6 && /\p{Extended_Pictographic}/u.test(persona.avatar);
  return h("span", { class: `avatar ${size}`, hue: persona.hue, "aria-hidden": "true" },
    emoji ? persona.avatar : initials(persona.display_name));
}

function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 1);
  return letters.join("").toUpperCase();
}

const MAIN_ARGUMENTS = ["command", "file_path", "path", "pattern", "query", "url", "description", "prompt"];

export function mainArgument(tool) {
  let parsed;
  try {
    parsed = JSON.parse(tool.arguments);
  } catch {
    return tool.arguments;
  }
  if (parsed === null || typeof parsed !== "object") return String(parsed ?? "");
  const key = MAIN_ARGUMENTS.find((name) => typeof parsed[name] === "string") ?? Object.keys(parsed)[0];
  return key === undefined ? "" : typeof parsed[key] === "string" ? parsed[key] : JSON.stringify(parsed[key]);
}

const toolState = (tool) => (tool.ended_at === null ? "running" : tool.ok === false ? "failed" : "ok");

export function toolMark(tool) {
  const state = toolState(tool);
  if (state === "running") return h("span", { class: "spinner", "aria-label": t("running") });
  return h("span", { class: `mark ${state}` }, icon(state === "ok" ? "check" : "cross", 14));
}

export function toolLine(tool) {
  const took = tool.ended_at && duration(Date.parse(tool.ended_at) - Date.parse(tool.started_at));
  return [
    toolMark(tool),
    h("span", { class: "tool-name" }, tool.check ? t("serviceCheck", { name: tool.check }) : tool.tool),
    h("code", { class: "tool-argument" }, mainArgument(tool).split("\n")[0].slice(0, 300)),
    tool.exit_status !== null && tool.exit_status !== undefined
      ? h("span", { class: tool.exit_status === 0 ? "exit" : "exit failed" }, t("exit", { n: tool.exit_status }))
      : null,
    took ? h("span", { class: "took" }, took) : null,
  ];
}

export const tokens = (usage) =>
  t("tokens", { i: number(usage.input_tokens), o: number(usage.output_tokens) });

// Long text is shown in part, with a button for the rest.
export function clipped(node, characters, limit) {
  if (characters <= limit) return node;
  node.classList.add("clipped");
  const button = h("button", { class: "show-all", type: "button" }, t("showAll"));
  button.addEventListener("click", () => {
    const shown = node.classList.toggle("clipped");
    button.textContent = t(shown ? "showAll" : "showLess");
  });
  return [node, button];
}
