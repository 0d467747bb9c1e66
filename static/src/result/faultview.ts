// The search for the pass at fault, a part of the view Result: what to look for, and what was found.

import { api, post } from "../store/api";
import { bisectRun, knownBy } from "../store/faults";
import { messageOf, plural } from "../store/format";
import { importPath, type RunModel } from "../store/model";
import { given } from "../store/tensors";
import type { Finding, Inside, RunError } from "../wire";
import { announce, h } from "../widgets/dom";
import type { CheckListener } from "./checkview";

// kinds are what can be looked for: the predicate, its words, and what its value is, if it takes one.
const kinds = [
  ["wrong", "wrong output"],
  ["crash", "a crash"],
  ["invalid", "invalid IR"],
  ["slower", "slower program", "2x or 5ms", "2x"],
  ["contains", "IR contains", "regular expression", ""],
  ["lacks", "IR lacks", "regular expression", ""],
  ["script", "Starlark is true", "Starlark", "def predicate(mod):\n    return \"T.exp\" in mod.script()\n"],
] as const;

// Search is a search in one run.
interface Search {
  doing: string;
  found: Finding | null;
  said: string;
  running: AbortController | null;
}

export class FaultView {
  private readonly answer = h("div", { class: "fault-answer" });
  private readonly select = h("select", { id: "fault-kind", class: "field" }, ...kinds.map(([name, label]) => h("option", { value: name }, label)));
  private readonly value = h("input", { type: "text", class: "field mono", id: "fault-value", spellcheck: "false" });
  private readonly script = h("textarea", { class: "field mono", id: "fault-script", rows: 4, spellcheck: "false", "aria-label": "predicate in Starlark" });
  private readonly button = h("button", { type: "submit", class: "btn", id: "fault-find" }, "Bisect");
  private readonly host: HTMLElement;
  private readonly searches = new Map<string, Search>();
  private model: RunModel | null = null;

