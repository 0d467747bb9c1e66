// What the palette offers on the start page: the models, lessons and scripts, the visitor's sessions, and what its buttons do. It is loaded
// when it is asked for.

import "../shared";
import { type Item, openPalette } from "../palette/palette";
import { json } from "../store/api";

export function openCommands(): Promise<void> {
  return openPalette({ items: [...cards("[data-gallery]", "model"), ...cards("[data-lesson]", "lesson"), ...cards("[data-script]", "script"), ...actions()], later: [sessions()] });
}

// cards are the rows of the page that start a session.
function cards(selector: string, kind: string): Item[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].map((card) => ({
    kind, name: card.querySelector("strong")?.textContent ?? "", beside: card.querySelector(".card-doc")?.textContent?.trim(), run: () => card.querySelector<HTMLElement>("button")!.click(),
  }));
}

function actions(): Item[] {
  const list: [selector: string, name: string][] = [
    ["#model-file", "Choose a file with a model"], ["#paste", "Paste TVMScript"], ["#export-file", "Open an export"],
    ["#theme", "Next theme: as the system, light, dark"], ["#sessions .list-more a", "All sessions"], ["#lessons .list-more a", "All lessons"], ['[href="/docs"]', "Documents"], ['[href="/passes"]', "Passes: what each does"], ['[href="/docs/tutorial"]', "Tutorial: five minutes with irscope"],
  ];
  return list.flatMap(([selector, name]) => {
    const el = document.querySelector<HTMLElement>(selector);
    return el ? [{ kind: "action", name, run: () => el.click() }] : [];
  });
}

async function sessions(): Promise<Item[]> {
  const answer = await json<{ sessions: { id: string; title: string; created: string }[] }>("/api/sessions");
  return answer.sessions.map((s) => ({
    kind: "session", name: s.title, beside: new Date(s.created).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }), run: () => location.assign(`/s/${s.id}`),
  }));
}
