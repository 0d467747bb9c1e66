// Choosing a session to compare with: another of the visitor's, by its name, or any by its address. It is loaded when it is asked for.

import "../shared";
import { type Item, openPalette } from "../palette/palette";
import { api, json } from "../store/api";
import { messageOf } from "../store/format";
import type { Session } from "../store/session";
import { tell } from "../widgets/dom";

// compareWith lists sessions; the run that is shown stands beside the last one of the session that is chosen.
export function compareWith(store: Session): Promise<void> {
  return openPalette({
    items: [],
    later: [others(store)],
    always: (query) => {
      const id = /\/s\/([\w-]{22})/.exec(query)?.[1];
      return id ? [{ kind: "session", name: `The session at ${query.trim()}`, run: () => void open(store, id) }] : [];
    },
  });
}

async function others(store: Session): Promise<Item[]> {
  const { sessions } = await json<{ sessions: { id: string; title: string; created: string }[] }>("/api/sessions");
  const found = sessions.filter((s) => s.id !== store.id);
  if (found.length === 0) return [{ kind: "session", name: "You have no other session. Paste the address of one here.", run: () => undefined }];
  return found.map((s) => ({
    kind: "session", name: `Compare with ${s.title}`, beside: new Date(s.created).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }), run: () => void open(store, s.id),
  }));
}

async function open(store: Session, other: string): Promise<void> {
  try {
    const run = (await api.runs(other)).at(-1);
    if (run) location.assign(`/compare/${store.runs.current}/${run.id}?a=${store.id}&b=${other}`);
    else tell("That session has no run");
  } catch (err) {
    tell(messageOf(err));
  }
}
