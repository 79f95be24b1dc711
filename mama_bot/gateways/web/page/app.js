// The page: what is open, what is read again when, and what is drawn.
import { renderAccess, setUpAccess } from "/assets/access.js";
import { call, listen, newId } from "/assets/api.js";
import { keepAnswer } from "/assets/commands.js";
import { Composer } from "/assets/composer.js";
import { byId, h, icon, reconcile } from "/assets/dom.js";
import { sendFiles } from "/assets/files.js";
import { showJudge } from "/assets/judge.js";
import { inline } from "/assets/markdown.js";
import { showMetrics } from "/assets/metrics.js";
import { Own } from "/assets/own.js";
import { renderSidebar, setUpSidebar, showDrawer } from "/assets/sidebar.js";
import { Store } from "/assets/store.js";
import { renderTimeline } from "/assets/timeline.js";
import { renderWorking, tick } from "/assets/working.js";
import { errorSentence, language, t } from "/assets/words.js";

const NEAR_THE_END = 120;
const OPEN_AGAIN_MILLISECONDS = 3000;
const store = new Store();
const retries = new Map();
const reading = new Map();
const scroll = byId("scroll");
const composer = new Composer(store, { onSend: send, onStop: stop, onCommand: (asked, text) => command(asked, text) });
store.decide = (name, argument, label = t(name)) => command({ name, argument }, label);
store.press = (name, post) => command({ name, post_id: post?.id ?? "" }, t(name));
store.own = new Own(store, { draw, wantState, composer, announce });
let stateWanted = null;
let drawing = false;
let stopping = false;
let following = true;
let wasLost = false;
let openAgain = null;

// --- drawing -----------------------------------------------------------------------------------------

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawNow();
  });
}

function drawNow() {
  renderSidebar(store);
  renderAccess(store);
  for (const line of ["banner", "warning", "settings"]) {
    byId(line).replaceChildren(...inline(store[line]?.[language] ?? store[line]?.en ?? ""));
    byId(line).hidden = !store[line];
  }
  if (!store.current) {
    if (viewed()) drawViewTop(viewed());
    return;
  }
  const conversation = store.conversation(store.current);
  renderTimeline(byId("timeline"), conversation, store);
  renderWorking(byId("working"), conversation, store);
  byId("earlier").hidden = !conversation.hasEarlier;
  drawTop(conversation);
  drawEmpty(conversation);
  // What a new conversation suggests is read from its head.
  if (following) scroll.scrollTop = byId("empty").hidden ? scroll.scrollHeight : 0;
  drawToEnd();
}

function drawTop(conversation) {
  store.own.drawTop();
  const summary = store.summaries.find((known) => known.id === conversation.id);
  const title = summary?.title.trim() || [...conversation.messages.values()][0]?.text.slice(0, 80) || t("untitled");
  byId("title").textContent = title;
  const working = [...conversation.working.values()].map((work) => store.persona(work.turn.persona).display_name);
  const state = working.length
    ? t("teamWorking", { names: [...new Set(working)].join(", ") })
    : t("ready", { n: store.team.size });
  const { name, in_place: inPlace } = conversation.repository ?? {};
  byId("status").textContent = name ? `${state} · ${t(inPlace ? "worksInPlace" : "worksIn", { name })}` : state;
  const busy = working.length > 0 || conversation.queued.size > 0;
  byId("stop").hidden = !busy;
  if (!busy) stopping = false;
  byId("stop").disabled = stopping;
  byId("stop").lastChild.textContent = t(stopping ? "stopping" : "stop");
  const unread = store.summaries.filter((known) => store.unread(known)).length;
  document.title = `${unread ? `(${unread}) ` : ""}${title} · mama-bot`;
}

function drawViewTop({ name, about }) {
  store.own.drawTop();
  byId("title").textContent = t(name);
  byId("status").textContent = t(about);
  document.title = `${t(name)} · mama-bot`;
}

function drawEmpty(conversation) {
  const empty = conversation.loaded && !conversation.messages.size && !conversation.posts.size && !conversation.sending.size && !conversation.answers.length;
  const place = byId("empty");
  place.hidden = !empty;
  if (!empty || place.firstChild) return;
  const example = (word) => h("button", { class: "example", type: "button", onclick: () => composer.write(t(word)) },
    h("span", {}, t(word)), h("small", {}, t(word + "Note")));
  // The banner stands where the model is scripted: these are what its script has a part for, in its own repository or another.
  const stories = store.demoRepository ? ["story1", "story2", "story3", "story4", "story5"] : ["story4", "story6", "story3"];
  const words = store.banner ? stories : ["example1", "example2", "example3"];
  place.append(store.banner ? "" : h("img", { src: "/assets/icon.svg", alt: "", width: "52", height: "52" }),
    h("h3", {}, t("emptyTitle")), h("p", {}, t("emptyText")), h("div", { class: "examples" }, words.map(example)));
}

