// The list of conversations, the team and the queue.
import { byId, h, icon, memory, reconcile } from "/assets/dom.js";
import { hasKorean, whenShort } from "/assets/format.js";
import { avatar } from "/assets/parts.js";
import { t } from "/assets/words.js";

export function renderSidebar(store) {
  const known = new Set(store.summaries.map((summary) => summary.id));
  const fresh = store.current && !known.has(store.current) ? [{ id: store.current, title: "", last_at: "", waiting: 0 }] : [];
  const shown = store.matches ?? [...fresh, ...store.summaries];
  const none = { key: "none", sign: "none", build: () => h("p", { class: "muted nothing-found" }, t("nothingFound")) };
  reconcile(byId("conversations"), shown.length || !store.matches ? shown.map((summary) => conversationEntry(summary, store)) : [none]);
  renderTeam(store);
  const { running, waiting } = store.queue;
  byId("queue").textContent = running || waiting ? t("queue", { r: running, w: waiting }) : t("idle");
}

function conversationEntry(summary, store) {
  const working = store.working.some((work) => work.conversation === summary.id);
  const current = summary.id === store.current;
  const unread = store.unread(summary);
  const title = summary.title.trim() || t("untitled");
  return {
    key: summary.id,
    sign: JSON.stringify([summary, working, current, unread]),
    build: () => h("a", {
      class: `conversation${unread ? " unread" : ""}`, href: "#/c/" + summary.id, "aria-current": current ? "page" : null,
    },
    h("span", { class: "conversation-title", lang: hasKorean(title) ? "ko" : null }, title),
    working || summary.waiting
      ? h("span", { class: "spinner", title: t("waiting"), "aria-label": t("waiting") })
      : unread ? h("span", { class: "dot", title: t("unread"), "aria-label": t("unread") }) : null,
    summary.last_at ? h("time", { datetime: summary.last_at }, whenShort(summary.last_at)) : null),
  };
}

function renderTeam(store) {
  const busy = new Set(store.working.map((work) => work.turn.persona));
  const entries = [...store.team.values()].map((persona) => ({
    key: persona.name,
    sign: JSON.stringify([persona, busy.has(persona.name)]),
    build: () => h("button", { class: "member", type: "button", "data-mention": persona.name, title: persona.about || persona.display_name },
      avatar(persona, busy.has(persona.name) ? "small busy" : "small"),
      h("span", { class: "member-text" }, h("span", { class: "member-name" }, persona.display_name, " ",
        h("span", { class: "muted handle" }, "@" + persona.name)),
      h("span", { class: "member-about" }, busy.has(persona.name) ? t("atWork") : t(persona.tier)))),
  }));
  reconcile(byId("team-list"), entries);
}

export function setUpSidebar(onNew, onMention) {
  byId("sidebar").setAttribute("aria-label", "mama-bot");
  byId("conversations").setAttribute("aria-label", t("conversations"));
  byId("team").append(h("h3", {}, t("team")), h("div", { id: "team-list" }));
  byId("new-conversation").append(icon("plus", 17), h("span", {}, t("newConversation")));
  byId("new-conversation").addEventListener("click", onNew);
  byId("team").addEventListener("click", (event) => {
    const member = event.target.closest("[data-mention]");
    if (member) onMention(member.dataset.mention);
  });
  setUpDrawer();
  setUpTheme();
}

const narrow = matchMedia("(max-width: 860px)");

export function showDrawer(open) {
  byId("sidebar").classList.toggle("open", open);
  byId("sidebar").inert = narrow.matches && !open;
  byId("backdrop").hidden = !(open && narrow.matches);
  byId("open-menu").setAttribute("aria-expanded", String(open));
  if (!narrow.matches) return;
  if (open) byId("close-menu").focus();
}

function setUpDrawer() {
  byId("open-menu").append(icon("menu", 20));
  byId("open-menu").setAttribute("aria-label", t("openMenu"));
  byId("close-menu").append(icon("close", 20));
  byId("close-menu").setAttribute("aria-label", t("closeMenu"));
  byId("open-menu").addEventListener("click", () => showDrawer(true));
  for (const id of ["close-menu", "backdrop"]) {
    byId(id).addEventListener("click", () => {
      showDrawer(false);
      byId("open-menu").focus();
    });
  }
  byId("sidebar").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && narrow.matches) byId("close-menu").click();
  });
  narrow.addEventListener("change", () => showDrawer(false));
  showDrawer(false);
}

function setUpTheme() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = byId("theme");
  const draw = () => {
    button.replaceChildren(icon(dark() ? "sun" : "moon", 18));
    button.setAttribute("aria-label", t(dark() ? "light" : "dark"));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try {
      localStorage.setItem("mama.theme", root.dataset.theme);
    } catch {
      memory.set("theme", null);
    }
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}
