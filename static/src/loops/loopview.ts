// The panel of the loops of a kernel. It is loaded when it is opened.

import "../shared";
import { json } from "../store/api";
import { h } from "../widgets/dom";
import { loopTable } from "../widgets/looprows";
import type { LoopTree } from "../wire";

export class LoopView {
  private readonly body = h("div", { class: "loops-panel", tabindex: 0, role: "region", "aria-label": "Loops" });
  private shown = "";

  // line shows a line of the text.
  constructor(host: HTMLElement, private readonly line: (n: number) => void) {
    host.replaceChildren(this.body);
  }

  // show shows the loops of a text by its hash, and what of them the text before lacks; "" where there is none before.
  async show(text: string, before: string, signal: AbortSignal): Promise<void> {
    const key = `${text} ${before}`;
    if (key === this.shown) return;
    const [tree, was] = await Promise.all([text, before].map((hash) => (hash ? json<LoopTree>(`/loops/${hash}`, { signal }).catch((err: unknown) => (hash === text ? Promise.reject(err) : null)) : null)));
    if (signal.aborted || !tree) return;
    this.shown = key;
    this.body.replaceChildren(
      h("p", { class: "quiet loops-about" }, "What a row touches is the least box around all that it reads and writes each time, with everything in it. It is what has to fit into a cache."),
      loopTable(tree, was ?? null, this.line));
  }
}
