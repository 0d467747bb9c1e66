// The IR that was edited behind steps, as the page of a session knows it. The editor is loaded when it is needed.

import { h, tell } from "../widgets/dom";
import type { EditPane } from "../editing/editir";
import { messageOf } from "../store/format";
import { wholeModule } from "../store/model";
import type { Session } from "../store/session";
import type { CodeView } from "../widgets/codeview";
import { afterOf, editPrefix } from "../store/steps";
import type { Diagnostic, Patch } from "../wire";

export class Edits {
  readonly offered: boolean;
  private dialog: Promise<EditPane> | null = null;
  private readonly button = document.getElementById("edit-ir");

  constructor(private readonly store: Session, private readonly codemirror: string, private readonly code: (host: HTMLElement) => CodeView) {
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
    if (!after) return tell(`${step.name} runs inside another step; edit the IR after that one`);
    if (["waiting", "running", "failed"].includes(step.status)) return tell(`There is no IR after ${step.name}`);
    await this.use((dialog) => dialog.open(after, step, store.fn === wholeModule ? "" : store.fn));
  }

  // again opens the text of an edit, at a line.
  async again(after: string, line = 0): Promise<void> {
    const patch = this.patches.find((p) => p.after === after);
    if (this.store.mayEdit() && patch) await this.use((dialog) => dialog.again(patch, line));
  }

  // remedy offers to remove the edit that a message says is left out.
  remedy(d: Diagnostic): HTMLElement | null {
    const patch = d.code === "edit" ? this.patches.find((p) => d.message.includes(` after ${p.after} is left out:`)) : undefined;
    if (!patch || !this.store.runs.mayEdit) return null;
    const b = h("button", { type: "button", class: "link", "data-remove-edit": patch.after }, "Remove the edit");
    b.addEventListener("click", () => this.store.removeEdit(patch.after));
    return h("p", {}, b);
  }

  private async use(run: (dialog: EditPane) => Promise<void>): Promise<void> {
    const { store } = this;
    try {
      this.dialog ??= Promise.all([import("../editing/editir"), import(this.codemirror)]).then(([own, cm]) => new own.EditPane(cm, store, this.code));
      const pane = await this.dialog;
      store.bring("center");
      await run(pane);
    } catch (err) {
      this.dialog = null;
      store.runs.problem = `The editor could not be loaded: ${messageOf(err)}`;
      store.changed();
    }
  }
}

