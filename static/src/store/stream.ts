// What follows the log of a run. How the events travel is none of the store's business.

import type { WireEvent } from "../wire";

export interface Follower {
  // onEvents is given each event exactly once and in order.
  onEvents(events: WireEvent[]): void;
  // onState tells whether the stream is up, and after a gap says what is being done about it.
  onState(state: "open" | "waiting" | "done", text: string): void;
}

// Connect begins to follow a run from its first event, until what it returns is closed.
export type Connect = (run: string, follower: Follower) => { close(): void };
