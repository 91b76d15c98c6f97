// Dragging on the timeline. A drag over free space asks the server about a draft, and a drag of the end of a lease
// proposes another end; both answers appear in the panel, where the user confirms or leaves it.

const QUARTER = 15 * 60 * 1000;
const CLICK_PIXELS = 6;
let drag = null;

const timeline = () => document.getElementById("rows");

function moment(lane, x) {
  const { start, end } = timeline().dataset;
  const box = lane.getBoundingClientRect();
  const share = Math.min(1, Math.max(0, (x - box.left) / box.width));
  return Math.round((Number(start) + share * (end - start)) / step()) * step();
}

// A quarter of an hour up to a week, an hour beyond.
function step() {
  const { start, end } = timeline().dataset;
  return end - start > 8 * 24 * 4 * QUARTER ? 4 * QUARTER : QUARTER;
}

function place(element, from, until) {
  const { start, end } = timeline().dataset;
  element.style.left = `${(100 * (from - start)) / (end - start)}%`;
  element.style.width = `${(100 * (until - from)) / (end - start)}%`;
}

function ask(path, parameters) {
  const query = new URLSearchParams(parameters);
  htmx.ajax("GET", `/console${path}?${query}`, { target: "#panel" });
}

const text = (time) => new Date(time).toISOString().slice(0, 16) + "+00:00";
const hours = (span) => `${Math.round(span / (QUARTER / 0.25) * 100) / 100} h`;

document.addEventListener("pointerdown", (event) => {
  const lane = event.target.closest(".trow .lane");
  if (!lane || event.button !== 0 || !timeline()) return;
  const bar = event.target.closest(".bar");
  const row = lane.closest(".trow");
  if (bar) {
    const box = bar.getBoundingClientRect();
    if (!("edge" in bar.dataset) || box.right - event.clientX > 10) return;
    drag = { lane, bar, from: moment(lane, box.left), x: event.clientX };
  } else {
    if (!("bookable" in row.dataset)) return;
    document.querySelectorAll(".bar.draft").forEach((old) => old.remove());
    const draft = document.createElement("div");
    draft.className = "bar draft";
    lane.append(draft);
    drag = { lane, draft, row, from: moment(lane, event.clientX), x: event.clientX };
  }
  document.body.dataset.dragging = "";
  event.preventDefault();
});

document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  drag.to = moment(drag.lane, event.clientX);
  drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > CLICK_PIXELS;
  if (!drag.moved) return;
  if (drag.bar) {
    place(drag.bar, drag.from, Math.max(drag.to, drag.from + step()));
    return;
  }
  const [from, until] = window_(drag);
  place(drag.draft, from, until);
  drag.draft.textContent = hours(until - from);
});

// A draft begins now at the earliest.
function window_({ from, to }) {
  const now = Math.ceil(Number(timeline().dataset.now) / QUARTER) * QUARTER;
  const start = Math.max(Math.min(from, to), now);
  return [start, Math.max(from, to, start + step())];
}

document.addEventListener("pointerup", () => {
  const done = drag;
  drag = null;
  delete document.body.dataset.dragging;
  if (!done) return;
  if (!done.moved) {
    done.draft?.remove();
    return;
  }
  if (done.bar) {
    // The click that follows a drag must not open the bar as well.
    done.bar.addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); }, { once: true, capture: true });
    ask(new URL(done.bar.href).pathname.replace("/console", ""), { end: text(Math.max(done.to, done.from + step())) });
    return;
  }
  const [from, until] = window_(done);
  ask("/find", { node: done.row.dataset.node, start: text(from), end: text(until) });
});

// The keyboard goes on in the panel, not behind the rows that are left.
document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id === "panel") target.focus();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !drag) return;
  drag.draft?.remove();
  drag = null;
  delete document.body.dataset.dragging;
});
