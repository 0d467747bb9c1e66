// The strip of passes under the top bar: a cell for each pass, grouped by phase. It is one stop of Tab; the arrows walk over the passes.

import { counts } from "../store/counts";
import { time } from "../store/format";
import type { RunModel, Step } from "../store/model";
import { height, phaseNames, stretches } from "../store/phases";
import { byId, h, setAttr } from "../widgets/dom";
import { deltaWords } from "../widgets/delta";

export class PassStrip {
  private readonly host = byId("phases");
  private readonly tip = byId("strip-tip");
  private cells: { step: Step; el: HTMLElement }[] = [];
  private drawn = "";
  private selected = "";
  private laid = "";

  constructor(private readonly on: { select(step: Step): void }) {
    this.host.addEventListener("click", (e) => {
      const cell = this.cellAt(e.target);
      if (cell) this.on.select(cell.step);
    });
    this.host.addEventListener("keydown", (e) => this.key(e));
    for (const name of ["pointerover", "focusin"]) this.host.addEventListener(name, (e) => this.say(e.target));
    for (const name of ["pointerleave", "focusout"]) this.host.addEventListener(name, () => (this.tip.hidden = true));
  }

  update(model: RunModel, selected: string, stale: boolean): void {
    byId("strip").classList.toggle("stale", stale);
    const key = `${model.id} ${model.version}`;
    if (key === this.drawn && selected === this.selected) return;
    this.selected = selected;
    if (key !== this.drawn) this.fill(model);
    this.drawn = key;
    const stop = Math.max(0, this.cells.findIndex(({ step }) => step.path === selected));
    this.cells.forEach(({ step, el }, i) => {
      setAttr(el, "aria-selected", String(step.path === selected));
      setAttr(el, "tabindex", i === stop ? "0" : "-1");
    });
    // The focus follows the selection where it is in the strip.
    if (this.host.contains(document.activeElement)) this.cells[stop]?.el.focus({ preventScroll: true });
  }

  // fill draws what the cells say of their steps.
  private fill(model: RunModel): void {
    const all = stretches(model);
    const plan = all.map((x) => `${x.phase}:${x.steps.map((step) => step.path).join()}`).join(" ");
    if (plan !== this.laid) this.lay(all);
    else all.flatMap((x) => x.steps).forEach((step, i) => (this.cells[i]!.step = step));
    this.laid = plan;
    const most = Math.max(0, ...this.cells.map(({ step }) => lines(step)));
    for (const { step, el } of this.cells) {
      const cls = `cell is-${step.status}`;
      if (el.className !== cls) el.className = cls;
      el.style.setProperty("--h", step.status === "changed" ? height(lines(step), most).toFixed(3) : "0");
      setAttr(el, "aria-label", words(step));
    }
  }

  private lay(all: ReturnType<typeof stretches>): void {
    const focused = this.host.contains(document.activeElement);
    this.cells = [];
    this.host.replaceChildren(...all.map(({ phase, steps }) => {
      const cells = steps.map((step) => {
        const el = h("div", { role: "option", "data-step": step.path });
        this.cells.push({ step, el });
        return el;
      });
      const el = h("div", { class: `phase phase-${phase}`, role: "group", "aria-label": phaseNames[phase] }, h("span", { class: "phase-name", "aria-hidden": "true" }, phaseNames[phase]), h("div", { class: "cells", role: "presentation" }, ...cells));
      el.style.setProperty("--n", String(steps.length));
      return el;
    }));
    if (focused) window.setTimeout(() => this.host.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  }

  private cellAt(target: EventTarget | null): { step: Step; el: HTMLElement } | undefined {
    const el = target instanceof Element ? target.closest(".cell") : null;
    return el ? this.cells.find((x) => x.el === el) : undefined;
  }

  // say names the pass below its cell.
  private say(target: EventTarget | null): void {
    const cell = this.cellAt(target);
    this.tip.hidden = !cell;
    if (!cell) return;
    const { step } = cell;
    this.tip.replaceChildren(h("b", {}, step.name), what(step), step.measured.total !== undefined ? ` ${time(step.measured.total)}` : "");
    const at = cell.el.getBoundingClientRect();
    this.tip.style.left = `${Math.max(4, Math.min(at.left - 8, innerWidth - this.tip.offsetWidth - 4))}px`;
  }

  private key(e: KeyboardEvent): void {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const i = this.cells.findIndex(({ el }) => el === document.activeElement);
    const last = this.cells.length - 1;
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: last, PageDown: i + 10, PageUp: i - 10 }[e.key];
    if (to === undefined || i < 0) return;
    e.preventDefault();
    this.on.select(this.cells[Math.max(0, Math.min(last, to))]!.step);
  }
}

// lines counts those that a step changed.
function lines(step: Step): number {
  if (!step.finished) return 0;
  const { added, removed, renamed, moved } = counts(step.finished);
  return added + removed + renamed + moved;
}

// what says what became of a step.
function what(step: Step): string {
  if (step.finished?.changed) return deltaWords(step.finished);
  switch (step.status) {
    case "same": return "unchanged";
    case "skipped": return step.text || "did not run";
    case "waiting": return "not run yet";
    case "unknown": return "not known";
    default: return step.status;
  }
}

function words(step: Step): string {
  return `${step.name}: ${what(step)}${step.measured.total !== undefined ? `, ${time(step.measured.total)}` : ""}`;
}
