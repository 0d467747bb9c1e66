// The buttons and keys that change the pipeline, and what they say of what was changed. The editor behind them is loaded when it is
// needed.

import type { Action, Editor, Surroundings } from "../pipeline/pipelineeditor";
import { onlyChecks } from "../store/checks";
import { messageOf, plural } from "../store/format";
import type { Step } from "../store/model";
import type { Session } from "../store/session";
import { announce, byId, setText, tell } from "../widgets/dom";
import type { Settings } from "../wire";

export class PipelineBar {
  private editor: Promise<Editor> | null = null;

  constructor(private readonly store: Session, private readonly around: Surroundings) {
    byId("reset-passes").addEventListener("click", () => this.reset());
    byId("undo").addEventListener("click", () => this.undo(false));
    if (!store.plan.offered) return;
    byId("add-pass").addEventListener("click", () => this.act("add"));
    byId("context").addEventListener("click", () => this.act("context"));
    document.addEventListener("keydown", (e) => this.key(e));
    for (const name of ["pointerenter", "focus"]) around.tree.box.addEventListener(name, () => void (store.runs.mayEdit && this.load()), { once: true });
  }

  // act does something with a step of the tree.
  act(action: Action, step: Step | null = this.store.selected()): void {
    if (!this.store.plan.offered) return;
    if (action !== "options" && !this.store.mayEdit()) return;
    void this.load()?.then((editor) => editor.act(action, step));
  }

  // sure resolves to whether a step is to be turned off: the reader is warned of what fails without it.
  async sure(step: Step): Promise<boolean> {
    if (!this.store.plan.offered || step.role !== "lowering") return true;
    const editor = await this.load();
    return editor ? editor.mayLose(step, "Turn off") : true;
  }

  // drawOptions shows the options of the selected step below its doc.
  drawOptions(host: HTMLElement, step: Step | null): void {
    const info = step ? this.store.info(step.name) : undefined;
    const some = this.store.plan.offered && step !== null && info !== undefined && ((info.options?.length ?? 0) > 0 || info.level > 0);
    host.hidden = !some;
    if (some) void this.load()?.then((editor) => editor.options(host, this.store.selected()));
  }

  // update says what was changed.
  update(): void {
    const { mayEdit, settings, disabled, undo } = this.store.runs;
    const { offered, options } = this.store.plan;
    const parts: string[] = [];
    if (settings.steps) parts.push(options.size > 0 ? "steps and options" : "steps");
    if (settings.patches?.length) parts.push(plural(settings.patches.length, "edit"));
    if (settings.schedules?.length) parts.push(plural(settings.schedules.length, "schedule"));
    if (disabled.length > 0) parts.push(`${disabled.length} off`);
    if (settings.required?.length) parts.push(`${settings.required.length} required`);
    const config = Object.keys(settings.config ?? {}).length - Object.keys(onlyChecks(settings.config)).length;
    if (config > 0) parts.push(plural(config, "setting"));
    byId("reset-passes").hidden = parts.length === 0;
    byId("undo").hidden = !undo.possible;
    byId("edited").hidden = !mayEdit || (parts.length === 0 && !undo.possible);
    setText(byId("edited-text"), parts.length > 0 ? `Changed: ${parts.join(", ")}` : "As the pipeline defines it");
    for (const id of ["add-pass", "context"]) byId(id).hidden = !offered || !mayEdit;
  }

  // undo takes the last change of the settings back, or makes it again.
  private undo(again: boolean): void {
    const { runs } = this.store;
    if (!this.store.mayEdit()) return;
    const found = again ? runs.undo.forth(runs.settings) : runs.undo.back(runs.settings);
    if (!found) return tell(again ? "Nothing to redo" : "Nothing to undo");
    this.change(found, again ? "Redone" : "Undone", true);
  }

  private reset(): void {
    if (!this.store.mayEdit()) return;
    this.change({ steps: null, patches: [], schedules: [], disabled: [], required: [], config: onlyChecks(this.store.runs.settings.config) }, "The pipeline is back to its named version", false);
  }

  private change(settings: Partial<Settings>, said: string, quiet: boolean): void {
    const { runs, plan } = this.store;
    if (quiet) runs.set(settings);
    else runs.change(settings);
    announce(said);
    if (plan.offered) void this.load()?.then((editor) => editor.replan());
  }

  private key(e: KeyboardEvent): void {
    if (e.defaultPrevented || !(e.ctrlKey || e.metaKey) || e.altKey) return;
    const again = e.key === "y" || (e.key.toLowerCase() === "z" && e.shiftKey);
    if (!again && e.key !== "z") return;
    const target = e.target as HTMLElement;
    if (document.querySelector("dialog[open]") || target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]")) return;
    e.preventDefault();
    this.undo(again);
  }

  private load(): Promise<Editor> | null {
    const { store } = this;
    if (!store.plan.offered) return null;
    this.editor ??= import("../pipeline/pipelineeditor").then((m) => new m.Editor(store, this.around));
    this.editor.catch((err: unknown) => {
      this.editor = null;
      store.runs.problem = `The pipeline editor could not be loaded: ${messageOf(err)}`;
      store.changed();
    });
    return this.editor;
  }
}
