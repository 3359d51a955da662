// The strip of charts: what the server's points show.

import { accuracy, element, facts, get, percent } from "./talk.js";

const [AT, ITEMS, ANSWERED, ASKED, QUEUE, ACCURACY, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6, 7];
const charts = {};
let drifts = []; // where to draw them, in items

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function options(id, series, range) {
  const axis = { stroke: colour("quiet"), grid: { stroke: `${colour("line")}55`, width: 1 }, ticks: { stroke: colour("line") } };
  return {
    width: get(id).clientWidth, height: 110, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false }, y: { range } },
    axes: [{ ...axis, size: 26 }, { ...axis, size: 44 }],
    series: [{}, ...series],
    bands: id === "accuracy" ? [{ series: [2, 3], fill: `${colour("main")}33` }] : undefined,
    hooks: { draw: [marks] },
  };
}

// A line where the leading part of the model gave way to a younger one.
function marks(plot) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour("warn");
  ctx.setLineDash([4, 4]);
  for (const x of drifts) {
    const place = Math.round(plot.valToPos(x, "x", true));
    ctx.beginPath();
    ctx.moveTo(place, bbox.top);
    ctx.lineTo(place, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function draw(id, data, series, range) {
  const plot = charts[id];
  if (plot) return plot.setData(data);
  charts[id] = new uPlot(options(id, series, range), data, get(id));
}

function redraw(state) {
  for (const [id, plot] of Object.entries(charts)) {
    plot.destroy();
    delete charts[id];
  }
  show(state);
}

let last = null;
addEventListener("resize", () => last && redraw(last));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => last && redraw(last));

// What a chart shows, for those who do not see it: its last values, and a table of some.
function describe(id, caption, names, rows) {
  if (!rows.length) return get(id).setAttribute("aria-label", `${caption}: nothing yet.`);
  const last = rows.at(-1);
  const now = names.slice(1).map((name, i) => `${name} ${last[i + 1]}`).join(", ");
  get(id).setAttribute("aria-label", `${caption}, from ${rows[0][0]} to ${last[0]} items; at the end: ${now}.`);
  const step = Math.ceil(rows.length / 20);
  const some = rows.filter((row, i) => (rows.length - 1 - i) % step === 0);
  const line = (kind, row, scope) => element("tr", row.map((value) => element(kind, String(value), scope)));
  const table = element("table", [element("thead", line("th", names, { scope: "col" })), element("tbody", some.map((row) => line("td", row)))]);
  const values = get(`${id}-values`);
  values.replaceChildren(table);
  values.parentElement.hidden = false;
}

function describeAll(points) {
  const rows = (...columns) => points.map((point) => columns.map((i) => (i < ACCURACY ? point[i] : percent(point[i]))));
  describe("accuracy", "Honest accuracy of items answered lately", ["items", "estimate", "low", "high"], rows(ITEMS, ACCURACY, LOW, HIGH));
  describe("labels", "Labels", ["items", "asked for", "answered"], rows(ITEMS, ASKED, ANSWERED));
  describe("queue", "Questions that wait", ["items", "waiting"], rows(ITEMS, QUEUE));
}

export function show(state) {
  last = state;
  const { points } = state;
  const column = (i) => points.map((point) => point[i]);
  drifts = state.drifts.map(([time]) => points.find((point) => point[AT] >= time)?.[ITEMS]).filter((x) => x !== undefined);
  if (globalThis.uPlot && points.length > 1) {
    const line = (name, width = 2, dash = []) => ({ stroke: colour(name), width, dash, points: { show: false } });
    draw("accuracy", [column(ITEMS), column(ACCURACY), column(HIGH), column(LOW)], [line("main"), line("main", 1), line("main", 1)], [0, 1]);
    draw("labels", [column(ITEMS), column(ASKED), column(ANSWERED)], [line("quiet", 2, [6, 4]), line("good")], (plot, low, high) => [0, Math.max(1, high)]);
    draw("queue", [column(ITEMS), column(QUEUE)], [line("main")], (plot, low, high) => [0, Math.max(1, high)]);
  }
  describeAll(points);
  numbers(state);
}

function numbers(state) {
  get("numbers").replaceChildren(...facts([
    ["Waiting", state.disputed ? `${state.queue}, ${state.disputed} as people disagree` : state.queue],
    ["Items", state.items],
    ["Asked for", `${state.asked}, ${percent(state.items ? state.asked / state.items : 0)} (budget ${state.budget.written})`],
    ["Answered", state.answered],
    ["Honest accuracy, lately", accuracy(state.accuracy.recent)],
    ["Of all items", accuracy(state.accuracy.overall)],
    ["Always the most frequent class", percent(state.majority)],
  ]));
  classes(state.per_class);
  const count = state.drifts.length;
  get("drifts").textContent = count ? `${count} ${count > 1 ? "drifts" : "drift"} detected, the last from entry ${state.drifts[count - 1][1]} of the log on.` : "No drift detected yet.";
}

// A table of what is known about each class; one that scrolls can be reached with the keyboard.
function classes(rows) {
  const cells = (row) => [String(row.labels), interval(row.recall), interval(row.precision)];
  get("each-class").replaceChildren(...rows.map((row) => element("tr", [element("th", row.class, { scope: "row" }), ...cells(row).map((text) => element("td", text))])));
  get("classes").hidden = !rows.some((row) => row.labels);
  get("classes").tabIndex = rows.length > 8 ? 0 : -1;
}

function interval({ estimate, low, high }) {
  const [middle, ...ends] = [estimate, low, high].map((share) => Math.round(100 * share));
  return estimate === null ? "–" : `${middle}% (${ends.join(" to ")})`;
}
