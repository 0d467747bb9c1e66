// The address of the page, which shows its state.

import { formatState, type State } from "../store/state";

// waiting is the state that the address will show soon.
let waiting: State | null = null;

// readAddress returns the query of the address. What was about to be written is not: the reader has gone elsewhere.
export function readAddress(): string {
  waiting = null;
  return location.search;
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
  if (newEntry) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}
