// What-ifs, a part of the view Result: what the run comes to without a pass, with passes swapped, and at other levels.

import { api } from "../store/api";
import { columns, type Column, numberOf, sorted, whatIf } from "../store/faults";
import { bytes, messageOf, number, time } from "../store/format";
import type { RunModel } from "../store/model";
import type { WhatIfRow } from "../wire";
import { announce, h } from "../widgets/dom";
import { sessionID } from "./faultview";

// Asked is what is known of one run.
interface Asked {
  rows: WhatIfRow[];
  total: number;
  said: string;
  running: AbortController | null;
}

const write: Record<Column, (n: number) => string> = {
  ops: String, kernels: String, memory: bytes, code: bytes, compile: time, latency: time, error: number,
};

export class WhatIfView {
  private readonly host = h("section", { class: "result-part check", "aria-labelledby": "whatif-title" });
  private readonly runs = new Map<string, Asked>();
  private by: { column: Column; down: boolean } | null = null;
  private model: RunModel | null = null;

  // element returns the part for a run.
  element(model: RunModel): HTMLElement {
    this.model = model;
    this.draw();
    return this.host;
  }

  private async start(model: RunModel): Promise<void> {
    const asked: Asked = { rows: [], total: 0, said: "", running: new AbortController() };
    this.runs.set(model.id, asked);
    this.draw();
    try {
      asked.said = await whatIf(model.id, (row, total) => {
        asked.rows.push(row);
        asked.total = total;
        this.drawSoon();
      }, asked.running!.signal);
      announce(`${asked.rows.length} of ${asked.total} variants`);
    } catch (err) {
      asked.said = asked.running!.signal.aborted ? "Stopped." : messageOf(err);
    }
    asked.running = null;
    this.draw();
  }

  private soon = false;

  private drawSoon(): void {
    if (this.soon) return;
    this.soon = true;
    requestAnimationFrame(() => {
      this.soon = false;
      this.draw();
    });
  }

  private draw(): void {
    const model = this.model!;
    const asked = this.runs.get(model.id);
    const focused = this.host.contains(document.activeElement) ? document.activeElement!.id : "";
    const running = asked?.running;
    const b = h("button", { type: "button", class: "btn", id: "whatif-run" }, running ? "Stop" : asked ? "Go on" : "What if");
    b.addEventListener("click", () => (running ? running.abort() : void this.start(model)));
    if (asked && !running && asked.rows.length === asked.total && asked.total > 0) b.textContent = "Again";
    const text = running
      ? `${asked!.rows.length} of ${asked!.total || "…"} variants`
      : asked ? asked.said : "Runs the model without each optional pass, with each two passes that run one after the other swapped where their order allows it, and at each level.";
    const out: HTMLElement[] = [h("h3", { id: "whatif-title" }, "What if"), h("p", { class: "check-ask" }, b, h("span", { class: "quiet" }, text))];
    if (asked && asked.rows.length > 0) out.push(this.table(asked.rows));
    const left = this.host.querySelector(".check-table")?.scrollTop ?? 0;
    this.host.replaceChildren(...out);
    const table = this.host.querySelector(".check-table");
    if (table) table.scrollTop = left;
    if (focused) document.getElementById(focused)?.focus();
  }

  private table(rows: WhatIfRow[]): HTMLElement {
    const head = columns.map((column) => {
      const on = this.by?.column === column;
      const b = h("button", { type: "button", class: "link", id: `whatif-${column}` }, column, on ? (this.by!.down ? " ↓" : " ↑") : "");
      b.addEventListener("click", () => {
        this.by = on && this.by!.down ? null : { column, down: on };
        this.draw();
      });
      return h("th", { scope: "col", class: "num", "aria-sort": on ? (this.by!.down ? "descending" : "ascending") : null }, b);
    });
    return h("div", { class: "check-table", tabindex: 0, role: "region", "aria-label": "What other settings come to" },
      h("table", { "aria-label": "What other settings come to" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "variant"), ...head)),
        h("tbody", {}, ...sorted(rows, this.by).map((r) => this.row(r)))));
  }

  private row(r: WhatIfRow): HTMLElement {
    const name = h("button", { type: "button", class: "link", title: "Run it and compare" }, r.name);
    name.addEventListener("click", () => void this.compare(r, name));
    const cells = columns.map((c) => {
      const n = numberOf(r, c);
      const bad = c === "error" && (r.wrong || r.failed);
      const text = c === "error" && r.failed ? "failed" : n === null ? "–" : write[c](n);
      return h("td", { class: bad ? "num mono beyond" : "num mono" }, bad ? `✕ ${text}` : text);
    });
    return h("tr", {}, h("th", { scope: "row" }, r.kind === "base" ? r.name : name, r.failed ? h("span", { class: "check-why" }, r.failed) : null), ...cells);
  }

  // compare runs a variant in the session and goes to the comparison with this run.
  private async compare(r: WhatIfRow, button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    try {
      const run = await api.start(sessionID(), r.settings);
      location.assign(`/compare/${this.model!.id}/${run.id}?a=${sessionID()}&b=${sessionID()}`);
    } catch (err) {
      button.disabled = false;
      const asked = this.runs.get(this.model!.id)!;
      asked.said = messageOf(err);
      this.draw();
    }
  }
}
