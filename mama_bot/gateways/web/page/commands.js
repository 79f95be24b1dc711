// Commands: "/" and a name, answered by the service itself; the answer is shown, and kept nowhere.
import { h, icon } from "/assets/dom.js";
import { hasKorean, timeOfDay } from "/assets/format.js";
import { markdown } from "/assets/markdown.js";
import { language, t } from "/assets/words.js";

const COMMAND = /^\s*\/([a-z]{1,20})(?:\s+([\s\S]*))?$/;
const MAX_ANSWERS = 30;

export function parseCommand(text, store) {
  const match = COMMAND.exec(text);
  if (!match || !store.commands.some((command) => command.name === match[1])) return null;
  return { name: match[1], argument: (match[2] ?? "").trim() };
}

export function suggestedCommands(before, store) {
  const match = /^\/([a-z]{0,20})$/.exec(before);
  if (!match) return [];
  const found = store.commands.filter((command) => command.name.startsWith(match[1]));
  if (found.length === 1 && found[0].name === match[1]) return [];
  return found.map((command) => ({
    key: "/" + command.name,
    mark: "/",
    insert: "/" + command.name + (command.argument ? " " : ""),
    row: () => [h("span", { class: "command-name" }, "/" + command.name),
      h("span", { class: "muted command-about" }, command.about[language] ?? command.about.en)],
  }));
}

export function keepAnswer(conversation, at, command, answer) {
  conversation.answers.push({ id: `answer-${at}-${conversation.answers.length}`, at, command, ...answer });
  conversation.answers.splice(0, Math.max(0, conversation.answers.length - MAX_ANSWERS));
}

export function answerEntry(answer) {
  return {
    key: answer.id,
    at: answer.at,
    sign: "answer",
    build: () => h("article", { class: `answer${answer.done ? "" : " refused"}` },
      h("header", { class: "answer-head" }, icon("tool", 14), h("code", {}, answer.command),
        h("span", { class: "muted" }, t("onlyHere")), h("time", {}, timeOfDay(new Date(answer.at).toISOString()))),
      h("div", { class: "text", lang: hasKorean(answer.text) ? "ko" : null }, markdown(answer.text))),
  };
}
