// The inspector: tabs for the pass, the value, the notes and where the run comes from. It is closed until it is asked for.

import { byId, setAttr } from "../widgets/dom";

export type Sheet = "pass" | "value" | "notes" | "origin";

const panels: Record<Sheet, string> = { pass: "details-body", value: "value-body", notes: "notes", origin: "origin-body" };

export class Inspector {
  sheet: Sheet = "pass";
  private readonly tabs = [...document.querySelectorAll<HTMLElement>("[data-inspect]")];

  // on is told when another sheet is shown.
  constructor(private readonly on: { changed(): void }) {
    for (const tab of this.tabs) tab.addEventListener("click", () => this.show(tab.dataset.inspect as Sheet));
    this.tabs[0]!.parentElement!.addEventListener("keydown", (e) => {
      const i = this.tabs.indexOf(document.activeElement as HTMLElement);
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: -1 }[e.key];
      if (to === undefined || i < 0) return;
      e.preventDefault();
      const tab = this.tabs.at(to % this.tabs.length)!;
      this.show(tab.dataset.inspect as Sheet);
      tab.focus();
    });
    this.show(this.sheet);
  }

  show(sheet: Sheet): void {
    this.sheet = sheet;
    for (const tab of this.tabs) {
      const on = tab.dataset.inspect === sheet;
      setAttr(tab, "aria-selected", String(on));
      setAttr(tab, "tabindex", on ? "0" : "-1");
      byId(panels[tab.dataset.inspect as Sheet]).hidden = !on;
    }
    this.on.changed();
  }
}
