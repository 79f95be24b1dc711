// Markdown to DOM nodes. Whatever is not known here stays plain text; nothing is ever parsed as HTML.
import { h, icon } from "/assets/dom.js";
import { t } from "/assets/words.js";

const MAX_DEPTH = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const SEPARATOR = /^[\s|:-]*-[\s|:-]*$/;
// How agents hand a task on; shown as what it means, its words unchanged.
const DELEGATION = /^\s*(?:[-*]\s+)?\**DELEGATE(?:_BG)?\s*::\s*@?([\w-]{1,64})\s*::\s*(.*)$/i;
const PART = /^\s*(TASK|EXPECTED[ _]OUTCOMES?|REQUIRED[ _]TOOLS|MUST[ _]NOT[ _]DO|MUST[ _]DO|CONTEXT)\s*:\s*(.*)$/;
const LINK = /\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/y;
const ADDRESS = /https?:\/\/[^\s<>"'`|\u3000-\u303f\uac00-\ud7a3]{1,2000}/y;
const MENTION = /@[A-Za-z][\w-]{0,63}/y;

// In a person's own words a line that looks like an agent's delegation is none.
export function markdown(text, { own = false } = {}) {
  const root = document.createDocumentFragment();
  delegates = !own;
  blocks(text.replaceAll("\r\n", "\n").split("\n"), root, 0);
  return root;
}

let delegates = true;

function blocks(lines, root, depth) {
  let at = 0;
  let paragraph = [];
  const flush = () => {
    if (paragraph.length) root.append(h("p", {}, withBreaks(paragraph)));
    paragraph = [];
  };
  while (at < lines.length) {
    const line = lines[at];
    const next = block(lines, at, root, depth, flush);
    if (next > at) {
      at = next;
      continue;
    }
    if (line.trim()) paragraph.push(line);
    else flush();
    at += 1;
  }
  flush();
}

// Tries to read one block at line `at`; answers the line after it, or `at` when the line is plain.
function block(lines, at, root, depth, flush) {
  const line = lines[at];
  const fence = FENCE.exec(line);
  if (fence) {
    flush();
    return codeBlock(lines, at, fence, root);
  }
  const heading = HEADING.exec(line);
  if (heading) {
    flush();
    root.append(h("h" + Math.min(6, heading[1].length + 2), {}, inline(heading[2].trim())));
    return at + 1;
  }
  const delegation = delegates && DELEGATION.exec(line);
  if (delegation) {
    flush();
    const to = h("span", { class: "mention" }, "→ @" + delegation[1]);
    root.append(h("p", { class: "delegation" }, to, " ", inline(delegation[2].trim())));
    return at + 1;
  }
  const part = delegates && PART.exec(line);
  if (part) {
    flush();
    root.append(h("p", { class: "delegation-part" }, h("strong", {}, part[1]), " ", inline(part[2].trim())));
    return at + 1;
  }
  if (RULE.test(line)) {
    flush();
    root.append(h("hr"));
    return at + 1;
  }
  if (depth >= MAX_DEPTH) return at;
  if (QUOTE.test(line)) {
    flush();
    return quote(lines, at, root, depth);
  }
  if (ITEM.test(line)) {
    flush();
    return list(lines, at, root, depth);
  }
  if (line.includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && SEPARATOR.test(lines[at + 1])) {
    flush();
    return table(lines, at, root);
  }
  return at;
}

function codeBlock(lines, at, fence, root) {
  const mark = fence[1];
  let end = at + 1;
  while (end < lines.length && !closes(lines[end], mark)) end += 1;
  const code = lines.slice(at + 1, end).join("\n");
  root.append(codeNode(code, fence[2].trim().split(/\s/)[0]));
  return end + 1;
}

const closes = (line, mark) => {
  const bare = line.trim();
  return bare.length >= mark.length && bare === mark[0].repeat(bare.length);
};

export function codeNode(code, name) {
  const button = h("button", { class: "copy", type: "button" }, icon("copy", 14), t("copy"));
  button.addEventListener("click", async () => {
    if (!(await copyText(code))) return;
    button.lastChild.textContent = t("copied");
    setTimeout(() => (button.lastChild.textContent = t("copy")), 1600);
  });
  return h("figure", { class: "code" },
    h("figcaption", {}, h("span", {}, name.slice(0, 40)), button),
    h("pre", { tabindex: "0" }, h("code", {}, code)));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function quote(lines, at, root, depth) {
  const inner = [];
  let match;
  while (at < lines.length && (match = QUOTE.exec(lines[at]))) {
    inner.push(match[1]);
    at += 1;
  }
  const node = h("blockquote");
  blocks(inner, node, depth + 1);
  root.append(node);
  return at;
}

function list(lines, at, root, depth) {
  const first = ITEM.exec(lines[at]);
  const indent = first[1].length;
  const ordered = /\d/.test(first[2]);
  const node = h(ordered ? "ol" : "ul", ordered && first[2] !== "1." ? { start: String(parseInt(first[2], 10)) } : {});
  let match;
  while (at < lines.length && (match = ITEM.exec(lines[at])) && match[1].length <= indent + 1 && match[1].length >= indent) {
    if (/\d/.test(match[2]) !== ordered) break;
    const inner = [match[3]];
    at += 1;
    while (at < lines.length && belongs(lines, at, indent)) {
      inner.push(lines[at].slice(Math.min(leading(lines[at]), indent + match[2].length + 1)));
      at += 1;
    }
    node.append(item(inner, depth));
  }
  root.append(node);
  return at;
}

const leading = (line) => line.length - line.trimStart().length;

function belongs(lines, at, indent) {
  if (lines[at].trim()) return leading(lines[at]) > indent + 1;
  return at + 1 < lines.length && lines[at + 1].trim() !== "" && leading(lines[at + 1]) > indent + 1;
}

function item(inner, depth) {
  const box = /^\[([ xX])\]\s+(.*)$/.exec(inner[0]);
  if (box) inner[0] = box[2];
  const node = h("li", box ? { class: "task" } : {});
  if (box) node.append(checkBox(box[1] !== " "));
  const rest = inner.findIndex((line, at) => at > 0 && (!line.trim() || ITEM.test(line) || FENCE.test(line)));
  node.append(...withBreaks(rest < 0 ? inner : inner.slice(0, rest)));
  if (rest >= 0) blocks(inner.slice(rest), node, depth + 1);
  return node;
}

const checkBox = (ticked) =>
  h("span", { class: ticked ? "box ticked" : "box", role: "img", "aria-label": ticked ? "[x]" : "[ ]" }, ticked ? icon("check", 12) : null);

function table(lines, at, root) {
  const cells = (line) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split("|").slice(0, 40);
  const row = (line, tag) => h("tr", {}, cells(line).map((cell) => h(tag, {}, inline(cell.trim()))));
  const head = h("thead", {}, row(lines[at], "th"));
  const body = h("tbody");
  at += 2;
  while (at < lines.length && lines[at].includes("|")) {
    body.append(row(lines[at], "td"));
    at += 1;
  }
  root.append(h("div", { class: "table", tabindex: "0" }, h("table", {}, head, body)));
  return at;
}

const withBreaks = (lines) => lines.flatMap((line, at) => (at ? [h("br"), ...inline(line.trim())] : inline(line.trim())));

// --- inside a line -----------------------------------------------------------------------------------

export function inline(text, depth = 0) {
  const nodes = [];
  let plain = "";
  let at = 0;
  const unclosed = new Set();
  const flush = () => {
    if (plain) nodes.push(document.createTextNode(plain));
    plain = "";
  };
  while (at < text.length) {
    const found = span(text, at, depth, unclosed);
    if (found) {
      flush();
      nodes.push(found.node);
      at = found.end;
    } else if (text[at] === "\\" && /[\\`*_[\]()~#>|-]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
    } else {
      plain += text[at];
      at += 1;
    }
  }
  flush();
  return nodes;
}

function span(text, at, depth, unclosed) {
  switch (text[at]) {
    case "`":
      return codeSpan(text, at, unclosed);
    case "*":
    case "_":
    case "~":
      return depth < MAX_DEPTH ? emphasis(text, at, depth, unclosed) : null;
    case "[":
      return link(text, at, depth);
    case "h":
      return address(text, at);
    case "@":
      return mention(text, at);
    default:
      return null;
  }
}

function codeSpan(text, at, unclosed) {
  let width = 1;
  while (text[at + width] === "`") width += 1;
  const mark = "`".repeat(width);
  if (unclosed.has(mark)) return null;
  const end = text.indexOf(mark, at + width);
  if (end < 0) {
    unclosed.add(mark);
    return null;
  }
  return { node: h("code", {}, text.slice(at + width, end).trim() || mark), end: end + width };
}

function emphasis(text, at, depth, unclosed) {
  const double = text[at + 1] === text[at];
  if (text[at] === "~" && !double) return null;
  const mark = double ? text[at].repeat(2) : text[at];
  const start = at + mark.length;
  const word = /[\p{L}\p{N}]/u;
  if (unclosed.has(mark) || !text[start] || /\s/.test(text[start])) return null;
  if (text[at] === "_" && word.test(text[at - 1] ?? "")) return null;
  let end = text.indexOf(mark, start + 1);
  while (end > 0 && (/\s/.test(text[end - 1]) || (mark === "_" && word.test(text[end + 1] ?? "")))) {
    end = text.indexOf(mark, end + 1);
  }
  if (end < 0) {
    unclosed.add(mark);
    return null;
  }
  const tag = text[at] === "~" ? "s" : double ? "strong" : "em";
  return { node: h(tag, {}, inline(text.slice(start, end), depth + 1)), end: end + mark.length };
}

function link(text, at, depth) {
  LINK.lastIndex = at;
  const match = LINK.exec(text);
  if (!match || !safe(match[2]) || depth >= MAX_DEPTH) return null;
  return { node: anchor(match[2], inline(match[1], MAX_DEPTH)), end: at + match[0].length };
}

function address(text, at) {
  ADDRESS.lastIndex = at;
  const match = ADDRESS.exec(text);
  if (!match) return null;
  const found = match[0].replace(/[).,;:!?\]]+$/, "");
  return safe(found) ? { node: anchor(found, [found]), end: at + found.length } : null;
}

function mention(text, at) {
  MENTION.lastIndex = at;
  const match = /[\w.]/.test(text[at - 1] ?? "") ? null : MENTION.exec(text);
  return match ? { node: h("span", { class: "mention" }, match[0]), end: at + match[0].length } : null;
}

function safe(href) {
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

const anchor = (href, children) => h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, children);
