// The page where questions are answered.

import * as chart from "./chart.js";
import { shown } from "./item.js";
import * as outbox from "./outbox.js";
import { at, ask, element, excuse, get, news, notice, pages, percent, stream, token } from "./talk.js";

const REASONS = {
  uncertain: "Asked because the model is not sure.",
  audit: "Asked at random, to measure accuracy.",
  drift: "Asked because the stream seems to be changing.",
};
let now = null; // the question that is shown
let ready = []; // those that come next
let past = []; // what was answered here: { question, key, answer }
let fetching = false;
let trouble = null; // why there is no question, if it is not that none waits
let none = false; // has the server been asked, and had none?
let unread = false; // is the next question to be read out, as it follows an answer?
let state = null;
const KEYS = "selectron-shortcuts";
let skew = 0; // seconds that the server's clock is ahead

function say(text) {
  get("said").textContent = text;
}

async function fetched() {
  await outbox.identify();
  const { question } = await ask("POST", at("/next"));
  if (question) skew = question.lease.now - Date.now() / 1000;
  return question;
}

const left = (question) => question.lease.until - skew - Date.now() / 1000;

// Show a question if none is, and have the next one ready. While it is fetched, the one that is shown
// may be answered, and earlier ones may be taken back.
async function advance() {
  if (fetching) return;
  fetching = true;
  ready = ready.filter((question) => left(question) > 5);
  try {
    for (let more = true; more && !(take() && ready.length);) {
      const question = await fetched();
      const same = question && [now, ...ready].find((one) => one?.item === question.item); // taken back
      if (same) same.lease = question.lease;
      else if (question) ready.push(question);
      more = Boolean(question) && !same;
      none = !question;
    }
    trouble = null;
  } catch (error) {
    trouble = error;
  } finally {
    fetching = false;
  }
  if (!take()) show();
}

// Show the first question that is ready, unless one is shown; return whether one is.
function take() {
  if (!now && ready.length) {
    now = ready.shift();
    show();
  }
  return now !== null;
}

function show() {
  get("question").hidden = !now;
  get("empty").hidden = Boolean(now) || !(none || trouble);
  for (const id of ["skip", "none"]) get(id).disabled = !now;
  if (!now) return trouble ? get("empty").replaceChildren(...excuse(trouble)) : empty();
  get("why").textContent = REASONS[now.reason] ?? "";
  get("item").replaceChildren(...shown(now.content));
  get("item").scrollTop = 0;
  get("prediction").textContent = now.hidden ? "Prediction hidden." : now.label === null ? "No prediction yet." : `Predicted: ${now.label}${likely(now)}`;
  get("answers").replaceChildren(...now.classes.map(button));
  get("another").hidden = !now.new_classes;
  tick();
  if (unread && !typing()) get("item").focus({ preventScroll: true });
  unread = false;
}

// Return the probability of the predicted class, if an answer has been learned before.
function likely({ label, proba }) {
  return proba ? ` (${percent(proba[label])})` : "";
}

function button(name, i) {
  const key = i < 9 ? [element("kbd", String(i + 1)), " "] : [];
  const made = element("button", [...key, name], { type: "button" });
  made.addEventListener("click", () => answer({ verdict: "label", label: name }));
  return made;
}

function empty() {
  const lines = ["Nothing waits for an answer."];
  if (state) {
    const { budget, skipped } = state;
    if (state.queue) lines.push(`${state.queue} ${state.queue > 1 ? "questions are" : "question is"} with others, or skipped by you.`);
    if (state.disputed) lines.push(`People disagree about ${state.disputed} of them: one more person has to answer, or an admin.`);
    lines.push(`Budget ${budget.written}: ${Math.round(budget.left)} labels left so far.`);
    if (budget.next_ask_items) lines.push(`About one item in ${Math.round(budget.next_ask_items)} is asked for${budget.next_ask_seconds ? `: the next in about ${span(budget.next_ask_seconds)}, at the recent rate` : ""}.`);
    else if (!state.items) lines.push("No item has come yet.");
  }
  get("empty").replaceChildren(...notice(...lines));
}

function span(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  if (seconds < 90) return `${whole} second${whole === 1 ? "" : "s"}`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}

function answer(verdict) {
  if (!now) return;
  const key = outbox.put(at(`/items/${now.item}/answers`), { ...verdict, lease: now.lease.token });
  past.push({ question: now, key, answer: null });
  past = past.slice(-20);
  say(verdict.verdict === "label" ? `Labelled ${verdict.label}.` : verdict.verdict === "none" ? "None of the classes." : "Skipped.");
  get("undo").disabled = false;
  now = ready.shift() ?? null;
  none = false;
  unread = true; // a question that is still on its way can only have the focus once it is shown
  show();
  advance();
}

