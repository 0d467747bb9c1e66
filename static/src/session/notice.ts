// The line across the foot of the page that says that its rows are not the result of its settings, or that the server is away, and what can
// be done about it. It stands below the panes, so that nothing in them moves when it comes or goes. It is loaded early: when it is needed
// there may be no server to load it from.

import "../shared";
import type { Session } from "../store/session";
import { button } from "../widgets/dialogs";
import { byId, h } from "../widgets/dom";
import { icon } from "../widgets/icons";
import { lateStyle } from "../widgets/latestyle";

// settle is how long a state must last in milliseconds: a connection that is back at once is no news, nor is a run that is about to start.
const settle = 500;

export class Notice {
  private readonly line = byId("notice");
  private shown = "";
  private wanted = "";
  private timer = 0;

  constructor(private readonly store: Session) {
    void lateStyle().then(() => this.update(), () => undefined);
  }

  // says tells whether the line tells why the last run was not started.
  get says(): boolean {
    return this.shown.startsWith("stale");
  }

  update(): void {
    const now = this.store.truth();
    // A line that is there stays while the run is asked for again.
    const stale = now.kind === "stale" && (!now.starting || this.shown !== "");
    const wanted = now.kind === "offline" || stale ? `${now.kind} ${now.kind === "stale" ? this.store.runs.problem : now.text}` : "";
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    clearTimeout(this.timer);
    // Words of a line that is there change at once.
    if (!wanted || this.shown) this.show();
    else this.timer = window.setTimeout(() => this.show(), settle);
  }

  private show(): void {
    const now = this.store.truth();
    this.shown = this.wanted;
    const { line } = this;
    const held = line.contains(document.activeElement);
    const said = !this.shown ? [] : now.kind === "offline" ? this.offline(now.text, now.unsent) : this.stale();
    line.replaceChildren(...said);
    line.hidden = said.length === 0;
    this.store.changed(); // the problem is said here, or above the code
    if (held) (line.querySelector("button") ?? byId(byId("run").hidden ? "cancel" : "run")).focus();
  }

  private stale(): Node[] {
    const { runs } = this.store;
    const run = button("Run", () => void runs.start(), "primary small", { title: "Run  r" });
    const undo = runs.undo.possible ? [button("Undo", () => byId("undo").click(), "quiet small", { title: "Take the change back  Ctrl+Z" })] : [];
    return [icon("info"), h("span", {}, `Settings changed, not run${runs.problem ? `: ${runs.problem}` : ". The rows are those of the run before."}`), h("span", { class: "grow" }), ...undo, run];
  }

  private offline(text: string, unsent: boolean): Node[] {
    const { runs } = this.store;
    // The browser's own event has the connection opened at once.
    const again = (): void => (runs.offline ? void runs.start() : void window.dispatchEvent(new Event("online")));
    const rest = unsent ? "" : " What is shown stays, and the page goes on by itself.";
    return [icon("info"), h("span", {}, `${text}${rest}`), h("span", { class: "grow" }), button("Try now", again, "quiet small")];
  }
}
