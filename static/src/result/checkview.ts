// The check of every pass, a part of the view Result: a button, what was found, and a row for each module.

import { type Checked, checkRun, expectedWords, how, isBad, marks, verdict } from "../store/check";
import { messageOf, number, plural } from "../store/format";
import { codePath, importPath, type RunModel } from "../store/model";
import type { CheckedStep, CheckReport, Num } from "../wire";
import { announce, h } from "../widgets/dom";

export interface CheckListener {
  // open shows what a step did to a function, "" for any.
  open(path: string, fn: string): void;
  // line shows a line of a function as a step left it.
  line(path: string, fn: string, line: number): void;
  // marked is told when steps have other marks.
  marked(): void;
}

// Check is a check of one run.
interface Check {
  so: Checked;
  error: string;
  running: AbortController | null;
}

export class CheckView {
  private readonly host = h("section", { class: "result-part check", "aria-labelledby": "check-title" });
  private readonly checks = new Map<string, Check>();
  private model: RunModel | null = null;

  // kept is the report of an exported page, in which nothing can be checked.
  constructor(private readonly on: CheckListener, private readonly kept: CheckReport | null = null) {}

  // element returns the part for a run.
  element(model: RunModel): HTMLElement {
    this.model = model;
    if (this.kept && !this.checks.has(model.id)) {
      const so = { steps: this.kept.steps, report: this.kept };
      this.checks.set(model.id, { so, error: "", running: null });
      mark(model, so);
      this.on.marked();
    }
    this.draw();
    return this.host;
  }

  private async start(model: RunModel): Promise<void> {
    const check: Check = { so: { steps: [], report: null }, error: "", running: new AbortController() };
    this.checks.set(model.id, check);
    this.draw();
    this.host.querySelector("button")?.focus();
    try {
      check.so = await checkRun(model.id, (so) => {
        check.so = so;
        this.drawSoon();
      }, check.running!.signal);
      announce(verdict(check.so.report!));
    } catch (err) {
      check.error = check.running!.signal.aborted ? "Stopped." : messageOf(err);
    }
    check.running = null;
    mark(model, check.so);
    this.on.marked();
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
    const check = this.checks.get(model.id);
    const focused = this.host.contains(document.activeElement) && document.activeElement?.id === "check-passes";
    const out: (HTMLElement | null)[] = [h("h3", { id: "check-title" }, "Check every pass"), this.kept ? null : this.control(model, check)];
    const report = check?.so.report;
    if (check?.error) out.push(h("p", { class: "beyond" }, check.error));
    if (report) {
      const [kind, sign] = report.fault || report.reference < 0 ? ["beyond", "✕ "] : report.stopped ? [null, ""] : ["within", "✓ "];
      out.push(h("p", { class: kind }, sign + verdict(report)));
      if (report.fault) {
        const { path, functions } = report.fault;
        const b = h("button", { type: "button", class: "btn small", id: "check-fault" }, "Show what it changed");
        b.addEventListener("click", () => this.on.open(path, functions.length === 1 ? functions[0]! : ""));
        out.push(h("p", {}, b));
      }
      for (const x of report.expected ?? []) out.push(h("p", { class: x.within ? "within" : "beyond" }, expectedWords(x)));
      if (report.stopped) out.push(h("p", { class: "beyond" }, `Not all passes were checked: ${report.stopped}`));
    }
    if (check && check.so.steps.length > 0) out.push(this.table(check.so.steps));
    if (report) out.push(h("p", { class: "quiet" }, how(report)));
    this.host.replaceChildren(...out.filter((x) => x !== null));
    if (focused) this.host.querySelector<HTMLElement>("#check-passes")?.focus();
  }

  // control starts a check, and stops the one that goes on.
  private control(model: RunModel, check: Check | undefined): HTMLElement {
    const running = check?.running;
    const b = h("button", { type: "button", class: "btn", id: "check-passes" }, running ? "Stop" : check ? "Check again" : "Check");
    b.addEventListener("click", () => (running ? running.abort() : void this.start(model)));
    const text = running
      ? `${plural(check!.so.steps.length, "step")} checked…`
      : check ? "" : "Runs the module after each pass, on the inputs of this run, and compares its outputs with those before the first pass.";
    return h("p", { class: "check-ask" }, b, h("span", { class: "quiet" }, text));
  }

  private table(steps: CheckedStep[]): HTMLElement {
    const head = (text: string, num = false): HTMLElement => h("th", { scope: "col", class: num ? "num" : null }, text);
    const rows = steps.filter((s) => s.changed).map((s) => this.row(s));
    return h("div", { class: "check-table", tabindex: 0, role: "region", "aria-label": "Outputs after each pass" },
      h("table", { "aria-label": "Outputs after each pass" },
        h("thead", {}, h("tr", {}, head("module after"), head("outputs"), head("max abs error", true), head("max rel error", true), head("NaN", true))),
        h("tbody", {}, ...rows)));
  }

  // threads lists what threads did that ended the run of a module, each with the line where it is.
  private threads(s: CheckedStep): HTMLElement | null {
    const f = s.threads;
    if (!f || !f.accesses.some((a) => a.line)) return null;
    return h("ul", { class: "check-threads" }, ...f.accesses.filter((a) => a.line).map((a) => {
      const b = h("button", { type: "button", class: "link mono" }, `${f.function}, line ${a.line}: ${a.code ?? ""}`);
      b.addEventListener("click", () => this.on.line(s.path || importPath, f.function, a.line!));
      return h("li", {}, `thread (${a.thread}) ${a.does}: `, b);
    }));
  }

  private row(s: CheckedStep): HTMLElement {
    const d = s.difference;
    const cell = (x: Num | undefined): HTMLElement => h("td", { class: "num mono" }, x === undefined ? "–" : number(x));
    const b = h("button", { type: "button", class: "link mono" }, s.pass || "import");
    b.addEventListener("click", () => this.on.open(s.path || importPath, ""));
    return h("tr", { class: `is-${s.status}` },
      h("th", { scope: "row" }, b, s.path && s.path !== codePath ? h("span", { class: "quiet num" }, ` ${s.path.split("/")[0]}`) : null),
      h("td", { class: isBad(s.status) ? "beyond" : null }, marks[s.status], s.message ? h("span", { class: "check-why" }, s.message) : null, this.threads(s)),
      cell(d?.max_abs), cell(d?.max_rel), cell(d?.nans ?? (d ? 0 : undefined)));
  }
}

// mark notes at the steps of a run what was found: the tree and the inspector show it.
function mark(model: RunModel, { steps, report }: Checked): void {
  model.version++;
  for (const s of steps) {
    const step = model.steps.get(s.path || importPath);
    if (!step) continue;
    step.check = s;
    step.fault = s.path !== "" && s.path === report?.fault?.path;
  }
}