const distance = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;

function drawToEnd() {
  byId("to-end").hidden = distance() < 2 * NEAR_THE_END;
}

function announce(sentence) {
  byId("announce").textContent = sentence;
}

// --- reading -----------------------------------------------------------------------------------------

async function readState() {
  clearTimeout(stateWanted);
  stateWanted = null;
  store.takeState(await call("GET", "/api/state"));
  noteSeen();
  draw();
}

function wantState() {
  stateWanted ??= setTimeout(() => readState().catch(() => {}), 200);
}

// One reading of a conversation at a time; what happens meanwhile leads to one more.
async function read(id, limit) {
  const running = reading.get(id);
  if (running) {
    running.again = Math.max(running.again, limit);
    return;
  }
  const state = { again: 0 };
  reading.set(id, state);
  try {
    const view = await call("GET", `/api/conversations/${encodeURIComponent(id)}?limit=${limit}`);
    const conversation = store.conversation(id);
    conversation.take(view);
    if (limit >= conversation.limit) conversation.hasEarlier = view.messages.length >= limit;
    noteSeen();
  } finally {
    reading.delete(id);
    draw();
  }
  if (state.again) await read(id, state.again);
}

const reread = (id, messageId) => read(id, store.conversation(id).reach(messageId)).catch(() => {});

function noteSeen() {
  if (document.visibilityState !== "visible" || !store.current) return;
  const summary = store.summaries.find((known) => known.id === store.current);
  store.see(store.current, summary?.last_at);
}

// --- what happens ------------------------------------------------------------------------------------

const events = {
  async open() {
    try {
      await readState();
      if (!store.current) await navigate();
      else await read(store.current, store.conversation(store.current).limit);
    } catch (error) {
      wasLost = true;
      strip(error.code === "unreachable" ? t("lost") : errorSentence(error), "lost");
      clearTimeout(openAgain);
      openAgain = setTimeout(events.open, OPEN_AGAIN_MILLISECONDS);
      return;
    }
    composer.reached();
    strip(wasLost ? t("regained") : "", "regained");
    wasLost = false;
  },
  lost() {
    wasLost = true;
    strip(t("lost"), "lost");
  },
  state: wantState,
  message({ conversation, message }) {
    wantState();
    const held = store.conversation(conversation);
    held.sending.delete(message.id);
    held.messages.set(message.id, message);
    if (conversation === store.current) reread(conversation, message.id);
    draw();
  },
  withdrawn({ conversation, message }) {
    store.conversation(conversation).withdraw(message);
    wantState();
    draw();
  },
  standing(step) {
    store.conversation(step.conversation).stand(step);
    wantState();
    draw();
  },
  post({ conversation, post }) {
    wantState();
    if (conversation !== store.current) return;
    if (post.kind === "reply") announce(t("replied", { name: post.display_name }));
    const turn = store.conversation(conversation).turns.get(post.turn_id);
    reread(conversation, turn?.message_id);
  },
  progress(step) {
    const conversation = store.conversation(step.conversation);
    conversation.step(step);
    if (step.kind === "turn_started" || step.kind === "turn_finished") {
      wantState();
      if (step.conversation === store.current) reread(step.conversation, step.turn.message_id);
      if (step.kind === "turn_started" && step.conversation === store.current) {
        announce(t("working", { name: store.persona(step.turn.persona).display_name }));
      }
    }
    draw();
  },
};

let stripTimer;

function strip(sentence, kind) {
  clearTimeout(stripTimer);
  const place = byId("connection");
  place.textContent = sentence;
  place.className = `strip ${kind}`;
  place.hidden = !sentence;
  if (kind === "regained") stripTimer = setTimeout(() => (place.hidden = true), 4000);
}

// --- what the person does ----------------------------------------------------------------------------

async function send(text, files) {
  const id = store.current;
  const conversation = store.conversation(id);
  const again = retries.get(id);
  const messageId = again?.text === text ? again.id : newId();
  conversation.sending.set(messageId, { text, files });
  following = true;
  draw();
  try {
    const names = await sendFiles(id, messageId, files);
    await call("POST", `/api/conversations/${id}/messages`, { id: messageId, text, files: names, language });
    retries.delete(id);
    reread(id);
    wantState();
  } catch (error) {
    conversation.sending.delete(messageId);
    retries.set(id, { id: messageId, text });
    composer.giveBack(id, text, errorSentence(error), files);
    draw();
  }
}

