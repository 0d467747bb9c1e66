// The graph of a function, drawn by the server. It is loaded when it is opened. The drawing scrolls in its stage; nodes take the
// focus one at a time.

import "../shared";
import { json } from "../store/api";
import { plural } from "../store/format";
import type { Step } from "../store/model";
import { keep, setting } from "../store/prefs";
import { Records } from "../store/records";
import { press, setAttr, setText } from "../widgets/dom";
import { About } from "./about";
import { Asked, type Place, Wanted } from "./asked";
import { directions, type Drawing, indexOf, lineOf, parse } from "./drawing";
import { Finder } from "./find";
import { cool, heat, type Heated, scale } from "./heat";
import { Legend } from "./legend";
import { parts } from "./parts";
import { fusing, patterns, Reported, reporter } from "./patterns";
import { pngFile, save, svgFile } from "./save";
import { Stage } from "./stage";

export interface GraphListener {
  // open shows the line of a node in the text: in the text before the pass where the node was removed by it.
  open(line: number, before: boolean): void;
  // line is told the line of the node that the reader is at, 0 where the text after the pass has none.
  line(n: number): void;
  // history shows what became of the node of a line.
  history(line: number, before: boolean): void;
  // marks is told how many nodes are marked, and at which of them the reader is, -1 for none.
  marks(k: number, n: number): void;
  // profile shows where the kernels of a run are measured.
  profile(): void;
}

// mostSteps is how far from a node its neighborhood can reach.
const mostSteps = 20;

export class GraphView {
  private readonly parts = parts();
  private readonly stage = new Stage(this.parts.stage, this.parts.map, (zoom) => this.zoomed(zoom));
  private readonly legend = new Legend(this.parts.legend);
  private readonly finder = new Finder(this.parts, (i) => this.goTo(i));
  private readonly about = new About(this.parts.about, () => this.askWhy());
  private readonly records = new Records();
  // asksWhy tells that the reader wants to know what FuseOps decided, which the server finds out where the run did not record it.
  private asksWhy = false;
  private readonly wanted = new Wanted();
  private nodes: SVGGElement[] = [];
  private edges = new Map<number, SVGElement[]>();
  private current = -1;
  private shown = "";
  private asked: Asked | null = null;
  private drawing: Drawing | null = null;
  private heated: Heated | null = null;
  // aim is the id of a node, or of the group that it stands for or is in, where the reader is to be after the next drawing.
  private aim = "";
  // place is what was asked for last, reveal what makes it visible, and turn counts how often that was.
  private place: Place | null = null;
  private reveal: () => void = () => undefined;
  private turns = 0;
  private pending: AbortController | null = null;

  constructor(host: HTMLElement, private readonly on: GraphListener) {
    host.replaceChildren(this.parts.root);
    const p = this.parts;
    const click = (b: HTMLElement, f: () => void): void => b.addEventListener("click", f);
    click(p.zoomIn, () => this.stage.zoomBy(1.25));
    click(p.zoomOut, () => this.stage.zoomBy(0.8));
    click(p.zoom, () => this.stage.zoomTo(1));
    click(p.fit, () => this.stage.fit());
    click(p.fold, () => this.turnAll("folded"));
    click(p.unfold, () => this.turnAll("open"));
    click(p.around, () => this.around());
    click(p.whole, () => this.around(""));
    click(p.fewer, () => this.reach(-1));
    click(p.more, () => this.reach(1));
    click(p.heat, () => this.turnHeat());
    click(p.svg, () => void this.save(false));
    click(p.png, () => void this.save(true));
    const hidden = (setting("graph-hide") ?? "").split(",");
    for (const [box, name] of [[p.memory, "memory"], [p.constants, "constants"]] as const) {
      box.checked = hidden.includes(name);
      box.addEventListener("change", () => {
        keep("graph-hide", this.hide());
        this.again();
      });
    }
    press(p.heat, setting("graph-heat") === "on");
    p.stage.addEventListener("keydown", (e) => this.key(e));
    p.stage.addEventListener("click", (e) => this.click(e));
    p.stage.addEventListener("focusin", (e) => {
      const i = indexOf(e.target);
      if (i >= 0) this.select(i);
    });
    p.stage.addEventListener("pointerover", (e) => this.near(indexOf(e.target) >= 0 ? indexOf(e.target) : this.current));
  }

  // show draws what a step did to a function, or the function where the step left it alone. When the drawing has come, reveal makes the
  // host visible.
  async show(at: Place, signal: AbortSignal, reveal: () => void): Promise<void> {
    const asked = new Asked(at);
    const mine = ++this.turns;
    this.place = at;
    this.reveal = reveal;
    this.wanted.hide = this.hide();
    const url = asked.url(this.wanted);
    const from = reporter(asked);
    const [drawing, report] = await Promise.all([json<Drawing>(url, { signal }), this.reported(at, from)]);
    if (signal.aborted || mine !== this.turns) return;
    reveal();
    if (report && !this.about.report) this.shown = ""; // the labels of patterns say more
    this.asked = asked;
    this.about.of(asked, report, from);
    if (url !== this.shown) this.draw(drawing);
    else if (at.line > 0) this.goTo(Math.max(0, this.nodes.findIndex((n) => lineOf(n) === at.line)));
    this.tellMarks();
    this.shown = url;
  }

