// Live updates: when the server says that something changed, the parts of the page that ask for it load again.

const PAUSE_MILLISECONDS = 300;
const LATER_MILLISECONDS = 1000;
let waiting = null;
let loadedAt = -Infinity;

// A user who drags, chooses or types keeps what is on the screen.
function busy() {
  const typing = document.activeElement?.matches("main input, main select");
  return typing || document.querySelector("[data-dragging], .bar.draft, main input:checked") !== null;
}

// The first change shows at once; a page loads several that follow each other together, with a pause in between.
function refresh() {
  if (waiting === null) wait(Math.max(0, loadedAt + PAUSE_MILLISECONDS - performance.now()));
}

function wait(milliseconds) {
  waiting = setTimeout(load, milliseconds);
}

function load() {
  if (busy()) {
    wait(LATER_MILLISECONDS);
    return;
  }
  waiting = null;
  loadedAt = performance.now();
  htmx.trigger(document.body, "bookings-changed", { live: true });
}

const isLive = (event) => event?.type === "bookings-changed" && event.detail?.live;

// A user who has scrolled keeps all rows, and the place among them.
document.body.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.triggeringEvent?.type !== "bookings-changed") return;
  detail.parameters.rows = detail.elt.querySelectorAll(".trow[data-node], tbody tr").length;
});

// The user may have begun something while the answer was on its way.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!isLive(detail.requestConfig.triggeringEvent) || !busy()) return;
  detail.shouldSwap = false;
  refresh();
});

// The stream begins with what the page shows, so that nothing is missed between the two.
const count = document.querySelector("meta[name=changes]").content;
const changes = new EventSource(`/console/changes?after=${count}`);
changes.addEventListener("message", refresh);
addEventListener("pagehide", () => changes.close());
