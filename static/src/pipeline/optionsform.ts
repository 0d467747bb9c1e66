// The options of the selected pass, between its doc and what it did.

import { h } from "../widgets/dom";
import { Field } from "../widgets/field";
import { numberOf, type Step } from "../store/model";
import type { Pipelining } from "./pipelining";
import { atOf, find } from "../store/stepsedit";

export class OptionsForm {
  private shown = "";
  private fields: Field[] = [];
  private step: Step | null = null;
  private always: HTMLInputElement | null = null;
  private readonly why = h("p", { class: "quiet" });

  constructor(private readonly editor: Pipelining) {}

  // show shows the options of a step, and keeps the fields while the step is the same.
  show(host: HTMLElement, step: Step | null): void {
    this.step = step;
    const info = step ? this.editor.store.info(step.name) : undefined;
    if (!step || !info) return host.replaceChildren();
    const key = `${step.path} ${info.options?.length ?? 0}`;
    if (key !== this.shown || host.childElementCount === 0) {
      this.shown = key;
      this.build(host, step);
    }
    this.update(step);
  }

  private build(host: HTMLElement, step: Step): void {
    const info = this.editor.store.info(step.name)!;
    this.fields = (info.options ?? []).map((o) => new Field(o, {
      wrong: (v) => this.editor.wrongOption(this.step!, o.name, v),
      apply: (v) => this.editor.setOption(this.step!, o.name, v),
    }));
    this.always = info.level > 0 ? h("input", { type: "checkbox", id: "always-run" }) : null;
    this.always?.addEventListener("change", () => this.require(step.name, this.always!.checked));
    host.replaceChildren(
      h("h4", {}, "Options"),
      this.why,
      ...this.fields.map((f) => f.el),
      this.always ? h("label", { class: "option always" }, this.always, h("span", {}, `Run it at any level (its level is ${info.level})`)) : "",
    );
  }

  private update(step: Step): void {
    const { runs, reason: locked } = this.editor.store;
    const place = this.editor.place(step);
    const reason = !runs.mayEdit ? locked : typeof place === "string" ? place : "";
    this.why.textContent = reason;
    this.why.hidden = reason === "";
    const at = atOf(numberOf(step));
    const options = (at && find(this.editor.steps, at)?.options) ?? {};
    for (const f of this.fields) f.update(options[f.option.name], reason !== "");
    if (!this.always) return;
    this.always.checked = runs.settings.required?.includes(step.name) ?? false;
    this.always.disabled = !runs.mayEdit;
  }

  private require(name: string, on: boolean): void {
    const { runs } = this.editor.store;
    const rest = (runs.settings.required ?? []).filter((x) => x !== name);
    runs.change({ required: on ? [...rest, name].sort() : rest });
  }
}