  // reported reads what a step reported, where that is on record or the reader asked why; null otherwise.
  private async reported({ model, fn }: Place, from: Step | null): Promise<Reported | null> {
    if (!from?.finished || from.kind === "sequential" || (!from.finished.rewrites && !(this.asksWhy && from.name === fusing))) return null;
    try {
      return new Reported(from, fn, await this.records.of(model.id, from));
    } catch (err) {
      if (this.asksWhy) this.about.say(`What ${from.name} decided is not known: ${err instanceof Error ? err.message : String(err)}`);
      return null;
    }
  }

  private askWhy(): void {
    this.asksWhy = true;
    this.aim = this.nodes[this.current]?.dataset.id ?? "";
    this.again();
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

  private draw(d: Drawing): void {
    const { label, at } = this.asked!;
    const kept = this.aim || this.nodes[this.current]?.dataset.id;
    const focused = this.parts.stage.contains(document.activeElement);
    const svg = parse(d.svg);
    svg.setAttribute("aria-label", `${label}: ${svg.getAttribute("aria-label") ?? ""}`);
    this.drawing = d;
    this.nodes = [...svg.querySelectorAll<SVGGElement>(".g-node")];
    this.edges = new Map();
    for (const e of svg.querySelectorAll<SVGElement>(".g-edge")) {
      for (const i of new Set([Number(e.dataset.from), Number(e.dataset.to)])) this.edges.set(i, [...(this.edges.get(i) ?? []), e]);
    }
    this.current = -1;
    this.stage.show(svg, parse(d.minimap), d.width, d.height);
    this.finder.show(this.nodes);
    this.about.patterns = patterns(this.nodes, this.asked!, this.about.report);
    this.applyHeat();
    this.legend.show(this.nodes, d);
    setAttr(this.parts.stage, "aria-label", label);
    this.state(d);
    const is = (n: SVGGElement): boolean => (at.line > 0 && !this.aim ? lineOf(n) === at.line : n.dataset.id === kept || n.dataset.group === kept);
    let i = this.nodes.findIndex(is);
    if (i < 0 && kept) i = this.nodes.findIndex((n) => n.dataset.in === kept || (n.dataset.names ?? "").split(" ").includes(kept));
    this.aim = "";
    const start = i >= 0 ? i : (this.marked()[0] ?? -1);
    if (start >= 0) this.stage.center(this.nodes[start]!);
    if (i >= 0) this.select(i, false);
    else this.about.show(null, null);
    if (focused) this.focus();
  }

  // state brings the controls up to date.
  private state(d: Drawing): void {
    const p = this.parts;
    const counts = d.diff ? [`${d.added} added`, `${d.removed} removed`, `${d.changed} changed`].filter((x) => !x.startsWith("0 ")) : [];
    const folded = d.folded ? [`${d.folded.toLocaleString("en")} folded`] : [];
    setText(p.counts, [plural(d.nodes, "node"), ...folded, ...counts].join(" · "));
    p.groups.hidden = !d.groups?.length;
    p.fold.disabled = Wanted.allIs(d, true);
    p.unfold.disabled = Wanted.allIs(d, false);
    p.nearby.hidden = d.form === "loops";
    press(p.around, Boolean(d.near));
    for (const el of [p.fewer, p.steps, p.more, p.whole]) el.hidden = !d.near;
    setText(p.steps, plural(this.wanted.steps, "step"));
    p.fewer.disabled = this.wanted.steps <= 1;
    p.more.disabled = this.wanted.steps >= mostSteps;
    if (this.wanted.near && !d.near && d.form === "dataflow") this.about.say(`${this.wanted.near} is not in this graph: all of it is shown.`);
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
    this.finder.at(i);
    this.about.show(node, this.heated?.shares.get(i) ?? null);
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

  private hide(): string {
    return [this.parts.memory.checked ? "memory" : "", this.parts.constants.checked ? "constants" : ""].filter(Boolean).join(",");
  }

  // again draws what is shown as the controls say by now.
  private again(): void {
    if (!this.place) return;
    this.pending?.abort();
    this.pending = new AbortController();
    const { signal } = this.pending;
    this.show({ ...this.place, line: 0 }, signal, this.reveal).catch((err: unknown) => {
      if (!signal.aborted) this.about.say(err instanceof Error ? err.message : String(err));
    });
  }

  private turnAll(all: "open" | "folded"): void {
    this.wanted.turnAll(all);
    this.again();
  }

  // turn opens the group that a node stands for, or folds one.
  private turn(id: string, open: boolean): void {
    this.wanted.turn(id, open);
    this.aim = id;
    this.again();
  }

  // around shows the neighborhood of a node, the one that the reader is at unless it is named; of "" the whole graph.
  private around(id = this.drawing?.near ? "" : this.nodes[this.current]?.dataset.id): void {
    const node = this.nodes[this.current];
    if (id === undefined) return this.about.say("Choose a node first: click it, or go to it with the arrow keys.");
    if (id && node?.dataset.group) return this.about.say("A folded group has no neighborhood: open it first (Enter).");
    this.wanted.near = id;
    this.again();
  }

  // reach takes one step more or less into the neighborhood.
  private reach(by: 1 | -1): void {
    const steps = this.wanted.steps + by;
    if (!this.drawing?.near || steps < 1 || steps > mostSteps) return;
    this.wanted.steps = steps;
    this.again();
  }

  private turnHeat(): void {
    const on = this.parts.heat.getAttribute("aria-pressed") !== "true";
    press(this.parts.heat, on);
    keep("graph-heat", on ? "on" : "off");
    this.applyHeat();
    const node = this.nodes[this.current];
    if (on && !this.heated) this.about.say("The kernels of this run were not measured.", { text: "Measure them in Profile", run: () => this.on.profile() });
    else if (on && this.heated?.shares.size === 0) this.about.say("Nothing in this graph is one of the kernels that were measured: those after the last pass are.");
    else this.about.show(node ?? null, this.heated?.shares.get(this.current) ?? null);
  }

  private applyHeat(): void {
    cool(this.nodes);
    const on = this.parts.heat.getAttribute("aria-pressed") === "true" && this.asked !== null;
    this.heated = on ? heat(this.nodes, this.asked!.at.model, this.asked!.at.fn) : null;
    this.parts.scale.hidden = !this.heated?.shares.size;
    this.parts.scale.replaceChildren(...(this.heated ? [scale(this.heated)] : []));
  }

  // save writes the drawing as it is into a file.
  private async save(picture: boolean): Promise<void> {
    const svg = this.stage.drawing;
    const d = this.drawing;
    if (!svg || !d || !this.asked) return;
    const { fn, step } = this.asked.at;
    const name = `${fn}-${step?.name ?? "import"}`.replaceAll(/[^\w.-]+/g, "_");
    try {
      const text = svgFile(svg, d.width, d.height, this.asked.label);
      save(picture ? await pngFile(text, d.width, d.height) : new Blob([text], { type: "image/svg+xml" }), `${name}.${picture ? "png" : "svg"}`);
    } catch (err) {
      this.about.say(err instanceof Error ? err.message : String(err));
    }
  }

  private zoomed(zoom: number): void {
    setText(this.parts.zoom, `${Math.round(zoom * 100)}%`);
    press(this.parts.zoom, Math.abs(zoom - 1) < 0.005);
  }

  private click(e: MouseEvent): void {
    if (this.stage.dragged) return;
    const i = indexOf(e.target);
    const cluster = i < 0 ? (e.target as Element).closest<SVGElement>(".g-cluster")?.dataset.group : undefined;
    if (cluster) return this.turn(cluster, false);
    if (i < 0) return;
    this.select(i);
    if (e.shiftKey) this.openHistory(this.nodes[i]!);
    else this.openNode(this.nodes[i]!);
  }

  private openHistory(node: SVGGElement): void {
    const line = Number(node.dataset.line ?? 0);
    if (line > 0) this.on.history(line, node.dataset.mark === "removed");
    else this.about.say("This node has no line of its own.");
  }

  // openNode opens a group, or shows the line of a node.
  private openNode(node: SVGGElement): void {
    const line = Number(node.dataset.line ?? 0);
    if (node.dataset.group) this.turn(node.dataset.group, true);
    else if (line > 0) this.on.open(line, node.dataset.mark === "removed");
    else this.about.say("This node has no line of its own.");
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
    else if (e.key === "h") this.turnHeat();
    else if (e.key === "<" || e.key === ">") this.reach(e.key === ">" ? 1 : -1);
    else if (e.key === "Escape" && this.drawing?.near) this.around("");
    else if (!node) return; // the stage itself: the browser scrolls it
    else if (e.key === "Enter" || e.key === " ") this.openNode(node);
    else if (e.key === "Backspace" && node.dataset.in) this.turn(node.dataset.in, false);
    else if (e.key === "N" && this.drawing?.form === "dataflow") this.around();
    else if (e.key === ".") this.openHistory(node);
    else if (e.key === "Home") to = 0;
    else if (e.key === "End") to = this.nodes.length - 1;
    else if (e.key in directions) to = node.dataset.parent === undefined ? this.neighbour(node, ...directions[e.key]!) : this.inBoxes(i, e.key);
    else return;
    e.preventDefault();
    if (to >= 0) this.goTo(to);
  }

  // inBoxes leads through boxes in boxes: down and up to the next and the one before in the order of the text, left to the box around and
  // right into a box.
  private inBoxes(i: number, key: string): number {
    const parent = (k: number): number => Number(this.nodes[k]?.dataset.parent ?? -1);
    if (key === "ArrowLeft") return parent(i);
    const next = key === "ArrowUp" ? i - 1 : i + 1;
    return next >= this.nodes.length || (key === "ArrowRight" && parent(next) !== i) ? -1 : next;
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
