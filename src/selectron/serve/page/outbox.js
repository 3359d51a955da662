// Answers that are not sent yet. Each has a key made here, so that it is never counted twice, also
// if two tabs send it: a tab takes those that it finds when it is opened, and leaves them to others.
// They are those of one person: who gave them, even if another one has signed in since.

import { ask, Refusal, stream, token } from "./talk.js";

let me = null; // whose token it is: { given, name }
let waiting = [];
let sending = false;
let changed = () => {};
let arrived = () => {};
let refused = () => {};

const place = (key) => `selectron-outbox/${stream}/${me.name}/${key}`;

// Find out whose token it is, and take what this person has not sent; a question is shown after that.
export async function identify() {
  const given = token();
  if (me?.given === given) return;
  const { name } = await ask("GET", "/v1/me");
  me = { given, name };
  waiting = found();
  changed(waiting.length);
}

function found() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(place("")));
  const entries = names.map((name) => JSON.parse(localStorage.getItem(name))).filter(Boolean);
  return entries.sort((a, b) => a.at - b.at);
}

function drop(entry) {
  waiting = waiting.filter((other) => other !== entry);
  localStorage.removeItem(place(entry.key));
  changed(waiting.length);
}

export function listen(handlers) {
  ({ changed, arrived, refused } = handlers);
  send();
  setInterval(send, 3000);
  addEventListener("online", send);
}

export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function put(path, body) {
  const entry = { key: newKey(), at: Date.now(), path, body };
  waiting.push(entry);
  localStorage.setItem(place(entry.key), JSON.stringify(entry));
  changed(waiting.length);
  send();
  return entry.key;
}

// Take back what has not left yet: was it still here?
export function withdraw(key) {
  const entry = waiting.find((one, i) => one.key === key && !(sending && i === 0));
  if (entry) drop(entry);
  return Boolean(entry);
}

export async function send() {
  if (sending) return;
  sending = true;
  try {
    for (await identify(); waiting.length; await identify()) {
      const [entry] = waiting, { key, path, body } = entry;
      try {
        arrived(key, await ask("POST", path, body, key));
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.status === 429 || error.status === 408 || error.status === 401) return;
        refused(key, error);
      }
      drop(entry);
    }
  } catch {
    // it is not known whose they are: tried again
  } finally {
    sending = false;
  }
}
