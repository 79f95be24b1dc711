// The message box: drafts, sending, naming someone of the team, and languages that are composed while typing.
import { byId, h, icon, memory, reconcile } from "/assets/dom.js";
import { avatar } from "/assets/parts.js";
import { t } from "/assets/words.js";

const MAX_HEIGHT = 260;

export class Composer {
  constructor(store, { onSend, onStop }) {
    this.store = store;
    this.onSend = onSend;
    this.box = byId("text");
    this.mentions = byId("mentions");
    this.found = [];
    this.chosen = 0;
    this.id = null;
    this.sendEarly = false;
    this.box.placeholder = t(matchMedia("(max-width: 480px)").matches ? "placeholderShort" : "placeholder");
    this.box.setAttribute("aria-label", t("messageLabel"));
    byId("hint").textContent = t("hint");
    byId("send").append(icon("send", 19));
    byId("send").setAttribute("aria-label", t("send"));
    byId("stop").append(icon("stop", 16), h("span", {}, t("stop")));
    byId("stop").addEventListener("click", onStop);
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("input", () => this.changed());
    this.box.addEventListener("click", () => this.complete());
    this.box.addEventListener("blur", () => setTimeout(() => this.close(), 120));
  }

  // What was typed (and sent) before the first conversation was there belongs to it.
  open(id) {
    const early = this.id === null ? this.text : "";
    this.id = id;
    this.refuse("");
    this.box.value = early || memory.get("draft." + id, "");
    this.close();
    this.grow();
    if (early) this.changed();
    if (this.sendEarly) this.submit();
    this.sendEarly = false;
  }

  get text() {
    return this.box.value;
  }

  write(text, focus = true) {
    this.box.value = text;
    this.changed();
    if (focus) this.box.focus();
  }

  // A refused text comes back in front of what was typed meanwhile.
  giveBack(id, text, sentence) {
    const draft = id === this.id ? this.box.value : memory.get("draft." + id, "");
    const whole = draft.trim() ? `${text}\n${draft}` : text;
    if (id === this.id) {
      this.write(whole);
      this.refuse(sentence);
    } else {
      memory.set("draft." + id, whole);
    }
  }

  mention(name) {
    const gap = this.text && !/\s$/.test(this.text) ? " " : "";
    this.write(`${this.text}${gap}@${name} `);
  }

  refuse(sentence) {
    byId("refusal").textContent = sentence;
    byId("refusal").hidden = !sentence;
  }

  submit() {
    const text = this.text;
    if (!text.trim()) return;
    if (this.id === null) {
      this.sendEarly = true;
      return;
    }
    this.write("");
    this.refuse("");
    this.onSend(text);
  }

  changed() {
    if (this.id !== null) memory.set("draft." + this.id, this.text || null);
    byId("send").classList.toggle("armed", this.text.trim() !== "");
    this.grow();
    this.complete();
  }

  grow() {
    this.box.style.height = "auto";
    this.box.style.height = Math.min(MAX_HEIGHT, this.box.scrollHeight) + "px";
    byId("send").classList.toggle("armed", this.text.trim() !== "");
  }

  key(event) {
    // While a syllable is being composed, Enter belongs to the input method (229 is what Safari reports then).
    if (event.isComposing || event.keyCode === 229) return;
    if (this.found.length && this.mentionKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    }
  }

  mentionKey(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) this.choose((this.chosen + steps[event.key] + this.found.length) % this.found.length);
    else if (event.key === "Enter" || event.key === "Tab") this.take(this.found[this.chosen]);
    else if (event.key === "Escape") this.close();
    else return false;
    event.preventDefault();
    return true;
  }

  complete() {
    const before = this.text.slice(0, this.box.selectionStart);
    const match = /(?:^|[^\w.])@([\w-]{0,40})$/.exec(before);
    const start = match?.[1].toLowerCase();
    this.found = match
      ? [...this.store.team.values()].filter((persona) =>
          persona.name.toLowerCase().startsWith(start) || persona.display_name.toLowerCase().startsWith(start)).slice(0, 8)
      : [];
    if (this.found.length === 1 && this.found[0].name.toLowerCase() === start) this.found = [];
    this.choose(0);
  }

  choose(at) {
    this.chosen = at;
    this.mentions.hidden = this.found.length === 0;
    reconcile(this.mentions, this.found.map((persona, index) => ({
      key: persona.name,
      sign: String(index === at),
      build: () => h("li", {
        id: "mention-" + index, role: "option", "aria-selected": String(index === at),
        onpointerdown: (event) => {
          event.preventDefault();
          this.take(persona);
        },
      }, avatar(persona, "small"), h("span", {}, persona.display_name), h("span", { class: "muted" }, "@" + persona.name)),
    })));
    if (this.found.length) this.box.setAttribute("aria-activedescendant", "mention-" + at);
    else this.box.removeAttribute("aria-activedescendant");
  }

  take(persona) {
    const end = this.box.selectionStart;
    const start = this.text.lastIndexOf("@", end - 1);
    const after = this.text.slice(end);
    this.box.value = `${this.text.slice(0, start)}@${persona.name} ${after}`;
    const caret = start + persona.name.length + 2;
    this.box.setSelectionRange(caret, caret);
    this.changed();
    this.box.focus();
  }

  close() {
    this.found = [];
    this.choose(0);
  }
}
