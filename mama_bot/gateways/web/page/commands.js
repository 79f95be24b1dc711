// Commands: "/" and a name, answered by the service itself; the answer is shown, and kept nowhere.
import { h, icon } from "/assets/dom.js";
import { hasKorean, timeOfDay } from "/assets/format.js";
import { markdown } from "/assets/markdown.js";
import { language, t } from "/assets/words.js";

const COMMAND = /^\s*\/([a-z]{1,20}|[가-힣]{1,10})(?:\s+([\s\S]*))?$/;
const MAX_ANSWERS = 30;
const CLOCK_MILLISECONDS = 60_000; // the page and the service need not agree to the second

export function parseCommand(text, store) {
  const match = COMMAND.exec(text);
  if (!match) return null;
  const argument = (match[2] ?? "").trim();
  const meant = store.commands.find((command) => command.name === match[1] || command.korean.includes(match[1]));
  if (meant) return { name: meant.name, argument };
  const names = store.commands.flatMap((command) => [command.name, ...command.korean]);
  if (argument && store.team.has(match[1])) return null; // a command of that persona: a message to it
  // A word that is no command, and alone or nearly one: help says which is meant.
  const near = names.some((name) => distance(name, match[1]) <= (name.length > 4 ? 2 : 1));
  return near || !argument ? { name: "help", argument: "/" + match[1] } : null;
}

// How many letters are to be changed, put in, left out or swapped with the next to make one word of another.
function distance(one, other) {
  const rows = [[...Array(other.length + 1).keys()]];
  for (let i = 1; i <= one.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= other.length; j += 1) {
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      rows[i].push(Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1),
        swapped ? rows[i - 2][j - 2] + 1 : Infinity));
    }
  }
  return rows[one.length][other.length];
}

export function suggestedCommands(before, store) {
  const match = /^\/([a-z]{0,20}|[가-힣ㄱ-ㅎㅏ-ㅣ]{1,10})$/.exec(before);
  if (!match) return menus(before, store);
  const found = store.commands.filter((command) => [command.name, ...command.korean].some((name) => name.startsWith(match[1])));
  // A name that is typed out is meant, although longer ones begin with it: Enter sends /repo, and does not make it /report.
  if (found.some((command) => [command.name, ...command.korean].includes(match[1]))) return [];
  return [...menus(before, store), ...found.map((command) => ({
    key: "/" + command.name,
    mark: "/",
    insert: "/" + command.name + (command.argument ? " " : ""),
    row: () => [h("span", { class: "command-name" }, "/" + command.name),
      h("span", { class: "muted command-about" }, command.about[language] ?? command.about.en)],
  }))];
}

// The commands of personas, "/developer refactor FILE": messages to them, not commands of the service.
function menus(before, store) {
  const rows = [...store.team.values()].flatMap((persona) => persona.menu.map((command) => ({ start: `/${persona.name} ${command.name}`, ...command })));
  // A persona's name alone is sent by Enter, and answered with its commands; behind a space they are suggested.
  if (store.team.has(before.slice(1))) return [];
  return rows.filter((row) => before.length > 1 && row.start.startsWith(before) && row.start !== before).map((row) => ({
    key: row.start,
    mark: "/",
    insert: row.start + " ",
    row: () => [h("span", { class: "command-name" }, `${row.start} ${row.usage}`.trim()),
      h("span", { class: "muted command-about" }, row[language] ?? row.en)],
  }));
}

const deedsOf = (conversation) => [...conversation.posts.values()].filter((post) => post.notice === "deed");

export function keepAnswer(conversation, at, command, answer) {
  conversation.answers.push({ id: `answer-${at}-${conversation.answers.length}`, at, command, deeds: new Set(deedsOf(conversation).map((post) => post.id)), ...answer });
  conversation.answers.splice(0, Math.max(0, conversation.answers.length - MAX_ANSWERS));
}

// `press` does what a button of an answer offers, until something was done here: then it may be done already.
export function answerEntry(answer, press, conversation) {
  const since = deedsOf(conversation).some((post) => !answer.deeds.has(post.id) && Date.parse(post.at) > answer.at - CLOCK_MILLISECONDS);
  const offers = since ? [] : answer.offers ?? [];
  return {
    key: answer.id,
    at: answer.at,
    sign: `answer-${offers.length}`,
    build: () => h("article", { class: `answer${answer.done ? "" : " refused"}` },
      h("header", { class: "answer-head" }, icon("tool", 14), h("code", {}, answer.command),
        h("span", { class: "muted" }, t("onlyHere")), h("time", {}, timeOfDay(new Date(answer.at).toISOString()))),
      h("div", { class: "text", lang: hasKorean(answer.text) ? "ko" : null }, markdown(answer.text)),
      offers.length ? h("p", { class: "settles" }, offers.map((offer) =>
        h("button", { class: `settle ${offer.name}`, type: "button", onclick: () => press(offer.name, offer.argument, offer.label) }, offer.label))) : null),
  };
}
