// The place of the timeline below the strip of passes. What draws it is loaded when it is opened.

import type { TimelineView } from "../timeline/timelineview";
import { messageOf, time } from "../store/format";
import { keep, setting } from "../store/prefs";
import type { Session } from "../store/session";
import { reuse } from "../store/summary";
import { byId, part, press, setAttr, setText, tell } from "../widgets/dom";

export class TimelinePane {
  private readonly view = part("the timeline script", () => import("../timeline/timelineview"), (own) => new own.TimelineView(byId("timeline-body"), { select: (step) => this.store.select(step) }));

  constructor(private readonly store: Session, private readonly app: HTMLElement) {
    for (const id of ["open-timeline", "close-timeline"]) byId(id).addEventListener("click", () => this.toggle());
    byId("scale-time").addEventListener("click", () => this.scale(false));
    byId("scale-step").addEventListener("click", () => this.scale(true));
    byId("zoom-in").addEventListener("click", () => this.with((view) => view.zoomBy(2)));
    byId("zoom-out").addEventListener("click", () => this.with((view) => view.zoomBy(0.5)));
    if (setting("timeline") === "on") this.show(true);
  }

  get open(): boolean {
    return this.app.classList.contains("with-timeline");
  }

  toggle(): void {
    const open = !this.open;
    const inside = byId("timeline").contains(document.activeElement);
    this.show(open);
    keep("timeline", open ? "on" : "off");
    if (open) byId("timeline-body").focus();
    else if (inside) byId("open-timeline").focus();
    this.store.changed();
  }

  update(): void {
    if (!this.open) return;
    const { model, state } = this.store;
    const parts = model.parts().map(([name, t]) => `${name} ${time(t)}`);
    setText(byId("timeline-total"), model.started ? [reuse(model), ...parts].filter(Boolean).join(" · ") : "");
    this.with((view) => view.update(model, state.pass));
  }

  private show(open: boolean): void {
    this.app.classList.toggle("with-timeline", open);
    setAttr(byId("open-timeline"), "aria-expanded", String(open));
  }

  private scale(byStep: boolean): void {
    press(byId("scale-step"), byStep);
    press(byId("scale-time"), !byStep);
    this.with((view) => view.setScale(byStep));
  }

  private with(run: (view: TimelineView) => void): void {
    this.view().then(run, (err: unknown) => tell(messageOf(err)));
  }
}
