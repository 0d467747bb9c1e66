// The sizes of panes that the reader has set. Until then the style sheet says how large a pane is. The handles that set them are loaded
// behind the page.

import { setting } from "../store/prefs";

// properties are what the style sheet reads, by the id of the handle.
const properties: Record<string, string> = { "split-left": "--tree-set", "split-right": "--inspector-set", "split-bottom": "--drawer-set" };

// resizablePanes gives the panes the sizes of the visit before.
export function resizablePanes(app: HTMLElement): void {
  for (const [handle, property] of Object.entries(properties)) {
    const kept = Number(setting(handle));
    if (kept) app.style.setProperty(property, `${kept}px`);
  }
  void import("./panehandles").then((own) => own.paneHandles(app, properties), () => undefined);
}
