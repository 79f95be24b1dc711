// The platforms and whether they hear, and the people who ask to be served on them.
import { call } from "/assets/api.js";
import { byId, h, icon, reconcile } from "/assets/dom.js";
import { whenShort } from "/assets/format.js";
import { errorSentence, language, t } from "/assets/words.js";

export function setUpAccess(onSettled, onRefused) {
  byId("access").append(h("h3", {}, t("access")), h("ul", { id: "platforms", class: "platforms" }),
    h("ul", { id: "requests", class: "requests" }), h("ul", { id: "people", class: "people" }));
  byId("access").addEventListener("click", async (event) => {
    const button = event.target.closest("[data-code]");
    if (!button) return;
    button.disabled = true;
    try {
      await call("POST", "/api/access", { code: button.dataset.code, approve: button.dataset.approve === "true" });
    } catch (error) {
      onRefused(errorSentence(error));
    }
    onSettled();
  });
}

export function renderAccess(store) {
  const chats = store.gateways.filter((gateway) => gateway.platform !== "web");
  byId("access").hidden = chats.length === 0;
  reconcile(byId("platforms"), chats.map(platformEntry));
  reconcile(byId("requests"), (store.access?.open ?? []).map(requestEntry));
  reconcile(byId("people"), (store.access?.people ?? []).map(personEntry));
}

function platformEntry(gateway) {
  const state = gateway.ok ? t("hears") : gateway.reason?.[language] || gateway.reason?.en || t("deaf");
  return {
    key: gateway.platform,
    sign: JSON.stringify(gateway),
    build: () => h("li", { class: gateway.ok ? "hears" : "deaf", title: state },
      h("span", { class: "signal", "aria-hidden": "true" }), h("span", { class: "platform-name" }, gateway.platform),
      h("span", { class: "muted" }, state)),
  };
}

function requestEntry(request) {
  const button = (approve, mark) => h("button", {
    class: `settle ${approve ? "approve" : "deny"}`, type: "button", "data-code": request.code, "data-approve": String(approve),
  }, icon(mark, 14), h("span", {}, t(approve ? "approve" : "deny")));
  return {
    key: `${request.platform}/${request.person}/${request.code}`,
    sign: "",
    build: () => h("li", {}, h("p", {}, h("strong", {}, request.name || request.person), " ",
      h("span", { class: "muted" }, t("asksOn", { platform: request.platform, when: whenShort(request.asked_at) }))),
    h("code", {}, request.code), h("span", { class: "settles" }, button(true, "check"), button(false, "cross"))),
  };
}

function personEntry(person) {
  return {
    key: `${person.platform}/${person.person}`,
    sign: person.name,
    build: () => h("li", { title: person.person }, icon("check", 13), h("span", {}, person.name || person.person),
      h("span", { class: "muted" }, person.platform)),
  };
}

// A line of the service that asks for a decision.
export function approvalButtons(post, onDecide) {
  if (!post.approval) return null;
  const button = (name, argument = post.approval, label = t(name)) => h("button", { class: `settle ${name}`, type: "button", onclick: async (event) => {
    const buttons = [...event.currentTarget.parentNode.children];
    for (const each of buttons) each.disabled = true;
    if (!(await onDecide(name, argument))) for (const each of buttons) each.disabled = false;
  } }, label);
  const choices = post.choices.map((choice, index) => button("answer", `${post.approval} ${index + 1}`, choice));
  return h("span", { class: "settles" }, choices.length ? choices : post.deciding.map((name) => button(name)));
}
