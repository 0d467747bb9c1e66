// A line below the text that says what the line under the pointer, or the chosen one, comes from or has become: of machine code the line of its function, and the other
// way round. Lines in view that belong to the same are marked. A click goes there.

import "../shared";
import { type FindOrigins, inCode, inFunction, type Origins } from "../store/origins";
import type { CodeView } from "./codeview";
import { h, setText } from "./dom";

export class OriginBar {
  private readonly where = h("b");
  private readonly text = h("span", { class: "mono" });
  private readonly bar = h("button", { type: "button", class: "origin-bar", hidden: true }, this.where, this.text);
  private origins: Origins | undefined;
  private at = 0;
  private target = 0;

  constructor(host: HTMLElement, private readonly code: CodeView) {
    host.append(this.bar);
    this.bar.addEventListener("click", () => this.target > 0 && this.origins?.go(this.target));
    code.scroller.addEventListener("pointerover", (e) => e.pointerType === "mouse" && this.point(e.target as Element));
    code.scroller.addEventListener("click", (e) => this.point(e.target as Element));
    code.markers.push((row, el) => {
      const key = this.at > 0 ? (this.origins?.key(row) ?? 0) : 0;
      el.classList.toggle("same-origin", key > 0 && key === this.at);
    });
  }

  // show has the text that is shown say where its lines come from; of some nothing is known.
  show(find?: FindOrigins): void {
    this.origins = find?.({ inFunction, inCode });
    this.at = this.target = 0;
    this.bar.hidden = !this.origins;
    setText(this.where, "");
    setText(this.text, "Point at a line to see what it belongs to");
  }

  private point(el: Element): void {
    const row = this.origins && el.closest(".code-row");
    const shown = row && this.code.shown?.get(Number(row.getAttribute("aria-rowindex")) - 1);
    if (shown) this.say(this.origins!.key(shown));
  }

  private say(key: number): void {
    if (key === 0 || key === this.at) return;
    const { origins } = this;
    this.at = key;
    this.code.redraw();
    origins!.find(key).then((found) => {
      if (this.origins !== origins || this.at !== key) return;
      this.target = found?.line ?? 0;
      setText(this.where, found?.where ?? "");
      setText(this.text, found?.text ?? "No instruction is for this line alone");
    }, () => undefined);
  }
}
