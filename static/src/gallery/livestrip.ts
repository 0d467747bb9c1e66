// A recorded run in the start page: it is played once, slowly enough to be seen, and after that each pass shows the first lines that it
// changed. The run is a real one (e2e/recorded); it is loaded after the page. Who wants no motion sees its end.

import "../shared";
import { time } from "../store/format";
import { height, type Phase, phaseNames, phaseOf } from "../store/phases";
import { byId, h, setAttr, setText } from "../widgets/dom";
import { Painter } from "../widgets/paint";
import type { Span } from "../wire";
import recorded from "./recorded.gen";

interface Pass {
  name: string;
  status: "changed" | "same" | "skipped" | "failed";
  at: number;
  changed?: number;
  said?: string;
  function?: string;
  lines?: { sign: string; text: Span[]; type?: string }[];
}

const run = recorded as unknown as { took: number; latency: number; passes: Pass[] };

// plays is how long the run is played, in milliseconds, and favorite the pass that is shown in the end.
const plays = 3200;
const favorite = "FuseOps";

export class LiveStrip {
  private readonly host = byId("live-strip");
  private readonly painter = new Painter();
  private readonly cells: HTMLElement[];
  private rows = 0;
  private shown = -1;
  private chosen = false;
  private started = 0;

  constructor() {
    this.cells = run.passes.map((p, i) => h("div", { class: "cell is-waiting", role: "option", "data-i": i, "aria-selected": "false", "aria-label": `${p.name}: ${p.said ? `${p.said} lines` : p.status}`, tabindex: -1 }));
    const phases: { phase: Phase; cells: HTMLElement[] }[] = [];
    for (const [i, p] of run.passes.entries()) {
      const phase = phaseOf(p.name, phases.at(-1)?.phase ?? "graph");
      if (phases.at(-1)?.phase !== phase) phases.push({ phase, cells: [] });
      phases.at(-1)!.cells.push(this.cells[i]!);
    }
    this.host.replaceChildren(...phases.map(({ phase, cells }) => {
      const el = h("div", { class: `phase phase-${phase}`, role: "group", "aria-label": phaseNames[phase] },
        h("span", { class: "phase-name", "aria-hidden": "true" }, phaseNames[phase]), h("div", { class: "cells", role: "presentation" }, ...cells));
      el.style.setProperty("--n", String(cells.length));
      return el;
    }));
    for (const name of ["click", "pointerover"]) this.host.addEventListener(name, (e) => this.point(e.target));
    this.host.addEventListener("keydown", (e) => this.key(e));
    byId("live-again").addEventListener("click", () => this.play());
    byId("live-again").hidden = false;
    const changed = run.passes.filter((p) => p.status === "changed").length;
    const slower = Math.round((plays * 1e6) / run.took);
    setText(byId("live-about"), `Recorded: ${changed} of ${run.passes.length} passes changed the network, in ${time(run.took)}${slower > 1 ? `, played ${slower} times slower` : ""}`);
  }

  // play plays the run from its beginning, or shows its end.
  play(): void {
    this.chosen = false;
    this.started = 0;
    // The button keeps its room.
    byId("live-again").style.visibility = "hidden";
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.end();
    for (const cell of this.cells) cell.className = "cell is-waiting";
    requestAnimationFrame((now) => this.frame(now));
  }

  private frame(now: number): void {
    this.started ||= now;
    const at = ((now - this.started) / plays) * run.took;
    let running = true;
    run.passes.forEach((p, i) => {
      if (p.at <= at) this.settle(i);
      else if (running) {
        running = false;
        this.cells[i]!.className = "cell is-running";
      }
    });
    if (at < run.took) requestAnimationFrame((next) => this.frame(next));
    else this.end();
  }

  private end(): void {
    run.passes.forEach((_, i) => this.settle(i));
    byId("live-again").hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
    byId("live-again").style.visibility = "";
  }

  // settle shows what a pass came to.
  private settle(i: number): void {
    const p = run.passes[i]!;
    const cell = this.cells[i]!;
    const cls = `cell is-${p.status}`;
    if (cell.className !== cls) {
      cell.className = cls;
      cell.style.setProperty("--h", height(p.changed ?? 0, Math.max(...run.passes.map((x) => x.changed ?? 0))).toFixed(3));
    }
    if (!this.chosen && p.name === favorite) this.show(i);
  }

  private point(target: EventTarget | null): void {
    const i = (target as Element).closest<HTMLElement>("[data-i]")?.dataset.i;
    if (i !== undefined) this.choose(Number(i));
  }

  private choose(i: number): void {
    this.chosen = true;
    this.show(i);
  }

  private key(e: KeyboardEvent): void {
    const to = { ArrowRight: this.shown + 1, ArrowDown: this.shown + 1, ArrowLeft: this.shown - 1, ArrowUp: this.shown - 1, Home: 0, End: run.passes.length - 1 }[e.key];
    if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.choose(Math.max(0, Math.min(run.passes.length - 1, to)));
    this.cells[this.shown]!.focus();
  }

  // show shows the lines of a pass.
  private show(i: number): void {
    if (i === this.shown) return;
    this.shown = i;
    const p = run.passes[i]!;
    this.cells.forEach((cell, k) => {
      setAttr(cell, "aria-selected", String(k === i));
      setAttr(cell, "tabindex", k === i ? "0" : "-1");
    });
    setText(byId("live-pass"), p.name);
    setText(byId("live-said"), p.said ? `${p.said} lines, in ${p.function}` : p.status === "same" ? "changed nothing" : "did not run");
    for (; this.rows > 0; this.rows--) this.painter.forget(this.rows - 1);
    byId("live-code").replaceChildren(...(p.lines ?? []).map((x) => {
      const text = h("span", { class: "live-text" });
      this.painter.text(this.rows++, text, x.text, "");
      return h("div", { class: `live-row ${x.sign === "+" ? "is-add" : "is-del"}` }, h("span", { class: "live-sign" }, x.sign), text, h("span", { class: "live-type" }, x.type ?? ""));
    }));
  }
}
