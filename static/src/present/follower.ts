// The page of somebody who follows a presentation: it shows what the presenter shows until its reader goes elsewhere, and again when they
// come back.

import "../shared";
import { placeName, textOf } from "../store/presented";
import type { Session } from "../store/session";
import { formatState } from "../store/state";
import { debounce } from "../store/timers";
import type { Presented, Scene } from "../wire";
import type { CodeView } from "../widgets/codeview";
import { button } from "../widgets/dialogs";
import { announce, byId, h } from "../widgets/dom";
import { Bar } from "./bar";
import { Link } from "./link";
import { onText, scrollTo } from "./scroll";

// own is how long after the reader's hand a change of the page counts as theirs, in ms.
const own = 1000;

// rest is how long the presenter must have stopped scrolling before a page follows whose reader wants little motion, in ms.
const rest = 500;

const hand = ["pointerdown", "keydown", "wheel", "touchmove"] as const;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Follower {
  private readonly bar = new Bar("following");
  private readonly link: Link<Scene>;
  private readonly unsee: () => void;
  private scene: Scene = { presenting: true };
  private following = true;
  // applied is the state that the page took over last, and text the text that it leads to.
  private applied = "";
  private text = "";
  // touched is when the reader last used the page, pulled when they last used the middle, and scrolling when that scrolled by itself.
  private touched = 0;
  private pulled = 0;
  private scrolling = 0;
  private readonly later = debounce(rest, () => void this.scroll());

  // ended is called when the bar is gone.
  constructor(private readonly store: Session, private readonly code: CodeView, private readonly ended: () => void) {
    for (const name of hand) document.addEventListener(name, this.used, { capture: true, passive: true });
    byId("center").addEventListener("scroll", this.scrolled, { capture: true, passive: true });
    byId("center").addEventListener("moved", this.moved);
    this.unsee = onText(code, () => void this.scroll());
    this.link = new Link<Scene>(`/api/sessions/${store.id}/presentation`, { message: (scene) => this.take(scene), over: () => this.over() });
    announce("This session is being presented: the page follows. Press W to look around");
    this.draw();
  }

  // toggle looks away, or comes back.
  toggle(): void {
    if (this.following) this.lookAway("You look around; the presentation goes on. Press W to follow it again");
    else this.comeBack();
  }

  // update notices that the reader went elsewhere.
  update(): void {
    if (!this.following || !this.applied) return;
    const now = formatState(this.store.state);
    if (now === this.applied) return;
    if (performance.now() - this.touched < own) this.lookAway();
    else this.applied = now; // the page itself: a run has begun, or a pass has another path
  }

  // over ends it: the page stays where it is.
  over(): void {
    if (!this.scene.presenting) return;
    this.scene = { presenting: false };
    this.following = false;
    this.stop();
    this.draw();
    announce("The presentation has ended");
    this.ended();
  }

  close(): void {
    this.stop();
    this.bar.hide();
    this.ended();
  }

  private stop(): void {
    this.link.close();
    this.unsee();
    for (const name of hand) document.removeEventListener(name, this.used, { capture: true });
    byId("center").removeEventListener("scroll", this.scrolled, { capture: true });
    byId("center").removeEventListener("moved", this.moved);
  }

  private take(scene: Scene): void {
    if (!scene.presenting) return this.over();
    const { away } = this.scene;
    this.scene = scene;
    if (this.following && scene.at) this.go(scene.at);
    if (!this.following || away !== scene.away) this.draw();
  }

  // go shows a place of the presenter.
  private go(at: Presented): void {
    const text = textOf(at.query);
    const other = text !== this.text;
    this.text = text;
    const { store } = this;
    const before = formatState(store.state);
    store.chosen = true;
    store.restore(at.query);
    this.applied = formatState(store.state);
    if (before !== this.applied) store.bring("center");
    // Another text is scrolled when it is there, and another panel soon.
    if (other || still.matches) this.later();
    else void this.scroll();
  }

  private async scroll(): Promise<void> {
    const { at } = this.scene;
    if (!this.following || !at) return;
    this.scrolling = performance.now();
    await scrollTo(this.code, at).catch(() => undefined);
    this.scrolling = performance.now();
  }

  private comeBack(): void {
    this.following = true;
    this.text = "";
    announce("Following the presenter");
    if (this.scene.at) this.go(this.scene.at);
    void this.scroll();
    this.draw();
  }

  private lookAway(said = "You went elsewhere; the presentation goes on. Press W to follow it again"): void {
    this.following = false;
    announce(said);
    this.draw();
  }

  private readonly used = (e: Event): void => {
    if (!(e.target instanceof Element) || e.target.closest(".stage")) return;
    this.touched = performance.now();
    if (e.target.closest("#center")) this.pulled = this.touched;
  };

  private readonly scrolled = (): void => {
    const now = performance.now();
    if (this.following && now - this.pulled < own && this.pulled > this.scrolling) this.lookAway();
  };

  // moved is called when a graph shows another part of itself, and when another graph is there, which shows what the presenter sees of it.
  private readonly moved = (e: Event): void => {
    if ((e as CustomEvent<{ fresh: boolean }>).detail.fresh) void this.scroll();
    else this.scrolled();
  };

  private draw(): void {
    const { scene, bar } = this;
    const where = placeName(scene.at);
    if (!scene.presenting) bar.show(h("strong", {}, "The presentation has ended"), h("span", { class: "grow" }), button("Close", () => this.close(), "small"));
    else if (this.following) {
      bar.show(h("strong", {}, "Following the presenter"), h("span", {}, scene.away ? "whose connection is interrupted; waiting" : ""), h("span", { class: "grow" }),
        button("Look around", () => this.toggle(), "small", { id: "follow", title: "Stay here while the presentation goes on  W" }));
    } else {
      bar.show(h("strong", {}, "Looking around"), h("span", { class: "stage-where" }, where ? `The presenter is at ${where}` : "The presentation goes on"), h("span", { class: "grow" }),
        button("Follow", () => this.toggle(), "primary small", { id: "follow", title: "Back to the presenter  W" }));
    }
  }
}
