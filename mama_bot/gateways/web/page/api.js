// Talking to the service: requests, and the stream of what happens.
export class Refused extends Error {
  constructor(code, sentence, status) {
    super(sentence);
    this.code = code;
    this.status = status;
  }
}

const DEADLINE_MILLISECONDS = 20_000;

const UPLOAD_MILLISECONDS = 120_000;

export const upload = (path, file) => request("POST", path, "application/octet-stream", file, UPLOAD_MILLISECONDS);

export const call = (method, path, body) => body === undefined
  ? request(method, path)
  : request(method, path, "application/json", JSON.stringify(body));

async function request(method, path, type, body, milliseconds = DEADLINE_MILLISECONDS) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: type ? { "content-type": type } : {},
      body,
      signal: AbortSignal.timeout(milliseconds),
    });
  } catch {
    throw new Refused("unreachable", "", 0);
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== "/api/session") location.replace("/sign-in" + location.hash);
  if (!response.ok) throw new Refused(answer.error ?? "failed", answer.message ?? "", response.status);
  return answer;
}

// Keeps a stream open for ever; `on.open` is called at each (re)connection, `on.lost` when it breaks.
export function listen(on) {
  let source;
  let waiting;
  const connect = () => {
    source = new EventSource("/api/events");
    source.onopen = () => on.open();
    source.onerror = () => {
      on.lost();
      if (source.readyState !== EventSource.CLOSED) return;
      clearTimeout(waiting);
      waiting = setTimeout(connect, 1500);
    };
    source.addEventListener("reload", () => on.open());
    for (const kind of ["message", "withdrawn", "post", "progress", "standing", "state"]) {
      source.addEventListener(kind, (event) => {
        if (event.data) on[kind](JSON.parse(event.data));
      });
    }
  };
  connect();
  // A hidden page gives its connection back: browsers allow few of them for one address, whatever the number of tabs.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(waiting);
      source.close();
    } else if (source.readyState === EventSource.CLOSED) connect();
  });
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && connect());
}

export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
