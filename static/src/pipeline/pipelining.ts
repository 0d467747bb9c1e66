// What the forms and dialogs of the pipeline ask of its editor.

import type { Step } from "../store/model";
import type { Session } from "../store/session";
import type { Pipelines } from "../store/steps";
import type { At } from "../store/stepsedit";
import type { Problem, Settings, SettingsStep } from "../wire";

export interface Pipelining {
  readonly store: Session;
  // named are the pipelines that have a name, steps those of the settings.
  readonly named: Pipelines["list"];
  readonly steps: SettingsStep[];
  // place returns where a step stands, or the words for why it cannot be moved.
  place(step: Step | null): At | string;
  // add puts a pass behind a step.
  add(name: string, after: Step | null): void;
  // setOption gives an option of a step another value; undefined is its default. wrongOption says what is wrong with a value.
  setOption(step: Step, option: string, v: unknown): void;
  wrongOption(step: Step, option: string, v: unknown): Promise<string>;
  // wrong returns what is wrong with settings.
  wrong(change: Partial<Settings>): Promise<Problem[]>;
}
