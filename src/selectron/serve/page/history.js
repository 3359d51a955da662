// What was answered, the latest first; your own answers that stand can be corrected, an admin corrects any.

import { brief } from "./item.js";
import { newKey } from "./outbox.js";
import { ask, at, element, excuse, get, pages, stream, token } from "./talk.js";

let before = null;
let classes = [];

const NAMES = ["Item", "Predicted", "Answer", "By", "When", "Correct"];

function said(row) {
  const text = row.verdict === "label" ? row.label : row.verdict === "none" ? "none of these" : "skipped";
  const notes = [row.late && "late", !row.counts && row.verdict !== "skip" && "does not count", row.supersedes && "correction", row.stands && row.disputed && "people disagree"].filter(Boolean);
  return [element("span", text, row.stands || row.late ? {} : { class: "gone" }), notes.length ? element("span", ` ${notes.join(", ")}`, { class: "late" }) : ""];
}

function correction(row) {
  if (!row.correctable) return "";
  const choice = element("select", [], { "aria-label": `Correct the answer about item ${row.item}` });
  choice.append(element("option", "correct…", { value: "" }));
  for (const name of classes) if (name !== row.label) choice.append(element("option", name, { value: `=${name}` }));
  if (row.verdict !== "none") choice.append(element("option", "none of these", { value: "none" }));
  choice.addEventListener("change", () => correct(row, choice.value));
  return choice;
}

async function correct(row, value) {
  if (!value) return;
  const body = value === "none" ? { verdict: "none" } : { label: value.slice(1) };
  try {
    const { learned } = await ask("POST", at(`/answers/${row.answer}/correct`), body, newKey());
    get("said").textContent = `Corrected; ${learned ? "the model has learned it, and " : ""}the old answer stays in the log.`;
    await load(true);
  } catch (error) {
    get("said").textContent = error.message;
  }
}

function line(row) {
  const when = new Date(1000 * row.at).toLocaleString();
  const by = row.who === row.voter ? row.who : `${row.who} for ${row.voter}`;
  const cells = [brief(row.content), row.prediction ?? "–", said(row), by, when, correction(row)];
  return element("tr", cells.map((cell, i) => element("td", cell, { "data-name": NAMES[i], class: i ? "" : "text" })));
}

async function load(anew) {
  if (anew) before = null;
  try {
    const found = await ask("GET", at(`/answers?limit=50${before ? `&before=${before}` : ""}`));
    ({ classes } = found);
    const rows = found.answers;
    before = rows.at(-1)?.answer ?? before;
    let body = document.querySelector("tbody");
    if (anew || !body) {
      const head = element("thead", element("tr", NAMES.map((name) => element("th", name, { scope: "col" }))));
      body = element("tbody", []);
      get("rows").replaceChildren(rows.length ? element("table", [head, body]) : element("p", "Nothing has been answered yet."));
    }
    body.append(...rows.map(line));
    get("more").hidden = rows.length < 50;
    get("link").textContent = "";
  } catch (error) {
    get("link").textContent = error.status ? "" : "offline";
    if (document.querySelector("tbody")) get("said").textContent = error.status ? error.message : "The server does not answer: try again.";
    else get("rows").replaceChildren(...excuse(error));
    if (error.status) return;
    if (!document.querySelector("tbody")) setTimeout(() => load(true), 3000);
  }
}

if (token() && stream) {
  pages("History");
  get("title").textContent = `History of ${stream}`;
  get("more").addEventListener("click", () => load(false));
  load(true);
} else location.replace("/");
