// The menu that chooses light, dark or the system's theme.

import { keep, setting } from "../store/prefs";

export function themeMenu(): void {
  const menu = document.getElementById("theme") as HTMLSelectElement | null;
  if (!menu) return;
  menu.value = setting("theme") ?? "system";
  menu.addEventListener("change", () => {
    keep("theme", menu.value);
    if (menu.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = menu.value;
  });
}
