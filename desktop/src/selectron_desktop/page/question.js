// The page that asks which activity it is, and takes what one declares.

const KEPT = "selectron-token";
const get = (id) => document.getElementById(id);

const PAUSE = 2000; // milliseconds between two looks
const MOST = 8; // activities that get a button of their own
let shown = null; // the question that is shown
let choices = []; // its answers, as they are numbered
let busy = false;
let latest = null; // the state that is shown
let past = null; // the question that was answered last
let again = null; // and that, while the answer is being corrected

class Refusal extends Error {}

function token() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    localStorage.setItem(KEPT, given);
    history.replaceState(null, "", location.pathname);
  }
  return localStorage.getItem(KEPT);
}

// What the server sends, or a Refusal; no answer is a TypeError of fetch.
async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token()}`, "content-type": "application/json" };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const value = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(value.error?.message ?? response.statusText);
  return value;
}

// Text is only ever set as text.
function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...[content ?? []].flat());
  return made;
}

const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function say(text, wrong = false) {
  get("said").textContent = text;
  get("said").classList.toggle("wrong", wrong);
}

function show(state) {
  const { activities, declared, since, trouble, waiting } = state;
  const question = again ?? state.question;
  latest = state;
  get("back").hidden = !past;
  get("link").textContent = trouble ?? "";
  get("names").replaceChildren(...activities.map((name) => element("option", [], { value: name })));
  get("declared").textContent = declared === null ? "Nothing declared yet." : `${declared}, since ${clock(since)}`;
  draw("activities", activities.filter((name) => name !== declared).slice(-MOST), (name) => button(name, () => declare(name)));
  get("question").hidden = !question;
  get("quiet").hidden = Boolean(question);
  document.title = `${question ? "(?) " : ""}Activity · Selectron`;
  if (!question) shown = null;
  else if (JSON.stringify([question, activities]) !== shown) put(question, activities, waiting);
}

// Buttons are recreated only if they change, so that the focus stays where it is.
function draw(id, names, made) {
  const box = get(id);
  if (box.dataset.names === JSON.stringify(names)) return;
  box.dataset.names = JSON.stringify(names);
  box.replaceChildren(...names.map(made));
}

function put(question, activities, waiting) {
  shown = JSON.stringify([question, activities]);
  choices = [...new Set([question.activity, question.declared, ...activities.toReversed()])].filter((name) => name !== null).slice(0, MOST);
  get("asked").textContent = `Are you working on “${question.activity}”?`;
  const before = question.declared === null ? "Nothing was declared." : `You had declared “${question.declared}”.`;
  get("why").textContent = `Estimated since ${clock(question.since)}. ${before}${waiting > 1 ? ` ${waiting - 1} more after this one.` : ""}`;
  get("answers").dataset.names = "";
  draw("answers", choices, (name, i) => {
    const words = name === question.activity ? `Yes, ${name}` : name === question.declared ? `No, still ${name}` : name;
    const kind = name === question.activity ? "yes" : name === question.declared ? "still" : "other";
    return button([element("kbd", String(i + 1)), ` ${words}`], () => answer(name), kind);
  });
}

function button(content, pressed, kind = "") {
  const made = element("button", content, { type: "button", class: kind });
  made.addEventListener("click", pressed);
  return made;
}

async function send(path, body, said) {
  if (busy) return;
  busy = true;
  try {
    show(await ask("POST", `/v1/activity/${path}`, body));
    say(said);
  } catch (error) {
    say(error instanceof Refusal ? error.message : "That could not be sent: is selectron-desktop watch running?", true);
  } finally {
    busy = false;
  }
}

function answer(name) {
  if (!shown || busy) return;
  [past, again] = [JSON.parse(shown)[0], null];
  send("answers", { alarm: past.id, activity: name }, `Answered: ${name}.`);
}

// The question is put again; another answer to it corrects the first.
function back() {
  if (!past) return;
  [past, again] = [null, past];
  show(latest);
  say("Answer it again.");
  get("asked").focus({ preventScroll: true });
}

const declare = (name) => send("declarations", { activity: name }, `You work on ${name} now.`);

function form(id, field, deed) {
  get(id).addEventListener("submit", (event) => {
    event.preventDefault();
    const name = get(field).value.trim();
    if (!name) return;
    get(field).value = "";
    deed(name);
  });
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.activeElement?.matches("input, textarea, select")) return;
  if (event.key === "u") back();
  const name = shown && /^[1-9]$/.test(event.key) ? choices[event.key - 1] : undefined;
  if (name === undefined) return;
  event.preventDefault();
  answer(name);
}

async function look() {
  try {
    if (!busy) show(await ask("GET", "/v1/activity"));
  } catch (error) {
    get("link").textContent = error instanceof Refusal ? error.message : "offline";
  }
  setTimeout(look, PAUSE);
}

token();
form("another", "other", answer);
form("switching", "next", declare);
form("create", "fresh", (name) => send("activities", { activity: name }, `Created: ${name}.`));
get("back").addEventListener("click", back);
addEventListener("keydown", pressed);
look();
