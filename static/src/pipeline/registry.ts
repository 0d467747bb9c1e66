// The dialog in which a pass is found and put into the pipeline.

import { post } from "../store/api";
import { Trials, would } from "../store/trial";
import { button } from "../widgets/dialogs";
import { h, setAttr, setText } from "../widgets/dom";
import { plural } from "../store/format";
import { print } from "../widgets/field";
import { ended, type Step } from "../store/model";
import type { Pipelining } from "./pipelining";
import { rank } from "../store/rank";
import { afterOf, userPrefix } from "../store/steps";
import type { Order, PassInfo, Tried } from "../wire";

// mostTried is how many of the listed passes are tried in the background: those from the marked one on.
const mostTried = 24;

export class Registry {
  private readonly query = h("input", { class: "field", type: "text", id: "registry-query", placeholder: "Name or description", role: "combobox", "aria-label": "Search the passes", "aria-expanded": "true", "aria-controls": "registry-list", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false" });
  private readonly level = h("select", { class: "field", "aria-label": "Level" });
  private readonly kind = h("select", { class: "field", "aria-label": "Kind" });
  private readonly list = h("div", { class: "registry-list", id: "registry-list", role: "listbox", "aria-label": "Passes" });
  private readonly doc = h("div", { class: "registry-doc", id: "registry-doc", tabindex: 0, role: "region", "aria-label": "About the highlighted pass" });
  private readonly found = h("span", { class: "quiet", role: "status" });
  private readonly dialog: HTMLDialogElement;
  private readonly all: PassInfo[];
  private shown: PassInfo[] = [];
  private marked = 0;
  // trials says what passes would do; null where nothing can be tried.
  private readonly trials: Trials | null;
  private readonly abort = new AbortController();

  constructor(private readonly editor: Pipelining, private readonly after: Step | null) {
    const { store } = editor;
    const phases = editor.named.map((p): PassInfo => ({
      name: p.name, level: 0, role: p.steps[0]?.role ?? "optional", kind: "sequential",
      doc: `${p.doc || "A named pipeline."} It has ${plural(p.steps.length - 1, "step")}.`,
    }));
    this.all = [...store.ownPasses.values(), ...store.runs.passes.values(), ...phases];
    this.choices(this.level, "any level", [...new Set(this.all.map((p) => p.level))].sort().map((n) => [String(n), `level ${n}`]));
    this.choices(this.kind, "any kind", [...new Set(this.all.map((p) => p.kind))].sort().map((k) => [k, k.replace("_", " ")]));
    const close = h("button", { type: "button", class: "btn quiet", "aria-label": "Close" }, "✕");
    close.addEventListener("click", () => this.dialog.close());
    this.dialog = h(
      "dialog",
      { class: "registry", id: "registry", "aria-labelledby": "registry-title" },
      h("div", { class: "registry-head" }, h("h2", { id: "registry-title" }, "Add a pass"), h("span", { class: "quiet" }, this.where()), h("span", { class: "grow" }), close),
      h("div", { class: "registry-tools" }, this.query, this.level, this.kind),
      h("div", { class: "registry-body" }, this.list, this.doc),
      h("div", { class: "registry-foot" }, this.found, h("span", { class: "grow" }), button("Add", () => this.add(), "primary", { id: "registry-add" })),
    );
    this.query.addEventListener("input", () => this.search());
    this.query.addEventListener("keydown", (e) => this.key(e));
    for (const s of [this.level, this.kind]) s.addEventListener("change", () => this.search());
    this.list.addEventListener("click", (e) => this.click(e));
    this.list.addEventListener("dblclick", () => this.add());
    this.trials = this.trying();
    this.dialog.addEventListener("close", () => {
      this.trials?.end();
      this.abort.abort();
      this.dialog.remove();
    });
  }

  // trying tries passes behind the step in the run that is shown, whose results stay as they are.
  private trying(): Trials | null {
    const { store } = this.editor;
    const { after } = this;
    const name = after ? afterOf(store.model, after) : "import";
    if (!store.compiler || !store.model.started || name === "" || (after && !ended(after))) return null;
    const ask = async (names: string[]): Promise<Tried[]> =>
      (await post<{ tried: Tried[] }>(`/api/runs/${store.model.id}/try`, { after: name, steps: names.map((n) => ({ name: n })) }, this.abort.signal)).tried;
    return new Trials(ask, () => this.told());
  }

  // told writes what is known of the listed passes.
  private told(): void {
    for (const [i, p] of this.shown.entries()) {
      const t = this.trials?.of(p.name);
      const el = this.list.children[i]?.querySelector<HTMLElement>(".registry-would");
      if (!t || !el) continue;
      setText(el, would(t));
      el.classList.toggle("is-nothing", t.changed.length === 0);
    }
    this.say();
  }

  // say writes what is known of the marked pass beside its description.
  private say(): void {
    const pass = this.shown[this.marked];
    const el = this.doc.querySelector<HTMLElement>(".registry-would");
    const t = pass && this.trials?.of(pass.name);
    if (el) setText(el, t ? `Here it ${would(t)}${t.changed.length > 0 ? `: ${t.changed.slice(0, 6).join(", ")}${t.changed.length > 6 ? ", …" : ""}` : ""}.` : "");
  }

  open(): void {
    document.body.append(this.dialog);
    this.search();
    this.dialog.showModal();
    this.query.focus();
  }

  private where(): string {
    const { after } = this;
    if (!after || after.path === "import") return "in first place";
    return after.parent === "" ? "in last place" : `after ${after.name}`;
  }

  private choices(select: HTMLSelectElement, any: string, list: string[][]): void {
    select.append(h("option", { value: "" }, any), ...list.map(([value, text]) => h("option", { value: value! }, text!)));
  }

  private search(): void {
    const { query, level, kind } = this;
    const fits = this.all.filter((p) => (level.value === "" || String(p.level) === level.value) && (kind.value === "" || p.kind === kind.value));
    this.shown = rank(fits, query.value.trim());
    this.list.replaceChildren(...this.shown.map((p, i) => this.item(p, i)));
    setText(this.found, this.shown.length === 0 ? "No matching pass; search by part of its name or description" : `${this.shown.length} of ${this.all.length} passes`);
    this.mark(0);
  }

  private item(p: PassInfo, i: number): HTMLElement {
    const tags = [p.name.startsWith(userPrefix) ? "yours" : "", p.kind.replace("_", " "), p.level > 0 ? `level ${p.level}` : "", p.role === "lowering" ? "lowering" : ""].filter(Boolean);
    return h(
      "div",
      { class: "registry-item", role: "option", id: `registry-${i}`, "data-i": i, "data-pass": p.name, "aria-selected": "false" },
      h("span", { class: `registry-name${p.role === "lowering" ? " lowering" : ""}` }, p.name),
      h("span", { class: "registry-tags" }, tags.join(" · ")),
      h("span", { class: "registry-would" }),
      h("span", { class: "registry-brief" }, p.doc),
    );
  }

  private mark(i: number): void {
    this.list.querySelector('[aria-selected="true"]')?.setAttribute("aria-selected", "false");
    this.marked = Math.max(0, Math.min(this.shown.length - 1, i));
    const el = this.list.children[this.marked];
    el?.setAttribute("aria-selected", "true");
    el?.scrollIntoView({ block: "nearest" });
    setAttr(this.query, "aria-activedescendant", el ? el.id : null);
    const pass = this.shown[this.marked];
    this.doc.replaceChildren(...(pass ? describe(pass) : []));
    this.dialog.querySelector<HTMLButtonElement>("#registry-add")!.disabled = !pass;
    this.trials?.want(this.shown.slice(this.marked, this.marked + mostTried).filter((p) => p.kind !== "sequential").map((p) => p.name));
    this.told();
  }

  private key(e: KeyboardEvent): void {
    const to: Record<string, number> = { ArrowDown: this.marked + 1, ArrowUp: this.marked - 1, PageDown: this.marked + 8, PageUp: this.marked - 8 };
    const i = to[e.key];
    if (i !== undefined) this.mark(i);
    else if (e.key === "Enter") this.add();
    else return;
    e.preventDefault();
  }

  private click(e: MouseEvent): void {
    const item = (e.target as HTMLElement).closest<HTMLElement>("[data-i]");
    if (item) this.mark(Number(item.dataset.i));
    this.query.focus();
  }

  private add(): void {
    const pass = this.shown[this.marked];
    if (!pass) return;
    this.dialog.close();
    this.editor.add(pass.name, this.after);
  }
}

// describe writes what a pass does, what can be set, and what must stand before and after it.
function describe(p: PassInfo): HTMLElement[] {
  const orders = (title: string, list: Order[] | undefined): HTMLElement[] => {
    if (!list?.length) return [];
    return [h("h4", {}, title), h("ul", {}, ...list.map((o) => h("li", {}, h("code", {}, o.pass), ` ${o.why}${o.needs ? " (needed)" : ""}`)))];
  };
  const rows = (p.options ?? []).map((o) => h("li", {}, h("code", {}, o.name), ` ${o.type}, default ${print(o.default, o.type) || "empty"}: ${o.doc}`));
  const config = (p.config ?? []).map((c) => h("li", {}, h("code", {}, c.key), ` ${c.doc ?? ""}`));
  return [
    h("h3", {}, p.script || !p.ir ? p.name : h("a", { href: `/passes/${p.name}` }, p.name)),
    h("p", { class: "quiet" }, [p.role === "lowering" ? "lowering: needed for code generation" : "optional", `${p.kind.replace("_", " ")} pass`, `from opt_level ${p.level} on`, p.ir === "tir" ? "works on PrimFuncs" : p.ir === "relax" ? "works on Relax functions" : ""].filter(Boolean).join(" · ")),
    h("p", {}, p.doc),
    h("p", { class: "registry-would" }),
    ...(rows.length > 0 ? [h("h4", {}, "Options"), h("ul", {}, ...rows)] : []),
    ...(p.required?.length ? [h("h4", {}, "Requires"), h("p", {}, p.required.join(", "))] : []),
    ...orders("Before it", p.before),
    ...orders("After it", p.after),
    ...(config.length > 0 ? [h("h4", {}, "Settings it reads"), h("ul", {}, ...config)] : []),
  ];
}
