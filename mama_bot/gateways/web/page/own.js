// A person's own way with what they wrote: edit and delete a message that waits; name, delete and find conversations.
import { call } from "/assets/api.js";
import { byId, h, icon } from "/assets/dom.js";
import { errorSentence, language, t } from "/assets/words.js";

const SEARCH_MILLISECONDS = 200;
const path = (conversation, message) => `/api/conversations/${encodeURIComponent(conversation)}/messages/${encodeURIComponent(message)}`;

export class Own {
  constructor(store, { draw, wantState, composer, announce }) {
    Object.assign(this, { store, draw, wantState, composer, announce });
    this.edits = new Map();
    this.wanted = null;
    this.setUpTop();
    this.setUpSearch();
  }

  // --- messages that wait ------------------------------------------------------------------------------

  edit(message) {
    this.edits.set(message.id, message.text);
    this.draw();
  }

  leave(message) {
    this.edits.delete(message.id);
    this.draw();
  }

  async save(message, conversation) {
    const text = this.edits.get(message.id);
    if (text.trim() === message.text.trim()) return this.leave(message);
    try {
      await call("PUT", path(conversation.id, message.id), { text });
      conversation.messages.set(message.id, { ...message, text });
      this.announce(t("edited"));
    } catch (error) {
      // What was written is not lost: it can be sent as a message of its own.
      this.composer.giveBack(conversation.id, text, errorSentence(error));
    }
    this.leave(message);
  }

  async remove(message, conversation) {
    try {
      await call("DELETE", path(conversation.id, message.id), {});
      conversation.withdraw(message.id);
      this.announce(t("deleted"));
    } catch (error) {
      this.composer.refuse(errorSentence(error));
    }
    this.leave(message);
  }

  editor(message, conversation) {
    const box = h("textarea", { class: "edit-text", rows: "3", "aria-label": t("editMessage") });
    box.value = this.edits.get(message.id);
    box.addEventListener("input", () => this.edits.set(message.id, box.value));
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Escape") this.leave(message);
      else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.save(message, conversation);
      }
    });
    setTimeout(() => box.isConnected && document.activeElement === document.body && box.focus());
    return h("div", { class: "edit" }, box, h("span", { class: "settles" },
      h("button", { class: "settle save", type: "button", onclick: () => this.save(message, conversation) }, t("save")),
      h("button", { class: "settle leave", type: "button", onclick: () => this.leave(message) }, t("leave"))));
  }

  buttons(message, conversation) {
    const button = (name, press) => h("button", { class: `settle ${name}`, type: "button", onclick: press }, t(name));
    return [button("edit", () => this.edit(message)), button("remove", () => this.remove(message, conversation))];
  }

  // --- conversations -----------------------------------------------------------------------------------

  setUpTop() {
    for (const [id, name, press] of [["rename", "pencil", () => this.rename()], ["delete", "trash", () => this.delete()]]) {
      byId(id).append(icon(name, 17));
      byId(id).setAttribute("aria-label", t(id + "Conversation"));
      byId(id).title = t(id + "Conversation");
      byId(id).addEventListener("click", press);
    }
    const box = byId("name");
    box.setAttribute("aria-label", t("nameLabel"));
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter") this.named(box.value);
      else if (event.key === "Escape") this.closeName();
    });
    box.addEventListener("blur", () => this.closeName());
  }

  // Nothing can be done to a conversation in which nobody wrote yet.
  drawTop() {
    const known = this.store.summaries.some((summary) => summary.id === this.store.current);
    for (const id of ["rename", "delete"]) byId(id).hidden = !known;
    if (!known) this.closeName();
  }

  rename() {
    byId("name").value = byId("title").textContent;
    byId("name").hidden = false;
    byId("title").hidden = true;
    byId("name").select();
  }

  closeName() {
    byId("name").hidden = true;
    byId("title").hidden = false;
  }

  async named(name) {
    this.closeName();
    await this.ask("rename", name);
  }

  async delete() {
    const id = this.store.current;
    if (!confirm(t("deleteAsk", { title: byId("title").textContent }))) return;
    if (!(await this.ask("delete", ""))) return;
    this.store.forget(id);
    location.hash = "";
  }

  // Commands of the page alone: what they led to is seen, and said only where they could not be carried out.
  async ask(name, argument) {
    try {
      const answer = await call("POST", `/api/conversations/${encodeURIComponent(this.store.current)}/commands`, { name, argument, language });
      if (answer.done) this.announce(answer.text);
      else this.composer.refuse(answer.text);
      this.wantState();
      return answer.done;
    } catch (error) {
      this.composer.refuse(errorSentence(error));
      return false;
    }
  }

  // --- search ------------------------------------------------------------------------------------------

  setUpSearch() {
    const box = byId("search");
    box.placeholder = t("search");
    box.setAttribute("aria-label", t("search"));
    box.addEventListener("input", () => {
      clearTimeout(this.wanted);
      this.wanted = setTimeout(() => this.search(box.value.trim()), SEARCH_MILLISECONDS);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !box.value) return;
      event.stopPropagation();
      box.value = "";
      this.search("");
    });
  }

  async search(text) {
    if (!text) {
      this.store.matches = null;
      return this.draw();
    }
    try {
      const { conversations } = await call("GET", "/api/search?text=" + encodeURIComponent(text));
      if (byId("search").value.trim() === text) this.store.matches = conversations;
    } catch (error) {
      this.composer.refuse(errorSentence(error));
    }
    this.draw();
  }
}
