// What the page of a session knows of its pipeline besides the run: the order that is planned, what is wrong with it, what was
// changed. The editor itself is loaded when it is needed.

import { post } from "../store/api";
import { onlyChecks } from "../store/checks";
import { announce, byId, debounce, setText } from "../widgets/dom";
import { plural } from "../store/format";
import type { RunModel, Step } from "../store/model";
import type * as Module from "../pipeline/pipelineeditor";
import type { SessionPage } from "./sessionpage";
import type { Planned, Settings, SettingsStep } from "../wire";

// Action is something that the editor does with a step, or without one.
export type Action = "up" | "down" | "remove" | "add" | "options" | "context";

export class Pipeline {
  // planned is the pipeline that is about to run, until its run has begun.
  planned: RunModel | null = null;
  // warnings are the places where the order breaks a constraint: by path, what is wrong there.
  warnings = new Map<string, string[]>();
  // options are the options that were changed, by the number of the step.
  options = new Map<string, string>();
  // offered tells whether the server lets pipelines be edited.
  readonly offered: boolean;
  private editor: Promise<Module.Editor> | null = null;
  private asked = "";
  // planKey names the settings that planned shows, over is the run that was shown then.
  private planKey = "";
  private over: RunModel | null = null;
  private painted: Settings | null = null;
  private readonly askSoon = debounce(60, () => void this.ask());

  constructor(private readonly page: SessionPage) {
    this.offered = page.app.dataset.compiler === "true";
    byId("reset-passes").addEventListener("click", () => this.reset());
    byId("undo").addEventListener("click", () => this.undo(false));
    if (!this.offered) return;
    byId("add-pass").addEventListener("click", () => this.act("add"));
    byId("context").addEventListener("click", () => this.act("context"));
    document.addEventListener("keydown", (e) => this.key(e));
    for (const name of ["pointerenter", "focus"]) page.tree.box.addEventListener(name, () => void (page.runs.mayEdit && this.load()), { once: true });
  }

  // act does something with a step of the tree.
  act(action: Action, step: Step | null = this.page.selected()): void {
    if (!this.offered) return;
    if (!this.page.runs.mayEdit && action !== "options") return announce(this.page.sharing.reason);
    void this.load()?.then((editor) => editor.act(action, step));
  }

  // mayTurnOff resolves to whether a step is to be turned off: the reader is warned of what fails without it.
  async mayTurnOff(step: Step): Promise<boolean> {
    if (!this.offered || step.role !== "lowering") return true;
    const editor = await this.load();
    return editor ? editor.mayLose(step, "Turn off") : true;
  }

  // drawOptions shows the options of the selected step below its doc.
  drawOptions(host: HTMLElement, step: Step | null): void {
    const info = step ? this.page.info(step.name) : undefined;
    const some = this.offered && step !== null && info !== undefined && ((info.options?.length ?? 0) > 0 || info.level > 0);
    host.hidden = !some;
    if (some) void this.load()?.then((editor) => editor.options(host, this.page.selected()));
  }

  // undo takes the last change of the settings back, or makes it again.
  undo(again: boolean): void {
    const { runs, sharing } = this.page;
    if (!runs.mayEdit) return announce(sharing.reason);
    const found = again ? runs.undo.forth(runs.settings) : runs.undo.back(runs.settings);
    if (!found) return announce(again ? "Nothing to do again" : "Nothing to undo");
    this.change(found, again ? "Done again" : "Undone", true);
  }

  reset(): void {
    if (!this.page.runs.mayEdit) return announce(this.page.sharing.reason);
    this.change({ steps: null, patches: [], disabled: [], required: [], config: onlyChecks(this.page.runs.settings.config) }, "The pipeline is as it is named again", false);
  }

  // plan shows what is about to run.
  plan(model: RunModel | null): void {
    this.planned = model;
    this.planKey = stepsKey(this.page.runs.settings);
    this.over = this.page.runs.model;
  }

