// Building DOM nodes; text always becomes text nodes.
const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  dash: "M7 12h10",
  cross: "M7 7l10 10M17 7L7 17",
  warn: "M12 8v5M12 16.5v.5M12 3.5l9.5 16.5h-19z",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  chevron: "M9 6l6 6-6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  back: "M9 7L4 12l5 5M4 12h11a5 5 0 0 1 0 10",
  flag: "M5 21V4M5 4h13l-3 4 3 4H5",
  receipt: "M6 3v18l2-1.5 2 1.5 2-1.5 2 1.5 2-1.5 2 1.5V3l-2 1.5L14 3l-2 1.5L10 3 8 4.5zM9 9h6M9 13h6",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7L9.5 17a1.7 1.7 0 0 1-2.4-2.4L14.5 7.2",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  tool: "M4 7l5 5-5 5M12 17h8",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
};

export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, content] of Object.entries(props)) {
    if (content === null || content === undefined || content === false) continue;
    if (name === "class") node.className = content;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), content);
    else if (name === "hue") node.style.setProperty("--hue", content);
    else node.setAttribute(name, content === true ? "" : content);
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child);
  }
  return node;
}

export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, content] of Object.entries({
    viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "stroke-width": "1.9",
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true", class: "icon",
  })) svg.setAttribute(key, content);
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export const byId = (id) => document.getElementById(id);

// Storage may be full or forbidden: the page then forgets, and works on.
export const memory = {
  get(key, fallback) {
    try {
      return JSON.parse(localStorage.getItem("mama." + key)) ?? fallback;
    } catch {
      return fallback;
    }
  },
  set(key, content) {
    try {
      if (content === null) localStorage.removeItem("mama." + key);
      else localStorage.setItem("mama." + key, JSON.stringify(content));
    } catch {
      // Nothing to do: see above.
    }
  },
};

// Puts `entries` ({key, sign, build}) into `parent` in order, and builds only what changed since the last time.
export function reconcile(parent, entries) {
  const known = parent.known ?? (parent.known = new Map());
  const wanted = new Set(entries.map((entry) => entry.key));
  for (const [key, held] of known) {
    if (wanted.has(key)) continue;
    held.node.remove();
    known.delete(key);
  }
  let place = parent.firstChild;
  for (const entry of entries) {
    const held = known.get(entry.key);
    let node = held?.node;
    if (!held || held.sign !== entry.sign) {
      const open = held ? openParts(held.node) : new Set();
      node = entry.build();
      for (const part of node.querySelectorAll("details[data-part]")) part.open ||= open.has(part.dataset.part);
      if (held) {
        if (place === held.node) place = held.node.nextSibling;
        held.node.remove();
      }
      known.set(entry.key, { node, sign: entry.sign });
    }
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

function openParts(node) {
  return new Set([...node.querySelectorAll("details[data-part][open]")].map((part) => part.dataset.part));
}
