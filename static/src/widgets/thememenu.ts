// The button that chooses light, dark or the system's theme, one after the other.

import { keep, setting } from "../store/prefs";
import { setAttr } from "./dom";

const themes = ["system", "light", "dark"];
const names: Record<string, string> = { system: "as the system", light: "light", dark: "dark" };

export function themeMenu(): void {
  const button = document.getElementById("theme");
  if (!button) return;
  const show = (theme: string): void => {
    button.dataset.theme = theme;
    button.title = `Theme: ${names[theme]}`;
    setAttr(button, "aria-label", button.title);
  };
  show(themes.find((theme) => theme === setting("theme")) ?? themes[0]!);
  button.addEventListener("click", () => {
    const theme = themes[(themes.indexOf(button.dataset.theme!) + 1) % themes.length]!;
    keep("theme", theme);
    show(theme);
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
}
