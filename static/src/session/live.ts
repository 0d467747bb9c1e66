// Follows what a session shows over a websocket, so that what others do in it is seen here at once, and that the server is away.

import { Link } from "../present/link";
import { once } from "../store/api";
import type { Live } from "../wire";

// follow calls changed with what the session shows now, and what it showed before, null at first; and away with whether the server can
// be reached. A socket that closes says nothing of that: a server that refuses another one is there.
export function follow(session: string, changed: (now: Live, was: Live | null) => void, away: (away: boolean) => void): void {
  let was: Live | null = null;
  let asked = 0;
  new Link<Live>(`/api/sessions/${session}/changes`, {
    open: () => {
      asked++; // the answer to an earlier question comes too late
      away(false);
    },
    lost: () => {
      const n = ++asked;
      const heard = (is: boolean): void => void (n === asked && away(is));
      once("/version").then(() => heard(false), () => heard(true));
    },
    message: (now) => {
      changed(now, was);
      was = now;
    },
  });
}
