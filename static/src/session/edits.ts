// The IR that was edited behind steps, as the page of a session knows it. The editor is loaded when it is needed.

import { announce, h } from "../widgets/dom";
import type { EditDialog } from "../editing/editir";
import { messageOf } from "../store/format";
import { importPath, type RunModel, type Step, wholeModule } from "../store/model";
import type { Session } from "../store/session";
import { editPrefix } from "../store/steps";
import type { Diagnostic, Patch } from "../wire";

// afterOf names a step as edits do: its name, and its number among those of that name where it is not the first. It is "" for a
// step that is not in the plan of the run.
export function afterOf(model: RunModel, step: Step): string {
  if (step.path === importPath) return "import";
  if (step.name.startsWith(editPrefix)) return step.name.slice(editPrefix.length);
  let n = 0;
  for (const p of model.started?.plan ?? []) {
    if (p.step === step.path) return n > 0 ? `${step.name}#${n}` : step.name;
    if (p.name === step.name) n++;
  }
  return "";
}

export class Edits {
  readonly offered: boolean;
  private dialog: Promise<EditDialog> | null = null;
  private readonly button = document.getElementById("edit-ir");

  constructor(private readonly store: Session, private readonly codemirror: string) {
    this.offered = this.button !== null;
    this.button?.addEventListener("click", () => void this.open());
  }

  private get patches(): Patch[] {
    return this.store.runs.settings.patches ?? [];
  }

  // update shows the button where the middle shows what can be edited.
  update(shown: boolean): void {
    if (this.button) this.button.hidden = !shown || !this.store.selected() || !this.store.runs.mayEdit;
  }

  // open edits what the middle shows, behind the selected step.
  async open(): Promise<void> {
    const { store } = this;
    const step = store.selected();
    if (!this.offered || !step || !store.mayEdit()) return;
    const after = afterOf(store.model, step);
    if (step.status === "failed" && step.name.startsWith(editPrefix)) return this.again(after);
    if (!after) return announce(`${step.name} runs inside another step; edit the IR after that one`);
    if (["waiting", "running", "failed"].includes(step.status)) return announce(`There is no IR after ${step.name}`);
    await this.use((dialog) => dialog.open(after, step, store.fn === wholeModule ? "" : store.fn));
  }

  // again opens the text of an edit, at a line.
  async again(after: string, line = 0): Promise<void> {
    const patch = this.patches.find((p) => p.after === after);
    if (this.store.mayEdit() && patch) await this.use((dialog) => dialog.again(patch, line));
  }

  // about describes the step of an edit; null for any other step.
  about(step: Step): HTMLElement | null {
    if (!step.name.startsWith(editPrefix)) return null;
    const { runs, model } = this.store;
    const after = step.name.slice(editPrefix.length);
    const patch = (runs.info?.id === model.id ? runs.info.settings?.patches : this.patches)?.find((p) => p.after === after);
    const removed = patch?.removed ?? [];
    const names = Object.keys(patch?.before ?? {}).filter((name) => !removed.includes(name)).sort();
    const tool = (text: string, id: string, run: () => void): HTMLElement => {
      const b = h("button", { type: "button", class: "btn small", id }, text);
      b.addEventListener("click", run);
      return b;
    };
    const file = `${editPrefix}${after.replaceAll("#", "-")}.py`;
    return h(
      "div",
      { class: "written" },
      h("p", {}, "IR edited by hand after ", h("code", {}, after), ": ", names.length > 0 ? h("code", {}, names.join(", ")) : "no function",
        names.length > 0 ? (names.length > 1 ? " replace what was there" : " replaces what was there") : "",
        removed.length > 0 ? h("span", {}, ", removed: ", h("code", {}, removed.join(", "))) : null, ". Later passes continue from it."),
      runs.mayEdit ? h("p", { class: "written-tools" }, tool("Edit again", "edit-again", () => void this.again(after)), " ", tool("Remove", "edit-remove", () => this.store.removeEdit(after))) : null,
      h("p", { class: "quiet" }, "The command line above reads the edit from ", h("a", { href: `/runs/${model.id}/edits/${file}`, download: file }, file), "."),
    );
  }

  // remedy offers to remove the edit that a message says is left out.
  remedy(d: Diagnostic): HTMLElement | null {
    const patch = d.code === "edit" ? this.patches.find((p) => d.message.includes(` after ${p.after} is left out:`)) : undefined;
    if (!patch || !this.store.runs.mayEdit) return null;
    const b = h("button", { type: "button", class: "link", "data-remove-edit": patch.after }, "Remove the edit");
    b.addEventListener("click", () => this.store.removeEdit(patch.after));
    return h("p", {}, b);
  }

  private async use(run: (dialog: EditDialog) => Promise<void>): Promise<void> {
    const { store } = this;
    try {
      this.dialog ??= Promise.all([import("../editing/editir"), import(this.codemirror)]).then(([own, cm]) => new own.EditDialog(cm, store));
      await run(await this.dialog);
    } catch (err) {
      this.dialog = null;
      store.runs.problem = `The editor could not be loaded: ${messageOf(err)}`;
      store.changed();
    }
  }
}

