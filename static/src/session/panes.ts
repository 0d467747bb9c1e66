// Handles at the edges of panes: dragged with the mouse or moved with the arrow keys. The sizes are kept for the next visit; until the
// reader moves a handle the style sheet says how large a pane is.

import { keep, setting } from "../store/prefs";

interface Pane {
  handle: string;
  property: string;
  // grows is 1 where moving right or down makes the pane larger, -1 where it makes it smaller.
  grows: 1 | -1;
  vertical: boolean;
  min: number;
  max: () => number;
  initial: number;
}

const panes: Pane[] = [
  { handle: "split-left", property: "--tree-set", grows: 1, vertical: true, min: 180, max: () => innerWidth * 0.5, initial: 264 },
  { handle: "split-right", property: "--inspector-set", grows: -1, vertical: true, min: 220, max: () => innerWidth * 0.5, initial: 280 },
  { handle: "split-bottom", property: "--drawer-set", grows: 1, vertical: false, min: 64, max: () => innerHeight * 0.6, initial: 190 },
];

export function resizablePanes(app: HTMLElement): void {
  for (const pane of panes) setUp(app, pane);
}

function setUp(app: HTMLElement, pane: Pane): void {
  const handle = document.getElementById(pane.handle);
  if (!handle) return;
  const kept = Number(setting(pane.handle));
  let size = kept || pane.initial;
  const say = (max: number): void => {
    handle.setAttribute("aria-valuenow", String(Math.round(((size - pane.min) / Math.max(1, max - pane.min)) * 100)));
    handle.setAttribute("aria-valuetext", `${size} pixels`);
  };
  const set = (wanted: number, store = true): void => {
    const max = Math.max(pane.min, pane.max());
    size = Math.round(Math.max(pane.min, Math.min(max, wanted)));
    app.style.setProperty(pane.property, `${size}px`);
    say(max);
    if (store) keep(pane.handle, String(size));
  };
  if (kept) set(size, false);
  else say(Math.max(pane.min, pane.max()));
  handle.addEventListener("pointerdown", (e) => {
    const start = pane.vertical ? e.clientX : e.clientY;
    const from = size;
    handle.setPointerCapture(e.pointerId);
    handle.classList.add("active");
    const move = (m: PointerEvent): void => set(from + pane.grows * ((pane.vertical ? m.clientX : m.clientY) - start));
    const stop = (): void => {
      handle.classList.remove("active");
      handle.removeEventListener("pointermove", move);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", stop, { once: true });
    handle.addEventListener("pointercancel", stop, { once: true });
    e.preventDefault();
    handle.focus();
  });
  handle.addEventListener("dblclick", () => set(pane.initial));
  handle.addEventListener("keydown", (e) => {
    const by = e.shiftKey ? 64 : 16;
    const more = pane.vertical ? "ArrowRight" : "ArrowDown";
    const less = pane.vertical ? "ArrowLeft" : "ArrowUp";
    if (e.key === more) set(size + pane.grows * by);
    else if (e.key === less) set(size - pane.grows * by);
    else if (e.key === "Home") set(pane.min);
    else if (e.key === "End") set(pane.max());
    else return;
    e.preventDefault();
  });
}
