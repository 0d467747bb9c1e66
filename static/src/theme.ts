// Sets before the first paint what that depends on. It is bundled alone and loaded in the head, so that a dark page never flashes white,
// and who reads diffs in another form than the page comes with does not see that one first.

(() => {
  const page = document.documentElement.dataset;
  const usual: Record<string, string> = { "diff-view": "unified", form: "compact", structural: "on", wrap: "off" };
  if (innerWidth < 600) page.plain = "off";
  try {
    const theme = localStorage.getItem("irscope.theme");
    if (theme === "light" || theme === "dark") page.theme = theme;
    for (const [name, value] of Object.entries(usual)) if ((localStorage.getItem(`irscope.${name}`) ?? value) !== value) page.plain = "off";
  } catch {
    // Storage is forbidden: the system's theme it is.
  }
})();
