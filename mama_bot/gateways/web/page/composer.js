// The message box: drafts, sending, files, naming someone of the team or a command, and languages composed while typing.
import { parseCommand, suggestedCommands } from "/assets/commands.js";
import { byId, h, icon, memory, reconcile } from "/assets/dom.js";
import { Attached } from "/assets/files.js";
import { inline } from "/assets/markdown.js";
import { avatar } from "/assets/parts.js";
import { t } from "/assets/words.js";

const MAX_HEIGHT = 260;

export class Composer {
  constructor(store, { onSend, onStop, onCommand }) {
    this.store = store;
    this.onSend = onSend;
    this.onCommand = onCommand;
    this.box = byId("text");
    this.mentions = byId("mentions");
    this.found = [];
    this.chosen = 0;
    this.id = null;
    this.sendEarly = false;
    this.attached = new Attached(store, { onChange: () => this.arm(), onRefused: (sentence) => this.refuse(sentence) });
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
    this.attached.open(id);
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
  giveBack(id, text, sentence, files = []) {
    this.attached.giveBack(id, files);
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

  // What was refused because the service could not be reached is no refusal any more.
  reached() {
    if (byId("refusal").textContent === t("error_unreachable")) this.refuse("");
  }

  refuse(sentence) {
    byId("refusal").replaceChildren(...inline(sentence));
    byId("refusal").hidden = !sentence;
  }

  submit() {
    const text = this.text;
    if (!text.trim() && !this.attached.files.length) return;
    if (this.id === null) {
      this.sendEarly = true;
      return;
    }
    this.write("");
    this.refuse("");
    const command = parseCommand(text, this.store);
    if (command) this.onCommand(command, text);
    else this.onSend(text, this.attached.take());
  }

  changed() {
    if (this.id !== null) memory.set("draft." + this.id, this.text || null);
    this.grow();
    this.complete();
  }

  arm() {
    byId("send").classList.toggle("armed", this.text.trim() !== "" || this.attached.files.length > 0);
  }

  grow() {
    this.box.style.height = "auto";
    this.box.style.height = Math.min(MAX_HEIGHT, this.box.scrollHeight) + "px";
    this.arm();
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
    this.found = match ? this.people(start) : suggestedCommands(before, this.store);
    this.choose(0);
  }

  people(start) {
    const found = [...this.store.team.values()].filter((persona) =>
      persona.name.toLowerCase().startsWith(start) || persona.display_name.toLowerCase().startsWith(start)).slice(0, 8);
    if (found.length === 1 && found[0].name.toLowerCase() === start) return [];
    return found.map((persona) => ({
      key: persona.name,
      mark: "@",
      insert: `@${persona.name} `,
      row: () => [avatar(persona, "small"), h("span", {}, persona.display_name), h("span", { class: "muted" }, "@" + persona.name)],
    }));
  }

  choose(at) {
    this.chosen = at;
    this.mentions.hidden = this.found.length === 0;
    reconcile(this.mentions, this.found.map((found, index) => ({
      key: found.key,
      sign: String(index === at),
      build: () => h("li", {
        id: "mention-" + index, role: "option", "aria-selected": String(index === at),
        onpointerdown: (event) => {
          event.preventDefault();
          this.take(found);
        },
      }, found.row()),
    })));
    this.mentions.children[at]?.scrollIntoView({ block: "nearest" });
    if (this.found.length) this.box.setAttribute("aria-activedescendant", "mention-" + at);
    else this.box.removeAttribute("aria-activedescendant");
  }

  take(found) {
    const end = this.box.selectionStart;
    const start = this.text.lastIndexOf(found.mark, end - 1);
    const after = this.text.slice(end);
    this.box.value = `${this.text.slice(0, start)}${found.insert}${after}`;
    const caret = start + found.insert.length;
    this.box.setSelectionRange(caret, caret);
    this.changed();
    this.box.focus();
  }

  close() {
    this.found = [];
    this.choose(0);
  }
}
