// Answers that are not sent yet. Each has a key made here, so that it is never counted twice.

import { ask, Refusal, stream } from "./talk.js";

const NAME = `selectron-outbox-${stream}`;
let waiting = JSON.parse(localStorage.getItem(NAME) ?? "[]");
let sending = false;
let changed = () => {};
let arrived = () => {};
let refused = () => {};

function kept() {
  localStorage.setItem(NAME, JSON.stringify(waiting));
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
  const entry = { key: newKey(), path, body };
  waiting.push(entry);
  kept();
  send();
  return entry.key;
}

// Take back what has not left yet: was it still here?
export function withdraw(key) {
  const before = waiting.length;
  waiting = waiting.filter((entry, i) => entry.key !== key || (sending && i === 0));
  kept();
  return waiting.length < before;
}

export async function send() {
  if (sending) return;
  sending = true;
  try {
    while (waiting.length) {
      const { key, path, body } = waiting[0];
      try {
        arrived(key, await ask("POST", path, body, key));
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.status === 429 || error.status === 408 || error.status === 401) return;
        refused(key, error);
      }
      waiting.shift();
      kept();
    }
  } finally {
    sending = false;
  }
}
