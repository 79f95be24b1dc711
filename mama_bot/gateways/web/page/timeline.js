// The conversation: messages, replies, the service's lines, in the order of time.
import { approvalButtons } from "/assets/access.js";
import { answerEntry } from "/assets/commands.js";
import { h, icon, reconcile } from "/assets/dom.js";
import { decision } from "/assets/decision.js";
import { changeNode, isUndone } from "/assets/diff.js";
import { caughtDrafts } from "/assets/draft.js";
import { dayName, hasKorean, number, timeOfDay } from "/assets/format.js";
import { filesNode } from "/assets/files.js";
import { markdown } from "/assets/markdown.js";
import { avatar, clipped } from "/assets/parts.js";
import { answerOf, isQuestion, isShownBelow, isToldBelow, questionNode } from "/assets/question.js";
import { receiptNode } from "/assets/receipt.js";
import { reportLine, reportOf } from "/assets/report.js";
import { t } from "/assets/words.js";

const LONG_MESSAGE = 3_000;
const LONG_REPLY = 14_000;

export function renderTimeline(parent, conversation, store) {
  const entries = [
    ...[...conversation.messages.values()].map((message) => messageEntry(message, conversation, store)),
    ...[...conversation.posts.values()].filter((post) => !isShownBelow(post, conversation)).map((post) => postEntry(post, conversation, store)),
    ...conversation.answers.filter((answer) => !isToldBelow(answer, conversation)).map((answer) => answerEntry(answer, store.decide, conversation)),
  ].sort((one, other) => one.at - other.at);
  const days = new Set();
  const withDays = entries.flatMap((entry) => {
    const name = dayName(new Date(entry.at).toISOString());
    if (days.has(name)) return [entry];
    days.add(name);
    return [{ key: "day-" + name, sign: name, build: () => h("p", { class: "day" }, h("span", {}, name)) }, entry];
  });
  const sending = [...conversation.sending].map(([id, { text, files }]) => ({
    key: "message-" + id,
    sign: "sending",
    build: () => messageNode({ id, text, author_kind: "person", at: null, attachments: files }, t("sending"), conversation),
  }));
  reconcile(parent, [...withDays, ...sending]);
}

function messageEntry(message, conversation, store) {
  const ahead = conversation.queued.has(message.id) ? conversation.ahead(message.id) : null;
  const added = conversation.added.has(message.id);
  return {
    key: "message-" + message.id,
    at: Date.parse(message.at),
    sign: JSON.stringify([ahead, added, message.text, store.own.edits.has(message.id)]),
    build: () => messageNode(message, ahead === null ? (added ? t("added") : "") : standing(ahead), conversation, lineButtons(ahead, message, conversation, store), store.own),
  };
}

const standing = (ahead) => (ahead ? t("inLine", { n: ahead + 1 }) : t("waitsForAgent"));

// What can be done about a message that waits.
function lineButtons(ahead, message, conversation, store) {
  if (ahead === null || store.own.edits.has(message.id)) return null;
  const button = (name) => h("button", { class: `settle ${name}`, type: "button", onclick: () => store.press(name) }, t(name));
  return h("span", { class: "settles" }, ahead ? button("tell") : null,
    message.author_kind === "person" ? store.own.buttons(message, conversation) : button("cancel"));
}

function messageNode(message, state, conversation, buttons = null, own = null) {
  const text = h("div", { class: "bubble text", lang: hasKorean(message.text) ? "ko" : null }, markdown(message.text, { own: true }));
  return h("article", { class: "message", "data-id": message.id },
    message.author_kind === "person"
      ? h("p", { class: "visually-hidden" }, t("you"))
      : h("p", { class: "meta" }, message.author), // nobody at this page wrote it: a schedule, a hook
    own?.edits.has(message.id) ? h("div", { class: "message-body" }, own.editor(message, conversation))
      : message.text.trim() ? h("div", { class: "message-body" }, clipped(text, message.text.length, LONG_MESSAGE)) : null,
    filesNode(message.attachments, conversation, message.at ? { message: message.id } : null),
    h("p", { class: "meta" }, state ? h("span", { class: "waiting" }, state) : null,
      buttons,
      message.at ? h("time", { datetime: message.at }, timeOfDay(message.at)) : null));
}

