// Answers that are not sent yet. Each has a key made here, so that it is never counted twice, also
// if two tabs send it: a tab takes those that it finds when it is opened, and leaves them to others.

import { ask, Refusal, stream } from "./talk.js";

const NAME = `selectron-outbox/${stream}/`; // and the key
let waiting = found();
let sending = false;
let changed = () => {};
let arrived = () => {};
let refused = () => {};

function found() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(NAME));
  const entries = names.map((name) => JSON.parse(localStorage.getItem(name))).filter(Boolean);
  return entries.sort((a, b) => a.at - b.at);
}

function drop(entry) {
  waiting = waiting.filter((other) => other !== entry);
  localStorage.removeItem(NAME + entry.key);
  changed(waiting.length);
}

export function listen(handlers) {
  ({ changed, arrived, refused } = handlers);
  changed(waiting.length);
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
  localStorage.setItem(NAME + entry.key, JSON.stringify(entry));
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
    while (waiting.length) {
      const [entry] = waiting, { key, path, body } = entry;
      try {
        arrived(key, await ask("POST", path, body, key));
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.status === 429 || error.status === 408 || error.status === 401) return;
        refused(key, error);
      }
      drop(entry);
    }
  } finally {
    sending = false;
  }
}
