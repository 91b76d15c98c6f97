// What every page does: tell the server the time zone of the browser, and submit filters while the user types.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const known = document.cookie.split("; ").find((part) => part.startsWith("dibs_zone="))?.slice(10);

if (known !== encodeURIComponent(zone)) {
  document.cookie = `dibs_zone=${encodeURIComponent(zone)}; path=/; max-age=31536000; samesite=strict`;
  const shown = document.documentElement.dataset.zone;
  if (shown && shown !== zone && document.cookie.includes("dibs_zone=")) location.reload();
}

// Times that are left go on between two loads of a page.
function count() {
  for (const shown of document.querySelectorAll("[data-until]")) {
    const seconds = Math.max(0, Math.round((shown.dataset.until - Date.now()) / 1000));
    const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    shown.textContent = parts.map((part) => String(part).padStart(2, "0")).join(":").replace(/^00:/, "");
  }
}

count();
setInterval(count, 1000);
document.addEventListener("htmx:afterSettle", count);

// "/" puts the cursor into the filter, as on many sites.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
  const field = document.querySelector("input[type=search]");
  if (field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});
