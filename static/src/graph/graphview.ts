// The graph of a function, drawn by the server. It is loaded when it is opened. The drawing scrolls in its stage; nodes take the
// focus one at a time.

import "../shared";
import { json } from "../store/api";
import { debounce } from "../store/timers";
import { press, setAttr, setText } from "../widgets/dom";
import { plural } from "../store/format";
import { directions, type Drawing, indexOf, lineOf, parse } from "./drawing";
import { Legend } from "./legend";
import { parts } from "./parts";
import { Stage } from "./stage";
import { keep, setting } from "../store/prefs";

export interface GraphListener {
  // open shows the line of a node in the text: in the text before the pass where the node was removed by it.
  open(line: number, before: boolean): void;
  // line is told the line of the node that the reader is at, 0 where the text after the pass has none.
  line(n: number): void;
  // history shows what became of the node of a line.
  history(line: number, before: boolean): void;
  // marks is told how many nodes are marked, and at which of them the reader is, -1 for none.
  marks(k: number, n: number): void;
}

export class GraphView {
  private readonly parts = parts();
  private readonly stage = new Stage(this.parts.stage, this.parts.map, (zoom) => this.zoomed(zoom));
  private readonly legend = new Legend(this.parts.legend);
  private nodes: SVGGElement[] = [];
  private edges = new Map<number, SVGElement[]>();
  private words: string[] = [];
  private hits: number[] = [];
  private current = -1;
  private shown = "";
  private asked = { before: "", after: "", label: "", line: 0 };

