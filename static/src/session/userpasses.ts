// The passes that users wrote, as the page of a session knows them. The dialog to write them is loaded when it is needed.

import { byId, setText } from "../widgets/dom";
import type { Runs } from "../store/runs";
import type * as Dialog from "../editing/userpass";
import type { PassInfo } from "../wire";

export class UserPasses {
  // infos describes the passes of the run's scripts by name.
  infos = new Map<string, PassInfo>();
  // offered tells whether the server takes such passes.
  readonly offered: boolean;
  private described = "[]";
  private dialog: Promise<Dialog.Passes> | null = null;
  private readonly button: HTMLElement | null;

  constructor(private readonly app: HTMLElement, private readonly runs: Runs, private readonly page: Dialog.Page, private readonly changed: () => void) {
    this.offered = app.dataset.compiler === "true";
    this.button = this.offered ? byId("write-pass") : null;
    this.button?.addEventListener("click", () => void this.open());
  }

  // open opens the dialog: on a line of a script, on one, or on the last one.
  async open(script = "", line = 0): Promise<void> {
    if (!this.runs.mayEdit) return;
    try {
      this.dialog ??= this.load();
      await (await this.dialog).open(script, line);
    } catch (err) {
      this.dialog = null;
      this.runs.problem = `The editor cannot be loaded: ${err instanceof Error ? err.message : String(err)}`;
      this.changed();
    }
  }

  private async load(): Promise<Dialog.Passes> {
    const [own, codemirror] = await Promise.all([this.module(), import(this.app.dataset.codemirror!)]);
    return new own.Passes(codemirror, this.page);
  }

  private module(): Promise<typeof Dialog> {
    return import("../editing/userpass");
  }

  // update follows the settings: what is shown of scripts is asked for when they change.
  update(): void {
    const scripts = this.runs.settings.scripts ?? [];
    if (this.button) {
      this.button.hidden = !this.runs.mayEdit;
      setText(this.button, scripts.length > 0 ? `Your passes (${scripts.length})` : "Write a pass");
    }
    const text = JSON.stringify(scripts);
    if (!this.offered || text === this.described) return;
    this.described = text;
    void this.describe(text);
  }

  private async describe(text: string): Promise<void> {
    try {
      const infos = await (await this.module()).describe(this.runs.settings.scripts ?? []);
      if (text !== this.described) return;
      this.infos = infos;
      this.changed();
    } catch {
      // The details then lack what the pass is for; the run is not concerned.
    }
  }
}
