// Sets the theme before the first paint. It is bundled alone and loaded in the head, so that a dark page never flashes white.

(() => {
  let theme = "system";
  try {
    theme = localStorage.getItem("irscope.theme") ?? "system";
  } catch {
    // Storage is forbidden: the system's theme it is.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
