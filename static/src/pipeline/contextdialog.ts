// The settings of the pass context: config options, and passes that run whatever their level.

import { json } from "../store/api";
import { button, dialog } from "../widgets/dialogs";
import { h, setText } from "../widgets/dom";
import { Field, type FieldOption } from "../widgets/field";
import { plural } from "../store/format";
import type { Pipelining } from "./pipelining";
import { fuzzy } from "../store/fuzzy";
import type { ConfigOption, PassInfo } from "../wire";

// Row is a field for a config option, or for one value of an option that has several.
interface Row {
  key: string;
  part: string;
  field: Field;
  text: string;
}

export class ContextDialog {
  private rows: Row[] = [];
  private readonly query = h("input", { class: "field", type: "text", id: "context-query", placeholder: "Search the settings", "aria-label": "Search the settings", autocomplete: "off", spellcheck: "false" });
  private readonly list = h("div", { class: "context-list" });
  private readonly required = h("ul", { class: "required-list", "aria-label": "Passes that run at any level" });
  private readonly name = h("input", { class: "field", type: "text", id: "require-name", list: "require-names", placeholder: "Name of a pass", "aria-label": "Pass to run at any level", autocomplete: "off", spellcheck: "false" });
  private readonly wrong = h("p", { class: "option-wrong", role: "alert" });
  private readonly count = h("span", { class: "quiet", role: "status" });

  constructor(private readonly editor: Pipelining) {}

  async open(): Promise<void> {
    const { store } = this.editor;
    let known: ConfigOption[];
    try {
      known = (await json<{ config: ConfigOption[] }>("/api/config")).config;
    } catch (err) {
      store.runs.problem = err instanceof Error ? err.message : String(err);
      return store.changed();
    }
    this.rows = known.flatMap((o) => this.rowsOf(o));
    this.list.append(...this.rows.map((r) => r.field.el));
    const names = h("datalist", { id: "require-names" }, ...[...store.runs.passes.values(), ...store.ownPasses.values()].map((p: PassInfo) => h("option", { value: p.name })));
    const form = h("form", { class: "require-form" }, this.name, h("button", { class: "btn", type: "submit" }, "Require"), names);
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      void this.require(this.name.value.trim());
    });
    this.query.addEventListener("input", () => this.filter());
    const el = dialog("Settings of the run");
    el.id = "context-dialog";
    el.classList.add("context");
    el.append(
      h("h3", {}, "Pass context"),
      h("div", { class: "context-search" }, this.query, this.count),
      this.list,
      h("h3", {}, "Passes that run at any level"),
      this.required, form, this.wrong,
      h("div", { class: "dialog-foot" }, button("Close", () => el.close())),
    );
    this.filter();
    this.update();
    el.showModal();
    this.query.focus();
  }

  // rowsOf makes a field of an option, or of each value of an option that has several by name.
  private rowsOf(o: ConfigOption): Row[] {
    const row = (part: string, option: FieldOption): Row => ({
      key: o.key, part, text: `${option.name} ${option.doc}`.toLowerCase(),
      field: new Field(option, {
        wrong: async (v) => (await this.editor.wrong({ config: this.with(o.key, part, v) })).find((m) => m.config === o.key)?.message ?? "",
        apply: (v) => {
          this.editor.store.runs.change({ config: this.with(o.key, part, v) });
          this.update();
        },
      }),
    });
    const doc = o.doc ?? "";
    if (o.type !== "dict" || typeof o.default !== "object" || o.default === null) return [row("", { name: o.key, type: o.type, default: o.default, doc })];
    return Object.entries(o.default).map(([part, v]) => row(part, { name: `${o.key}.${part}`, type: typeOf(v), default: v, doc }));
  }

  // with returns the config with a value changed; undefined is the default.
  private with(key: string, part: string, v: unknown): Record<string, unknown> {
    const config = { ...this.editor.store.runs.settings.config };
    const old = config[key];
    let value = v;
    if (part) {
      const fields: Record<string, unknown> = { ...(old as Record<string, unknown> | undefined) };
      if (v === undefined) delete fields[part];
      else fields[part] = v;
      value = Object.keys(fields).length > 0 ? fields : undefined;
    }
    if (value === undefined) delete config[key];
    else config[key] = value;
    return config;
  }

  private update(): void {
    const { runs } = this.editor.store;
    for (const { key, part, field } of this.rows) {
      const v = runs.settings.config?.[key];
      field.update(part ? (v as Record<string, unknown> | undefined)?.[part] : v, false);
    }
    this.required.replaceChildren(...(runs.settings.required ?? []).map((name) => {
      const drop = button("✕", () => {
        runs.change({ required: (runs.settings.required ?? []).filter((x) => x !== name) });
        this.update();
        this.name.focus();
      }, "quiet small", { "aria-label": `Do not require ${name}` });
      return h("li", { class: "chip" }, name, drop);
    }));
  }

  private async require(name: string): Promise<void> {
    if (!name) return;
    const { runs } = this.editor.store;
    const required = [...new Set([...(runs.settings.required ?? []), name])].sort();
    try {
      const wrong = (await this.editor.wrong({ required })).find((m) => m.pass === name)?.message ?? "";
      setText(this.wrong, wrong);
      if (wrong) return;
    } catch (err) {
      return setText(this.wrong, err instanceof Error ? err.message : String(err));
    }
    this.name.value = "";
    runs.change({ required });
    this.update();
  }

  private filter(): void {
    const words = this.query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const r of this.rows) {
      const fits = words.every((w) => r.text.includes(w) || fuzzy(r.field.option.name.toLowerCase(), w));
      r.field.el.hidden = !fits;
      if (fits) n++;
    }
    setText(this.count, n === 0 ? "No matching setting" : plural(n, "setting"));
  }
}

function typeOf(v: unknown): string {
  switch (typeof v) {
    case "boolean": return "bool";
    case "number": return Number.isInteger(v) ? "int" : "float";
    case "string": return "str";
    default: return "dict";
  }
}
