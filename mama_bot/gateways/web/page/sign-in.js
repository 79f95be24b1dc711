// The form that asks for the page's key.
import { t, errorSentence } from "/assets/words.js";
import { call } from "/assets/api.js";

const form = document.getElementById("sign-in");
const key = document.getElementById("key");
const refusal = document.getElementById("refusal");
const enter = document.getElementById("enter");

document.getElementById("key-label").textContent = t("keyLabel");
document.getElementById("key-hint").textContent = t("keyHint");
enter.textContent = t("signIn");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  enter.disabled = true;
  refusal.hidden = true;
  try {
    await call("POST", "/api/session", { key: key.value });
    location.replace("/" + location.hash);
  } catch (error) {
    refusal.textContent = errorSentence(error);
    refusal.hidden = false;
    key.select();
  } finally {
    enter.disabled = false;
  }
});