  // isPast tells whether the run of what is planned has begun, or something else is to run.
  private isPast(): boolean {
    const { runs } = this.page;
    if (stepsKey(runs.settings) !== this.planKey) return true;
    const { model } = runs;
    if (model === this.over || model.id !== runs.current || !model.started) return false;
    return model.finished !== null || stepsKey(runs.info?.settings) === this.planKey;
  }

  // update follows the settings of the runs.
  update(): void {
    const { runs } = this.page;
    const { settings, model } = runs;
    if (this.planned && this.isPast()) this.planned = null;
    this.drawEdited();
    if (this.painted === settings) return;
    this.painted = settings;
    this.options = new Map();
    listOptions(settings.steps ?? [], "1", this.options);
    if (this.offered && (model.started || runs.stale)) this.askSoon();
  }

  private drawEdited(): void {
    const { mayEdit, settings, disabled, undo } = this.page.runs;
    const parts: string[] = [];
    if (settings.steps) parts.push(this.options.size > 0 ? "steps and options" : "steps");
    if (settings.patches?.length) parts.push(plural(settings.patches.length, "edit"));
    if (disabled.length > 0) parts.push(`${disabled.length} off`);
    if (settings.required?.length) parts.push(`${settings.required.length} required`);
    const config = Object.keys(settings.config ?? {}).length - Object.keys(onlyChecks(settings.config)).length;
    if (config > 0) parts.push(plural(config, "setting"));
    byId("reset-passes").hidden = parts.length === 0;
    byId("undo").hidden = !undo.possible;
    byId("edited").hidden = !mayEdit || (parts.length === 0 && !undo.possible);
    setText(byId("edited-text"), parts.length > 0 ? `Changed: ${parts.join(", ")}` : "As named");
    for (const id of ["add-pass", "context"]) byId(id).hidden = !this.offered || !mayEdit;
  }

  private change(settings: Partial<Settings>, said: string, quiet: boolean): void {
    const { runs } = this.page;
    if (quiet) runs.set(settings);
    else runs.change(settings);
    announce(said);
    if (this.offered) void this.load()?.then((editor) => editor.replan());
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

  private load(): Promise<Module.Editor> | null {
    if (!this.offered) return null;
    this.editor ??= import("../pipeline/pipelineeditor").then((m) => new m.Editor(this.page));
    this.editor.catch((err: unknown) => {
      this.editor = null;
      this.page.runs.problem = `The editor of pipelines cannot be loaded: ${err instanceof Error ? err.message : String(err)}`;
      this.page.render();
    });
    return this.editor;
  }

  // ask asks the server where the order of the steps breaks a constraint.
  private async ask(): Promise<void> {
    const { settings } = this.page.runs;
    const edited = settings.steps || settings.disabled?.length || settings.required?.length;
    const key = edited ? JSON.stringify([settings.steps, settings.disabled, settings.required, settings.scripts, settings.opt_level, settings.pipeline]) : "";
    if (key === this.asked) return;
    this.asked = key;
    const found = new Map<string, string[]>();
    try {
      if (edited) {
        const { warnings } = await post<Planned>("/api/plan", settings);
        for (const w of warnings) for (const path of [w.step, w.other]) if (path) found.set(path, [...(found.get(path) ?? []), w.message]);
      }
    } catch {
      // The run says what is wrong too, when it has ended.
    }
    if (key !== this.asked) return;
    this.warnings = found;
    this.page.render();
  }
}

function listOptions(steps: SettingsStep[], above: string, out: Map<string, string>): void {
  for (const [i, s] of steps.entries()) {
    const at = `${above}.${i + 1}`;
    const set = Object.entries(s.options ?? {});
    if (set.length > 0) out.set(at, set.map(([name, v]) => `${name} = ${JSON.stringify(v)}`).join(", "));
    listOptions(s.steps ?? [], at, out);
  }
}

function stepsKey(settings: Settings | undefined): string {
  return JSON.stringify(settings?.steps ?? null);
}
