// Runs before the first paint, so that a chosen theme does not flash.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("mama.theme");
  } catch {
    // Storage may be forbidden; the system's theme is used then.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
