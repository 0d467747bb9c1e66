// Follows what a session shows over a websocket, so that what others do in it is seen here at once.

import { Link } from "../present/link";
import type { Live } from "../wire";

// follow calls changed with what the session shows now, and what it showed before; null at first.
export function follow(session: string, changed: (now: Live, was: Live | null) => void): void {
  let was: Live | null = null;
  new Link<Live>(`/api/sessions/${session}/changes`, {
    message: (now) => {
      changed(now, was);
      was = now;
    },
  });
}