function undo() {
  const last = past.pop();
  get("undo").disabled = past.length === 0;
  if (!last) return;
  if (!outbox.withdraw(last.key)) {
    if (last.answer === null) { // nobody knows its number yet
      past.push(last);
      get("undo").disabled = false;
      return say("The answer is on its way: undo it in a moment.");
    }
    outbox.put(at(`/answers/${last.answer}/undo`), undefined);
    last.question.lease = { token: null, until: Date.now() / 1000 + skew + (state?.lease ?? 120) };
  }
  if (now) ready.unshift(now);
  now = last.question;
  say("Taken back.");
  show();
}

function tick() {
  if (!now) return;
  const seconds = left(now), whole = state?.lease ?? 120;
  get("left").value = Math.max(0, Math.min(1, seconds / whole));
  get("seconds").textContent = seconds > 0 ? `yours for ${span(seconds)}` : "no longer yours: an answer is late, and counts if nobody else has it";
}

// A lease that is looked at is renewed; one of a page that nobody looks at runs out.
async function renew(question) {
  if (!question?.lease.token || document.hidden || left(question) > (state?.lease ?? 120) / 2 || left(question) < 0) return;
  try {
    const { lease } = await ask("POST", at(`/items/${question.item}/renew`), { lease: question.lease.token });
    question.lease = lease;
  } catch {
    // it runs out, which is shown
  }
}

// A page that is closed or loaded again gives back what it has not answered.
function leave() {
  for (const { item, lease } of [now, ...ready].filter((question) => question?.lease.token)) {
    ask("POST", at(`/items/${item}/release`), { lease: lease.token }, null, true).catch(() => {}); // or it runs out
  }
}

const typing = () => document.activeElement?.matches("input, textarea, select") || get("keys").open;

function pressed(event) {
  if (!get("shortcuts").checked || typing() || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const { key } = event;
  const actions = { " ": () => answer({ verdict: "skip" }), n: () => answer({ verdict: "none" }), u: undo, "?": () => get("keys").showModal() };
  if (key === " " && document.activeElement?.matches("button, a, summary")) return; // it is pressed
  if (/^[1-9]$/.test(key) && now && now.classes[key - 1] !== undefined) answer({ verdict: "label", label: now.classes[key - 1] });
  else if (Object.hasOwn(actions, key)) actions[key]();
  else return;
  event.preventDefault();
}

function added(event) {
  event.preventDefault();
  const label = get("fresh").value.trim();
  if (!label) return;
  get("fresh").value = "";
  get("fresh").blur();
  answer({ verdict: "label", label });
}

// Keys of one character can be switched off (WCAG 2.1.4): speech input, and some hands, press them.
function switched() {
  const on = get("shortcuts").checked;
  localStorage.setItem(KEYS, on ? "on" : "off");
  document.body.classList.toggle("keyless", !on);
}

// There is no such stream here, or not for this token: nothing else will come.
function refused(error) {
  [now, ready, trouble] = [null, [], error];
  get("strip").hidden = get("actions").hidden = true;
  show();
}

function begin() {
  if (!token() || !stream) return location.replace("/");
  pages("Label");
  get("skip").addEventListener("click", () => answer({ verdict: "skip" }));
  get("none").addEventListener("click", () => answer({ verdict: "none" }));
  get("undo").addEventListener("click", undo);
  get("help").addEventListener("click", () => get("keys").showModal());
  get("another").addEventListener("submit", added);
  get("shortcuts").checked = localStorage.getItem(KEYS) !== "off";
  get("shortcuts").addEventListener("change", switched);
  switched();
  addEventListener("keydown", pressed);
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  outbox.listen({
    changed: (count) => {
      get("unsent").hidden = count === 0;
      get("unsent").textContent = `${count} unsent`;
    },
    arrived: (key, reply) => {
      const one = past.find((entry) => entry.key === key);
      if (one) one.answer = reply.answer;
      if (reply.late) say("That answer came late; it is recorded as late.");
    },
    refused: (key, error) => say(error.message),
  });
  news((found) => {
    state = found;
    get("title").textContent = found.title;
    chart.show(found);
    if (!now && (found.queue || trouble)) advance();
    else if (!now) show();
  }, (linked) => { get("link").textContent = linked ? "" : "offline"; }, refused);
  setInterval(tick, 1000);
  setInterval(() => [now, ...ready].forEach(renew), 5000);
  setInterval(() => !now && state?.queue && advance(), 15000); // another's lease may have run out
  setInterval(() => !now && trouble && ![403, 404].includes(trouble.status) && advance(), 3000);
  advance();
}

begin();