  constructor(private readonly on: CheckListener) {
    const form = h("form", { class: "check-ask" }, h("label", { for: "fault-kind" }, "Find"), this.select, this.value, this.script, this.button);
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const running = this.searches.get(this.model!.id)?.running;
      if (running) running.abort();
      else void this.start(this.model!);
    });
    this.select.addEventListener("change", () => this.asks(true));
    this.asks(true);
    this.host = h("section", { class: "result-part check fault", "aria-labelledby": "fault-title" },
      h("h3", { id: "fault-title" }, "Find the pass at fault"), form, this.answer);
  }

  // element returns the part for a run. A run that failed is searched for its failure.
  element(model: RunModel): HTMLElement {
    if (model !== this.model) {
      this.model = model;
      const kind = model.finished?.error?.kind;
      if (kind === "verify") this.select.value = "invalid";
      else if (kind === "pass" || kind === "panic" || kind === "limit") this.select.value = "crash";
      this.asks(false);
    }
    this.draw();
    return this.host;
  }

  // asks shows the field for the value of the kind, with its first value where the kind was chosen.
  private asks(fresh: boolean): void {
    const [name, , hint, first] = kinds.find(([name]) => name === this.select.value)!;
    this.value.hidden = !hint || name === "script";
    this.script.hidden = name !== "script";
    if (!hint) return;
    this.value.placeholder = hint;
    this.value.setAttribute("aria-label", hint);
    if (fresh) (name === "script" ? this.script : this.value).value = first;
  }

  private async start(model: RunModel): Promise<void> {
    const search: Search = { doing: "the passes", found: null, said: "", running: new AbortController() };
    this.searches.set(model.id, search);
    this.draw();
    const kind = this.select.value;
    const sought = kind === "script"
      ? { predicate: "", script: this.script.value }
      : { predicate: this.value.hidden ? kind : `${kind}=${this.value.value}`, script: "" };
    try {
      const got = await bisectRun(model.id, sought, (doing) => {
        search.doing = doing;
        this.draw();
      }, search.running!.signal);
      if (typeof got === "string") search.said = `Nothing is at fault: ${got}.`;
      else search.found = got;
      announce(search.said || `${search.found!.pass} is at fault`);
    } catch (err) {
      search.said = search.running!.signal.aborted ? "Stopped." : messageOf(err);
    }
    search.running = null;
    this.draw();
  }

  private draw(): void {
    const model = this.model!;
    const search = this.searches.get(model.id);
    this.button.textContent = search?.running ? "Stop" : "Bisect";
    const out: HTMLElement[] = [];
    if (search?.running) out.push(h("p", { class: "quiet" }, `Looking at ${search.doing}…`));
    else if (search?.said) out.push(h("p", { class: "quiet" }, search.said));
    else if (search?.found) out.push(...this.finding(search.found));
    else out.push(h("p", { class: "quiet" }, "Finds the pass, the function, and the rewrite, and ends in the shortest pipeline and the smallest module that show the fault."));
    const what = reproduced(model.finished?.error);
    if (what) {
      out.push(h("p", {}, h("a", { class: "btn small", id: "fault-reproducer", href: `/runs/${model.id}/reproducer.py`, download: "reproducer.py" }, "Reproducer"),
        h("span", { class: "quiet" }, ` ${what}, and the error, in one file that irscope replay runs`)));
    }
    this.answer.replaceChildren(...out);
  }

  private finding(f: Finding): HTMLElement[] {
    const show = h("button", { type: "button", class: "btn small", id: "fault-show" }, "Show what it changed");
    show.addEventListener("click", () => this.on.open((f.inside ?? f).step || importPath, f.functions.length === 1 ? f.functions[0]! : ""));
    const open = h("button", { type: "button", class: "btn small", id: "fault-open" }, "Open the smallest module");
    open.addEventListener("click", () => void this.open(f, open));
    const fact = (name: string, ...value: (HTMLElement | string)[]): HTMLElement => h("div", {}, h("dt", {}, name), h("dd", { class: "mono" }, ...value));
    const lines = f.source.split("\n").filter((l) => l.trim() && !l.startsWith("#"));
    return [
      h("p", { class: "beyond" }, `✕ ${f.pass}${f.candidates.length > 1 ? `, or one of ${f.candidates.join(", ")}` : ""}${f.detail ? `: ${f.detail}` : ""}`),
      h("dl", { class: "fault-facts" },
        ...(f.inside ? [fact("step", insideWords(f.inside))] : []),
        fact("function", ...functions(f)),
        fact("rewrite", ...rewrites(f)),
        fact("passes", f.passes)),
      h("p", { class: "check-ask" }, show, open, f.omitted ? h("span", { class: "quiet" }, `${plural(f.omitted, "constant")} too large to go along: zeros there`) : null),
      h("p", { class: "quiet" }, `${plural(lines.length, "line")} after ${plural(f.tests, "test")}${f.stopped ? `; it may not be the smallest: ${f.stopped}` : ""}`),
      h("pre", { class: "fault-source", tabindex: 0, role: "region", "aria-label": "The smallest module" }, lines.join("\n")),
    ];
  }

  // open makes a session of the smallest module with the shortest pipeline, and goes there.
  private async open(f: Finding, button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    try {
      const model = this.model!;
      const was = (await api.run(model.id)).settings;
      // The module may lack inputs, and has outputs of its own. Of the pipeline zero nobody expects that it makes code.
      const settings = { ...was, steps: f.steps, patches: f.patches ?? [], pipeline: "zero", inputs: given(was, "inputs").filter((t) => f.inputs.includes(t.name)), expected: [] };
      const { session } = await post<{ session: { id: string } }>("/api/sessions", {
        kind: "tvmscript", source: f.whole || f.source, name: `${f.pass.replace(/[^\w.]/g, "_")}.py`, parent: sessionID(), start: false,
      });
      await api.start(session.id, settings);
      const at = new URLSearchParams({ pass: (f.inside ?? f).path });
      location.assign(`/s/${session.id}?${at}`);
    } catch (err) {
      button.disabled = false;
      this.answer.append(h("p", { class: "beyond" }, messageOf(err)));
    }
  }
}

// reproduced says what a reproducer of an error has; "" for an error that none shows.
function reproduced(e: RunError | undefined): string {
  switch (e?.kind) {
    case "limit":
      if (e.limit && !["memory", "model"].includes(e.limit)) return "";
      break;
    case "pass":
    case "verify":
      return "the module before the pass, its settings";
    case "panic":
    case "timeout":
    case "codegen":
    case "execute":
      break;
    default:
      return "";
  }
  return e.pass ? "the module before the pass, or the model, its settings and limits" : "the model with its inputs, its settings and limits";
}

// sessionID is that of the page, from its address.
export function sessionID(): string {
  return location.pathname.split("/")[2] ?? "";
}

// insideWords names the step inside of the pass at fault.
function insideWords(x: Inside): string {
  return x.line ? `${x.pass}, line ${x.line}: ${x.title ?? ""}` : `${x.pass} (${x.step.split("/")[0]!})`;
}

// functions are those at fault in the smallest module, and the others.
function functions(f: Finding): (HTMLElement | string)[] {
  const more = [f.also?.length ? `also at fault: ${f.also.join(", ")}` : "", f.also_stopped ? "others may be at fault, too: time was up" : ""];
  return [f.functions.join(", ") || "not known", ...more.filter(Boolean).map((text) => h("span", { class: "fault-rewrite" }, text))];
}

function rewrites(f: Finding): HTMLElement[] {
  const out = [h("span", { class: "quiet" }, knownBy[f.how])];
  for (const r of f.rewrites) {
    out.push(h("span", { class: "fault-rewrite" }, r.name));
    for (const [mark, list] of [["-", r.before], ["+", r.after]] as const) {
      for (const text of list) out.push(h("span", { class: "fault-rewrite" }, `${mark} ${text.split("\n")[0]}`));
    }
  }
  return out;
}
