// Presenting a session and following who presents it: the keys, the button, and what the server says of it. What does the work is
// loaded when there is a presentation.

import "../shared";
import type { Session } from "../store/session";
import type { Live } from "../wire";
import type { CodeView } from "../widgets/codeview";
import { byId, tell } from "../widgets/dom";
import type { Follower } from "./follower";
import { toggleLarge } from "./large";
import type { Presenter } from "./presenter";

type Loading<T> = Promise<T> | null;

export class Stage {
  private presenter: Loading<Presenter> = null;
  private follower: Loading<Follower> = null;
  private presenting = false;
  private readonly button = document.getElementById("present");

  // keys is the table of the page's keys; tour goes to the next (1) or previous (-1) note.
  constructor(private readonly store: Session, private readonly code: CodeView, keys: Record<string, () => void>, private readonly tour: (dir: 1 | -1) => void) {
    Object.assign(keys, { W: () => this.look(), A: () => this.enlarge() });
    if (!this.button) return;
    Object.assign(keys, { S: () => this.present() });
    this.button.addEventListener("click", () => this.present());
    byId("present-part").hidden = false;
  }

  // told takes over what the server says: whether somebody presents.
  told(now: Live): void {
    this.presenting = now.presenting;
    if (!now.presenting) this.with(this.follower, (own) => own.over());
    else if (!this.presenter && !this.follower) this.follow();
  }

  private follow(): void {
    this.follower = import("./follower").then((own) => new own.Follower(this.store, this.code, () => (this.follower = null)));
    this.follower.catch(() => (this.follower = null));
  }

  // update is called when the page is drawn.
  update(): void {
    this.with(this.presenter, (own) => own.update());
    this.with(this.follower, (own) => own.update());
  }

  // present begins a presentation, or ends it.
  private present(): void {
    if (this.presenter) return this.with(this.presenter, (own) => own.stop());
    this.button!.closest("details")?.removeAttribute("open");
    this.with(this.follower, (own) => own.close());
    this.presenter = import("./presenter").then((own) => new own.Presenter(this.store, this.code, this.tour, () => (this.presenter = null)));
    this.presenter.then((own) => own.update(), () => {
      this.presenter = null;
      tell("The presentation could not begin; is the server still running?");
    });
  }

  private look(): void {
    if (this.follower) this.with(this.follower, (own) => own.toggle());
    else if (this.presenter) tell("You are presenting this session yourself");
    else if (this.presenting) this.follow();
    else tell("Nobody is presenting this session");
  }

  private enlarge(): void {
    toggleLarge();
    this.with(this.presenter, (own) => own.drawLarge());
  }

  private with<T>(part: Loading<T>, run: (own: T) => void): void {
    part?.then(run, () => undefined);
  }
}
