// What the page shows, in truth: whether the rows are the result of the settings beside them, and if not, what is being done about it.

import type { Runs } from "./runs";

// Truth is one of these, with the words for it:
//   loading  the settings or the first events are not here yet
//   running  the rows are those of a run with the settings, which goes on
//   current  the rows are the result of the settings, measured while the reader looks
//   cached   the rows are the result of the settings, measured earlier
//   stale    the settings have changed, and no run with them is shown; starting tells that one was asked for
//   offline  the server cannot be reached, or not just now; the page tries again by itself. unsent tells that a change waits to be sent
export type Truth =
  | { kind: "loading" | "running" | "current" | "cached"; text: string }
  | { kind: "stale"; text: string; starting: boolean }
  | { kind: "offline"; text: string; unsent: boolean };

// old is the age in milliseconds from which a measurement is called an earlier one.
const old = 60_000;

export function truth(runs: Runs): Truth {
  const { model } = runs;
  if (runs.offline || runs.connection || runs.away) {
    const unsent = runs.changed;
    const text = runs.connection || "The server cannot be reached; retrying.";
    return { kind: "offline", text: unsent ? `${text} Your change is not sent yet.` : text, unsent };
  }
  if (runs.changed || (runs.starting && runs.stale)) {
    return { kind: "stale", text: runs.starting ? "Starting…" : "Settings changed, not run", starting: runs.starting };
  }
  if (runs.stale || !model.started) return { kind: "loading", text: "" };
  if (!model.finished) return { kind: "running", text: "" };
  if (model.began > 0 && runs.followed - model.began > old) return { kind: "cached", text: `From the store, measured ${clock(model.began, runs.followed)}` };
  return { kind: "current", text: "" };
}

// clock writes a time of day, with the day where it is not that of now.
export function clock(at: number, now: number): string {
  const t = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  const day = t.toDateString() === new Date(now).toDateString() ? "" : `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} `;
  return `${day}${two(t.getHours())}:${two(t.getMinutes())}`;
}
