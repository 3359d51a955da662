// What all pages share: the token, requests, and elements. Text is only ever set as text.

const KEPT = "selectron-token";

export function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    localStorage.setItem(KEPT, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem(KEPT);
}

export function keep(value) {
  localStorage.setItem(KEPT, value);
}

export function forget() {
  localStorage.removeItem(KEPT);
}

export const stream = new URLSearchParams(location.search).get("stream");
export const at = (path) => `/v1/streams/${encodeURIComponent(stream)}${path}`;

export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

function refusal(response, value) {
  return new Refusal(response.status, value.error?.code, value.error?.message ?? response.statusText);
}

export const notice = (title, ...lines) => [element("h2", title), ...lines.map((line) => element("p", line))];

// What is shown where something should be, and is not: what the server refuses, or that it is away.
export function excuse(error) {
  if (error.status) return notice(error.message, element("a", "All streams", { href: "/" }));
  return notice("The server does not answer.", "This page goes on as soon as it is back.");
}

export function facts(pairs) {
  return pairs.map(([name, value]) => element("div", [element("dt", name), element("dd", String(value))]));
}

// An answer of the server is the value it sends, or a Refusal; no answer is a TypeError of fetch.
// What is sent while a page closes has to outlive it (keepalive).
export async function ask(method, path, body, key, keepalive = false) {
  const headers = { authorization: `Bearer ${token()}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (key) headers["idempotency-key"] = key;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(path, { method, headers, body: text, keepalive });
  const value = await response.json().catch(() => ({}));
  if (response.status === 401 && location.pathname !== "/") location.href = "/";
  if (!response.ok) throw refusal(response, value);
  return value;
}

export function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...[content ?? []].flat());
  return made;
}

export const get = (id) => document.getElementById(id);

export function pages(here) {
  const query = `?stream=${encodeURIComponent(stream)}`;
  const links = [["Streams", "/"], ["Label", `/label${query}`], ["History", `/history${query}`]];
  get("nav").replaceChildren(
    ...links.map(([name, href]) => element("a", name, name === here ? { href, "aria-current": "page" } : { href })),
  );
}

export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)}%`);

export function accuracy(found) {
  return found.estimate === null ? "not known yet" : `${percent(found.estimate)} (${percent(found.low)} to ${percent(found.high)})`;
}

// News of the stream, as they come; they begin again where the connection breaks, unless the server
// refuses them for good: there is no such stream, or the token has another role.
export async function news(heard, linked, refused) {
  for (;;) {
    try {
      const headers = { authorization: `Bearer ${token()}` };
      const response = await fetch(at("/events"), { headers });
      if (response.status === 401) location.href = "/";
      if (response.status === 403 || response.status === 404) return refused(refusal(response, await response.json()));
      if (!response.ok) throw new Error(response.statusText);
      linked(true);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        const last = parts.filter((part) => part.includes("data: ")).pop();
        if (last) heard(JSON.parse(last.slice(last.indexOf("data: ") + 6)));
      }
    } catch (error) {
      if (error instanceof SyntaxError) console.error(error);
    }
    linked(false);
    await new Promise((wake) => setTimeout(wake, 2000));
  }
}
