// The list of streams, and where the token is given.

import { accuracy, ask, element, excuse, facts, forget, get, keep, percent, token } from "./talk.js";

// The questions that wait, and what an admin may have to do something about.
function waiting({ queue, disputed, retired }) {
  const notes = [disputed && `people disagree about ${disputed}`, retired && `${retired} dropped, as too many waited`].filter(Boolean);
  return notes.length ? `${queue} (${notes.join("; ")})` : queue;
}

function card(found) {
  const query = `?stream=${encodeURIComponent(found.name)}`;
  const list = element("dl", facts([
    ["Waiting", waiting(found)],
    ["Answered", `${found.answered} of ${found.asked} asked for`],
    ["Items", `${found.items}, ${percent(found.items ? found.asked / found.items : 0)} asked for (budget ${found.budget.written})`],
    ["Honest accuracy, lately", accuracy(found.accuracy.recent)],
    ["Always the most frequent class", percent(found.majority)],
  ]));
  const links = element("p", [element("a", "Label", { href: `/label${query}` }), " · ", element("a", "History", { href: `/history${query}` })]);
  return element("section", [element("h2", found.title), list, links], { class: "card" });
}

async function show() {
  const login = get("login");
  login.hidden = Boolean(token());
  if (!token()) return get("token").focus();
  try {
    const { streams } = await ask("GET", "/v1/streams");
    get("streams").replaceChildren(...streams.map(card));
    get("link").textContent = "";
  } catch (error) {
    if (error.status === 401 || error.status === 403) {
      forget();
      login.hidden = false;
      get("refused").textContent = error.message;
    } else {
      get("link").textContent = error.status ? "" : "offline";
      if (error.status || !document.querySelector(".card")) get("streams").replaceChildren(...excuse(error));
    }
  }
}

get("login").addEventListener("submit", (event) => {
  event.preventDefault();
  keep(get("token").value.trim());
  show();
});
show();
setInterval(() => token() && show(), 5000);
