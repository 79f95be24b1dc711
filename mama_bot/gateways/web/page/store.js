// What the page knows: the team, the conversations, and what happens in them just now.
import { memory } from "/assets/dom.js";

const HUES = [232, 160, 28, 286, 340, 196, 92, 262];

export class Conversation {
  constructor(id) {
    this.id = id;
    this.messages = new Map();
    this.posts = new Map();
    this.turns = new Map();
    this.queued = new Set();
    this.added = new Set();
    this.working = new Map();
    this.sending = new Map();
    this.answers = [];
    this.reports = new Map();
    this.receipts = new Map();
    this.loaded = false;
    this.hasEarlier = false;
    this.limit = 100;
  }

  take(view) {
    for (const kind of ["messages", "posts", "turns"]) {
      for (const thing of view[kind]) this[kind].set(thing.id, thing);
    }
    for (const message of view.messages) this.sending.delete(message.id);
    for (const report of view.reports) this.takeReport(report);
    for (const receipt of view.receipts) this.receipts.set(receipt.turn_id, receipt);
    this.queued = new Set(view.queued);
    this.repository = view.repository;
    this.added = new Set(view.added);
    this.loaded = true;
    for (const step of view.live) this.step(step);
    for (const turn of this.turns.values()) {
      if (turn.state === "running" && !this.working.has(turn.id)) this.begin(turn, turn.started_at ?? turn.created_at);
      if (turn.state !== "running" && turn.state !== "pending") this.working.delete(turn.id);
    }
    for (const work of this.working.values()) this.queued.delete(work.turn.message_id);
  }

  // How a message stands: it waits in line, or does not wait any more.
  stand({ message, state }) {
    if (state === "waiting") this.queued.add(message);
    else this.queued.delete(message);
    if (state === "added") this.added.add(message);
  }

  // A message that its author took back before its work began.
  withdraw(messageId) {
    this.messages.delete(messageId);
    this.queued.delete(messageId);
  }

  // How many of this conversation are before a message that waits.
  ahead(messageId) {
    return [...this.queued].indexOf(messageId) + (this.working.size ? 1 : 0);
  }

  takeReport(report) {
    this.reports.set(`${report.turn_id}/${report.attempt}`, report);
  }

  begin(turn, at) {
    const work = this.working.get(turn.id) ?? { turn, at, attempt: 0, tools: new Map(), judged: new Map(), retried: null };
    this.working.set(turn.id, work);
    this.queued.delete(turn.message_id);
    return work;
  }

  // A step may come twice (live and from the history's answer); the second one changes nothing.
  step(step) {
    if (step.kind === "turn_finished") {
      this.working.delete(step.turn.id);
      return;
    }
    const work = this.begin(step.turn, step.at);
    if (step.kind === "turn_working") {
      work.attempt = Math.max(work.attempt, step.attempt);
      work.retried = step.event === "model_retried" ? step : null;
      const held = step.tool && work.tools.get(step.tool.id);
      if (step.tool && !held?.ended_at) work.tools.set(step.tool.id, step.tool);
    }
    if (step.kind === "attempt_judged") {
      work.judged.set(step.judgement.attempt, step.judgement);
      if (step.judgement.outcome.kind === "sent_back") work.attempt = Math.max(work.attempt, step.judgement.attempt + 1);
    }
  }

  // How many of the last messages have to be read again to see all that a turn of `messageId` changed;
  // a message that is not known yet is one of the newest.
  reach(messageId) {
    const ids = [...this.messages.keys()];
    const at = ids.indexOf(messageId);
    return at < 0 ? Math.min(this.limit, 20) : Math.min(this.limit, ids.length - at + 2);
  }
}

export class Store {
  constructor() {
    this.team = new Map();
    this.summaries = [];
    this.matches = null; // what a search found, instead of all
    this.conversations = new Map();
    this.banner = null;
    this.demoRepository = false;
    this.warning = null;
    this.settings = null;
    this.queue = { running: 0, waiting: 0, limit: 0 };
    this.limits = { max_message_characters: 100_000, max_file_bytes: 10 * 1024 * 1024, max_files: 10 };
    this.commands = [];
    this.gateways = [];
    this.access = null;
    this.working = [];
    this.skew = 0;
    this.current = null;
    this.seen = memory.get("seen", {});
    this.firstVisit = memory.get("seen", null) === null;
  }

  takeState(state) {
    this.team = new Map(state.team.map((persona, at) => [persona.name, { ...persona, hue: HUES[at % HUES.length] }]));
    this.summaries = state.conversations;
    this.banner = state.banner;
    this.demoRepository = state.demo_repository;
    this.warning = state.warning;
    this.settings = state.settings;
    this.queue = state.queue;
    this.limits = state.limits;
    this.commands = state.commands;
    this.gateways = state.gateways;
    this.access = state.access;
    this.working = state.working;
    this.skew = Date.parse(state.now) - Date.now();
    if (this.firstVisit) for (const summary of state.conversations) this.see(summary.id, summary.last_at);
    this.firstVisit = false;
  }

  now() {
    return Date.now() + this.skew;
  }

  conversation(id) {
    if (!this.conversations.has(id)) this.conversations.set(id, new Conversation(id));
    return this.conversations.get(id);
  }

  forget(id) {
    this.conversations.delete(id);
    this.summaries = this.summaries.filter((summary) => summary.id !== id);
    this.matches = this.matches && this.matches.filter((summary) => summary.id !== id);
    memory.set("draft." + id, null);
  }

  persona(name, displayName, avatar) {
    const known = this.team.get(name);
    if (known) return known;
    const hue = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 360, 7);
    return { name, display_name: displayName || name, avatar: avatar || "", tier: "", about: "", hue };
  }

  see(id, at) {
    if (!at || this.seen[id] >= at) return;
    this.seen[id] = at;
    const kept = Object.entries(this.seen).sort((one, other) => (one[1] < other[1] ? 1 : -1)).slice(0, 300);
    this.seen = Object.fromEntries(kept);
    memory.set("seen", this.seen);
  }

  unread(summary) {
    return summary.id !== this.current && summary.last_at > (this.seen[summary.id] ?? "");
  }
}
