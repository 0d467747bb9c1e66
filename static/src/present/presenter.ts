// The page that presents: it sends where it is to those who follow, and has a bar with what a presenter needs.

import "../shared";
import { plural } from "../store/format";
import { Pace, queryOf, textOf } from "../store/presented";
import type { Session } from "../store/session";
import type { Audience, Presented } from "../wire";
import type { CodeView } from "../widgets/codeview";
import { button, copy } from "../widgets/dialogs";
import { announce, byId, h, press, setText } from "../widgets/dom";
import { Bar } from "./bar";
import { isLarge, toggleLarge } from "./large";
import { Link } from "./link";
import { onText, top } from "./scroll";

// every is the least time between two places that are sent, in ms.
const every = 100;

// settle is how long a view that is no text may take to be drawn, in ms.
const settle = 400;

export class Presenter {
  private readonly bar = new Bar("presenting");
  private readonly count = h("span", { class: "num", id: "followers" }, "no followers");
  private readonly large = button("Large type", () => this.enlarge(), "small", { id: "large-type", title: "Larger code, for a projector  A" });
  private readonly pace = new Pace<Presented>(every, (at) => this.link.send(at));
  private readonly link: Link<Audience>;
  private readonly unsee: () => void;
  // text is the one that the state names; settled tells that it is on the screen.
  private text = "";
  private settled = true;
  private timer = 0;

  // ended is called when the presentation is over, whoever ended it.
  constructor(private readonly store: Session, private readonly code: CodeView, tour: (dir: 1 | -1) => void, private readonly ended: () => void) {
    const link = button("Copy link", () => void copy(link, this.address, () => announce(`The link is ${this.address}`), "Copy link"), "quiet small", { id: "copy-follow", title: "A link for those who follow: it opens this session" });
    this.bar.show(
      h("strong", {}, "Presenting"), this.count, h("span", { class: "grow" }),
      h("span", { class: "stage-notes", role: "group", "aria-label": "Notes" },
        button("Previous", () => tour(-1), "small", { "aria-label": "Previous note", title: "Previous note  <" }), button("Next", () => tour(1), "small", { "aria-label": "Next note", title: "Next note  >" })),
      this.large, link, button("Stop", () => this.stop(), "small", { id: "stop-presenting", title: "End the presentation  S" }),
    );
    this.drawLarge();
    byId("center").addEventListener("scroll", this.scrolled, { capture: true, passive: true });
    byId("center").addEventListener("moved", this.scrolled);
    this.unsee = onText(code, () => this.settle());
    this.link = new Link<Audience>(`/api/sessions/${store.id}/present`, {
      open: () => this.push(),
      message: (m) => (m.elsewhere ? this.end("This session is presented from another page now") : this.audience(m.followers)),
      lost: () => setText(this.count, "connection lost, retrying"),
      over: () => this.end("The presentation has ended"),
    });
    announce("You present this session: whoever looks at it sees what you see");
  }

  // update sends what has changed.
  update(): void {
    const text = textOf(queryOf(this.state));
    if (text !== this.text) {
      this.text = text;
      this.settled = false;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.settle(), settle);
    }
    this.push();
  }

  stop(): void {
    this.end("The presentation has ended");
  }

  drawLarge(): void {
    press(this.large, isLarge());
  }

  private get state(): Session["state"] {
    return { ...this.store.state, fn: this.store.fn };
  }

  private get address(): string {
    return `${location.origin}/s/${this.store.id}`;
  }

  private readonly scrolled = (): void => {
    if (this.settled) this.push();
  };

  // settle says that the text of the state is on the screen. Until then what is there is scrolled as the one before was.
  private settle(): void {
    clearTimeout(this.timer);
    this.settled = true;
    // The text scrolls to its line when it has been shown.
    requestAnimationFrame(() => this.push());
  }

  private push(): void {
    this.pace.push({ query: queryOf(this.state), ...(this.settled ? top(this.code) : {}) });
  }

  private audience(n: number): void {
    setText(this.count, n === 0 ? "no followers" : plural(n, "follower"));
  }

  private enlarge(): void {
    toggleLarge();
    this.drawLarge();
  }

  private end(said: string): void {
    this.link.close();
    this.pace.stop();
    clearTimeout(this.timer);
    this.unsee();
    byId("center").removeEventListener("scroll", this.scrolled, { capture: true });
    byId("center").removeEventListener("moved", this.scrolled);
    this.bar.hide();
    announce(said);
    this.ended();
  }
}
