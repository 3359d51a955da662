// The strip of charts: what the server's points tell.

import { accuracy, element, get, percent } from "./talk.js";

const [AT, ITEMS, ANSWERED, ASKED, QUEUE, ACCURACY, LOW, HIGH] = [0, 1, 2, 3, 4, 5, 6, 7];
const charts = {};

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function options(id, series, range, drifts) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 0.5 }, ticks: { stroke: colour("line") } };
  return {
    width: get(id).clientWidth, height: 110, legend: { show: false }, cursor: { show: false },
    scales: { x: { time: false }, y: { range } },
    axes: [{ ...axis, size: 26 }, { ...axis, size: 44 }],
    series: [{}, ...series],
    bands: id === "accuracy" ? [{ series: [2, 3], fill: `${colour("main")}33` }] : undefined,
    hooks: { draw: [(plot) => marks(plot, drifts())] },
  };
}

// A line where the leading part of the model gave way to a younger one.
function marks(plot, drifts) {
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

let drifts = [];

function draw(id, data, series, range) {
  const plot = charts[id];
  if (plot) return plot.setData(data);
  charts[id] = new uPlot(options(id, series, range, () => drifts), data, get(id));
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

export function show(state) {
  last = state;
  const { points } = state;
  const column = (i) => points.map((point) => point[i]);
  drifts = state.drifts.map(([time]) => points.find((point) => point[AT] >= time)?.[ITEMS]).filter((x) => x !== undefined);
  if (globalThis.uPlot && points.length > 1) {
    const line = (name, width = 2) => ({ stroke: colour(name), width, points: { show: false } });
    draw("accuracy", [column(ITEMS), column(ACCURACY), column(HIGH), column(LOW)], [line("main"), line("main", 0), line("main", 0)], [0, 1]);
    draw("labels", [column(ITEMS), column(ASKED), column(ANSWERED)], [line("quiet"), line("good")], (plot, low, high) => [0, Math.max(1, high)]);
    draw("queue", [column(ITEMS), column(QUEUE)], [line("main")], (plot, low, high) => [0, Math.max(1, high)]);
  }
  numbers(state);
}

function numbers(state) {
  const facts = [
    ["Waiting", state.queue],
    ["Items", state.items],
    ["Asked for", `${state.asked}, ${percent(state.items ? state.asked / state.items : 0)} (budget ${state.budget.written})`],
    ["Answered", state.answered],
    ["Honest accuracy, lately", accuracy(state.accuracy.recent)],
    ["Of all items", accuracy(state.accuracy.overall)],
  ];
  get("numbers").replaceChildren(...facts.map(([name, value]) => element("div", [element("dt", name), element("dd", String(value))])));
  const count = state.drifts.length;
  get("drifts").textContent = count ? `${count} ${count > 1 ? "drifts" : "drift"} noticed, the last after item ${state.drifts[count - 1][1]} of the log.` : "No drift noticed yet.";
}
