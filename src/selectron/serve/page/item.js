// An item as a person can read it: text, an image, or a tree. Nothing in it is ever markup.

import { element } from "./talk.js";

const IMAGE = /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/;

export function shown(content) {
  if (content === null || content === undefined) return [element("p", "The item itself is no longer kept.", { class: "quiet" })];
  const fields = Object.entries(content);
  if (fields.length === 1 && typeof fields[0][1] === "string") return [value(fields[0][1], fields[0][0])];
  return fields.map(([name, part]) => element("div", [element("span", name, { class: "name" }), value(part, name)], { class: "field" }));
}

function value(part, name) {
  if (typeof part === "string" && IMAGE.test(part)) return element("img", [], { src: part, alt: name });
  if (part === null || typeof part !== "object") return element("span", String(part), { dir: "auto" });
  const entries = Object.entries(part);
  const brackets = Array.isArray(part) ? `[${entries.length}]` : `{${entries.length}}`;
  const inner = entries.map(([key, below]) => element("div", [element("span", `${key}: `, { class: "quiet" }), value(below, key)]));
  return element("details", [element("summary", brackets), ...inner], entries.length < 20 ? { open: "" } : {});
}

export function brief(content) {
  if (!content) return "(no longer kept)";
  const text = Object.values(content).map((part) => (typeof part === "string" ? (IMAGE.test(part) ? "(image)" : part) : JSON.stringify(part))).join(" · ");
  return text.length > 240 ? `${text.slice(0, 240)}…` : text;
}
