// What a turn changed: fetched when somebody asks for it, each file folded; and what can be done with it.
import { call } from "/assets/api.js";
import { h, icon } from "/assets/dom.js";
import { errorSentence, t } from "/assets/words.js";

const OPEN_LINES = 80;

export function changeNode(post, store, conversation) {
  if (!post.change) return null;
  const place = h("div", { class: "diff" });
  const part = h("details", { class: "change", "data-part": "diff" },
    h("summary", {}, icon("file", 14), h("span", {}, t("showDiff"))), place);
  part.addEventListener("toggle", () => part.open && !place.firstChild && show(place, post, store, conversation));
  const deeds = isUndone(post.change, conversation) ? afterUndo(post) : post.deeds;
  const button = (name) => h("button", { class: `settle ${name}`, type: "button", onclick: () => store.press(name, post) }, t(name));
  return h("div", { class: "change-row" }, part, h("span", { class: "settles" }, deeds.map(button)));
}

// Whether a change was taken back: each line of an undo names what it undoes, and stands for nothing once that is undone itself.
export function isUndone(change, conversation) {
  const told = [...conversation.posts.values()].filter((post) => post.undoes).sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const undoes = new Map(told.map((post) => [post.undoes, post.change]));
  const stands = (name) => !undoes.has(name) || !stands(undoes.get(name));
  return !stands(change);
}

// What was undone can come back; it can be neither undone again nor merged.
const afterUndo = (post) => (post.kind === "reply" || post.notice !== "undone" && post.deeds.includes("undo") ? ["redo"] : []);

async function show(place, post, store, conversation) {
  place.replaceChildren(h("p", { class: "muted small" }, t("reading")));
  try {
    const path = `/api/conversations/${encodeURIComponent(conversation.id)}/changes/`;
    const diff = await call("GET", path + encodeURIComponent(post.change));
    const all = h("button", { class: "settle", type: "button", onclick: () => showAll(place, path) }, t("allChanges"));
    const discard = h("button", { class: "settle deny", type: "button",
      onclick: () => confirm(t("discardSure")) && store.press("discard", post) }, t("discard"));
    place.replaceChildren(diffNode(diff), h("span", { class: "settles" }, all, discard));
  } catch (error) {
    place.replaceChildren(h("p", { class: "refusal" }, error.status === 404 ? t("noDiff") : errorSentence(error)));
  }
}

async function showAll(place, path) {
  try {
    place.replaceChildren(h("p", { class: "muted small" }, t("allChanges")), diffNode(await call("GET", path + "all")));
  } catch (error) {
    place.replaceChildren(h("p", { class: "refusal" }, error.status === 404 ? t("noDiff") : errorSentence(error)));
  }
}

export function diffNode(diff) {
  const lines = diff.files.reduce((sum, file) => sum + file.patch.split("\n").length, 0);
  const more = diff.total - diff.files.length;
  return h("div", { class: "diff-files" },
    diff.files.map((file) => fileNode(file, lines <= OPEN_LINES)),
    more > 0 ? h("p", { class: "muted small" }, t("moreFiles", { n: more })) : null);
}

function fileNode(file, open) {
  const counts = file.added === null ? null
    : h("span", { class: "diff-counts" }, h("ins", {}, "+" + file.added), " ", h("del", {}, "−" + file.removed));
  const head = [h("code", { class: "diff-path" }, file.path), counts];
  if (!file.patch) {
    const why = file.unshown ? t("unshown_" + file.unshown) : t("unshown_none");
    return h("p", { class: "diff-file plain" }, head, h("span", { class: "muted small" }, why));
  }
  return h("details", { class: "diff-file", open: open || null },
    h("summary", {}, head), h("pre", { class: "diff-lines", tabindex: "0" }, file.patch.replace(/\n$/, "").split("\n").map(lineNode)));
}

const KINDS = { "+": "added", "-": "removed", "@": "hunk", "\\": "hunk" };

const lineNode = (line) => h("span", { class: `diff-line ${KINDS[line[0]] ?? ""}` }, line || " ");