  constructor(host: HTMLElement, private readonly on: GraphListener) {
    host.replaceChildren(this.parts.root);
    const p = this.parts;
    p.zoomIn.addEventListener("click", () => this.stage.zoomBy(1.25));
    p.zoomOut.addEventListener("click", () => this.stage.zoomBy(0.8));
    p.zoom.addEventListener("click", () => this.stage.zoomTo(1));
    p.fit.addEventListener("click", () => this.stage.fit());
    p.search.addEventListener("input", debounce(80, () => this.search(true)));
    p.search.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.step(e.shiftKey ? -1 : 1);
      else if (e.key === "Escape" && p.search.value) {
        p.search.value = "";
        this.search(false);
        e.stopPropagation();
      }
    });
    p.next.addEventListener("click", () => this.step(1));
    p.previous.addEventListener("click", () => this.step(-1));
    const hidden = (setting("graph-hide") ?? "").split(",");
    for (const [box, name] of [[p.memory, "memory"], [p.constants, "constants"]] as const) {
      box.checked = hidden.includes(name);
      box.addEventListener("change", () => this.hide());
    }
    p.stage.addEventListener("keydown", (e) => this.key(e));
    p.stage.addEventListener("click", (e) => this.click(e));
    p.stage.addEventListener("focusin", (e) => {
      const i = indexOf(e.target);
      if (i >= 0) this.select(i);
    });
    p.stage.addEventListener("pointerover", (e) => this.near(indexOf(e.target) >= 0 ? indexOf(e.target) : this.current));
  }

  // show draws what became of a function between two texts, or a function where both are the same. When the drawing has come,
  // reveal makes the host visible.
  async show(before: string, after: string, label: string, line: number, signal: AbortSignal, reveal: () => void): Promise<void> {
    this.asked = { before, after, label, line };
    const hide = [this.parts.memory.checked ? "memory" : "", this.parts.constants.checked ? "constants" : ""].filter(Boolean).join(",");
    const url = `/graph/${before || "-"}/${after || "-"}${hide ? `?hide=${hide}` : ""}`;
    const drawing = await json<Drawing>(url, { signal });
    if (signal.aborted) return;
    reveal();
    if (url !== this.shown) this.draw(drawing, label, line);
    else if (line > 0) this.goTo(Math.max(0, this.nodes.findIndex((n) => lineOf(n) === line)));
    this.tellMarks();
    this.shown = url;
  }

  // focus puts the focus on the node that the reader is at.
  focus(): void {
    (this.nodes[this.current] ?? this.nodes[0] ?? this.parts.stage).focus({ preventScroll: true });
  }

  // moveMark goes to the next (1) or previous (-1) node with a mark.
  moveMark(dir: 1 | -1): void {
    const marked = this.marked();
    if (marked.length === 0) return;
    const k = dir > 0 ? marked.findIndex((i) => i > this.current) : marked.findLastIndex((i) => i < this.current);
    this.goTo(marked[k] ?? (dir > 0 ? marked[0]! : marked.at(-1)!));
  }

  private draw(d: Drawing, label: string, line: number): void {
    const kept = this.nodes[this.current]?.dataset.id;
    const svg = parse(d.svg);
    svg.setAttribute("aria-label", `${label}: ${svg.getAttribute("aria-label") ?? ""}`);
    this.nodes = [...svg.querySelectorAll<SVGGElement>(".g-node")];
    this.words = this.nodes.map((n) => `${n.dataset.id} ${n.getAttribute("aria-label")} ${n.querySelector("title")?.textContent}`.toLowerCase());
    this.edges = new Map();
    for (const e of svg.querySelectorAll<SVGElement>(".g-edge")) {
      for (const i of new Set([Number(e.dataset.from), Number(e.dataset.to)])) this.edges.set(i, [...(this.edges.get(i) ?? []), e]);
    }
    this.current = -1;
    this.hits = [];
    this.stage.show(svg, parse(d.minimap), d.width, d.height);
    this.legend.show(this.nodes, d);
    setAttr(this.parts.stage, "aria-label", label);
    const counts = d.diff ? [`${d.added} added`, `${d.removed} removed`, `${d.changed} changed`].filter((x) => !x.startsWith("0 ")) : [];
    setText(this.parts.counts, [plural(d.nodes, "node"), ...counts].join(" · "));
    setText(this.parts.folded, d.folded ? `${d.folded.toLocaleString("en")} nodes are folded into groups.` : "");
    const at = this.nodes.findIndex((n) => (line > 0 ? lineOf(n) === line : n.dataset.id === kept));
    const start = at >= 0 ? at : (this.marked()[0] ?? -1);
    if (start >= 0) this.stage.center(this.nodes[start]!);
    if (at >= 0) this.select(at, false);
    this.search(false);
  }

  private marked(): number[] {
    return this.nodes.flatMap((n, i) => (["added", "removed", "changed"].includes(n.dataset.mark ?? "") ? [i] : []));
  }

  private tellMarks(): void {
    const marked = this.marked();
    this.on.marks(marked.indexOf(this.current), marked.length);
  }

  // select makes a node the one that Tab leads to.
  private select(i: number, tell = true): void {
    if (i === this.current) return;
    const old = this.nodes[this.current] ?? this.nodes[0];
    old?.setAttribute("tabindex", "-1");
    old?.removeAttribute("aria-current");
    this.current = i;
    const node = this.nodes[i]!;
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-current", "true");
    this.near(i);
    this.tellMarks();
    if (tell) this.on.line(lineOf(node));
  }

  private goTo(i: number): void {
    this.stage.center(this.nodes[i]!);
    this.select(i);
    // The focus moves along, unless it is where the reader types or presses.
    if (this.parts.stage.contains(document.activeElement)) this.focus();
  }

  // near sets off the edges of a node.
  private near(i: number): void {
    for (const e of this.parts.stage.querySelectorAll(".g-near")) e.classList.remove("g-near");
    for (const e of this.edges.get(i) ?? []) e.classList.add("g-near");
  }

  private search(jump: boolean): void {
    const query = this.parts.search.value.trim().toLowerCase();
    this.hits = query ? this.words.flatMap((w, i) => (w.includes(query) ? [i] : [])) : [];
    const found = new Set(this.hits);
    this.nodes.forEach((n, i) => n.classList.toggle("g-hit", found.has(i)));
    this.parts.stage.classList.toggle("searching", query !== "");
    if (jump && this.hits.length > 0 && !found.has(this.current)) this.goTo(this.hits[0]!);
    this.countHits();
  }

  private countHits(): void {
    const k = this.hits.indexOf(this.current);
    const none = this.parts.search.value.trim() ? "none" : "";
    setText(this.parts.found, this.hits.length > 0 ? `${k >= 0 ? k + 1 : "–"} / ${this.hits.length}` : none);
    for (const b of [this.parts.next, this.parts.previous]) b.disabled = this.hits.length === 0;
  }

  // step goes to the next (1) or previous (-1) node that was found.
  private step(dir: 1 | -1): void {
    const n = this.hits.length;
    if (n === 0) return;
    const k = this.hits.indexOf(this.current);
    this.goTo(this.hits[k < 0 ? (dir > 0 ? 0 : n - 1) : (k + dir + n) % n]!);
    this.countHits();
  }

  private hide(): void {
    keep("graph-hide", [this.parts.memory.checked ? "memory" : "", this.parts.constants.checked ? "constants" : ""].filter(Boolean).join(","));
    const { before, after, label } = this.asked;
    this.show(before, after, label, 0, new AbortController().signal, () => undefined).catch((err: unknown) => {
      setText(this.parts.folded, err instanceof Error ? err.message : String(err));
    });
  }

  private zoomed(zoom: number): void {
    setText(this.parts.zoom, `${Math.round(zoom * 100)}%`);
    press(this.parts.zoom, Math.abs(zoom - 1) < 0.005);
  }

  private click(e: MouseEvent): void {
    const i = indexOf(e.target);
    if (i < 0 || this.stage.dragged) return;
    this.select(i);
    if (e.shiftKey) this.openHistory(this.nodes[i]!);
    else this.openLine(this.nodes[i]!);
  }

  private openHistory(node: SVGGElement): void {
    const line = Number(node.dataset.line ?? 0);
    if (line > 0) this.on.history(line, node.dataset.mark === "removed");
    else setText(this.parts.folded, "This node has no line of its own.");
  }

  private openLine(node: SVGGElement): void {
    const line = Number(node.dataset.line ?? 0);
    if (line > 0) this.on.open(line, node.dataset.mark === "removed");
    else setText(this.parts.folded, "This node has no line of its own.");
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const i = indexOf(e.target);
    const node = this.nodes[i];
    let to = -1;
    if (e.key === "+" || e.key === "=") this.stage.zoomBy(1.25);
    else if (e.key === "-") this.stage.zoomBy(0.8);
    else if (e.key === "1") this.stage.zoomTo(1);
    else if (e.key === "0") this.stage.fit();
    else if (e.key === "/") this.parts.search.focus();
    else if (!node) return; // the stage itself: the browser scrolls it
    else if (e.key === "Enter" || e.key === " ") this.openLine(node);
    else if (e.key === ".") this.openHistory(node);
    else if (e.key === "Home") to = 0;
    else if (e.key === "End") to = this.nodes.length - 1;
    else if (e.key in directions) to = this.neighbour(node, ...directions[e.key]!);
    else return;
    e.preventDefault();
    if (to >= 0) this.goTo(to);
  }

  // neighbour finds the nearest node in a direction; what lies aside counts three times as far.
  private neighbour(from: SVGGElement, dx: number, dy: number): number {
    const a = this.stage.place(from);
    let best = -1;
    let least = Infinity;
    this.nodes.forEach((n, i) => {
      const b = this.stage.place(n);
      const along = (b.x - a.x) * dx + (b.y - a.y) * dy;
      const aside = Math.abs((b.x - a.x) * dy) + Math.abs((b.y - a.y) * dx);
      const cost = along + 3 * aside;
      if (n !== from && along > 4 && cost < least) [best, least] = [i, cost];
    });
    return best;
  }
}
