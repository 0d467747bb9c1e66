// The search in a graph: it sets off what it finds, and goes from one to the next.

import { setText } from "../widgets/dom";
import { debounce } from "../store/timers";
import type { Parts } from "./parts";

export class Finder {
  private nodes: SVGGElement[] = [];
  private words: string[] = [];
  private hits: number[] = [];
  private current = -1;

  constructor(private readonly parts: Parts, private readonly goTo: (i: number) => void) {
    parts.search.addEventListener("input", debounce(80, () => this.search(true)));
    parts.search.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.step(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape" && parts.search.value) {
        parts.search.value = "";
        this.search(false);
        e.stopPropagation();
      }
    });
    parts.next.addEventListener("click", () => this.step(1));
    parts.previous.addEventListener("click", () => this.step(-1));
  }

  // show searches other nodes for the same.
  show(nodes: SVGGElement[]): void {
    this.nodes = nodes;
    this.words = nodes.map((n) => `${n.dataset.id} ${n.dataset.names ?? ""} ${n.getAttribute("aria-label")} ${n.querySelector("title")?.textContent}`.toLowerCase());
    this.search(false);
  }

  // at is told where the reader is.
  at(i: number): void {
    this.current = i;
    this.count();
  }

  private get query(): string {
    return this.parts.search.value.trim().toLowerCase();
  }

  private search(jump: boolean): void {
    const { query } = this;
    this.hits = query ? this.words.flatMap((w, i) => (w.includes(query) ? [i] : [])) : [];
    const found = new Set(this.hits);
    this.nodes.forEach((n, i) => n.classList.toggle("g-hit", found.has(i)));
    this.parts.stage.classList.toggle("searching", query !== "");
    if (jump && this.hits.length > 0 && !found.has(this.current)) this.goTo(this.hits[0]!);
    this.count();
  }

  private count(): void {
    const k = this.hits.indexOf(this.current);
    setText(this.parts.found, this.hits.length > 0 ? `${k >= 0 ? k + 1 : "–"} / ${this.hits.length}` : this.query ? "none" : "");
    for (const b of [this.parts.next, this.parts.previous]) b.disabled = this.hits.length === 0;
  }

  // step goes to the next (1) or previous (-1) node that was found.
  private step(dir: 1 | -1): void {
    const n = this.hits.length;
    if (n === 0) return;
    const k = this.hits.indexOf(this.current);
    this.goTo(this.hits[k < 0 ? (dir > 0 ? 0 : n - 1) : (k + dir + n) % n]!);
  }
}
