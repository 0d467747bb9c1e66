// What was changed in the settings of a session, to take it back.

import type { Settings } from "../wire";

// The settings that undoing is about.
const keys = ["steps", "scripts", "patches", "schedules", "disabled", "required", "config", "opt_level"] as const;
const longest = 100;

function part(s: Settings): Partial<Settings> {
  const out: Partial<Settings> = { steps: null, scripts: [], patches: [], schedules: [], disabled: [], required: [], config: {} };
  for (const key of keys) if (s[key] !== undefined) Object.assign(out, { [key]: s[key] });
  return out;
}

export class Undo {
  private past: Partial<Settings>[] = [];
  private future: Partial<Settings>[] = [];

  get possible(): boolean {
    return this.past.length > 0;
  }

  // note remembers settings that are about to change.
  note(now: Settings): void {
    this.past = [...this.past, part(now)].slice(-longest);
    this.future = [];
  }

  // back returns the settings before the last change, and forth those after it; null where there are none.
  back(now: Settings): Partial<Settings> | null {
    return this.turn(this.past, this.future, now);
  }

  forth(now: Settings): Partial<Settings> | null {
    return this.turn(this.future, this.past, now);
  }

  private turn(from: Partial<Settings>[], to: Partial<Settings>[], now: Settings): Partial<Settings> | null {
    const found = from.pop();
    if (!found) return null;
    to.push(part(now));
    return found;
  }
}
