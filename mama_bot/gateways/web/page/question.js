// What a rule asks before a call runs, and what an agent asks: the words, how to answer, and in the place of the buttons who answered what.
import { approvalButtons } from "/assets/access.js";
import { h, icon } from "/assets/dom.js";
import { hasKorean, timeOfDay } from "/assets/format.js";
import { markdown } from "/assets/markdown.js";

const ASKING = new Set(["question", "checkpoint", "asked"]);
export const isQuestion = (post) => ASKING.has(post.notice);

// The latest post that settles a question; an "always here" that is withdrawn settles it a second time.
export function answerOf(post, conversation) {
  if (!isQuestion(post)) return null;
  const answers = [...conversation.posts.values()].filter((other) => other.settles === post.id);
  return answers.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).at(-1) ?? null;
}

// An answer is shown below its question, and alone where that is not on the page.
export const isShownBelow = (post, conversation) => Boolean(post.settles && conversation.posts.has(post.settles));

// What came of a question ("#3: approved by Kim") stands below it: the answer to the command need not say it again.
export function isToldBelow(answer, conversation) {
  const number = answer.done && /^#\d+: /.exec(answer.text)?.[0];
  return Boolean(number) && [...conversation.posts.values()].some((post) => isShownBelow(post, conversation) && post.text.startsWith(number));
}

export function questionNode(post, store, conversation) {
  const answer = answerOf(post, conversation);
  return h("article", { class: `question ${answer ? "settled" : "open"}`, "data-id": post.id, lang: hasKorean(post.text) ? "ko" : null },
    h("div", { class: "text" }, markdown(post.text)),
    answer
      ? h("div", { class: "answered-by" }, icon(/\.(approved|always|replied)$/.test(answer.id) ? "check" : "cross", 16), h("div", { class: "text" }, markdown(answer.text)),
        h("time", { datetime: answer.at }, timeOfDay(answer.at)))
      : [h("div", { class: "text muted" }, markdown(post.ending)), approvalButtons(post, store.decide)],
    h("time", { datetime: post.at }, timeOfDay(post.at)));
}
