// Live updates: when the server says that something changed, the parts of the page that ask for it load again.

const WAIT_MILLISECONDS = 150;
let waiting;

// A user who drags, chooses or types keeps what is on the screen.
function busy() {
  const typing = document.activeElement?.matches("main input, main select");
  return typing || document.querySelector("[data-dragging], .bar.draft, main input:checked") !== null;
}

function refresh() {
  clearTimeout(waiting);
  waiting = setTimeout(() => { if (!busy()) htmx.trigger(document.body, "bookings-changed", { live: true }); }, WAIT_MILLISECONDS);
}

const isLive = (event) => event?.type === "bookings-changed" && event.detail?.live;

// A user who has scrolled keeps all rows, and the place among them.
document.body.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.triggeringEvent?.type !== "bookings-changed") return;
  detail.parameters.rows = detail.elt.querySelectorAll(".trow[data-node], tbody tr").length;
});

// The user may have begun something while the answer was on its way.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (isLive(detail.requestConfig.triggeringEvent) && busy()) detail.shouldSwap = false;
});

const changes = new EventSource("/console/changes");
changes.addEventListener("message", refresh);
// Something may have changed after the server made the page and before it opened the stream, or while it was away.
changes.addEventListener("open", refresh);
addEventListener("pagehide", () => changes.close());
