// The life of the name under the pointer, or of the one that the arrows lead to, in a line beside it.

import { json } from "../store/api";
import { biography } from "../store/biography";
import type { Session } from "../store/session";
import { h } from "../widgets/dom";
import type { Name } from "../widgets/names";
import { Popover, type Spot } from "../widgets/popover";
import { type History, kinds } from "./wire";
import { link } from "./list";

// The pointer rests on a name for dwell milliseconds before its life is shown, and may leave it for grace to reach what is shown.
const dwell = 280;
const grace = 240;
// most is how many lives are kept.
const most = 200;

interface Asks {
  question(name: Name): Record<string, string>;
  open(name: Name): void;
  why(name: Name, spot: Spot): void;
}

export class Biography {
  private readonly popover: Popover;
  private readonly known = new Map<string, Promise<History>>();
  private timer = 0;
  // asked counts names: what is known of an earlier one comes too late.
  private asked = 0;

  constructor(private readonly store: Session, scroller: HTMLElement, private readonly on: Asks) {
    this.popover = new Popover("biography", scroller);
    this.popover.root.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.popover.root.addEventListener("pointerleave", () => this.point(null, { left: 0, top: 0, bottom: 0 }));
  }

  // point follows the pointer: from no name, or to one.
  point(name: Name | null, spot: Spot): void {
    clearTimeout(this.timer);
    if (this.popover.elsewhere) return;
    this.timer = window.setTimeout(() => (name ? void this.show(name, spot) : this.hide()), name ? dwell : grace);
  }

  hide(): void {
    clearTimeout(this.timer);
    this.asked++;
    this.popover.hide();
  }

  private async show(name: Name, spot: Spot): Promise<void> {
    const n = ++this.asked;
    const { model, state } = this.store;
    if (!model.started) return;
    const key = `/api/runs/${model.id}/history?${new URLSearchParams(this.on.question(name)).toString()}`;
    let life: History | null = null;
    try {
      life = await this.life(key, model.finished !== null);
    } catch {
      // What has no origin has no life to tell.
    }
    if (n !== this.asked || state.pass !== this.store.state.pass || state.view !== this.store.state.view) return;
    const at = life?.at;
    const tool = (text: string, key: string, run: () => void): HTMLElement => h("span", {}, link(text, "", () => {
      this.hide();
      run();
    }), " ", h("kbd", {}, key));
    this.popover.show(`Life of ${name.text}`, spot, [
      h("p", { class: "bio-name" }, h("code", {}, name.text || at?.name || (at?.op ?? "")), at ? `${kinds[at.kind] ?? ""}${at.op ? ` of ${at.op.replace(/^relax\./, "").replace(/^@/, "")}` : ""}` : null),
      h("p", {}, life ? biography(life) : "Nothing is known of where it comes from."),
      h("div", { class: "bio-foot" },
        life ? tool("Open the history", ".", () => this.on.open(name)) : null,
        this.store.compiler && this.store.selected()?.finished ? tool("Why here", "y", () => this.on.why(name, spot)) : null,
        life ? h("span", {}, h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " next pass, value kept") : null),
    ], null);
  }

  private life(key: string, over: boolean): Promise<History> {
    let life = this.known.get(key);
    if (life) return life;
    life = json<History>(key);
    this.known.set(key, life);
    life.catch(() => this.known.delete(key));
    // While the run goes on there is more to come.
    if (!over) void life.finally(() => this.known.delete(key)).catch(() => undefined);
    for (const old of this.known.keys()) if (this.known.size > most) this.known.delete(old);
    return life;
  }
}