function postEntry(post, conversation, store) {
  const turn = post.turn_id ? conversation.turns.get(post.turn_id) : undefined;
  const build = post.kind === "reply" ? replyNode : noticeNode;
  return {
    key: "post-" + post.id,
    at: Date.parse(post.at),
    sign: JSON.stringify([quoted(post, turn, conversation)?.text, answerOf(post, conversation)?.id, post.change && isUndone(post.change, conversation), reportsOf(post, conversation), conversation.receipts.get(post.turn_id)?.number, post.failure, turn?.state, turn?.attempts.length, turn?.tools.length, turn?.ended_at]),
    build: () => build(post, turn, store, conversation),
  };
}

const reportsOf = (post, conversation) =>
  [...conversation.reports.values()].filter((report) => report.turn_id === post.turn_id);

function replyNode(post, turn, store, conversation) {
  const known = store.persona(post.persona, post.display_name, post.avatar);
  const persona = { ...known, display_name: post.display_name || known.display_name, avatar: post.avatar || known.avatar };
  const receipt = conversation.receipts.get(post.turn_id);
  const toAgent = turn?.audience === "agent";
  // A reply that passed shows its report once there is one; the form for it is among the details.
  const quiet = post.verdict === "passed" && !reportOf(conversation, post.turn_id, post.judgement.attempt);
  const text = h("div", { class: "text", lang: hasKorean(post.text) ? "ko" : null }, markdown(post.text));
  return h("article", { class: `reply depth-${Math.min(2, turn?.depth ?? 0)}`, "data-id": post.id, "data-persona": post.persona, hue: persona.hue },
    avatar(persona),
    h("div", { class: "reply-body" },
      h("header", { class: "reply-head" },
        h("strong", { class: "name" }, persona.display_name),
        toAgent ? h("span", { class: "muted to" }, t("to", { name: askerName(turn, store) })) : null,
        h("time", { datetime: post.at }, timeOfDay(post.at)),
        post.verdict === "passed" ? null : chip(post.verdict), badge(receipt)),
      quote(post, turn, conversation),
      post.record_line ? h("p", { class: "record-line", lang: hasKorean(post.record_line) ? "ko" : null }, icon("receipt", 14), h("span", {}, post.record_line)) : null,
      post.banners.map((banner) => h("p", { class: `reply-banner ${post.verdict}` }, icon("warn", 16), h("span", {}, banner))),
      clipped(text, post.text.length, LONG_REPLY),
      filesNode(post.files, conversation, { post: post.id }),
      changeNode(post, store, conversation),
      post.failure ? h("p", { class: "refusal" }, t("notDelivered", { why: post.failure })) : null,
      receipt ? receiptNode(receipt) : null,
      quiet ? null : reportLine(post.turn_id, post.judgement, conversation, true),
      caughtDrafts(turn, conversation),
      decision(post, turn, conversation, quiet ? null : post.judgement.attempt)));
}

// Which message a person is answered here, where another one stands between them.
function quote(post, turn, conversation) {
  const message = quoted(post, turn, conversation);
  if (!message) return null;
  const find = () => document.querySelector(`.message[data-id="${CSS.escape(message.id)}"]`)?.scrollIntoView({ block: "center", behavior: "smooth" });
  const words = message.text.trim().replace(/\s+/g, " ") || message.attachments.map((file) => file.name).join(", ");
  return h("button", { class: "quote", type: "button", "aria-label": t("answerTo", { text: words }), lang: hasKorean(words) ? "ko" : null, onclick: find }, words);
}

