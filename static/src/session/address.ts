// The address of the page, which shows its state.

import { formatState, type State } from "../store/state";

// waiting is the state that the address will show soon.
let waiting: State | null = null;

// readAddress returns the query of the address. What was about to be written is not: the reader has gone elsewhere.
export function readAddress(): string {
  waiting = null;
  return location.search;
}

// left tells that the reader has left a place just now: one step leads away from it, whatever it changes.
let left = false;

// leave keeps what the page shows now in the history of the browser. What the reader goes on to is a step of its own, so that back leads
// to what was left. In a frame it leads out of the page around, whose history that is.
export function leave(): void {
  if (left || parent !== window) return;
  left = true;
  window.setTimeout(() => (left = false));
  if (waiting) write(waiting, false);
  history.pushState(history.state, "");
}

// writeAddress puts the state into the address. A new run is a step back in the history at once; all else replaces the entry when
// the page has been painted, because the browser takes its time for it.
export function writeAddress(s: State, newEntry = false): void {
  waiting = null;
  if (newEntry) return write(s, true);
  waiting = s;
  requestAnimationFrame(() => {
    window.setTimeout(() => {
      if (waiting === s) write(s, false);
    });
  });
}

function write(s: State, newEntry: boolean): void {
  waiting = null;
  const query = formatState(s);
  if (query === location.search) return;
  const url = location.pathname + query;
  if (newEntry) history.pushState(history.state, "", url);
  else history.replaceState(history.state, "", url);
}