// Whether it was carried out.
async function command(asked, text) {
  let done = false;
  const id = store.current;
  const conversation = store.conversation(id);
  following = true;
  try {
    const answer = await call("POST", `/api/conversations/${id}/commands`, { ...asked, language });
    keepAnswer(conversation, store.now(), text.trim(), answer);
    announce(answer.text.slice(0, 300));
    done = answer.done;
    reread(id);
    wantState();
  } catch (error) {
    composer.giveBack(id, text, errorSentence(error));
  }
  draw();
  return done;
}

async function stop() {
  stopping = true;
  draw();
  try {
    const { stopped } = await call("POST", `/api/conversations/${store.current}/stop`, {});
    if (!stopped) announce(t("nothingToStop"));
    reread(store.current);
  } catch (error) {
    composer.refuse(errorSentence(error));
  } finally {
    stopping = false;
    draw();
  }
}

async function newConversation() {
  try {
    const { id } = await call("POST", "/api/conversations", {});
    location.hash = "#/c/" + id;
  } catch (error) {
    composer.refuse(errorSentence(error));
  }
}

async function earlier() {
  const conversation = store.conversation(store.current);
  conversation.limit = Math.min(2000, conversation.limit + 100);
  const before = distance();
  following = false;
  await read(conversation.id, conversation.limit).catch(() => {});
  requestAnimationFrame(() => requestAnimationFrame(() => {
    scroll.scrollTop = scroll.scrollHeight - scroll.clientHeight - before;
  }));
}

// What is shown instead of a conversation, by its address.
const VIEWS = {
  "#/metrics": { name: "metrics", about: "metricsExplained", open: () => showMetrics(store) },
  "#/judge": { name: "judge", about: "judgeAbout", open: showJudge },
};
const viewed = () => VIEWS[location.hash];

function showView(view) {
  for (const { name } of Object.values(VIEWS)) {
    byId(name + "-view").hidden = view?.name !== name;
    if (view?.name === name) byId(name + "-link").setAttribute("aria-current", "page");
    else byId(name + "-link").removeAttribute("aria-current");
  }
  for (const id of ["scroll", "composer"]) byId(id).hidden = Boolean(view);
  if (view) byId("to-end").hidden = true;
}

async function navigate() {
  const view = viewed();
  showView(view);
  if (view) {
    store.current = null;
    showDrawer(false);
    draw();
    await view.open();
    return;
  }
  const match = /^#\/c\/([A-Za-z0-9_-]{1,64})$/.exec(location.hash);
  if (!match) {
    const latest = store.summaries[0];
    if (latest) location.replace("#/c/" + latest.id);
    else await newConversation();
    return;
  }
  store.current = match[1];
  following = true;
  stopping = false;
  reconcile(byId("timeline"), []);
  reconcile(byId("working"), []);
  composer.open(store.current);
  showDrawer(false);
  noteSeen();
  draw();
  await read(store.current, store.conversation(store.current).limit).catch((error) => composer.refuse(errorSentence(error)));
  if (matchMedia("(pointer: fine)").matches) composer.box.focus();
}

// --- start -------------------------------------------------------------------------------------------

for (const node of document.querySelectorAll("[data-word]")) node.textContent = t(node.dataset.word);
byId("earlier").textContent = t("earlier");
byId("earlier").addEventListener("click", earlier);
byId("to-end").append(icon("down", 16), h("span", {}, t("toEnd")));
byId("to-end").addEventListener("click", () => {
  following = true;
  drawNow();
});
scroll.addEventListener("scroll", () => {
  following = distance() < NEAR_THE_END;
  drawToEnd();
}, { passive: true });
addEventListener("resize", () => following && draw());
addEventListener("hashchange", navigate);
addEventListener("mama-reported", () => {
  announce(t("reportThanks"));
  draw();
});
document.addEventListener("visibilitychange", () => {
  noteSeen();
  draw();
});
setUpSidebar(newConversation, (name) => {
  showDrawer(false);
  composer.mention(name);
});
setUpAccess(wantState, (sentence) => composer.refuse(sentence));
setInterval(() => tick(byId("working"), store), 1000);
// A hidden page has no stream (see listen): its title counts what is unread all the same.
// One that is seen looks whether the platforms still hear: no event tells of that.
setInterval(wantState, 30_000);

try {
  await readState();
  if (document.activeElement === composer.box) composer.complete();
} catch (error) {
  strip(errorSentence(error), "lost");
}
await navigate();
listen(events);
