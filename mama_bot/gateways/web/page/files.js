// Files: chosen or dropped into the message box, shown with the message, downloaded from a reply.
import { upload } from "/assets/api.js";
import { byId, h, icon, reconcile } from "/assets/dom.js";
import { fileSize } from "/assets/format.js";
import { language, t } from "/assets/words.js";

const SHOWN_IN_PLACE = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

// The files of the messages that are being written, by conversation; they leave the browser when the message does.
export class Attached {
  constructor(store, { onChange, onRefused }) {
    this.store = store;
    this.onChange = onChange;
    this.onRefused = onRefused;
    this.held = new Map();
    this.id = null;
    const input = h("input", { type: "file", id: "file-input", multiple: true, class: "visually-hidden", tabindex: "-1", "aria-hidden": "true" });
    byId("attach").after(input);
    byId("attach").append(icon("clip", 19));
    byId("attach").setAttribute("aria-label", t("attach"));
    byId("attach").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.add(input.files);
      input.value = "";
    });
    this.drop(document.querySelector(".main"));
    byId("text").addEventListener("paste", (event) => event.clipboardData?.files.length && this.add(event.clipboardData.files));
  }

  get files() {
    return this.held.get(this.id) ?? [];
  }

  open(id) {
    const early = this.id === null ? this.files : [];
    this.id = id;
    if (early.length) this.held.set(id, early);
    this.draw();
  }

  add(list) {
    const { max_file_bytes: most, max_files: many } = this.store.limits;
    const files = [...this.files];
    let refusal = "";
    for (const file of list) {
      if (file.size > most) refusal = t("fileTooLarge", { name: file.name, most: fileSize(most) });
      else if (!file.size) refusal = t("fileEmpty", { name: file.name });
      else if (files.length >= many) refusal = t("tooManyFiles", { n: many });
      else files.push(file);
    }
    this.set(files);
    this.onRefused(refusal);
  }

  // Those of a refused message come back in front of what was attached meanwhile.
  giveBack(id, files) {
    this.held.set(id, [...files, ...(this.held.get(id) ?? [])]);
    this.draw();
  }

  take() {
    const files = this.files;
    this.set([]);
    return files;
  }

  set(files) {
    this.held.set(this.id, files);
    this.draw();
    this.onChange();
  }

  draw() {
    const { max_file_bytes: most, max_files: many } = this.store.limits;
    byId("attach").title = t("attachLimits", { n: many, most: fileSize(most) });
    byId("attached").hidden = !this.files.length;
    reconcile(byId("attached"), this.files.map((file, at) => ({
      key: `${at}-${file.name}-${file.size}`,
      sign: "",
      build: () => h("li", { class: "file" }, icon("file", 15), h("span", { class: "file-name" }, file.name),
        h("span", { class: "muted" }, fileSize(file.size)),
        h("button", { class: "icon-button", type: "button", "aria-label": t("removeFile", { name: file.name }),
          onclick: () => this.set(this.files.filter((held) => held !== file)) }, icon("close", 14))),
    })));
  }

  drop(place) {
    const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files") && !byId("composer").hidden;
    for (const kind of ["dragenter", "dragover"]) {
      place.addEventListener(kind, (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        place.classList.add("dropping");
      });
    }
    place.addEventListener("dragleave", (event) => {
      if (!place.contains(event.relatedTarget)) place.classList.remove("dropping");
    });
    place.addEventListener("drop", (event) => {
      place.classList.remove("dropping");
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.add(event.dataTransfer.files);
    });
    place.dataset.drop = t("dropHere");
  }
}

export async function sendFiles(id, messageId, files) {
  const names = [];
  for (const file of files) {
    const query = new URLSearchParams({ name: file.name, type: file.type, language });
    const kept = await upload(`/api/conversations/${id}/messages/${messageId}/files?${query}`, file);
    names.push(kept.name);
  }
  return names;
}

// `of` names whose files they are: {message: id} or {post: id}; null while they are on their way.
export function filesNode(files, conversation, of) {
  if (!files?.length) return null;
  return h("ul", { class: "files" }, files.map((file, number) => h("li", {}, fileNode(file, number, conversation, of))));
}

function fileNode(file, number, conversation, of) {
  const facts = [h("span", { class: "file-name" }, file.name), h("span", { class: "muted" }, fileSize(file.size))];
  if (!of) return h("span", { class: "file" }, icon("file", 15), facts);
  const url = `/api/conversations/${conversation.id}/files?${new URLSearchParams({ ...of, number })}`;
  if ("message" in of && SHOWN_IN_PLACE.has(file.media_type)) {
    return h("a", { class: "picture", href: url, target: "_blank", rel: "noopener", title: file.name },
      h("img", { src: url, alt: file.name, loading: "lazy" }));
  }
  return h("a", { class: "file", href: url, download: file.name }, icon("file", 15), facts);
}
