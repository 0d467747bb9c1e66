// The pipeline of a session beside its runs: the order that is planned until its run has begun, where an order breaks a constraint, and
// which options were changed.

import { post } from "./api";
import type { RunModel } from "./model";
import type { Runs } from "./runs";
import { debounce } from "./timers";
import type { Planned, Settings, SettingsStep } from "../wire";

export class Plan {
  // planned is the pipeline that is about to run, until its run has begun.
  planned: RunModel | null = null;
  // warnings are the places where the order breaks a constraint: by path, what is wrong there.
  warnings = new Map<string, string[]>();
  // options are the options that were changed, by the number of the step.
  options = new Map<string, string>();
  private asked = "";
  // planKey names the settings that planned shows, over is the run that was shown then.
  private planKey = "";
  private over: RunModel | null = null;
  private seen: Settings | null = null;
  private readonly askSoon = debounce(60, () => void this.ask());

  // offered tells whether the server lets pipelines be edited; changed is told when warnings have come.
  constructor(private readonly runs: Runs, readonly offered: boolean, private readonly changed: () => void) {}

  // show shows what is about to run.
  show(model: RunModel | null): void {
    this.planned = model;
    this.planKey = stepsKey(this.runs.settings);
    this.over = this.runs.model;
  }

  // update follows the settings of the runs.
  update(): void {
    const { settings, model, changed } = this.runs;
    if (this.planned && this.isPast()) this.planned = null;
    if (this.seen === settings) return;
    this.seen = settings;
    this.options = new Map();
    listOptions(settings.steps ?? [], "1", this.options);
    if (this.offered && (model.started || changed)) this.askSoon();
  }

  // isPast tells whether the run of what is planned has begun, or something else is to run.
  private isPast(): boolean {
    const { runs } = this;
    if (stepsKey(runs.settings) !== this.planKey) return true;
    const { model } = runs;
    if (model === this.over || model.id !== runs.current || !model.started) return false;
    return model.finished !== null || stepsKey(runs.info?.settings) === this.planKey;
  }

  // ask asks the server where the order of the steps breaks a constraint.
  private async ask(): Promise<void> {
    const { settings } = this.runs;
    const edited = settings.steps || settings.disabled?.length || settings.required?.length;
    const key = edited ? JSON.stringify([settings.steps, settings.disabled, settings.required, settings.scripts, settings.target, settings.opt_level, settings.pipeline]) : "";
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
    this.changed();
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
