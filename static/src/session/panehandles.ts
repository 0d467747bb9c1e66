// Handles at the edges of panes: dragged with the mouse or moved with the arrow keys. The sizes are kept for the next visit.

import "../shared";
import { keep, setting } from "../store/prefs";

interface Shape {
  // grows is 1 where moving right or down makes the pane larger, -1 where it makes it smaller.
  grows: 1 | -1;
  vertical: boolean;
  min: number;
  max: () => number;
  initial: number;
}

const shapes: Record<string, Shape> = {
  "split-left": { grows: 1, vertical: true, min: 180, max: () => innerWidth * 0.5, initial: 264 },
  "split-right": { grows: -1, vertical: true, min: 220, max: () => innerWidth * 0.5, initial: 280 },
  "split-bottom": { grows: 1, vertical: false, min: 64, max: () => innerHeight * 0.6, initial: 190 },
};

// paneHandles makes the handles work; properties are what they set, by the id of the handle.
export function paneHandles(app: HTMLElement, properties: Record<string, string>): void {
  for (const [id, property] of Object.entries(properties)) setUp(app, id, property, shapes[id]!);
}

function setUp(app: HTMLElement, id: string, property: string, pane: Shape): void {
  const handle = document.getElementById(id);
  if (!handle) return;
  const kept = Number(setting(id));
  let size = kept || pane.initial;
  const say = (max: number): void => {
    handle.setAttribute("aria-valuenow", String(Math.round(((size - pane.min) / Math.max(1, max - pane.min)) * 100)));
    handle.setAttribute("aria-valuetext", `${size} pixels`);
  };
  const set = (wanted: number, store = true): void => {
    const max = Math.max(pane.min, pane.max());
    size = Math.round(Math.max(pane.min, Math.min(max, wanted)));
    app.style.setProperty(property, `${size}px`);
    say(max);
    if (store) keep(id, String(size));
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