function quoted(post, turn, conversation) {
  const message = turn && turn.audience !== "agent" ? conversation.messages.get(turn.message_id) : undefined;
  if (!message) return null;
  const between = (other) => other.at > message.at && other.at < post.at && other.id !== message.id && !conversation.added.has(other.id);
  return [...conversation.messages.values()].some(between) ? message : null;
}

export function askerName(turn, store) {
  return store.team.get(turn.asker_id)?.display_name ?? turn.asker;
}

const CHIPS = { noted: "warn", needs_review: "eye", withheld: "cross", failed: "cross" };

const chip = (verdict) =>
  h("span", { class: `chip ${verdict}` }, icon(CHIPS[verdict] ?? "warn", 13), h("span", {}, t(verdict)));

const BADGES = { shown: "check", failures: "warn", check_failed: "cross", own_word: "warn", own_run: "check", not_shown: "warn", contradicted: "cross", nothing_run: "warn" };

// What the record says of the reply as a whole; nothing where nothing was checked.
function badge(receipt) {
  if (!receipt?.badge) return null;
  const { kind, tests, at } = receipt.badge;
  const time = at ? timeOfDay(at) : "";
  const words = kind !== "shown" ? t("badge_" + kind)
    : tests !== null && time ? t(tests === 1 ? "badge_test" : "badge_tests", { n: number(tests), time }) : time ? t("badge_at", { time }) : t("badge_shown");
  return h("span", { class: `chip badge ${kind}`, title: t("badgeExplained") }, icon(BADGES[kind], 13), h("span", {}, words));
}

// A turn that ended without a reply: who it was, what became of it and why.
function endedNode(post, turn, store, conversation) {
  const last = turn.attempts.at(-1);
  const persona = store.persona(turn.persona);
  return h("article", { class: `reply ended ${post.notice} depth-${Math.min(2, turn.depth)}`, "data-id": post.id, hue: persona.hue },
    avatar(persona),
    h("div", { class: "reply-body" },
      h("header", { class: "reply-head" },
        h("strong", { class: "name" }, persona.display_name),
        h("time", { datetime: post.at }, timeOfDay(post.at)),
        chip(post.notice)),
      quote(post, turn, conversation),
      h("p", { class: "ended-text", lang: hasKorean(post.text) ? "ko" : null }, post.text),
      resumeButtons(post, store),
      changeNode(post, store, conversation),
      post.notice === "withheld" ? reportLine(turn.id, last, conversation) : null,
      caughtDrafts(turn, conversation),
      decision(post, turn, conversation, post.notice === "withheld" ? last?.attempt : null)));
}

// What can be done about a message that was not answered: the same as below such a line in a chat.
function resumeButtons(post, store) {
  if (!post.resume.length) return null;
  const button = (name) => h("button", { class: `settle ${name}`, type: "button", onclick: () => store.press(name, post) }, t(name));
  return h("span", { class: "settles" }, post.resume.map(button));
}

// Lines of the service that name files, commits and lines.
const MARKED_UP = new Set(["deed", "undone", "diff", "pull_request", "answered", "repository", "trigger"]);

function noticeNode(post, turn, store, conversation) {
  if (turn && ["withheld", "failed"].includes(post.notice)) return endedNode(post, turn, store, conversation);
  if (isQuestion(post)) return questionNode(post, store, conversation);
  const persona = turn && turn.persona ? store.persona(turn.persona) : null;
  return h("article", { class: `notice ${post.notice}`, "data-id": post.id },
    h("p", { class: "notice-line", lang: hasKorean(post.text) ? "ko" : null },
      persona && post.notice !== "delegation" ? avatar(persona, "tiny") : null,
      MARKED_UP.has(post.notice) ? h("div", { class: "text" }, markdown(post.text)) : h("span", {}, post.text),
      approvalButtons(post, store.decide),
      resumeButtons(post, store),
      h("time", { datetime: post.at }, timeOfDay(post.at))),
    changeNode(post, store, conversation));
}
