// Larger code, for those in the last row of a room. It lasts as long as the page.

import { announce } from "../widgets/dom";

const root = document.documentElement;

export function isLarge(): boolean {
  return root.classList.contains("large-type");
}

export function toggleLarge(): void {
  const on = root.classList.toggle("large-type");
  announce(on ? "Large type" : "Type of the usual size");
}
